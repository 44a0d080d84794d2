//===- tdc-call.cpp - compiles td IR and makes a list of calls ------------===//
//
//   tdc-call FILE.mlir --calls CALLS.json --data IN.bin --results OUT.bin
//            [--target-cpu CPU] [--gpu] [--seed N]...
//   tdc-call FILE.mlir --main
//
// Makes the calls that `tdc-interpret --calls` (its Calls.h) makes, but of
// machine code, compiled by the phases of `tdc run`. With --main it runs the
// top-level statements of a placed program, as `tdc-interpret FILE.mlir` does.
// With seeds it makes all calls once per seed, with TDC_SIM_SEED set to it; the
// results of seed N go to OUT.bin.N.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "JIT/JIT.h"
#include "Pipelines/Pipelines.h"
#include "Target/HostTarget.h"
#include "Target/Objects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "tdc-interpret/Calls.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
namespace cl = llvm::cl;

static cl::opt<std::string> file(cl::Positional, cl::desc("<file.mlir>"),
                                 cl::Required);
static cl::opt<std::string> callsFile("calls", cl::desc("list of calls"));
static cl::opt<std::string> dataFile("data",
                                     cl::desc("arguments of the calls"));
static cl::opt<std::string> resultsFile("results",
                                        cl::desc("results of the calls"));
static cl::opt<bool> runsMain("main", cl::desc("run a placed program"));

static cl::opt<bool>
    onGPU("gpu", cl::desc("everything runs on the first CUDA device"));
static cl::list<std::string> seeds("seed",
                                   cl::desc("of a simulated GPU's schedule"));
static cl::opt<std::string> cpu("target-cpu",
                                cl::desc("this processor's code"));

/// The module as machine code in this process; null after a message.
static std::unique_ptr<tdc::JIT> compile(MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(file.getValue(), &context);
  llvm::Expected<tdc::HostTarget> target = tdc::HostTarget::create(cpu);
  if (!target)
    llvm::report_fatal_error(target.takeError());
  if (module && onGPU)
    (*module)->setAttr(tdc::td::kDefaultDeviceAttr,
                       tdc::td::getDevice(&context, tdc::getCuda(0)));
  // One thread: the op tests use every core already.
  llvm::SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  if (!module ||
      !tdc::runPhases(*module, runsMain ? tdc::Phase::Placed : tdc::Phase::TD,
                      tdc::Phase::LLVM, target->getInfo()) ||
      !tdc::generateObjects(*module, *target, /*threads=*/1, objects))
    return nullptr;
  auto jit = tdc::JIT::create(objects, "tdc_program");
  if (jit)
    return std::move(*jit);
  llvm::errs() << llvm::toString(jit.takeError()) << "\n";
  return nullptr;
}

/// Makes the list of calls; returns the exit code.
static int makeCalls(const tdrt_program &program, llvm::StringRef resultsFile) {
  llvm::StringMap<int32_t> exports;
  for (int32_t i = 0; i < program.num_exports; ++i)
    exports[program.exports[i].name] = i;
  tdrt_context *runtime;
  const char *words[] = {"tdc-call"};
  if (int32_t status = tdrt_open(&program, 1, words, &runtime)) {
    llvm::errs() << tdrt_error_text(runtime);
    return tdrt_exit_code(status);
  }
  auto call = [&](llvm::StringRef name, llvm::ArrayRef<tdrt_tensor> arguments,
                  llvm::SmallVectorImpl<tdrt_tensor> &results) -> int32_t {
    auto found = exports.find(name);
    int32_t index = found == exports.end() ? -1 : found->second;
    if (index >= 0)
      results.resize(program.exports[index].num_outputs);
    return tdrt_call(runtime, index, arguments.data(), results.data());
  };
  bool done = tdc::runCalls(callsFile, dataFile, resultsFile, call);
  tdrt_close(runtime);
  return done ? 0 : 2;
}

/// The same in a process of its own, because the simulated driver reads its
/// seed only once.
static int makeCallsApart(const tdrt_program &program,
                          const std::string &seed) {
  pid_t child = fork();
  if (child == 0) {
    setenv("TDC_SIM_SEED", seed.c_str(), 1);
    exit(makeCalls(program, resultsFile + "." + seed));
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "calls compiled td IR\n");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<tdc::td::TDDialect, arith::ArithDialect, func::FuncDialect,
                   math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  std::unique_ptr<tdc::JIT> jit = compile(context);
  if (!jit)
    return 1;
  auto *program = static_cast<const tdrt_program *>(jit->getEntry());
  const char *words[] = {"tdc-call"};
  if (runsMain)
    return tdrt_run_program(program, 1, words);
  if (seeds.empty())
    return makeCalls(*program, resultsFile);
  for (const std::string &seed : seeds)
    if (int exitCode = makeCallsApart(*program, seed))
      return exitCode;
  return 0;
}
