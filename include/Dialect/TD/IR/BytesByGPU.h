//===- BytesByGPU.h - attributes that say bytes of GPUs ---------*- C++ -*-===//
//
// td.memory, td.working_set and td.room of a module are dictionaries of bytes
// by the names of GPUs (TD.h).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_BYTESBYGPU_H
#define TDC_DIALECT_TD_IR_BYTESBYGPU_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace tdc::td {

/// In the order of such a dictionary.
using BytesByGPU = std::map<std::string, int64_t, std::less<>>;

/// Nothing if the module does not have the attribute.
BytesByGPU getBytesByGPU(mlir::ModuleOp module, llvm::StringRef attribute);

/// Sets the attribute, if there is something to say.
void setBytesByGPU(mlir::ModuleOp module, llvm::StringRef attribute,
                   const BytesByGPU &bytes);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_BYTESBYGPU_H
