//===- SlotTable.cpp - offsets of a program's slots -----------------------===//

#include "SlotTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tdc {

int64_t getByteSize(RankedTensorType type) {
  return type.getNumElements() * byteSize(td::getDType(type.getElementType()));
}

int32_t getDevice(Type tensor) {
  return getDevice(td::getPlace(llvm::cast<RankedTensorType>(tensor)));
}

int32_t getDevice(const Place &place) {
  return place.kind == Place::Kind::Cuda ? 1 + int32_t(place.ordinal) : 0;
}

void SlotTable::countDevices(ModuleOp module) {
  used.resize(1, true);
  auto add = [&](uint32_t device) {
    if (device >= used.size())
      used.resize(device + 1);
    used.set(device);
  };
  auto look = [&](Type type) {
    if (isa<RankedTensorType>(type))
      add(getDevice(type));
  };
  module.walk([&](Operation *op) {
    if (auto slot = dyn_cast<td::SlotOp>(op))
      look(slot.getType());
    if (auto move = dyn_cast<td::MoveOp>(op))
      add(getDevice(td::getPlace(move.getDevice())));
    llvm::for_each(op->getResultTypes(), look);
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      llvm::for_each(function.getArgumentTypes(), look);
  });
  // A version for a machine with this many GPUs needs them all, used or not.
  if (auto gpus = module->getAttrOfType<IntegerAttr>(td::kGpusAttr))
    used.resize(std::max<int64_t>(used.size(), 1 + gpus.getInt()));
  bytes.assign(used.size(), 0);
}

int64_t SlotTable::take(int32_t device, int64_t size) {
  int64_t offset = bytes[device];
  bytes[device] = llvm::alignTo(offset + size, kAlignment);
  return offset;
}

void SlotTable::addLiterals(ModuleOp module) {
  module.walk([&](td::ConstantOp op) {
    int32_t device = getDevice(op.getType());
    if (device == 0)
      return;
    auto value = llvm::cast<DenseElementsAttr>(op.getValue());
    auto [known, isNew] = literalOffsets.try_emplace({value, device}, 0);
    if (!isNew)
      return;
    known->second = take(
        device, getByteSize(llvm::cast<RankedTensorType>(value.getType())));
    literals.push_back({value, device, known->second});
  });
}

SlotTable::SlotTable(ModuleOp module) {
  countDevices(module);
  for (auto op : module.getOps<td::SlotOp>()) {
    auto handle = dyn_cast<td::HandleType>(op.getType());
    auto type = handle ? handle.getTensor()
                       : llvm::cast<RankedTensorType>(op.getType());
    if (handle && op.getKind() != td::SlotKind::Value)
      ++numHandles;
    if (handle || !type.hasStaticShape()) {
      pointers[op.getSymNameAttr()] =
          take(/*device=*/0,
               sizeof(void *) + type.getNumDynamicDims() * sizeof(int64_t));
      continue;
    }
    int32_t index = rows.size();
    indexes[op.getSymNameAttr()] = index;
    std::optional<td::Layout> layout;
    if (auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("layout"))
      layout =
          td::Layout::fromAttribute(attribute.asArrayRef(), type.getRank());
    rows.push_back({op, type, layout, getDevice(type), index});
  }
  for (td::SlotKind kind :
       {td::SlotKind::Param, td::SlotKind::Buffer, td::SlotKind::Moment,
        td::SlotKind::Grad, td::SlotKind::Value})
    for (SlotRow &row : rows)
      if (row.op.getKind() == kind)
        row.offset = take(row.device, getByteSize(row.type));
  addLiterals(module);
}

} // namespace tdc
