//===- Transfers.cpp - the copies between devices of a placed module ------===//

#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include "ContentFlow.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/Views.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace tdc::td {

namespace {

Operation *getInnermostLoop(Operation *op) {
  while ((op = op->getParentOp()))
    if (CarryingLoop(op))
      return op;
  return nullptr;
}

bool isForHost(Operation *reader) {
  return reader->hasTrait<HostReaderOp>() || isa<SaveOp>(reader);
}

/// The replicas on one device of the values that some td.handle ops on another
/// device make: one site, because the first request makes the copy.
struct Replicas {
  size_t site; ///< index in the collected sites
  Place to;
  /// These td.handle ops.
  llvm::SetVector<HandleOp> own;
  /// td.handle ops of any device whose values the same ops may read.
  llvm::SetVector<HandleOp> all;
};

class Collector {
public:
  Collector(ModuleOp module, const DryRun &run)
      : module(module), run(run), flow(module) {}

  std::vector<CopySite> collect() {
    module.walk([&](Operation *op) {
      if (auto copy = dyn_cast<ToDeviceOp>(op)) {
        if (getPlace(copy.getInput()) != getPlace(copy.getType()))
          addCopy(copy);
      } else if (auto replica = dyn_cast<ReplicaGetOp>(op)) {
        addReplica(replica);
      } else if (isa<MoveOp, SaveOp, RestoreOp>(op) &&
                 run.getCopies(op).copies) {
        addAsWritten(op);
      }
    });
    for (const Replicas &replicas : onDemand)
      countReplicas(replicas);
    return std::move(transfers);
  }

private:
  CopySite start(Operation *op, Value result, Value content) {
    CopySite site;
    site.ops = {op};
    SlotOp slot = getSlotOfCopy(result, content);
    site.isState = bool(slot);
    site.what = slot ? getSlotName(slot) : getValueName(content);
    site.location = getUserLocation(op->getLoc());
    site.contents = {getContent(content)};
    site.to = getPlace(result);
    site.type = cast<RankedTensorType>(result.getType());
    site.factors = getRunFactors(op->getBlock(), run);
    site.loop = getInnermostLoop(op);
    addReaders(site, result);
    return site;
  }

  void addReaders(CopySite &site, Value result) {
    SmallVector<Operation *> readers = flow.getReaders(result);
    // Prefer a reader that no branch can skip.
    auto always = llvm::find_if(readers, [&](Operation *reader) {
      return reader->getBlock() == result.getParentBlock();
    });
    if (!site.reader && !readers.empty())
      site.reader = always != readers.end() ? *always : readers.front();
    site.isForHost = !readers.empty() && llvm::all_of(readers, isForHost);
  }

  void addCopy(ToDeviceOp op) {
    CopySite site = start(op, op.getResult(), op.getInput());
    site.from = getPlace(op.getInput());
    site.isImplied = op.getImplied();
    site.role = op.getRole();
    site.isExact = isProduct(site.factors);
    site.copies = getMostRuns(op->getBlock(), run);
    setBytes(site);
    if (site.loop)
      block(site, op.getInput());
    transfers.push_back(std::move(site));
  }

  /// Adds the copies of a td.move, td.save or td.restore, in a program with
  /// transfers as written.
  void addAsWritten(Operation *op) {
    CopySite site;
    site.ops = {op};
    site.location = getUserLocation(op->getLoc());
    if (auto move = dyn_cast<MoveOp>(op)) {
      site.what = move.getSlot().str();
      site.isState = true;
      site.to = getPlace(move.getDevice());
      site.isImplied = move.getImplied();
    } else {
      site.what = getUserName(op);
      site.to = getCpu();
    }
    site.from = run.getSource(op);
    CopyCount made = run.getCopies(op);
    site.copies = made.copies;
    site.bytes = made.bytes;
    site.isExact = run.isKnown(op->getBlock());
    site.factors = getRunFactors(op->getBlock(), run);
    transfers.push_back(std::move(site));
  }

  void setBytes(CopySite &site) {
    if (!site.copies)
      return;
    if (site.type.hasStaticShape()) {
      site.bytes = llvm::checkedMul(
          *site.copies, site.type.getNumElements() *
                            byteSize(getDType(site.type.getElementType())));
      return;
    }
    int64_t bytes = 0;
    for (Operation *op : site.ops) {
      if (!site.isExact || !run.hasKnownSize(op))
        return;
      bytes += run.getCopies(op).bytes;
    }
    site.bytes = bytes;
  }

  void block(CopySite &site, Value content) {
    Value made = getContent(content);
    site.blocked = module->hasAttr(kAsWrittenAttr) ? CopySite::AsWritten
                   : isInEachIteration(site) ? CopySite::NoRoom
                                             : CopySite::ConditionalDemand;
    if (made.getParentBlock()->getParentOp() == nullptr ||
        !isInside(made, site.loop))
      return;
    site.blocked = CopySite::DefinedInLoop;
    Operation *maker = made.getDefiningOp();
    if (auto read = dyn_cast_or_null<ReadOp>(maker))
      maker = flow.getWriteIn(read.getSlotAttr().getAttr(), site.loop);
    site.definedAt = maker ? getUserLocation(maker->getLoc())
                           : getUserLocation(made.getLoc());
  }

  /// Whether every iteration of the loop around it makes the copy: no branch
  /// decides that.
  static bool isInEachIteration(const CopySite &site) {
    return llvm::all_of(site.factors, [&](const RunFactor &factor) {
      return factor.op == site.loop || !site.loop->isAncestor(factor.op) ||
             (factor.isKnown && factor.inner == factor.outer);
    });
  }

  static bool isInside(Value value, Operation *loop) {
    return loop->isAncestor(value.getParentBlock()->getParentOp());
  }

  //===--- Replicas -------------------------------------------------------===//

  void addReplica(ReplicaGetOp op) {
    llvm::SetVector<HandleOp> made = flow.getHandles(op.getHandle());
    made.remove_if([&](HandleOp handle) { return !mayReach(handle, op); });
    Place to = getPlace(op.getResult());
    for (HandleOp first : made) {
      Place from = getPlace(first.getInput());
      if (from == to)
        continue;
      llvm::SetVector<HandleOp> own = made;
      own.remove_if(
          [&](HandleOp handle) { return getPlace(handle.getInput()) != from; });
      if (own.front() != first)
        continue;
      auto known = llvm::find_if(onDemand, [&](const Replicas &other) {
        return other.to == to &&
               std::is_permutation(own.begin(), own.end(), other.own.begin(),
                                   other.own.end());
      });
      if (known == onDemand.end()) {
        CopySite site = start(op, op.getResult(), first.getInput());
        site.kind = CopySite::OnDemand;
        site.from = from;
        site.isImplied = op->hasAttr(kImpliedAttr);
        for (HandleOp handle : own.getArrayRef().drop_front())
          if (Value content = getContent(handle.getInput());
              !llvm::is_contained(site.contents, content))
            site.contents.push_back(content);
        onDemand.push_back({transfers.size(), to, own, made});
        transfers.push_back(std::move(site));
      } else {
        transfers[known->site].ops.push_back(op);
        addReaders(transfers[known->site], op.getResult());
        known->all.insert_range(made);
      }
    }
  }

  /// Whether a value of `handle` may be in the handle that `op` reads: `handle`
  /// precedes `op`, a loop contains both, or they are in different functions.
  static bool mayReach(HandleOp handle, Operation *op) {
    Operation *around = op, *before = nullptr;
    while (!(before = around->getBlock()->findAncestorOpInBlock(*handle)))
      around = around->getParentOp();
    return isa<func::FuncOp>(around) || CarryingLoop(around) ||
           getInnermostLoop(around) ||
           (before != around && before->isBeforeInBlock(around));
  }

  /// Whether ops of another site may copy values of these td.handle ops to the
  /// same device first.
  bool isShared(const Replicas &replicas) {
    return llvm::any_of(onDemand, [&](const Replicas &other) {
      return other.site != replicas.site && other.to == replicas.to &&
             llvm::any_of(other.own, [&](HandleOp handle) {
               return replicas.own.contains(handle);
             });
    });
  }

  void countReplicas(const Replicas &replicas) {
    CopySite &site = transfers[replicas.site];
    ArrayRef<HandleOp> made = replicas.own.getArrayRef();
    // Each value is copied once, and only on request.
    std::optional<int64_t> asked = 0, values = 0;
    auto add = [&](std::optional<int64_t> &sum, Operation *op) {
      std::optional<int64_t> runs = getMostRuns(op->getBlock(), run);
      sum = sum && runs ? llvm::checkedAdd(*sum, *runs) : std::nullopt;
      return run.isKnown(op->getBlock());
    };
    bool isKnown = made.size() == replicas.all.size() && !isShared(replicas);
    for (Operation *op : site.ops)
      isKnown &= add(asked, op);
    for (HandleOp handle : made)
      isKnown &= add(values, handle);
    site.copies = asked && values ? std::min(*asked, *values)
                  : asked         ? asked
                                  : values;
    if (isKnown) {
      int64_t copies = 0;
      for (Operation *op : site.ops)
        copies += run.getCopies(op).copies;
      site.copies = copies;
    }
    site.isExact = isKnown;
    if (!site.copies && site.ops.size() > 1)
      boundByValues(site, made);
    setBytes(site);
    if (!site.loop)
      return;
    bool isAnew = llvm::all_of(
        made, [&](HandleOp handle) { return site.loop->isAncestor(handle); });
    llvm::DenseSet<Attribute> homes;
    for (HandleOp handle : replicas.all)
      homes.insert(handle.getInput().getType().getEncoding());
    site.blocked = homes.size() > 1 ? CopySite::MixedHome
                   : isAnew         ? CopySite::DefinedInLoop
                                    : CopySite::ConditionalDemand;
    if (isAnew)
      site.definedAt = getUserLocation(made.front()->getLoc());
  }

  /// Each value is copied at most once, by any of the ops: bounds the copies by
  /// the number of values.
  void boundByValues(CopySite &site, ArrayRef<HandleOp> made) {
    site.factors = getRunFactors(made.front()->getBlock(), run);
    site.loop = getInnermostLoop(made.front());
    site.otherFactors.clear();
    for (HandleOp handle : made.drop_front())
      site.otherFactors.push_back(getRunFactors(handle->getBlock(), run));
  }

  ModuleOp module;
  const DryRun &run;
  ContentFlow flow;
  std::vector<CopySite> transfers;
  std::vector<Replicas> onDemand;
};

} // namespace

const char *CopySite::getBlockedName() const {
  switch (blocked) {
  case Nothing:
    return "";
  case DefinedInLoop:
    return "defined-in-loop";
  case ConditionalDemand:
    return "conditional-demand";
  case MixedHome:
    return "mixed-home";
  case NoRoom:
    return "no-room";
  case AsWritten:
    return "as-written";
  }
  llvm_unreachable("an unknown reason");
}

std::vector<CopySite> collectTransfers(ModuleOp module, const DryRun &run) {
  return Collector(module, run).collect();
}

} // namespace tdc::td
