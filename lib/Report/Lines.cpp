//===- Lines.cpp - the devices and the arithmetic of each line ------------===//

#include "Dialect/TD/Analysis/Placement/OpCosts.h"
#include "Dialect/TD/IR/Locations.h"
#include "Facts.h"
#include <set>
#include <tuple>

using namespace tdc;

/// The device that an op runs on; nullopt for an op that only passes tensors
/// on.
static std::optional<Place> getDevice(mlir::Operation *op) {
  if (llvm::isa<td::ComputeOp>(op))
    return td::getPlace(
        llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()));
  if (op->hasTrait<td::HostReaderOp>() ||
      llvm::isa<td::LoadOp, td::PrintOp, td::RestoreOp, td::SaveOp>(op))
    return getCpu();
  return std::nullopt;
}

std::vector<LineDevices> tdc::getDevicesOfLines(mlir::ModuleOp module,
                                                llvm::ArrayRef<Place> devices) {
  using Line = std::pair<std::string, unsigned>;
  std::map<Line, std::pair<mlir::FileLineColLoc, std::set<unsigned>>> lines;
  module.walk([&](mlir::Operation *op) {
    std::optional<Place> device = getDevice(op);
    mlir::FileLineColLoc location = td::getUserLocation(op->getLoc());
    if (!device || !location)
      return;
    auto &[first, set] =
        lines[{location.getFilename().str(), location.getLine()}];
    if (!first)
      first = location;
    set.insert(llvm::find(devices, *device) - devices.begin());
  });
  std::vector<LineDevices> result;
  result.reserve(lines.size());
  for (auto &[line, found] : lines)
    result.push_back({found.first, {found.second.begin(), found.second.end()}});
  return result;
}

std::vector<LineArithmetic> tdc::countArithmetic(mlir::ModuleOp placed,
                                                 const td::DryRun &run) {
  std::map<std::pair<std::string, unsigned>, LineArithmetic> lines;
  bool areSizesKnown = true;
  placed.walk([&](td::ComputeOp op) {
    for (mlir::Type type : op->getOperandTypes())
      if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type))
        areSizesKnown &= shaped.hasStaticShape();
    mlir::FileLineColLoc location = td::getUserLocation(op->getLoc());
    if (!location)
      return;
    LineArithmetic &line =
        lines[{location.getFilename().str(), location.getLine()}];
    if (!line.location)
      line.location = location;
    line.operations +=
        td::countOperations(op) * double(run.getRuns(op->getBlock()));
  });
  // A share would depend on sizes that only a run knows.
  if (!areSizesKnown)
    return {};
  std::vector<LineArithmetic> result;
  result.reserve(lines.size());
  for (auto &[line, counted] : lines)
    result.push_back(counted);
  llvm::sort(result, [](const LineArithmetic &a, const LineArithmetic &b) {
    return std::tuple(-a.operations, a.location.getFilename().getValue(),
                      a.location.getLine()) <
           std::tuple(-b.operations, b.location.getFilename().getValue(),
                      b.location.getLine());
  });
  return result;
}
