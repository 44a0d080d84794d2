//===- TileEvaluator.h - values of a nest at the loops' current position --===//
//
// The pull side of kernel emission: asked for a td value at some coordinates,
// it emits the loads and arithmetic that give it, once per distinct element.
// That sharing is what makes register tiles: in a matmul tile of R rows and C
// vectors, R elements of the left operand and C vectors of the right one are
// loaded, however many products ask for them.
//
// A value that depends on the lane loop is a vector of neighbours along it; any
// other value is a scalar until an op meets a vector. Every value stands
// outside of the loops that it does not depend on, so that an index is checked
// once a row, not once an element.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_TILEEVALUATOR_H
#define TDC_CODEGEN_TILEEVALUATOR_H

#include "CodeGen/KernelFunction.h"
#include <map>

namespace tdc {

/// Where a root goes: by default the result of the kernel, element by element.
struct StoreTarget {
  mlir::Value tensor; ///< whose type and layout give the strides
  td::Coordinates at;
  mlir::Value pointer;
  td::Layout layout;
  bool accumulates = false; ///< adds to what is there
};

/// Every root of a nest, to the result of the kernel that it is.
llvm::SmallVector<StoreTarget, 1>
getResultTargets(const KernelFunction &function, const td::LoopNest &nest);

/// Offsets inside the register tile: per loop, elements from the loop's
/// position (on the lane loop, a multiple of the lane count).
using Tile = llvm::SmallVector<int64_t, 8>;

class TileEvaluator {
public:
  /// A flat nest has one loop, numbered 0, over all elements of tensors that
  /// lie in memory alike; coordinates are never asked for.
  TileEvaluator(KernelFunction &function, const td::LoopNest &nest,
                int64_t lanes);

  /// Opens a scope, in which one more loop has a position (set before), and
  /// closes it: what depends on that loop is forgotten then. `entry` is the op
  /// whose body the scope is, null where it goes on in the same block.
  void pushScope(unsigned loop, mlir::Operation *entry);
  /// The same for a branch, in which no further loop has a position.
  void pushBranch(mlir::Operation *branch);
  void popScope();

  /// Where a loop stands: an index (see KernelFunction).
  llvm::SmallVector<mlir::Value> positions;
  /// What its position is a multiple of, of every loop.
  llvm::SmallVector<int64_t> steps;
  /// The loop on the lanes now, or -1.
  int laneLoop = -1;
  /// Which lanes of the vector at this offset of the lane loop are real; absent
  /// = all. (i1 vectors)
  std::map<int64_t, mlir::Value> masks;

  /// The value at `at`, in tile element `tile`: a scalar or a vector.
  mlir::Value evaluate(mlir::Value value, const td::Coordinates &at,
                       const Tile &tile);
  /// Gives the result of a reduction, or of the op that finishes it, for a tile
  /// element.
  void setResult(mlir::Value of, const td::Reduction &reduction,
                 const Tile &tile, mlir::Value result);
  /// Whether the root's element of a tile is that of another one, in which the
  /// loops that the root lacks stand at 0: it is stored there.
  bool isStoredElsewhere(const td::Access &root, const Tile &tile) const;
  void store(const StoreTarget &target, mlir::Value value, const Tile &tile);

  /// Address of an element of an input, and what it is known to be a multiple
  /// of, in bytes.
  mlir::Value getAddress(const td::Access &input, const Tile &tile);
  unsigned getAlignment(const td::Access &input, const Tile &tile) const;

  bool dependsOnLane(mlir::Value value, const td::Coordinates &at) const;
  /// A vector of `value` in every lane; vectors are returned as they are.
  mlir::Value toVector(mlir::Value value);
  mlir::Value getMask(const Tile &tile) const;
  /// The lane numbers 0, 1, …, added to the lane loop's position.
  mlir::Value getLaneIndices(const Tile &tile);
  /// One coordinate as an index, or a vector of them.
  mlir::Value evaluateCoordinate(td::Coordinate coordinate, const Tile &tile);

private:
  using Key =
      std::tuple<const void *, const void *, llvm::SmallVector<int64_t>>;
  struct Scope {
    td::LoopSet loops; ///< that have a position
    mlir::Operation *entry;
    std::map<Key, mlir::Value> values;
  };

  Key makeKey(const void *what, const void *at, td::LoopSet loops,
              const Tile &tile) const;
  mlir::Value lookup(const Key &key) const;
  /// The value of `make` for `value` at `at`, emitted outside of all loops that
  /// it does not depend on, and kept under `key`.
  mlir::Value emitOutside(mlir::Value value, const td::Coordinates &at,
                          const Key &key,
                          llvm::function_ref<mlir::Value()> make);
  mlir::Value compute(mlir::Operation *op, const td::Coordinates &at,
                      const Tile &tile);
  mlir::Value construct(mlir::Operation *op, const td::Coordinates &at,
                        const Tile &tile);
  /// The number of the element at `at`, counted row by row, as an i64 or a
  /// vector of them.
  mlir::Value getNumber(mlir::Value tensor, const td::Coordinates &at,
                        const Tile &tile);
  /// As indices, or vectors of them; null for a loop that is held in full, at
  /// offset 0.
  mlir::Value getLoopPosition(unsigned loop, const Tile &tile);
  mlir::Value getSymbol(const td::NestSymbol &symbol, const Tile &tile);
  /// `sum` plus `value`, as a vector if one of them is; a null `sum` is 0.
  mlir::Value add(mlir::Value sum, mlir::Value value);
  mlir::Value load(mlir::Value tensor, const td::Coordinates &at,
                   const Tile &tile);
  /// Address of the element of the first lane.
  mlir::Value getAddress(mlir::Value tensor, mlir::Value pointer,
                         const td::Coordinates &at, const td::Layout &layout,
                         const Tile &tile);
  /// What the address of an element is known to be a multiple of, in bytes.
  unsigned getAlignment(mlir::Value tensor, const td::Coordinates &at,
                        const td::Layout &layout, const Tile &tile) const;
  /// A vector of addresses, one per lane.
  mlir::Value getLaneAddresses(mlir::Value tensor, mlir::Value pointer,
                               const td::Coordinates &at,
                               const td::Layout &layout, const Tile &tile);
  mlir::Value getPicked(const td::NestSymbol &picked, const Tile &tile);
  mlir::Value checkIndex(mlir::Operation *picker, mlir::Value index);

  KernelFunction &function;
  mlir::OpBuilder &b;
  const td::LoopNest &nest;
  int64_t lanes;
  bool isFlat;
  std::vector<Scope> scopes;
  /// How many scopes are in force: fewer than there are while ops are emitted
  /// outside of the inner ones.
  size_t depth = 1;
  /// The scopes outside of which the results of reductions are not known.
  size_t resultDepth = 1;
};

} // namespace tdc

#endif // TDC_CODEGEN_TILEEVALUATOR_H
