//===- ErrorFunction.cpp - erf --------------------------------------------===//
//
// Near zero x + x p(x²); for larger |x|, 1 - exp(t q(t)) with t = |x|, where t
// q(t) = log(erfc(t)). Both are evaluated and one is selected. The scheme is
// that in N. Juffa's erff; the coefficients are our own Remez fits in 60
// digits, rounded afterwards.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/VectorMath.h"
#include "ExpLog.h"

using namespace mlir;

namespace tdc {

Value emitErf(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  double split = m.isF32 ? 0.9 : 1.0;
  Value square = m.mul(x, x);
  // Relative errors 2^-26.1 and 2^-56.0.
  Value near =
      m.isF32 ? m.polynomial(square,
                             {0x1.06eba6p-3, -0x1.8126f2p-2, 0x1.ce1d0cp-4,
                              -0x1.b6b676p-6, 0x1.484e90p-8, -0x1.3ec270p-11})
              : m.polynomial(square,
                             {0x1.06eba8214db68p-3, -0x1.812746b0379a9p-2,
                              0x1.ce2f21a040748p-4, -0x1.b82ce311f8df5p-6,
                              0x1.565bccfaeb221p-8, -0x1.c02db0b4e3d1dp-11,
                              0x1.f9a2c91133747p-14, -0x1.f4cb4c7280b43p-17,
                              0x1.b98a81ebcb2b0p-20, -0x1.5c4bdf471b55fp-23,
                              0x1.d90438c830010p-27, -0x1.b1788f1643fdfp-31});
  near = m.fma(near, x, x);

  // From the upper bound of t on, erf must be 1 exactly, not the next smaller
  // number: gelu multiplies the difference by any large x.
  Value t = m.clamp(m.abs(x), split, m.isF32 ? 4.0 : 5.93);
  // Absolute errors of erf 2^-28.3 and 2^-55.3.
  Value logarithm =
      m.isF32
          ? m.polynomial(t, {-0x1.20e6aep+0, -0x1.457a6ap-1, -0x1.af4100p-4,
                             0x1.774a38p-6, -0x1.a60b08p-9, 0x1.c2076ep-13})
          : m.polynomial(t, {-0x1.20dd7412a0288p+0, -0x1.45f316fa6634ep-1,
                             -0x1.a4f305d86384ap-4, 0x1.3957eab0df412p-6,
                             0x1.bcabe85d8377fp-13, -0x1.bbb4efe79d227p-10,
                             0x1.2d493e88ee5fep-11, 0x1.05f51ac30bc83p-20,
                             -0x1.9080c621e7855p-14, 0x1.d616e96f7604bp-15,
                             -0x1.55717f43ba2c8p-16, 0x1.696750a1e31d2p-18,
                             -0x1.216a0cc7413f5p-20, 0x1.5e19d1f585a5cp-23,
                             -0x1.377e61486f453p-26, 0x1.818205ccbf7b3p-30,
                             -0x1.28a5cc2f7f3d4p-34, 0x1.ab8808a35761cp-40});
  Value far = m.sub(m.constant(1), emitExpInRange(m, m.mul(logarithm, t)));
  far = m.copySign(far, x);
  Value isFar =
      m.compare(arith::CmpFPredicate::OGT, m.abs(x), m.constant(split));
  return m.select(isFar, far, near);
}

} // namespace tdc
