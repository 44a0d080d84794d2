//===- TileEvaluator.h - values of a nest at the loops' current position --===//
//
// The pull side of kernel emission: given a td value and coordinates, it emits
// the loads and arithmetic that compute the value, once per distinct element.
// This sharing makes register tiles: a matmul tile of R rows and C vectors
// loads R elements of the left operand and C vectors of the right one, however
// many products use them.
//
// A value that depends on the lane loop is a vector of neighbours along it; any
// other value is a scalar until an op combines it with a vector. Every value is
// emitted outside of the loops that it does not depend on, so that an index is
// checked once per row, not once per element.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_TILEEVALUATOR_H
#define TDC_CODEGEN_TILEEVALUATOR_H

#include "CodeGen/KernelFunction.h"
#include <map>

namespace tdc {

/// The destination of a root's elements: by default the kernel's result.
struct StoreTarget {
  mlir::Value tensor; ///< its type and layout give the strides
  td::Coordinates at;
  mlir::Value pointer;
  td::Layout layout;
  /// How the value is combined with the element in memory; none: it replaces
  /// it.
  std::optional<td::ReduceKind> combine = {};
};

/// The default target of each root of the nest: the result of the kernel at the
/// root's coordinates.
llvm::SmallVector<StoreTarget, 1>
getResultTargets(const KernelFunction &function, const td::LoopNest &nest);

/// Copies of elements, so that they are next to each other: for every position
/// of `rows`, in row-major order, `width` elements along the lane loop.
struct Panel {
  td::Access of = {}; ///< the tensor is null: there are no copies
  mlir::Value pointer;
  llvm::ArrayRef<unsigned> rows;
  int64_t width = 0; ///< a multiple of the lanes
  /// Elements are pairs of bf16 numbers (BF16Pairs.h), of two positions of the
  /// only loop in `rows`.
  bool hasPairs = false;

  /// Whether it has the elements of `value` at `at`.
  bool holds(mlir::Value value, const td::Coordinates &at) const {
    return value == of.tensor && &at == of.at;
  }
  /// The type of its elements.
  mlir::Type getElementType() const;
};

/// Offsets inside the register tile: per loop, elements from the loop's
/// position (on the lane loop, a multiple of the lane count).
using Tile = llvm::SmallVector<int64_t, 8>;

/// The parts of an element's offset in a blocked layout (td::Layout).
struct BlockOffset {
  /// Per dim, in elements; of the blocked dim within a block.
  llvm::SmallVector<int64_t, 4> strides;
  /// The elements from one block to the next, without the size of the outermost
  /// dim if that is known only at run time.
  int64_t blockStride = 0;
  bool isStatic = true; ///< whether that size is known
  /// Whether the position of the tile in the blocked dim is a multiple of the
  /// block size.
  bool isAligned = false;
  /// Whether a coordinate contains an element of an index tensor.
  bool isPicked = false;
  /// The part that comes from the offsets inside the tile, in elements; without
  /// `blocks` whole blocks if their stride is known only at run time.
  int64_t constant = 0, blocks = 0;
};

class TileEvaluator {
public:
  /// A flat nest has one loop, numbered 0, over all elements of tensors with
  /// one memory layout; coordinates are never requested.
  TileEvaluator(KernelFunction &function, const td::LoopNest &nest,
                int64_t lanes);

  /// Opens a scope in which one more loop has a position (set before), and
  /// closes it; closing forgets the values that depend on that loop. `entry` is
  /// the op that contains the scope's code; null if the scope continues in the
  /// same block.
  void pushScope(unsigned loop, mlir::Operation *entry);
  /// The same for a branch, in which no further loop gets a position.
  void pushBranch(mlir::Operation *branch);
  void popScope();

  /// Per loop: its current position, an index (see KernelFunction).
  llvm::SmallVector<mlir::Value> positions;
  /// Per loop: a number that its position is a multiple of.
  llvm::SmallVector<int64_t> steps;
  /// The loop on the lanes, or -1.
  int laneLoop = -1;
  /// Per offset of the lane loop: an i1 vector of the lanes of that vector that
  /// are real; it may have fewer lanes than other vectors. No entry: all lanes
  /// are.
  std::map<int64_t, mlir::Value> masks;
  /// A loop of which as many positions are held as a vector has lanes, or -1.
  /// Rows along it are transposed in registers (td::isTransposed).
  int transposedLoop = -1;
  /// Where the elements of one value are read from instead.
  Panel panel;
  /// The same of a value that has been stored in the memory of a root; the
  /// tensor is null if there is none.
  struct {
    td::Access of = {};
    const StoreTarget *in = nullptr;
  } kept;

  /// The value at `at`, in tile element `tile`: a scalar or a vector.
  mlir::Value evaluate(mlir::Value value, const td::Coordinates &at,
                       const Tile &tile);
  /// The values at two positions of `loop`, that of the tile element and the
  /// next, as pairs (BF16Pairs.h). Without a second position that value is 0.
  mlir::Value evaluatePairs(const td::Access &value, const Tile &tile,
                            unsigned loop, bool hasSecond);
  /// Sets the result of a reduction, or of the op that finishes it, for a tile
  /// element.
  void setResult(mlir::Value of, const td::Reduction &reduction,
                 const Tile &tile, mlir::Value result);
  /// Whether the element of the root is stored already, as a kept value, or by
  /// another element of the tile, at offset 0 in the loops that the root does
  /// not depend on.
  bool isStoredElsewhere(const td::Access &root, const Tile &tile) const;
  void store(const StoreTarget &target, mlir::Value value, const Tile &tile);

  /// The address of a vector of elements in a panel.
  mlir::Value getAddress(const Panel &panel, const Tile &tile);
  /// The address of an element of an input, and its known alignment in bytes.
  mlir::Value getAddress(const td::Access &input, const Tile &tile);
  unsigned getAlignment(const td::Access &input, const Tile &tile) const;

  bool dependsOnLane(mlir::Value value, const td::Coordinates &at) const;
  /// Broadcasts a scalar to a vector of the tile element; returns a vector
  /// unchanged.
  mlir::Value toVector(mlir::Value value, const Tile &tile);
  mlir::Value getMask(const Tile &tile) const;
  /// The lanes of the tile element's vector.
  int64_t getWidth(const Tile &tile) const;
  /// The positions of the lanes: the lane loop's position plus 0, 1, ….
  mlir::Value getLaneIndices(const Tile &tile);
  /// One coordinate as an index, or a vector of them.
  mlir::Value evaluateCoordinate(td::Coordinate coordinate, const Tile &tile);

private:
  using Key =
      std::tuple<const void *, const void *, llvm::SmallVector<int64_t>>;
  struct Scope {
    td::LoopSet loops; ///< loops that have a position
    mlir::Operation *entry;
    std::map<Key, mlir::Value> values;
  };

  Key makeKey(const void *what, const void *at, td::LoopSet loops,
              const Tile &tile) const;
  mlir::Value lookup(const Key &key) const;
  /// Calls `make`, which computes `value` at `at`, with the builder outside of
  /// all loops that the value does not depend on. Caches the result under
  /// `key`.
  mlir::Value emitOutside(mlir::Value value, const td::Coordinates &at,
                          const Key &key,
                          llvm::function_ref<mlir::Value()> make);
  mlir::Value compute(mlir::Operation *op, const td::Coordinates &at,
                      const Tile &tile);
  mlir::Value construct(mlir::Operation *op, const td::Coordinates &at,
                        const Tile &tile);
  /// The row-major number of the element at `at`, as an i64 or a vector of i64.
  mlir::Value getNumber(mlir::Value tensor, const td::Coordinates &at,
                        const Tile &tile);
  /// The position of a loop plus the tile's offset, as an index or a vector of
  /// indices. Null for a loop that is held in full, at offset 0.
  mlir::Value getLoopPosition(unsigned loop, const Tile &tile);
  mlir::Value getSymbol(const td::NestSymbol &symbol, const Tile &tile);
  /// `sum` plus `value`, as a vector if either is a vector; a null `sum` is 0.
  mlir::Value add(mlir::Value sum, mlir::Value value);
  mlir::Value load(mlir::Value tensor, mlir::Value pointer,
                   const td::Coordinates &at, const td::Layout &layout,
                   const Tile &tile);
  /// Loads rows along transposedLoop, and caches their transposition for all
  /// its positions. Returns that of the tile.
  mlir::Value loadTransposed(mlir::Value tensor, mlir::Value pointer,
                             const td::Coordinates &at,
                             const td::Layout &layout, const Tile &tile);
  /// The mask for an access to lanes with this stride (getLaneStride); null if
  /// the access needs none. A gather or a scatter always needs one.
  mlir::Value getAccessMask(const Tile &tile, int stride);
  /// Loads a vector of `memory` elements under a mask of getAccessMask.
  /// `address`: one address per lane if the stride is -1, else the first
  /// lane's.
  mlir::Value loadLanes(mlir::Type memory, mlir::Value address, int stride,
                        mlir::Value mask);
  /// The address of the element of the first lane.
  mlir::Value getAddress(mlir::Value tensor, mlir::Value pointer,
                         const td::Coordinates &at, const td::Layout &layout,
                         const Tile &tile);
  /// The same for a blocked layout.
  mlir::Value getAddressInBlocks(mlir::Value tensor, mlir::Value pointer,
                                 const td::Coordinates &at,
                                 const td::Layout &layout, const Tile &tile);
  BlockOffset getBlockOffset(const td::Coordinates &at,
                             mlir::RankedTensorType type,
                             const td::Layout &layout, const Tile &tile) const;
  /// The address `elements` elements of type `memory` after `pointer`.
  mlir::Value move(mlir::Value pointer, mlir::Type memory,
                   mlir::Value elements);
  mlir::Value move(mlir::Value pointer, mlir::Type memory, int64_t elements);
  /// The known alignment of an element's address, in bytes.
  unsigned getAlignment(mlir::Value tensor, const td::Coordinates &at,
                        const td::Layout &layout, const Tile &tile) const;
  /// A vector of addresses, one per lane.
  mlir::Value getLaneAddresses(mlir::Value tensor, mlir::Value pointer,
                               const td::Coordinates &at,
                               const td::Layout &layout, const Tile &tile);
  mlir::Value getPicked(const td::NestSymbol &picked, const Tile &tile);
  mlir::Value checkIndex(mlir::Operation *picker, mlir::Value index);
  void reportNotFinite(mlir::Operation *watch, mlir::Value value,
                       const Tile &tile);
  /// toVector for the tile element that is being evaluated.
  mlir::Value toVector(mlir::Value value);

  KernelFunction &function;
  mlir::OpBuilder &b;
  const td::LoopNest &nest;
  const int64_t lanes;
  /// The lanes of the tile element that is being evaluated.
  int64_t width = lanes;
  bool isFlat;
  std::vector<Scope> scopes;
  /// Number of scopes in force: less than scopes.size() while ops are emitted
  /// outside of the inner scopes.
  size_t depth = 1;
  /// Number of scopes when a result of a reduction was set last: values that
  /// need a result are emitted no further out.
  size_t resultDepth = 1;
};

} // namespace tdc

#endif // TDC_CODEGEN_TILEEVALUATOR_H
