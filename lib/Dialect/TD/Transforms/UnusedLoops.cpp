//===- UnusedLoops.cpp - td-unused-loops: warn about useless loops --------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Simplify.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDUNUSEDLOOPSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {
/// Whether the loop changes the parameters of a model.
bool trains(Operation *loop) {
  return loop
      ->walk([](WriteOp write) {
        auto slot = SymbolTable::lookupNearestSymbolFrom<SlotOp>(
            write, write.getSlotAttr());
        return slot && slot.getKind() == SlotKind::Param
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an index comes from a file or from numbers of the program, and no
/// state of a model and no earlier iteration decides about it: checking it
/// needs no more of the loop than its data.
bool isGiven(Value index) {
  bool found = false;
  llvm::SetVector<Value> seen;
  seen.insert(index);
  for (unsigned i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op || isa<ReadOp>(op) || isStructured(op))
      return false;
    found |= isa<LoadOp, ConstantOp, FillOp>(op);
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        seen.insert(operand);
  }
  return found;
}

/// The words for an index out of range at a place of the program, if the module
/// has some (GenerateModule.h).
StringAttr findWords(ModuleOp module, Location location) {
  auto excerpts = module->getAttrOfType<ArrayAttr>("td.excerpts");
  if (!excerpts)
    return {};
  Attribute place = getUserLocation(location);
  for (auto row : excerpts.getAsRange<ArrayAttr>())
    if (row[0] == place)
      return dyn_cast<StringAttr>(row[2]);
  return {};
}

/// The message of an index out of range.
Value makeMessage(TensorBuilder &b, Picker picker, Value index, Value size) {
  StringAttr words =
      findWords(picker->getParentOfType<ModuleOp>(), picker->getLoc());
  llvm::StringRef rest = words && !words.empty()
                             ? words.getValue()
                             : "index {index} is out of range for size {size}";
  std::string format;
  llvm::SmallVector<Value> values;
  while (!rest.empty()) {
    auto [text, field] = rest.split('{');
    format += text;
    if (field.empty())
      break;
    format += "{}";
    auto [name, after] = field.split('}');
    values.push_back(name == "index" ? index
                     : name == "size"
                         ? size
                         : b.make<arith::SubIOp>(size, b.constantInt(1)));
    rest = after;
  }
  return b.make<FormatOp>(format, values);
}

/// Stops the program at an index out of range, as the picker does that will be
/// removed together with its loop.
void checkIndices(Picker picker) {
  OpBuilder builder(picker);
  Location loc = picker->getLoc();
  TensorBuilder b(builder, loc);
  Value indices = b.cast(picker->getOperand(1), builder.getI64Type());
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(indices).getRank()));
  auto find = [&](ReduceKind kind) {
    Value found = b.reduce(kind, indices, dims);
    return b.make<ItemOp>(builder.getI64Type(), found);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return b.make<arith::CmpIOp>(predicate, lhs, rhs);
  };
  // The largest and the least of no index are the least and the largest i64.
  Value most = find(ReduceKind::Max), least = find(ReduceKind::Min);
  Value size = b.dim(picker->getOperand(0), picker.getDim());
  Value first = b.constantInt(0);
  if (picker.countsFromEnd())
    first = b.make<arith::SubIOp>(first, size);
  Value ends = compare(arith::CmpIPredicate::slt, most, size);
  Value begins = compare(arith::CmpIPredicate::sge, least, first);
  Value wrong = b.make<arith::SelectOp>(ends, least, most);
  auto check =
      AssertOp::create(builder, loc, b.make<arith::AndIOp>(ends, begins),
                       makeMessage(b, picker, wrong, size));
  check->setAttr("td.code", builder.getI32IntegerAttr(103));
}

struct UnusedLoopsPass : public impl::TDUnusedLoopsPassBase<UnusedLoopsPass> {
  void runOnOperation() override {
    for (Operation *loop : findUnusedLoops(getOperation())) {
      bool isTraining = trains(loop);
      InFlightDiagnostic report =
          emitWarning(loop->getLoc(), "TD606: ")
          << (isTraining ? "nothing reads the weights that this loop trains"
                         : "nothing uses what this loop computes")
          << ", so the loop is removed";
      report.attachNote(UnknownLoc::get(&getContext()))
          << (isTraining
                  ? "print the loss in it, or print, evaluate or save the "
                    "model after it"
                  : "to see how long it takes, or what it does, use the "
                    "result: print a sum of it after the loop");
      loop->walk([](Picker picker) {
        if (isGiven(picker->getOperand(1)))
          checkIndices(picker);
      });
    }
    getOperation()->walk(
        [](Operation *op) { op->removeDiscardableAttr(kReadElsewhereAttr); });
  }
};
} // namespace
} // namespace tdc::td
