//===- TDOps.cpp - the generated code of all ops --------------------------===//
//
// On its own because it is the longest to compile; what is written by hand
// stands in one file per family.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

#define GET_OP_CLASSES
#include "Dialect/TD/IR/TDOps.cpp.inc"
