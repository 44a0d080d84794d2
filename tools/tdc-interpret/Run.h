//===- Run.h - what tdc-interpret does with a module ----------------------===//

#ifndef TDC_TOOLS_TDC_INTERPRET_RUN_H
#define TDC_TOOLS_TDC_INTERPRET_RUN_H

#include "mlir/IR/BuiltinOps.h"

/// The command line.
struct Options {
  std::string file;
  std::string function;                           ///< to call, "" for none
  llvm::SmallVector<std::string> inputs, outputs; ///< name=file.npy
  std::string callsFile, dataFile, resultsFile;   ///< for a list of calls
  std::string transfersFile;                      ///< "" for none
  llvm::SmallVector<const char *> programArguments;
};

/// Runs @main and then what the options ask for. Returns the exit code, after a
/// message if it is not 0.
int run(mlir::ModuleOp module, const Options &options);

#endif // TDC_TOOLS_TDC_INTERPRET_RUN_H
