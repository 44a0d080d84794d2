//===- Permutation.cpp - random orders on a GPU ---------------------------===//

#include "Permutation.h"
#include "Conversion/KernelBody/RandomNumbers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

LaunchShape emitPermutation(KernelFunction &function, RandomOp random) {
  OpBuilder &b = function.builder;
  Location loc = random.getLoc();
  DeviceBuilder device(b, loc);
  Value out = function.resultPointers.front();
  Value count = function.getSize(random.getResult(), 0);
  Value zero = function.i64(0), one = function.i64(1);
  auto at = [&](Value index) -> Value {
    return LLVM::GEPOp::create(b, loc, out.getType(), b.getI64Type(), out,
                               ValueRange{index});
  };
  auto load = [&](Value from) -> Value {
    return LLVM::LoadOp::create(b, loc, b.getI64Type(), from);
  };

  Value isFirst = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, device.getThread(),
      arith::ConstantIntOp::create(b, loc, 0, 32));
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  auto fill = scf::ForOp::create(b, loc, zero, count, one);
  b.setInsertionPoint(fill.getBody()->getTerminator());
  LLVM::StoreOp::create(b, loc, fill.getInductionVar(),
                        at(fill.getInductionVar()));

  b.setInsertionPointAfter(fill);
  auto swaps = scf::ForOp::create(b, loc, one, count, one);
  b.setInsertionPoint(swaps.getBody()->getTerminator());
  Value last = arith::SubIOp::create(b, loc, count, swaps.getInductionVar());
  Value other = emitBelow(b, loc, function.scalars.lookup(random.getSeed()),
                          function.scalars.lookup(random.getCall()), last,
                          arith::AddIOp::create(b, loc, last, one));
  Value x = load(at(last)), y = load(at(other));
  LLVM::StoreOp::create(b, loc, y, at(last));
  LLVM::StoreOp::create(b, loc, x, at(other));

  LaunchShape shape;
  shape.threads = kWarpSize;
  shape.blocks = 1;
  return shape;
}

} // namespace tdc
