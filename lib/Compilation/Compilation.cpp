//===- Compilation.cpp - compiles one program -----------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/Machine.h"
#include "Conversion/KernelToGPU.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Frontend/GenerateModule.h"
#include "Frontend/NullEmitter.h"
#include "Target/HostTarget.h"
#include "Target/Objects.h"
#include "tdc_files.h"
#include "tdc_text.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

namespace tdc {

Compilation::Compilation(const CompileOptions &options, Listener &listener,
                         MakeFrontEnd makeFrontEnd)
    : options(options), listener(listener), makeFrontEnd(makeFrontEnd),
      diags(sources), program(makeFrontEnd()) {}
Compilation::~Compilation() = default;

bool Compilation::fail(ExitCode code) {
  exitCode = code;
  return false;
}

bool Compilation::fail(ExitCode code, const llvm::Twine &problem,
                       const llvm::Twine &hint) {
  listener.failed(code, problem, hint);
  return fail(code);
}

//===----------------------------------------------------------------------===//
// The front end
//===----------------------------------------------------------------------===//

/// Passes the diagnostics to the listener. Returns false if one is an error.
bool Compilation::reportDiagnostics() {
  listener.found(diags);
  return !diags.hasErrors() || fail(ExitProgramError);
}

std::string Compilation::getFirstError() const {
  for (const Diagnostic *found : diags.getSorted()) {
    if (found->severity != Severity::Error)
      continue;
    SourceRange range = found->primary.range;
    std::string where =
        range.isValid()
            ? "line " + std::to_string(sources.getLineColumn(range).line) + ": "
            : "";
    return where + found->title + " (" + getDiagInfo(found->code).name.str() +
           ")";
  }
  return "";
}

/// Whether every name in `--set` is an `arg` of the program. Fails if not.
bool Compilation::checkSet() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const ProgramArgument &argument : program->getArguments())
    names.push_back(argument.name);
  for (const auto &[name, value] : options.set) {
    if (llvm::is_contained(names, name))
      continue;
    return fail(ExitUsage,
                llvm::Twine("`--set ") + name + "=" + value +
                    "`: the program has no `arg " + name + "`",
                suggestNearest(name, names));
  }
  return true;
}

/// Reports an error if the machine has no GPU number `ordinal`.
void Compilation::requireDevice(uint32_t ordinal, const llvm::Twine &title) {
  int64_t count = countDevices(options);
  if (ordinal < count)
    return;
  Diagnostic &report = diags.report(DiagCode::TD506, SourceRange(), title);
  if (count > 0)
    report.note("this machine shows " + countOf(count, "CUDA device"));
  report.note(whyNoDevices(options, ordinal + 1));
}

bool Compilation::parse() {
  if (file == 0) {
    llvm::ErrorOr<FileId> opened = sources.open(options.file);
    if (!opened)
      return fail(ExitRunTime, "cannot read `" + options.file +
                                   "`: " + opened.getError().message());
    file = *opened;
  }
  {
    Step step(&listener, "parse");
    program->parse(sources, file, diags);
  }
  std::optional<Place> device = getChosenDevice(options.device);
  if (device && device->kind == Place::Kind::Cuda)
    requireDevice(device->ordinal, "there is no device " + options.device);
  // Other commands compile for machines that may have more devices.
  if (options.purpose == Purpose::Run && !options.budget.ofOne.empty()) {
    uint32_t last = options.budget.ofOne.rbegin()->first;
    std::string name = spelling(getCuda(last));
    requireDevice(last,
                  "there is no device " + name + " for `--memory-budget`");
  }
  return !diags.hasErrors() && checkSet();
}

/// Parses `--name value` and `--name=value` in the program's arguments. The
/// program checks them when it starts; the compiler only needs those that the
/// construction of models depends on.
static void readArguments(llvm::ArrayRef<std::string> words,
                          llvm::StringMap<std::string> &arguments) {
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (!word.consume_front("--"))
      continue;
    auto [name, value] = word.split('=');
    bool joined = name.size() != word.size();
    bool separate = !joined && i + 1 < words.size() &&
                    !llvm::StringRef(words[i + 1]).starts_with("--");
    arguments[name] = joined     ? value.str()
                      : separate ? words[++i]
                                 : std::string("true");
  }
}

/// The type of a tensor in a file; nullopt if the file cannot be read now.
static std::optional<FileHeader> readHeader(llvm::StringRef path,
                                            llvm::StringRef key) {
  tdrt::FileTensor tensor;
  if (tdrt::inspectTensorFile(path.str().c_str(),
                              key.empty() ? nullptr : key.str().c_str(),
                              tensor) ||
      (tensor.dtype < 0 && !tensor.anyDtype))
    return std::nullopt;
  FileHeader header;
  if (!tensor.anyDtype)
    header.dtype = DType(tensor.dtype);
  header.dims.assign(tensor.dims.begin(), tensor.dims.end());
  return header;
}

CheckOptions Compilation::getCheckOptions() {
  CheckOptions result;
  bool runs = options.purpose == Purpose::Run,
       reports = options.purpose == Purpose::Report;
  result.argumentsAreFinal = runs;
  result.fixedArguments = fixedArguments;
  result.ownOptions = options.ownOptions;
  result.headersAreFinal = runs || reports;
  result.device = options.device;
  result.placement = options.placement;
  result.countCudaDevices = [this] {
    return machine.value_or(countDevices(options));
  };
  result.whyNoDevices = [this](int64_t needed) {
    return whyNoDevices(options, needed);
  };
  // A program that is built for the cpu runs on no other device.
  result.devicesAreFinal =
      runs || options.purpose == Purpose::Emit || machine ||
      (options.purpose == Purpose::Build && options.device == "cpu");
  result.readHeader = [this](llvm::StringRef path, llvm::StringRef key) {
    dataFiles.insert(path.str());
    return readHeader(path, key);
  };
  result.observer = observer;
  result.foundBatchSize = [this](const BatchSize &size) {
    batchSizes.push_back(size);
  };
  // A program that is checked for several machines reports a size for each.
  result.foundSize = [this](const FileSize &size) {
    if (llvm::none_of(fileSizes, [&](const FileSize &known) {
          return known.range == size.range && known.file == size.file;
        }))
      fileSizes.push_back(size);
  };
  for (const auto &[name, value] : options.set)
    result.arguments[name] = value;
  readArguments(options.programArgs, result.arguments);
  if (auto path = llvm::sys::Process::GetEnv("TDC_PATH")) {
    llvm::SmallVector<llvm::StringRef> folders;
    llvm::StringRef(*path).split(folders, ':', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef folder : folders)
      result.importPaths.push_back(folder.str());
  }
  return result;
}

/// Whether a report may be due to an `arg` that is not known: a value that must
/// be known, or a model that is made under a condition.
static bool mayNeedArgument(const Diagnostic &report) {
  return report.code == DiagCode::TD208 || report.code == DiagCode::TD216;
}

/// The number of values that must be known at compile time and are not.
static unsigned countUnknown(const DiagnosticEngine &diags) {
  return llvm::count_if(diags.getSorted(), [](const Diagnostic *report) {
    return mayNeedArgument(*report);
  });
}

/// The same for the program with the arguments that are fixed so far.
unsigned Compilation::countUnknown() {
  CheckOptions checks = getCheckOptions();
  checks.foundSize = [](const FileSize &) {};
  checks.foundBatchSize = [](const BatchSize &) {};
  DiagnosticEngine found(sources);
  NullEmitter nothing;
  program->check(checks, found, nothing);
  return tdc::countUnknown(found);
}

/// Fixes `arg`s at their defaults to make known the values that `found` reports
/// as unknown. Fixes all first, then releases those that make no difference,
/// many at a time: each attempt checks the program. Returns whether any is
/// fixed.
bool Compilation::fixArguments(const DiagnosticEngine &found) {
  unsigned unknown = tdc::countUnknown(found);
  if (unknown == 0)
    return false;
  for (const Diagnostic *report : found.getSorted())
    if (mayNeedArgument(*report) && !neededAt.isValid())
      neededAt = report->primary.range;
  llvm::SmallVector<llvm::StringRef> names;
  for (const ProgramArgument &argument : program->getArguments())
    if (argument.defaultText) {
      names.push_back(argument.name);
      fixedArguments.insert(argument.name);
    }
  for (const auto &[name, value] : options.set)
    fixedArguments.erase(name);
  llvm::erase_if(names, [&](llvm::StringRef name) {
    return !fixedArguments.contains(name);
  });
  // Each release takes a walk: an editor does not wait for that.
  if (observer)
    return !fixedArguments.empty();
  if (!names.empty())
    release(names, countUnknown());
  return !fixedArguments.empty();
}

void Compilation::release(llvm::ArrayRef<llvm::StringRef> names,
                          unsigned least) {
  for (llvm::StringRef name : names)
    fixedArguments.erase(name);
  if (countUnknown() <= least)
    return;
  for (llvm::StringRef name : names)
    fixedArguments.insert(name);
  if (names.size() == 1)
    return;
  release(names.take_front(names.size() / 2), least);
  release(names.drop_front(names.size() / 2), least);
}

void Compilation::tellFixedArguments() {
  std::string words, first;
  for (const ProgramArgument &argument : program->getArguments())
    if (fixedArguments.contains(argument.name)) {
      words += ((words.empty() ? "`--" : ", `--") + argument.name + " " +
                *argument.defaultText + "`")
                   .str();
      if (first.empty())
        first = argument.name.str();
    }
  if (words.empty() || observer)
    return;
  Diagnostic report = {};
  report.code = DiagCode::TD208;
  report.severity = Severity::Warning;
  report.title = "`tdc build` fixes " + words +
                 ", which must be known when the program is compiled: `--set " +
                 first + "=<value>` fixes another value";
  report.primary = {neededAt, "needed here"};
  diags.report(std::move(report));
}

/// Checks the program and passes it to `emitter`. The arguments that the
/// construction of models depends on must be known. `tdc run` knows all
/// arguments. For other commands, walk() fixes these arguments at their
/// defaults and returns false; the caller then walks again. `tdc check` and
/// `tdc report` describe the program for any arguments, so they also report
/// the diagnostics of the first walk.
bool Compilation::walk(Emitter &emitter) {
  CheckOptions checks = getCheckOptions();
  fileSizes.clear();
  Step step(&listener, "check");
  DiagnosticEngine found(sources);
  machines = program->check(checks, found, emitter);
  std::vector<const Diagnostic *> reports = found.getSorted();
  if (options.purpose != Purpose::Run && fixedArguments.empty() &&
      fixArguments(found)) {
    if (options.purpose == Purpose::Check || options.purpose == Purpose::Report)
      for (const Diagnostic *report : reports)
        if (!mayNeedArgument(*report))
          withAnyArguments.push_back(*report);
    return false;
  }
  for (const Diagnostic &report : withAnyArguments)
    diags.report(report);
  for (const Diagnostic *report : reports)
    diags.report(*report);
  diags.takeOverDropped(found);
  tellFixedArguments();
  if (machines.versions.empty() && options.purpose == Purpose::Build)
    machines.versions = {checks.countCudaDevices()};
  return !diags.hasErrors();
}

std::set<std::string> Compilation::getFiles() const {
  std::set<std::string> files = dataFiles;
  for (FileId id = 1; id <= sources.getNumFiles(); ++id)
    if (!sources.getName(id).starts_with("<")) // a text of tdc
      files.insert(sources.getName(id).str());
  return files;
}

const DiagnosticEngine &Compilation::inspect() {
  NullEmitter nothing;
  bool isParsed = parse();
  if (!isParsed && (file == 0 || exitCode == ExitUsage))
    return diags;
  // What could be parsed is checked, too.
  if (!walk(nothing) && isParsed && !fixedArguments.empty() &&
      !diags.hasErrors())
    walk(nothing);
  return diags;
}

bool Compilation::generate() {
  if (parse()) {
    {
      Step step(&listener, "context");
      context = createContext();
    }
    auto makeModule = [&] {
      return generateModule(
          *context, sources,
          {llvm::sys::path::stem(options.file), program->getHelp()},
          options.embedsSource || options.purpose == Purpose::Run
              ? EmbedSource::Yes
              : EmbedSource::No,
          [&](Emitter &emitter) { return walk(emitter); });
    };
    module = makeModule();
    if (!module && !fixedArguments.empty() && !diags.hasErrors())
      module = makeModule();
    if (module)
      setDevices();
  }
  // The compilation for all machines has reported the warnings.
  if (machine && !diags.hasErrors())
    diags.markPrinted();
  return exitCode == ExitOk && reportDiagnostics();
}

/// Sets the attributes by which passes know the device options.
void Compilation::setDevices() {
  std::optional<Place> device = getChosenDevice(options.device);
  if (device && device->kind == Place::Kind::Cuda)
    (*module)->setAttr(td::kDefaultDeviceAttr,
                       td::getDevice(context.get(), *device));
  // A version for GPUs keeps that number even if all its GPU work is folded.
  if (options.purpose == Purpose::Run && machines.gpus)
    (*module)->setAttr(
        td::kGpusAttr,
        mlir::Builder(context.get()).getI64IntegerAttr(*machines.gpus));
  if (options.noTOps)
    (*module)->setAttr(td::kNoTOpsAttr, mlir::UnitAttr::get(context.get()));
  if (options.tf32)
    (*module)->setAttr(kTF32Attr, mlir::UnitAttr::get(context.get()));
  if (options.checkNumerics)
    (*module)->setAttr(td::kCheckNumericsAttr,
                       mlir::UnitAttr::get(context.get()));
  if (options.strictNumerics)
    (*module)->setAttr(kStrictNumericsAttr, mlir::UnitAttr::get(context.get()));
  setMemory();
}

void Compilation::setVersion(int64_t gpus, llvm::StringRef symbol,
                             llvm::StringRef otherwise,
                             llvm::StringRef simLibrary) {
  mlir::Builder builder(context.get());
  (*module)->setAttr(td::kGpusAttr, builder.getI64IntegerAttr(gpus));
  (*module)->setAttr(kSymbolAttr, builder.getStringAttr(symbol));
  if (!otherwise.empty())
    (*module)->setAttr(kOtherwiseAttr, builder.getStringAttr(otherwise));
  (*module)->setAttr(kSimLibraryAttr, builder.getStringAttr(simLibrary));
}

//===----------------------------------------------------------------------===//
// The phases after the front end
//===----------------------------------------------------------------------===//

SourceRange Compilation::getRange(mlir::Location location) const {
  SourceRange range;
  mlir::FileLineColLoc user = td::getUserLocation(location);
  if (!user)
    return range;
  for (FileId id = 1; id <= sources.getNumFiles(); ++id)
    if (sources.getName(id) == user.getFilename().getValue())
      range = sources.getLine(id, user.getLine());
  // Columns count code points; taking them for bytes still points into the
  // line.
  range.begin = std::min(range.begin + user.getColumn() - 1, range.end);
  range.end = std::min(range.begin + 1, range.end);
  return range;
}

/// Reports a diagnostic of a pass. A message that starts with a code ("TD900:
/// …") is for the user: a construct that is not implemented, or an error that
/// only the pass can find. Any other error is a bug in tdc.
void Compilation::reportFromPass(const mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  auto [code, title] = llvm::StringRef(text).split(": ");
  const DiagInfo *info = findDiagInfo(code);
  if (!info && diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
    return;
  if (!info)
    return reportBug(diagnostic.getLocation(), text);
  Diagnostic &report =
      diags.report(info->code, getRange(diagnostic.getLocation()), title);
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    report.note(note.str(), getRange(note.getLocation()));
  if (info->code != DiagCode::TD512)
    return;
  isTooLarge = true;
  if (!isTrial)
    tellLargestBatch(report);
}

void Compilation::reportBug(mlir::Location location, llvm::StringRef text) {
  if (exitCode == ExitBug)
    return;
  SourceRange range = getRange(location);
  std::string hint;
  if (range.isValid())
    hint = ("at " + sources.getName(range.file) + ":" +
            llvm::Twine(sources.getLineColumn(range).line))
               .str();
  fail(ExitBug, "this is a bug in tdc: " + text, hint);
}

const HostTarget *Compilation::getTarget() {
  if (!target) {
    Step step(&listener, "target");
    llvm::Expected<HostTarget> made = HostTarget::create(options.targetCPU);
    if (!made) {
      fail(ExitUsage, llvm::toString(made.takeError()));
      return nullptr;
    }
    target = std::make_unique<HostTarget>(std::move(*made));
  }
  return target.get();
}

bool Compilation::lower(Phase last) {
  if (reached < Phase::Placed && last >= Phase::Placed) {
    if (!getTarget())
      return false;
    fitMemory();
  }
  bool isGuarded = options.guard.mode != TransferGuard::Allow &&
                   reached < Phase::Placed && last >= Phase::Placed;
  if (isGuarded) {
    if (!runTo(Phase::Placed))
      return false;
    guardTransfers();
    if (!reportDiagnostics())
      return false;
  }
  bool isAssembled = (!options.cubins.empty() || options.tellsUsage) &&
                     reached < Phase::PTX && last >= Phase::PTX;
  if (isAssembled && !(runTo(Phase::PTX) && assembleImages()))
    return false;
  return runTo(last);
}

bool Compilation::runTo(Phase last) {
  if (!getTarget())
    return false;
  mlir::ScopedDiagnosticHandler handler(
      context.get(),
      [&](mlir::Diagnostic &diagnostic) { reportFromPass(diagnostic); });
  if (runPhases(*module, reached, last, target->getInfo(), &listener)) {
    reached = last;
    return reportDiagnostics();
  }
  if (exitCode == ExitBug)
    return false;
  if (diags.hasErrors())
    return reportDiagnostics();
  reportBug((*module)->getLoc(), "a pass failed and did not say why");
  return false;
}

bool Compilation::emitCode(Phase kind, bool withMain,
                           llvm::raw_pwrite_stream &os) {
  if (!getTarget())
    return false;
  mlir::ScopedDiagnosticHandler handler(
      context.get(),
      [&](mlir::Diagnostic &diagnostic) { reportFromPass(diagnostic); });
  return generateCode(*module, *target, kind, withMain, os, &listener) ||
         fail(ExitBug);
}

bool Compilation::emitObjects(
    llvm::SmallVectorImpl<std::unique_ptr<llvm::MemoryBuffer>> &objects) {
  if (!getTarget())
    return false;
  // More threads have nothing to do in programs of the usual size.
  unsigned threads = std::min(4u, std::thread::hardware_concurrency());
  mlir::ScopedDiagnosticHandler handler(
      context.get(),
      [&](mlir::Diagnostic &diagnostic) { reportFromPass(diagnostic); });
  return generateObjects(*module, *target, threads, objects, &listener) ||
         fail(ExitBug);
}

} // namespace tdc
