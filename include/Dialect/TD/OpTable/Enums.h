//===- Enums.h - the enums of td, without MLIR ----------------------------===//
//
// DeviceKind, SlotKind, CopyRole, ComparePredicate, ReduceKind and Distribution
// are written once, in TDBase.td, and generated for both sides: the checker,
// which links no MLIR, and the dialect. The generated text also names two
// templates of MLIR: FieldParser, which it declares itself, and FailureOr,
// which is declared here. So MLIR's headers are not needed.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_ENUMS_H
#define TDC_DIALECT_TD_OPTABLE_ENUMS_H

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>

namespace mlir {
using llvm::FailureOr;
} // namespace mlir

#include "Dialect/TD/IR/TDEnums.h.inc"

#endif // TDC_DIALECT_TD_OPTABLE_ENUMS_H
