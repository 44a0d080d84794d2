//===- FreeValues.h - devices for tensors without a place -----------------===//
//
// The device follows from rules, never from costs, so that the author of the
// program can predict it. A free op runs on
//
// 1. the nearest pinned device that its results reach. Each compute op on the
//    path counts one; loops, branches and slots only pass values on and count
//    nothing. The path ends at a transfer that the program wrote;
// 2. if several are equally near, or none is reached, the device of its
//    operands, if they have only one: a pinned operand has its own device, a
//    free operand the device by rules 1 and 2, a slot the device of the values
//    that are written to it;
// 3. if the operands have no device or several: the cpu if a loader is made
//    from the result, else the standard device.
//
// The home of the tensors of files, loaders and callers is the cpu, and a
// constructor runs wherever its result is needed: neither pins anything.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FREEVALUES_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FREEVALUES_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {

/// Whether `type` is a tensor type without a place.
bool isFree(mlir::Type type);

class FreeValues {
public:
  FreeValues(mlir::ModuleOp module, Place standard);

  /// The device of a free value.
  Place get(mlir::Value value) const;
  /// The device of a slot to which a free value is written.
  Place get(mlir::StringAttr slot) const;

private:
  using Places = llvm::SmallVector<Place, 1>;

  /// The unit of a decision: an op, a value that a loop or branch passes on, or
  /// a slot.
  struct Origin {
    bool isComputed = false;    ///< by a compute op, which counts one
    bool isConstructed = false; ///< by a constructor, which runs anywhere
    bool isSlot = false;
    bool isForLoader = false;
    /// Free origins that it is computed from.
    llvm::SmallVector<unsigned> sources;
    /// The nearest pinned devices that it reaches, and the number of compute
    /// ops in between; -1: none is reached.
    Places reached;
    int distance = -1;
    /// Candidates by rules 1 and 2; a single one decides.
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
