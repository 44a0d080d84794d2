//===- Sharing.cpp - values that are one tensor or list in PyTorch --------===//

#include "Checker.h"
#include "Shares.h"

using namespace tdc;
using namespace tdc::sema;

Sharing::Sharing(Checker &c) : c(c), state(std::make_unique<SharingState>(c)) {}
Sharing::~Sharing() = default;

bool Sharing::isOff() const { return c.isWalkedAside(); }

bool Sharing::isOff(SourceRange range) const {
  return isOff() || c.isPrelude(range.file);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isSequence(const Val &val) {
  return val.is(ValKind::Tuple) || val.is(ValKind::List);
}

static size_t rankOf(const Val &val) {
  return val.is(ValKind::Tensor) ? typeOf(val).dims.size() : 0;
}

void Sharing::track(Val &val, SourceRange range) {
  bool isTensor = val.is(ValKind::Tensor) && !isUnread(val);
  if (val.shareId || (!isTensor && !isSequence(val)) || isOff(range))
    return;
  if (isSequence(val))
    for (Val &element : val.as<Sequence>().elements)
      track(element, range);
  if (val.is(ValKind::Tuple)) {
    val.shareId = SharingState::kTuple; // it never changes
    return;
  }
  Event made{Event::New};
  made.view.dims.assign(rankOf(val), 0);
  val.shareId = state->add(made);
  state->shares[val.shareId].isList = !isTensor;
}

void Sharing::name(Val &val, SourceRange place) {
  if (!val.shareId || val.is(ValKind::Tuple) || isOff(place))
    return;
  if (state->shares[val.shareId].isNamed)
    val.shareId = state->add({Event::Copy, 0, val.shareId});
  Share &share = state->shares[val.shareId];
  share.isNamed = true;
  if (share.source == 0)
    return;
  share.link = place;
  share.value = val.range;
}

bool Sharing::isShared(const Val &val) {
  if (!isSequence(val))
    return val.shareId != 0;
  bool hasTensor = false;
  for (const Val &element : elementsOf(val)) {
    if (!element.is(ValKind::Tensor) && !isSequence(element))
      continue;
    if (!isShared(element))
      return false;
    hasTensor = true;
  }
  return hasTensor;
}

void Sharing::forget(Val &val) {
  val.shareId = 0;
  if (isSequence(val))
    for (Val &element : val.as<Sequence>().elements)
      forget(element);
}

Val Sharing::withoutValue(const Val &val) {
  Val shared;
  shared.kind = val.kind;
  shared.shareId = val.shareId;
  shared.range = val.range;
  return shared;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

unsigned Sharing::addView(unsigned share, View how) {
  if (!share || isOff())
    return 0;
  Event event{Event::Show, 0, share};
  event.view = std::move(how);
  return state->add(std::move(event));
}

unsigned Sharing::partOf(unsigned share, DimsRef dims, unsigned dim,
                         const Val &start, const Size &size, int64_t step) {
  View how;
  for (size_t i = 0; i != dims.size(); ++i)
    how.dims.push_back(i);
  how.dim = dim;
  std::optional<int64_t> first = c.host.constantInt(start);
  std::optional<int64_t> count = c.host.constantOf(size);
  if (first && count)
    how.indices = {*first, *first + std::max<int64_t>(*count - 1, 0) * step +
                               (*count > 0)};
  // The element at the index of a loop.
  SizeAtomRef atom = start.is(ValKind::Int) ? start.size.getAtom() : nullptr;
  for (const SharingState::OpenLoop &loop : state->loops)
    if (atom && atom == loop.index && count && *count == 1)
      how.loop = loop.number;
  how.isExact = ((first && count) || how.loop) && step == 1;
  if (step != 1) // no further part of it is told from the others
    how.dims[dim] = -1;
  // Whole rows of a dense tensor are dense, and parts of several rows are not.
  bool isRow = step == 1, isScattered = step == 1 && count && *count > 0;
  bool hasRows = false;
  for (auto [i, size] : llvm::enumerate(dims)) {
    std::optional<int64_t> known = c.host.constantOf(size);
    isScattered &= known && *known > 0 && (i != dim || *known != *count);
    isRow &= i >= dim || size.isConstant(1);
    hasRows |= i < dim && !size.isConstant(1);
  }
  how.layout = isRow                    ? Layout::Dense
               : isScattered && hasRows ? Layout::Scattered
                                        : Layout::Unknown;
  return addView(share, std::move(how));
}

void Sharing::slice(const Val &tensor, Val &view, unsigned dim,
                    const Val &start, int64_t step) {
  if (tensor.shareId && view.shareId != tensor.shareId && !view.isError())
    view.shareId = partOf(tensor.shareId, typeOf(tensor).dims, dim, start,
                          typeOf(view).dims[dim], step);
}

void Sharing::permute(const Val &tensor, Val &view,
                      llvm::ArrayRef<int64_t> permutation) {
  if (!tensor.shareId || view.shareId == tensor.shareId || view.isError())
    return;
  View how;
  how.dims.assign(permutation.begin(), permutation.end());
  // It is dense if the dims of another size than 1 keep their order.
  bool isKnown = true;
  llvm::SmallVector<int64_t> longer;
  for (int64_t dim : permutation) {
    std::optional<int64_t> size = c.host.constantOf(typeOf(tensor).dims[dim]);
    isKnown &= size.has_value();
    if (!size || *size != 1)
      longer.push_back(dim);
  }
  how.layout = llvm::is_sorted(longer) ? Layout::Dense
               : isKnown               ? Layout::Scattered
                                       : Layout::Unknown;
  view.shareId = addView(tensor.shareId, std::move(how));
}

void Sharing::reshape(const Val &tensor, Val &view) {
  if (!tensor.shareId || view.shareId == tensor.shareId || view.isError())
    return;
  View how;
  how.dims.assign(rankOf(view), -1);
  // Dims of size 1 come and go; the others are the tensor's, or unknown.
  DimsRef from = typeOf(tensor).dims, to = typeOf(view).dims;
  size_t next = 0;
  auto skip = [&] {
    while (next != from.size() && from[next].isConstant(1))
      ++next;
  };
  bool fits = true;
  for (size_t i = 0; i != to.size(); ++i) {
    if (to[i].isConstant(1))
      continue;
    skip();
    fits = fits && next != from.size() && from[next] == to[i];
    if (fits)
      how.dims[i] = next++;
  }
  skip();
  how.isReshaped = !fits || next != from.size();
  // Into several dims it may still be a view: not all of them are merged.
  auto isLong = [](const Size &size) { return !size.isConstant(1); };
  if (how.isReshaped && isScattered(tensor) && llvm::count_if(to, isLong) <= 1)
    return; // a copy
  view.shareId = addView(tensor.shareId, std::move(how));
}

void Sharing::viewAs(const Val &tensor, Val &view) {
  if (isSequence(view)) {
    for (Val &element : view.as<Sequence>().elements)
      viewAs(tensor, element);
    return;
  }
  if (view.shareId || !view.is(ValKind::Tensor))
    return;
  View how;
  how.dims.assign(rankOf(view), -1);
  how.layout = Layout::Unknown;
  view.shareId = addView(tensor.shareId, std::move(how));
}

bool Sharing::isStale(const Val &val) const {
  return !isOff() && state->findChange(state->shares[val.shareId]);
}

bool Sharing::isTemporary(const Val &tensor) const {
  const Share &share = state->shares[tensor.shareId];
  return !share.source && !share.isNamed && !share.isOfModel;
}

bool Sharing::isScattered(const Val &tensor) const {
  return state->shares[tensor.shareId].layout == Layout::Scattered;
}

//===----------------------------------------------------------------------===//
// Uses and changes
//===----------------------------------------------------------------------===//

void Sharing::useSelf(const Val &val, SourceRange range) {
  if (val.shareId && !isOff(range))
    state->add({Event::Use, 0, val.shareId, 0, range});
}

void Sharing::use(const Val &val, SourceRange range) {
  if (isOff(range))
    return;
  if (val.is(ValKind::Tensor) || isSequence(val))
    useSelf(val, range);
  if (isSequence(val))
    for (const Val &element : elementsOf(val))
      use(element, range);
}

void Sharing::addChange(const Val &old, Val &changed, Event event) {
  if (!old.shareId || isOff(event.range) || changed.isError())
    return;
  event.from = old.shareId;
  event.value = old.range;
  changed.shareId = state->add(std::move(event));
  state->shares[changed.shareId].isNamed = true;
}

void Sharing::change(const Val &old, Val &changed, SourceRange range,
                     unsigned part) {
  addChange(old, changed, {Event::Set, 0, 0, part, range});
}

void Sharing::changeByCall(const Val &old, Val &changed, SourceRange range) {
  Event event{Event::Set, 0, 0, 0, range};
  event.isCall = true;
  addChange(old, changed, std::move(event));
}

/// The share of the tensor of a slot.
static unsigned tensorShareOf(SharingState &state, const Slot &slot) {
  return state.ofModel(&slot, shownName(slot.name), slot.type.dims.size());
}

/// That of its gradient.
static unsigned gradientShareOf(SharingState &state, const Slot &slot) {
  return state.ofModel(&slot.gradName, (shownName(slot.name) + ".grad").str(),
                       slot.type.dims.size());
}

unsigned Sharing::read(const Slot &slot, SourceRange range) {
  return isOff(range)
             ? 0
             : state->add({Event::Copy, 0, tensorShareOf(*state, slot)});
}

void Sharing::change(const Slot &slot, SourceRange range) {
  auto found = state->ofModels.find(&slot);
  if (found == state->ofModels.end() || isOff())
    return; // nothing has read it
  state->ofModel(&slot, shownName(slot.name), 0);
  state->add({Event::Set, found->second, found->second, 0, range});
}

void Sharing::replace(const Slot &slot, const Val &val) {
  if (!isOff())
    put(tensorShareOf(*state, slot), val);
}

void Sharing::put(unsigned share, Val val) {
  track(val, c.userRange(c.here));
  state->add({Event::Put, share, val.shareId});
}

bool Sharing::reportTied(const Slot &slot, const Val &val) {
  if (isOff() || !val.shareId)
    return false;
  unsigned own = state->ofModels.lookup(&slot);
  for (const Part &part : state->shares[val.shareId].parts) {
    auto other = state->ofStorages.find(part.storage);
    if (other == state->ofStorages.end() || other->second == own)
      continue;
    Diagnostic &report = c.error(
        DiagCode::TD219, val.range,
        "in PyTorch `" + shownName(slot.name) + "` and `" +
            state->shares[other->second].ofModel + "` are one tensor now");
    report.label("here each has values of its own");
    c.offerSuffix(report, val.range, ".clone()");
    return true;
  }
  return false;
}

unsigned Sharing::readGradient(const Slot &slot, SourceRange range) {
  return isOff(range)
             ? 0
             : state->add({Event::Copy, 0, gradientShareOf(*state, slot)});
}

void Sharing::changeGradient(const Slot &slot, SourceRange range) {
  auto found = state->ofModels.find(&slot.gradName);
  if (found != state->ofModels.end() && !isOff())
    state->add({Event::Set, found->second, found->second, 0, range});
}

void Sharing::replaceGradient(const Slot &slot, const Val &val) {
  if (!isOff())
    put(gradientShareOf(*state, slot), val);
}

bool Sharing::areOne(const Val &a, const Val &b) const {
  return llvm::any_of(state->shares[a.shareId].parts, [&](const Part &part) {
    return llvm::any_of(state->shares[b.shareId].parts, [&](const Part &other) {
      return part.storage == other.storage;
    });
  });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Sharing::beginBranch() {
  if (!isOff())
    state->add({Event::Branch});
}

void Sharing::beginElse() {
  if (!isOff())
    state->add({Event::Else});
}

void Sharing::endBranch() {
  if (!isOff())
    state->add({Event::EndBranch});
}

/// The share of a value of two paths.
static void joinAs(Event::Kind kind, SharingState &state, const Val &one,
                   const Val &other, Val &result);

void Sharing::join(const Val &then, const Val &other, Val &result) {
  if (!isOff())
    joinAs(Event::Join, *state, then, other, result);
}

void Sharing::joinLoop(const Val &before, const Val &after, Val &result) {
  if (!isOff())
    joinAs(Event::JoinLoop, *state, before, after, result);
}

void Sharing::beginLoop() {
  if (isOff())
    return;
  state->loops.push_back({state->events.size(), ++state->loopCount});
  state->add({Event::Loop, state->loopCount});
}

void Sharing::nameIndex(const Val &index) {
  if (!isOff())
    state->loops.back().index = index.size.getAtom();
}

static void
collectShares(const Val &start, const Val &end,
              llvm::SmallVectorImpl<std::pair<unsigned, unsigned>> &pairs) {
  if (start.shareId && end.shareId && !start.is(ValKind::Tuple))
    pairs.emplace_back(start.shareId, end.shareId);
  if (!isSequence(start) || !isSequence(end))
    return;
  for (auto [a, b] : llvm::zip(elementsOf(start), elementsOf(end)))
    collectShares(a, b, pairs);
}

void Sharing::endLoop(llvm::ArrayRef<std::pair<Val, Val>> carried) {
  if (isOff())
    return;
  state->carried.emplace_back();
  for (const auto &[start, end] : carried)
    collectShares(start, end, state->carried.back());
  unsigned number = state->carried.size() - 1;
  state->add({Event::EndLoop, number,
              static_cast<unsigned>(state->loops.back().begin)});
  state->loops.pop_back();
  if (!state->loops.empty())
    return;
  state->events.clear();
  state->carried.clear();
}

static void joinAs(Event::Kind kind, SharingState &state, const Val &one,
                   const Val &other, Val &result) {
  if (isSequence(result) && isSequence(one) && isSequence(other)) {
    auto &elements = result.as<Sequence>().elements;
    for (auto [a, b, element] :
         llvm::zip(elementsOf(one), elementsOf(other), elements))
      joinAs(kind, state, a, b, element);
    return;
  }
  if (!one.shareId && !other.shareId)
    return;
  unsigned from = one.shareId ? one.shareId : other.shareId;
  unsigned last = other.shareId ? other.shareId : one.shareId;
  result.shareId = from == last ? state.add({Event::Copy, 0, from})
                                : state.add({kind, 0, from, last});
  state.shares[result.shareId].isNamed = true;
}
