//===- StagedKernel.cpp - nests that run block by block -------------------===//
//
// One loop runs over the blocks of rows, which threads share. In it, each stage
// is a nest with a schedule of its own, made for the rows of one block. What
// stages pass on is in scratch: its pointer is moved back by the distance of
// the block from the start of the tensor, so that the nests read and write it
// at the positions of the whole tensor.
//
//===----------------------------------------------------------------------===//

#include "StagedKernel.h"
#include "CodeGen/ElementOps.h"
#include "Dialect/TD/Analysis/Kernels/CausalMask.h"
#include "Dialect/TD/Analysis/Kernels/Work.h"
#include "NestEmitter.h"
#include "PanelEmitter.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class StagedKernel {
public:
  StagedKernel(const KernelFunction &function, Stages stages)
      : stages(std::move(stages)), mask(CausalMask::find(this->stages)),
        layouts(function.resultLayouts) {}

  /// Makes the schedules, and lays out the scratch.
  void plan(KernelFunction &function);
  RankedTensorType getScratchType(KernelOp kernel) const;
  LaunchShape getShape(const KernelFunction &function) const;
  void emit(KernelFunction &function);

private:
  /// A stage for a number of rows.
  struct Part {
    LoopNest nest;
    NestSchedule schedule;
  };
  using Parts = SmallVector<Part, 4>;

  /// The layout of a root, which is passed on or a result.
  Layout getLayout(const Stage &stage, unsigned root) const;
  void setResults(KernelFunction &function, const Stage &stage) const;
  Parts schedule(KernelFunction &function, int64_t rows);
  int64_t getRest() const { return stages.extents.back() % stages.rowsOfBlock; }
  SmallVector<Value> getBegins(KernelFunction &function, Value block);
  Value getEnd(KernelFunction &function, Value begin, int64_t rows,
               int64_t columns);
  void splitMasked(KernelFunction &function, LoopNest nest,
                   NestSchedule &schedule, Value begin);
  Value getPointer(KernelFunction &function, const Stage &stage, unsigned root,
                   ArrayRef<Value> begins);
  SmallVector<StoreTarget, 1> getTargets(const KernelFunction &function,
                                         const Stage &stage,
                                         const LoopNest &nest) const;
  void emitZeros(KernelFunction &function, const Stage &stage,
                 ArrayRef<Value> begins);
  void emitBlock(KernelFunction &function, Value block);
  void emitParts(KernelFunction &function, int64_t rows,
                 ArrayRef<Value> begins);

  Stages stages;
  std::optional<CausalMask> mask;
  /// Of the kernel's results.
  SmallVector<Layout> layouts;
  /// For whole blocks, and for the last one if it has fewer rows.
  Parts whole, rest;
  /// The bytes of scratch before each value that stages pass on, and before
  /// panels.
  llvm::DenseMap<Value, int64_t> offsets;
  int64_t panels = 0, bytes = 0;
};

} // namespace

static int64_t getBytes(RankedTensorType type) {
  return type.getNumElements() *
         getMemoryType(type.getElementType()).getIntOrFloatBitWidth() / 8;
}

Layout StagedKernel::getLayout(const Stage &stage, unsigned root) const {
  int result = stage.results[root];
  return result < 0 ? stage.getLayout(root) : layouts[result];
}

/// Makes the layouts of the function's results those of the stage's roots.
void StagedKernel::setResults(KernelFunction &function,
                              const Stage &stage) const {
  function.resultLayouts.clear();
  for (unsigned root = 0; root < stage.results.size(); ++root)
    function.resultLayouts.push_back(getLayout(stage, root));
}

StagedKernel::Parts StagedKernel::schedule(KernelFunction &function,
                                           int64_t rows) {
  Parts parts;
  for (const Stage &stage : stages.stages) {
    setResults(function, stage);
    LoopNest nest = stages.getPart(stage, rows);
    NestSchedule schedule = scheduleStage(function, nest);
    if (schedule.copiesPanel())
      bytes = std::max(bytes, panels + getBytes(getPanelType(nest, schedule)));
    parts.push_back({std::move(nest), std::move(schedule)});
  }
  return parts;
}

void StagedKernel::plan(KernelFunction &function) {
  for (const Stage &stage : stages.stages) {
    if (!stage.op)
      continue;
    for (auto [root, result] : llvm::enumerate(stage.results)) {
      Value passed = stage.getPassed(unsigned(root));
      function.layouts[passed] = getLayout(stage, unsigned(root));
      if (result >= 0)
        continue;
      RankedTensorType type = stages.getTypeOfBlock(passed);
      function.parts[passed] = type;
      offsets[passed] = bytes;
      bytes += llvm::alignTo(getBytes(type), cpu::kLineBytes);
    }
  }
  panels = bytes;
  whole = schedule(function, stages.rowsOfBlock);
  if (int64_t rows = getRest())
    rest = schedule(function, rows);
}

RankedTensorType StagedKernel::getScratchType(KernelOp kernel) const {
  auto result = cast<RankedTensorType>(kernel.getResult(0).getType());
  Type element = Float32Type::get(kernel.getContext());
  return RankedTensorType::get({int64_t(llvm::divideCeil(bytes, 4))}, element,
                               result.getEncoding());
}

LaunchShape StagedKernel::getShape(const KernelFunction &function) const {
  int64_t work = 0;
  for (const Stage &stage : stages.stages)
    work = llvm::SaturatingAdd<uint64_t>(work, estimateWork(stage.nest));
  LaunchShape shape;
  shape.blocks = stages.countBlocks() / stages.countSerialBlocks();
  shape.work = getBlockWork(function, work, *shape.blocks);
  return shape;
}

/// The first position of the block along each shared dim.
SmallVector<Value> StagedKernel::getBegins(KernelFunction &function,
                                           Value block) {
  OpBuilder &b = function.builder;
  SmallVector<Value> begins(stages.extents.size());
  for (size_t dim = stages.extents.size(); dim-- > 0;) {
    bool isLast = dim + 1 == stages.extents.size();
    int64_t rows = isLast ? stages.rowsOfBlock : 1;
    Value count = function.i64(llvm::divideCeil(stages.extents[dim], rows));
    begins[dim] = arith::MulIOp::create(
        b, function.loc, arith::RemUIOp::create(b, function.loc, block, count),
        function.i64(rows));
    block = arith::DivUIOp::create(b, function.loc, block, count);
  }
  return begins;
}

/// The number of columns, of `columns`, up to the first one that is masked in
/// all rows: of `rows`, from `begin` on.
Value StagedKernel::getEnd(KernelFunction &function, Value begin, int64_t rows,
                           int64_t columns) {
  // Whole vectors need no mask of lanes.
  constexpr int64_t kUnit = 64;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value end = arith::AddIOp::create(
      b, loc, begin, function.i64(rows - 1 + mask->offset + kUnit - 1));
  Value unit = function.i64(kUnit);
  end = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, end, unit),
                              unit);
  return arith::MinUIOp::create(b, loc, end, function.i64(columns));
}

/// Emits the first stage for the columns that are masked in no row from `begin`
/// on, without the mask, and leaves the others to `schedule`: if there are many
/// blocks, since code without the mask is as long as that with it.
void StagedKernel::splitMasked(KernelFunction &function, LoopNest nest,
                               NestSchedule &schedule, Value begin) {
  constexpr int64_t kManyBlocks = 8;
  auto column = unsigned(llvm::countr_zero(mask->columns.front()));
  // Reductions around the later loops would run twice.
  if (!mask->unmasked.tensor || !schedule.later.empty() || schedule.kept ||
      !llvm::is_contained(schedule.outer, column) ||
      stages.extents.back() < kManyBlocks * stages.rowsOfBlock)
    return;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  nest.replaceRoot(0, mask->unmasked);
  Value step = function.i64(schedule.getStep(column));
  Value end = arith::MinUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, begin, function.i64(mask->offset)),
      function.i64(nest.getExtent(column)));
  end = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, end, step),
                              step);
  NestSchedule unmasked = schedule;
  unmasked.ends[column] = end;
  unmasked.wholeEnds = toLoopSet(column);
  emitNest(function, nest, unmasked,
           getTargets(function, stages.stages.front(), nest));
  schedule.begins[column] = end;
}

/// The address at which a root that is passed on would begin as a whole tensor,
/// of which the scratch has the open block.
Value StagedKernel::getPointer(KernelFunction &function, const Stage &stage,
                               unsigned root, ArrayRef<Value> begins) {
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value passed = stage.getPassed(root);
  RankedTensorType type = stages.getTypeOfBlock(passed);
  Layout layout = stage.getLayout(root);
  Value back = function.i64(0);
  auto move = [&](int64_t dim, int64_t stride) {
    if (dim < int64_t(begins.size()))
      back = arith::AddIOp::create(
          b, loc, back,
          arith::MulIOp::create(b, loc, begins[dim], function.i64(stride)));
  };
  int64_t stride = std::max<int64_t>(layout.block, 1);
  for (int64_t dim : llvm::reverse(layout.order)) {
    if (layout.block && dim == layout.getLast())
      continue;
    move(dim, stride);
    stride *= type.getDimSize(dim);
  }
  // Blocks are outermost, and the part begins with one.
  if (layout.block)
    move(layout.getLast(), stride / layout.block);
  Type memory = getMemoryType(type.getElementType());
  Value start = LLVM::GEPOp::create(
      b, loc, function.scratch.getType(), b.getI8Type(), function.scratch,
      ValueRange{function.i64(offsets.lookup(passed))});
  return LLVM::GEPOp::create(
      b, loc, start.getType(), memory, start,
      ValueRange{
          arith::SubIOp::create(b, loc, function.i64(0), back).getResult()});
}

SmallVector<StoreTarget, 1>
StagedKernel::getTargets(const KernelFunction &function, const Stage &stage,
                         const LoopNest &nest) const {
  SmallVector<StoreTarget, 1> targets;
  for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
    int result = stage.results[i];
    Value tensor = stage.op ? stage.getPassed(unsigned(i)) : root.tensor;
    Value pointer = result < 0 ? function.pointers.lookup(tensor)
                               : function.resultPointers[result];
    targets.push_back({tensor, *root.at, pointer, function.resultLayouts[i]});
    if (stage.addsUp)
      targets.back().combine = ReduceKind::Sum;
  }
  return targets;
}

/// Stores zeros in the part of a sum that the open block adds to.
void StagedKernel::emitZeros(KernelFunction &function, const Stage &stage,
                             ArrayRef<Value> begins) {
  const Access &sum = stage.nest.getRoots().front();
  OpBuilder b(KernelOp(function.kernel).getBody().front().getTerminator());
  Value zero = arith::ConstantOp::create(b, function.loc, b.getF64FloatAttr(0));
  function.scalars[zero] = arith::ConstantOp::create(
      function.builder, function.loc, b.getF64FloatAttr(0));
  Value zeros =
      FillOp::create(b, function.loc, sum.tensor.getType(), zero).getResult();
  LoopNest nest = *LoopNest::getOfKernel(zeros);
  SmallVector<Value> begin(nest.getLoops().size());
  for (auto [dim, at] : llvm::enumerate(*nest.getRoots().front().at))
    for (auto [row, first] : llvm::zip(ArrayRef(stage.rows).drop_back(),
                                       ArrayRef(begins).drop_back()))
      if (row >= 0 && getLoop((*sum.at)[dim]) == row) {
        nest.cutLoop(unsigned(getLoop(at)), 1);
        begin[unsigned(getLoop(at))] = first;
      }
  setResults(function, stage);
  NestSchedule schedule = scheduleStage(function, nest);
  schedule.begins = std::move(begin);
  SmallVector<StoreTarget, 1> targets = getTargets(function, stage, nest);
  targets.front().combine = std::nullopt;
  emitNest(function, nest, schedule, targets);
}

/// Emits the stages for `rows` rows.
void StagedKernel::emitParts(KernelFunction &function, int64_t rows,
                             ArrayRef<Value> begins) {
  const Parts &parts = rows == stages.rowsOfBlock ? whole : rest;
  Value scratch = function.scratch;
  for (const Stage &stage : stages.stages)
    for (auto [root, result] : llvm::enumerate(stage.results))
      if (stage.op)
        function.pointers[stage.getPassed(unsigned(root))] =
            result < 0 ? getPointer(function, stage, unsigned(root), begins)
                       : function.resultPointers[result];
  function.scratch = LLVM::GEPOp::create(
      function.builder, function.loc, scratch.getType(),
      function.builder.getI8Type(), scratch, ValueRange{function.i64(panels)});
  for (auto [i, stage, part] : llvm::enumerate(stages.stages, parts)) {
    NestSchedule schedule = part.schedule;
    ArrayRef<Loop> loops = part.nest.getLoops();
    schedule.begins.resize(loops.size());
    for (auto [loop, begin] : llvm::zip(stage.rows, begins))
      if (loop >= 0)
        schedule.begins[loop] = begin;
    if (mask) {
      schedule.ends.resize(loops.size());
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        if (contains(mask->columns[i], loop))
          schedule.ends[loop] =
              getEnd(function, begins.back(), rows, loops[loop].extent);
    }
    setResults(function, stage);
    if (mask && i == 0 && rows == stages.rowsOfBlock)
      splitMasked(function, part.nest, schedule, begins.back());
    emitNest(function, part.nest, schedule,
             getTargets(function, stage, part.nest));
  }
  function.scratch = scratch;
}

/// Emits the stages for one block.
void StagedKernel::emitBlock(KernelFunction &function, Value block) {
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  SmallVector<Value> begins = getBegins(function, block);
  if (stages.addsUp()) {
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          begins.back(), function.i64(0));
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (const Stage &stage : stages.stages)
      if (stage.addsUp)
        emitZeros(function, stage, begins);
  }
  emitForBlock(function, begins.back(), stages.extents.back(),
               stages.rowsOfBlock,
               [&](int64_t rows) { emitParts(function, rows, begins); });
}

/// Blocks that add to the same sums are one block for the threads.
void StagedKernel::emit(KernelFunction &function) {
  OpBuilder &b = function.builder;
  Value serial = function.i64(stages.countSerialBlocks());
  auto getBlock = [&](Value part) -> Value {
    return b.createOrFold<arith::MulIOp>(function.loc, part, serial);
  };
  Value first = getBlock(std::exchange(function.firstBlock, Value())),
        end = getBlock(std::exchange(function.endBlock, Value()));
  auto blocks =
      scf::ForOp::create(b, function.loc, first, end, function.i64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(blocks.getBody()->getTerminator());
  emitBlock(function, blocks.getInductionVar());
}

std::optional<KernelPlan> matchStages(KernelCandidate &kernel) {
  std::optional<Stages> stages =
      Stages::find(kernel.function.kernel, cpu::kStageBytes);
  if (!stages) {
    // No other strategy knows the values that stages pass on.
    KernelOp op = kernel.function.kernel;
    if (op.getBody().getOps<StageOp>().empty())
      return std::nullopt;
    KernelPlan plan;
    plan.emit = [op](KernelFunction &) mutable -> FailureOr<LaunchShape> {
      return op.emitOpError("expected stages that share rows of known sizes");
    };
    return plan;
  }
  StagedKernel staged(kernel.function, std::move(*stages));
  staged.plan(kernel.function);
  KernelPlan plan;
  plan.hasBlocks = true;
  plan.scratch = staged.getScratchType(kernel.function.kernel);
  plan.emit = [staged = std::move(staged)](
                  KernelFunction &function) mutable -> FailureOr<LaunchShape> {
    staged.emit(function);
    return staged.getShape(function);
  };
  return plan;
}

} // namespace tdc
