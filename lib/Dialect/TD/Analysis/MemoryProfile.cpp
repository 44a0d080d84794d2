//===- MemoryProfile.cpp - the memory of all devices, line by line --------===//

#include "Dialect/TD/Analysis/MemoryProfile.h"
#include "Dialect/TD/Analysis/DeviceMemory.h"
#include "Dialect/TD/Analysis/UserNames.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/IR/Locations.h"

using namespace mlir;

namespace tdc::td {

static bool isSameLine(FileLineColLoc a, FileLineColLoc b) {
  return a == b || (a && b && a.getFilename() == b.getFilename() &&
                    a.getLine() == b.getLine());
}

static bool hasTensor(Operation *op) {
  auto isTensor = [](Type type) {
    return isa<RankedTensorType, HandleType>(type);
  };
  return op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

namespace {

/// The slots and the live tensors of a device, put together by name and line.
class Holders {
public:
  void add(const std::string &what, Location location, int64_t bytes) {
    FileLineColLoc place = getUserPlace(location);
    auto known = llvm::find_if(holders, [&](const MemoryHolder &holder) {
      return holder.what == what && isSameLine(holder.place, place);
    });
    if (known == holders.end())
      known = holders.insert(known, {what, place});
    ++known->tensors;
    known->bytes += bytes;
  }

  std::vector<MemoryHolder> take() {
    auto key = [](const MemoryHolder &holder) {
      unsigned line = holder.place ? holder.place.getLine() : 0;
      return std::tuple(-holder.bytes, line, llvm::StringRef(holder.what));
    };
    llvm::sort(holders, [&](const MemoryHolder &a, const MemoryHolder &b) {
      return key(a) < key(b);
    });
    return std::move(holders);
  }

private:
  std::vector<MemoryHolder> holders;
};

/// Adds one device to a profile.
class Walker {
public:
  Walker(ModuleOp module, const Place &device, MemoryProfile &profile)
      : memory(module, device), profile(profile),
        peak{device, memory.getSlotBytes(), module.getLoc(), false, {}} {}

  PeakMemory walk(unsigned device) {
    memory.walk([&](Operation *op) {
      // The numbers of the host need no memory, and their constants stand in
      // front of everything.
      if (!hasTensor(op))
        return WalkResult::advance();
      int64_t bytes = memory.getBytes();
      int64_t &most = getPoint(op).bytes[device];
      most = std::max(most, bytes);
      if (bytes > peak.bytes) {
        peak.bytes = bytes;
        peak.at = op->getLoc();
        live = llvm::to_vector(memory.getLive());
      }
      return WalkResult::advance();
    });
    peak.isEstimate = memory.isEstimate();
    Holders holders;
    for (auto [slot, bytes] : memory.getSlots())
      holders.add(getSlotName(slot.getSymNameAttr()), slot.getLoc(), bytes);
    for (const DeviceMemory::LiveTensor &tensor : live)
      holders.add(getValueName(tensor.value), tensor.value.getLoc(),
                  tensor.bytes);
    peak.holders = holders.take();
    return std::move(peak);
  }

private:
  /// Each device passes the same ops in the same order. An op that is on no
  /// line of the program belongs to the line before it.
  MemoryPoint &getPoint(Operation *op) {
    std::vector<MemoryPoint> &points = profile.points;
    FileLineColLoc place = getUserPlace(op->getLoc());
    if (numPoints == 0 ||
        (place && !isSameLine(points[numPoints - 1].place, place)))
      if (++numPoints > points.size())
        points.push_back({place, {}});
    points[numPoints - 1].bytes.resize(profile.peaks.size() + 1);
    return points[numPoints - 1];
  }

  DeviceMemory memory;
  MemoryProfile &profile;
  PeakMemory peak;
  llvm::SmallVector<DeviceMemory::LiveTensor> live; ///< at the peak
  size_t numPoints = 0;
};

} // namespace

SmallVector<Place> getDevices(ModuleOp module) {
  Devices devices;
  auto addDevice = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (Place place = getPlace(tensor); place != Place())
        devices.getIndex(place);
  };
  module.walk([&](Operation *op) {
    if (auto slot = dyn_cast<SlotOp>(op))
      addDevice(slot.getType());
    llvm::for_each(op->getResultTypes(), addDevice);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), addDevice);
  });
  SmallVector<Place> places;
  for (unsigned i = 0; i != devices.size(); ++i)
    places.push_back(devices.getPlace(i));
  return places;
}

MemoryProfile getMemoryProfile(ModuleOp module) {
  MemoryProfile profile;
  for (const Place &device : getDevices(module))
    profile.peaks.push_back(
        Walker(module, device, profile).walk(profile.peaks.size()));
  return profile;
}

} // namespace tdc::td
