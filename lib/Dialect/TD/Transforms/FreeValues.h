//===- FreeValues.h - devices for tensors without a place -----------------===//
//
// Decided by rule, never by cost, so that the author can predict it. A free op
// runs on
//
// 1. the nearest pinned device that its results reach. Each op on the way
//    counts one; loops, branches and slots only pass values on. The way ends at
//    a transfer that the program wrote;
// 2. if several are equally near, or none is reached, the one device of its
//    operands: a pinned operand's own, a free operand's by 1 and 2, a slot's
//    by what is written to it;
// 3. if there is none or several again: the cpu if a loader is made of it, else
//    the standard device.
//
// Files, loaders and callers have their tensors at home on the cpu, and a
// constructor runs wherever it is asked for: neither pins anything.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FREEVALUES_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FREEVALUES_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {

/// Whether it is the type of a tensor without a place.
bool isFree(mlir::Type type);

class FreeValues {
public:
  FreeValues(mlir::ModuleOp module, Place standard);

  /// The device of a free value.
  Place get(mlir::Value value) const;
  /// The device of a slot, which a free value is written to.
  Place get(mlir::StringAttr slot) const;

private:
  using Places = llvm::SmallVector<Place, 1>;

  /// What one decision is made for: an op, a value that a loop or branch passes
  /// on, a slot.
  struct Origin {
    bool isComputed = false;    ///< by an op: it counts on the way
    bool isConstructed = false; ///< anywhere
    bool isSlot = false;
    bool isForLoader = false;
    /// Free origins that it is computed from.
    llvm::SmallVector<unsigned> sources;
    /// The nearest pinned devices that it reaches, and how many ops are
    /// between; -1: none.
    Places reached;
    int distance = -1;
    /// Candidates by 1 and 2; one decides.
    Places pins;
  };

  Place getDecision(const Origin &origin) const;
  unsigned add();
  unsigned add(mlir::StringAttr slot);
  std::optional<unsigned> find(mlir::Value value) const;

  void findWrittenMoves(mlir::ModuleOp module);
  void addOrigins(mlir::Operation *op);
  void addSource(unsigned origin, mlir::Value value);
  void connect(mlir::Operation *op);
  void connectTransfer(ToDeviceOp op);
  void reach(unsigned origin, const Place &place);
  void reachSlot(mlir::StringAttr slot, const Place &place);
  void spreadReached();
  void spreadPins();
  void spreadLoaders();

  Place standard;
  llvm::DenseSet<mlir::StringAttr> moved;
  std::vector<Origin> origins;
  llvm::DenseMap<mlir::Value, unsigned> values;
  llvm::MapVector<mlir::StringAttr, unsigned> slots;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_FREEVALUES_H
