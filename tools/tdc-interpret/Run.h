//===- Run.h - runs a module ----------------------------------------------===//

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

/// Runs @main and then the functions that the options request. Prints a message
/// and returns another exit code than 0 if that fails.
int run(mlir::ModuleOp module, const Options &options);

#endif // TDC_TOOLS_TDC_INTERPRET_RUN_H
