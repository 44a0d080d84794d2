//===- Remainder.h - the exact remainder of floats on a GPU ---------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_REMAINDER_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_REMAINDER_H

#include "mlir/IR/BuiltinOps.h"

namespace tdc {

/// Replaces every arith.remf of `code`, on scalar f32 and f64, by a call of a
/// function that is added to `code`. LLVM's expansion for a GPU, x - trunc(x /
/// y) * y, is wrong if the quotient has more digits than the type.
void expandRemainders(mlir::ModuleOp code);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_REMAINDER_H
