//===- Tensors.cpp - compute ops ------------------------------------------===//
//
// One call, one op. Result types are the checker's; ops whose result has the
// type of an operand take it from there.
//
//===----------------------------------------------------------------------===//

#include "MLIREmitter.h"

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

/// A bool is a byte in the language and a bit in MLIR's raw buffers.
Value MLIREmitter::tensorConstant(llvm::ArrayRef<char> rowMajorBytes,
                                  const TensorShape &type) {
  RankedTensorType tensor = getType(type);
  DenseElementsAttr value;
  if (type.dtype == DType::Bool) {
    llvm::SmallVector<bool> bits;
    for (char byte : rowMajorBytes)
      bits.push_back(byte != 0);
    value = DenseElementsAttr::get(tensor, bits);
  } else {
    value = DenseElementsAttr::getFromRawBuffer(tensor, rowMajorBytes);
  }
  return wrap(create<td::ConstantOp>(tensor, value));
}

Value MLIREmitter::fill(Value scalar, llvm::ArrayRef<Value> sizes,
                        const TensorShape &type) {
  return wrap(create<td::FillOp>(getType(type), unwrap(scalar), unwrap(sizes)));
}

Value MLIREmitter::iota(Value start, Value step, llvm::ArrayRef<Value> sizes,
                        const TensorShape &type) {
  return wrap(create<td::IotaOp>(getType(type), unwrap(start), unwrap(step),
                                 unwrap(sizes)));
}

Value MLIREmitter::random(td::Distribution distribution,
                          llvm::ArrayRef<Value> bounds,
                          llvm::ArrayRef<Value> sizes,
                          const TensorShape &type) {
  auto next = create<td::NextRandomOp>();
  return wrap(create<td::RandomOp>(getType(type), distribution, next.getSeed(),
                                   next.getCall(), unwrap(bounds),
                                   unwrap(sizes)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value MLIREmitter::elementwise(OpKind op, llvm::ArrayRef<Value> operands,
                               const TensorShape &type) {
  OperationState state(getLocation(), ("td." + getOpInfo(op).mnemonic).str(),
                       unwrap(operands), getType(type));
  return wrap(builder.create(state)->getResult(0));
}

Value MLIREmitter::compare(td::ComparePredicate predicate, Value lhs, Value rhs,
                           const TensorShape &type) {
  return wrap(create<td::CompareOp>(getType(type), predicate, unwrap(lhs),
                                    unwrap(rhs)));
}

Value MLIREmitter::select(Value condition, Value onTrue, Value onFalse,
                          const TensorShape &type) {
  return wrap(create<td::SelectOp>(getType(type), unwrap(condition),
                                   unwrap(onTrue), unwrap(onFalse)));
}

Value MLIREmitter::cast(Value input, const TensorShape &type) {
  return wrap(create<td::CastOp>(getType(type), unwrap(input)));
}

Value MLIREmitter::toDevice(Value input, const TensorShape &type,
                            Transfer transfer) {
  bool isKept = transfer == Transfer::Kept;
  bool isImplied = transfer != Transfer::Written && !isKept;
  return wrap(create<td::ToDeviceOp>(getType(type), unwrap(input), isImplied,
                                     isKept, transfer == Transfer::Pinned,
                                     transfer == Transfer::Home));
}

Value MLIREmitter::detach(Value input) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::DetachOp>(value.getType(), value));
}

Value MLIREmitter::roundGradient(Value input, const TensorShape &narrow) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::RoundGradientOp>(value.getType(), value,
                                          getType(narrow).getElementType()));
}

Value MLIREmitter::reduce(td::ReduceKind kind, Value input,
                          llvm::ArrayRef<int64_t> dims,
                          const TensorShape &type) {
  return wrap(create<td::ReduceOp>(getType(type), kind, unwrap(input), dims));
}

Value MLIREmitter::argReduce(td::ReduceKind kind, Value input, int64_t dim,
                             const TensorShape &type) {
  return wrap(create<td::ArgReduceOp>(getType(type), kind, unwrap(input), dim));
}

Value MLIREmitter::matmul(Value lhs, Value rhs, const TensorShape &type) {
  return wrap(create<td::MatmulOp>(getType(type), unwrap(lhs), unwrap(rhs)));
}

Value MLIREmitter::softmax(bool logarithm, Value input, int64_t dim) {
  mlir::Value value = unwrap(input);
  if (logarithm)
    return wrap(create<td::LogSoftmaxOp>(value.getType(), value, dim));
  return wrap(create<td::SoftmaxOp>(value.getType(), value, dim));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value MLIREmitter::broadcast(Value input, llvm::ArrayRef<Value> sizes,
                             const TensorShape &type) {
  return wrap(
      create<td::BroadcastOp>(getType(type), unwrap(input), unwrap(sizes)));
}

Value MLIREmitter::reshape(Value input, llvm::ArrayRef<Value> sizes,
                           const TensorShape &type) {
  return wrap(
      create<td::ReshapeOp>(getType(type), unwrap(input), unwrap(sizes)));
}

Value MLIREmitter::permute(Value input, llvm::ArrayRef<int64_t> permutation,
                           const TensorShape &type) {
  return wrap(create<td::PermuteOp>(getType(type), unwrap(input), permutation));
}

Value MLIREmitter::slice(Value input, Value start, int64_t dim, int64_t step,
                         llvm::ArrayRef<Value> sizes, const TensorShape &type) {
  return wrap(create<td::SliceOp>(getType(type), unwrap(input), unwrap(start),
                                  dim, step, unwrap(sizes)));
}

Value MLIREmitter::updateSlice(Value input, Value update, Value start,
                               int64_t dim, int64_t step) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::UpdateSliceOp>(value.getType(), value, unwrap(update),
                                        unwrap(start), dim, step));
}

Value MLIREmitter::concat(llvm::ArrayRef<Value> inputs, int64_t dim,
                          const TensorShape &type) {
  return wrap(create<td::ConcatOp>(getType(type), unwrap(inputs), dim));
}

Value MLIREmitter::gather(Value input, Value indices, int64_t dim,
                          const TensorShape &type) {
  return wrap(
      create<td::GatherOp>(getType(type), unwrap(input), unwrap(indices), dim));
}

Value MLIREmitter::scatterAdd(Value input, Value indices, Value updates,
                              int64_t dim) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::ScatterAddOp>(value.getType(), value, unwrap(indices),
                                       unwrap(updates), dim));
}

Value MLIREmitter::gatherAlong(Value input, Value indices, int64_t dim,
                               const TensorShape &type) {
  return wrap(create<td::GatherAlongOp>(getType(type), unwrap(input),
                                        unwrap(indices), dim));
}

Value MLIREmitter::scatterAddAlong(Value input, Value indices, Value updates,
                                   int64_t dim) {
  mlir::Value value = unwrap(input);
  return wrap(create<td::ScatterAddAlongOp>(
      value.getType(), value, unwrap(indices), unwrap(updates), dim));
}

//===----------------------------------------------------------------------===//
// To the host
//===----------------------------------------------------------------------===//

Value MLIREmitter::dim(Value tensor, int64_t index) {
  return wrap(create<td::DimOp>(builder.getI64Type(), unwrap(tensor), index));
}

Value MLIREmitter::item(Value tensor) {
  mlir::Value value = unwrap(tensor);
  DType dtype = td::getDType(getElementTypeOrSelf(value));
  HostType type = isFloat(dtype)         ? HostType::Float
                  : dtype == DType::Bool ? HostType::Bool
                                         : HostType::Int;
  return wrap(create<td::ItemOp>(getHostType(type), value));
}

} // namespace tdc
