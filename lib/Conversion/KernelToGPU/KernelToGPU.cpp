//===- KernelToGPU.cpp - td.kernel -> GPU function + td.launch ------------===//

#include "Conversion/KernelToGPU.h"
#include "Conversion/KernelBody/KernelOutlining.h"
#include "Conversion/KernelBody/UpdateParts.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "GridNest.h"
#include "GridScan.h"
#include "Permutation.h"
#include "Remainder.h"
#include "SplitReductions.h"
#include "TiledProduct.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {
#define GEN_PASS_DEF_KERNELTOGPUPASS
#include "Conversion/Passes.h.inc"

namespace {

/// Blocks at most of a kernel whose threads take as many turns as it needs.
constexpr int64_t kSomeBlocks = 1024;
/// Every tensor begins at a multiple of this many bytes.
constexpr int64_t kTensorAlignment = 64;
/// Tensors with fewer elements have positions of 32 bits, with room for those
/// that threads beyond the end compute.
constexpr int64_t kFewElements = int64_t(1) << 30;

/// Whether all tensors that the kernel deals with are known to be small.
bool hasFewElements(KernelOp kernel) {
  auto isSmall = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor ||
           (tensor.hasStaticShape() && tensor.getNumElements() < kFewElements);
  };
  Block &body = kernel.getBody().front();
  return llvm::all_of(body.getArgumentTypes(), isSmall) &&
         llvm::all_of(body, [&](Operation &op) {
           return llvm::all_of(op.getResultTypes(), isSmall);
         });
}

/// A name for profiles and errors: that of the op that the kernel is about.
std::string getName(KernelOp kernel, const KernelLibrary &library) {
  Operation *about = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!about || !isa<ReductionOp>(about) || isa<ReductionOp>(op))
      about = &op;
  std::string name =
      about ? about->getName().stripDialect().str() : std::string("copy");
  return name + "_" + std::to_string(library.size());
}

/// Writes into the record of the device's errors, unless another thread was
/// first: {i32 taken, i32 site, i64 index, i64 size}.
void defineReport(ModuleOp code) {
  MLIRContext *context = code.getContext();
  Location loc = code.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, kReportIndex,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                  {pointer, i64, i64, i32}),
      LLVM::Linkage::Internal);
  function.setAlwaysInline(true);
  Block *entry = function.addEntryBlock(b);
  Block *first = function.addBlock(), *end = function.addBlock();
  b.setInsertionPointToStart(entry);
  Value record = entry->getArgument(0);
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i32, value);
  };
  Value exchanged = LLVM::AtomicCmpXchgOp::create(
      b, loc, record, constant(0), constant(1), LLVM::AtomicOrdering::monotonic,
      LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(b, loc, exchanged, 1);
  LLVM::CondBrOp::create(b, loc, isFirst, first, end);
  b.setInsertionPointToStart(first);
  auto store = [&](unsigned argument, int32_t offset) {
    Value to = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), record,
                                   ArrayRef<LLVM::GEPArg>{offset});
    LLVM::StoreOp::create(b, loc, entry->getArgument(argument), to);
  };
  store(3, 4);
  store(1, 8);
  store(2, 16);
  LLVM::BrOp::create(b, loc, end);
  b.setInsertionPointToStart(end);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

class KernelOutliner {
public:
  KernelOutliner(ModuleOp module, bool splits)
      : module(module), builder(module.getContext()), splits(splits) {}

  LogicalResult outline(KernelOp kernel);

private:
  /// The kernel as it is; see emitGridNest for sections.
  LogicalResult outlineWhole(KernelOp kernel, int64_t sections = 1);
  ModuleOp getCode();
  /// Gives what an update starts as to a kernel of its own, unless it is an
  /// input that nothing else reads.
  LogicalResult splitBase(KernelOp kernel, UpdateOp update);
  LogicalResult emit(KernelOp kernel, int64_t sections,
                     KernelFunction &function, LaunchShape &shape,
                     SmallVectorImpl<int64_t> &inPlace);
  void declare(LLVM::LLVMFuncOp function, const LaunchShape &shape,
               bool reports);
  Value makeBlocks(OpBuilder &host, KernelOp kernel, const LaunchShape &shape);

  ModuleOp module, code;
  OpBuilder builder;
  const bool splits;
  KernelLibrary library;
};

UpdateOp findUpdate(KernelOp kernel) {
  Value root = kernel.getBody().front().getTerminator()->getOperand(0);
  return root.getDefiningOp<UpdateOp>();
}

} // namespace

ModuleOp KernelOutliner::getCode() {
  if (code)
    return code;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  code = ModuleOp::create(b, module.getLoc(), kGPUCode);
  b.setInsertionPointToStart(code.getBody());
  LLVM::GlobalOp::create(b, module.getLoc(),
                         LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                         /*isConstant=*/false, LLVM::Linkage::External,
                         kSharedMemory, Attribute(), /*alignment=*/128,
                         /*addrSpace=*/3);
  return code;
}

LogicalResult KernelOutliner::splitBase(KernelOp kernel, UpdateOp update) {
  Value base = update.getBase();
  // One that is read besides is copied: an update changes it where it lies.
  if (!base || (isa<BlockArgument>(base) && base.hasOneUse()))
    return success();
  OpBuilder host(kernel);
  auto first = KernelOp::create(host, kernel.getLoc(), kernel.getResultTypes(),
                                kernel.getInputs(), kernel.getSizes());
  Block &body = kernel.getBody().front();
  IRMapping mapping;
  kernel.getBody().cloneInto(&first.getBody(), mapping);
  Operation *yield = first.getBody().front().getTerminator();
  yield->setOperand(0, mapping.lookup(base));
  mapping.lookup(update)->erase();
  BlockArgument start = body.addArgument(base.getType(), base.getLoc());
  update->setOperand(0, start);
  kernel.getInputsMutable().append(first.getResult(0));
  return outline(first);
}

LogicalResult KernelOutliner::emit(KernelOp kernel, int64_t sections,
                                   KernelFunction &function, LaunchShape &shape,
                                   SmallVectorImpl<int64_t> &inPlace) {
  Block &body = kernel.getBody().front();
  KernelSignature signature;
  signature.passesWords = true;
  std::string name = getName(kernel, library);
  if (UpdateOp update = findUpdate(kernel)) {
    function.create(getCode(), name, signature);
    FailureOr<LaunchShape> made = emitGridUpdate(function, update);
    if (failed(made))
      return failure();
    shape = *made;
    if (Value base = update.getBase()) {
      inPlace.assign({cast<BlockArgument>(base).getArgNumber(), 0});
      shape.startsAsInput = true;
    }
    return success();
  }

  if (RandomOp random = findPermutation(kernel)) {
    function.create(getCode(), name, signature);
    shape = emitPermutation(function, random);
    if (shape.startsAsInput)
      inPlace.assign({int64_t(body.getNumArguments()) - 1, 0});
    return success();
  }
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  if (auto scan = roots.front().getDefiningOp<ScanOp>()) {
    function.create(getCode(), name, signature);
    FailureOr<LaunchShape> made = emitGridScan(function, scan);
    if (failed(made))
      return failure();
    shape = *made;
    return success();
  }
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  // One element is an array too: the step of an optimizer is one function for
  // parameters of all sizes. Not beside a result without dims.
  if (succeeded(nest) && nest->getLoops().empty()) {
    FailureOr<LoopNest> overOne =
        LoopNest::getOfKernel(roots, /*loopsOverOne=*/true);
    if (succeeded(overOne))
      nest = std::move(overOne);
  }
  if (failed(nest))
    return kernel.emitError("no loops compute this kernel");
  signature.isFlat = isFlatNest(*nest, function);
  function.create(getCode(), name, signature);
  if (auto schedule = scheduleProduct(*nest)) {
    shape = emitTiledProduct(function, *nest, *schedule);
    return success();
  }
  shape = emitGridNest(function, *nest, sections);
  // Other threads may read what a reduction reads; elements that one thread
  // alone computes and reads may stand in one place.
  if (nest->getReductions().empty())
    for (auto [i, root] : llvm::enumerate(nest->getRoots()))
      if (getLoops(*root.at) == nest->getRootLoops())
        for (BlockArgument argument : body.getArguments())
          if (mayStandOn(function, *nest, argument, i))
            inPlace.append({int64_t(argument.getArgNumber()), int64_t(i)});
  return success();
}

void KernelOutliner::declare(LLVM::LLVMFuncOp function,
                             const LaunchShape &shape, bool reports) {
  OpBuilder b(code);
  GPUKernelOp::create(b, function.getLoc(), function.getSymName(),
                      shape.threads, shape.sharedBytes,
                      function.getNumArguments(), reports);
}

Value KernelOutliner::makeBlocks(OpBuilder &host, KernelOp kernel,
                                 const LaunchShape &shape) {
  Location loc = kernel.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(host, loc, value, 64);
  };
  if (shape.blocks)
    return constant(*shape.blocks);
  auto divide = [&](Value count, int64_t by) -> Value {
    count = host.createOrFold<arith::AddIOp>(loc, count, constant(by - 1));
    return host.createOrFold<arith::DivUIOp>(loc, count, constant(by));
  };
  Value result = kernel.getResult(0);
  if (!shape.tile.empty()) {
    Value blocks = constant(1);
    for (const LaunchShape::TiledDims &tiled : shape.tile) {
      Value positions = constant(1);
      for (unsigned dim : tiled.dims)
        positions = host.createOrFold<arith::MulIOp>(
            loc, positions, getSize(host, loc, result, dim));
      blocks = host.createOrFold<arith::MulIOp>(
          loc, blocks, divide(positions, tiled.extent));
    }
    return blocks;
  }
  Value blocks = divide(getElementCount(host, result), shape.elements);
  if (!shape.isStrided)
    return blocks;
  // One at least: a kernel without a result may have a bad index to report.
  blocks = host.createOrFold<arith::MaxUIOp>(loc, blocks, constant(1));
  return host.createOrFold<arith::MinUIOp>(loc, blocks, constant(kSomeBlocks));
}

LogicalResult KernelOutliner::outline(KernelOp kernel) {
  if (RandomOp random = findPermutation(kernel)) {
    for (KernelOp made : splitPermutation(kernel, random))
      if (failed(outlineWhole(made)))
        return failure();
    return outlineWhole(kernel);
  }
  if (!splits)
    return outlineWhole(kernel);
  SmallVector<KernelOp> rest;
  for (const SectionKernel &made : splitReductions(kernel, rest))
    if (failed(outlineWhole(made.kernel, made.sections)))
      return failure();
  for (KernelOp own : rest)
    if (failed(outlineWhole(own)))
      return failure();
  return success();
}

LogicalResult KernelOutliner::outlineWhole(KernelOp kernel, int64_t sections) {
  UpdateOp update = findUpdate(kernel);
  if (update && failed(splitBase(kernel, update)))
    return failure();
  KernelFunction function(builder, kernel);
  function.tensorAlignment = kTensorAlignment;
  function.indexBits = hasFewElements(kernel) ? 32 : 64;
  LaunchShape shape;
  SmallVector<int64_t> inPlace;
  if (failed(emit(kernel, sections, function, shape, inPlace)))
    return failure();
  LLVM::ReturnOp::create(builder, kernel.getLoc(), ValueRange());
  LLVM::LLVMFuncOp func = function.code;
  func.setLinkage(LLVM::Linkage::External);
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                builder.getDenseI32ArrayAttr({int32_t(shape.threads), 1, 1}));
  // Without it ptxas makes room for more blocks at the price of spills.
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                builder.getI32IntegerAttr(1));
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (isa<LLVM::LLVMPointerType>(func.getArgument(i).getType()))
      func.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(kTensorAlignment));

  OpBuilder host(kernel);
  SmallVector<Value> inputs(kernel.getInputs());
  if (function.flatSize)
    inputs.push_back(getElementCount(host, kernel.getResult(0)));
  LLVM::LLVMFuncOp shared = library.share(func, function.reports);
  if (shared == func)
    declare(func, shape, function.reports);
  if (function.reports && !code.lookupSymbol(kReportIndex))
    defineReport(code);
  auto startsAs = shape.startsAsInput ? host.getDenseI64ArrayAttr(inPlace)
                                      : DenseI64ArrayAttr();
  auto launch =
      LaunchOp::create(host, kernel.getLoc(), kernel.getResultTypes(),
                       shared.getSymName(), inputs, kernel.getSizes(),
                       makeBlocks(host, kernel, shape), inPlace, startsAs);
  kernel.replaceAllUsesWith(launch.getResults());
  kernel.erase();
  return success();
}

namespace {
struct KernelToGPUPass : impl::KernelToGPUPassBase<KernelToGPUPass> {
  using KernelToGPUPassBase::KernelToGPUPassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    KernelOutliner outliner(module, splits);
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) {
      if (kernel.isOnGPU())
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(outliner.outline(kernel)))
        return signalPassFailure();
    if (auto code = module.lookupSymbol<ModuleOp>(kGPUCode))
      expandRemainders(code);
  }
};
} // namespace
} // namespace tdc
