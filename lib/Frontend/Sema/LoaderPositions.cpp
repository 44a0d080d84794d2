//===- LoaderPositions.cpp - loaders in checkpoints -----------------------===//
//
// A loader that a `save` or `restore` names has slots: how many batches of its
// epoch were taken, and the random call that ordered the epoch. `resumes` says
// that it was restored since its last loop, so that the next one goes on there.
// The numbers of rows and the batch size are there to be compared.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static std::string slotOf(const LoaderInfo &loader, llvm::StringRef leaf) {
  return "loader." + loader.name + "." + leaf.str();
}

static DType dtypeOf(llvm::StringRef leaf) {
  return leaf == "resumes" ? DType::Bool : DType::I64;
}

static void writeLeaf(Checker &c, const LoaderInfo &loader,
                      llvm::StringRef leaf, const Val &val) {
  c.training.writeNumber(slotOf(loader, leaf), val, dtypeOf(leaf));
}

static Val readLeaf(Checker &c, const LoaderInfo &loader,
                    llvm::StringRef leaf) {
  return c.training.readNumber(slotOf(loader, leaf), dtypeOf(leaf));
}

/// What a file has of a loader.
static llvm::SmallVector<llvm::StringRef>
savedLeaves(const LoaderInfo &loader) {
  llvm::SmallVector<llvm::StringRef> leaves{"position", "rows", "batch_size"};
  if (loader.draws())
    leaves.append({"seed", "call"});
  return leaves;
}

bool ControlFlow::keepPosition(LoaderInfo &loader, SourceRange range) {
  llvm::StringRef name = c.models.nameHint;
  if (!keptNames.contains(name))
    return true;
  if (c.isInsideRunTimeRegion() && !c.isWalkedAside()) {
    c.models.reportMadeOnce("a DataLoader of a checkpoint", range);
    return false;
  }
  loader.name = c.models.uniqueName(name);
  auto declare = [&](llvm::StringRef leaf, const Val &initial) {
    c.training.declareNumber(slotOf(loader, leaf), loader.name, initial,
                             dtypeOf(leaf));
  };
  declare("position", makeInt(0));
  declare("rows", makeInt(loader.rows));
  declare("batch_size", makeInt(loader.batchSize));
  declare("resumes", makeBool(false));
  if (loader.draws()) {
    declare("seed", makeInt(0));
    declare("call", makeInt(0));
  }
  return true;
}

void ControlFlow::writePosition(const LoaderInfo &loader, const Val &taken) {
  writeLeaf(c, loader, "position", taken);
}

std::pair<Val, std::optional<RandomCall>>
ControlFlow::takePosition(const LoaderInfo &loader) {
  Val resumes = readLeaf(c, loader, "resumes");
  Value flag = c.host.materialize(resumes);
  Value taken = c.emit().hostSelect(
      flag, c.host.materialize(readLeaf(c, loader, "position")),
      c.emit().constantInt(0));
  Val first = c.host.runTimeInt(taken, "batch");
  if (const SizeAtomRef &atom = first.size.getAtom())
    c.host.sizes[atom].nonNegative = true; // `resumeAt` has checked it
  writeLeaf(c, loader, "resumes", makeBool(false));
  writePosition(loader, first);
  if (!loader.draws())
    return {first, std::nullopt};
  // A resumed epoch was ordered before: it takes no call.
  Value seed = c.host.materialize(readLeaf(c, loader, "seed"));
  Value number = c.host.materialize(readLeaf(c, loader, "call"));
  c.emit().beginIf(flag);
  c.emit().beginElse();
  RandomCall next = c.emit().nextRandom();
  llvm::SmallVector<Value> call =
      c.emit().endIf({seed, number}, {next.seed, next.number});
  writeLeaf(c, loader, "seed", c.host.runTimeInt(call[0], "seed"));
  writeLeaf(c, loader, "call", c.host.runTimeInt(call[1], "call"));
  return {first, RandomCall{call[0], call[1]}};
}

bool ControlFlow::addLoader(Emitter::Checkpoint &checkpoint, const Val &val,
                            const ast::Identifier &name, bool saves) {
  auto &loader = val.as<LoaderInfo>();
  if (!loader.keepsPosition()) {
    c.error(DiagCode::TD303, name.range,
            "this loader does not keep its position")
        .note("one that is made by `let loader = DataLoader(…)` does if it is "
              "given to `save` or `restore` by that name");
    return false;
  }
  if (!saves && loader.isLooped) {
    c.unsupported(name.range, "`restore` of a loader in a loop over it");
    return false;
  }
  for (llvm::StringRef leaf : savedLeaves(loader)) {
    checkpoint.slots.push_back(slotOf(loader, leaf));
    checkpoint.keys.push_back(("loader." + name.text + "." + leaf).str());
  }
  return true;
}

void ControlFlow::forgetPosition(const LoaderInfo &loader) {
  writePosition(loader, makeInt(0));
}

void ControlFlow::resumeAt(const LoaderInfo &loader) {
  Emitter &emitter = c.emit();
  Value position = c.host.materialize(readLeaf(c, loader, "position"));
  Value rows = c.host.materialize(readLeaf(c, loader, "rows"));
  Value size = c.host.materialize(readLeaf(c, loader, "batch_size"));
  Value ownRows = c.host.sizeValue(loader.rows);
  Value ownSize = emitter.constantInt(loader.batchSize);
  Value isSame =
      emitter.host(HostOp::And, {emitter.host(HostOp::Eq, {rows, ownRows}),
                                 emitter.host(HostOp::Eq, {size, ownSize})});
  emitter.assertThat(
      isSame, emitter.format("`" + loader.name +
                                 "` has {} rows in batches of {}, and in the "
                                 "checkpoint it has {} in batches of {}",
                             {ownRows, ownSize, rows, size}));
  Size batches = Size::floorDiv(
      loader.rows + Size(loader.dropLast ? 0 : loader.batchSize - 1),
      Size(loader.batchSize));
  Value start = emitter.constantInt(0), end = c.host.sizeValue(batches);
  emitter.assertThat(
      emitter.host(HostOp::And, {emitter.host(HostOp::Ge, {position, start}),
                                 emitter.host(HostOp::Le, {position, end})}),
      emitter.format("`" + loader.name +
                         "` has {} batches, and in the checkpoint {} were "
                         "taken",
                     {end, position}));
  writeLeaf(
      c, loader, "resumes",
      makeRunTime(ValKind::Bool, emitter.host(HostOp::Gt, {position, start})));
}
