//===- FlowNames.h - names of values and slots, and their webs ------------===//

#ifndef TDC_LIB_DIALECT_TD_ANALYSIS_PLACEMENT_FLOWNAMES_H
#define TDC_LIB_DIALECT_TD_ANALYSIS_PLACEMENT_FLOWNAMES_H

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// The slots that an op, with the ops inside of it, reads and writes.
struct SlotAccess {
  llvm::SetVector<mlir::StringAttr> read, written;
};

/// The names of values and slots, and which names matter. A web does not matter
/// if its values are made and needed on one device and no transfer touches it.
class FlowNames {
public:
  FlowNames(mlir::ModuleOp module, ValueFlow &flow,
            llvm::function_ref<bool(mlir::Operation *)> isMovable);

  /// The name of a tensor value; none if its web does not matter.
  std::optional<unsigned> find(mlir::Value value) const;
  std::optional<unsigned> find(mlir::StringAttr slot) const;

  /// The device on which a value is made; nullopt for values that are only
  /// passed on.
  std::optional<unsigned> getHome(mlir::Value value);

  const SlotAccess &getSlotAccess(mlir::Operation *op) const {
    return accesses.find(op)->second;
  }
  /// Whether a name is needed in a segment of a block or after it.
  bool isLive(unsigned name, mlir::Block *block, unsigned segment) const {
    auto last = lastUse.find({name, block});
    return last != lastUse.end() && segment <= last->second;
  }
  unsigned getSegment(mlir::Operation *op) const {
    return segments.find(op)->second;
  }

private:
  unsigned add(mlir::Value value);
  unsigned add(mlir::StringAttr slot);
  void nameOp(mlir::Operation *op);
  void join(mlir::Value a, mlir::Value b);
  void number(mlir::Block &block);
  void findActive(mlir::ModuleOp module,
                  llvm::function_ref<bool(mlir::Operation *)> isMovable);
  void findLastUses(mlir::ModuleOp module);
  void collectSlots(mlir::Operation *op);

  ValueFlow &flow;
  llvm::DenseMap<mlir::Value, unsigned> values;
  llvm::DenseMap<mlir::StringAttr, unsigned> slots;
  llvm::EquivalenceClasses<unsigned> webs;
  std::vector<bool> touched; ///< by name
  std::vector<bool> active;  ///< by name
  llvm::DenseMap<mlir::Operation *, unsigned> segments;
  llvm::DenseMap<std::pair<unsigned, mlir::Block *>, unsigned> lastUse;
  llvm::DenseMap<mlir::Operation *, SlotAccess> accesses;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_ANALYSIS_PLACEMENT_FLOWNAMES_H
