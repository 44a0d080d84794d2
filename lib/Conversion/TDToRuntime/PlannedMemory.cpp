//===- PlannedMemory.cpp - the plan of all functions, line by line --------===//

#include "Conversion/PlannedMemory.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/Locations.h"
#include "Residents.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tdc {

static bool isSameLine(FileLineColLoc a, FileLineColLoc b) {
  return a == b || (a && b && a.getFilename() == b.getFilename() &&
                    a.getLine() == b.getLine());
}

/// Whether an op needs memory. Host scalars need none, and their constants are
/// at the beginning of the function, before all lines of the program.
static bool hasTensor(Operation *op) {
  auto isTensor = [](Type type) {
    return isa<RankedTensorType, td::HandleType>(type);
  };
  return op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

static bool covers(ArrayRef<LiveRange> ranges, unsigned position) {
  return llvm::any_of(ranges, [&](LiveRange range) {
    return range.first <= position && position <= range.last;
  });
}

namespace {

/// Tensors, grouped by name and line.
class Holders {
public:
  void add(const std::string &what, FileLineColLoc location, int64_t bytes) {
    auto known = llvm::find_if(holders, [&](const MemoryHolder &holder) {
      return holder.what == what && isSameLine(holder.location, location);
    });
    if (known == holders.end())
      known = holders.insert(known, {what, location});
    ++known->tensors;
    known->bytes += bytes;
    all += bytes;
  }

  void add(const Holders &others) {
    llvm::append_range(holders, others.holders);
    all += others.all;
  }

  /// Returns the holders, the largest first; the last entry has the rest of
  /// `bytes`.
  std::vector<MemoryHolder> take(int64_t bytes) {
    auto key = [](const MemoryHolder &holder) {
      unsigned line = holder.location ? holder.location.getLine() : 0;
      return std::tuple(-holder.bytes, line, llvm::StringRef(holder.what));
    };
    llvm::sort(holders, [&](const MemoryHolder &a, const MemoryHolder &b) {
      return key(a) < key(b);
    });
    if (bytes != all)
      holders.push_back({"room between them", {}, 0, bytes - all});
    return std::move(holders);
  }

private:
  std::vector<MemoryHolder> holders;
  int64_t all = 0;
};

/// Tensors of one kind of memory: always live, and live at the peak.
struct Share {
  Holders always, atPeak;
  int64_t bytes = 0; ///< at the peak, without `always`
  FileLineColLoc location;
};

/// Collects the memory of one device over all functions.
class DeviceProfiler {
public:
  DeviceProfiler(const Place &place, const SlotTable &slots)
      : device(getDevice(place)) {
    peak.device = place;
    // A GPU without tensors or slots is not in the table.
    if (device < slots.getNumDevices())
      peak.arenaBytes = stateBytes = slots.getBytes(device);
  }

  bool isOn(int32_t other) const { return device == other; }

  void addState(const std::string &what, FileLineColLoc location,
                int64_t bytes) {
    arena.always.add(what, location, bytes);
  }
  void addState(const std::string &what, const AllocatedTensor &tensor) {
    int64_t bytes = td::estimateBytes(tensor.type);
    heap.always.add(what, tensor.location, bytes);
    peak.allocated.push_back(tensor);
    stateBytes += bytes;
  }

  /// Adds a function; returns the bytes that are live at each of its positions.
  std::vector<int64_t> add(const MemoryPlan &plan, const Liveness &liveness,
                           ArrayRef<Resident> residents) {
    if (size_t(device) < plan.getArenaBytes().size())
      peak.arenaBytes = std::max(peak.arenaBytes, plan.getArenaBytes()[device]);
    std::vector<int64_t> bytes(liveness.getOps().size(), stateBytes);
    for (bool isPlanned : {true, false})
      for (auto [all, one] :
           llvm::zip(bytes, addShare(isPlanned, liveness, residents)))
        all += one;
    return bytes;
  }

  PeakMemory finish() {
    peak.location = (arena.bytes < heap.bytes ? heap : arena).location;
    llvm::append_range(peak.allocated, allocated);
    peak.bytes = peak.arenaBytes;
    for (const AllocatedTensor &tensor : peak.allocated)
      peak.bytes += td::estimateBytes(tensor.type);
    Holders all;
    for (const Share &share : {arena, heap}) {
      all.add(share.always);
      all.add(share.atPeak);
    }
    peak.holders = all.take(peak.bytes);
    return std::move(peak);
  }

private:
  /// Bytes per position, in the arena or in allocations outside of it.
  std::vector<int64_t> addShare(bool isPlanned, const Liveness &liveness,
                                ArrayRef<Resident> residents) {
    std::vector<int64_t> bytes(liveness.getOps().size() + 1);
    SmallVector<const Resident *> own;
    for (const Resident &resident : residents) {
      if (resident.device != device || resident.isPlanned != isPlanned)
        continue;
      own.push_back(&resident);
      int64_t taken = isPlanned ? llvm::alignTo(resident.bytes, kAlignment)
                                : resident.bytes;
      for (LiveRange range : resident.ranges) {
        bytes[range.first] += taken;
        bytes[range.last + 1] -= taken;
      }
    }
    for (size_t i = 1; i < bytes.size(); ++i)
      bytes[i] += bytes[i - 1];
    bytes.pop_back();
    auto most = llvm::max_element(bytes);
    Share &share = isPlanned ? arena : heap;
    if (*most > share.bytes) {
      share.bytes = *most;
      look(share, liveness, own, most - bytes.begin());
    }
    return bytes;
  }

  void look(Share &share, const Liveness &liveness,
            ArrayRef<const Resident *> residents, unsigned position) {
    Operation *op = liveness.getOps()[position];
    share.location = op ? td::getUserLocation(op->getLoc()) : FileLineColLoc();
    share.atPeak = {};
    if (&share == &heap)
      allocated.clear();
    for (const Resident *resident : residents) {
      if (!covers(resident->ranges, position))
        continue;
      if (resident->values.empty()) {
        share.atPeak.add("room for a copy", share.location, resident->bytes);
        continue;
      }
      Value value = getHolder(*resident, liveness, position);
      FileLineColLoc location = td::getUserLocation(td::getLocation(value));
      share.atPeak.add(td::getValueName(value), location, resident->bytes);
      if (&share == &heap)
        allocated.push_back({getTensorType(value), location});
    }
  }

  /// The value that uses the resident's bytes at a position.
  static Value getHolder(const Resident &resident, const Liveness &liveness,
                         unsigned position) {
    for (Value value : llvm::reverse(resident.values)) {
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      if (overlaps(liveness.getFacts(value).ranges, {{position, position}}))
        return value;
    }
    return resident.values.front();
  }

  static RankedTensorType getTensorType(Value value) {
    if (auto handle = dyn_cast<td::HandleType>(value.getType()))
      return handle.getTensor();
    return cast<RankedTensorType>(value.getType());
  }

  int32_t device;
  int64_t stateBytes = 0;
  Share arena, heap;
  std::vector<AllocatedTensor> allocated; ///< at the peak outside of the arena
  PeakMemory peak;
};

void addState(DeviceProfiler &profiler, ModuleOp module, const SlotTable &slots,
              const HandleCopies &handles) {
  for (SlotRow row : slots.getRows())
    if (profiler.isOn(row.device))
      profiler.addState(td::getSlotName(row.op),
                        td::getUserLocation(row.op.getLoc()),
                        getByteSize(row.type));
  for (const LiteralRow &literal : slots.getLiterals())
    if (profiler.isOn(literal.device))
      profiler.addState(
          "a literal tensor", {},
          getByteSize(cast<RankedTensorType>(literal.value.getType())));
  for (td::SlotOp slot : module.getOps<td::SlotOp>())
    for (RankedTensorType copy : handles.getCopies(slot.getType()))
      if (profiler.isOn(getDevice(copy)))
        profiler.addState(td::getSlotName(slot),
                          {copy, td::getUserLocation(slot.getLoc())});
}

/// Adds the points of a function. An op without a line of the program counts
/// for the line before it.
void addPoints(std::vector<MemoryPoint> &points, const Liveness &liveness,
               ArrayRef<std::vector<int64_t>> bytes) {
  for (auto [position, op] : llvm::enumerate(liveness.getOps())) {
    if (!op || !hasTensor(op))
      continue;
    FileLineColLoc location = td::getUserLocation(op->getLoc());
    if (points.empty() ||
        (location && !isSameLine(points.back().location, location)))
      points.push_back({location, SmallVector<int64_t, 2>(bytes.size())});
    for (auto [most, now] : llvm::zip(points.back().bytes, bytes))
      most = std::max(most, now[position]);
  }
}

} // namespace

PlannedMemory planMemory(ModuleOp module, ArrayRef<Place> devices) {
  SlotTable slots(module);
  HandleCopies handles(module);
  std::vector<DeviceProfiler> profilers;
  for (const Place &device : devices)
    addState(profilers.emplace_back(device, slots), module, slots, handles);
  PlannedMemory memory;
  for (auto function : module.getOps<func::FuncOp>()) {
    MemoryPlan plan(function, slots);
    Liveness liveness(function);
    memory.pinnedBytes = std::max(memory.pinnedBytes, plan.getPinnedBytes());
    std::vector<Resident> residents =
        getResidents(function, plan, liveness, handles);
    std::vector<std::vector<int64_t>> bytes;
    bytes.reserve(profilers.size());
    for (DeviceProfiler &profiler : profilers)
      bytes.push_back(profiler.add(plan, liveness, residents));
    addPoints(memory.points, liveness, bytes);
  }
  for (DeviceProfiler &profiler : profilers)
    memory.peaks.push_back(profiler.finish());
  return memory;
}

} // namespace tdc
