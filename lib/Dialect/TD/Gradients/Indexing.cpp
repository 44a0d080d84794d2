//===- Indexing.cpp - gradient rules of gather and scatter ----------------===//
//
// Gather and scatter_add are each other's transpose; an index that occurs twice
// is read twice in the one and added twice in the other.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"

using namespace mlir;

namespace tdc::td {

SmallVector<Value> GatherOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.make<ScatterAddOp>(b.zeros(getInput()), getIndices(), cotangents[0],
                               getDim()),
          Value()};
}

SmallVector<Value> ScatterAddOp::buildVJP(OpBuilder &builder,
                                          ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {cotangents[0], Value(),
          b.make<GatherOp>(getUpdates().getType(), cotangents[0], getIndices(),
                           getDim())};
}

Value ScatterAddOp::addTo(OpBuilder &builder, Value sum) {
  return TensorBuilder(builder, getLoc())
      .make<ScatterAddOp>(sum, getIndices(), getUpdates(), getDim());
}

SmallVector<Value> GatherAlongOp::buildVJP(OpBuilder &builder,
                                           ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.make<ScatterAddAlongOp>(b.zeros(getInput()), getIndices(),
                                    cotangents[0], getDim()),
          Value()};
}

SmallVector<Value> ScatterAddAlongOp::buildVJP(OpBuilder &builder,
                                               ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {cotangents[0], Value(),
          b.make<GatherAlongOp>(getUpdates().getType(), cotangents[0],
                                getIndices(), getDim())};
}

} // namespace tdc::td
