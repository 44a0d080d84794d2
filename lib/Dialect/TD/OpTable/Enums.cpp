//===- Enums.cpp - spelling of the enums of td ----------------------------===//

#include "Dialect/TD/OpTable/Enums.h"
#include "llvm/ADT/StringSwitch.h"

#include "Dialect/TD/IR/TDEnums.cpp.inc"
