//===- VerifyBuffers.cpp - td-verify-buffers: bytes reused while live -----===//
//
// A forward dataflow analysis of the contents of planned bytes: a value, the
// state of a slot, or a value that is copied twice. A write ends the contents
// that it overlaps; a join keeps the intersection. The analysis does not use
// live ranges; from Liveness.h it uses only getConsumer and getRoot.
//
// Not checked: the half of a ring that is written, and unplanned storage (heap,
// constants, inputs).
//
//===----------------------------------------------------------------------===//

#include "VerifyBuffers.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include <map>

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_TDVERIFYBUFFERSPASS
#include "Conversion/Passes.h.inc"

namespace {

/// A root, the td.slot for its state, or the staging buffer of a value that is
/// copied twice.
using Content =
    llvm::PointerUnion<Operation *, detail::ValueImpl *, const Storage *>;

Content toContent(Value root) { return root.getImpl(); }
Content toContent(const SlotRow &row) {
  return td::SlotOp(row.op).getOperation();
}
bool isSlot(Content content) { return isa<Operation *>(content); }

/// The bytes in [begin, end) of the arena of a device.
struct Bytes {
  int32_t device = 0;
  int64_t begin = 0, end = 0;

  bool isEmpty() const { return begin == end; }
  bool overlaps(const Bytes &other) const {
    return device == other.device && begin < other.end && other.begin < end;
  }
};

/// The contents of planned bytes. Ranges with contents do not overlap; all
/// contents of one range are aliases of the same bytes.
class Contents {
public:
  using Place = std::pair<int32_t, int64_t>; // device and first byte
  using Entry = std::pair<Place, Content>;
  struct Held {
    int64_t end = 0;
    llvm::SmallVector<Content, 2> contents;
  };
  /// A range with its contents before a change.
  using Change = std::pair<Place, Held>;

  /// Whether the range holds `content`; true for an empty range.
  bool has(const Bytes &bytes, Content content) const {
    if (bytes.isEmpty())
      return true;
    auto found = held.find({bytes.device, bytes.begin});
    return found != held.end() && found->second.end == bytes.end &&
           llvm::is_contained(found->second.contents, content);
  }

  /// Adds `content` to the contents of these bytes.
  void add(const Bytes &bytes, Content content) {
    if (bytes.isEmpty())
      return;
    Held &range = change({bytes.device, bytes.begin});
    range.end = bytes.end;
    if (!llvm::is_contained(range.contents, content))
      range.contents.push_back(content);
  }

  void remove(Place place, Content content) {
    Held &range = change(place);
    llvm::erase(range.contents, content);
    if (range.contents.empty())
      held.erase(place);
  }

  /// Ends all contents that overlap `bytes`, except those for which `stays`
  /// holds.
  void end(const Bytes &bytes, llvm::function_ref<bool(Content)> stays) {
    if (bytes.isEmpty())
      return;
    llvm::SmallVector<Entry> ended;
    auto range = held.upper_bound({bytes.device, bytes.begin});
    if (range != held.begin())
      --range;
    for (; range != held.end() && range->first < Place(bytes.device, bytes.end);
         ++range)
      if (bytes.overlaps(
              {range->first.first, range->first.second, range->second.end}))
        for (Content content : range->second.contents)
          if (!stays(content))
            ended.push_back({range->first, content});
    for (auto [place, content] : ended)
      remove(place, content);
  }

  /// Contents that have ended or have been added since a mark.
  struct Difference {
    llvm::SmallVector<Entry> ended, added;
  };
  size_t getMark() const { return changes.size(); }
  Difference compareWith(size_t mark) const {
    Difference difference;
    std::map<Place, const Held *> before;
    for (const Change &change : llvm::ArrayRef(changes).drop_front(mark))
      before.try_emplace(change.first, &change.second);
    for (auto [place, range] : before) {
      auto found = held.find(place);
      auto now = found == held.end() ? llvm::ArrayRef<Content>()
                                     : llvm::ArrayRef(found->second.contents);
      bool isSame = found != held.end() && found->second.end == range->end;
      for (Content content : range->contents)
        if (!isSame || !llvm::is_contained(now, content))
          difference.ended.push_back({place, content});
      for (Content content : now)
        if (!isSame || !llvm::is_contained(range->contents, content))
          difference.added.push_back({place, content});
    }
    return difference;
  }

  void goBack(size_t mark) {
    for (; changes.size() > mark; changes.pop_back())
      if (auto &[place, range] = changes.back(); range.contents.empty())
        held.erase(place);
      else
        held[place] = std::move(range);
  }

private:
  Held &change(Place place) {
    Held &range = held[place];
    changes.push_back({place, range});
    return range;
  }

  std::map<Place, Held> held;
  llvm::SmallVector<Change, 0> changes;
};

class BufferVerifier {
public:
  BufferVerifier(func::FuncOp function, const SlotTable &slots,
                 const MemoryPlan &plan)
      : function(function), slots(slots), plan(plan) {}

  LogicalResult verify() {
    for (const SlotRow &row : slots.getRows())
      contents.add(getBytes(row), toContent(row));
    for (BlockArgument argument : function.getArguments())
      define(argument);
    return verify(function.front());
  }

private:
  LogicalResult verify(Block &block);
  LogicalResult verify(Operation *op);
  LogicalResult verifyLaunch(td::LaunchOp op);
  LogicalResult verifyState(Operation *op);
  LogicalResult verifyBranch(scf::IfOp op);
  LogicalResult verifyLoop(td::CarryingLoop loop);
  LogicalResult verifyReturn(func::ReturnOp op);
  /// Verifies an edge of control flow, on which values are copied one after
  /// another.
  LogicalResult verifyEdge(Operation *op,
                           llvm::MutableArrayRef<OpOperand> operands,
                           ValueRange receivers);

  LogicalResult expect(Operation *reader, Value value) {
    if (contents.has(getBytes(value), toContent(getRoot(value))))
      return success();
    auto error =
        reader->emitOpError("reads bytes that another value has taken");
    error.attachNote(value.getLoc()) << "made here";
    return error;
  }
  /// Checks that a staging buffer still has the value that was copied there.
  LogicalResult expect(Operation *reader, const Storage &staging) {
    if (contents.has(getBytes(staging), &staging))
      return success();
    return reader->emitOpError("overwrites a value between its two copies");
  }
  LogicalResult expect(Operation *reader, const SlotRow &row) {
    if (contents.has(getBytes(row), toContent(row)))
      return success();
    return reader->emitOpError("finds the bytes of @")
           << td::SlotOp(row.op).getSymName()
           << " overwritten or not yet written";
  }

  void define(Value value) {
    Bytes bytes = getBytes(value);
    if (bytes.isEmpty() || td::getViewed(value))
      return;
    end(bytes, &plan.getStorage(value));
    contents.add(bytes, toContent(value));
  }
  void stage(const Storage &staging) {
    end(getBytes(staging));
    contents.add(getBytes(staging), &staging);
  }
  /// Ends the contents of `bytes`. If `writer` is a ring, its own contents
  /// stay.
  void end(const Bytes &bytes, const Storage *writer = nullptr) {
    bool isRing = writer && writer->kind == Storage::Kind::Ring;
    contents.end(bytes, [&](Content content) {
      auto *root = dyn_cast<detail::ValueImpl *>(content);
      return isRing && root && &plan.getStorage(Value(root)) == writer;
    });
  }
  /// Ends the contents that a loop's body overwrites in some iteration, except
  /// the state of slots: verifyLoop checks that each iteration restores it.
  void endWritten(Block &body);

  /// Empty if the bytes are not planned, or are constant.
  Bytes getBytes(Value value) const {
    if (!isa<RankedTensorType>(value.getType()))
      return {};
    return getBytes(plan.getStorage(value));
  }
  static Bytes getBytes(const Storage &storage) {
    switch (storage.kind) {
    case Storage::Kind::Arena:
    case Storage::Kind::Ring:
    case Storage::Kind::Slot:
      return {storage.device, storage.buffer.offset,
              storage.buffer.offset + storage.buffer.bytes};
    case Storage::Kind::Constant:
    case Storage::Kind::Input:
    case Storage::Kind::Heap:
    case Storage::Kind::None:
      return {};
    }
    llvm_unreachable("not a kind of storage");
  }
  static Bytes getBytes(const SlotRow &row) {
    return {row.device, row.offset, row.offset + getByteSize(row.type)};
  }
  /// Whether the value is an alias of the state of a slot.
  bool isRead(Value value) const {
    auto read = value.getDefiningOp<td::ReadOp>();
    return read && slots.isPlanned(read.getSlotAttr()) &&
           isInSlot(value, slots.get(read.getSlotAttr()));
  }
  bool isInSlot(Value value, const SlotRow &row) const {
    const Storage &storage = plan.getStorage(value);
    return storage.kind == Storage::Kind::Slot &&
           storage.device == row.device && storage.buffer.offset == row.offset;
  }

  func::FuncOp function;
  const SlotTable &slots;
  const MemoryPlan &plan;
  Contents contents;
};

LogicalResult BufferVerifier::verify(Block &block) {
  for (Operation &op : block)
    if (failed(verify(&op)))
      return failure();
  return success();
}

LogicalResult BufferVerifier::verify(Operation *op) {
  // Views are aliases of a tensor; some texts are formatted by their consumer.
  if (td::isView(op) || isa<scf::YieldOp, scf::ConditionOp>(op))
    return success();
  if (auto format = dyn_cast<td::FormatOp>(op); format && getConsumer(format))
    return success();
  if (td::CarryingLoop loop(op); loop)
    return verifyLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return verifyBranch(branch);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return verifyReturn(ret);
  for (Value operand : op->getOperands()) {
    auto format = operand.getDefiningOp<td::FormatOp>();
    if (format && getConsumer(format) == op)
      for (Value printed : format.getValues())
        if (failed(expect(op, printed)))
          return failure();
    if (failed(expect(op, operand)))
      return failure();
  }
  if (isa<td::ReadOp, td::RestoreOp, td::SaveOp, td::WriteOp>(op))
    return verifyState(op);
  if (auto launch = dyn_cast<td::LaunchOp>(op))
    return verifyLaunch(launch);
  for (Value result : op->getResults()) {
    define(result);
    // The result is written while the operands are read.
    for (Value operand : op->getOperands())
      if (failed(expect(op, operand)))
        return failure();
  }
  return success();
}

/// Checks that a result takes the bytes of an input only if the kernel allows
/// it, and never those of another result.
LogicalResult BufferVerifier::verifyLaunch(td::LaunchOp op) {
  auto isPair = [&](int64_t input, int64_t result) {
    llvm::ArrayRef<int64_t> pairs = op.getInPlace();
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      if (pairs[i] == input && pairs[i + 1] == result)
        return true;
    return false;
  };
  for (OpResult result : op->getResults()) {
    Bytes to = getBytes(result);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      Bytes from = getBytes(input);
      bool isShared = !to.isEmpty() && !from.isEmpty() && to.overlaps(from);
      if (isShared && &plan.getStorage(input) == &plan.getStorage(result) &&
          plan.getStorage(input).kind == Storage::Kind::Ring)
        continue;
      if (isShared &&
          (to.begin != from.begin || !isPair(index, result.getResultNumber())))
        return op.emitOpError("overwrites input ")
               << index << " while it reads it";
    }
    define(result);
  }
  for (Value result : op.getResults())
    if (failed(expect(op, result)))
      return failure();
  return success();
}

LogicalResult BufferVerifier::verifyState(Operation *op) {
  auto forEachSlot =
      [&](ArrayAttr list,
          llvm::function_ref<LogicalResult(const SlotRow &)> action) {
        for (auto slot : list.getAsRange<FlatSymbolRefAttr>())
          if (slots.isPlanned(slot) && failed(action(slots.get(slot))))
            return failure();
        return success();
      };
  if (auto save = dyn_cast<td::SaveOp>(op))
    return forEachSlot(save.getSlots(),
                       [&](const SlotRow &row) { return expect(op, row); });
  if (auto restore = dyn_cast<td::RestoreOp>(op))
    return forEachSlot(restore.getSlots(), [&](const SlotRow &row) {
      end(getBytes(row));
      contents.add(getBytes(row), toContent(row));
      return success();
    });
  if (auto read = dyn_cast<td::ReadOp>(op)) {
    if (!slots.isPlanned(read.getSlotAttr()))
      return success();
    const SlotRow &row = slots.get(read.getSlotAttr());
    if (failed(expect(op, row)))
      return failure();
    if (isRead(read.getResult()))
      contents.add(getBytes(row), toContent(read.getResult()));
    else
      define(read.getResult());
    return success();
  }
  auto write = cast<td::WriteOp>(op);
  if (!slots.isPlanned(write.getSlotAttr()))
    return success();
  const SlotRow &row = slots.get(write.getSlotAttr());
  if (!isInSlot(write.getValue(), row))
    end(getBytes(row));
  contents.add(getBytes(row), toContent(row));
  return success();
}

LogicalResult
BufferVerifier::verifyEdge(Operation *op,
                           llvm::MutableArrayRef<OpOperand> operands,
                           ValueRange receivers) {
  auto isShared = [&](Value value, Value receiver) {
    return plan.isShared(value, receiver) ||
           value.getDefiningOp<ub::PoisonOp>();
  };
  for (OpOperand &operand : operands)
    if (const Storage *staging = plan.getStaging(operand)) {
      if (failed(expect(op, operand.get())))
        return failure();
      stage(*staging);
    }
  for (auto [operand, receiver] : llvm::zip(operands, receivers)) {
    if (!isa<RankedTensorType>(receiver.getType()) ||
        isShared(operand.get(), receiver))
      continue;
    const Storage *staging = plan.getStaging(operand);
    if (failed(staging ? expect(op, *staging) : expect(op, operand.get())))
      return failure();
    define(receiver);
  }
  for (auto [operand, receiver] : llvm::zip(operands, receivers)) {
    if (!isa<RankedTensorType>(receiver.getType()))
      continue;
    if (isShared(operand.get(), receiver)) {
      if (failed(expect(op, operand.get())))
        return failure();
      contents.add(getBytes(receiver), toContent(receiver));
    } else if (failed(expect(op, receiver))) {
      return failure();
    }
  }
  return success();
}

LogicalResult BufferVerifier::verifyBranch(scf::IfOp op) {
  size_t mark = contents.getMark();
  auto verifySide = [&](Region &side) -> LogicalResult {
    if (side.empty())
      return success();
    Operation *yield = side.front().getTerminator();
    return success(
        succeeded(verify(side.front())) &&
        succeeded(verifyEdge(yield, yield->getOpOperands(), op.getResults())));
  };
  if (failed(verifySide(op.getThenRegion())))
    return failure();
  Contents::Difference before = contents.compareWith(mark);
  contents.goBack(mark);
  if (failed(verifySide(op.getElseRegion())))
    return failure();
  for (auto [place, content] : before.ended)
    contents.remove(place, content);
  // Values that one side defines are visible only there, but the state of slots
  // is visible after the branch.
  for (Contents::Entry entry : contents.compareWith(mark).added)
    if (isSlot(entry.second) && !llvm::is_contained(before.added, entry))
      contents.remove(entry.first, entry.second);
  return success();
}

void BufferVerifier::endWritten(Block &body) {
  auto endAt = [&](const Bytes &bytes) { contents.end(bytes, isSlot); };
  body.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (const Storage *staging = plan.getStaging(operand))
        endAt(getBytes(*staging));
    llvm::SmallVector<Value> made(op->getResults());
    if (td::CarryingLoop loop(op); loop)
      llvm::append_range(made, loop.getArguments());
    for (Value value : made)
      if (!td::getViewed(value) && !isRead(value))
        endAt(getBytes(value));
    // A value that lies in the slot already is not copied there.
    if (auto write = dyn_cast<td::WriteOp>(op);
        write && slots.isPlanned(write.getSlotAttr()) &&
        !isInSlot(write.getValue(), slots.get(write.getSlotAttr())))
      endAt(getBytes(slots.get(write.getSlotAttr())));
    if (auto restore = dyn_cast<td::RestoreOp>(op))
      for (auto slot : restore.getSlots().getAsRange<FlatSymbolRefAttr>())
        if (slots.isPlanned(slot))
          endAt(getBytes(slots.get(slot)));
  });
}

LogicalResult BufferVerifier::verifyLoop(td::CarryingLoop loop) {
  auto arguments = loop.getArguments();
  if (failed(verifyEdge(loop.getOperation(), loop.getInits(), arguments)))
    return failure();
  for (Value argument : arguments)
    contents.end(getBytes(argument), isSlot);
  endWritten(*loop.getBody());
  size_t mark = contents.getMark();
  for (Value argument : arguments)
    contents.add(getBytes(argument), toContent(argument));
  Operation *yield = loop.getYield();
  if (failed(verify(*loop.getBody())) ||
      failed(verifyEdge(yield, yield->getOpOperands(), arguments)))
    return failure();
  for (auto [place, content] : contents.compareWith(mark).ended)
    if (auto *slot = dyn_cast<Operation *>(content))
      return yield->emitOpError("begins an iteration without the value of ")
             << slot->getAttr(SymbolTable::getSymbolAttrName());
  contents.goBack(mark);
  for (auto [argument, result] : llvm::zip(arguments, loop.getResults()))
    if (Bytes bytes = getBytes(result); !bytes.isEmpty()) {
      if (!plan.isShared(argument, result))
        return loop->emitOpError("has a result with bytes of its own");
      contents.add(bytes, toContent(result));
    }
  return success();
}

/// Checks the results; the state of slots must outlive the function.
LogicalResult BufferVerifier::verifyReturn(func::ReturnOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (failed(expect(op, operand.get())))
      return failure();
    for (const Storage *made :
         {plan.getStaging(operand), plan.getSizeTable(operand)})
      if (made)
        stage(*made);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!plan.getStaging(operand) && failed(expect(op, operand.get())))
      return failure();
    for (const Storage *made :
         {plan.getStaging(operand), plan.getSizeTable(operand)})
      if (made && failed(expect(op, *made)))
        return failure();
  }
  for (const SlotRow &row : slots.getRows())
    if (failed(expect(op, row)))
      return failure();
  return success();
}

struct TDVerifyBuffers : impl::TDVerifyBuffersPassBase<TDVerifyBuffers> {
  void runOnOperation() override {
    SlotTable slots(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(verifyBuffers(function, slots, MemoryPlan(function, slots))))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult verifyBuffers(func::FuncOp function, const SlotTable &slots,
                            const MemoryPlan &plan) {
  return BufferVerifier(function, slots, plan).verify();
}

} // namespace tdc
