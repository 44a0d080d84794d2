//===- Report.cpp - collects the facts of a report ------------------------===//

#include "Report/Report.h"
#include "Facts.h"
#include "Pipelines/Pipelines.h"
#include "Words.h"

using namespace tdc;
using td::CopySite;

static constexpr const char *kBug = "this is a bug in tdc";

//===----------------------------------------------------------------------===//
// Facts of the module in each phase
//===----------------------------------------------------------------------===//

void Report::add(Phase phase, mlir::ModuleOp module) {
  if (phase == Phase::Resolved)
    resolved = module.clone();
  else if (phase == Phase::Placed)
    addPlaced(module);
  else if (phase == Phase::Scheduled)
    addScheduled(module);
  else if (phase == Phase::NVVM)
    addLowered(module);
}

void Report::addPlaced(mlir::ModuleOp module) {
  numberCopies(module);
  copy = module.clone();
  this->module = *copy;
  td::DryRun run(*copy);
  if (chooseDevices(*resolved))
    compareWithBound(*resolved, run);
  resolved = nullptr;
  sites = td::collectTransfers(*copy, run);
  Totals totals = sumTotals(sites);
  placed = totals.program;
  exports = totals.exports;
  steps = getSteps(sites);
  replicaBytes = countReplicaBytes(*copy);
  devices = td::getDevices(*copy);
  lines = getDevicesOfLines(*copy, devices);
  if (devices.size() == 1 && devices.front() == getCpu())
    arithmetic = countArithmetic(*copy, run);
}

void Report::addScheduled(mlir::ModuleOp scheduled) {
  times = getCopyTimes(scheduled);
  waits = findWaits(*this);
  if (std::optional<Lanes> estimated = estimateLanes(scheduled))
    lanes.push_back(*estimated);
}

void Report::addLowered(mlir::ModuleOp lowered) {
  if (!lanes.empty())
    findKernels(lowered, lanes.front());
  memory = planMemory(lowered, devices);
}

void Report::refuseWritten(llvm::StringRef error) {
  refusal = error.empty() ? kBug : error;
}

llvm::Error Report::addTrace(llvm::StringRef path) {
  if (lanes.empty()) {
    notMeasured = "no loop runs GPU kernels in every iteration";
    return llvm::Error::success();
  }
  const Lanes &estimated = lanes.front();
  auto measured = readLanes(path, estimated);
  if (!measured)
    return measured.takeError();
  if (*measured)
    lanes.push_back(**measured);
  else
    notMeasured =
        ("`" + path + "` shows fewer than three iterations of the loop of " +
         Words(*this).spell(estimated.file, estimated.line))
            .str();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

/// Computes the bound for the ops on their chosen devices, and the copies that
/// the placed program makes.
void Report::compareWithBound(mlir::ModuleOp chosen, const td::DryRun &run) {
  td::DryRun bound(chosen);
  isBoundExact = bound.isExact() && run.isExact();
  if (bound.isComplete() && run.isComplete()) {
    compare(bound, run);
    return;
  }
  constexpr int64_t fewIterations = 4;
  trialIterations = fewIterations;
  compare(td::DryRun(chosen, fewIterations), td::DryRun(module, fewIterations));
}

void Report::compare(const td::DryRun &bound, const td::DryRun &placed) {
  // The phase that places copies removes ops that only compute the values of
  // slots that are not read again, so either program may have the lower bound.
  auto lower = [](td::CopyCount one, td::CopyCount other) {
    return td::CopyCount{std::min(one.copies, other.copies),
                         std::min(one.bytes, other.bytes)};
  };
  least = lower(bound.getLeast(), placed.getLeast());
  leastOfExports = lower(bound.getLeastOfExports(), placed.getLeastOfExports());
  made = placed.getMade();
  madeByExports = placed.getMadeByExports();
  constructed = placed.getConstructed();
  isBoundKnown = bound.isComplete() && placed.isComplete();
}

td::CopyCount Report::getGap() const {
  td::CopyCount gap = made;
  gap += madeByExports;
  gap.copies -= least.copies + leastOfExports.copies;
  gap.bytes -= least.bytes + leastOfExports.bytes;
  return gap;
}

GapCause Report::getCauseOfGap() const {
  mlir::ModuleOp placed = module;
  if (placed->hasAttr(td::kAsWrittenAttr))
    return {"--placement=off leaves copies where they are written",
            "leave out --placement=off"};
  if (getGap() == constructed)
    return {"only a run decides which devices need the result of zeros(), "
            "arange() or another constructor, so it is copied there",
            "make the result of zeros(), arange() or another constructor in "
            "the branch that needs it"};
  if (placed->hasAttr(td::kWorkingSetAttr))
    return {"tensors that do not fit are moved off their device and back",
            "use smaller batches, so that all tensors fit"};
  return {kBug, kBug};
}

std::optional<CopyTime> Report::getTime(const CopySite &site) const {
  if (!site.loop || site.kind == CopySite::OnDemand)
    return site.loop ? std::optional(CopyTime()) : std::nullopt;
  auto known = times.find(getNumber(site.ops.front()));
  return known != times.end() ? std::optional(known->second) : std::nullopt;
}
