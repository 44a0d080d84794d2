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
  /// A piece of either tile is read at once. It is at most a chunk, so that
  /// neighbouring threads use all banks. `pieces`: the thread's pieces in
  /// either direction. `distance`: elements from one piece to the next.
  int64_t pieces, distance;
};

} // namespace

RegisterMultiplier::RegisterMultiplier(KernelFunction &function,
                                       const ContractionSchedule &schedule,
                                       DeviceBuilder &device)
    : b(function.builder), loc(function.loc), schedule(schedule),
      device(device) {
  int64_t extent = schedule.left.extent;
  int64_t across = extent == 32 ? 8 : 16;
  piece = std::min<int64_t>(schedule.getChunk(), 4);
  pieces = extent / across / piece;
  distance = across * piece;
  Value thread = device.getThread();
  row = device.multiply(device.divide(thread, across), piece);
  column = device.multiply(device.modulo(thread, across), piece);
  for (int64_t m = 0; m < pieces * piece; ++m)
    for (int64_t n = 0; n < pieces * piece; ++n)
      elements.push_back(
          {m / piece * distance + m % piece, n / piece * distance + n % piece});
}

/// The thread's elements of a tile at one term.
TileMultiplier::Values RegisterMultiplier::load(OperandTile &tile, Value stage,
                                                Value first, int64_t term) {
  int64_t bytes = piece * schedule.shared.getIntOrFloatBitWidth() / 8;
  Values values;
  for (int64_t number = 0; number < pieces; ++number) {
    Value own = device.add(first, device.i32(number * distance));
    Value together =
        LLVM::LoadOp::create(b, loc, VectorType::get({piece}, schedule.shared),
                             tile.getAddress(stage, own, device.i32(term)),
                             std::min(bytes, gpu::kWidestAccess));
    for (int64_t i = 0; i < piece; ++i)
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
      sum = accumulate(b, loc, *schedule.reduction, {sum, {}},
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
