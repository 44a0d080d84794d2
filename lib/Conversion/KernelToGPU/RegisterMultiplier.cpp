//===- RegisterMultiplier.cpp - tiles multiplied thread by thread ---------===//

#include "CodeGen/Accumulation.h"
#include "TileMultiplier.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class RegisterMultiplier : public TileMultiplier {
public:
  RegisterMultiplier(KernelFunction &function,
                     const ContractionSchedule &schedule,
                     DeviceBuilder &device);

  Values multiply(OperandTile &left, OperandTile &right, Value stage,
                  ValueRange accumulators) override;

private:
  Values load(OperandTile &tile, Value stage, Value first, int64_t term);

  OpBuilder &b;
  Location loc;
  const ContractionSchedule &schedule;
  DeviceBuilder &device;
  /// `group`: neighbours of a tile that a thread reads at once, at most a
  /// chunk, so that neighbouring threads use all banks. `groups`: the thread's
  /// groups in either direction. `distance`: elements from one group to the
  /// next.
  int64_t group, groups, distance;
};

} // namespace

RegisterMultiplier::RegisterMultiplier(KernelFunction &function,
                                       const ContractionSchedule &schedule,
                                       DeviceBuilder &device)
    : b(function.builder), loc(function.loc), schedule(schedule),
      device(device) {
  int64_t extent = schedule.left.extent;
  int64_t across = extent == 32 ? 8 : 16;
  group = std::min<int64_t>(schedule.getChunk(), 4);
  groups = extent / across / group;
  distance = across * group;
  Value thread = device.getThread();
  row = device.multiply(device.divide(thread, across), group);
  column = device.multiply(device.modulo(thread, across), group);
  piece = group;
  for (int64_t m = 0; m < groups * group; ++m)
    for (int64_t n = 0; n < groups * group; ++n)
      elements.push_back(
          {m / group * distance + m % group, n / group * distance + n % group});
}

/// The thread's elements of a tile at one term.
TileMultiplier::Values RegisterMultiplier::load(OperandTile &tile, Value stage,
                                                Value first, int64_t term) {
  int64_t bytes = group * schedule.shared.getIntOrFloatBitWidth() / 8;
  Values values;
  for (int64_t number = 0; number < groups; ++number) {
    Value own = device.add(first, device.i32(number * distance));
    Value together =
        LLVM::LoadOp::create(b, loc, VectorType::get({group}, schedule.shared),
                             tile.getAddress(stage, own, device.i32(term)),
                             std::min(bytes, gpu::kWidestAccess));
    for (int64_t i = 0; i < group; ++i)
      values.push_back(
          LLVM::ExtractElementOp::create(b, loc, together, device.i32(i)));
  }
  return values;
}

TileMultiplier::Values RegisterMultiplier::multiply(OperandTile &left,
                                                    OperandTile &right,
                                                    Value stage,
                                                    ValueRange accumulators) {
  Values sums(accumulators);
  for (int64_t term = 0; term < schedule.tileTerms; ++term) {
    Values rows = load(left, stage, row, term);
    Values columns = load(right, stage, column, term);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = accumulate(b, loc, *schedule.product, {sum, {}},
                       {rows[i / columns.size()], columns[i % columns.size()]},
                       /*position=*/Value())
                .value;
  }
  return sums;
}

std::unique_ptr<TileMultiplier>
makeRegisterMultiplier(KernelFunction &function,
                       const ContractionSchedule &schedule,
                       DeviceBuilder &device) {
  return std::make_unique<RegisterMultiplier>(function, schedule, device);
}

} // namespace tdc
