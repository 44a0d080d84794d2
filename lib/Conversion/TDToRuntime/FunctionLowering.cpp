//===- FunctionLowering.cpp - one host function, op by op -----------------===//

#include "FunctionLowering.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tdc_runtime.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace mlir;

namespace tdc {

FunctionLowering::FunctionLowering(func::FuncOp function, llvm::StringRef name,
                                   const SlotTable &slots,
                                   const MemoryPlan &plan, Globals &globals)
    : function(function), slots(slots), plan(plan),
      code(function->getParentOfType<ModuleOp>(), globals, name,
           // An export takes the descriptors of its inputs and outputs.
           function->hasAttr("td.export") ? 2 : 0, slots.getBytes(/*device=*/0),
           function.getLoc()) {}

LogicalResult FunctionLowering::run() {
  findVaryingLaunches();
  lowerInputs();
  return lowerBlock(function.front());
}

LogicalResult FunctionLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    code.setLocation(op.getLoc());
    if (failed(lower(&op)))
      return failure();
    // Values that die at a terminator are freed on the edge that it makes.
    if (!op.hasTrait<OpTrait::IsTerminator>())
      freeDead(&op);
  }
  return success();
}

LogicalResult FunctionLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp, func::ReturnOp,
            arith::SelectOp, td::LaunchOp, td::ReadOp, td::WriteOp,
            td::ReshapeOp, td::DimOp, td::ItemOp, td::RandomOp,
            td::NextRandomOp, td::SeedOp, td::FormatOp, td::StrEqualOp,
            td::PickTextOp, td::PrintOp, td::AssertOp, td::CheckDimOp,
            td::CheckRandIntOp, td::ArgOp, td::EnvOp, td::ExistsOp,
            td::CudaDeviceNameOp, td::CudaTotalMemoryOp, td::CudaSynchronizeOp,
            td::LoadOp, td::SaveTensorOp, td::SaveOp, td::RestoreOp,
            td::RestoreScalarOp, td::ToDeviceOp, td::HandleOp, td::ReplicaGetOp,
            td::ReadHandleOp, td::WriteHandleOp, td::MoveOp, td::NoTicketOp,
            td::MarkOp, td::CopyStartOp, td::CopyWaitOp>(
          [&](auto op) { return lower(op); })
      // A yield is lowered with its parent, a constant at its uses; poison
      // needs no code.
      .Case<scf::YieldOp, td::ConstantOp, ub::PoisonOp>(
          [](auto) { return success(); })
      .Default([&](Operation *op) { return lowerScalar(op); });
}

/// Moves arithmetic on host scalars to the new function unchanged.
LogicalResult FunctionLowering::lowerScalar(Operation *op) {
  auto isForeign = [](Value value) {
    return isTensor(value) || isString(value) || isHandle(value) ||
           isTicket(value);
  };
  if (op->getNumRegions() || isa<td::TDDialect>(op->getDialect()) ||
      llvm::any_of(op->getOperands(), isForeign) ||
      llvm::any_of(op->getResults(), isForeign))
    return op->emitOpError("has no lowering to the runtime");
  Block *block = code.builder.getInsertionBlock();
  op->moveBefore(block, block->end());
  return success();
}

//===----------------------------------------------------------------------===//
// The function's boundary
//===----------------------------------------------------------------------===//

void FunctionLowering::lowerInputs() {
  for (auto [index, input] : llvm::enumerate(function.getArguments())) {
    Value descriptor =
        code.address(code.getArgument(1), index * sizeof(tdrt_tensor));
    Value data = code.load(
        code.pointer, code.address(descriptor, offsetof(tdrt_tensor, data)));
    llvm::SmallVector<Value> sizes;
    if (!getType(input).hasStaticShape()) {
      Value dims = code.load(
          code.pointer, code.address(descriptor, offsetof(tdrt_tensor, dims)));
      for (auto [dim, size] : llvm::enumerate(getType(input).getShape()))
        if (ShapedType::isDynamic(size))
          sizes.push_back(
              code.load(code.i64, code.address(dims, dim * sizeof(int64_t))));
    }
    define(input, sizes);
    if (plan.getStorage(input).kind == Storage::Kind::Input)
      tensors[input].pointer = data;
    else
      transfer(td::getCopyLocation(input), getPointer(input),
               getDevice(input.getType()), data,
               /*fromDevice=*/0, getNumBytes(input), /*isImplied=*/true);
  }
}

LogicalResult FunctionLowering::lower(func::ReturnOp op) {
  code.poll();
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    RankedTensorType type = getType(value);
    Value inside = getPointer(value), pointer = inside;
    int32_t device = getDevice(type);
    if (const Storage *own = plan.getStaging(operand))
      pointer = getArenaPointer(*own);
    else if (plan.getStorage(value).kind == Storage::Kind::Input || device != 0)
      pointer = allocate(value, /*device=*/0);
    if (pointer != inside && device != 0)
      transfer(NameLoc::get(StringAttr::get(op.getContext(), "a result"),
                            op.getLoc()),
               pointer, /*toDevice=*/0, inside, device, getNumBytes(value),
               /*isImplied=*/true);
    else if (pointer != inside)
      copyTensor(pointer, value);
    Value sizes;
    if (const Storage *room = plan.getSizeTable(operand)) {
      sizes = getArenaPointer(*room);
      storeSizes(value, sizes);
    } else {
      sizes = code.addressOf(code.globals.getSizes(type));
    }
    Value descriptor = code.address(
        code.getArgument(2), operand.getOperandNumber() * sizeof(tdrt_tensor));
    fillDescriptor(descriptor, value, pointer, sizes);
  }
  freeDead(op);
  releaseHandles(*op->getBlock());
  code.leave(code.int32(0));
  return success();
}

} // namespace tdc
