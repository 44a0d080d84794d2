//===- Devices.cpp - the devices of a program -----------------------------===//

#include "Devices.h"
#include "Frontend/Parser.h"
#include "HostScalars.h"
#include "Reporter.h"
#include "Scopes.h"
#include "tdc_text.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

Place Devices::wordCuda() const {
  if (withDevice) {
    const Place &place = withDevice->as<DeviceInfo>().place;
    if (place.kind == Place::Kind::Cuda)
      return place;
  }
  return getCuda(0);
}

/// The edits that remove the quotes of `"cuda" if … else "cpu"`. The expression
/// is `use`, or the value, on one line, that the name at `use` was declared
/// with.
static std::vector<Edit> unquoteDevices(Reporter &c, Scopes &scopes,
                                        SourceRange use) {
  if (!c.isWritten(use))
    return {};
  SourceRange made = use;
  if (Binding *binding = scopes.lookup(c.text(use)))
    if (binding->declared.isValid()) {
      LineColumn line = c.sources.getLineColumn(binding->declared);
      made = binding->declared.finish().to(
          c.sources.getLine(binding->declared.file, line.line));
    }
  std::vector<Edit> edits;
  llvm::StringRef code = c.text(made).split('#').first;
  for (llvm::StringRef device : {"cpu", "cuda", "cuda:0", "cuda:1"})
    for (llvm::StringRef quote : {"\"", "'"}) {
      std::string quoted = (quote + device + quote).str();
      size_t at = code.find(quoted);
      if (at == llvm::StringRef::npos)
        continue;
      uint32_t begin = made.begin + at;
      edits.push_back(
          {{made.file, begin, begin + uint32_t(quoted.size())}, device.str()});
    }
  return code.contains(" if ") && edits.size() == 2 ? edits
                                                    : std::vector<Edit>();
}

std::optional<Val> Devices::asDevice(const Val &val) {
  if (val.is(ValKind::Device)) {
    if (!val.as<DeviceInfo>().isWord)
      return val;
    Val device = makeDevice(wordCuda(), val.as<DeviceInfo>().made);
    device.range = val.range;
    return device;
  }
  if (!val.is(ValKind::Str))
    return std::nullopt;
  if (!val.known) {
    Diagnostic &report = c.error(
        DiagCode::TD509, val.range,
        "a str that is known only when the program runs cannot be a device");
    std::vector<Edit> edits = unquoteDevices(c, scopes, val.range);
    if (edits.empty())
      report.note("devices can be chosen then, without quotes: `cuda:0 if "
                  "cuda.is_available() else cpu`");
    else
      report.note("devices can be chosen then, without quotes")
          .fix(FixIt::Safe, "without the quotes", std::move(edits));
    return std::nullopt;
  }
  llvm::StringRef name = textOf(val);
  Place place;
  if (name == "cuda") {
    place = wordCuda();
  } else if (std::optional<Place> known = parseDevice(name)) {
    place = *known;
  } else {
    Diagnostic &report = c.error(DiagCode::TD509, val.range,
                                 "`" + textOf(val) + "` is not a device");
    bool isDtype = parseDType(name) || !getDtypeOfPyTorch(name).empty();
    report.label(isDtype
                     ? "the name of a dtype, which is written without quotes"
                     : "a device is cpu, cuda or cuda:N");
    if (name == "gpu" && c.text(val.range) == "\"gpu\"")
      report.fix(FixIt::Safe, "`cuda`", {{val.range, "cuda"}});
    return std::nullopt;
  }
  Val device = makeDevice(place, val.range);
  device.range = val.range;
  return device;
}

std::optional<Val> Devices::cudaDevice(const Val &which, SourceRange range) {
  bool isDevice = which.is(ValKind::Device) || which.is(ValKind::Str);
  std::optional<Val> device;
  if (isDevice) {
    device = asDevice(which);
    if (!device)
      return std::nullopt;
  } else {
    auto ordinal = host.requireInt(which, "the number of a device");
    if (!ordinal)
      return std::nullopt;
    if (*ordinal >= 0)
      return makeDevice(getCuda(*ordinal), range);
  }
  if (device && device->as<DeviceInfo>().place.kind == Place::Kind::Cuda)
    return device;
  Diagnostic &report =
      c.error(DiagCode::TD509, which.range.isValid() ? which.range : range,
              isDevice ? "a CUDA device is needed, not `" +
                             placeText(device->as<DeviceInfo>().place) + "`"
                       : "the number of a device is not negative");
  if (isDevice)
    report.note("`.to(…)` takes any device");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The devices of this machine
//===----------------------------------------------------------------------===//

Val Devices::ofThisMachine(bool truth) {
  noteQueried();
  Val val = makeRunTime(ValKind::Bool, c.emit().constantBool(truth));
  val.onThisMachine = truth;
  return val;
}

Val Devices::ofThisMachine(int64_t count, llvm::StringRef name) {
  noteQueried();
  Val val = host.runTimeInt(c.emit().constantInt(count), name);
  host.sizes[val.size.getAtom()].onThisMachine = count;
  return val;
}

bool Devices::isVisible(const Place &place) {
  if (place.kind != Place::Kind::Cuda)
    return true;
  namedCudaDevices = std::max(namedCudaDevices, place.ordinal + 1);
  return place.ordinal < options.countCudaDevices();
}

/// "cuda:0, cuda:1"
static std::string listDevices(int64_t count) {
  std::string names;
  for (int64_t i = 0; i != count; ++i)
    names += (i ? ", cuda:" : "cuda:") + std::to_string(i);
  return names;
}

void Devices::checkDeviceExists(const Place &place, SourceRange range) {
  if (isVisible(place))
    return;
  std::string title = "there is no device " + spelling(place);
  if (c.conditionDepth != 0) {
    // Code under a condition may never run: the check is made at run time.
    c.emit().assertThat(c.emit().constantBool(false),
                        host.materialize(makeStr(title)));
    return;
  }
  if (!missingDevices.insert(title).second)
    return;
  Diagnostic &report = options.devicesAreFinal
                           ? c.error(DiagCode::TD506, range, title)
                           : c.warning(DiagCode::TD506, range, title);
  int64_t count = options.countCudaDevices();
  if (count == 0) {
    report.label("no CUDA device is visible");
    if (options.whyNoDevices)
      report.note(options.whyNoDevices(place.ordinal + 1));
    std::string choice = spelling(place) + " if cuda.is_available() else cpu";
    if (c.text(range) == spelling(place) || c.text(range) == "cuda")
      report.fix(FixIt::Choice,
                 "`" + choice + "`  (decided when the program starts)",
                 {{range, choice}});
    else
      report.note("`cuda:0 if cuda.is_available() else cpu` chooses when the "
                  "program starts");
    return;
  }
  report
      .label("this machine shows " + countOf(count, "CUDA device") + ": " +
             listDevices(count))
      .note("CUDA_VISIBLE_DEVICES renumbers devices: with "
            "CUDA_VISIBLE_DEVICES=2,3 physical GPUs 2 and 3 are cuda:0 and "
            "cuda:1");
  if (options.whyNoDevices)
    report.note(options.whyNoDevices(place.ordinal + 1));
  std::string last = "cuda:" + std::to_string(count - 1);
  if (c.text(range) == spelling(place))
    report.fix(FixIt::Choice, "`" + last + "`", {{range, last}});
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// A symbol of this name, or of a similar one if the name has another meaning
/// already.
Place Devices::makeSymbol(llvm::StringRef wanted, const Place &chosen,
                          SourceRange made) {
  Place place;
  place.kind = Place::Kind::Symbol;
  place.symbol = wanted.str();
  for (unsigned i = 2;; ++i) {
    auto [entry, isNew] = symbols.try_emplace(place.symbol);
    if (isNew)
      entry->second.chosen = chosen, entry->second.made = made;
    if (entry->second.made == made && entry->second.chosen == chosen)
      return place;
    place.symbol = wanted.str() + "_" + std::to_string(i);
  }
}

Val Devices::autoDevice(SourceRange range) {
  if (!options.device.empty() && options.device != "auto") {
    Val fixed = makeStr(options.device);
    fixed.range = range;
    if (std::optional<Val> device = asDevice(fixed)) {
      checkDeviceExists(device->as<DeviceInfo>().place, range);
      return *device;
    }
  }
  noteQueried();
  Place chosen = options.countCudaDevices() > 0 ? getCuda(0) : getCpu();
  return makeDevice(makeSymbol("auto", chosen, SourceRange()), range);
}

Place Devices::chooseOnMachine(const Val &condition, const Place &onTrue,
                               const Place &onFalse) {
  if (isCpuOrFree(onTrue) && isCpuOrFree(onFalse))
    return getCpu();
  // Within a side, an earlier choice by the same condition is decided.
  std::string when = c.text(condition.range).str();
  auto reduced = [&](const Place &place, bool isTrue) {
    if (place.kind != Place::Kind::Symbol ||
        symbols[place.symbol].condition != when)
      return place;
    return symbols[place.symbol].sides[isTrue];
  };
  Place sides[] = {reduced(onFalse, false), reduced(onTrue, true)};
  // The text of a choice identifies it, and is an expression of the program.
  auto spelled = [&](const Place &place) {
    std::string name = placeText(place);
    return llvm::StringRef(name).contains(' ') ? "(" + name + ")" : name;
  };
  std::string name =
      spelled(sides[true]) + " if " + when + " else " + spelled(sides[false]);
  const Place &taken = sides[*condition.onThisMachine];
  Place place = makeSymbol(
      name, isCpuOrFree(taken) ? getCpu() : resolvePlace(taken), SourceRange());
  Symbol &symbol = symbols[place.symbol];
  symbol.condition = when;
  std::copy(std::begin(sides), std::end(sides), symbol.sides);
  if (auto known = namedChoices.find(place.symbol); known != namedChoices.end())
    place.symbol = known->second;
  return place;
}

/// Whether the condition of a choice means the same wherever it is written.
static bool asksOnlyMachine(llvm::StringRef condition) {
  auto isPart = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  for (llvm::StringRef rest = condition.drop_until(isPart); !rest.empty();
       rest = rest.drop_until(isPart)) {
    llvm::StringRef word = rest.take_while(isPart);
    if (!llvm::is_contained({"cuda", "is_available", "device_count", "and",
                             "or", "not", "true", "false"},
                            word))
      return false;
    rest = rest.drop_front(word.size());
  }
  return true;
}

Val Devices::chooseDevice(const Val &condition, const Val &onTrue,
                          const Val &onFalse, SourceRange range) {
  std::optional<Val> sides[] = {asDevice(onTrue), asDevice(onFalse)};
  Place a = sides[0]->as<DeviceInfo>().place,
        b = sides[1]->as<DeviceInfo>().place;
  if (a == b)
    return *sides[0];
  Val decided = condition;
  std::optional<bool> &truth = decided.onThisMachine;
  bool isFirstHere = isVisible(resolvePlace(a));
  bool isSecondHere = isVisible(resolvePlace(b));
  if (truth) {
    checkDeviceExists(resolvePlace(*truth ? a : b),
                      (*truth ? onTrue : onFalse).range);
  } else if (isFirstHere == isSecondHere) {
    return c.unsupported(range,
                         "a choice of a device that depends on more than "
                         "the devices of the machine");
  } else {
    // Only one of the two exists here.
    truth = isFirstHere;
    Value right = condition.value;
    c.emit().assertThat(*truth ? right : c.emit().host(HostOp::Not, {right}),
                        host.materialize(makeStr("there is no device " +
                                                 spelling(*truth ? b : a))));
  }
  return makeDevice(chooseOnMachine(decided, a, b), range);
}

Val Devices::nameDevice(Val val, llvm::StringRef name) {
  if (!val.is(ValKind::Device) || name.empty())
    return val;
  auto &info = val.as<DeviceInfo>();
  if (info.place.kind != Place::Kind::Symbol)
    return val;
  const Symbol choice = symbols[info.place.symbol];
  if (choice.made.isValid())
    return val; // has a name
  auto copy = std::make_shared<DeviceInfo>(info);
  auto known = namedChoices.find(info.place.symbol);
  bool isOne = asksOnlyMachine(choice.condition);
  // One choice is one place, under any name and anywhere in the program.
  if (isOne && known != namedChoices.end())
    copy->place.symbol = known->second;
  else if (!isOne || !choice.declared)
    copy->place = makeSymbol(name, choice.chosen, info.made);
  if (isOne)
    namedChoices[info.place.symbol] = copy->place.symbol;
  val.data = std::move(copy);
  return val;
}

Place Devices::resolvePlace(const Place &place) const {
  return place.kind == Place::Kind::Symbol ? symbols.lookup(place.symbol).chosen
                                           : place;
}

void Devices::declareSymbol(llvm::StringRef symbol) {
  Symbol &known = symbols[symbol];
  if (known.declared || c.isWalkedAside())
    return;
  known.declared = true;
  c.emit().declareDevice(symbol, known.chosen);
}
