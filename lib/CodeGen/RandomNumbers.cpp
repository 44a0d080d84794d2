//===- RandomNumbers.cpp - counter-based random numbers in kernels --------===//
//
// Philox4x32-10 (Salmon et al., SC 2011) and the numbers made of its words.
// Each function mirrors one of runtime/src/program/{Philox,RandomCore}.h and
// must round at the same places: no fused multiply-add, no reordering.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/RandomNumbers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "normal_quantile.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class RandomEmitter {
public:
  RandomEmitter(OpBuilder &builder, Location loc)
      : b(builder), loc(loc), i32(b.getI32Type()), i64(b.getI64Type()),
        f64Type(b.getF64Type()) {}

  /// Word `index` of a call, an i32; `isUpper` sets the counter's top bit.
  Value makeWord(Value seed, Value call, Value index, bool isUpper);
  /// An f32 in [0, 1).
  Value makeUniform(Value word);
  /// A standard normal f32.
  Value makeNormal(Value word);
  /// Two words of the call, number `index`, as the halves of an i64.
  Value makePair(Value seed, Value call, Value index);
  /// The same in f64, from an i64 of makePair.
  Value makeUniformF64(Value pair);
  Value makeNormalF64(Value pair);
  /// An i64 in [low, high).
  Value makeBounded(Value seed, Value call, Value index, Value low, Value high);

  Value widen(Value word) { return arith::ExtUIOp::create(b, loc, i64, word); }
  Value f32(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value f64(double value) {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }

private:
  Value word(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, int32_t(value), 32);
  }
  Value wide(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value low(Value pair) { return arith::TruncIOp::create(b, loc, i32, pair); }
  Value high(Value pair) {
    return low(arith::ShRUIOp::create(b, loc, pair, wide(32)));
  }
  Value makeLogarithm(Value x);
  Value makeLogarithmF64(Value x);
  /// The polynomial with these coefficients, the highest power first.
  Value evaluate(ArrayRef<double> coefficients, Value x);
  Value evaluateQuotient(const tdrt::Quotient &quotient, Value x) {
    return div(evaluate(quotient.numerator, x),
               evaluate(quotient.denominator, x));
  }
  Value select(arith::CmpFPredicate predicate, Value x, Value y, Value onTrue,
               Value onFalse) {
    Value holds = arith::CmpFOp::create(b, loc, predicate, x, y);
    return arith::SelectOp::create(b, loc, holds, onTrue, onFalse);
  }

  OpBuilder &b;
  Location loc;
  Type i32, i64, f64Type;
};

} // namespace

Value RandomEmitter::makeWord(Value seed, Value call, Value index,
                              bool isUpper) {
  Value block = arith::ShRUIOp::create(b, loc, index, wide(2));
  if (isUpper)
    block = arith::OrIOp::create(b, loc, block, wide(INT64_MIN));
  Value counter[4] = {low(call), high(call), low(block), high(block)};
  Value key[2] = {low(seed), high(seed)};
  auto exclusive = [&](Value x, Value y, Value z) -> Value {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  };
  for (int round = 0; round < 10; ++round) {
    auto first =
        arith::MulUIExtendedOp::create(b, loc, counter[0], word(0xD2511F53));
    auto second =
        arith::MulUIExtendedOp::create(b, loc, counter[2], word(0xCD9E8D57));
    counter[0] = exclusive(second.getHigh(), counter[1], key[0]);
    counter[1] = second.getLow();
    counter[2] = exclusive(first.getHigh(), counter[3], key[1]);
    counter[3] = first.getLow();
    key[0] = arith::AddIOp::create(b, loc, key[0], word(0x9E3779B9));
    key[1] = arith::AddIOp::create(b, loc, key[1], word(0xBB67AE85));
  }
  Value lane = arith::AndIOp::create(b, loc, low(index), word(3));
  Value result = counter[3];
  for (int i = 2; i >= 0; --i) {
    Value isLane =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, word(i));
    result = arith::SelectOp::create(b, loc, isLane, counter[i], result);
  }
  return result;
}

Value RandomEmitter::makeUniform(Value bits) {
  Value upper = arith::ShRUIOp::create(b, loc, bits, word(8));
  return mul(arith::SIToFPOp::create(b, loc, b.getF32Type(), upper),
             f32(0x1p-24));
}

Value RandomEmitter::evaluate(ArrayRef<double> coefficients, Value x) {
  auto constant = [&](double value) {
    return x.getType() == f64Type ? f64(value) : f32(value);
  };
  Value result = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = add(mul(result, x), constant(coefficient));
  return result;
}

Value RandomEmitter::makeLogarithm(Value value) {
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  // Scales the mantissa to [sqrt(1/2), sqrt(2)).
  Value exponent = arith::ShRSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, bits, word(0x3f3504f3)), word(23));
  bits = arith::SubIOp::create(
      b, loc, bits, arith::ShLIOp::create(b, loc, exponent, word(23)));
  Value mantissa = arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
  Value x = sub(mantissa, f32(1));
  Value square = mul(x, x);
  Value y = evaluate({7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                      -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                      2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f},
                     x);
  y = mul(mul(y, x), square);
  Value e = arith::SIToFPOp::create(b, loc, b.getF32Type(), exponent);
  y = add(y, mul(e, f32(-2.12194440e-4f)));
  y = sub(y, mul(square, f32(0.5)));
  return add(add(x, y), mul(e, f32(0.693359375)));
}

Value RandomEmitter::makeNormal(Value bits) {
  Value magnitude = arith::AndIOp::create(b, loc, bits, word(0x7fffffff));
  Value q = mul(
      add(arith::SIToFPOp::create(b, loc, b.getF32Type(), magnitude), f32(0.5)),
      f32(0x1p-31));
  Value w =
      arith::NegFOp::create(b, loc, makeLogarithm(mul(q, sub(f32(2), q))));
  Value centre = evaluate({0x1.5aa404p-25, 0x1.04f98ep-21, -0x1.4ee930p-18,
                           -0x1.a14836p-18, 0x1.442ae0p-12, -0x1.d0c8b2p-10,
                           -0x1.8332aap-8, 0x1.652c86p-2, 0x1.0fc8bep+1},
                          sub(w, f32(2.5)));
  Value root = math::SqrtOp::create(b, loc, w);
  Value tail = evaluate({-0x1.dbc6d8p-16, -0x1.07e73ap-12, 0x1.11c8b0p-10,
                         -0x1.a17baep-10, 0x1.09477ep-9, -0x1.d36d94p-9,
                         0x1.716836p-8, 0x1.6c7162p+0, 0x1.24c776p+2},
                        sub(root, f32(3.4f)));
  Value z = mul(select(arith::CmpFPredicate::OLT, w, f32(5), centre, tail),
                sub(f32(1), q));
  Value sign = arith::AndIOp::create(b, loc, bits, word(INT32_MIN));
  Value signedBits = arith::OrIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i32, z), sign);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), signedBits);
}

Value RandomEmitter::makePair(Value seed, Value call, Value index) {
  Value upper = makeWord(seed, call, index, /*isUpper=*/false);
  Value lower = makeWord(seed, call, index, /*isUpper=*/true);
  return arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, widen(upper), wide(32)),
      widen(lower));
}

Value RandomEmitter::makeUniformF64(Value pair) {
  Value bits = arith::ShRUIOp::create(b, loc, pair, wide(11));
  return mul(arith::SIToFPOp::create(b, loc, f64Type, bits), f64(0x1p-53));
}

Value RandomEmitter::makeLogarithmF64(Value value) {
  Value bits = arith::BitcastOp::create(b, loc, i64, value);
  Value exponent = arith::ShRSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, bits, wide(tdrt::kRootHalfBits)),
      wide(52));
  bits = arith::SubIOp::create(
      b, loc, bits, arith::ShLIOp::create(b, loc, exponent, wide(52)));
  Value f = sub(arith::BitcastOp::create(b, loc, f64Type, bits), f64(1));
  Value s = div(f, add(f64(2), f));
  Value square = mul(s, s);
  Value rest = mul(square, evaluate(tdrt::kLogarithm, square));
  Value half = mul(mul(f64(0.5), f), f);
  Value e = arith::SIToFPOp::create(b, loc, f64Type, low(exponent));
  Value part = add(mul(s, add(half, rest)), mul(e, f64(tdrt::kLn2Low)));
  return sub(mul(e, f64(tdrt::kLn2High)), sub(sub(half, part), f));
}

Value RandomEmitter::makeNormalF64(Value pair) {
  Value magnitude = arith::AndIOp::create(b, loc, pair, wide(INT64_MAX));
  Value q =
      mul(add(arith::SIToFPOp::create(b, loc, f64Type, magnitude), f64(0.5)),
          f64(0x1p-63));
  Value h = mul(sub(f64(1), q), f64(0.5));
  Value t = math::SqrtOp::create(
      b, loc,
      arith::NegFOp::create(b, loc, makeLogarithmF64(mul(q, f64(0.5)))));
  Value centre = mul(
      h, evaluateQuotient(tdrt::kNormalCentre, sub(f64(0.180625), mul(h, h))));
  Value tail = evaluateQuotient(tdrt::kNormalTail, sub(t, f64(1.6)));
  Value far = evaluateQuotient(tdrt::kNormalFarTail, sub(t, f64(5)));
  Value z = select(arith::CmpFPredicate::OLE, h, f64(0.425), centre,
                   select(arith::CmpFPredicate::OLE, t, f64(5), tail, far));
  Value sign = arith::AndIOp::create(b, loc, pair, wide(INT64_MIN));
  Value signedBits = arith::OrIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i64, z), sign);
  return arith::BitcastOp::create(b, loc, f64Type, signedBits);
}

/// A range beyond 2^32 needs 64 bits. Code for both widths is emitted, since
/// the range is known only when the kernel runs.
Value RandomEmitter::makeBounded(Value seed, Value call, Value index,
                                 Value lowest, Value end) {
  Value range = arith::SubIOp::create(b, loc, end, lowest);
  Value pair = makePair(seed, call, index);
  Value upper = arith::ShRUIOp::create(b, loc, pair, wide(32));
  Value narrow = arith::ShRUIOp::create(
      b, loc, arith::MulIOp::create(b, loc, upper, range), wide(32));
  Value large = arith::MulUIExtendedOp::create(b, loc, pair, range).getHigh();
  Value isNarrow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                         range, wide(int64_t(1) << 32));
  return arith::AddIOp::create(
      b, loc, lowest, arith::SelectOp::create(b, loc, isNarrow, narrow, large));
}

Value emitRandom(OpBuilder &b, RandomOp op, ValueRange operands, Value index) {
  Location loc = op.getLoc();
  RandomEmitter random(b, loc);
  Type element = getElementTypeOrSelf(op.getType());
  Value seed = operands[0], call = operands[1];
  auto makeWord = [&] {
    return random.makeWord(seed, call, index, /*isUpper=*/false);
  };
  auto makePair = [&] { return random.makePair(seed, call, index); };
  switch (op.getDistribution()) {
  case Distribution::Uniform:
    return element.isF32() ? random.makeUniform(makeWord())
                           : random.makeUniformF64(makePair());
  case Distribution::Normal:
    return element.isF32() ? random.makeNormal(makeWord())
                           : random.makeNormalF64(makePair());
  case Distribution::RandInt: {
    Value result =
        random.makeBounded(seed, call, index, operands[2], operands[3]);
    return element.isInteger(64)
               ? result
               : arith::TruncIOp::create(b, loc, element, result);
  }
  case Distribution::Permutation:
    break;
  }
  llvm_unreachable("a permutation is not made element by element");
}

Value emitBelow(OpBuilder &b, Location loc, Value seed, Value call, Value index,
                Value end) {
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 64);
  return RandomEmitter(b, loc).makeBounded(seed, call, index, zero, end);
}

} // namespace tdc
