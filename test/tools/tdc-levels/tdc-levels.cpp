//===- tdc-levels.cpp - programs in many ways, each in a process ----------===//
//
// A server for tests that run thousands of programs. Each line of standard
// input is a job of three words: its level, the program's file, and the folder
// where it runs. The answer to each job is a line, in order: `exit N`,
// `signal N` or `timeout`. The program's output is in the files `output` and
// `errors` of the folder.
//
// A level is a list of words, separated by commas:
//
//   interpret=PHASE  passes run up to that phase (grad to kernels), then the
//                    interpreter runs the module
//   run              machine code runs
//   compile          compiles to machine code, which does not run
//   unoptimized      LLVM runs no passes and generates code at its level 0
//   processor=NAME   machine code is for this processor, not the one here
//   gpu              the machine has one simulated GPU, which runs everything
//   without=PASS     leaves out this pass, if it is in the pipeline
//   PASS:OPTION=WORD sets an option of this pass
//
// The level `format` formats the program in place of compiling it.
//
// Exit codes are those of `tdc run`. It is 70 also if a pass reports an error
// without a TD code.
//
//===----------------------------------------------------------------------===//

#include "Compilation/DeepStack.h"
#include "Dialect/TD/IR/TD.h"
#include "FormattedTwice.h"
#include "Frontend/GenerateModule.h"
#include "Frontend/TDSLFrontEnd.h"
#include "Interpreter/Interpreter.h"
#include "JIT/JIT.h"
#include "Pipelines/Pipelines.h"
#include "Target/HostTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "tdc_exit_codes.h"
#include "tdc_threads.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tdc;

/// Limit of processor time in seconds, compilation included. A busy machine
/// makes no difference to it.
static constexpr unsigned kSecondsAtMost = 20;
/// Limit of wall-clock time in seconds, for programs that deadlock.
static constexpr unsigned kSecondsToWait = 300;

namespace {

struct Level {
  const PhaseInfo *interpreted = nullptr; ///< last phase; null: compiled
  bool runs = true;
  bool isOptimized = true;
  bool onGPU = false;
  bool isFormatted = false;
  llvm::StringRef processor; ///< empty: this machine's
  llvm::StringRef leftOut;   ///< the argument of a pass
  llvm::StringRef changed;   ///< the argument of a pass that gets `option`
  llvm::StringRef option;

  static std::optional<Level> parse(llvm::StringRef words) {
    Level level;
    for (llvm::StringRef word : llvm::split(words, ',')) {
      auto [key, value] = word.split('=');
      if (key == "interpret" && (level.interpreted = findPhase(value)))
        continue;
      if (key == "without")
        level.leftOut = value;
      else if (word == "compile")
        level.runs = false;
      else if (key == "processor")
        level.processor = value;
      else if (word == "unoptimized")
        level.isOptimized = false;
      else if (word == "gpu")
        level.onGPU = true;
      else if (word == "format")
        level.isFormatted = true;
      else if (word.contains(':'))
        std::tie(level.changed, level.option) = word.split(':');
      else if (word != "run")
        return std::nullopt;
    }
    return level;
  }
};

/// One program at one level, in a process of its own.
class Program {
public:
  Program(llvm::StringRef path, const Level &level)
      : path(path), level(level), diags(sources), context(createContext()) {}

  /// Returns the exit code.
  int run() {
    context->getDiagEngine().registerHandler(
        [&](mlir::Diagnostic &diagnostic) { hear(diagnostic); });
    context->registerActionHandler(
        [&](llvm::function_ref<void()> act, const tracing::Action &action) {
          auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action);
          if (!execution || prepare(execution->getPass()))
            act();
        });
    module = generate();
    diags.printText(llvm::errs());
    if (!module)
      return diags.hasErrors() ? ExitProgramError : ExitBug;
    if (level.onGPU)
      (*module)->setAttr(td::kDefaultDeviceAttr,
                         td::getDevice(context.get(), getCuda(0)));
    int exitCode = level.interpreted ? interpret() : execute();
    return isBug ? ExitBug : exitCode;
  }

private:
  OwningOpRef<ModuleOp> generate() {
    llvm::ErrorOr<FileId> file = sources.open(path);
    if (!file)
      return {};
    program->parse(sources, *file, diags);
    CheckOptions options;
    options.argumentsAreFinal = options.headersAreFinal = true;
    options.devicesAreFinal = true;
    options.device = level.onGPU ? "cuda" : "cpu";
    options.countCudaDevices = [&] { return level.onGPU; };
    return generateModule(*context, sources,
                          {llvm::sys::path::stem(path), program->getHelp()},
                          EmbedSource::No, [&](Emitter &emitter) {
                            if (!diags.hasErrors())
                              program->check(options, diags, emitter);
                            return !diags.hasErrors();
                          });
  }

  /// Whether a pass of the pipeline runs at this level.
  bool prepare(const Pass &pass) {
    // The action gives a const pass; casting is safe because our pipeline owns
    // it.
    if (pass.getArgument() == level.changed && !level.changed.empty())
      if (mlir::failed(const_cast<Pass &>(pass).initializeOptions(
              level.option, [](const llvm::Twine &problem) -> LogicalResult {
                llvm::report_fatal_error(problem);
              })))
        return false;
    return level.leftOut.empty() || pass.getArgument() != level.leftOut;
  }

  /// Prints an error of a pass. With a TD code it is an error of the program,
  /// without one a bug.
  void hear(const mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    std::string text = diagnostic.str();
    isRefused = findDiagInfo(llvm::StringRef(text).split(": ").first);
    isBug |= !isRefused;
    llvm::errs() << (isRefused ? "error: " : "bug: ") << text << "\n";
  }

  /// The exit code of a compilation that failed.
  int failed() const { return isRefused ? ExitProgramError : ExitBug; }

  int interpret() {
    if (!runPhases(*module, Phase::TD, level.interpreted->phase, TargetInfo()))
      return failed();
    Interpreter interpreter(*module);
    int32_t status = interpreter.open({path.data()});
    llvm::SmallVector<Datum> none;
    if (!status)
      status = interpreter.call(module->lookupSymbol<func::FuncOp>("main"), {},
                                none);
    if (status == Interpreter::kInvalidProgram)
      return ExitBug;
    if (status)
      llvm::errs() << tdrt_error_text(interpreter.getContext());
    return tdrt_exit_code(status);
  }

  int execute() {
    llvm::Expected<HostTarget> target = HostTarget::create(
        level.processor, level.isOptimized ? HostTarget::kCodeGenLevel
                                           : llvm::CodeGenOptLevel::None);
    if (!target)
      llvm::report_fatal_error(target.takeError());
    llvm::SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects;
    if (!runPhases(*module, Phase::TD, Phase::LLVM, target->getInfo()))
      return failed();
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> code =
        target->translate(*module, llvmContext);
    if (!code)
      return ExitBug;
    if (level.isOptimized)
      target->optimize(*code);
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream os(object);
    target->emit(*code, llvm::CodeGenFileType::ObjectFile, os);
    objects.push_back(std::make_unique<llvm::SmallVectorMemoryBuffer>(
        std::move(object), "program", /*RequiresNullTerminator=*/false));
    auto jit = JIT::create(objects, "tdc_program");
    if (!jit)
      llvm::report_fatal_error(jit.takeError());
    if (!level.runs)
      return 0;
    const char *words[] = {path.data()};
    return tdrt_run_program(
        static_cast<const tdrt_program *>((*jit)->getEntry()), 1, words);
  }

  llvm::StringRef path;
  const Level &level;
  SourceManager sources;
  tdc::DiagnosticEngine diags;
  std::unique_ptr<FrontEnd> program = createTDSLFrontEnd();
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  bool isBug = false, isRefused = false;
};

} // namespace

static void redirect(const std::string &path, int descriptor) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || dup2(file, descriptor) < 0)
    llvm::report_fatal_error(llvm::Twine("cannot write ") + path);
}

/// Formats a program. Returns the exit code: 70 for a bug of the formatter.
static int format(llvm::StringRef path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return ExitRunTime;
  FormattedTwice formatted((*text)->getBuffer());
  if (std::string problem = formatted.findProblem(); !problem.empty()) {
    llvm::errs() << "bug: " << problem << "\n";
    return ExitBug;
  }
  formatted.diags.printText(llvm::errs());
  return formatted.diags.hasErrors() ? ExitProgramError : ExitOk;
}

/// Runs a job, in a process of its own.
[[noreturn]] static void runJob(const Level &level, const std::string &program,
                                const std::string &folder) {
  redirect(folder + "/output", STDOUT_FILENO);
  redirect(folder + "/errors", STDERR_FILENO);
  if (chdir(folder.c_str()))
    _exit(ExitBug);
  if (level.onGPU)
    setenv("TDC_SIM_CUDA", "1", /*overwrite=*/1);
  rlimit processorTime = {kSecondsAtMost, kSecondsAtMost + 1};
  setrlimit(RLIMIT_CPU, &processorTime);
  alarm(kSecondsToWait);
  // More threads than one, and not a power of two.
  tdrt_set_num_threads(3);
  int exitCode = 0;
  runOnDeepStack([&] {
    exitCode =
        level.isFormatted ? format(program) : Program(program, level).run();
  });
  llvm::errs().flush();
  fflush(stdout);
  _exit(exitCode);
}

int main() {
  std::string how, program, folder;
  while (std::cin >> how >> program >> folder) {
    std::optional<Level> level = Level::parse(how);
    if (!level) {
      llvm::errs() << "error: no such level: " << how << "\n";
      return 2;
    }
    pid_t child = fork();
    if (child == 0)
      runJob(*level, program, folder);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status))
      std::cout << "exit " << WEXITSTATUS(status) << std::endl;
    else if (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU)
      std::cout << "timeout" << std::endl;
    else
      std::cout << "signal " << WTERMSIG(status) << std::endl;
  }
  return 0;
}
