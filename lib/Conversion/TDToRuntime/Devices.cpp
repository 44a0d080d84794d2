//===- Devices.cpp - GPUs: transfers, handles, queries --------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "FunctionLowering.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void FunctionLowering::transfer(Location location, Value to, int32_t toDevice,
                                Value from, int32_t fromDevice, Value bytes,
                                bool isImplied) {
  int32_t row =
      code.globals.addTransfer(location, fromDevice, toDevice, isImplied);
  code.callChecked(runtime::tdrt_transfer,
                   {code.getContext(), code.int32(row), to, from, bytes});
}

Location FunctionLowering::getCopyLocation(Operation *copy) {
  td::SlotOp slot = td::getSlotOfCopy(copy->getResult(0), copy->getOperand(0));
  return slot ? td::getCopyLocation(slot, copy->getLoc()) : copy->getLoc();
}

LogicalResult FunctionLowering::lower(td::ToDeviceOp op) {
  Value input = op.getInput(), result = op.getResult();
  int32_t from = getDevice(input.getType()), to = getDevice(result.getType());
  define(result, getSizes(input));
  if (from == to)
    copyTensor(getPointer(result), input);
  else
    transfer(getCopyLocation(op), getPointer(result), to, getPointer(input),
             from, getNumBytes(input), op.getImplied());
  return success();
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//
// Every handle of the IR owns one reference, which is released at the end of
// the block that defines it; a value that receives the handle there gets a
// reference of its own.

LogicalResult FunctionLowering::lower(td::HandleOp op) {
  Value input = op.getInput();
  Value handle = code.getScratchValue(), data = code.getScratchTensor();
  code.callChecked(runtime::tdrt_handle_create,
                   {code.getContext(), code.int32(getDevice(input.getType())),
                    getNumBytes(input), code.site(), handle, data});
  tensors[op.getResult()] = {code.load(code.pointer, handle), getSizes(input)};
  copyTensor(code.load(code.pointer, data), input);
  return success();
}

/// The replica belongs to the handle, which lives as long: to the end of its
/// block.
LogicalResult FunctionLowering::lower(td::ReplicaGetOp op) {
  Value result = op.getResult();
  int32_t transfer = code.globals.addTransfer(op.getLoc(), kAnyDevice,
                                              getDevice(result.getType()),
                                              op->hasAttr(td::kImpliedAttr));
  Value data = code.getScratchValue();
  code.callChecked(runtime::tdrt_handle_get,
                   {code.getContext(), tensors[op.getHandle()].pointer,
                    code.int32(transfer), data});
  tensors[result] = {code.load(code.pointer, data), getSizes(op.getHandle())};
  return success();
}

LogicalResult FunctionLowering::lower(td::ReadHandleOp op) {
  auto type = llvm::cast<td::HandleType>(op.getResult().getType()).getTensor();
  Value address = getPointerAddress(op.getSlotAttr());
  // A handle of run-time size has been written before.
  int64_t bytes = type.hasStaticShape() ? getByteSize(type) : 0;
  Value handle = code.getScratchValue();
  code.callChecked(
      runtime::tdrt_handle_read,
      {code.getContext(), address, code.int64(bytes), code.site(), handle});
  tensors[op.getResult()] = {code.load(code.pointer, handle),
                             loadSizes(address, type)};
  return success();
}

LogicalResult FunctionLowering::lower(td::WriteHandleOp op) {
  Value address = getPointerAddress(op.getSlotAttr());
  code.call(runtime::tdrt_handle_write,
            {code.getContext(), address, tensors[op.getHandle()].pointer});
  storeSizesAfter(address, getSizes(op.getHandle()));
  return success();
}

LogicalResult FunctionLowering::lower(td::MoveOp op) {
  int32_t transfer = code.globals.addTransfer(
      td::getCopyLocation(td::findSlot(op, op.getSlotAttr().getAttr()),
                          op.getLoc()),
      kAnyDevice, getDevice(td::getPlace(op.getDevice())), op.getImplied());
  code.callChecked(runtime::tdrt_handle_move,
                   {code.getContext(), getPointerAddress(op.getSlotAttr()),
                    code.int32(transfer)});
  return success();
}

void FunctionLowering::releaseHandles(Block &block) {
  auto release = [&](Value value) {
    if (isHandle(value) && !value.getDefiningOp<ub::PoisonOp>())
      code.call(runtime::tdrt_handle_release,
                {code.getContext(), tensors[value].pointer});
  };
  llvm::for_each(block.getArguments(), release);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), release);
}

//===----------------------------------------------------------------------===//
// The module `cuda`
//===----------------------------------------------------------------------===//

LogicalResult FunctionLowering::lower(td::CudaDeviceNameOp op) {
  Value name = code.getScratchValue();
  code.callChecked(runtime::tdrt_cuda_device_name,
                   {code.getContext(), op.getIndex(), code.site(), name});
  strings[op.getResult()] = code.load(code.pointer, name);
  return success();
}

LogicalResult FunctionLowering::lower(td::CudaTotalMemoryOp op) {
  Value bytes = code.getScratchValue();
  code.callChecked(runtime::tdrt_cuda_total_memory,
                   {code.getContext(), op.getIndex(), code.site(), bytes});
  op.replaceAllUsesWith(code.load(code.i64, bytes));
  return success();
}

LogicalResult FunctionLowering::lower(td::CudaSynchronizeOp) {
  code.callChecked(runtime::tdrt_cuda_synchronize,
                   {code.getContext(), code.site()});
  return success();
}

} // namespace tdc
