//===- Steps.cpp - counts the copies of an iteration of a loop ------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Facts.h"

using namespace tdc;
using td::CopySite;
using td::RunFactor;

/// The innermost loop around a copy, else the export that contains it, else
/// null.
static mlir::Operation *getRepeated(const CopySite &site) {
  if (site.loop)
    return site.loop;
  return site.isOfExport() ? site.factors.front().op : nullptr;
}

/// Whether the copy runs in every iteration of its loop: no branch inside the
/// loop decides about it.
static bool isUnconditional(const CopySite &site) {
  if (site.kind == CopySite::OnDemand || (!site.type && !site.isExact))
    return false;
  for (const RunFactor &factor : llvm::reverse(site.factors)) {
    if (factor.kind == RunFactor::Loop || factor.kind == RunFactor::Calls)
      break;
    if (!factor.isKnown || factor.inner != factor.outer)
      return false;
  }
  return true;
}

/// The copies that one execution of a site makes. A file or a model that is
/// copied as it is written makes several.
static int64_t getCopiesAtATime(const CopySite &site) {
  if (site.type || !site.copies)
    return 1;
  int64_t times = 1;
  for (const RunFactor &factor : site.factors)
    if (factor.kind == RunFactor::Loop && factor.isKnown && factor.outer)
      times *= std::max<int64_t>(factor.inner / factor.outer, 1);
  return std::max<int64_t>(*site.copies / times, 1);
}

std::vector<CopyStep> tdc::getSteps(llvm::ArrayRef<CopySite> sites) {
  std::vector<CopyStep> steps;
  for (const CopySite &site : sites) {
    mlir::Operation *repeated = getRepeated(site);
    auto step = llvm::find_if(
        steps, [&](const CopyStep &other) { return other.op == repeated; });
    if (step == steps.end()) {
      step = steps.emplace(step);
      step->op = repeated;
    }
    step->sites.push_back(&site);
    bool isAlways = isUnconditional(site);
    Total &total = isAlways ? step->always : step->sometimes;
    for (int64_t i = 0, count = getCopiesAtATime(site); i != count; ++i) {
      total.copies.add("", 1);
      total.bytes += getBytesOfOne(site);
    }
    if (!isAlways)
      total.copies.isExact = total.bytes.isExact = false;
  }
  return steps;
}

int64_t tdc::countReplicaBytes(mlir::ModuleOp module) {
  int64_t bytes = 0;
  mlir::SymbolTable symbols(module);
  for (auto slot : module.getOps<td::SlotOp>())
    if (auto name = slot->getAttrOfType<mlir::StringAttr>(td::kReplicaOfAttr))
      if (auto original = symbols.lookup<td::SlotOp>(name);
          original && original.getKind() == td::SlotKind::Param)
        bytes += td::estimateBytes(
            llvm::cast<mlir::RankedTensorType>(slot.getType()));
  return bytes;
}
