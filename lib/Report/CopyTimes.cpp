//===- CopyTimes.cpp - which copies are pipelined -------------------------===//

#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Facts.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tdc;

static constexpr llvm::StringLiteral kNumberAttr = "tdc.copy";

void tdc::numberCopies(mlir::ModuleOp placed) {
  mlir::Builder builder(placed.getContext());
  int64_t number = 0;
  placed.walk([&](mlir::Operation *op) {
    if (llvm::isa<td::ToDeviceOp, td::ReplicaGetOp>(op))
      op->setAttr(kNumberAttr, builder.getI64IntegerAttr(number++));
  });
}

int64_t tdc::getNumber(mlir::Operation *copy) {
  auto number = copy->getAttrOfType<mlir::IntegerAttr>(kNumberAttr);
  return number ? number.getInt() : -1;
}

static CopyTime getTime(mlir::Operation *op) {
  CopyTime time;
  if (auto copy = llvm::dyn_cast<td::CopyStartOp>(op))
    time.when = !copy.getIteration() ? CopyTime::Overlapped
                : copy.isUpload()    ? CopyTime::Ahead
                                     : CopyTime::Late;
  if (auto why = op->getAttrOfType<mlir::StringAttr>(td::kNotPipelinedAttr))
    time.why = why.getValue();
  if (auto by = op->getAttrOfType<mlir::LocationAttr>(td::kNotPipelinedByAttr))
    time.by = td::getUserLocation(by);
  return time;
}

std::map<int64_t, CopyTime> tdc::getCopyTimes(mlir::ModuleOp scheduled) {
  std::map<int64_t, CopyTime> times;
  scheduled.walk([&](mlir::Operation *op) {
    if (int64_t number = getNumber(op); number >= 0)
      times[number] = getTime(op);
  });
  return times;
}
