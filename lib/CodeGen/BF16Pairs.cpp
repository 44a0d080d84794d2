//===- BF16Pairs.cpp - two bf16 numbers in 32 bits ------------------------===//

#include "CodeGen/BF16Pairs.h"
#include "CodeGen/ElementOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tdc {

/// A bf16 number is the upper half of the bits of the f32 with its value.
Value emitBF16Pairs(OpBuilder &b, Location loc, Value first, Value second) {
  Type type = getTypeLike(b.getI32Type(), first);
  auto constant = [&](int64_t value) {
    return makeIntConstant(b, loc, type, value);
  };
  Value low = arith::BitcastOp::create(b, loc, type, first),
        high = arith::BitcastOp::create(b, loc, type, second);
  low = arith::ShRUIOp::create(b, loc, low, constant(16));
  high = arith::AndIOp::create(b, loc, high, constant(~0xffff));
  return arith::OrIOp::create(b, loc, high, low);
}

Value emitBF16PairProduct(OpBuilder &b, Location loc, Value sum, Value x,
                          Value y) {
  int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
  auto type = VectorType::get({2 * lanes}, b.getBF16Type());
  auto numbers = [&](Value pairs) -> Value {
    return vector::BitCastOp::create(b, loc, type, pairs);
  };
  return LLVM::CallIntrinsicOp::create(
             b, loc, sum.getType(),
             b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, numbers(x), numbers(y)})
      .getResult(0);
}

} // namespace tdc
