//===- KernelToCPU.cpp - td.kernel -> function + td.launch ----------------===//
//
// Every kernel becomes an llvm.func whose body is loops, vectors and loads. Two
// kernels that come out alike are one function: flat nests take their size as
// an argument, so that an optimizer's step is one function for all parameters.
//
//===----------------------------------------------------------------------===//

#include "Conversion/KernelToCPU.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "NestEmitter.h"
#include "NestSchedule.h"
#include "UpdateEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {
#define GEN_PASS_DEF_KERNELTOCPUPASS
#include "Conversion/Passes.h.inc"

namespace {

/// The layouts that assign-layouts left on a kernel: inputs, then results.
void readLayouts(KernelOp kernel, KernelFunction &function) {
  auto layouts = kernel->getAttrOfType<ArrayAttr>("layouts");
  Block &body = kernel.getBody().front();
  auto layoutAt = [&](unsigned index, Value tensor) {
    if (layouts)
      if (auto order = dyn_cast<DenseI64ArrayAttr>(layouts[index]))
        return Layout(order.asArrayRef());
    return function.getLayout(tensor);
  };
  unsigned index = 0;
  for (BlockArgument argument : body.getArguments())
    if (isa<RankedTensorType>(argument.getType())) {
      Layout layout = layoutAt(index++, argument);
      function.layouts[argument] = layout;
    } else {
      ++index;
    }
  for (Value result : body.getTerminator()->getOperands())
    function.resultLayouts.push_back(layoutAt(index++, result));
}

class KernelOutliner {
public:
  KernelOutliner(ModuleOp module, int64_t vectorBits, int64_t vectorRegisters)
      : module(module), builder(module.getContext()), vectorBits(vectorBits),
        vectorRegisters(vectorRegisters) {}

  LogicalResult outline(KernelOp kernel);

  bool anyReports = false; ///< whether a kernel so far may report a bad index

private:
  LLVM::LLVMFuncOp createFunction(KernelOp kernel, KernelFunction &function,
                                  bool isFlat, Value &flatSize);
  /// The function, or an earlier one that does the same.
  LLVM::LLVMFuncOp share(LLVM::LLVMFuncOp function, bool reports);

  ModuleOp module;
  OpBuilder builder;
  int64_t vectorBits, vectorRegisters;
  SmallVector<LLVM::LLVMFuncOp> functions;
  /// Kernels numbered so far.
  unsigned count = 0;
};

/// The number of elements of a tensor of the host part, as an i64.
Value getElementCount(OpBuilder &builder, Value tensor) {
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t known = 1;
  for (int64_t extent : type.getShape())
    known *= ShapedType::isDynamic(extent) ? 1 : extent;
  Value count = arith::ConstantIntOp::create(builder, loc, known, 64);
  for (Value size : td::getRunTimeSizes(builder, loc, tensor))
    count = arith::MulIOp::create(builder, loc, count, size);
  return count;
}

/// Pairs (input, result) that may share a buffer: nothing of the input is read
/// but the element that the result will stand on, and never after that was
/// stored.
SmallVector<int64_t> findInPlace(KernelOp kernel, const LoopNest &nest,
                                 const KernelFunction &function) {
  SmallVector<int64_t> pairs;
  LoopSet reduced = 0;
  for (const Reduction &reduction : nest.getReductions())
    reduced |= reduction.parallel;
  for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
    // A loop that the root lacks would come back to its elements, unless a
    // register tile holds that loop in full.
    LoopSet missing =
        nest.getRootLoops() & ~nest.getLoopsOf(root.tensor, *root.at);
    if (missing & ~reduced)
      continue;
    for (BlockArgument argument : kernel.getBody().front().getArguments()) {
      bool isSame = root.tensor.getType() == argument.getType() &&
                    function.resultLayouts[i] == function.getLayout(argument);
      for (const Access &input : nest.getInputs())
        if (input.tensor == argument)
          isSame &= *input.at == *root.at;
      if (isSame)
        pairs.append({int64_t(argument.getArgNumber()), int64_t(i)});
    }
  }
  return pairs;
}

/// The same for an update: its own input is overwritten where it lies, if what
/// is written there does not read it too.
SmallVector<int64_t> findInPlace(Operation *update) {
  auto input = dyn_cast<BlockArgument>(update->getOperand(0));
  if (!input || isa<ConcatOp>(update) || !input.hasOneUse())
    return {};
  return {int64_t(input.getArgNumber()), 0};
}

} // namespace

LLVM::LLVMFuncOp KernelOutliner::createFunction(KernelOp kernel,
                                                KernelFunction &function,
                                                bool isFlat, Value &flatSize) {
  MLIRContext *context = module.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  Block &body = kernel.getBody().front();
  ValueRange results = body.getTerminator()->getOperands();

  SmallVector<Type> types = {pointer};
  for (Value argument : body.getArguments())
    types.push_back(isa<RankedTensorType>(argument.getType())
                        ? Type(pointer)
                        : argument.getType());
  if (isFlat)
    types.push_back(i64);
  types.append(results.size(), pointer);
  auto countSizes = [](ValueRange values) {
    int64_t count = 0;
    for (Value value : values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        count += type.getNumDynamicDims();
    return count;
  };
  types.append(countSizes(body.getArguments()) + countSizes(results), i64);

  builder.setInsertionPointToEnd(module.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  auto func = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(),
                                       "kernel_" + std::to_string(count++),
                                       type, LLVM::Linkage::Internal);
  Block *entry = func.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);

  unsigned next = 0;
  function.context = entry->getArgument(next++);
  for (Value argument : body.getArguments()) {
    Value own = entry->getArgument(next++);
    if (isa<RankedTensorType>(argument.getType()))
      function.pointers[argument] = own;
    else
      function.scalars[argument] = own;
  }
  if (isFlat)
    flatSize = entry->getArgument(next++);
  for (size_t i = 0; i < results.size(); ++i)
    function.resultPointers.push_back(entry->getArgument(next++));
  auto takeSizes = [&](ValueRange values) {
    for (Value value : values)
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
        for (unsigned dim = 0; dim < tensor.getRank(); ++dim)
          if (tensor.isDynamicDim(dim))
            function.sizes.try_emplace({value, dim},
                                       entry->getArgument(next++));
  };
  takeSizes(body.getArguments());
  takeSizes(results);
  for (Operation &op : body)
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      function.scalars[constant.getResult()] = builder.clone(op)->getResult(0);
  return func;
}

LLVM::LLVMFuncOp KernelOutliner::share(LLVM::LLVMFuncOp function,
                                       bool reports) {
  // What reports an error does so with the line of its own program.
  auto flags = reports ? OperationEquivalence::None
                       : OperationEquivalence::IgnoreLocations;
  for (LLVM::LLVMFuncOp known : functions)
    if (known.getFunctionType() == function.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(
            &known.getBody(), &function.getBody(), flags)) {
      function.erase();
      --count;
      return known;
    }
  functions.push_back(function);
  return function;
}

LogicalResult KernelOutliner::outline(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  KernelFunction function(builder, kernel);
  function.vectorBits = vectorBits;
  function.vectorRegisters = vectorRegisters;
  readLayouts(kernel, function);

  Operation *update = roots.front().getDefiningOp();
  bool isUpdate = update && isUpdateOp(update);
  FailureOr<LoopNest> nest = failure();
  if (!isUpdate) {
    nest = LoopNest::get(roots, [](Operation *op) { return !isUpdateOp(op); });
    if (failed(nest))
      return kernel.emitError("no loops compute this kernel");
  }
  bool isFlat = succeeded(nest) && isFlatNest(*nest, function);
  Value flatSize;
  LLVM::LLVMFuncOp func = createFunction(kernel, function, isFlat, flatSize);
  if (isFlat)
    emitFlatNest(function, *nest, flatSize);
  else if (succeeded(nest))
    emitNest(function, *nest);
  else if (failed(emitUpdate(function, update)))
    return failure();
  LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());

  SmallVector<int64_t> inPlace = succeeded(nest)
                                     ? findInPlace(kernel, *nest, function)
                                     : findInPlace(update);

  OpBuilder host(kernel);
  SmallVector<Value> inputs(kernel.getInputs());
  if (isFlat)
    inputs.push_back(getElementCount(host, kernel.getResult(0)));
  func = share(func, function.reports);
  anyReports |= function.reports;
  auto launch =
      LaunchOp::create(host, kernel.getLoc(), kernel.getResultTypes(),
                       func.getSymName(), inputs, kernel.getSizes(), inPlace);
  kernel.replaceAllUsesWith(launch.getResults());
  kernel.erase();
  return success();
}

namespace {
struct KernelToCPUPass : impl::KernelToCPUPassBase<KernelToCPUPass> {
  using KernelToCPUPassBase::KernelToCPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelOutliner outliner(module, vectorBits, vectorRegisters);
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(outliner.outline(kernel)))
        return signalPassFailure();
    if (outliner.anyReports && !module.lookupSymbol(kReportIndex))
      declareReport(module);
  }

  void declareReport(ModuleOp module) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = b.getI64Type(), i32 = b.getI32Type();
    LLVM::LLVMFuncOp::create(
        b, module.getLoc(), kReportIndex,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                    {pointer, i64, i64, i32}));
  }
};
} // namespace
} // namespace tdc
