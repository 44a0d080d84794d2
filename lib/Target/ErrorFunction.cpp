//===- ErrorFunction.cpp - erf by polynomials of parts --------------------===//
//
// Kernels write erf as math.erf. A register of 512 bits holds one coefficient
// for each of 16 intervals, from which one instruction picks by lane; so a
// polynomial of degree 5 suffices. Other processors compute the formula of
// CodeGen/ErrorFunction.cpp, which takes two to three times as long.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/MathBuilder.h"
#include "CodeGen/VectorMath.h"
#include "Target/LowerToLLVM.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tdc;

/// Elements of a table, and of the vectors that are computed.
constexpr int64_t kEntries = 16;

/// The distance of the intervals' middles. erf of the first few is close to a
/// number of f32.
constexpr double kStep = 0x1.03bep-2;

/// kCoefficients[k][i] is that of t^k in erf(i kStep + t) for |t| <= kStep / 2:
/// own fits with the first two coefficients rounded, errors of 2^-25 and of the
/// first three intervals 2^-25 of erf. Of the first interval the coefficient of
/// t lacks 1.
constexpr float kCoefficients[][kEntries] = {
    {0, 0x1.1eebdep-2, 0x1.0dc5cp-1, 0x1.6fb0e4p-1, 0x1.b28642p-1,
     0x1.dab008p-1, 0x1.eff016p-1, 0x1.f9d642p-1, 0x1.fde59ap-1, 0x1.ff5ce4p-1,
     0x1.ffd432p-1, 0x1.fff594p-1, 0x1.fffdcep-1, 0x1.ffff98p-1, 0x1.ffffeep-1,
     0x1.fffffep-1},
    {0x1.06eba8p-3, 0x1.0edd58p+0, 0x1.bea2e2p-1, 0x1.43c5ccp-1, 0x1.9cbc08p-2,
     0x1.ce9c66p-3, 0x1.c7e7f8p-4, 0x1.8b0c32p-5, 0x1.2cfafp-6, 0x1.933f3p-8,
     0x1.db06fcp-10, 0x1.ec048ep-12, 0x1.c01514p-14, 0x1.66cc42p-16,
     0x1.f93a44p-19, 0x1.38c28p-21},
    {0, -0x1.12d1d2p-2, -0x1.c528f8p-2, -0x1.ecc106p-2, -0x1.a2c61cp-2,
     -0x1.255d6ap-2, -0x1.5aececp-3, -0x1.5eba66p-4, -0x1.316852p-5,
     -0x1.cc5cbp-7, -0x1.2d9accp-8, -0x1.5594dp-10, -0x1.4e7e68p-12,
     -0x1.334208p-14, -0x1.da5aa6p-18, -0x1.88526ep-18},
    {-0x1.81264p-2, -0x1.3ab31p-2, -0x1.210416p-3, 0x1.10fcfep-5, 0x1.235bbep-3,
     0x1.55deb4p-3, 0x1.1404bep-3, 0x1.5d5188p-4, 0x1.6af7f2p-5, 0x1.3ca868p-6,
     0x1.d5cb74p-8, 0x1.2aae3p-9, 0x1.473c36p-11, 0x1.36142ap-13, 0x1.fda93p-16,
     0x1.593a64p-18},
    {0, 0x1.052f26p-3, 0x1.7530b8p-3, 0x1.2d3a74p-3, 0x1.085b12p-4,
     -0x1.3d1df6p-7, -0x1.777e2p-5, -0x1.807b8p-5, -0x1.092158p-5,
     -0x1.1ba248p-6, -0x1.dfddc6p-8, -0x1.9324bcp-9, -0x1.2fd41ap-10,
     -0x1.71be76p-14, -0x1.7ccf22p-12, 0x1.6791fcp-13},
    {0x1.cb88a4p-4, 0x1.478218p-4, 0x1.85b17ap-8, -0x1.bc692p-5, -0x1.17f9b4p-4,
     -0x1.6e08p-5, -0x1.9b04acp-7, 0x1.fbecdap-8, 0x1.aaab9p-7, 0x1.498dd2p-7,
     0x1.6af91cp-8, 0x1.3a2714p-9, 0x1.bcb15cp-11, 0x1.06d8c8p-12,
     0x1.06afc8p-14, 0x1.416b46p-15},
};

/// Of each lane the table's element whose number is in the index's low bits.
static Value pick(OpBuilder &b, Location loc, ArrayRef<float> table,
                  Value index) {
  auto type = VectorType::get(kEntries, b.getF32Type());
  Value entries =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, table));
  return LLVM::CallIntrinsicOp::create(
             b, loc, type, b.getStringAttr("llvm.x86.avx512.permvar.sf.512"),
             ValueRange{entries, index})
      .getResult(0);
}

/// erf of kEntries numbers.
static Value emitByTable(OpBuilder &b, Location loc, Value x) {
  MathBuilder m(b, loc, x);
  // From there on erf must be 1 exactly, not the next smaller number: gelu
  // multiplies the difference by any large x.
  Value size = m.min(m.abs(x), 0x1.f72b02p+1);
  // The sum's unit in the last place is 1, so the interval is in its low bits.
  Value magic = m.constant(0x1.8p23);
  Value shifted = m.fma(size, m.constant(1 / kStep), magic);
  Value interval = m.sub(shifted, magic);
  Value t = m.fma(interval, m.constant(-kStep), size);
  Value index = m.toBits(shifted);
  Value y = pick(b, loc, kCoefficients[5], index);
  for (unsigned k = 5; k-- > 1;)
    y = m.fma(y, t, pick(b, loc, kCoefficients[k], index));
  Value isFirst = m.compare(arith::CmpFPredicate::OEQ, interval, m.constant(0));
  Value start = m.select(isFirst, t, pick(b, loc, kCoefficients[0], index));
  return m.copySign(m.fma(y, t, start), x);
}

/// Lanes `from` to `to` of two vectors in a row, and on from their start.
static Value takeLanes(OpBuilder &b, Location loc, Value x, Value y,
                       int64_t from, int64_t to) {
  int64_t all = 2 * cast<VectorType>(x.getType()).getNumElements();
  SmallVector<int64_t> lanes;
  for (int64_t lane = from; lane < to; ++lane)
    lanes.push_back(lane % all);
  return vector::ShuffleOp::create(b, loc, x, y, lanes);
}

/// erf of a number or a vector, by vectors of kEntries.
static Value emitInParts(OpBuilder &b, Location loc, Value x) {
  auto vector = dyn_cast<VectorType>(x.getType());
  if (!vector) {
    Value wide = vector::BroadcastOp::create(
        b, loc, VectorType::get(kEntries, b.getF32Type()), x);
    return vector::ExtractOp::create(b, loc, emitByTable(b, loc, wide), 0);
  }
  int64_t length = vector.getNumElements(), half = length / 2;
  if (length > kEntries)
    return takeLanes(
        b, loc, emitInParts(b, loc, takeLanes(b, loc, x, x, 0, half)),
        emitInParts(b, loc, takeLanes(b, loc, x, x, half, length)), 0, length);
  Value y = emitByTable(b, loc, takeLanes(b, loc, x, x, 0, kEntries));
  return takeLanes(b, loc, y, y, 0, length);
}

void tdc::lowerErrorFunction(ModuleOp module, const TargetInfo &processor) {
  module.walk([&](math::ErfOp op) {
    OpBuilder b(op);
    Value x = op.getOperand();
    bool isByTable = processor.vectorBits == 512 &&
                     getElementTypeOrSelf(x.getType()).isF32();
    op.replaceAllUsesWith(isByTable ? emitInParts(b, op.getLoc(), x)
                                    : emitErf(b, op.getLoc(), x));
    op.erase();
  });
}
