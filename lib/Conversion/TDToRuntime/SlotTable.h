//===- SlotTable.h - where the slots of a program lie ---------------------===//
//
// Slots come first in the arena of their device: the pointers of handles and of
// tensors of a run-time size, then all parameters, then buffers, moments,
// gradients and values for exported functions, each group in the order of
// declaration, so that a kernel over all parameters streams through memory.
// A GPU's slots are followed by the literal tensors that it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"

namespace tdc {

/// Every planned buffer starts at a multiple of this many bytes.
inline constexpr int64_t kAlignment = 64;

/// Bytes of a tensor of static size.
int64_t getByteSize(mlir::RankedTensorType type);

/// The device of a tensor as the runtime counts them: 0 is the cpu, 1 + k is
/// cuda:k.
int32_t getDevice(mlir::Type tensor);
int32_t getDevice(const Place &place);

/// Beside the arenas of devices there is one of the host that GPUs copy from
/// and to on their own.
inline constexpr int32_t kPinned = -2;

struct SlotRow {
  td::SlotOp op;
  mlir::RankedTensorType type;
  /// The physical order of the dims, null if row-major.
  mlir::DenseI64ArrayAttr layout;
  int32_t device = 0;
  int32_t index = 0;  ///< in the program's table: order of declaration
  int64_t offset = 0; ///< bytes from the start of the device's arena
};

/// A literal tensor in the arena of a GPU.
struct LiteralRow {
  mlir::DenseElementsAttr value;
  int32_t device;
  int64_t offset;
};

class SlotTable {
public:
  explicit SlotTable(mlir::ModuleOp module);

  llvm::ArrayRef<SlotRow> getRows() const { return rows; }
  llvm::ArrayRef<LiteralRow> getLiterals() const { return literals; }
  const SlotRow &get(mlir::FlatSymbolRefAttr slot) const {
    return rows[indexes.find(slot.getAttr())->second];
  }
  /// Whether a slot holds its tensor itself, and not a pointer.
  bool isPlanned(mlir::FlatSymbolRefAttr slot) const {
    return indexes.contains(slot.getAttr());
  }
  /// Where a slot of handles, or of a tensor of run-time size, lies in the
  /// arena of the cpu: it holds a pointer, and then the sizes that are not
  /// known.
  int64_t getPointerOffset(mlir::FlatSymbolRefAttr slot) const {
    return pointers.find(slot.getAttr())->second;
  }
  /// Slots of state that are handles.
  int32_t getNumHandles() const { return numHandles; }
  int64_t getLiteralOffset(mlir::DenseElementsAttr value,
                           int32_t device) const {
    return literalOffsets.lookup({value, device});
  }
  /// The devices that the program needs, from the cpu on.
  int32_t getNumDevices() const { return bytes.size(); }
  /// Whether tensors of the program are on a device.
  bool isUsed(int32_t device) const { return used.test(device); }
  /// The part of a device's arena that is taken.
  int64_t getBytes(int32_t device) const { return bytes[device]; }

private:
  void countDevices(mlir::ModuleOp module);
  void addLiterals(mlir::ModuleOp module);
  /// Takes so many bytes of a device's arena; gives where they begin.
  int64_t take(int32_t device, int64_t size);

  llvm::SmallVector<SlotRow> rows;
  llvm::DenseMap<mlir::StringAttr, int32_t> indexes;
  llvm::DenseMap<mlir::StringAttr, int64_t> pointers;
  int32_t numHandles = 0;
  llvm::SmallVector<LiteralRow> literals;
  llvm::DenseMap<std::pair<mlir::Attribute, int32_t>, int64_t> literalOffsets;
  llvm::SmallVector<int64_t> bytes; ///< by device
  llvm::BitVector used;             ///< by device
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
