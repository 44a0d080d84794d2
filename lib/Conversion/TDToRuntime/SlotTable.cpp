//===- SlotTable.cpp - where the slots of a program lie -------------------===//

#include "SlotTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tdc {

int64_t getByteSize(RankedTensorType type) {
  return type.getNumElements() * byteSize(td::getDType(type.getElementType()));
}

SlotTable::SlotTable(ModuleOp module) {
  for (auto op : module.getOps<td::SlotOp>()) {
    int32_t index = rows.size();
    indexes[op.getSymNameAttr()] = index;
    rows.push_back({op, llvm::cast<RankedTensorType>(op.getType()),
                    op->getAttrOfType<DenseI64ArrayAttr>("layout"), index});
  }
  for (td::SlotKind kind : {td::SlotKind::Param, td::SlotKind::Buffer,
                            td::SlotKind::Moment, td::SlotKind::Grad})
    for (SlotRow &row : rows)
      if (row.op.getKind() == kind) {
        row.offset = bytes;
        bytes = llvm::alignTo(bytes + getByteSize(row.type), kAlignment);
      }
}

} // namespace tdc
