//===- ControlFlow.cpp - loops and branches become blocks -----------------===//
//
// A carried tensor of static size stays in its buffer and passes no arguments;
// a tensor of run-time size passes its pointer and sizes; a handle passes them
// too, with a reference of its own; a tensor in a ring passes its pointer;
// scalars, tickets and strings pass their values.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "tdc_runtime.h"
#include <cstddef>

using namespace mlir;

namespace tdc {

/// Whether code in `op` makes strings that must be released by the runtime.
static bool makesStrings(Operation *op) {
  return op
      ->walk([](Operation *maker) {
        auto format = dyn_cast<td::FormatOp>(maker);
        bool made = format ? !format.getValues().empty() && !getConsumer(format)
                           : isa<td::CudaDeviceNameOp>(maker);
        return made ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isCounted(Operation *op) {
  return isa<scf::ForOp>(op) || op->hasAttr(td::kCountedAttr);
}

/// The index of the loop among those that the runtime shows; none if it is not
/// shown.
static std::optional<unsigned> getShownLoop(td::CarryingLoop loop) {
  if (!isCounted(loop.getOperation()) ||
      loop->getParentOfType<func::FuncOp>()->hasAttr("td.export"))
    return std::nullopt;
  unsigned depth = 0;
  for (Operation *outer = loop->getParentOp(); outer;
       outer = outer->getParentOp())
    depth += isCounted(outer);
  return depth < TDRT_LOOPS ? std::optional(depth) : std::nullopt;
}

Value FunctionLowering::getLoopField(unsigned loop, size_t offset) {
  return code.address(code.getContext(), offsetof(tdrt_context, loops) +
                                             loop * sizeof(tdrt_loop) + offset);
}

/// The trip count of a counted loop; not positive if the loop does not run.
Value FunctionLowering::countIterations(td::CarryingLoop loop) {
  auto op = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!op)
    return loop.getInits()[2].get();
  Location loc = op.getLoc();
  OpBuilder &b = code.builder;
  Value distance =
      LLVM::SubOp::create(b, loc, op.getUpperBound(), op.getLowerBound());
  // Rounded up: the last step may be partial.
  Value part = LLVM::SubOp::create(b, loc, op.getStep(), code.int64(1));
  return LLVM::SDivOp::create(
      b, loc, LLVM::AddOp::create(b, loc, distance, part), op.getStep());
}

/// Registers the beginning of a loop with the runtime.
void FunctionLowering::beginLoop(unsigned loop, td::CarryingLoop op) {
  Value zero = code.int64(0);
  code.store(LLVM::SMaxOp::create(code.builder, op->getLoc(),
                                  countIterations(op), zero),
             getLoopField(loop, offsetof(tdrt_loop, total)));
  code.store(zero, getLoopField(loop, offsetof(tdrt_loop, done)));
  code.store(code.site(), getLoopField(loop, offsetof(tdrt_loop, site)));
}

LogicalResult FunctionLowering::lower(scf::ForOp op) {
  return lowerLoop(td::CarryingLoop(op));
}

LogicalResult FunctionLowering::lower(scf::WhileOp op) {
  return lowerLoop(td::CarryingLoop(op));
}

LogicalResult FunctionLowering::lowerLoop(td::CarryingLoop loop) {
  Location loc = loop->getLoc();
  auto carried = loop.getArguments();
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  std::optional<unsigned> shown = getShownLoop(loop);
  if (shown)
    beginLoop(*shown, loop);
  // Strings that do not leave an iteration are released at its end.
  Value mark;
  if (llvm::none_of(carried, isString) && makesStrings(loop.getOperation()))
    mark = code.call(runtime::tdrt_str_mark, {code.getContext()});

  llvm::SmallVector<Value> first;
  if (counted)
    first.push_back(counted.getLowerBound());
  llvm::append_range(first, pass(loop.getInits(), carried));
  Block *header = code.createBlock(), *body = code.createBlock();
  code.branch(header, first);
  Value index;
  if (counted) {
    index = header->addArgument(counted.getInductionVar().getType(), loc);
    counted.getInductionVar().replaceAllUsesWith(index);
  }
  receive(header, carried);
  ValueRange received = header->getArguments().drop_front(counted ? 1 : 0);
  bind(carried, received);
  bind(loop.getResults(), received);

  code.setBlock(body);
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  Operation *yield = loop.getYield();
  code.setLocation(yield->getLoc());
  llvm::SmallVector<Value> next = pass(yield->getOpOperands(), carried);
  freeDead(yield);
  releaseHandles(*loop.getBody());
  code.setLocation(loc);
  if (mark)
    code.call(runtime::tdrt_str_release, {code.getContext(), mark});
  if (shown) {
    Value done = getLoopField(*shown, offsetof(tdrt_loop, done));
    code.store(LLVM::AddOp::create(code.builder, loc, code.load(code.i64, done),
                                   code.int64(1)),
               done);
  }
  code.poll();
  if (counted)
    next.insert(next.begin(), LLVM::AddOp::create(code.builder, loc, index,
                                                  counted.getStep()));
  code.branch(header, next);

  Block *after = code.createBlock();
  code.setBlock(header);
  Value goesOn = counted ? code.compare(LLVM::ICmpPredicate::slt, index,
                                        counted.getUpperBound())
                         : received.front();
  code.branchIf(goesOn, body, after);
  code.setBlock(after);
  if (shown)
    code.store(code.int64(0), getLoopField(*shown, offsetof(tdrt_loop, total)));
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
    releaseHandles(region.front());
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
    if (isTensor(receiver) || isHandle(receiver))
      passTensor(operand, receiver, arguments);
    else
      arguments.push_back(get(operand.get()));
  return arguments;
}

void FunctionLowering::passTensor(OpOperand &operand, Value receiver,
                                  llvm::SmallVectorImpl<Value> &arguments) {
  Value value = operand.get();
  if (value.getDefiningOp<ub::PoisonOp>()) {
    if (passesPointer(receiver)) {
      arguments.push_back(code.null());
      arguments.append(getType(receiver).getNumDynamicDims(), code.int64(0));
    }
  } else if (isHandle(receiver)) {
    Value handle = tensors[value].pointer;
    code.call(runtime::tdrt_handle_retain, {handle});
    arguments.push_back(handle);
    llvm::append_range(arguments, getSizes(value));
  } else if (isHeap(receiver)) {
    Value pointer = getPointer(value);
    if (!plan.isHandedOver(operand)) {
      pointer = allocate(value, getDevice(value.getType()));
      copyTensor(pointer, value);
    }
    arguments.push_back(pointer);
    llvm::append_range(arguments, getSizes(value));
  } else if (isRing(receiver)) {
    arguments.push_back(getPointer(value));
  } else if (const Storage *staging = plan.getStaging(operand)) {
    copyBytes(staging->device, getPointer(receiver), getArenaPointer(*staging),
              getNumBytes(value));
  } else if (!plan.isShared(value, receiver)) {
    copyTensor(getPointer(receiver), value);
  }
}

void FunctionLowering::receive(Block *block, ValueRange receivers) {
  Location loc = code.getLocation();
  for (Value receiver : receivers) {
    if (passesPointer(receiver)) {
      unsigned count = getType(receiver).getNumDynamicDims();
      block->addArgument(code.pointer, loc);
      block->addArguments(llvm::SmallVector<Type>(count, code.i64),
                          llvm::SmallVector<Location>(count, loc));
    } else if (!isTensor(receiver)) {
      block->addArgument(isString(receiver)   ? code.pointer
                         : isTicket(receiver) ? code.i64
                                              : receiver.getType(),
                         loc);
    }
  }
}

void FunctionLowering::bind(ValueRange receivers, ValueRange arguments) {
  for (Value receiver : receivers) {
    if (isString(receiver)) {
      strings[receiver] = arguments.front();
    } else if (isTicket(receiver)) {
      tickets[receiver] = arguments.front();
    } else if (passesPointer(receiver)) {
      Tensor &tensor = tensors[receiver];
      tensor.pointer = arguments.front();
      unsigned count = getType(receiver).getNumDynamicDims();
      llvm::append_range(tensor.sizes, arguments.slice(1, count));
      arguments = arguments.drop_front(count);
    } else if (isTensor(receiver)) {
      continue;
    } else {
      receiver.replaceAllUsesWith(arguments.front());
    }
    arguments = arguments.drop_front();
  }
}

} // namespace tdc
