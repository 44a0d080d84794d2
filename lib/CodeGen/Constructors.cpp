//===- Constructors.cpp - constructor ops in kernels ----------------------===//

#include "CodeGen/Constructors.h"
#include "CodeGen/ElementOps.h"
#include "CodeGen/RandomNumbers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static Value emitIota(OpBuilder &b, IotaOp iota, Value start, Value step,
                      Value number) {
  Location loc = iota.getLoc();
  Type scalar = iota.getStart().getType();
  Value result;
  if (isa<FloatType>(scalar)) {
    Value count =
        arith::SIToFPOp::create(b, loc, getTypeLike(scalar, number), number);
    result = arith::AddFOp::create(b, loc, start,
                                   arith::MulFOp::create(b, loc, count, step));
  } else {
    result = arith::AddIOp::create(b, loc, start,
                                   arith::MulIOp::create(b, loc, number, step));
  }
  return emitCast(b, loc, result, scalar, iota.getType().getElementType());
}

Value emitConstructor(OpBuilder &builder, Operation *op, ValueRange operands,
                      Value number) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](FillOp fill) {
        return emitCast(builder, op->getLoc(), operands[0],
                        fill.getValue().getType(),
                        fill.getType().getElementType());
      })
      .Case([&](IotaOp iota) {
        return emitIota(builder, iota, operands[0], operands[1], number);
      })
      .Case([&](RandomOp random) {
        return emitRandom(builder, random, operands, number);
      });
}

} // namespace tdc
