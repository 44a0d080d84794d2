//===- MultiplyAdd.cpp - x * y + z in one step ----------------------------===//
//
// Kernels write math.fma, which rounds once. For a processor without such an
// instruction LLVM would call a function for each element of a vector.
//
// Terms of a sum, which are marked as `contract`, are multiplied, rounded and
// added. Functions of f32 such as exp need the exact product of two numbers,
// which f64 holds; the sum is rounded to f64 and then to f32. fma of f64 stays
// a call.
//
//===----------------------------------------------------------------------===//

#include "Target/LowerToLLVM.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

static Value multiplyThenAdd(OpBuilder &b, Location loc, Value x, Value y,
                             Value z) {
  Value product = arith::MulFOp::create(b, loc, x, y);
  return arith::AddFOp::create(b, loc, product, z);
}

void tdc::lowerMultiplyAdd(ModuleOp module, const TargetInfo &processor) {
  if (processor.multipliesAndAdds)
    return;
  module.walk([](math::FmaOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Type type = op.getType();
    bool isTerm =
        bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract);
    Value result;
    if (isTerm) {
      result = multiplyThenAdd(b, loc, op.getA(), op.getB(), op.getC());
    } else if (getElementTypeOrSelf(type).isF32()) {
      Type wide = b.getF64Type();
      if (auto vector = dyn_cast<VectorType>(type))
        wide = vector.clone(wide);
      auto widen = [&](Value value) -> Value {
        return arith::ExtFOp::create(b, loc, wide, value);
      };
      result = multiplyThenAdd(b, loc, widen(op.getA()), widen(op.getB()),
                               widen(op.getC()));
      result = arith::TruncFOp::create(b, loc, type, result);
    } else {
      return;
    }
    op.replaceAllUsesWith(result);
    op.erase();
  });
}
