//===- PyTorchNames.h - names of PyTorch that the language lacks ----------===//

#ifndef TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H
#define TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tdc::sema {

/// Whether a name is a function, member or layer that is not built yet.
bool isLater(llvm::StringRef name);
/// What to write until a name is built; empty for most.
llvm::StringRef getUntilBuilt(llvm::StringRef name);
/// Whether a function or layer that is there lacks this parameter of PyTorch.
bool isLaterParameter(llvm::StringRef owner, llvm::StringRef name);

/// The language's name of a function, or of a parameter, that has several names
/// in PyTorch; empty for others.
llvm::StringRef getOwnName(llvm::StringRef name);
llvm::StringRef getOwnParameter(llvm::StringRef name);

/// What to write instead of a function, or of a member (`.t` of a tensor,
/// `model.apply`, `opt.state_dict`), that the language lacks; empty for others.
llvm::StringRef getOtherWay(llvm::StringRef name);
/// What to do instead if that is more than an expression; empty for others.
llvm::StringRef getAdvice(llvm::StringRef name);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H
