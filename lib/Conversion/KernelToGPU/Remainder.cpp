//===- Remainder.cpp - the exact remainder of floats on a GPU -------------===//
//
// Long division in base 2 on the significands, with one subtraction per bit of
// the quotient, so that nothing is ever rounded. Both numbers are taken as 1.f
// * 2^e with the leading one in place; subnormal numbers are shifted there.
//
//===----------------------------------------------------------------------===//

#include "Remainder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tdc {

namespace {

class RemainderBuilder {
public:
  RemainderBuilder(OpBuilder &builder, Location loc, FloatType type)
      : b(builder), loc(loc), type(type),
        bits(b.getIntegerType(type.getWidth())),
        mantissaBits(type.getFPMantissaWidth() - 1),
        exponentBits(type.getWidth() - 1 - mantissaBits) {}

  /// Returns x modulo y, with the sign of x; NaN if y is 0, x is infinite, or
  /// one of them is NaN.
  Value build(Value x, Value y);

private:
  /// significand * 2^(exponent - bias - mantissaBits), with the leading one at
  /// bit mantissaBits unless it is 0.
  struct Split {
    Value significand, exponent;
  };
  Split split(Value magnitude);
  Value join(Split number);
  Split divide(Split x, Split y);

  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, value));
  }
  Value one() { return integer(int64_t(1) << mantissaBits); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// The distance by which the leading one must be shifted left to its place.
  Value countMissing(Value significand) {
    Value zeros = math::CountLeadingZerosOp::create(b, loc, significand);
    return sub(zeros, integer(exponentBits));
  }

  OpBuilder &b;
  Location loc;
  FloatType type;
  Type bits;
  int64_t mantissaBits, exponentBits;
};

} // namespace

RemainderBuilder::Split RemainderBuilder::split(Value magnitude) {
  Value exponent =
      arith::ShRUIOp::create(b, loc, magnitude, integer(mantissaBits));
  Value fraction =
      arith::AndIOp::create(b, loc, magnitude, sub(one(), integer(1)));
  Value isSubnormal = compare(arith::CmpIPredicate::eq, exponent, integer(0));
  Value shift = countMissing(fraction);
  // build excludes zeros; for normal numbers the shifted value is not used.
  Value shifted = arith::ShLIOp::create(b, loc, fraction, shift);
  return {select(isSubnormal, shifted,
                 arith::OrIOp::create(b, loc, fraction, one())),
          select(isSubnormal, sub(integer(1), shift), exponent)};
}

Value RemainderBuilder::join(Split number) {
  Value shift = countMissing(number.significand);
  Value significand = arith::ShLIOp::create(b, loc, number.significand, shift);
  Value exponent = sub(number.exponent, shift);
  Value isNormal = compare(arith::CmpIPredicate::sgt, exponent, integer(0));
  Value normal =
      add(sub(significand, one()),
          arith::ShLIOp::create(b, loc, exponent, integer(mantissaBits)));
  Value subnormal =
      arith::ShRUIOp::create(b, loc, significand, sub(integer(1), exponent));
  Value isZero =
      compare(arith::CmpIPredicate::eq, number.significand, integer(0));
  return select(isZero, integer(0), select(isNormal, normal, subnormal));
}

RemainderBuilder::Split RemainderBuilder::divide(Split x, Split y) {
  auto subtract = [&](Value significand) {
    Value less = sub(significand, y.significand);
    Value fits = compare(arith::CmpIPredicate::sge, less, integer(0));
    return select(fits, less, significand);
  };
  auto loop = scf::ForOp::create(b, loc, y.exponent, x.exponent, integer(1),
                                 ValueRange{x.significand});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value rest = subtract(loop.getRegionIterArg(0));
  scf::YieldOp::create(b, loc, ValueRange{add(rest, rest)});
  b.setInsertionPointAfter(loop);
  return {subtract(loop.getResult(0)), y.exponent};
}

Value RemainderBuilder::build(Value x, Value y) {
  Value sign =
      arith::AndIOp::create(b, loc, arith::BitcastOp::create(b, loc, bits, x),
                            integer(int64_t(1) << (type.getWidth() - 1)));
  auto magnitudeOf = [&](Value number) -> Value {
    return arith::BitcastOp::create(b, loc, bits,
                                    math::AbsFOp::create(b, loc, number));
  };
  Value magnitude = magnitudeOf(x), divisor = magnitudeOf(y);
  Value infinity = integer(((int64_t(1) << exponentBits) - 1) << mantissaBits);
  auto both = [&](Value p, Value q) -> Value {
    return arith::AndIOp::create(b, loc, p, q);
  };
  Value isDefined =
      both(compare(arith::CmpIPredicate::slt, magnitude, infinity),
           both(compare(arith::CmpIPredicate::sle, divisor, infinity),
                compare(arith::CmpIPredicate::ne, divisor, integer(0))));
  Value isLess = compare(arith::CmpIPredicate::slt, magnitude, divisor);
  Value divides =
      both(isDefined, compare(arith::CmpIPredicate::sge, magnitude, divisor));
  auto branch = scf::IfOp::create(b, loc, TypeRange{bits}, divides,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc,
                         join(divide(split(magnitude), split(divisor))));
    b.setInsertionPointToStart(branch.elseBlock());
    Value quietNaN = arith::OrIOp::create(
        b, loc, infinity, integer(int64_t(1) << (mantissaBits - 1)));
    scf::YieldOp::create(b, loc,
                         select(both(isDefined, isLess), magnitude, quietNaN));
  }
  b.setInsertionPointAfter(branch);
  return arith::BitcastOp::create(
      b, loc, type, arith::OrIOp::create(b, loc, branch.getResult(0), sign));
}

static LLVM::LLVMFuncOp getFunction(ModuleOp code, FloatType type) {
  std::string name = "remainder_f" + std::to_string(type.getWidth());
  if (auto known = code.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  Location loc = code.getLoc();
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(type, {type, type}),
      LLVM::Linkage::Internal);
  function.setAlwaysInline(true);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Value result = RemainderBuilder(b, loc, type)
                     .build(entry->getArgument(0), entry->getArgument(1));
  LLVM::ReturnOp::create(b, loc, result);
  return function;
}

void expandRemainders(ModuleOp code) {
  SmallVector<arith::RemFOp> remainders;
  code.walk([&](arith::RemFOp op) { remainders.push_back(op); });
  for (arith::RemFOp op : remainders) {
    OpBuilder b(op);
    auto function = getFunction(code, cast<FloatType>(op.getType()));
    auto call =
        LLVM::CallOp::create(b, op.getLoc(), function, op->getOperands());
    op.getResult().replaceAllUsesWith(call.getResult());
    op.erase();
  }
}

} // namespace tdc
