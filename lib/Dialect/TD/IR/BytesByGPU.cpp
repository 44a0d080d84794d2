//===- BytesByGPU.cpp - attributes with the bytes of GPUs -----------------===//

#include "Dialect/TD/IR/BytesByGPU.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tdc::td {

BytesByGPU getBytesByGPU(ModuleOp module, llvm::StringRef attribute) {
  BytesByGPU bytes;
  if (auto rows = module->getAttrOfType<DictionaryAttr>(attribute))
    for (NamedAttribute row : rows)
      bytes[row.getName().str()] = cast<IntegerAttr>(row.getValue()).getInt();
  return bytes;
}

void setBytesByGPU(ModuleOp module, llvm::StringRef attribute,
                   const BytesByGPU &bytes) {
  Builder builder(module.getContext());
  llvm::SmallVector<NamedAttribute> rows;
  for (const auto &[gpu, count] : bytes)
    rows.push_back(builder.getNamedAttr(gpu, builder.getI64IntegerAttr(count)));
  if (!rows.empty())
    module->setAttr(attribute, builder.getDictionaryAttr(rows));
}

} // namespace tdc::td
