//===- Schedule.cpp - asynchronous copies ---------------------------------===//

#include "FunctionLowering.h"

using namespace mlir;

namespace tdc {

Value FunctionLowering::getIterationPointer(const Storage &ring,
                                            Value iteration) {
  Location loc = code.getLocation();
  Value odd = LLVM::AndOp::create(code.builder, loc, iteration, code.int64(1));
  Value offset = LLVM::MulOp::create(code.builder, loc, odd,
                                     code.int64(ring.buffer.bytes / 2));
  return LLVM::GEPOp::create(code.builder, loc, code.pointer, code.i8,
                             getArenaPointer(ring), LLVM::GEPArg(offset),
                             LLVM::GEPNoWrapFlags::inbounds);
}

LogicalResult FunctionLowering::lower(td::NoTicketOp op) {
  tickets[op.getResult()] = code.int64(0);
  return success();
}

LogicalResult FunctionLowering::lower(td::MarkOp op) {
  Value ticket = code.getScratchValue();
  code.callChecked(runtime::tdrt_mark,
                   {code.getContext(),
                    code.int32(getDevice(td::getPlace(op.getDevice()))),
                    code.site(), ticket});
  tickets[op.getTicket()] = code.load(code.i64, ticket);
  return success();
}

LogicalResult FunctionLowering::lower(td::CopyStartOp op) {
  Value input = op.getInput(), result = op.getResult();
  define(result, getSizes(input));
  int32_t row =
      code.globals.addTransfer(getCopyLocation(op), getDevice(input.getType()),
                               getDevice(result.getType()), op.getImplied());
  bool isWaitedFor = !op.getTicket().use_empty();
  Value ticket = isWaitedFor ? code.getScratchValue() : code.null();
  code.callChecked(runtime::tdrt_copy_start,
                   {code.getContext(), code.int32(row), getPointer(result),
                    getPointer(input), getNumBytes(input),
                    op.getAfter() ? tickets[op.getAfter()] : code.int64(0),
                    ticket});
  if (isWaitedFor)
    tickets[op.getTicket()] = code.load(code.i64, ticket);
  return success();
}

LogicalResult FunctionLowering::lower(td::CopyWaitOp op) {
  code.callChecked(runtime::tdrt_copy_wait,
                   {code.getContext(),
                    code.int32(getDevice(td::getPlace(op.getDevice()))),
                    tickets[op.getTicket()], code.site()});
  return success();
}

} // namespace tdc
