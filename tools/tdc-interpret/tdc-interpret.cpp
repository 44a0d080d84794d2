//===- tdc-interpret.cpp - runs td IR by its reference meaning ------------===//
//
//   tdc-interpret FILE.mlir [-- program arguments]
//   tdc-interpret FILE.mlir --fn NAME [--in x=x.npy]... [--out y=y.npy]...
//   tdc-interpret FILE.mlir --calls CALLS.json --data IN.bin --results OUT.bin
//
// --transfers FILE: writes the copies between devices, and the least that the
// run needs. Runs @main if there is one, and then the function NAME or a list
// of calls (Calls.h). The name of a parameter is its td.name, else arg0, arg1,
// ...; results are written in their order. Exit codes are those of tdc run, and
// 70 if the program has no meaning.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "Run.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

static Options options;
static cl::opt<std::string, true> file(cl::Positional, cl::Required,
                                       cl::desc("<file.mlir>"),
                                       cl::location(options.file));
static cl::opt<std::string, true> function("fn", cl::desc("function to call"),
                                           cl::location(options.function));
static cl::list<std::string> inputs("in", cl::desc("<parameter>=<file.npy>"));
static cl::list<std::string> outputs("out", cl::desc("<name>=<file.npy>"));
static cl::opt<std::string, true> callsFile("calls", cl::desc("list of calls"),
                                            cl::location(options.callsFile));
static cl::opt<std::string, true> dataFile("data",
                                           cl::desc("arguments of the calls"),
                                           cl::location(options.dataFile));
static cl::opt<std::string, true>
    resultsFile("results", cl::desc("results of the calls"),
                cl::location(options.resultsFile));

static cl::opt<std::string, true>
    transfersFile("transfers", cl::desc("where to count copies, as JSON"),
                  cl::location(options.transfersFile));

int main(int argc, char **argv) {
  char **own = std::find(argv, argv + argc, llvm::StringRef("--"));
  if (own != argv + argc)
    options.programArguments.append(own + 1, argv + argc);
  cl::ParseCommandLineOptions(own - argv, argv,
                              "reference interpreter of td IR\n");
  options.inputs.assign(inputs.begin(), inputs.end());
  options.outputs.assign(outputs.begin(), outputs.end());

  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<tdc::td::TDDialect, arith::ArithDialect, func::FuncDialect,
                   math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(options.file, &context);
  return module ? run(*module, options) : 1;
}
