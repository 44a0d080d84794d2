//===- SquareRoot.cpp - square roots by multiplications -------------------===//
//
// Square roots and divisions share one unit, which takes about ten cycles for a
// vector of 512 bits and each of them. An optimizer's step needs both. A square
// root made of multiplications uses other units, so that the division and the
// square root execute in parallel.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/MathBuilder.h"
#include "CodeGen/VectorMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cfloat>

using namespace mlir;

namespace tdc {

/// The processor's own square root is as fast for shorter vectors.
static bool isLongVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() &&
         vector.getNumElements() == 16;
}

/// 1 / sqrt(x) with a relative error below 2^-14. A vector of 512 bits implies
/// AVX-512, which has this instruction.
static Value estimateInverseRoot(OpBuilder &b, Location loc, Value x) {
  Value all = arith::ConstantIntOp::create(b, loc, -1, /*width=*/16);
  return LLVM::CallIntrinsicOp::create(
             b, loc, x.getType(),
             b.getStringAttr("llvm.x86.avx512.rsqrt14.ps.512"),
             ValueRange{x, x, all})
      .getResult(0);
}

/// The square root of numbers from 0 to the largest finite one, correctly
/// rounded for x >= 2^-101. For smaller x it may differ in the last bit from
/// the processor's own square root, which emitSqrt uses for a vector with any
/// negative, infinite or NaN element.
static Value emitRootOfPositive(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  // Bounded, because 0 has no inverse.
  Value estimate = estimateInverseRoot(b, loc, m.max(x, FLT_MIN));
  Value half = m.constant(0.5);
  // Computes sqrt(x) and 1 / (2 sqrt(x)) together by a step of Goldschmidt's,
  // then corrects the root once more by the error of its square (P. Markstein,
  // "Software Division and Square Root Using Goldschmidt's Algorithms", 2004).
  Value root = m.mul(x, estimate), inverse = m.mul(half, estimate);
  Value error = m.fma(m.neg(root), inverse, half);
  root = m.fma(root, error, root);
  inverse = m.fma(inverse, error, inverse);
  return m.fma(m.fma(m.neg(root), root, x), inverse, root);
}

Value emitSqrt(OpBuilder &builder, Location loc, Value x) {
  if (!isLongVector(x.getType()))
    return math::SqrtOp::create(builder, loc, x);
  MathBuilder m(builder, loc, x);
  Value bits = m.toBits(x);
  // As unsigned numbers, infinity, NaN and all negative numbers are larger.
  Value isOrdinary =
      m.icompare(arith::CmpIPredicate::ult, bits, m.integer(0x7f800000));
  Value all = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::AND, isOrdinary);
  auto branch = scf::IfOp::create(
      builder, loc, all,
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, emitRootOfPositive(inner, loc, x));
      },
      [&](OpBuilder &inner, Location) {
        Value root = math::SqrtOp::create(inner, loc, x);
        scf::YieldOp::create(inner, loc, root);
      });
  return branch.getResult(0);
}

} // namespace tdc
