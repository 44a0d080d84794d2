//===- Programs.cpp - tdc_compile_*, tdc_run ------------------------------===//

#include "CAPI/Wrap.h"
#include "Frontend/Diagnostics.h"
#include "Handles.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace tdc;

/// Copies the fields that the caller's struct has, which may be an older and
/// shorter version; the other fields are zero.
static tdc_options readOptions(const tdc_options *given) {
  tdc_options options = {};
  if (given)
    memcpy(&options, given, std::min(given->size, sizeof(options)));
  return options;
}

namespace {

/// Collects the errors of a compilation in a tdc_error, and calls the callbacks
/// of the options.
class Collector : public Listener {
public:
  explicit Collector(const tdc_options &options)
      : options(options), errors(std::make_unique<tdc_error>()) {}

  void found(DiagnosticEngine &diags) override {
    for (const Diagnostic *diagnostic : diags.takeNew())
      take(convert(diags.getSources(), *diagnostic));
    if (std::string more = diags.takeDropped();
        !more.empty() && diags.hasErrors())
      failed(ExitProgramError, more, {});
  }

  void failed(ExitCode code, const llvm::Twine &problem,
              const llvm::Twine &hint) override {
    OwnedDiagnostic diagnostic;
    diagnostic.message = problem.str();
    diagnostic.text = "error: " + diagnostic.message + "\n";
    if (std::string text = hint.str(); !text.empty())
      diagnostic.text += "  " + text + "\n";
    diagnostic.json = makeJSON(diagnostic);
    take(std::move(diagnostic));
  }

  void told(llvm::StringRef) override {}

  void begins(llvm::StringRef) override {}
  void beginsPass(llvm::StringRef) override {}
  void done(llvm::StringRef step) override {
    if (options.done)
      options.done(options.user, step.str().c_str());
  }

  /// Moves the collected errors to `*error`, unless `error` is null. Returns
  /// the status.
  tdc_status giveTo(tdc_error **error, ExitCode code) {
    errors->status = static_cast<tdc_status>(code);
    if (error)
      *error = errors.release();
    return static_cast<tdc_status>(code);
  }

private:
  OwnedDiagnostic convert(const SourceManager &sources,
                          const Diagnostic &diagnostic) const {
    OwnedDiagnostic result;
    result.severity =
        diagnostic.severity == Severity::Error ? TDC_ERROR : TDC_WARNING;
    result.code = getDiagInfo(diagnostic.code).name.str();
    result.message = diagnostic.title;
    if (SourceRange range = diagnostic.primary.range; range.isValid()) {
      result.file = sources.getName(range.file).str();
      LineColumn begin = sources.getLineColumn(range);
      LineColumn end = sources.getLineColumn(range.finish());
      result.line = begin.line;
      result.column = begin.column;
      result.endLine = end.line;
      result.endColumn = end.column;
    }
    llvm::raw_string_ostream text(result.text), json(result.json);
    printText(text, sources, diagnostic, /*colour=*/false);
    text << '\n';
    printJSON(json, sources, diagnostic);
    return result;
  }

  void take(OwnedDiagnostic diagnostic) {
    if (options.report) {
      tdc_diagnostic view = diagnostic.getView();
      options.report(options.user, &view);
    }
    if (diagnostic.severity == TDC_ERROR)
      errors->add(std::move(diagnostic));
  }

  const tdc_options &options;
  std::unique_ptr<tdc_error> errors;
};

} // namespace

static std::optional<UsageError> readTexts(const tdc_options &options,
                                           CompileOptions &settings) {
  std::optional<UsageError> usage;
  if (options.device)
    usage = setDevice(settings, options.device);
  if (!usage && options.placement)
    usage = setPlacement(settings, options.placement);
  if (!usage && options.transfer_guard)
    usage = setTransferGuard(settings, options.transfer_guard);
  if (!usage && options.memory_budget)
    usage = setMemoryBudget(settings, options.memory_budget);
  return usage;
}

/// Compiles `text`, or the file `name` if `text` is null.
static tdc_status compile(const char *name, const llvm::StringRef *text,
                          const tdc_options *given, tdc_program **program,
                          tdc_error **error) {
  *program = nullptr;
  tdc_options options = readOptions(given);
  Collector collector(options);
  CompileOptions settings;
  settings.purpose = Purpose::Run;
  settings.file = name;
  settings.noTOps = options.no_t_ops;
  settings.tf32 = options.tf32;
  settings.checkNumerics = options.check_numerics;
  settings.strictNumerics = options.strict_numerics;
  settings.programArgs.assign(options.arguments,
                              options.arguments + options.num_arguments);
  if (auto usage = readTexts(options, settings)) {
    collector.failed(ExitUsage, usage->problem, usage->hint);
    return collector.giveTo(error, ExitUsage);
  }
  ExitCode code;
  std::unique_ptr<Program> made =
      Program::compile(settings, text, collector, code);
  if (!made)
    return collector.giveTo(error, code);
  *program = wrap(std::move(made));
  return TDC_OK;
}

tdc_program *tdc::wrap(std::unique_ptr<Program> program) {
  return new tdc_program{std::make_shared<Interface>(std::move(program))};
}

const char *tdc_version(void) { return TDC_VERSION; }

tdc_status tdc_compile_file(const char *path, const tdc_options *options,
                            tdc_program **program, tdc_error **error) {
  return compile(path, nullptr, options, program, error);
}

tdc_status tdc_compile_text(const char *text, size_t length, const char *name,
                            const tdc_options *options, tdc_program **program,
                            tdc_error **error) {
  llvm::StringRef content(text, length);
  return compile(name, &content, options, program, error);
}

void tdc_program_free(tdc_program *program) { delete program; }

int tdc_run(const tdc_program *program) {
  // Signal handlers belong to the process, so only one program may set them.
  static std::mutex one;
  std::lock_guard guard(one);
  const Program &code = *program->interface->code;
  return tdrt_run_exports(&code.get(), int(code.getArgv().size()),
                          code.getArgv().data(), tdrt_load);
}
