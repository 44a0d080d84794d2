//===- OptimizerSettings.cpp - settings of optimizers ---------------------===//
//
// Settings are values of the program while it is compiled. Those that change
// when it runs are kept in slots: `lr`, and what the program assigns.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "OptimizerKinds.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Host numbers in slots
//===----------------------------------------------------------------------===//

TensorType Training::hostNumber(DType dtype) {
  TensorType type;
  type.dtype = dtype;
  type.place.kind = Place::Kind::Cpu;
  return type;
}

Val Training::readNumber(llvm::StringRef slot, DType dtype) {
  TensorType type = hostNumber(dtype);
  return c.tensors.itemOf(
      makeTensor(type, c.emit().read(slot, c.tensors.shapeOf(type))));
}

void Training::writeNumber(llvm::StringRef slot, const Val &number,
                           DType dtype) {
  c.models.rawWrite(slot,
                    c.tensors.fillTensor(number, hostNumber(dtype)).value);
}

void Training::declareNumber(llvm::StringRef slot, llvm::StringRef instance,
                             const Val &initial, DType dtype) {
  c.emit().declareSlot(slot, td::SlotKind::Moment, slot, instance,
                       c.tensors.shapeOf(hostNumber(dtype)));
  writeNumber(slot, initial, dtype);
}

std::string Training::declareNumber(const OptimizerInfo &optimizer,
                                    llvm::StringRef key, const Val &initial,
                                    DType dtype) {
  std::string slot = "opt." + optimizer.name + "." + key.str();
  declareNumber(slot, optimizer.name, initial, dtype);
  return slot;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// Stops the program, or its compilation, unless `allowed`.
static void requireSetting(Checker &c, const Val &allowed, const Val &setting,
                           SourceRange range, llvm::StringRef what) {
  if (allowed.known && !allowed.truth)
    c.error(DiagCode::TD222, setting.range.isValid() ? setting.range : range,
            what);
  else if (!allowed.known && !allowed.isError())
    c.emit().assertThat(c.host.materialize(allowed),
                        c.host.materialize(makeStr(what)));
}

void Training::requireNotNegative(const Val &setting, llvm::StringRef name,
                                  SourceRange range) {
  Val allowed =
      c.host.compare(ast::CompareOp::Ge, setting, makeFloat(0), range);
  requireSetting(c, allowed, setting, range,
                 ("`" + name + "` must be at least 0").str());
}

static Val reportSetting(Checker &c, const Val &val, llvm::StringRef name,
                         llvm::StringRef wanted) {
  if (!val.isError())
    c.error(DiagCode::TD303, val.range,
            "`" + name + "` is " + wanted + ", not " + describe(val));
  return c.fail();
}

static Val takeNumber(Checker &c, const Val &val, llvm::StringRef name) {
  if (!val.isHostScalar() || val.is(ValKind::Bool))
    return reportSetting(c, val, name, "a number");
  Val number = c.host.toFloat(val);
  number.range = val.range;
  return number;
}

/// Two numbers from 0 to below 1, as a tuple.
static Val takeShares(Checker &c, const Val &val, llvm::StringRef name,
                      SourceRange range) {
  Vals pair;
  if (!c.unpack(val, 2, val.range.isValid() ? val.range : range, pair))
    return c.fail();
  std::string what = ("each of `" + name + "` is from 0 to below 1").str();
  for (Val &share : pair) {
    share = takeNumber(c, share, name);
    if (share.isError())
      return share;
    using ast::CompareOp;
    requireSetting(c, c.host.compare(CompareOp::Ge, share, makeFloat(0), range),
                   share, range, what);
    requireSetting(c, c.host.compare(CompareOp::Lt, share, makeFloat(1), range),
                   share, range, what);
  }
  return makeSequence(ValKind::Tuple, std::move(pair));
}

/// The setting as the functions of the prelude take it; an error after a
/// report.
static Val takeSetting(Checker &c, const Setting &setting, const Val &val,
                       SourceRange range) {
  switch (setting.takes) {
  case Setting::Number:
    return takeNumber(c, val, setting.name);
  case Setting::NotNegative: {
    Val number = takeNumber(c, val, setting.name);
    if (!number.isError())
      c.training.requireNotNegative(number, setting.name, range);
    return number;
  }
  case Setting::Shares:
    return takeShares(c, val, setting.name, range);
  case Setting::Flag:
    // What is kept of each parameter depends on it.
    if (!val.is(ValKind::Bool))
      return reportSetting(c, val, setting.name, "a bool");
    return c.host.requireBool(val, ("`" + setting.name + "`").str()) ? val
                                                                     : c.fail();
  case Setting::Count:
    return c.host.constantInt(val) ? val
                                   : reportSetting(c, val, setting.name,
                                                   "an int that is known while "
                                                   "compiling");
  case Setting::Word:
    return val.is(ValKind::Str) || val.is(ValKind::None)
               ? val
               : reportSetting(c, val, setting.name, "a str");
  }
  return c.fail();
}

static Val defaultOf(const Setting &setting) {
  switch (setting.takes) {
  case Setting::Number:
  case Setting::NotNegative:
    return makeFloat(setting.initial);
  case Setting::Shares:
    return makeSequence(ValKind::Tuple, {makeFloat(setting.initial),
                                         makeFloat(setting.initialNext)});
  case Setting::Flag:
    return makeBool(setting.initial != 0);
  case Setting::Count:
    return makeInt(Size(static_cast<int64_t>(setting.initial)));
  case Setting::Word:
    return makeVal(ValKind::None);
  }
  return Val();
}

bool Training::isOff(const Val &setting) {
  return setting.known &&
         (setting.is(ValKind::Bool) ? !setting.truth : setting.number == 0);
}

bool Training::completeSettings(const OptimizerKind &kind,
                                ParameterGroup &group, const Bound &args) {
  for (auto &[name, val] : group.settings)
    if (!kind.findSetting(name)) {
      c.error(DiagCode::TD205, val.range,
              "`" + kind.name + "` has no setting `" + name + "`")
          .label("in a group of this optimizer");
      return false;
    }
  for (const Setting &setting : kind.settings) {
    auto [entry, isMissing] = group.settings.try_emplace(setting.name);
    if (isMissing) {
      const Val *given = args.find(setting.name);
      entry->second = given ? *given : defaultOf(setting);
    }
    entry->second = takeSetting(c, setting, entry->second, args.range());
    if (entry->second.isError())
      return false;
  }
  auto nesterov = group.settings.find("nesterov");
  Val momentum = group.settings.lookup("momentum");
  bool isDampened = group.settings.count("dampening") &&
                    !isOff(group.settings.lookup("dampening"));
  if (nesterov != group.settings.end() && nesterov->second.truth &&
      (isOff(momentum) || isDampened))
    c.error(DiagCode::TD222, nesterov->second.range,
            "`nesterov` needs a `momentum` and no `dampening`");
  return true;
}

//===----------------------------------------------------------------------===//
// Settings of the program
//===----------------------------------------------------------------------===//

static Vals numbersOf(const Val &setting) {
  if (!setting.is(ValKind::Tuple))
    return {setting};
  return Vals(elementsOf(setting).begin(), elementsOf(setting).end());
}

void Training::keepInSlots(ParameterGroup &group, llvm::StringRef name,
                           const Val &val) {
  std::string key = name.str();
  if (group.index)
    key += "." + std::to_string(group.index);
  Vals numbers = numbersOf(val);
  for (auto [i, number] : llvm::enumerate(numbers))
    group.slots[name.str()].push_back(
        declareNumber(*group.optimizer,
                      numbers.size() == 1 ? key : key + "_" + std::to_string(i),
                      number, DType::F64));
}

Val Training::readSetting(const ParameterGroup &group, llvm::StringRef name) {
  auto found = group.slots.find(name.str());
  if (found == group.slots.end())
    return group.settings.lookup(name);
  Vals numbers;
  for (const std::string &slot : found->second)
    numbers.push_back(readNumber(slot, DType::F64));
  return numbers.size() == 1 ? numbers[0]
                             : makeSequence(ValKind::Tuple, numbers);
}

bool Training::ensureInitialRate(ParameterGroup &group, SourceRange range) {
  if (group.slots.count("initial_lr"))
    return true;
  if (c.isInsideRunTimeRegion() || c.calls.exporting) {
    c.unsupported(range, "an `initial_lr` that is first asked for in a loop "
                         "(ask for it once before)");
    return false;
  }
  keepInSlots(group, "initial_lr", readSetting(group, "lr"));
  return true;
}

std::vector<llvm::StringRef> Training::settingNames(const Val &base) {
  std::vector<llvm::StringRef> names;
  const OptimizerKind *kind = nullptr;
  if (base.is(ValKind::Optimizer)) {
    kind = base.as<OptimizerInfo>().kind;
    names.push_back("param_groups");
  } else if (auto *optimizer = base.as<ParameterGroup>().optimizer) {
    kind = optimizer->kind;
    names.push_back("initial_lr");
  }
  if (kind)
    for (const Setting &setting : kind->settings)
      names.push_back(setting.name);
  return names;
}

ParameterGroup *Training::onlyGroup(const Val &base, llvm::StringRef name,
                                    SourceRange range) {
  if (base.is(ValKind::ParameterGroup))
    return &base.as<ParameterGroup>();
  auto &groups = base.as<OptimizerInfo>().groups;
  if (groups.size() == 1)
    return groups.front().get();
  c.error(DiagCode::TD202, range,
          "this optimizer has " + std::to_string(groups.size()) +
              " groups, each with its own `" + name + "`")
      .note("write `param_groups[0]." + name + "` for that of the first one");
  return nullptr;
}

std::optional<Val> Training::settingMember(const Val &base,
                                           llvm::StringRef name,
                                           SourceRange range) {
  if (!llvm::is_contained(settingNames(base), name))
    return std::nullopt;
  if (name == "param_groups") {
    Vals groups;
    for (auto &group : base.as<OptimizerInfo>().groups) {
      groups.push_back(makeVal(ValKind::ParameterGroup));
      groups.back().data = group;
    }
    return makeSequence(ValKind::List, std::move(groups));
  }
  ParameterGroup *group = onlyGroup(base, name, range);
  if (!group)
    return c.fail();
  if (name == "initial_lr" && !ensureInitialRate(*group, range))
    return c.fail();
  return readSetting(*group, name);
}

void Training::assignSetting(const Val &base, llvm::StringRef name,
                             const Val &val, SourceRange range) {
  ParameterGroup *group = onlyGroup(base, name, range);
  if (!group)
    return;
  if (name == "initial_lr" && !ensureInitialRate(*group, range))
    return;
  OptimizerInfo &optimizer = *group->optimizer;
  const Setting *setting =
      optimizer.kind->findSetting(name == "initial_lr" ? "lr" : name);
  bool isNumber = setting && (setting->takes == Setting::Number ||
                              setting->takes == Setting::NotNegative ||
                              setting->takes == Setting::Shares);
  if (!isNumber) {
    c.error(DiagCode::TD203, range,
            "`" + name + "` is fixed when the optimizer is made");
    return;
  }
  Val taken = val;
  taken.range = range;
  if (setting->takes == Setting::NotNegative) {
    taken = takeNumber(c, taken, name);
    // The rounding of a schedule may lead a little below 0, as in PyTorch.
    if (taken.known)
      requireNotNegative(taken, name, range);
  } else {
    taken = takeSetting(c, *setting, taken, range);
  }
  if (taken.isError())
    return;
  if (!group->slots.count(name.str())) {
    if (optimizer.hasStepped || c.isInsideRunTimeRegion() ||
        c.calls.exporting) {
      c.unsupported(range, "a `" + name.str() +
                               "` that is first assigned after a `step`, in a "
                               "loop or in an exported function (assign it "
                               "once before)");
      return;
    }
    addMoments(*group, name);
    keepInSlots(*group, name, taken);
    return;
  }
  for (auto [slot, number] :
       llvm::zip_equal(group->slots[name.str()], numbersOf(taken)))
    writeNumber(slot, number, DType::F64);
}
