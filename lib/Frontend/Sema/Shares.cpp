//===- Shares.cpp - what events do to shares ------------------------------===//

#include "Shares.h"
#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static bool overlap(const Region &a, const Region &b) {
  for (auto [one, other] : llvm::zip(a.steps, b.steps)) {
    if (one.tensor != other.tensor)
      return true; // reshaped in two ways
    for (auto [x, y] : llvm::zip(one.box, other.box))
      if (x.first >= y.second || y.first >= x.second)
        return false;
  }
  return true;
}

static bool contains(const Region &outer, const Region &inner) {
  if (outer.steps.size() > inner.steps.size())
    return false;
  for (auto [one, other] : llvm::zip(outer.steps, inner.steps)) {
    if (one.tensor != other.tensor)
      return false;
    for (auto [x, y] : llvm::zip(one.box, other.box))
      if (y.first < x.first || y.second > x.second)
        return false;
  }
  return llvm::all_of(outer.atIndices, [&](const auto &one) {
    return llvm::is_contained(inner.atIndices, one);
  });
}

/// All of a tensor with this number of dims.
static Region::Step wholeOf(unsigned tensor, size_t rank) {
  return {tensor, Box(rank, {0, kEnd})};
}

/// All of the first tensor of a storage.
static Region allOf(size_t rank) {
  Region all;
  all.steps.push_back(wholeOf(0, rank));
  return all;
}

static llvm::SmallVector<int, 4> ownDims(size_t rank) {
  llvm::SmallVector<int, 4> dims;
  for (size_t i = 0; i != rank; ++i)
    dims.push_back(i);
  return dims;
}

//===----------------------------------------------------------------------===//
// Storages
//===----------------------------------------------------------------------===//

unsigned SharingState::makeStorage() {
  storages.emplace_back();
  return storages.size() - 1;
}

unsigned SharingState::ofModel(const void *key, llvm::StringRef name,
                               size_t rank) {
  unsigned &share = ofModels[key];
  if (!share) {
    share = shares.size();
    shares.emplace_back();
    Part part{makeStorage(), now, allOf(rank)};
    shares[share].dims = ownDims(rank);
    ofStorages[part.storage] = share;
    shares[share].isOfModel = true;
    shares[share].parts.push_back(std::move(part));
  }
  if (shares[share].ofModel.empty() || shares[share].ofModel.front() == '.')
    shares[share].ofModel = name.str();
  return share;
}

unsigned SharingState::add(Event event) {
  bool makes = event.kind == Event::New || event.kind == Event::Copy ||
               event.kind == Event::Show || event.kind == Event::Set ||
               event.kind == Event::Join || event.kind == Event::JoinLoop;
  if (makes && event.to == 0) {
    event.to = shares.size();
    shares.emplace_back();
    Share &made = shares.back();
    const Share &source = shares[event.from];
    made.source = event.from;
    made.isList = source.isList;
    made.value = event.value;
    made.isCall = event.isCall;
  }
  unsigned to = event.to;
  if (loops.empty())
    happen(event);
  else {
    events.push_back(std::move(event));
    Event copy = events.back(); // the list may grow
    happen(copy);
  }
  return to;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

const Change *SharingState::findChange(const Part &part, Versions ignored,
                                       const Region *replaced) const {
  const Change *first = nullptr;
  auto isIn = [](unsigned version, Versions versions) {
    return versions.first < version && version <= versions.second;
  };
  for (const Change &change : llvm::reverse(storages[part.storage])) {
    if (change.version <= part.version)
      break;
    bool isHidden = isIn(change.version, ignored) ||
                    llvm::any_of(hidden, [&](Versions versions) {
                      return isIn(change.version, versions);
                    });
    bool isGone = replaced && contains(*replaced, change.region);
    if (!isHidden && !isGone && overlap(change.region, part.region) &&
        !isOfOtherIteration(change, part.region))
      first = &change;
  }
  return first;
}

bool SharingState::isOfOtherIteration(const Change &change,
                                      const Region &region) const {
  return llvm::any_of(region.atIndices, [&](const Region::AtIndex &one) {
    auto [first, current] = iterations.lookup(one.loop);
    return first < change.version && change.version <= current &&
           llvm::is_contained(change.region.atIndices, one);
  });
}

const Change *SharingState::findChange(const Share &share) const {
  for (const Part &part : share.parts)
    if (const Change *change = findChange(part))
      return change;
  return nullptr;
}

void SharingState::set(const Event &event) {
  Share old = shares[event.from];
  Share &changed = shares[event.to];
  const auto &places = event.other ? shares[event.other].parts : old.parts;
  ++now;
  changed.parts = old.parts;
  changed.dims = old.dims;
  changed.layout = old.layout;
  changed.isExact = old.isExact;
  // `x[0] = v` also writes over what another name has changed there.
  bool replaces = event.other && shares[event.other].isExact;
  bool isOfModel = changed.isOfModel;
  for (auto [i, part] : llvm::enumerate(changed.parts)) {
    // A value that was not up to date is not now, either.
    const Region &region = i < places.size() ? places[i].region : part.region;
    bool isStale =
        !isOfModel && findChange(part, {}, replaces ? &region : nullptr);
    storages[part.storage].push_back({now, event.to, region, event.range});
    if (!isStale)
      part.version = now;
    // The layers of a model read its tensors at any time.
    auto model = ofStorages.find(part.storage);
    if (!isOfModel && model != ofStorages.end())
      report(shares[model->second], storages[part.storage].back(), event.range);
  }
}

//===----------------------------------------------------------------------===//
// Views and joins
//===----------------------------------------------------------------------===//

/// Views that are reshaped more often tell no more parts apart.
static constexpr size_t kMostSteps = 4;

void SharingState::show(const Event &event) {
  const Share &from = shares[event.from];
  Share &to = shares[event.to];
  const View &view = event.view;
  to.parts = from.parts;
  auto boxDim = [&](int dim) {
    return dim >= 0 && dim < static_cast<int>(from.dims.size()) ? from.dims[dim]
                                                                : -1;
  };
  int narrowed = boxDim(view.dim);
  to.isExact = from.isExact && view.isExact && (view.dim < 0 || narrowed >= 0);
  bool isKnown = true;
  for (Part &part : to.parts) {
    auto &steps = part.region.steps;
    Box &box = steps.back().box;
    if (narrowed >= 0 && narrowed < static_cast<int>(box.size())) {
      auto &[first, end] = box[narrowed];
      int64_t last = view.indices.second;
      end = last == kEnd ? end : std::min(end, first + last);
      first += view.indices.first;
      if (view.loop)
        part.region.atIndices.push_back(
            {view.loop, static_cast<unsigned>(steps.size() - 1),
             static_cast<unsigned>(narrowed)});
    }
    isKnown &= steps.size() < kMostSteps;
    if (view.isReshaped && steps.size() < kMostSteps)
      steps.push_back(wholeOf(event.to, view.dims.size()));
  }
  to.dims.clear();
  for (int dim : view.dims)
    to.dims.push_back(boxDim(dim));
  if (view.isReshaped)
    to.dims = ownDims(view.dims.size());
  if (view.isReshaped && !isKnown)
    to.dims.assign(view.dims.size(), -1);
  bool isKept = view.layout == Layout::Dense;
  to.layout = from.layout == Layout::Dense ? view.layout
              : isKept                     ? from.layout
                                           : Layout::Unknown;
}

static void addPart(llvm::SmallVectorImpl<Part> &parts, Part part) {
  for (Part &other : parts)
    if (other.storage == part.storage && other.region == part.region) {
      other.version = std::min(other.version, part.version);
      return;
    }
  parts.push_back(std::move(part));
}

void SharingState::join(const Event &event, Versions ignoredOfFrom,
                        Versions ignoredOfOther) {
  llvm::SmallVector<Part, 1> parts;
  auto add = [&](const Share &side, Versions ignored) {
    for (Part part : side.parts) {
      if (!findChange(part, ignored))
        part.version = now;
      addPart(parts, std::move(part));
    }
  };
  const Share &one = shares[event.from], &two = shares[event.other];
  add(one, ignoredOfFrom);
  add(two, ignoredOfOther);
  Share &to = shares[event.to];
  to.dims = one.dims;
  if (one.dims != two.dims)
    to.dims.assign(one.dims.size(), -1);
  to.layout = one.layout == two.layout ? one.layout : Layout::Unknown;
  to.isExact = false;
  to.parts = std::move(parts);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// A second iteration starts with the shares that the first one left, and the
/// next ones with others only if the variables exchange their storages: after
/// as many iterations as there are variables, each has had all. In a repeated
/// loop, one more iteration of each loop is enough: its first run had the
/// others.
void SharingState::repeat(const Event &end) {
  unsigned rounds = isRepeated ? 1 : carried[end.to].size() + 1;
  mostStorages = std::max(mostStorages, rounds + 1);
  Restore<bool> saved(isRepeated, true);
  unsigned number = events[end.from].to;
  size_t last = events.size() - 1;
  for (size_t i = end.from + 1; i != events.size(); ++i)
    if (events[i].kind == Event::EndLoop && events[i].to == end.to)
      last = i;
  auto storagesOf = [&](unsigned share) {
    llvm::SmallVector<unsigned, 2> found;
    for (const Part &part : shares[share].parts)
      found.push_back(part.storage);
    return found;
  };
  for (unsigned round = 0; round != rounds; ++round) {
    const auto pairs = carried[end.to];
    std::vector<Share> ends;
    for (auto [start, after] : pairs)
      ends.push_back(shares[after]);
    bool isNew = round == 0;
    for (auto [pair, after] : llvm::zip(pairs, ends)) {
      auto before = storagesOf(pair.first);
      shares[pair.first].parts = after.parts;
      // What was at the index of this loop is at any place of the next
      // iteration.
      for (Part &part : shares[pair.first].parts)
        llvm::erase_if(part.region.atIndices,
                       [&](const auto &one) { return one.loop == number; });
      shares[pair.first].dims = after.dims;
      shares[pair.first].layout = after.layout;
      isNew |= before != storagesOf(pair.first);
    }
    if (!isNew)
      return;
    iterations[number].second = now;
    for (size_t i = end.from + 1; i != last; ++i) {
      Event event = events[i];
      happen(event);
    }
  }
}

void SharingState::happen(const Event &event) {
  switch (event.kind) {
  case Event::New: {
    Share &made = shares[event.to];
    size_t rank = event.view.dims.size();
    // A few storages serve all repetitions, or nested loops would make
    // exponentially many. A value of the iterations before the last few is
    // taken for one of the last.
    unsigned next = made.timesMade++ % mostStorages;
    if (next >= made.storages.size()) {
      next = made.storages.size();
      made.storages.push_back(makeStorage());
    }
    made.parts.assign(1, {made.storages[next], now, allOf(rank)});
    made.dims = ownDims(rank);
    return;
  }
  case Event::Put:
    // On another path the tensor may be the one before.
    if (branchStarts.empty() && loopStarts.empty()) {
      for (const Part &part : shares[event.to].parts)
        if (ofStorages.lookup(part.storage) == event.to)
          ofStorages.erase(part.storage);
      shares[event.to].parts.clear();
    }
    for (Part part : shares[event.from].parts) {
      ofStorages[part.storage] = event.to;
      part.region.atIndices.clear(); // of this iteration only
      addPart(shares[event.to].parts, std::move(part));
    }
    if (shares[event.to].parts.size() == shares[event.from].parts.size())
      shares[event.to].dims = shares[event.from].dims;
    else
      shares[event.to].dims.assign(shares[event.from].dims.size(), -1);
    shares[event.to].layout = Layout::Unknown;
    return;
  case Event::Copy: {
    Share &to = shares[event.to];
    const Share &from = shares[event.from];
    to.parts = from.parts;
    to.dims = from.dims;
    to.layout = from.layout;
    to.isExact = from.isExact;
    return;
  }
  case Event::Show:
    return show(event);
  case Event::Set:
    return set(event);
  case Event::Use:
    if (const Change *change = findChange(shares[event.from])) {
      report(shares[event.from], *change, event.range);
      // One report for each value is enough.
      for (Part &part : shares[event.from].parts)
        part.version = now;
    }
    return;
  case Event::Join:
    return join(event, elseSide, thenSide);
  case Event::JoinLoop:
    return join(event, lastLoop, {});
  case Event::Branch:
    branchStarts.push_back(now);
    return;
  case Event::Else:
    hidden.push_back({branchStarts.back(), now});
    return;
  case Event::EndBranch:
    thenSide = hidden.back();
    elseSide = {thenSide.second, now};
    hidden.pop_back();
    branchStarts.pop_back();
    return;
  case Event::Loop:
    loopStarts.push_back(now);
    iterations[event.to] = {now, now};
    return;
  case Event::EndLoop:
    repeat(event);
    lastLoop = {loopStarts.back(), now};
    loopStarts.pop_back();
    return;
  }
}
