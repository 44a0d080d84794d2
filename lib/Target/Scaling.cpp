//===- Scaling.cpp - x times a power of two -------------------------------===//
//
// Kernels write x * 2^n with integral n as arith.mulf of math.exp2, which they
// use for nothing else (MathBuilder::scale). AVX-512 has an instruction for it.
//
//===----------------------------------------------------------------------===//

#include "Target/LowerToLLVM.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;

/// Scales by vscalefps or vscalefpd.
static Value scaleByProcessor(OpBuilder &b, Location loc, Value x, Value n) {
  auto type = cast<VectorType>(x.getType());
  bool isF32 = type.getElementType().isF32();
  Value ofMasked = LLVM::PoisonOp::create(b, loc, type);
  Value mask = LLVM::ConstantOp::create(
      b, loc, b.getIntegerType(unsigned(type.getNumElements())),
      b.getIntegerAttr(b.getIntegerType(unsigned(type.getNumElements())), -1));
  Value roundsAsSet =
      LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(4));
  return LLVM::CallIntrinsicOp::create(
             b, loc, type,
             b.getStringAttr(isF32 ? "llvm.x86.avx512.mask.scalef.ps.512"
                                   : "llvm.x86.avx512.mask.scalef.pd.512"),
             ValueRange{x, n, ofMasked, mask, roundsAsSet})
      .getResult(0);
}

/// Scales in two steps, so that neither factor overflows and results below the
/// normal range round once.
static Value scaleTwice(OpBuilder &b, Location loc, Value x, Value n) {
  Type type = x.getType(), element = getElementTypeOrSelf(type);
  bool isF32 = element.isF32();
  int mantissaBits = isF32 ? 23 : 52, bias = isF32 ? 127 : 1023;
  auto like = [&](Type scalar) -> Type {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(scalar)) : scalar;
  };
  auto constant = [&](TypedAttr scalar) -> Value {
    Type wanted = like(scalar.getType());
    if (auto shaped = dyn_cast<ShapedType>(wanted))
      scalar = DenseElementsAttr::get(shaped, Attribute(scalar));
    return arith::ConstantOp::create(b, loc, scalar);
  };
  Type bits = b.getIntegerType(isF32 ? 32 : 64);
  // The sum's unit in the last place is 1, so n plus twice the bias is in its
  // low bits.
  double magic = std::ldexp(1.5, mantissaBits) + 2 * bias;
  Value sum = arith::AddFOp::create(b, loc, n,
                                    constant(b.getFloatAttr(element, magic)));
  Value exponents = arith::BitcastOp::create(b, loc, like(bits), sum);
  Value half = arith::ShRUIOp::create(b, loc, exponents,
                                      constant(b.getIntegerAttr(bits, 1)));
  Value rest = arith::SubIOp::create(b, loc, exponents, half);
  for (Value part : {half, rest}) {
    Value power = arith::ShLIOp::create(
        b, loc, part, constant(b.getIntegerAttr(bits, mantissaBits)));
    x = arith::MulFOp::create(b, loc, x,
                              arith::BitcastOp::create(b, loc, type, power));
  }
  return x;
}

void tdc::lowerScaling(ModuleOp module, const TargetInfo &processor) {
  SmallVector<math::Exp2Op> powers;
  module.walk([&](math::Exp2Op power) { powers.push_back(power); });
  for (math::Exp2Op power : powers) {
    Value n = power.getOperand();
    auto vector = dyn_cast<VectorType>(n.getType());
    bool isByProcessor =
        processor.scalesByPowers && vector &&
        vector.getNumElements() * vector.getElementTypeBitWidth() == 512;
    for (Operation *user : llvm::make_early_inc_range(power->getUsers())) {
      auto product = cast<arith::MulFOp>(user);
      OpBuilder b(product);
      Value x = product.getLhs();
      Value scaled = isByProcessor ? scaleByProcessor(b, product.getLoc(), x, n)
                                   : scaleTwice(b, product.getLoc(), x, n);
      product.replaceAllUsesWith(scaled);
      product.erase();
    }
    power.erase();
  }
}
