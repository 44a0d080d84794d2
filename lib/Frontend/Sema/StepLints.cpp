//===- StepLints.cpp - what misses the steps of an optimizer --------------===//

#include "StepLints.h"
#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

static CallSite siteOf(Checker &c) {
  const std::vector<LoopRecord> &loops = c.control.loops;
  return {c.userRange(c.here), loops.empty() ? 0 : loops.back().iteration,
          c.frames.empty() ? nullptr : c.frames.back().fn};
}

//===----------------------------------------------------------------------===//
// Schedules (TD620)
//===----------------------------------------------------------------------===//

ScheduleLint::Schedule *ScheduleLint::find(const Val &schedule) {
  auto found = llvm::find_if(schedules, [&](const Schedule &known) {
    return known.model == schedule.data;
  });
  return found == schedules.end() ? nullptr : &*found;
}

void ScheduleLint::makes(const Val &schedule, const Val &optimizer,
                         llvm::ArrayRef<Val> parts) {
  if (c.isWalkedAside() || !schedule.is(ValKind::Model) ||
      !optimizer.is(ValKind::Optimizer))
    return;
  for (const Val &part : parts)
    if (Schedule *known = find(part))
      known->isPart = true;
  Schedule &made = schedules.emplace_back();
  made.model = schedule.share<ModelInstance>();
  made.optimizer = optimizer.share<OptimizerInfo>();
  made.made = c.userRange(c.here);
}

void ScheduleLint::steps(const Val &schedule, bool counts) {
  Schedule *known = c.isWalkedAside() ? nullptr : find(schedule);
  if (!known)
    return;
  bool isFirst = !known->isStepped && !known->isOptimizerStepped;
  if (isFirst && counts && c.control.isAlwaysReached())
    known->first = siteOf(c);
  known->isStepped = true;
}

void ScheduleLint::stepsOptimizer(const OptimizerInfo &optimizer) {
  const std::vector<LoopRecord> &loops = c.control.loops;
  for (Schedule &schedule : schedules) {
    if (schedule.optimizer.get() != &optimizer)
      continue;
    // Steps in a loop of their own before the training follow a checkpoint.
    unsigned iteration = schedule.first.iteration;
    bool isSame = iteration == 0
                      ? loops.empty()
                      : llvm::any_of(loops, [&](const LoopRecord &loop) {
                          return loop.iteration == iteration;
                        });
    if (!schedule.isOptimizerStepped && schedule.first.range.isValid())
      schedule.isAhead = isSame;
    schedule.isOptimizerStepped = true;
  }
}

/// Whether the file calls `step` of a variable that has the schedule, where
/// this run does not get to.
static bool isSteppedSomewhere(Checker &c, const ModelInstance &schedule) {
  return llvm::any_of(
      c.scopes.file->program->items, [&](const ast::Stmt *item) {
        return ast::anyExpr(*item, [&](const ast::Expr &expr) {
          auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr);
          auto *name = member && member->member.text == "step"
                           ? llvm::dyn_cast<ast::NameExpr>(member->base)
                           : nullptr;
          Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
          return binding && binding->val.data.get() == &schedule;
        });
      });
}

void ScheduleLint::report() {
  for (const Schedule &schedule : schedules) {
    if (schedule.isPart || !schedule.isOptimizerStepped)
      continue;
    if (schedule.isAhead)
      c.warning(DiagCode::TD620, schedule.first.range,
                "the schedule is a step ahead of its optimizer")
          .label("sets the second rate before the first step")
          .note("it comes after `step()` of the optimizer, once per epoch or "
                "once per batch");
    else if (!schedule.isStepped && !isSteppedSomewhere(c, *schedule.model))
      c.warning(DiagCode::TD620, schedule.made, "the schedule never steps")
          .label("all steps have its first rate")
          .note("its `step()` comes after that of the optimizer, once per "
                "epoch or once per batch");
  }
}

//===----------------------------------------------------------------------===//
// Clips (TD621)
//===----------------------------------------------------------------------===//

static bool haveCommon(const llvm::DenseSet<const Slot *> &some,
                       llvm::ArrayRef<const Slot *> others) {
  return llvm::any_of(
      others, [&](const Slot *parameter) { return some.contains(parameter); });
}

void ClipLint::overwrites(llvm::ArrayRef<const Slot *> parameters) {
  llvm::erase_if(pending, [&](Clip &clip) {
    bool isUseless = haveCommon(clip.parameters, parameters);
    if (isUseless)
      useless.push_back(std::move(clip));
    return isUseless;
  });
}

void ClipLint::leaves(llvm::ArrayRef<const Slot *> parameters) {
  if (c.isWalkedAside())
    return;
  overwrites(parameters);
  left.insert(parameters.begin(), parameters.end());
}

void ClipLint::clears(const Slot &parameter) {
  if (c.isWalkedAside())
    return;
  overwrites(&parameter);
  if (c.control.isAlwaysReached())
    left.erase(&parameter);
}

void ClipLint::limits(llvm::ArrayRef<Slot *> parameters) {
  Clip clip{siteOf(c), {}, std::nullopt};
  // A call whose result is used measures the gradients.
  if (c.isWalkedAside() || !c.control.isAlwaysReached() ||
      clip.site.range != c.lints.statement)
    return;
  for (const Slot *parameter : parameters) {
    if (left.contains(parameter))
      return;
    clip.parameters.insert(parameter);
    auto step = usedBy.find(parameter);
    clip.isLate |=
        step != usedBy.end() && step->second.iteration == clip.site.iteration;
    if (clip.isLate && !clip.step)
      clip.step = step->second;
  }
  pending.push_back(std::move(clip));
}

void ClipLint::steps(llvm::ArrayRef<const Slot *> parameters) {
  CallSite site = siteOf(c);
  llvm::erase_if(pending, [&](const Clip &clip) {
    return haveCommon(clip.parameters, parameters);
  });
  for (Clip &clip : useless)
    if (!clip.step && haveCommon(clip.parameters, parameters))
      clip.step = site;
  for (const Slot *parameter : parameters) {
    usedBy[parameter] = site;
    if (c.control.isAlwaysReached())
      left.erase(parameter);
  }
}

void ClipLint::report() {
  // No event follows a clip at the end of a loop.
  for (Clip &clip : pending)
    if (clip.isLate)
      useless.push_back(std::move(clip));
  for (const Clip &clip : useless) {
    if (!clip.step)
      continue;
    Diagnostic &report = c.warning(DiagCode::TD621, clip.site.range);
    report.label(clip.isLate ? "the step before it has used them"
                             : "`backward` comes after it");
    SourceRange step = clip.step->range;
    report.secondaryLabel(step, "takes the gradients as they are");
    std::string text = c.text(clip.site.range).str();
    if (clip.site.isNear(*clip.step) && c.beginsLine(step) &&
        c.beginsLine(clip.site.range))
      report.fix(FixIt::Choice, "`" + text + "`, above this step",
                 {c.insertAbove(step, text), {clip.site.range, ""}});
    else
      report.note("a clip comes after `backward` and before `step`");
  }
}

//===----------------------------------------------------------------------===//
// Parts that were replaced (TD622)
//===----------------------------------------------------------------------===//

bool PartLint::canLearn(const Val &part) {
  return llvm::any_of(
      c.models.parameterSlotsOf(part), [&](const Slot *parameter) {
        return llvm::all_of(parameter->holders, [&](const auto *holder) {
          return learningOf(*holder, parameter).first == ModelState::Learned;
        });
      });
}

void PartLint::replaces(const Val &former, const Val &part, SourceRange range) {
  llvm::DenseSet<const Slot *> before = c.models.parameterSlotsOf(former),
                               after = c.models.parameterSlotsOf(part);
  for (const auto &optimizer : c.training.optimizers) {
    bool hasFormer = false, hasOthers = false, hasPart = false;
    for (const ParameterGroup::Leaf *leaf : optimizer->leaves()) {
      bool isOfFormer = before.contains(leaf->parameter);
      hasFormer |= isOfFormer;
      hasOthers |= !isOfFormer;
      hasPart |= after.contains(leaf->parameter);
    }
    // Without others, its steps learn nothing, which TD605 says.
    if (hasFormer && hasOthers && !hasPart)
      replaced.push_back({range, part, optimizer});
  }
}

void PartLint::stepsOptimizer(const OptimizerInfo &optimizer) {
  for (const ParameterGroup::Leaf *leaf : optimizer.leaves())
    stepped.insert(leaf->parameter);
  for (Replaced &entry : replaced)
    if (entry.optimizer.get() == &optimizer && !entry.isMissed)
      entry.isMissed = c.models.isPart(entry.part.as<ModelInstance>()) &&
                       canLearn(entry.part);
}

void PartLint::report() {
  for (const Replaced &entry : replaced) {
    bool isLearned = llvm::any_of(
        c.models.parameterSlotsOf(entry.part),
        [&](const Slot *parameter) { return stepped.contains(parameter); });
    if (!entry.isMissed || isLearned)
      continue;
    Diagnostic &report = c.warning(DiagCode::TD622, entry.range);
    report.label("no optimizer has the parameters of this part");
    report.secondaryLabel(entry.optimizer->made,
                          "has those of the part that was here before");
    report.note("make the optimizer after it");
  }
}
