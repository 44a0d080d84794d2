//===- Launches.cpp - calls of kernels ------------------------------------===//

#include "FunctionLowering.h"
#include "mlir/IR/Matchers.h"
#include "tdc_runtime.h"

using namespace mlir;

namespace tdc {

void FunctionLowering::addKernelArguments(
    td::LaunchOp op, llvm::SmallVectorImpl<Value> &arguments) {
  for (Value input : op.getInputs())
    arguments.push_back(isTensor(input) ? getPointer(input) : input);
  for (Value result : op.getResults())
    arguments.push_back(getPointer(result));
  for (Value input : op.getInputs())
    if (isTensor(input))
      llvm::append_range(arguments, getSizes(input));
  llvm::append_range(arguments, op.getSizes());
}

//===----------------------------------------------------------------------===//
// On a GPU
//===----------------------------------------------------------------------===//

/// Whether the kernel takes a number that each iteration of the enclosing loop
/// computes again.
static bool isGivenOthers(td::LaunchOp op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  auto isOfIteration = [&](Value value) {
    return !isa<RankedTensorType>(value.getType()) &&
           !matchPattern(value, m_Constant()) &&
           !loop.isDefinedOutsideOfLoop(value);
  };
  return loop && llvm::any_of(op.getOperands(), isOfIteration);
}

void FunctionLowering::findVaryingLaunches() {
  function.walk([&](td::LaunchOp op) {
    if (isGivenOthers(op))
      varyingLaunches.insert(op);
  });
}

/// Launches a kernel on a GPU. All parameters are words, in the order of a cpu
/// kernel's arguments; the first is the address of the record to which it
/// reports.
LogicalResult FunctionLowering::launchOnGPU(td::LaunchOp op) {
  auto kernel = op->getParentOfType<ModuleOp>().lookupSymbol<td::GPUKernelOp>(
      op.getCallee());
  int32_t device = getDevice(op.getResult(0).getType());
  if (auto start = op.getStartsAs()) {
    Value input = op.getInputs()[(*start)[0]];
    Value result = op.getResult((*start)[1]);
    if (!plan.isShared(input, result) && plan.getTakenOver(result) != input)
      copyTensor(getPointer(result), input);
  }
  bool reports = kernel.getReports() || kernel.getWatches();
  llvm::SmallVector<Value> words = {
      op.getBlocks(), reports ? code.getRecord(device) : code.null()};
  addKernelArguments(op, words);
  code.launch({op.getLoc(), device, code.globals.getGPUKernel(kernel),
               std::move(words), varyingLaunches.contains(op)});
  return success();
}

//===----------------------------------------------------------------------===//
// On the processor
//===----------------------------------------------------------------------===//

/// Whether threads share the blocks of the launch, or the runtime decides
/// whether they do; it also prepares the scratch of a kernel with blocks.
static bool isWorthSharing(td::LaunchOp op) {
  if (!op.getBlocks())
    return false;
  llvm::APInt blocks;
  return op.getScratch() ||
         !matchPattern(op.getBlocks(), m_ConstantInt(&blocks)) ||
         blocks.getZExtValue() >=
             llvm::divideCeil(uint64_t(TDRT_LEAST_SHARED_WORK), *op.getWork());
}

void FunctionLowering::shareLaunch(td::LaunchOp op, LLVM::LLVMFuncOp callee,
                                   llvm::ArrayRef<Value> arguments) {
  std::optional<unsigned> scratch;
  Value memory = code.null(), bytes = code.int64(0);
  if (op.getScratch()) {
    Value result = op.getResults().back();
    scratch = op.getInputs().size() + op.getNumResults();
    memory = getPointer(result);
    bytes = getNumBytes(result);
  }
  Value words = code.storeWords(arguments);
  Value blocks = op.getBlocks();
  Value work = arith::MulIOp::create(code.builder, op.getLoc(), blocks,
                                     code.int64(*op.getWork()));
  code.call(runtime::tdrt_parallel_for,
            {code.addressOf(code.globals.getTask(callee, scratch)), words,
             blocks, work, memory, bytes});
}

/// Whether to check for ^C after the launch. In a loop, the end of an iteration
/// checks; outside of loops, kernels with much work do.
static bool mayTakeLong(td::LaunchOp op) {
  constexpr int64_t much = 1 << 16;
  return llvm::any_of(
      llvm::concat<const Value>(op.getInputs(), op.getResults()),
      [](Value value) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        return type &&
               (!type.hasStaticShape() || type.getNumElements() >= much);
      });
}

LogicalResult FunctionLowering::lower(td::LaunchOp op) {
  for (OpResult result : op->getResults())
    define(result, op.getSizesOf(result));
  if (op.isOnGPU())
    return launchOnGPU(op);
  llvm::SmallVector<Value> arguments = {code.getContext()};
  addKernelArguments(op, arguments);
  LLVM::LLVMFuncOp callee =
      code.globals.getKernel(op.getCalleeAttr().getAttr());
  if (isWorthSharing(op)) {
    shareLaunch(op, callee, arguments);
  } else {
    if (op.getBlocks())
      arguments.append({code.int64(0), op.getBlocks()});
    LLVM::CallOp call = code.call(callee, arguments);
    if (call.getNumResults())
      code.check(call.getResult());
  }
  if (!op->getParentOfType<LoopLikeOpInterface>() && mayTakeLong(op))
    code.poll();
  return success();
}

} // namespace tdc
