//===- DataParallel.cpp - td-data-parallel: replicas that stay equal ------===//
//
// The checker has emitted the model once for each GPU, with copies of its
// parameters, and td-grad has added the gradients of these copies up on the
// first GPU. This pass lets each GPU keep its replica: it sums gradients on all
// of them and repeats the optimizer's step there.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "Dialect/TD/Transforms/Passes.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDDATAPARALLELPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {

bool addGPUs(SmallVectorImpl<Place> &list, ArrayRef<Place> gpus) {
  size_t before = list.size();
  for (const Place &gpu : gpus)
    if (!llvm::is_contained(list, gpu))
      list.push_back(gpu);
  llvm::sort(list, [](const Place &a, const Place &b) {
    return a.ordinal < b.ordinal;
  });
  return list.size() != before;
}

ReplicaGPUs findReplicas(ModuleOp module) {
  ReplicaGPUs replicas;
  module.walk([&](ToDeviceOp copy) {
    auto read = copy.getInput().getDefiningOp<ReadOp>();
    if (read && copy.getRole() == CopyRole::Replica)
      addGPUs(replicas[read.getSlotAttr().getAttr()], getPlace(copy.getType()));
  });
  return replicas;
}

bool hasRole(Operation *op, CopyRole role) {
  auto copy = dyn_cast_or_null<ToDeviceOp>(op);
  return copy && copy.getRole() == role;
}

Value copyTo(OpBuilder &builder, Location loc, Value tensor, const Place &place,
             CopyRole role) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (getPlace(type) == place)
    return tensor;
  auto copy = ToDeviceOp::create(builder, loc, withPlace(type, place), tensor,
                                 /*implied=*/true);
  copy.setRole(role);
  return copy;
}

namespace {
struct DataParallelPass
    : public impl::TDDataParallelPassBase<DataParallelPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kAsWrittenAttr)) {
      module->walk([](SumPartsOp op) {
        op.replaceAllUsesWith(op.getInput());
        op.erase();
      });
      return;
    }
    llvm::SetVector<Block *> withGradients;
    bool isParallel = false;
    module->walk([&](ToDeviceOp copy) {
      isParallel |= copy.getRole().has_value();
      if (copy.getRole() == CopyRole::Gradient)
        withGradients.insert(copy->getBlock());
    });
    if (!isParallel)
      return;
    copyRowsDirectly(module);
    ReplicaGPUs replicas = findReplicas(module);
    Twins twins;
    for (Block *block : withGradients) {
      alternate(*block);
      sumGradients(*block, replicas, twins);
    }
    replicateState(module, replicas, twins);
  }
};
} // namespace
} // namespace tdc::td
