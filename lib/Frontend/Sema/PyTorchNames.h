//===- PyTorchNames.h - what PyTorch has and the language has not ---------===//

#ifndef TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H
#define TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tdc::sema {

/// A function, member or layer that is not built yet.
bool isLater(llvm::StringRef name);
/// A parameter that a function or layer, which is there, has in PyTorch and
/// does not take yet.
bool isLaterParameter(llvm::StringRef owner, llvm::StringRef name);

/// What the language calls a function, or a parameter, that has several names
/// in PyTorch; empty for others.
llvm::StringRef getOwnName(llvm::StringRef name);
llvm::StringRef getOwnParameter(llvm::StringRef name);

/// What to write instead of a function, or of a member (`.t` of a tensor,
/// `model.apply`, `opt.state_dict`), that is not there; empty for others.
llvm::StringRef getOtherWay(llvm::StringRef name);
/// What to do instead where that is more than an expression; empty for others.
llvm::StringRef getAdvice(llvm::StringRef name);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_PYTORCHNAMES_H
