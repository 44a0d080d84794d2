//===- Joins.cpp - values that come out of branches and loops -------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

bool sema::hasLeaves(const Val &val) {
  if (val.is(ValKind::Tuple))
    return llvm::all_of(elementsOf(val), hasLeaves);
  return val.isHostScalar() || val.is(ValKind::Tensor) || val.is(ValKind::Str);
}

void sema::appendLeaves(Checker &checker, const Val &val,
                        llvm::SmallVectorImpl<Value> &leaves) {
  if (val.is(ValKind::Tuple)) {
    for (const Val &element : elementsOf(val))
      appendLeaves(checker, element, leaves);
    return;
  }
  leaves.push_back(
      checker.host.materialize(checker.models.readAll(val, checker.here)));
}

bool sema::isSame(const Val &lhs, const Val &rhs) {
  if (lhs.kind != rhs.kind)
    return false;
  switch (lhs.kind) {
  case ValKind::Int:
    return lhs.size == rhs.size;
  case ValKind::Float:
  case ValKind::Bool:
    return lhs.known && rhs.known
               ? lhs.number == rhs.number && lhs.truth == rhs.truth
               : lhs.known == rhs.known && lhs.value == rhs.value;
  case ValKind::Str:
    return lhs.known && rhs.known
               ? textOf(lhs) == textOf(rhs)
               : lhs.known == rhs.known && lhs.value == rhs.value &&
                     lhs.data == rhs.data;
  case ValKind::Tensor:
    return lhs.data == rhs.data && lhs.value == rhs.value;
  case ValKind::Tuple:
  case ValKind::List:
    if (lhs.data == rhs.data)
      return true;
    if (elementsOf(lhs).size() != elementsOf(rhs).size())
      return false;
    for (auto [a, b] : llvm::zip(elementsOf(lhs), elementsOf(rhs)))
      if (!isSame(a, b))
        return false;
    return true;
  case ValKind::DType:
    return lhs.as<DTypeInfo>().dtype == rhs.as<DTypeInfo>().dtype;
  case ValKind::Device:
    return lhs.as<DeviceInfo>().place == rhs.as<DeviceInfo>().place;
  default:
    return lhs.data == rhs.data;
  }
}

/// Whether the machine decides the path: `if cuda.is_available() { x = x.cuda()
/// }`. Then the program says where the value is.
static bool isDecidedByMachine(const Join &join) {
  return join.condition && join.condition->onThisMachine;
}

std::optional<Place> sema::meetingPlace(Checker &c, const Place &lhs,
                                        const Place &rhs, const Join &join) {
  if (lhs == rhs)
    return lhs;
  if (isDecidedByMachine(join))
    return c.devices.chooseOnMachine(*join.condition, lhs, rhs);
  if (!c.places.agree(lhs, rhs))
    return std::nullopt;
  return lhs.kind == Place::Kind::Free ? rhs : lhs;
}

static void reportJoin(Checker &c, const Val &lhs, const Val &rhs,
                       const Join &join, const llvm::Twine &name) {
  const Place &a = typeOf(lhs).place, &b = typeOf(rhs).place;
  bool isLoop = join.kind == Join::Loop;
  Diagnostic &report = isLoop
                           ? c.error(DiagCode::TD507, join.range,
                                     name + " changes device inside the loop")
                           : c.error(DiagCode::TD508, join.range,
                                     name + " ends on different devices");
  report.label("@" + placeText(a) +
               (isLoop ? " when the loop starts, @" : " on one side, @") +
               placeText(b) +
               (isLoop ? " after one iteration" : " on the other"));
  c.places.noteOrigin(report, lhs);
  c.places.noteOrigin(report, rhs);
  if (isCpuOrFree(a) && !isCpuOrFree(b))
    c.places.offerMove(report, lhs, b, FixIt::Safe);
  else if (isCpuOrFree(b) && !isCpuOrFree(a) && !isLoop)
    c.places.offerMove(report, rhs, a, FixIt::Safe);
  else if (isLoop)
    report.note("drop the move, or give the moved tensor another name after "
                "the loop");
}

/// `0.0` for the `0` that a variable is set to, where it also becomes a float.
static bool offerFloat(Checker &c, Diagnostic &report, const Val &number,
                       const Val &other) {
  SourceRange range = c.userRange(number.range);
  if (!number.is(ValKind::Int) || !other.is(ValKind::Float) || !range.isValid())
    return false;
  llvm::StringRef written = c.text(range);
  llvm::StringRef before = c.textBefore(range);
  // `x = 0` and `x, y = 0, 0`, but not an argument of a call
  if (written.empty() || !llvm::all_of(written, llvm::isDigit) ||
      !before.contains('=') || before.contains('('))
    return false;
  std::string asFloat = (written + ".0").str();
  // The start is wrong, not where it shows.
  if (range != report.primary.range) {
    report.secondaryLabel(report.primary.range, report.primary.text);
    report.primary = {range, "an int"};
  }
  report.fix(FixIt::Safe, "`" + asFloat + "`", {{range, asFloat}});
  return true;
}

/// `loss.item()` for the `loss` that a variable is set to, which is a number
/// elsewhere.
static bool offerItem(Checker &c, Diagnostic &report, const Val &number,
                      const Val &tensor) {
  return number.isHostScalar() && tensor.is(ValKind::Tensor) &&
         typeOf(tensor).dims.empty() &&
         c.offerSuffixThere(report, tensor.range, ".item()");
}

void Join::noteTooMany(Diagnostic &report) const {
  if (tooMany)
    report.note("a loop that gives a tensor another size is unrolled up to " +
                std::to_string(ControlFlow::kMaxOfOtherSizes) +
                " iterations; this one has " + std::to_string(*tooMany));
}

bool sema::canMeet(Checker &c, const Val &lhs, const Val &rhs, const Join &join,
                   const llvm::Twine &name) {
  SourceRange range = join.range;
  bool isLoop = join.kind == Join::Loop;
  if (lhs.isError() || rhs.isError())
    return false;
  const char *first = isLoop ? " when the loop starts, " : " on one side, ";
  const char *second = isLoop ? " after one iteration" : " on the other";
  auto mismatch = [&](DiagCode code, const llvm::Twine &title) -> Diagnostic & {
    return c.error(code, range, title)
        .label(describe(lhs) + first + describe(rhs) + second);
  };
  if (lhs.kind != rhs.kind) {
    Diagnostic &report = mismatch(DiagCode::TD303, name + " changes its type");
    if (!offerFloat(c, report, lhs, rhs) && !offerFloat(c, report, rhs, lhs) &&
        isLoop && lhs.is(ValKind::Int) && rhs.is(ValKind::Float) &&
        lhs.range.isValid())
      report.note("start with a float, as in `var x = 0.0`");
    if (!offerItem(c, report, lhs, rhs) && !offerItem(c, report, rhs, lhs) &&
        lhs.isHostScalar() && rhs.is(ValKind::Tensor))
      report.note("`.item()` reads the number of a tensor");
    return false;
  }
  if (lhs.is(ValKind::Tuple)) {
    auto a = elementsOf(lhs), b = elementsOf(rhs);
    if (a.size() != b.size()) {
      mismatch(DiagCode::TD303, name + " changes its type");
      return false;
    }
    for (auto [x, y] : llvm::zip(a, b))
      if (!canMeet(c, x, y, join, name))
        return false;
    return true;
  }
  if (!lhs.is(ValKind::Tensor))
    return true;
  const TensorType &a = typeOf(lhs), &b = typeOf(rhs);
  if (!meetingPlace(c, a.place, b.place, join)) {
    reportJoin(c, lhs, rhs, join, name);
    return false;
  }
  bool same = a.dtype == b.dtype && a.dims.size() == b.dims.size();
  for (size_t i = 0; same && i != a.dims.size(); ++i)
    same = a.dims[i] == b.dims[i] ||
           (!c.host.constantOf(a.dims[i]) && !c.host.constantOf(b.dims[i])) ||
           (c.host.constantOf(a.dims[i]) &&
            c.host.constantOf(a.dims[i]) == c.host.constantOf(b.dims[i]));
  if (same)
    return true;
  Diagnostic &report =
      mismatch(a.dtype != b.dtype ? DiagCode::TD301 : DiagCode::TD401,
               name + " changes its type");
  if (a.dtype == b.dtype)
    join.noteTooMany(report);
  if (a.dtype != b.dtype || a.dims.size() != b.dims.size())
    return false;
  std::string open = tdc::spelling(a.dtype).str() + "[?]";
  if (join.kind == Join::Result)
    report.note("a size that depends on the path is a `?` in the type of the "
                "result, as in `-> " +
                open + "`");
  else
    report.note("a size that changes is a `?` in the type of a `var`, as in "
                "`var x: " +
                open + " = …`");
  return false;
}

Val sema::rebuild(Checker &c, const Val &lhs, const Val &rhs,
                  llvm::ArrayRef<Value> &results, llvm::StringRef name) {
  if (lhs.is(ValKind::Tuple)) {
    Vals elements;
    for (auto [a, b] : llvm::zip(elementsOf(lhs), elementsOf(rhs)))
      elements.push_back(rebuild(c, a, b, results, name));
    Val tuple = makeSequence(ValKind::Tuple, std::move(elements));
    c.sharing.track(tuple, c.here);
    return tuple;
  }
  Value value = results.front();
  results = results.drop_front();
  if (lhs.is(ValKind::Int))
    return c.host.runTimeInt(value, name);
  if (!lhs.is(ValKind::Tensor))
    return makeRunTime(lhs.kind, value);
  TensorType type = typeOf(lhs);
  SourceRange placed = lhs.as<TensorInfo>().placed;
  if (typeOf(rhs).place.kind != Place::Kind::Free) {
    type.place = typeOf(rhs).place;
    placed = rhs.as<TensorInfo>().placed;
  }
  for (auto [i, size] : llvm::enumerate(type.dims))
    if (size != typeOf(rhs).dims[i] && !c.host.constantOf(size))
      size = c.host.sizes.add("?", c.emit().dim(value, i));
  Val val = makeTensor(std::move(type), value, placed);
  if (lhs.as<TensorInfo>().made == rhs.as<TensorInfo>().made)
    val.as<TensorInfo>().made = lhs.as<TensorInfo>().made;
  c.sharing.join(lhs, rhs, val);
  return val;
}

Val sema::goesTo(Checker &c, const Val &val, const Val &other,
                 const Join &join) {
  if (val.kind != other.kind)
    return val;
  if (val.is(ValKind::Tensor)) {
    std::optional<Place> place =
        meetingPlace(c, typeOf(other).place, typeOf(val).place, join);
    if (!place || *place == typeOf(val).place ||
        c.places.areBothCpu(typeOf(val).place, *place))
      return val;
    if (!isDecidedByMachine(join))
      c.places.warnBrought(val, *place);
    return c.places.transfer(val, *place, other.as<TensorInfo>().placed);
  }
  if (!val.is(ValKind::Tuple) ||
      elementsOf(val).size() != elementsOf(other).size())
    return val;
  Vals elements;
  bool same = true;
  for (auto [a, b] : llvm::zip(elementsOf(val), elementsOf(other))) {
    elements.push_back(goesTo(c, a, b, join));
    same &= isSame(elements.back(), a);
  }
  if (same)
    return val;
  Val result = makeSequence(ValKind::Tuple, std::move(elements));
  result.range = val.range;
  return result;
}

Val sema::unknownLike(Checker &c, const Val &val) {
  if (!hasLeaves(val))
    return val;
  llvm::SmallVector<Value> leaves;
  appendLeaves(c, val, leaves);
  llvm::ArrayRef<Value> rest(leaves);
  Val result = rebuild(c, val, val, rest, "");
  result.range = val.range;
  return result;
}

bool SizeMark::isAfter(const Size &size) const {
  const SizeAtom &limit = *mark.getAtom();
  auto isKnown = [&](const SizeAtom &atom) -> std::optional<int64_t> {
    if (SizeAtom::order(atom, limit) < 0)
      return 1;
    return std::nullopt;
  };
  return !size.evaluate(isKnown);
}

Val sema::rebuildOutside(Checker &c, const Val &val, const SizeMark &start,
                         llvm::ArrayRef<Value> &results, llvm::StringRef name) {
  if (val.is(ValKind::Tuple)) {
    Vals elements;
    for (const Val &element : elementsOf(val))
      elements.push_back(rebuildOutside(c, element, start, results, name));
    return makeSequence(ValKind::Tuple, std::move(elements));
  }
  Val result = rebuild(c, val, val, results, name);
  if (!val.is(ValKind::Tensor))
    return result;
  TensorType type = typeOf(result);
  for (auto [i, size] : llvm::enumerate(type.dims))
    if (start.isAfter(size) && !c.host.constantOf(size))
      size = c.host.sizes.add("?", c.emit().dim(result.value, i));
  unsigned share = result.shareId;
  result =
      makeTensor(std::move(type), result.value, result.as<TensorInfo>().placed);
  result.shareId = share;
  return result;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

ModelStates sema::saveModels(const Checker &checker) {
  ModelStates states;
  states.isLeft = checker.control.isLeft;
  states.models.reserve(checker.models.all.size());
  for (const auto &model : checker.models.all)
    states.models.push_back(*model);
  return states;
}

void sema::restoreModels(Checker &checker, const ModelStates &states) {
  checker.control.isLeft = states.isLeft;
  for (auto [model, state] : llvm::zip(checker.models.all, states.models))
    static_cast<ModelState &>(*model) = state;
}

static void takeAlong(Checker &c, ModelInstance &model, const Place &place,
                      SourceRange moved, const Join &join) {
  if (!isDecidedByMachine(join))
    c.places.warnMoved(model, place);
  c.places.movePart(model, place, moved, Transfer::Implied);
}

void sema::bringModels(Checker &c, const ModelStates &other, const Join &join) {
  if (c.control.isLeft || other.isLeft)
    return;
  c.at(join.range);
  for (auto [model, state] : llvm::zip(c.models.all, other.models)) {
    auto place = meetingPlace(c, state.place, model->place, join);
    if (!place)
      model->otherwise = state.place;
    else if (*place != model->place &&
             !c.places.areBothCpu(model->place, *place))
      takeAlong(c, *model, *place, state.moved, join);
  }
}

static void joinLearning(ModelState &model, const ModelState &other) {
  std::map<const Slot *, std::pair<ModelState::Learning, unsigned>> own;
  for (const ModelState *state :
       {static_cast<const ModelState *>(&model), &other})
    for (auto &entry : state->ownLearning) {
      auto [one, first] = learningOf(model, entry.first);
      auto [two, second] = learningOf(other, entry.first);
      own[entry.first] = {one == two ? one : ModelState::Either,
                          std::max(first, second)};
    }
  model.ownLearning = std::move(own);
  if (model.learning != other.learning)
    model.learning = ModelState::Either;
  model.learningSetAt = std::max(model.learningSetAt, other.learningSetAt);
}

void sema::joinModels(Checker &c, const ModelStates &other, const Join &join) {
  if (other.isLeft)
    return;
  if (c.control.isLeft)
    return restoreModels(c, other);
  for (auto [model, state] : llvm::zip(c.models.all, other.models)) {
    if (model->mode != state.mode)
      model->mode = ModelState::Unknown;
    joinLearning(*model, state);
    if (state.otherwise)
      model->otherwise = state.otherwise;
    if (model->place != state.place && !model->otherwise &&
        !c.places.areBothCpu(model->place, state.place)) {
      // The first path left it elsewhere.
      Place place = model->place;
      model->place = state.place;
      takeAlong(c, *model, place, model->moved, join);
    }
    model->placedInIteration =
        std::min(model->placedInIteration, state.placedInIteration);
    model->modeSetInIteration =
        std::min(model->modeSetInIteration, state.modeSetInIteration);
    model->learningSetInIteration =
        std::min(model->learningSetInIteration, state.learningSetInIteration);
  }
}

llvm::SmallVector<Value>
sema::endBranch(Checker &c, const ModelStates &afterThen, const Join &join,
                llvm::ArrayRef<Value> thenValues,
                llvm::ArrayRef<Value> elseValues, size_t knownFacts) {
  bringModels(c, afterThen, join);
  llvm::SmallVector<Value> results = c.emit().endIf(thenValues, elseValues);
  --c.regionDepth;
  --c.conditionDepth;
  c.host.sizes.forgetSince(knownFacts);
  c.models.forgetReads();
  joinModels(c, afterThen, join);
  c.sharing.endBranch();
  return results;
}
