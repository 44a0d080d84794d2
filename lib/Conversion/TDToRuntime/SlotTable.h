//===- SlotTable.h - where the slots of a program lie ---------------------===//
//
// Slots come first in the arena: all parameters, then buffers, moments and
// gradients, each group in the order of declaration, so that a kernel over all
// parameters streams through memory.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc {

/// Every planned buffer starts at a multiple of this many bytes.
inline constexpr int64_t kAlignment = 64;

/// Bytes of a tensor of static size.
int64_t getByteSize(mlir::RankedTensorType type);

struct SlotRow {
  td::SlotOp op;
  mlir::RankedTensorType type;
  /// The physical order of the dims, null if row-major.
  mlir::DenseI64ArrayAttr layout;
  int32_t index = 0;  ///< in the program's table: order of declaration
  int64_t offset = 0; ///< bytes from the start of the arena
};

class SlotTable {
public:
  explicit SlotTable(mlir::ModuleOp module);

  llvm::ArrayRef<SlotRow> getRows() const { return rows; }
  const SlotRow &get(mlir::FlatSymbolRefAttr slot) const {
    return rows[indexes.find(slot.getAttr())->second];
  }
  /// The part of the arena that slots take.
  int64_t getBytes() const { return bytes; }

private:
  llvm::SmallVector<SlotRow> rows;
  llvm::DenseMap<mlir::StringAttr, int32_t> indexes;
  int64_t bytes = 0;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
