//===- TDOps.td - all ops of td -------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDOPS_TD
#define TDC_DIALECT_TD_IR_TDOPS_TD

include "Dialect/TD/IR/TDAffineOps.td"
include "Dialect/TD/IR/TDElementwiseOps.td"
include "Dialect/TD/IR/TDHostOps.td"
include "Dialect/TD/IR/TDKernelOps.td"
include "Dialect/TD/IR/TDReductionOps.td"
include "Dialect/TD/IR/TDScheduleOps.td"
include "Dialect/TD/IR/TDShapeOps.td"
include "Dialect/TD/IR/TDStateOps.td"
include "Dialect/TD/IR/TDTransferOps.td"

#endif // TDC_DIALECT_TD_IR_TDOPS_TD
