//===- KernelToGPU.cpp - td.kernel -> GPU function + td.launch ------------===//

#include "Conversion/KernelToGPU.h"
#include "CodeGen/KernelOutlining.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "GridNest.h"
#include "GridScan.h"
#include "Permutation.h"
#include "Remainder.h"
#include "SplitReductions.h"
#include "TiledContraction.h"
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

/// Every tensor's address is a multiple of this many bytes.
constexpr int64_t kTensorAlignment = 64;
/// Tensors with fewer elements have 32-bit positions, with room for the
/// positions that threads past the end compute.
constexpr int64_t kFewElements = int64_t(1) << 30;

/// Whether all tensors in the kernel are known to be small.
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

/// Defines a function that writes to the device's record, its first argument.
/// The thread that sets the flag at `taken` stores the other arguments at
/// `offsets`.
template <class Function>
void defineReport(ModuleOp code, const Function &report, int32_t taken,
                  ArrayRef<int32_t> offsets) {
  if (code.lookupSymbol(report.name))
    return;
  MLIRContext *context = code.getContext();
  Location loc = code.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  auto function = LLVM::LLVMFuncOp::create(b, loc, report.name,
                                           runtime::getType(context, report),
                                           LLVM::Linkage::Internal);
  function.setAlwaysInline(true);
  Block *entry = function.addEntryBlock(b);
  Block *first = function.addBlock(), *end = function.addBlock();
  b.setInsertionPointToStart(entry);
  Value record = entry->getArgument(0);
  auto addressAt = [&](int32_t offset) -> Value {
    return LLVM::GEPOp::create(b, loc, record.getType(), b.getI8Type(), record,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
  };
  Value exchanged = LLVM::AtomicCmpXchgOp::create(
      b, loc, addressAt(taken), constant(0), constant(1),
      LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(b, loc, exchanged, 1);
  LLVM::CondBrOp::create(b, loc, isFirst, first, end);
  b.setInsertionPointToStart(first);
  for (auto [value, offset] :
       llvm::zip_equal(entry->getArguments().drop_front(), offsets))
    LLVM::StoreOp::create(b, loc, value, addressAt(offset));
  LLVM::BrOp::create(b, loc, end);
  b.setInsertionPointToStart(end);
  LLVM::ReturnOp::create(b, loc, ValueRange());
}

constexpr Strategy gpuStrategies[] = {matchGridUpdate, matchPermutation,
                                      matchGridScan, matchContraction,
                                      matchGridNest};

class GPUOutliner final : public KernelOutliner {
public:
  GPUOutliner(ModuleOp module, bool splits)
      : KernelOutliner(module, gpuStrategies), splits(splits) {}

  LogicalResult outline(KernelOp kernel);

private:
  /// Outlines the kernel without splitting its reductions.
  LogicalResult outlineWhole(KernelOp kernel, int64_t sections = 1);
  /// Moves the computation of an update's base to a kernel of its own, unless
  /// the base is an input that nothing else reads.
  LogicalResult splitBase(KernelOp kernel, UpdateOp update);

  void prepare(KernelFunction &function) override;
  ModuleOp getCode() override;
  std::string getName(KernelOp kernel) override;
  KernelSignature getSignature() override;
  void finish(LLVM::LLVMFuncOp function, const LaunchShape &shape) override;
  void declare(LLVM::LLVMFuncOp function, const LaunchShape &shape,
               KernelReports reports) override;

  ModuleOp code;
  const bool splits;
};

} // namespace

ModuleOp GPUOutliner::getCode() {
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

LogicalResult GPUOutliner::splitBase(KernelOp kernel, UpdateOp update) {
  Value base = update.getBase();
  // An input that is also read otherwise is copied: an update modifies its base
  // in place.
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

void GPUOutliner::declare(LLVM::LLVMFuncOp function, const LaunchShape &shape,
                          KernelReports reports) {
  OpBuilder b(code);
  GPUKernelOp::create(b, function.getLoc(), function.getSymName(),
                      shape.threads, shape.sharedBytes,
                      function.getNumArguments(), reports.indices,
                      reports.values);
  using Record = tdrt_gpu_record;
  if (reports.indices)
    defineReport(code, kReportIndex, offsetof(Record, index_taken),
                 {offsetof(Record, index), offsetof(Record, size),
                  offsetof(Record, index_site)});
  if (reports.values)
    defineReport(code, kReportValue, offsetof(Record, value_taken),
                 {offsetof(Record, value), offsetof(Record, value_site)});
}

LogicalResult GPUOutliner::outline(KernelOp kernel) {
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

LogicalResult GPUOutliner::outlineWhole(KernelOp kernel, int64_t sections) {
  UpdateOp update = getOnlyRoot<UpdateOp>(kernel);
  if (update && failed(splitBase(kernel, update)))
    return failure();
  return KernelOutliner::outline(kernel, sections);
}

void GPUOutliner::prepare(KernelFunction &function) {
  function.tensorAlignment = kTensorAlignment;
  function.indexBits = hasFewElements(function.kernel) ? 32 : 64;
}

/// A name for profiles and errors: the name of the last reduction, else of
/// the last op.
std::string GPUOutliner::getName(KernelOp kernel) {
  Operation *about = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!about || !isa<ReductionOp>(about) || isa<ReductionOp>(op))
      about = &op;
  std::string name =
      about ? about->getName().stripDialect().str() : std::string("copy");
  return name + "_" + std::to_string(library.size());
}

KernelSignature GPUOutliner::getSignature() {
  KernelSignature signature;
  signature.passesWords = true;
  return signature;
}

void GPUOutliner::finish(LLVM::LLVMFuncOp function, const LaunchShape &shape) {
  function.setLinkage(LLVM::Linkage::External);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(
      NVVM::NVVMDialect::getMaxntidAttrName(),
      builder.getDenseI32ArrayAttr({int32_t(shape.threads), 1, 1}));
  // Without this, ptxas limits registers to fit more blocks, at the price of
  // spills.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (isa<LLVM::LLVMPointerType>(function.getArgument(i).getType()))
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(kTensorAlignment));
}

namespace {
struct KernelToGPUPass : impl::KernelToGPUPassBase<KernelToGPUPass> {
  using KernelToGPUPassBase::KernelToGPUPassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    GPUOutliner outliner(module, splits);
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
