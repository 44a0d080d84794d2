//===- BytesByGPU.h - attributes with the bytes of GPUs -------------------===//
//
// td.memory, td.working_set and td.room of a module are dictionaries from names
// of GPUs to bytes (TD.h).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_BYTESBYGPU_H
#define TDC_DIALECT_TD_IR_BYTESBYGPU_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace tdc::td {

/// The keys are sorted as in such a dictionary.
using BytesByGPU = std::map<std::string, int64_t, std::less<>>;

/// The bytes by GPU; empty if the module does not have the attribute.
BytesByGPU getBytesByGPU(mlir::ModuleOp module, llvm::StringRef attribute);

/// Sets the attribute, unless `bytes` is empty.
void setBytesByGPU(mlir::ModuleOp module, llvm::StringRef attribute,
                   const BytesByGPU &bytes);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_BYTESBYGPU_H
