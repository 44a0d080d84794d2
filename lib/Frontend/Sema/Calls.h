//===- Calls.h - functions of a program and their calls -------------------===//
//
// A function is walked in place at each call, with the values of its arguments.
// Definitions: Calls.cpp, Standalone.cpp (functions that are checked without a
// call) and for functions of the prelude on f16 and bf16 NarrowFloats.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_CALLS_H
#define TDC_LIB_FRONTEND_SEMA_CALLS_H

#include "Builtins.h"
#include "llvm/ADT/DenseSet.h"

namespace tdc::sema {

class Checker;

class Calls {
public:
  explicit Calls(Checker &c) : c(c) {}

  bool exporting = false; ///< inside an exported function

  Val call(const Val &callee, CallArgs &args);
  Val callFunction(const FunctionInfo &fn, CallArgs &args);
  Val callPrelude(llvm::StringRef name, CallArgs args);
  /// Matches arguments to declared parameters and binds them in the scope.
  bool bindParams(llvm::ArrayRef<ast::Param> params, CallArgs &args,
                  llvm::StringRef what);
  void execExport(const ast::FnDecl &fn);

  /// Checks the functions of the file that no code has called.
  void checkUncalled();
  /// Runs a walk that emits nothing, and undoes its changes. Its reports stay,
  /// unless it mutes them (Reporter::mute).
  void walkAside(llvm::function_ref<void()> walk);

private:
  Val callPreludeFunction(const FunctionInfo &fn, CallArgs &args);
  Val callBuiltin(const Builtin &builtin, CallArgs &args);
  Val callBody(const ast::FnDecl &fn);
  bool meet(CallArgs &args);
  bool bindBuiltin(const Builtin &builtin, const CallArgs &args, Bound &bound);
  void reportExtra(const CallArgs &args, llvm::StringRef what,
                   llvm::StringRef kind, size_t most);
  void checkAlone(const FunctionInfo &fn);
  void callWithSymbols(const FunctionInfo &fn);
  std::optional<Val> symbolicArgument(const ast::Param &param);

  Checker &c;
  llvm::DenseSet<const ast::FnDecl *> checkedAlone;
  /// Those that were walked with an argument that was reported.
  llvm::DenseSet<const ast::FnDecl *> walkedDamaged;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_CALLS_H
