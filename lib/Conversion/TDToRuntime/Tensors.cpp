//===- Tensors.cpp - slots, random numbers, buffers -----------------------===//

#include "FunctionLowering.h"
#include "mlir/IR/Matchers.h"
#include "tdc_runtime.h"
#include <cstddef>

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Buffers and sizes
//===----------------------------------------------------------------------===//

Value FunctionLowering::getPointer(Value tensor) {
  Value root = getRoot(tensor);
  const Storage &storage = plan.getStorage(root);
  switch (storage.kind) {
  case Storage::Kind::Arena:
  case Storage::Kind::Slot:
    return getArenaPointer(storage);
  case Storage::Kind::Constant: {
    DenseElementsAttr elements;
    matchPattern(root, m_Constant(&elements));
    if (storage.device != 0)
      return code.arenaAddress(
          storage.device, slots.getLiteralOffset(elements, storage.device));
    return code.addressOf(code.globals.getElements(elements));
  }
  case Storage::Kind::Input:
  case Storage::Kind::Heap:
  case Storage::Kind::Ring:
    return tensors[root].pointer;
  case Storage::Kind::None:
    break;
  }
  llvm_unreachable("a tensor without memory");
}

Value FunctionLowering::getSize(Value tensor, int64_t dim) {
  RankedTensorType type = getType(tensor);
  if (!type.isDynamicDim(dim))
    return code.int64(type.getDimSize(dim));
  return getSizes(tensor)[type.getDynamicDimIndex(dim)];
}

Value FunctionLowering::getNumElements(Value tensor) {
  int64_t known = 1;
  for (int64_t size : getType(tensor).getShape())
    if (!ShapedType::isDynamic(size))
      known *= size;
  Value count = code.int64(known);
  for (Value size : getSizes(tensor))
    count = LLVM::MulOp::create(code.builder, code.getLocation(), count, size);
  return count;
}

Value FunctionLowering::getNumBytes(Value tensor) {
  RankedTensorType type = getType(tensor);
  if (type.hasStaticShape())
    return code.int64(getByteSize(type));
  return LLVM::MulOp::create(
      code.builder, code.getLocation(), getNumElements(tensor),
      code.int64(byteSize(td::getDType(type.getElementType()))));
}

void FunctionLowering::define(Value result, ValueRange sizes) {
  tensors[result].sizes.assign(sizes.begin(), sizes.end());
  if (getRoot(result) == result && isHeap(result)) {
    Value input = plan.getTakenOver(result);
    Value pointer = input ? getPointer(input)
                          : allocate(result, getDevice(result.getType()));
    tensors[result].pointer = pointer;
  } else if (td::CopyStartOp copy = getRingCopy(result)) {
    tensors[result].pointer =
        getIterationPointer(plan.getStorage(result), copy.getIteration());
  }
}

Value FunctionLowering::allocate(Value like, int32_t device) {
  Value sizes = code.getScratchSizes();
  storeSizes(like, sizes);
  Value pointer = code.getScratchValue();
  code.callChecked(runtime::tdrt_alloc_tensor,
                   {code.getContext(), code.int32(device), getDType(like),
                    code.int32(getType(like).getRank()), sizes, code.site(),
                    pointer});
  return code.load(code.pointer, pointer);
}

void FunctionLowering::storeSizes(Value tensor, Value to) {
  for (int64_t dim = 0; dim < getType(tensor).getRank(); ++dim)
    code.store(getSize(tensor, dim), code.address(to, dim * sizeof(int64_t)));
}

void FunctionLowering::fillDescriptor(Value descriptor, Value tensor,
                                      Value pointer, Value sizes) {
  auto field = [&](size_t offset) { return code.address(descriptor, offset); };
  code.store(pointer, field(offsetof(tdrt_tensor, data)));
  code.store(getDType(tensor), field(offsetof(tdrt_tensor, dtype)));
  code.store(code.int32(getType(tensor).getRank()),
             field(offsetof(tdrt_tensor, rank)));
  code.store(sizes, field(offsetof(tdrt_tensor, dims)));
}

Value FunctionLowering::describe(Value tensor) {
  Value sizes;
  if (getType(tensor).hasStaticShape()) {
    sizes = code.addressOf(code.globals.getSizes(getType(tensor)));
  } else {
    sizes = code.getScratchSizes();
    storeSizes(tensor, sizes);
  }
  Value descriptor = code.getScratchTensor();
  fillDescriptor(descriptor, tensor, getPointer(tensor), sizes);
  return descriptor;
}

void FunctionLowering::copyBytes(int32_t device, Value to, Value from,
                                 Value bytes) {
  if (device == 0)
    code.copy(to, from, bytes);
  else
    code.callChecked(
        runtime::tdrt_copy_on_device,
        {code.getContext(), code.int32(device), to, from, bytes, code.site()});
}

void FunctionLowering::copyTensor(Value to, Value tensor) {
  copyBytes(getDevice(tensor.getType()), to, getPointer(tensor),
            getNumBytes(tensor));
}

void FunctionLowering::freeDead(Operation *op) {
  for (Value root : plan.getDeadAfter(op))
    code.call(runtime::tdrt_free,
              {code.getContext(), code.int32(getDevice(root.getType())),
               tensors[root].pointer});
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value FunctionLowering::getPointerAddress(FlatSymbolRefAttr slot) {
  return code.arenaAddress(/*device=*/0, slots.getPointerOffset(slot));
}

llvm::SmallVector<Value, 2> FunctionLowering::loadSizes(Value address,
                                                        RankedTensorType type) {
  llvm::SmallVector<Value, 2> sizes;
  for (size_t i = 1; i <= type.getNumDynamicDims(); ++i)
    sizes.push_back(
        code.load(code.i64, code.address(address, i * sizeof(int64_t))));
  return sizes;
}

void FunctionLowering::storeSizesAfter(Value address, ValueRange sizes) {
  for (auto [i, size] : llvm::enumerate(sizes))
    code.store(size, code.address(address, (i + 1) * sizeof(int64_t)));
}

LogicalResult FunctionLowering::lower(td::ReadOp op) {
  Value result = op.getResult();
  if (!slots.isPlanned(op.getSlotAttr())) {
    Value address = getPointerAddress(op.getSlotAttr());
    tensors[result] = {code.load(code.pointer, address),
                       loadSizes(address, op.getType())};
    return success();
  }
  if (plan.getStorage(result).kind == Storage::Kind::Slot)
    return success();
  const SlotRow &slot = slots.get(op.getSlotAttr());
  if (op->hasAttr(kRowMajorAttr))
    code.call(runtime::tdrt_slot_read,
              {code.getContext(), code.int32(slot.index), getPointer(result)});
  else
    copyBytes(slot.device, getPointer(result),
              code.arenaAddress(slot.device, slot.offset), getNumBytes(result));
  return success();
}

LogicalResult FunctionLowering::lower(td::WriteOp op) {
  Value value = op.getValue();
  if (!slots.isPlanned(op.getSlotAttr())) {
    Value pointer = getPointer(value);
    if (!plan.isHandedOver(op.getValueMutable())) {
      pointer = allocate(value, getDevice(value.getType()));
      copyTensor(pointer, value);
    }
    Value address = getPointerAddress(op.getSlotAttr());
    code.store(pointer, address);
    storeSizesAfter(address, getSizes(value));
    return success();
  }
  const SlotRow &slot = slots.get(op.getSlotAttr());
  const Storage &storage = plan.getStorage(value);
  if (storage.kind == Storage::Kind::Slot && storage.device == slot.device &&
      storage.buffer.offset == slot.offset)
    return success();
  if (slot.layout && !writesPhysicalOrder(op))
    code.call(runtime::tdrt_slot_write,
              {code.getContext(), code.int32(slot.index), getPointer(value)});
  else
    copyTensor(code.arenaAddress(slot.device, slot.offset), value);
  return success();
}

/// Loads the only element as i64, f64 or i1.
Value FunctionLowering::loadItem(Value tensor) {
  Type type = getType(tensor).getElementType();
  Location loc = code.getLocation();
  Value pointer = getPointer(tensor);
  if (type.isF64())
    return code.load(type, pointer);
  if (isa<FloatType>(type)) {
    // An arith op, so that a conversion that the processor lacks is expanded as
    // in kernels.
    Value number = code.load(type, pointer);
    if (!type.isF32())
      number = arith::ExtFOp::create(code.builder, loc,
                                     code.builder.getF32Type(), number);
    return arith::ExtFOp::create(code.builder, loc, code.builder.getF64Type(),
                                 number);
  }
  if (type.isInteger(1))
    return code.compare(
        LLVM::ICmpPredicate::ne, code.load(code.i8, pointer),
        LLVM::ConstantOp::create(code.builder, loc, code.i8, 0));
  // Memory types are signless.
  unsigned width = type.getIntOrFloatBitWidth();
  Value element = code.load(code.builder.getIntegerType(width), pointer);
  if (width == 64)
    return element;
  if (type.isUnsignedInteger())
    return LLVM::ZExtOp::create(code.builder, loc, code.i64, element);
  return LLVM::SExtOp::create(code.builder, loc, code.i64, element);
}

LogicalResult FunctionLowering::lower(td::ItemOp op) {
  op.replaceAllUsesWith(loadItem(op.getInput()));
  return success();
}

LogicalResult FunctionLowering::lower(td::DimOp op) {
  op.replaceAllUsesWith(getSize(op.getInput(), op.getIndex()));
  return success();
}

/// The result is an alias of the operand's bytes.
LogicalResult FunctionLowering::lower(td::ReshapeOp op) {
  define(op.getResult(), op.getSizes());
  return success();
}

LogicalResult FunctionLowering::lower(td::SeedOp op) {
  code.call(runtime::tdrt_seed, {code.getContext(), op.getValue()});
  return success();
}

LogicalResult FunctionLowering::lower(td::RandomOp op) {
  Value result = op.getResult();
  Type type = getType(result).getElementType();
  define(result, op.getSizes());
  if (op.getDistribution() == td::Distribution::Permutation) {
    code.call(runtime::tdrt_random_permutation_i64,
              {getPointer(result), getNumElements(result), op.getSeed(),
               op.getCall()});
    return success();
  }
  bool isWide = type.isF64() || type.isInteger(64);
  if (!isWide && !type.isF32() && !type.isInteger(32))
    return op.emitOpError("makes f32, f64, i32 and i64 only; cast the result");

  Value first = code.int64(0);
  if (op.getDistribution() == td::Distribution::RandInt) {
    code.callChecked(isWide ? runtime::tdrt_random_randint_i64
                            : runtime::tdrt_random_randint_i32,
                     {code.getContext(), getPointer(result), first,
                      getNumElements(result), op.getSeed(), op.getCall(),
                      op.getBounds()[0], op.getBounds()[1], code.site()});
    return success();
  }
  bool isNormal = op.getDistribution() == td::Distribution::Normal;
  auto narrow = isNormal ? runtime::tdrt_random_normal_f32
                         : runtime::tdrt_random_uniform_f32;
  auto wide = isNormal ? runtime::tdrt_random_normal_f64
                       : runtime::tdrt_random_uniform_f64;
  code.call(isWide ? wide : narrow,
            {getPointer(result), first, getNumElements(result), op.getSeed(),
             op.getCall()});
  return success();
}

LogicalResult FunctionLowering::lower(td::NextRandomOp op) {
  Value seed = code.getScratchValue();
  Value number =
      code.call(runtime::tdrt_next_random, {code.getContext(), seed});
  op.getSeed().replaceAllUsesWith(code.load(code.i64, seed));
  op.getCall().replaceAllUsesWith(number);
  return success();
}

/// A select of scalars is moved as it is; a select of tensors copies the chosen
/// tensor.
LogicalResult FunctionLowering::lower(arith::SelectOp op) {
  Value result = op.getResult();
  auto choose = [&](Value onTrue, Value onFalse) -> Value {
    return LLVM::SelectOp::create(code.builder, op.getLoc(), op.getCondition(),
                                  onTrue, onFalse);
  };
  if (isString(result)) {
    strings[result] = choose(get(op.getTrueValue()), get(op.getFalseValue()));
  } else if (isTensor(result)) {
    llvm::SmallVector<Value> sizes;
    for (auto [onTrue, onFalse] :
         llvm::zip(getSizes(op.getTrueValue()), getSizes(op.getFalseValue())))
      sizes.push_back(choose(onTrue, onFalse));
    define(result, sizes);
    copyBytes(
        getDevice(result.getType()), getPointer(result),
        choose(getPointer(op.getTrueValue()), getPointer(op.getFalseValue())),
        getNumBytes(result));
  } else {
    Block *block = code.builder.getInsertionBlock();
    op->moveBefore(block, block->end());
  }
  return success();
}

} // namespace tdc
