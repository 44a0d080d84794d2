//===- DeviceBuilder.cpp - thread numbers, exchange, shared memory --------===//

#include "DeviceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tdc {

/// NVVM's address space of shared memory.
constexpr unsigned kSharedSpace = 3;

Value DeviceBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

Value DeviceBuilder::add(Value one, Value other) {
  return arith::AddIOp::create(b, loc, one, other);
}

Value DeviceBuilder::multiply(Value value, int64_t factor) {
  return arith::MulIOp::create(b, loc, value, i32(factor));
}

Value DeviceBuilder::divide(Value value, int64_t divisor) {
  return arith::DivUIOp::create(b, loc, value, i32(divisor));
}

Value DeviceBuilder::modulo(Value value, int64_t divisor) {
  return arith::RemUIOp::create(b, loc, value, i32(divisor));
}

Value DeviceBuilder::getThread() {
  return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
}

Value DeviceBuilder::getBlock() {
  return NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
}

Value DeviceBuilder::getBlockCount() {
  return NVVM::GridDimXOp::create(b, loc, b.getI32Type());
}

/// shfl moves 32 bits: narrower values are widened, wider ones moved in halves.
Value DeviceBuilder::exchange(Value value, int64_t mask) {
  Type type = value.getType(), word = b.getI32Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32) {
    auto integer = type == word
                       ? value
                       : Value(LLVM::BitcastOp::create(b, loc, word, value));
    Value other = NVVM::ShflOp::create(
        b, loc, word, i32(-1), integer, i32(mask), i32(gpu::kWarpSize - 1),
        NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
    return type == word ? other
                        : Value(LLVM::BitcastOp::create(b, loc, type, other));
  }
  if (bits < 32) {
    Value wide = arith::ExtUIOp::create(b, loc, word, value);
    return arith::TruncIOp::create(b, loc, type, exchange(wide, mask));
  }
  Type both = VectorType::get({2}, word);
  Value halves = LLVM::BitcastOp::create(b, loc, both, value);
  for (int64_t half = 0; half < 2; ++half) {
    Value part = LLVM::ExtractElementOp::create(b, loc, halves, i32(half));
    halves = LLVM::InsertElementOp::create(b, loc, halves, exchange(part, mask),
                                           i32(half));
  }
  return LLVM::BitcastOp::create(b, loc, type, halves);
}

void DeviceBuilder::wait() { NVVM::Barrier0Op::create(b, loc); }

SharedArray DeviceBuilder::makeShared(Type element, int64_t count) {
  if (element.isInteger(1)) // a bool takes a byte
    element = b.getI8Type();
  constexpr int64_t alignment = 16;
  SharedArray array = {element, sharedBytes};
  sharedBytes +=
      llvm::alignTo(count * element.getIntOrFloatBitWidth() / 8, alignment);
  return array;
}

Value DeviceBuilder::getAddress(const SharedArray &array, Value index) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, kSharedMemory);
  if (array.offset)
    base = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(array.offset)});
  return LLVM::GEPOp::create(b, loc, pointer, array.element, base,
                             ValueRange{index});
}

void DeviceBuilder::store(const SharedArray &array, Value index, Value value) {
  if (value.getType() != array.element)
    value = arith::ExtUIOp::create(b, loc, array.element, value);
  LLVM::StoreOp::create(b, loc, value, getAddress(array, index));
}

Value DeviceBuilder::load(const SharedArray &array, Value index, Type type) {
  Value value =
      LLVM::LoadOp::create(b, loc, array.element, getAddress(array, index));
  if (type == array.element)
    return value;
  return arith::TruncIOp::create(b, loc, type, value);
}

} // namespace tdc
