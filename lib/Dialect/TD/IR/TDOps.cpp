//===- TDOps.cpp - the generated code of all ops --------------------------===//
//
// In a file of its own because it takes longest to compile. The code written by
// hand is in one file per family.
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
