//===- NarrowFloats.cpp - conversions of f16 and bf16 in integers ---------===//
//
// For conversions that the processor does not have, LLVM would call functions
// of the C compiler, element by element, and a built program links none of
// them. All conversions here follow IEEE 754, to nearest even, whether or not
// f32 denormals count as zero; f16 denormals are normal numbers of f32.
//
//===----------------------------------------------------------------------===//

#include "Target/LowerToLLVM.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

/// Arithmetic on f32 and on its bits, for scalars and vectors alike.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type like) : b(b), loc(loc), like(like) {}

  Type shaped(Type element) {
    if (auto vector = dyn_cast<VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Value integer(int64_t value, Type element) {
    Type type = shaped(element);
    auto attribute = IntegerAttr::get(
        element, APInt(64, value).trunc(element.getIntOrFloatBitWidth()));
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(vector, Attribute(attribute)));
    return arith::ConstantOp::create(b, loc, attribute);
  }
  Value i32(int64_t value) { return integer(value, b.getI32Type()); }
  Value f32(float value) { return toF32(i32(llvm::bit_cast<int32_t>(value))); }

  Value toBits(Value x) {
    return arith::BitcastOp::create(b, loc, shaped(b.getI32Type()), x);
  }
  Value toF32(Value bits) {
    return arith::BitcastOp::create(b, loc, shaped(b.getF32Type()), bits);
  }
  /// Zero-extends the 16 bits of a narrow float to 32; toNarrow truncates
  /// again.
  Value fromNarrow(Value x) {
    x = arith::BitcastOp::create(b, loc, shaped(b.getI16Type()), x);
    return arith::ExtUIOp::create(b, loc, shaped(b.getI32Type()), x);
  }
  Value toNarrow(Value bits, Type type) {
    bits = arith::TruncIOp::create(b, loc, shaped(b.getI16Type()), bits);
    return arith::BitcastOp::create(b, loc, type, bits);
  }
  Value fromUnits(Value count, float unit) {
    count = arith::SIToFPOp::create(b, loc, shaped(b.getF32Type()), count);
    return toBits(arith::MulFOp::create(b, loc, count, f32(unit)));
  }
  Value addF32(Value x, float y) {
    return toBits(arith::AddFOp::create(b, loc, toF32(x), f32(y)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value left(Value x, int64_t bits) {
    return arith::ShLIOp::create(b, loc, x, i32(bits));
  }
  Value right(Value x, int64_t bits) {
    return arith::ShRUIOp::create(b, loc, x, i32(bits));
  }
  Value isBelow(Value x, int64_t limit) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x,
                                 i32(limit));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// Drops the last bits, rounding to nearest, ties to even.
  Value dropRounded(Value x, int64_t bits) {
    Value even = both(right(x, bits), i32(1));
    return right(add(add(x, i32((1 << (bits - 1)) - 1)), even), bits);
  }

private:
  OpBuilder &b;
  Location loc;
  Type like;
};

constexpr int64_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;

/// bf16 is the upper half of an f32.
Value extendBF16(Bits &m, Value x) {
  return m.toF32(m.left(m.fromNarrow(x), 16));
}

Value truncateToBF16(Bits &m, Value x, Type type) {
  Value bits = m.toBits(x);
  // A NaN must not become infinity when its lower half is dropped.
  Value isNumber = m.isBelow(m.both(bits, m.i32(kMagnitude)), kInfinity + 1);
  Value quiet = m.either(m.right(bits, 16), m.i32(0x40));
  return m.toNarrow(m.select(isNumber, m.dropRounded(bits, 16), quiet), type);
}

/// f32 has 13 more bits in the significand and 112 more in the bias.
constexpr int64_t kBits = 13, kBias = 112;

Value extendF16(Bits &m, Value x) {
  Value bits = m.fromNarrow(x);
  Value sign = m.left(m.both(bits, m.i32(0x8000)), 16);
  Value magnitude = m.both(bits, m.i32(0x7fff));
  Value shifted = m.left(magnitude, kBits);
  Value normal = m.add(shifted, m.i32(kBias << 23));
  // Infinity and NaN have all bits of the exponent.
  Value special = m.add(shifted, m.i32(2 * kBias << 23));
  Value tiny = m.fromUnits(magnitude, 0x1p-24f); // below the normal range
  Value result = m.select(m.isBelow(magnitude, 0x7c00), normal, special);
  result = m.select(m.isBelow(magnitude, 0x0400), tiny, result);
  return m.toF32(m.either(result, sign));
}

Value truncateToF16(Bits &m, Value x, Type type) {
  Value bits = m.toBits(x);
  Value sign = m.both(m.right(bits, 16), m.i32(0x8000));
  Value magnitude = m.both(bits, m.i32(kMagnitude));
  Value normal = m.dropRounded(m.sub(magnitude, m.i32(kBias << 23)), kBits);
  // For results below the normal range: the unit in the last place of the sum
  // is 2^-24, so its low bits are the significand of the f16.
  Value tiny = m.sub(m.addF32(magnitude, 0.5f), m.toBits(m.f32(0.5f)));
  Value isNumber = m.isBelow(magnitude, kInfinity + 1);
  Value special = m.select(isNumber, m.i32(0x7c00), m.i32(0x7e00));
  // Numbers from 2^16 on, and those that round to 2^16, become infinity.
  Value result =
      m.select(m.isBelow(magnitude, (kBias + 31) << 23), normal, special);
  result = m.select(m.isBelow(magnitude, (kBias + 1) << 23), tiny, result);
  return m.toNarrow(m.either(result, sign), type);
}

/// LLVM moves a rounding across the ops before it, such as copysign, and can
/// end with a rounding from f64, which the processor does not have. The fence
/// prevents this.
Value truncateByProcessor(OpBuilder &b, Operation *op, Value x) {
  Value fenced = LLVM::CallIntrinsicOp::create(
                     b, op->getLoc(), x.getType(),
                     b.getStringAttr("llvm.arithmetic.fence"), ValueRange{x})
                     .getResult(0);
  return LLVM::FPTruncOp::create(b, op->getLoc(), op->getResult(0).getType(),
                                 fenced);
}

struct ExtendLowering : OpRewritePattern<arith::ExtFOp> {
  ExtendLowering(MLIRContext *context, const tdc::TargetInfo &processor)
      : OpRewritePattern(context, /*benefit=*/2), processor(processor) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x.getType());
    Bits m(rewriter, op.getLoc(), op.getType());
    if (from.isBF16())
      rewriter.replaceOp(op, extendBF16(m, x));
    else if (from.isF16() && !processor.convertsF16)
      rewriter.replaceOp(op, extendF16(m, x));
    else
      return rewriter.notifyMatchFailure(op, "the processor converts these");
    return success();
  }

  tdc::TargetInfo processor;
};

struct TruncateLowering : OpRewritePattern<arith::TruncFOp> {
  TruncateLowering(MLIRContext *context, const tdc::TargetInfo &processor)
      : OpRewritePattern(context, /*benefit=*/2), processor(processor) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type type = op.getType(), to = getElementTypeOrSelf(type);
    Bits m(rewriter, op.getLoc(), type);
    if (!to.isBF16() && !to.isF16())
      return rewriter.notifyMatchFailure(op, "no narrow float");
    if (to.isBF16() ? processor.convertsBF16 : processor.convertsF16)
      rewriter.replaceOp(op, truncateByProcessor(rewriter, op, x));
    else
      rewriter.replaceOp(op, to.isBF16() ? truncateToBF16(m, x, type)
                                         : truncateToF16(m, x, type));
    return success();
  }

  tdc::TargetInfo processor;
};

} // namespace

void tdc::populateNarrowFloatPatterns(RewritePatternSet &patterns,
                                      const TargetInfo &processor) {
  patterns.add<ExtendLowering, TruncateLowering>(patterns.getContext(),
                                                 processor);
}
