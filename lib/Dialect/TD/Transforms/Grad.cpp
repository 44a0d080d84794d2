//===- Grad.cpp - td-grad: gradients become plain td ops ------------------===//
//
// Replaces every td.grad and td.backward, in program order. An inner gradient
// consists of plain td ops by the time an outer one differentiates through it,
// so nested `grad` needs no extra code.
//
// Slots: a forward pass may read a parameter several times, and `grad(loss,
// model)` reads the model's parameters once more. All these reads are one leaf,
// as long as the slot is not written in between.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "ReverseSweep.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDGRADPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

using SlotWrites = llvm::DenseMap<StringAttr, SmallVector<Operation *>>;

/// Whether `a` runs before `b` in one run of the block that both lie in.
bool runsBefore(Operation *a, Operation *b) {
  for (; a; a = a->getParentOp()) {
    if (!a->getBlock())
      return false;
    if (Operation *at = a->getBlock()->findAncestorOpInBlock(*b))
      return a != at && a->isBeforeInBlock(at);
  }
  return false;
}

/// Whether `write` may run after `read` and before `use`.
bool mayRunBetween(Operation *read, Operation *write, Operation *use) {
  // If a loop around the write contains only one of `read` and `use`, an
  // iteration of it may run between them.
  for (auto loop = write->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (loop->isAncestor(read) != loop->isAncestor(use))
      return true;
  return runsBefore(read, write) && runsBefore(write, use);
}

struct GradPass : public impl::TDGradPassBase<GradPass> {
  void runOnOperation() override;

private:
  LogicalResult serve(GradOp grad);
  LogicalResult serve(BackwardOp backward);
  /// Emits the backward pass before the request and returns its adjoints.
  FailureOr<Adjoints> differentiate(GradientRequest &request);
  LogicalResult checkUnchanged(ReadOp read, Operation *use);
  void recordWrites(Operation *op);
  void checkUses();

  SlotWrites writes;
  /// Grad slots that some backward adds to.
  llvm::DenseSet<StringAttr> accumulated;
  /// The calls of `backward` in the program's text, with the slots that they
  /// add to and the reads for that.
  llvm::MapVector<Location, llvm::DenseSet<StringAttr>> given;
  llvm::DenseSet<Operation *> sums;
};
} // namespace

void GradPass::recordWrites(Operation *op) {
  if (auto write = dyn_cast<WriteOp>(op))
    writes[write.getSlotAttr().getAttr()].push_back(op);
  else if (auto restore = dyn_cast<RestoreOp>(op))
    for (auto slot : restore.getSlots().getAsRange<FlatSymbolRefAttr>())
      writes[slot.getAttr()].push_back(op);
}

LogicalResult GradPass::checkUnchanged(ReadOp read, Operation *use) {
  StringAttr slot = read.getSlotAttr().getAttr();
  for (Operation *write : writes.lookup(slot)) {
    if (!mayRunBetween(read, write, use))
      continue;
    auto error = use->emitError("TD611: `")
                 << slot.getValue()
                 << "` was changed after the value to differentiate was "
                    "computed from it";
    error.attachNote(write->getLoc()) << "changed here";
    error.attachNote(read.getLoc()) << "used here, with its old value";
    return failure();
  }
  return success();
}

/// Reports TD602, PyTorch's "element 0 of tensors does not require grad".
static LogicalResult reportNoPath(const GradientRequest &request,
                                  GradientFlow &flow) {
  auto error = request.at->emitError("TD602: there is nothing to differentiate")
               << (isa<BackwardOp>(request.at)
                       ? ": no parameter that can learn has a part in this"
                       : ": the value does not depend on what its gradient is "
                         "taken by");
  // A line is named once, however many parameters it cuts off.
  llvm::SmallSet<std::pair<llvm::StringRef, unsigned>, 4> told;
  for (Operation *cut : flow.findCuts()) {
    FileLineColLoc location = getUserLocation(cut->getLoc());
    if (!location ||
        told.insert({location.getFilename(), location.getLine()}).second)
      error.attachNote(cut->getLoc())
          << (isa<DetachOp>(cut) ? "cut off here, by `detach` or `with no_grad`"
                                 : "no gradient passes through this");
  }
  return error;
}

FailureOr<Adjoints> GradPass::differentiate(GradientRequest &request) {
  GradientFlow flow(request);
  for (ReadOp read : flow.getReads())
    if (failed(checkUnchanged(read, request.at)))
      return failure();
  if (Value carried = flow.getCarriedDependence()) {
    auto error = request.at->emitError(
        "TD900: gradient through this loop is not built yet");
    error.attachNote(carried.getParentBlock()->getParentOp()->getLoc())
        << "an earlier iteration's result is part of the value to "
           "differentiate; detach(…) it if that is not meant";
    return failure();
  }

  if (!flow.carries(request.target))
    return reportNoPath(request, flow);
  Adjoints adjoints;
  OpBuilder builder(request.at);
  ReverseSweep sweep(flow, builder);
  TensorBuilder b(builder, request.at->getLoc());
  sweep.accumulate(adjoints, request.target, b.full(1.0, request.target));
  if (failed(sweep.run(flow.getTopLevelOps(), adjoints)))
    return failure();
  return adjoints;
}

/// Whether a sum has parts that were copied from the GPUs of replicas.
static bool hasParts(Value sum) {
  SmallVector<Value> sums = {sum};
  llvm::DenseSet<Value> seen; // a gradient may be added to itself
  while (!sums.empty()) {
    Value value = sums.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (auto copy = dyn_cast<ToDeviceOp>(op);
        copy && copy.getRole() == CopyRole::Gradient)
      return true;
    if (isa<AddOp>(op))
      llvm::append_range(sums, op->getOperands());
    else if (auto update = dyn_cast<UpdateOp>(op); update && update.getBase())
      sums.push_back(update.getBase());
  }
  return false;
}

/// The gradient of a slot; null if there is none.
static Value getGradient(TensorBuilder b, const Adjoints &adjoints,
                         StringAttr slot) {
  Value sum = adjoints.slots.lookup(slot);
  return sum && hasParts(sum)
             ? b.make<SumPartsOp>(sum.getType(), FlatSymbolRefAttr::get(slot),
                                  sum)
             : sum;
}

/// Marks the target of a request with a td.watch that has no use yet: an outer
/// gradient does not see it.
static void markTarget(Value target, Operation *request) {
  auto isWatch = [](Operation *user) { return isa<WatchOp>(user); };
  if (llvm::any_of(target.getUsers(), isWatch))
    return;
  OpBuilder builder(request);
  builder.setInsertionPointAfterValue(target);
  bool isKnown = bool(getUserLocation(target.getLoc()));
  WatchOp::create(builder, isKnown ? target.getLoc() : request->getLoc(),
                  target);
}

LogicalResult GradPass::serve(GradOp grad) {
  GradientRequest request{grad, grad.getTarget(), {}, {}};
  for (Value wrt : grad.getWrt()) {
    if (auto read = wrt.getDefiningOp<ReadOp>())
      request.slots.insert(read.getSlotAttr().getAttr());
    else
      request.values.push_back(wrt);
  }
  FailureOr<Adjoints> adjoints = differentiate(request);
  if (failed(adjoints))
    return failure();

  OpBuilder builder(grad);
  TensorBuilder b(builder, grad.getLoc());
  for (auto [wrt, result] : llvm::zip_equal(grad.getWrt(), grad.getResults())) {
    auto read = wrt.getDefiningOp<ReadOp>();
    Value gradient =
        read ? getGradient(b, *adjoints, read.getSlotAttr().getAttr())
             : adjoints->values.lookup(wrt);
    if (!gradient)
      gradient = b.zeros(wrt);
    else if (gradient.getType() != wrt.getType())
      gradient = b.make<ToDeviceOp>(wrt.getType(), gradient);
    result.replaceAllUsesWith(gradient);
  }
  markTarget(grad.getTarget(), grad);
  grad.erase();
  return success();
}

LogicalResult GradPass::serve(BackwardOp backward) {
  GradientRequest request{backward, backward.getTarget(), {}, {}};
  for (auto slot : backward.getParameters().getAsRange<FlatSymbolRefAttr>())
    request.slots.insert(slot.getAttr());
  FailureOr<Adjoints> adjoints = differentiate(request);
  if (failed(adjoints))
    return failure();

  OpBuilder builder(backward);
  TensorBuilder b(builder, backward.getLoc());
  SymbolTable symbols(getOperation());
  FileLineColLoc written = getUserLocation(backward.getLoc());
  Location place = written ? Location(written) : backward.getLoc();
  for (auto [i, parameter, slot] : llvm::enumerate(
           backward.getParameters().getAsRange<FlatSymbolRefAttr>(),
           backward.getGradients().getAsRange<FlatSymbolRefAttr>())) {
    Value gradient = getGradient(b, *adjoints, parameter.getAttr());
    if (!gradient)
      continue;
    Value before = b.make<ReadOp>(gradient.getType(), slot);
    sums.insert(before.getDefiningOp());
    Value sum = b.add(before, gradient);
    recordWrites(WriteOp::create(builder, backward.getLoc(), sum, slot));
    accumulated.insert(slot.getAttr());
    given[place].insert(slot.getAttr());
    if (!backward.getFlags())
      continue;
    auto flag = cast<FlatSymbolRefAttr>((*backward.getFlags())[i]);
    Type type = symbols.lookup<SlotOp>(flag.getAttr()).getType();
    Value isThere =
        arith::ConstantIntOp::create(builder, backward.getLoc(), 1, 1);
    WriteOp::create(builder, backward.getLoc(),
                    b.make<FillOp>(type, isThere, ValueRange()), flag);
  }
  markTarget(backward.getTarget(), backward);
  backward.erase();
  return success();
}

static bool isGradient(FlatSymbolRefAttr slot, SymbolTable &symbols) {
  return symbols.lookup<SlotOp>(slot.getAttr()).getKind() == SlotKind::Grad;
}

/// Whether all that is computed from a gradient is written to gradients, as
/// clipping does.
static bool isOnlyRescaled(ReadOp read, SymbolTable &symbols) {
  llvm::SetVector<Value> computed;
  computed.insert(read.getResult());
  for (unsigned i = 0; i < computed.size(); ++i)
    for (Operation *user : computed[i].getUsers()) {
      auto write = dyn_cast<WriteOp>(user);
      if (write && isGradient(write.getSlotAttr(), symbols))
        continue;
      if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
        user = user->getParentOp();
      else if (user->getNumRegions() != 0 || user->getNumResults() == 0 ||
               !isMemoryEffectFree(user))
        return false;
      computed.insert(user->result_begin(), user->result_end());
    }
  return true;
}

/// Whether a value that is written to a gradient is computed from more than
/// constants and gradients.
static bool isFromElsewhere(Value written, SymbolTable &symbols) {
  llvm::SetVector<Value> sources;
  sources.insert(written);
  for (unsigned i = 0; i < sources.size(); ++i) {
    Operation *op = sources[i].getDefiningOp();
    if (!op || op->getNumRegions() != 0)
      return true;
    auto read = dyn_cast<ReadOp>(op);
    bool isKnown = read ? isGradient(read.getSlotAttr(), symbols)
                        : op->hasTrait<OpTrait::ConstantLike>();
    if (op->getNumOperands() == 0 && !isKnown)
      return true;
    sources.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Warns about steps that train nothing (TD605): a step reads the gradients of
/// its parameters, but no backward adds to any of them; and about a backward
/// (TD613) none of whose gradients is read.
void GradPass::checkUses() {
  SymbolTable symbols(getOperation());
  // All reads of one step are at one source location. A gradient that the
  // program itself reads is detached.
  llvm::MapVector<Location, llvm::SmallVector<StringAttr>> steps;
  llvm::DenseSet<StringAttr> used;
  getOperation()->walk([&](ReadOp read) {
    StringAttr slot = read.getSlotAttr().getAttr();
    bool isFlag =
        cast<ShapedType>(read.getType()).getElementType().isInteger(1);
    if (isFlag || sums.contains(read) ||
        !isGradient(read.getSlotAttr(), symbols))
      return;
    if (!used.contains(slot) && !isOnlyRescaled(read, symbols))
      used.insert(slot);
    if (!read->hasOneUse() || !isa<DetachOp>(*read->user_begin()))
      steps[read.getLoc()].push_back(slot);
  });
  // The program itself can write gradients.
  auto isWritten = [&](llvm::ArrayRef<StringAttr> slots) {
    return getOperation()
        ->walk([&](WriteOp write) {
          bool isGiven =
              llvm::is_contained(slots, write.getSlotAttr().getAttr()) &&
              isFromElsewhere(write.getValue(), symbols);
          return isGiven ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  bool allLearn = true;
  for (auto &[location, slots] : steps) {
    bool learns = llvm::any_of(slots,
                               [&](StringAttr slot) {
                                 return accumulated.contains(slot);
                               }) ||
                  isWritten(slots);
    allLearn &= learns;
    if (!learns)
      emitWarning(location, "TD605: no `backward` gives these parameters a "
                            "gradient, so this learns nothing");
  }
  // The gradients may be meant for such a step.
  if (!allLearn)
    return;
  for (auto &[location, slots] : given)
    if (llvm::none_of(slots,
                      [&](StringAttr slot) { return used.contains(slot); }))
      emitWarning(location, "TD613: no step and no `.grad` reads these "
                            "gradients")
              .attachNote(UnknownLoc::get(&getContext()))
          << "the `step()` of an optimizer changes the parameters by them";
}

/// Watches the marked targets that have uses.
static void watchTargets(ModuleOp module) {
  module.walk([](WatchOp watch) {
    Value target = watch.getInput();
    target.replaceAllUsesExcept(watch, watch);
    if (watch.use_empty())
      watch.erase();
  });
}

void GradPass::runOnOperation() {
  SmallVector<Operation *> requests;
  writes.clear();
  accumulated.clear();
  given.clear();
  sums.clear();
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<GradOp, BackwardOp>(op))
      requests.push_back(op);
    else
      recordWrites(op);
  });
  for (Operation *op : requests) {
    auto grad = dyn_cast<GradOp>(op);
    if (failed(grad ? serve(grad) : serve(cast<BackwardOp>(op))))
      return signalPassFailure();
  }
  checkUses();
  watchTargets(getOperation());
  // The gradient ops left are markers (td.detach, td.round_gradient);
  // recomputed code may contain clones of them.
  getOperation()->walk([](Operation *op) {
    if (!op->hasTrait<ForGradientOp>())
      return;
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

} // namespace tdc::td
