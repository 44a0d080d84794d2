//===- Interpreter.h - the reference meaning of td IR ---------------------===//
//
// Runs td IR op by op as the .td files say, slowly and without optimizations:
// every backend is tested against it. It takes modules of every phase in which
// tensors are values: from td-grad up to td.kernel. It refuses td.grad and
// td.backward. Prints, files, arguments, seeds and errors are those of the
// runtime, so a program prints the same as when it is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_INTERPRETER_INTERPRETER_H
#define TDC_INTERPRETER_INTERPRETER_H

#include "Interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tdc_runtime.h"

namespace tdc {

class Machine;

/// One run of a program: its state lives as long as this does.
class Interpreter {
public:
  /// `module` must be verified and must outlive the interpreter.
  explicit Interpreter(mlir::ModuleOp module);
  ~Interpreter();

  /// Reads the command line (`words[0]` is the program) and makes the slots,
  /// all zero. Returns 0 or the runtime's status.
  int32_t open(llvm::ArrayRef<const char *> words);

  /// Runs a function after open(). Returns 0 or a status: the runtime's, or
  /// kInvalidProgram after a diagnostic on the op that has no meaning. After a
  /// failure only the destructor may be called.
  int32_t call(mlir::func::FuncOp function, llvm::ArrayRef<Datum> arguments,
               llvm::SmallVectorImpl<Datum> &results);

  /// The status of a program that td IR gives no meaning: a bug in the pass or
  /// the front end that made it.
  static constexpr int32_t kInvalidProgram = 9000;

  /// Writes as JSON: the copies between devices, the iterations of each loop,
  /// the peak memory of each device, and the copies that the program needs at
  /// least (K0).
  void writeTransfers(llvm::raw_ostream &os) const;

  /// The context of the run, for its error text. To be called after open().
  tdrt_context *getContext() const;

private:
  mlir::ModuleOp module;
  std::unique_ptr<Machine> machine;
};

} // namespace tdc

#endif // TDC_INTERPRETER_INTERPRETER_H
