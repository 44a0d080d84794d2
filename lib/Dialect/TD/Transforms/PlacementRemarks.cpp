//===- PlacementRemarks.cpp - remarks on placement decisions --------------===//

#include "PlacementRemarks.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Views.h"
#include "mlir/IR/Remarks.h"
#include <map>

using namespace mlir;

namespace tdc::td {

/// A key for a value and a target. Passes replace values but keep their
/// locations.
static std::string getKey(Value content, const Place &to) {
  std::string key;
  llvm::raw_string_ostream(key) << content.getLoc() << " " << spelling(to);
  return key;
}

static remark::RemarkOpts placed(StringRef name) {
  return remark::RemarkOpts::name(name).category("td-place");
}

TransferRemarks::TransferRemarks(ModuleOp module)
    : isEnabled(module.getContext()->getRemarkEngine()) {
  if (!isEnabled)
    return;
  module.walk([&](ToDeviceOp op) {
    if (!op.getImplied() && op.getInput().getType() != op.getType())
      transfers.push_back({op.getLoc(),
                           getKey(getContent(op), getPlace(op.getType())),
                           getLoopDepth(op)});
  });
}

void TransferRemarks::emit(ModuleOp module) const {
  if (!isEnabled)
    return;
  DryRun run(module);
  std::vector<CopySite> sites = collectTransfers(module, run);
  std::map<std::string, unsigned> depths, left;
  for (const CopySite &site : sites)
    for (Value content : site.contents) {
      std::string key = getKey(content, site.to);
      unsigned depth = getLoopDepth(site.ops.front());
      auto [known, isNew] = depths.try_emplace(key, depth);
      known->second = std::min(known->second, depth);
      ++left[key];
    }
  for (const Before &before : transfers) {
    auto depth = depths.find(before.key);
    if (depth == depths.end())
      remark::passed(before.location, placed("TransferRemoved"))
          << remark::reason("nothing needs it");
    else if (left[before.key] == 0)
      remark::passed(before.location, placed("TransferMerged"))
          << remark::reason("another one brings the same value there");
    else if (depth->second < before.depth)
      remark::passed(before.location, placed("TransferHoisted"))
          << remark::metric("loops", before.depth - depth->second);
    if (unsigned &rest = left[before.key])
      --rest;
  }
  for (const CopySite &site : sites)
    if (site.loop)
      remark::missed(site.ops.front()->getLoc(), placed("TransferInLoop"))
          << remark::reason("{0}", site.getBlockedName())
          << remark::metric("bytes", estimateBytes(site.type));
}

void remarkMovedOp(Operation *op, const Place &from, const Place &to,
                   int64_t bytes) {
  remark::passed(op->getLoc(), remark::RemarkOpts::name("OpMoved").category(
                                   "td-choose-devices"))
      << remark::add("{0} from {1} to {2}", op->getName().getStringRef(),
                     spelling(from), spelling(to))
      << remark::metric("bytes", bytes);
}

} // namespace tdc::td
