//===- TensorCoreMultiplier.cpp - tiles multiplied by mma.sync ------------===//
//
// The PTX ISA defines which thread of a warp holds which element of a fragment:
// 9.7.14.5 (mma.m16n8k16 of f16 and bf16, m16n8k8 of tf32) and 9.7.14.5.15
// (ldmatrix, for which the four bytes of a tf32 are two elements of two bytes).
//
//===----------------------------------------------------------------------===//

#include "TileMultiplier.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// Rows of the left operand and columns of the right one that one mma
/// multiplies; its terms are two chunks.
constexpr int64_t kRows = 16, kColumns = 8;
/// Columns of a warp's part of the tile.
constexpr int64_t kWarpColumns = 32;
/// Rows of the matrices that ldmatrix loads, four at once; a row is a chunk.
constexpr int64_t kMatrix = 8;
/// Neighbouring lanes that share a row of a fragment.
constexpr int64_t kRowLanes = 4;
/// Accumulators per thread of one mma.
constexpr int64_t kSums = 4;

class TensorCoreMultiplier : public TileMultiplier {
public:
  TensorCoreMultiplier(KernelFunction &function,
                       const ContractionSchedule &schedule,
                       DeviceBuilder &device);

  Values multiply(OperandTile &left, OperandTile &right, Value stage,
                  ValueRange accumulators) override;

private:
  /// The position of an element in the tile of an operand.
  struct TilePosition {
    Value own, term;
  };

  /// Loads four matrices, two along the operand's own loop and two along the
  /// terms, from `own` and `term` on.
  Values loadFragments(OperandTile &tile, Value stage, int64_t own,
                       int64_t term);
  Values loadMatrices(OperandTile &tile, Value stage, int64_t own,
                      int64_t term);
  Values loadElements(OperandTile &tile, Value stage, int64_t own,
                      int64_t term);
  TilePosition getPosition(OperandTile &tile, Value matrix, int64_t own,
                           int64_t term);
  Values multiply(ArrayRef<Value> left, ArrayRef<Value> right,
                  ValueRange accumulators);

  OpBuilder &b;
  Location loc;
  const ContractionSchedule &schedule;
  DeviceBuilder &device;
  Type element;
  int64_t warpRows;
  Value lane, firstRow, firstColumn; ///< of the warp
};

} // namespace

TensorCoreMultiplier::TensorCoreMultiplier(KernelFunction &function,
                                           const ContractionSchedule &schedule,
                                           DeviceBuilder &device)
    : b(function.builder), loc(function.loc), schedule(schedule),
      device(device) {
  element = schedule.element;
  int64_t across = schedule.right.extent / kWarpColumns;
  int64_t warps = schedule.threads / gpu::kWarpSize;
  warpRows = schedule.left.extent * across / warps;
  Value thread = device.getThread();
  lane = device.modulo(thread, gpu::kWarpSize);
  Value warp = device.divide(thread, gpu::kWarpSize);
  firstRow = device.multiply(device.divide(warp, across), warpRows);
  firstColumn = device.multiply(device.modulo(warp, across), kWarpColumns);
  row = device.add(firstRow, device.divide(lane, kRowLanes));
  column = device.add(firstColumn,
                      device.multiply(device.modulo(lane, kRowLanes), 2));
  piece = 2;
  for (int64_t m = 0; m < warpRows; m += kRows)
    for (int64_t n = 0; n < kWarpColumns; n += kColumns)
      for (int64_t sum = 0; sum < kSums; ++sum)
        elements.push_back({m + sum / 2 * kMatrix, n + sum % 2});
}

/// The position of a matrix. Matrices are numbered along the operand's own loop
/// first for the left operand, along the terms first for the right one.
TensorCoreMultiplier::TilePosition
TensorCoreMultiplier::getPosition(OperandTile &tile, Value matrix, int64_t own,
                                  int64_t term) {
  bool isLeft = &tile.operand == &schedule.left;
  Value below = isLeft ? device.modulo(matrix, 2) : device.divide(matrix, 2);
  Value along = isLeft ? device.divide(matrix, 2) : device.modulo(matrix, 2);
  return {
      device.add(isLeft ? firstRow : firstColumn,
                 device.add(device.i32(own), device.multiply(below, kMatrix))),
      device.add(device.i32(term),
                 device.multiply(along, schedule.getChunk()))};
}

/// Lane l provides the address of line l % 8 of matrix l / 8.
TileMultiplier::Values TensorCoreMultiplier::loadMatrices(OperandTile &tile,
                                                          Value stage,
                                                          int64_t own,
                                                          int64_t term) {
  TilePosition at = getPosition(tile, device.divide(lane, kMatrix), own, term);
  Value &lineAt = tile.operand.storedAlongTerms ? at.own : at.term;
  lineAt = device.add(lineAt, device.modulo(lane, kMatrix));
  auto layout = tile.operand.storedAlongTerms ? NVVM::MMALayout::row
                                              : NVVM::MMALayout::col;
  Type word = b.getI32Type();
  Value all = NVVM::LdMatrixOp::create(
      b, loc,
      LLVM::LLVMStructType::getLiteral(b.getContext(),
                                       {word, word, word, word}),
      tile.getAddress(stage, at.own, at.term), /*num=*/4, layout,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrix, kMatrix),
      NVVM::LdStMatrixEltType::B16);
  Values words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
  return words;
}

/// Loads transposed matrices, which ldmatrix supports only for 16-bit elements.
TileMultiplier::Values TensorCoreMultiplier::loadElements(OperandTile &tile,
                                                          Value stage,
                                                          int64_t own,
                                                          int64_t term) {
  Values words;
  for (int64_t i = 0; i < 4; ++i) {
    TilePosition at = getPosition(tile, device.i32(i), own, term);
    words.push_back(LLVM::LoadOp::create(
        b, loc, b.getI32Type(),
        tile.getAddress(stage,
                        device.add(at.own, device.divide(lane, kRowLanes)),
                        device.add(at.term, device.modulo(lane, kRowLanes)))));
  }
  return words;
}

TileMultiplier::Values TensorCoreMultiplier::loadFragments(OperandTile &tile,
                                                           Value stage,
                                                           int64_t own,
                                                           int64_t term) {
  bool isTransposed = element.isF32() && !tile.operand.storedAlongTerms;
  Values fragments = isTransposed ? loadElements(tile, stage, own, term)
                                  : loadMatrices(tile, stage, own, term);
  for (Value &fragment : fragments) {
    if (element.isF16())
      fragment = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, element),
                                         fragment);
    if (element.isF32())
      fragment = NVVM::ConvertFloatToTF32Op::create(
          b, loc, b.getI32Type(),
          LLVM::BitcastOp::create(b, loc, element, fragment),
          NVVM::FPRoundingMode::RNA);
  }
  return fragments;
}

TileMultiplier::Values TensorCoreMultiplier::multiply(ArrayRef<Value> left,
                                                      ArrayRef<Value> right,
                                                      ValueRange accumulators) {
  SmallVector<Type> types(accumulators.getTypes());
  NVVM::MMATypes type = element.isF16()    ? NVVM::MMATypes::f16
                        : element.isBF16() ? NVVM::MMATypes::bf16
                                           : NVVM::MMATypes::tf32;
  Value all = NVVM::MmaOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types), left,
      right, accumulators, {kRows, kColumns, 2 * schedule.getChunk()},
      /*b1Op=*/std::nullopt,
      /*intOverflow=*/std::nullopt, {{type, type}},
      {{NVVM::MMALayout::row, NVVM::MMALayout::col}});
  Values sums;
  for (int64_t i = 0; i < kSums; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
  return sums;
}

TileMultiplier::Values TensorCoreMultiplier::multiply(OperandTile &left,
                                                      OperandTile &right,
                                                      Value stage,
                                                      ValueRange accumulators) {
  Values sums(accumulators);
  for (int64_t term = 0; term < schedule.tileTerms;
       term += 2 * schedule.getChunk()) {
    SmallVector<Values> rows, columns;
    for (int64_t m = 0; m < warpRows; m += kRows)
      rows.push_back(loadFragments(left, stage, m, term));
    for (int64_t n = 0; n < kWarpColumns; n += 2 * kColumns)
      columns.push_back(loadFragments(right, stage, n, term));
    auto at = sums.begin();
    for (const Values &fragments : rows)
      for (const Values &pair : columns)
        for (ArrayRef<Value> half :
             {ArrayRef(pair).take_front(2), ArrayRef(pair).drop_front(2)}) {
          Values next =
              multiply(fragments, half, ValueRange(Values(at, at + kSums)));
          at = std::copy(next.begin(), next.end(), at);
        }
  }
  return sums;
}

std::unique_ptr<TileMultiplier>
makeTensorCoreMultiplier(KernelFunction &function,
                         const ContractionSchedule &schedule,
                         DeviceBuilder &device) {
  return std::make_unique<TensorCoreMultiplier>(function, schedule, device);
}

} // namespace tdc
