//===- SlotTable.h - offsets of a program's slots -------------------------===//
//
// Slots come first in the arena of their device: the pointers of handles and of
// tensors of run-time size, then all parameters, then buffers, moments,
// gradients and values of exported functions, each group in the order of
// declaration, so that a kernel over all parameters streams through memory. A
// GPU's slots are followed by the literal tensors that it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H

#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"

namespace tdc {

/// Every planned buffer starts at a multiple of this many bytes.
inline constexpr int64_t kAlignment = 64;

/// Bytes of a tensor of static size.
int64_t getByteSize(mlir::RankedTensorType type);

/// The runtime's number of a tensor's device: 0 is the cpu, 1 + k is cuda:k.
int32_t getDevice(mlir::Type tensor);
int32_t getDevice(const Place &place);

/// The pseudo device of an arena on the host, apart from the arenas of devices:
/// GPUs copy from and to it asynchronously.
inline constexpr int32_t kPinned = -2;

struct SlotRow {
  td::SlotOp op;
  mlir::RankedTensorType type;
  std::optional<td::Layout> layout; ///< nullopt: row-major
  int32_t device = 0;
  int32_t index = 0;  ///< in the program's table, in order of declaration
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
  /// Whether a slot holds its tensor itself, not a pointer.
  bool isPlanned(mlir::FlatSymbolRefAttr slot) const {
    return indexes.contains(slot.getAttr());
  }
  /// The offset in the cpu's arena of a slot of handles or of a tensor of
  /// run-time size: it holds a pointer, followed by the sizes that are not
  /// static.
  int64_t getPointerOffset(mlir::FlatSymbolRefAttr slot) const {
    return pointers.find(slot.getAttr())->second;
  }
  /// Number of state slots that are handles.
  int32_t getNumHandles() const { return numHandles; }
  int64_t getLiteralOffset(mlir::DenseElementsAttr value,
                           int32_t device) const {
    return literalOffsets.lookup({value, device});
  }
  /// Number of devices that the program needs, the cpu included.
  int32_t getNumDevices() const { return bytes.size(); }
  /// Whether tensors of the program are on a device.
  bool isUsed(int32_t device) const { return used.test(device); }
  /// Bytes of a device's arena that slots and literals take.
  int64_t getBytes(int32_t device) const { return bytes[device]; }

private:
  void countDevices(mlir::ModuleOp module);
  void addLiterals(mlir::ModuleOp module);
  /// Allocates `size` bytes in a device's arena; returns their offset.
  int64_t take(int32_t device, int64_t size);

  llvm::SmallVector<SlotRow> rows;
  llvm::DenseMap<mlir::StringAttr, int32_t> indexes;
  llvm::DenseMap<mlir::StringAttr, int64_t> pointers;
  int32_t numHandles = 0;
  llvm::SmallVector<LiteralRow> literals;
  llvm::DenseMap<std::pair<mlir::Attribute, int32_t>, int64_t> literalOffsets;
  llvm::SmallVector<int64_t> bytes; ///< per device
  llvm::BitVector used;             ///< per device
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_SLOTTABLE_H
