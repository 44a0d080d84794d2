//===- ControlFlow.cpp - loops and branches become blocks -----------------===//
//
// A carried tensor of static size stays in its buffer and passes nothing; one
// of run-time size passes its pointer and sizes; scalars and strings pass their
// values.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"

using namespace mlir;

namespace tdc {

/// Whether code in `op` makes strings that only the runtime can release.
static bool makesStrings(Operation *op) {
  return op
      ->walk([](td::FormatOp format) {
        bool made = !format.getValues().empty() && !getConsumer(format);
        return made ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult FunctionLowering::lower(scf::ForOp op) {
  // Strings that stay within an iteration are released at its end.
  Value mark;
  if (llvm::none_of(op.getRegionIterArgs(), isString) && makesStrings(op))
    mark = code.call("tdrt_str_mark", code.i64, code.getContext());

  llvm::SmallVector<Value> arguments = {op.getLowerBound()};
  llvm::append_range(arguments,
                     pass(op.getInitArgsMutable(), op.getRegionIterArgs()));
  Block *header = code.createBlock(), *body = code.createBlock();
  code.branch(header, arguments);
  BlockArgument index =
      header->addArgument(op.getInductionVar().getType(), op.getLoc());
  op.getInductionVar().replaceAllUsesWith(index);
  receive(header, op.getRegionIterArgs());
  bind(op.getRegionIterArgs(), header->getArguments().drop_front());
  bind(op.getResults(), header->getArguments().drop_front());

  code.setBlock(body);
  if (failed(lowerBlock(*op.getBody())))
    return failure();
  Operation *yield = op.getBody()->getTerminator();
  code.setLocation(yield->getLoc());
  llvm::SmallVector<Value> next =
      pass(yield->getOpOperands(), op.getRegionIterArgs());
  freeDead(yield);
  code.setLocation(op.getLoc());
  if (mark)
    code.call("tdrt_str_release", {code.getContext(), mark});
  code.poll();
  next.insert(next.begin(), LLVM::AddOp::create(code.builder, op.getLoc(),
                                                index, op.getStep()));
  code.branch(header, next);

  Block *after = code.createBlock();
  code.setBlock(header);
  code.branchIf(
      code.compare(LLVM::ICmpPredicate::slt, index, op.getUpperBound()), body,
      after);
  code.setBlock(after);
  return success();
}

LogicalResult FunctionLowering::lower(scf::IfOp op) {
  Block *thenBlock = code.createBlock(), *elseBlock = code.createBlock();
  Block *after = code.createBlock();
  receive(after, op.getResults());
  code.branchIf(op.getCondition(), thenBlock, elseBlock);
  auto lowerSide = [&](Region &region, Block *block) -> LogicalResult {
    code.setBlock(block);
    if (region.empty()) {
      code.branch(after);
      return success();
    }
    if (failed(lowerBlock(region.front())))
      return failure();
    Operation *yield = region.front().getTerminator();
    code.setLocation(yield->getLoc());
    llvm::SmallVector<Value> values =
        pass(yield->getOpOperands(), op.getResults());
    freeDead(yield);
    code.branch(after, values);
    return success();
  };
  if (failed(lowerSide(op.getThenRegion(), thenBlock)) ||
      failed(lowerSide(op.getElseRegion(), elseBlock)))
    return failure();
  bind(op.getResults(), after->getArguments());
  code.setBlock(after);
  code.setLocation(op.getLoc());
  return success();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

llvm::SmallVector<Value>
FunctionLowering::pass(llvm::MutableArrayRef<OpOperand> operands,
                       ValueRange receivers) {
  for (OpOperand &operand : operands)
    if (const Storage *staging = plan.getStaging(operand))
      copyTensor(getArenaPointer(*staging), operand.get());
  llvm::SmallVector<Value> arguments;
  for (auto [operand, receiver] : llvm::zip(operands, receivers))
    if (isTensor(receiver))
      passTensor(operand, receiver, arguments);
    else
      arguments.push_back(get(operand.get()));
  return arguments;
}

void FunctionLowering::passTensor(OpOperand &operand, Value receiver,
                                  llvm::SmallVectorImpl<Value> &arguments) {
  Value value = operand.get();
  if (isHeap(receiver)) {
    Value pointer = getPointer(value);
    if (!plan.isHandedOver(operand)) {
      pointer = allocate(value);
      copyTensor(pointer, value);
    }
    arguments.push_back(pointer);
    llvm::append_range(arguments, getSizes(value));
  } else if (const Storage *staging = plan.getStaging(operand)) {
    code.copy(getPointer(receiver), getArenaPointer(*staging),
              getNumBytes(value));
  } else if (!plan.isShared(value, receiver)) {
    copyTensor(getPointer(receiver), value);
  }
}

void FunctionLowering::receive(Block *block, ValueRange receivers) {
  Location loc = code.getLocation();
  for (Value receiver : receivers) {
    if (!isTensor(receiver)) {
      block->addArgument(isString(receiver) ? code.pointer : receiver.getType(),
                         loc);
    } else if (isHeap(receiver)) {
      block->addArgument(code.pointer, loc);
      block->addArguments(llvm::SmallVector<Type>(
                              getType(receiver).getNumDynamicDims(), code.i64),
                          llvm::SmallVector<Location>(
                              getType(receiver).getNumDynamicDims(), loc));
    }
  }
}

void FunctionLowering::bind(ValueRange receivers, ValueRange arguments) {
  for (Value receiver : receivers) {
    if (isString(receiver)) {
      strings[receiver] = arguments.front();
    } else if (!isTensor(receiver)) {
      receiver.replaceAllUsesWith(arguments.front());
    } else if (isHeap(receiver)) {
      Tensor &tensor = tensors[receiver];
      tensor.pointer = arguments.front();
      unsigned count = getType(receiver).getNumDynamicDims();
      llvm::append_range(tensor.sizes, arguments.slice(1, count));
      arguments = arguments.drop_front(count);
    } else {
      continue;
    }
    arguments = arguments.drop_front();
  }
}

} // namespace tdc
