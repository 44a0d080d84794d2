//===- RunTimeLoops.cpp - loops that run at run time ----------------------===//
//
// The variables that the body assigns are carried: they enter it as values that
// are not known, and what one turn leaves in them must fit what it started
// from.
//
//===----------------------------------------------------------------------===//

#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// A variable that a loop carries.
struct Carried {
  std::string name;
  Binding *binding;
  Val before, start, after;
};

/// One loop while its body is walked.
class RunTimeLoop {
public:
  /// `runs`: it is known to have at least one turn.
  RunTimeLoop(Checker &c, const ast::Block &body, SourceRange range, bool runs);

  /// What the carried variables hold in front of the loop.
  llvm::ArrayRef<Value> getInitial() const { return initial; }
  /// Goes into the body, where they are `values`.
  void enter(llvm::ArrayRef<Value> values);
  /// At the end of the body: gives what they hold then.
  llvm::SmallVector<Value> leaveBody();
  /// Behind the loop, where they are `results`.
  void finish(llvm::ArrayRef<Value> results);

private:
  Val startOfTurn(const Carried &one, llvm::ArrayRef<Value> &values);
  bool fitsStart(const Carried &one, const Val &after);
  void checkModels();

  Checker &c;
  SourceRange range;
  bool runs;
  std::vector<Carried> carried;
  /// Variables that exist only while compiling; the loop must not change them.
  std::vector<std::pair<Binding *, Val>> fixed;
  llvm::SmallVector<Value> initial;
  std::vector<ModelState> states;
  size_t knownFacts = 0;
};
} // namespace

RunTimeLoop::RunTimeLoop(Checker &c, const ast::Block &body, SourceRange range,
                         bool runs)
    : c(c), range(range), runs(runs) {
  for (auto &entry : Checker::assignedNames(&body)) {
    Binding *binding = c.lookup(entry.first());
    if (!binding || !binding->isVar || binding->val.isError())
      continue;
    if (hasLeaves(binding->val))
      carried.push_back(
          {entry.first().str(), binding, binding->val, Val(), Val()});
    else
      fixed.push_back({binding, binding->val});
  }
  llvm::sort(carried, [](const Carried &a, const Carried &b) {
    return a.name < b.name;
  });
  for (Carried &one : carried)
    appendLeaves(c, one.before, initial);
  states = saveModels(c);
}

/// Dims that the annotation of a `var` leaves open: `?`.
static llvm::SmallVector<bool, 4> openDims(const Binding &binding,
                                           size_t rank) {
  llvm::SmallVector<bool, 4> open(rank, false);
  auto *type = llvm::dyn_cast_or_null<ast::NamedType>(binding.annotation);
  if (type && type->dims.size() == rank)
    for (auto [i, item] : llvm::enumerate(type->dims))
      open[i] = item.kind == ast::SubscriptItem::Unknown;
  return open;
}

Val RunTimeLoop::startOfTurn(const Carried &one,
                             llvm::ArrayRef<Value> &values) {
  Val val = rebuild(c, one.before, one.before, values, one.name);
  if (val.is(ValKind::Tensor)) {
    auto open = openDims(*one.binding, typeOf(val).dims.size());
    TensorType type = typeOf(val);
    for (auto [i, isOpen] : llvm::enumerate(open))
      if (isOpen)
        type.dims[i] = c.newSize("?", c.emit().dim(val.value, i));
    SourceRange made = val.as<TensorInfo>().made;
    val = makeTensor(type, val.value, val.as<TensorInfo>().placed);
    val.as<TensorInfo>().made = made;
  }
  val.range = one.before.range;
  return val;
}

void RunTimeLoop::enter(llvm::ArrayRef<Value> values) {
  ++c.regionDepth;
  if (!runs)
    ++c.conditionDepth;
  c.forgetReads();
  knownFacts = c.facts.size();
  c.pushScope();
  c.loops.emplace_back();
  c.loops.back().runTime = true;
  c.loops.back().regionDepth = c.regionDepth;
  c.loops.back().scope = c.scope;
  for (Carried &one : carried)
    one.binding->val = one.start = startOfTurn(one, values);
}

/// Whether the next turn can start from what a turn left; says so otherwise.
bool RunTimeLoop::fitsStart(const Carried &one, const Val &after) {
  SourceRange place = after.range.isValid() ? after.range : range;
  if (!canMeet(c, one.start, after, {place}, "`" + one.name + "`"))
    return false;
  if (!after.is(ValKind::Tensor))
    return true;
  auto open = openDims(*one.binding, typeOf(after).dims.size());
  ShapeAnswer answer;
  for (size_t i = 0; i != open.size(); ++i)
    if (!open[i] && typeOf(after).dims[i] != typeOf(one.start).dims[i])
      answer.facts.push_back({typeOf(after).dims[i], typeOf(one.start).dims[i],
                              "`" + one.name + "` changes its size"});
  if (!c.prove(answer))
    c.error(DiagCode::TD401, place, answer.problem);
  return true;
}

/// A model that was used before the turn moved it would be elsewhere in the
/// second turn.
void RunTimeLoop::checkModels() {
  const Checker::LoopRecord &record = c.loops.back();
  for (size_t i = 0; i != states.size(); ++i) {
    const ModelInstance *model = c.models[i].get();
    auto placeUse = record.placeUses.find(model);
    if (placeUse != record.placeUses.end() &&
        !c.agree(model->place, states[i].place))
      c.error(DiagCode::TD507, placeUse->second,
              "`" + model->name + "` changes device inside the loop")
          .label("@" + c.placeText(states[i].place) +
                 " when the loop starts, @" + c.placeText(model->place) +
                 " after one turn");
    auto modeUse = record.modeUses.find(model);
    if (modeUse != record.modeUses.end() && model->mode != states[i].mode)
      c.unsupported(modeUse->second,
                    "a model in train mode in the first turn of a loop and in "
                    "eval mode later (call `.train()` first in the loop)");
  }
}

llvm::SmallVector<Value> RunTimeLoop::leaveBody() {
  c.at(range);
  llvm::SmallVector<Value> next;
  for (Carried &one : carried) {
    Val &after = one.binding->val;
    if (!fitsStart(one, after))
      after = one.start;
    one.after = after = goesTo(c, after, one.start, {range});
    appendLeaves(c, after, next);
  }
  for (auto &[binding, val] : fixed)
    if (!isSame(binding->val, val) && !binding->val.isError()) {
      Diagnostic &report = c.error(
          DiagCode::TD214, range,
          "a loop that runs at run time cannot change " + c.describe(val));
      if (val.is(ValKind::List))
        report.note(kInsteadOfList, binding->declared);
    }
  checkModels();
  c.endLoop();
  c.popScope();
  return next;
}

void RunTimeLoop::finish(llvm::ArrayRef<Value> results) {
  c.facts.resize(knownFacts);
  --c.regionDepth;
  if (!runs)
    --c.conditionDepth;
  c.forgetReads();
  if (!runs) {
    bringModels(c, states, {range});
    joinModels(c, states);
  }
  for (Carried &one : carried)
    one.binding->val =
        c.alone ? rebuild(c, one.before, one.after, results, one.name)
                : startOfTurn(one, results);
}

llvm::StringRef Checker::indexName(const ast::ForStmt &stmt) {
  return stmt.target->name.empty() ? "i" : stmt.target->name;
}

void Checker::runTimeLoop(const ast::ForStmt &stmt, const Val &from,
                          const Val &to, const Val &step,
                          llvm::function_ref<void(Val)> body) {
  settlePlaces(*stmt.body,
               [&] { body(runTimeInt(Value(&nullEmitter), indexName(stmt))); });
  auto first = constantInt(from), last = constantInt(to);
  RunTimeLoop loop(*this, *stmt.body, stmt.range,
                   first && last && *first < *last);
  Emitter::Loop values = emit().beginFor(materialize(from), materialize(to),
                                         materialize(step), loop.getInitial());
  loop.enter(values.carried);
  body(runTimeInt(values.index, indexName(stmt)));
  llvm::SmallVector<Value> next = loop.leaveBody();
  loop.finish(emit().endFor(next));
}

/// The condition is computed in front of the loop and, for the turn to come, at
/// the end of each.
Flow Checker::execWhile(const ast::WhileStmt &stmt) {
  std::optional<Val> truth = condition(*stmt.condition);
  at(stmt.range);
  if (!truth || (truth->known && !truth->truth)) {
    // The body may hold further mistakes.
    if (!truth)
      execBlock(*stmt.body);
    return Flow::Next;
  }
  settlePlaces(*stmt.body, [&] { execStatements(stmt.body->stmts); });
  RunTimeLoop loop(*this, *stmt.body, stmt.range, truth->known);
  llvm::SmallVector<Value> values =
      emit().beginWhile(materialize(*truth), loop.getInitial());
  loop.enter(values);
  execStatements(stmt.body->stmts);
  llvm::SmallVector<Value> next = loop.leaveBody();
  truth = condition(*stmt.condition);
  Value goesOn = truth ? materialize(*truth) : emit().constantBool(false);
  loop.finish(emit().endWhile(goesOn, next));
  return Flow::Next;
}
