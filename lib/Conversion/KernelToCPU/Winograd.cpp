//===- Winograd.cpp - convolutions of 3x3 with fewer multiplications ------===//

#include "Winograd.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/EmptyPickers.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "ScratchTag.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tdc_threads.h"
#include <array>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The elements of a transformed tile.
constexpr int64_t kElements = 16;
/// The most tiles of a band that has several rows of them.
constexpr int64_t kMostTiles = 112;
/// The most vectors of filters in a part.
constexpr int64_t kMostVectors = 4;
constexpr int64_t kFloatBytes = 4;
/// The columns of a register tile, in vectors.
constexpr int64_t kColumns = 2;

int64_t getBandRows(const LoopNest &nest, const WinogradLoops &loops) {
  int64_t rows = nest.getExtent(loops.rows), all = llvm::divideCeil(rows, 2),
          most = kMostTiles / loops.countTiles(nest, 2);
  int64_t band = findDivisor(all, std::clamp<int64_t>(most, 1, all));
  return std::min(rows, 2 * band);
}

int64_t getBandImages(const LoopNest &nest, const WinogradLoops &loops) {
  int64_t rows = nest.getExtent(loops.rows);
  if (loops.images.size() != 1 || getBandRows(nest, loops) < rows)
    return 1;
  int64_t images = nest.getExtent(loops.images.front()),
          most = kMostTiles / loops.countTiles(nest, rows);
  // What remains of a run-time number has code of its own.
  constexpr int64_t kMostRunTime = 4;
  if (ShapedType::isDynamic(images))
    return std::clamp<int64_t>(most, 1, kMostRunTime);
  return findDivisor(images, std::clamp<int64_t>(most, 1, images));
}

int64_t getPartVectors(const LoopNest &nest, const WinogradLoops &loops,
                       int64_t lanes) {
  return findDivisor(nest.getExtent(loops.filters) / lanes, kMostVectors);
}

//===----------------------------------------------------------------------===//
// Transformations
//===----------------------------------------------------------------------===//

namespace {

/// A row or a column of a tile; absent elements are 0.
using Line = std::array<Value, 4>;
/// The rows of a tile.
using Square = std::array<Line, 4>;

class WinogradEmitter {
public:
  WinogradEmitter(KernelFunction &function, const LoopNest &nest,
                  const NestSchedule &schedule)
      : function(function), b(function.builder), loc(function.loc), nest(nest),
        schedule(schedule), loops(*schedule.winograd),
        product(nest.getReductions().front()), lanes(schedule.lanes),
        channels(nest.getExtent(loops.channels)),
        filters(nest.getExtent(loops.filters)),
        part(schedule.getStep(loops.filters)),
        tileColumns(llvm::divideCeil(nest.getExtent(loops.columns), 2)),
        mostTiles(countTiles(schedule.factors)),
        vector(VectorType::get({lanes}, b.getF32Type())) {}

  void emit(ArrayRef<StoreTarget> targets);
  int64_t countFloats() const {
    return getSums() + kElements * sumStride() +
           (keepsWeights() ? TDRT_SCRATCH_TAG / kFloatBytes : 0);
  }

private:
  /// A number times a constant.
  using Term = std::pair<Value, int64_t>;

  /// The tiles of a band, from the elements of each loop in it.
  int64_t countTiles(ArrayRef<int64_t> factors) const {
    int64_t tiles = loops.countTiles(nest, factors[loops.rows]);
    for (unsigned image : loops.images)
      tiles *= factors[image];
    return tiles;
  }
  /// The loops that are cut into bands.
  SmallVector<unsigned> getBandLoops() const {
    SmallVector<unsigned> band(loops.images.begin(), loops.images.end());
    band.push_back(loops.rows);
    return band;
  }
  /// Whether all tiles are in one band: the transformed weights of a part are
  /// needed only once.
  bool hasOneBand() const {
    return llvm::all_of(getBandLoops(), [&](unsigned loop) {
      return schedule.factors[loop] == nest.getExtent(loop);
    });
  }
  /// Whether a thread may use all transformed weights for several of its parts
  /// of the kernel.
  bool keepsWeights() const {
    return !hasOneBand() && !schedule.shared.empty();
  }
  /// The floats of one of the 16 elements, for all weights of a part or all
  /// tiles of a band. Neighbours in memory would be in few sets of the caches
  /// without the gaps.
  int64_t weightStride() const { return channels * part + lanes; }
  int64_t imageRow() const { return channels + lanes; }
  int64_t imageStride() const { return mostTiles * imageRow(); }
  int64_t sumRow() const { return part + lanes; }
  int64_t sumStride() const { return mostTiles * sumRow(); }
  /// Where the images and the sums begin in the scratch; the weights come
  /// first.
  int64_t getImages() const {
    int64_t parts = hasOneBand() ? 1 : llvm::divideCeil(filters, part);
    return parts * kElements * weightStride();
  }
  int64_t getSums() const { return getImages() + kElements * imageStride(); }

  Value getAddress(int64_t offset, ArrayRef<Term> terms);
  Value load(Value address, int64_t offset);
  void store(Value value, Value address, int64_t offset);
  Value move(Value address, int64_t offset);
  Value plus(Value left, Value right);
  Value minus(Value left, Value right);

  /// The loops of a step with `onLanes` on lanes, in blocks of `pixels` rows
  /// and columns and of `filters` filters, or vectors of them.
  NestLoops makeLoops(unsigned onLanes, int64_t pixels, int64_t filters);
  /// The first tile of the open block, as a number in the band.
  Value getTile(NestLoops &step, NestLoops &outer);
  Value getPartOffset(NestLoops &outer);

  void transformImages(NestLoops &outer);
  void transformWeights(NestLoops &outer);
  void transformAllWeights();
  void multiply(NestLoops &outer);
  void multiplyTile(Value image, Value weights, Value sums, int64_t rows,
                    int64_t columns);
  void transformSums(NestLoops &outer, ArrayRef<StoreTarget> targets);

  KernelFunction &function;
  OpBuilder &b;
  Location loc;
  const LoopNest &nest;
  const NestSchedule &schedule;
  const WinogradLoops &loops;
  const Reduction &product;
  const int64_t lanes, channels, filters;
  const int64_t part; ///< filters of a part
  const int64_t tileColumns, mostTiles;
  const VectorType vector;
};

} // namespace

Value WinogradEmitter::getAddress(int64_t offset, ArrayRef<Term> terms) {
  Value sum = function.index(offset);
  for (auto [value, factor] : terms)
    sum = arith::AddIOp::create(
        b, loc, sum,
        arith::MulIOp::create(b, loc, value, function.index(factor)));
  return LLVM::GEPOp::create(b, loc, function.scratch.getType(), b.getF32Type(),
                             function.scratch, ValueRange{sum});
}

Value WinogradEmitter::move(Value address, int64_t offset) {
  return offset ? LLVM::GEPOp::create(b, loc, address.getType(), b.getF32Type(),
                                      address,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)})
                      .getResult()
                : address;
}

Value WinogradEmitter::load(Value address, int64_t offset) {
  return LLVM::LoadOp::create(b, loc, vector, move(address, offset));
}

void WinogradEmitter::store(Value value, Value address, int64_t offset) {
  LLVM::StoreOp::create(b, loc, value, move(address, offset));
}

Value WinogradEmitter::plus(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AddFOp::create(b, loc, left, right);
}

Value WinogradEmitter::minus(Value left, Value right) {
  if (!right)
    return left;
  if (!left)
    return arith::NegFOp::create(b, loc, right);
  return arith::SubFOp::create(b, loc, left, right);
}

/// Applies `transform` to the columns of the square, and then to the rows of
/// what it gives.
template <typename Function>
static Square transformSquare(const Square &square, Function transform) {
  Square half, result;
  for (unsigned column = 0; column < 4; ++column) {
    Line line = transform(Line{square[0][column], square[1][column],
                               square[2][column], square[3][column]});
    for (unsigned row = 0; row < 4; ++row)
      half[row][column] = line[row];
  }
  for (unsigned row = 0; row < 4; ++row)
    result[row] = transform(half[row]);
  return result;
}

NestLoops WinogradEmitter::makeLoops(unsigned onLanes, int64_t pixels,
                                     int64_t filters) {
  NestSchedule step;
  step.lanes = step.lastLanes = lanes;
  step.onLanes = toLoopSet(onLanes);
  step.factors.assign(nest.getLoops().size(), 1);
  step.factors[loops.rows] = step.factors[loops.columns] = pixels;
  step.factors[loops.filters] = filters;
  return NestLoops(function, nest, step);
}

Value WinogradEmitter::getTile(NestLoops &step, NestLoops &outer) {
  Value two = function.index(2);
  auto getInBand = [&](unsigned loop) -> Value {
    return arith::SubIOp::create(b, loc, step.evaluator.positions[loop],
                                 outer.evaluator.positions[loop]);
  };
  Value row = arith::DivUIOp::create(b, loc, getInBand(loops.rows), two);
  // Only the innermost of several loops over images has several in a band.
  if (!loops.images.empty()) {
    int64_t rows = llvm::divideCeil(outer.factors[loops.rows], 2);
    Value image = arith::MulIOp::create(b, loc, getInBand(loops.images.back()),
                                        function.index(rows));
    row = arith::AddIOp::create(b, loc, image, row);
  }
  Value column = arith::DivUIOp::create(
      b, loc, step.evaluator.positions[loops.columns], two);
  return arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, row, function.index(tileColumns)),
      column);
}

/// The position in the scratch of the weights of the open part.
Value WinogradEmitter::getPartOffset(NestLoops &outer) {
  if (hasOneBand())
    return function.index(0);
  Value number = arith::DivUIOp::create(
      b, loc, outer.evaluator.positions[loops.filters], function.index(part));
  return arith::MulIOp::create(b, loc, number,
                               function.index(kElements * weightStride()));
}

/// B' d B for all tiles and channels of the open band.
void WinogradEmitter::transformImages(NestLoops &outer) {
  NestLoops step = makeLoops(loops.channels, /*pixels=*/2, /*filters=*/1);
  Access image = nest.getOperand(product, loops.image);
  auto transform = [&](ValueRange) {
    int64_t rows = step.factors[loops.rows],
            columns = step.factors[loops.columns];
    Square square = {};
    for (int64_t row = 0; row < rows + 2; ++row)
      for (int64_t column = 0; column < columns + 2; ++column) {
        Tile tile(step.factors.size(), 0);
        tile[loops.rows] = std::min(row, rows - 1);
        tile[loops.windowRows] = loops.getInWindow(row - tile[loops.rows]);
        tile[loops.columns] = std::min(column, columns - 1);
        tile[loops.windowColumns] =
            loops.getInWindow(column - tile[loops.columns]);
        square[row][column] = step.evaluator.toVector(
            step.evaluator.evaluate(image.tensor, *image.at, tile), tile);
      }
    square = transformSquare(square, [&](Line d) {
      return Line{minus(d[0], d[2]), plus(d[1], d[2]), minus(d[2], d[1]),
                  minus(d[1], d[3])};
    });
    Value address = getAddress(getImages(),
                               {{getTile(step, outer), imageRow()},
                                {step.evaluator.positions[loops.channels], 1}});
    for (int64_t element = 0; element < kElements; ++element)
      store(square[element / 4][element % 4], address, element * imageStride());
    return NestLoops::Values();
  };
  step.openWithin(outer, getBandLoops(), [&](ValueRange) {
    return step.open({loops.columns, loops.channels}, {}, transform);
  });
}

/// G g G' for the filters of the open part.
void WinogradEmitter::transformWeights(NestLoops &outer) {
  Value start = outer.evaluator.positions[loops.filters];
  Value offset = getPartOffset(outer);
  NestLoops step = makeLoops(loops.filters, /*pixels=*/1, kColumns);
  Access weights = nest.getOperand(product, 1 - loops.image);
  Value half = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vector, b.getF32FloatAttr(0.5f)));
  auto transform = [&](ValueRange) {
    int64_t columns = step.factors[loops.filters];
    Value panel = arith::SubIOp::create(
        b, loc, step.evaluator.positions[loops.filters], start);
    Value address = getAddress(
        0, {{offset, 1},
            {panel, channels},
            {step.evaluator.positions[loops.channels], columns * lanes}});
    for (int64_t column = 0; column < columns; ++column) {
      Square square = {};
      Tile tile(step.factors.size(), 0);
      tile[loops.filters] = column * lanes;
      for (int64_t row = 0; row < 3; ++row)
        for (int64_t i = 0; i < 3; ++i) {
          tile[loops.windowRows] = loops.getInWindow(row);
          tile[loops.windowColumns] = loops.getInWindow(i);
          square[row][i] = step.evaluator.toVector(
              step.evaluator.evaluate(weights.tensor, *weights.at, tile), tile);
        }
      square = transformSquare(square, [&](Line g) {
        if (!g[0])
          return Line{};
        Value outer = plus(g[0], g[2]);
        Value sum = arith::MulFOp::create(b, loc, plus(outer, g[1]), half);
        Value difference =
            arith::MulFOp::create(b, loc, minus(outer, g[1]), half);
        return Line{g[0], sum, difference, g[2]};
      });
      for (int64_t element = 0; element < kElements; ++element)
        store(square[element / 4][element % 4], address,
              element * weightStride() + column * lanes);
    }
    return NestLoops::Values();
  };
  step.openWithin(outer, loops.filters, [&](ValueRange) {
    return step.open(loops.channels, {}, transform);
  });
}

/// Adds up the products of `rows` tiles and `columns` vectors of filters.
void WinogradEmitter::multiplyTile(Value image, Value weights, Value sums,
                                   int64_t rows, int64_t columns) {
  SmallVector<Value> zeros(rows * columns,
                           makeNeutral(b, loc, product, lanes).value);
  auto loop =
      scf::ForOp::create(b, loc, function.index(0), function.index(channels),
                         function.index(1), zeros);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value channel = loop.getInductionVar();
    auto at = [&](Value base, int64_t stride) -> Value {
      Value offset =
          arith::MulIOp::create(b, loc, channel, function.index(stride));
      return LLVM::GEPOp::create(b, loc, base.getType(), b.getF32Type(), base,
                                 ValueRange{offset});
    };
    Value row = at(weights, columns * lanes), element = at(image, 1);
    SmallVector<Value> vectors, next;
    for (int64_t column = 0; column < columns; ++column)
      vectors.push_back(load(row, column * lanes));
    for (int64_t i = 0; i < rows; ++i) {
      Value scalar = LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                          move(element, i * imageRow()));
      scalar = vector::BroadcastOp::create(b, loc, vector, scalar);
      for (int64_t column = 0; column < columns; ++column) {
        Value before = loop.getRegionIterArgs()[i * columns + column];
        next.push_back(accumulate(b, loc, product, {before, {}},
                                  {scalar, vectors[column]}, /*position=*/{})
                           .value);
      }
    }
    scf::YieldOp::create(b, loc, next);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t column = 0; column < columns; ++column)
      store(loop.getResult(i * columns + column), sums,
            i * sumRow() + column * lanes);
}

/// The 16 products of matrices of the open band and part.
void WinogradEmitter::multiply(NestLoops &outer) {
  int64_t tiles = countTiles(outer.factors),
          vectors = outer.factors[loops.filters];
  int64_t most = (function.vectorRegisters - kColumns - 1) / kColumns;
  int64_t blocks = llvm::divideCeil(tiles, most);
  int64_t rows = llvm::divideCeil(tiles, blocks);
  Value offset = getPartOffset(outer);

  // Emits `body` for [0, count) in steps, and for what remains.
  auto forBlocks = [&](int64_t count, int64_t step,
                       llvm::function_ref<void(Value, int64_t)> body) {
    int64_t whole = count / step * step;
    if (whole) {
      auto loop =
          scf::ForOp::create(b, loc, function.index(0), function.index(whole),
                             function.index(step));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      body(loop.getInductionVar(), step);
    }
    if (whole < count)
      body(function.index(whole), count - whole);
  };
  forBlocks(kElements, 1, [&](Value element, int64_t) {
    forBlocks(tiles, rows, [&](Value tile, int64_t height) {
      forBlocks(vectors, kColumns, [&](Value column, int64_t width) {
        multiplyTile(getAddress(getImages(),
                                {{element, imageStride()}, {tile, imageRow()}}),
                     getAddress(0, {{offset, 1},
                                    {element, weightStride()},
                                    {column, lanes * channels}}),
                     getAddress(getSums(), {{element, sumStride()},
                                            {tile, sumRow()},
                                            {column, lanes}}),
                     height, width);
      });
    });
  });
}

/// A' s A for the sums of the open band and part, and the roots.
void WinogradEmitter::transformSums(NestLoops &outer,
                                    ArrayRef<StoreTarget> targets) {
  Value first = outer.evaluator.positions[loops.filters];
  NestLoops step = makeLoops(loops.filters, /*pixels=*/2, /*filters=*/1);
  auto transform = [&](ValueRange) {
    Value filter = arith::SubIOp::create(
        b, loc, step.evaluator.positions[loops.filters], first);
    Value address =
        getAddress(getSums(), {{getTile(step, outer), sumRow()}, {filter, 1}});
    Square square;
    for (int64_t element = 0; element < kElements; ++element)
      square[element / 4][element % 4] = load(address, element * sumStride());
    square = transformSquare(square, [&](Line s) {
      if (!s[0])
        return Line{};
      return Line{plus(plus(s[0], s[1]), s[2]), minus(minus(s[1], s[2]), s[3])};
    });
    LoopSet open = nest.getRootLoops();
    for (const Tile &tile : step.getTiles(open))
      step.evaluator.setResult(
          product.op->getResult(0), product, tile,
          roundResult(b, loc, product, product.op,
                      square[tile[loops.rows]][tile[loops.columns]]));
    step.storeRoots(targets, open);
    return NestLoops::Values();
  };
  SmallVector<unsigned> open(loops.images.begin(), loops.images.end());
  open.append({loops.filters, loops.rows});
  step.openWithin(outer, open, [&](ValueRange) {
    return step.open(loops.columns, {}, transform);
  });
}

void WinogradEmitter::transformAllWeights() {
  NestLoops parts = makeLoops(loops.filters, /*pixels=*/1, part / lanes);
  parts.openPart(loops.filters, function.index(0), filters, [&](ValueRange) {
    transformWeights(parts);
    return NestLoops::Values();
  });
}

void WinogradEmitter::emit(ArrayRef<StoreTarget> targets) {
  using Values = NestLoops::Values;
  NestLoops outer(function, nest, schedule);
  if (keepsWeights())
    emitUnlessTagged(function, countFloats() * kFloatBytes, function.i64(1),
                     [&](Operation *) { transformAllWeights(); });
  else if (!hasOneBand())
    transformAllWeights();
  outer.open(getBandLoops(), {}, [&](ValueRange) {
    transformImages(outer);
    return outer.open(loops.filters, {}, [&](ValueRange) {
      if (hasOneBand())
        transformWeights(outer);
      multiply(outer);
      transformSums(outer, targets);
      return Values();
    });
  });
}

void emitWinograd(KernelFunction &function, const LoopNest &nest,
                  const NestSchedule &schedule, ArrayRef<StoreTarget> targets) {
  emitUnlessEmpty(function, nest, targets, [&] {
    WinogradEmitter(function, nest, schedule).emit(targets);
  });
}

RankedTensorType getWinogradType(KernelFunction &function, const LoopNest &nest,
                                 const NestSchedule &schedule) {
  auto type = cast<RankedTensorType>(
      nest.getReductions().front().op->getResult(0).getType());
  return RankedTensorType::get(
      {WinogradEmitter(function, nest, schedule).countFloats()},
      type.getElementType(), type.getEncoding());
}

} // namespace tdc
