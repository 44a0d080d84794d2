//===- StepLints.cpp - what does not belong to a step (TD620 to TD622) ----===//
//
// Schedules, clips and parts of models that miss the steps of an optimizer. The
// order is that of the program's walk, in which a loop's body comes once.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

bool Lints::isAlwaysReached() const {
  const std::vector<LoopRecord> &loops = c.control.loops;
  return c.conditionDepth == (loops.empty() ? 0 : loops.back().conditionDepth);
}

unsigned Lints::iteration() const {
  const std::vector<LoopRecord> &loops = c.control.loops;
  return loops.empty() ? 0 : loops.back().iteration;
}

//===----------------------------------------------------------------------===//
// Schedules (TD620)
//===----------------------------------------------------------------------===//

void Lints::makesSchedule(const Val &optimizer) {
  if (!c.isWalkedAside() && optimizer.is(ValKind::Optimizer))
    scheduled[&optimizer.as<OptimizerInfo>()].made = c.userRange(c.here);
}

void Lints::stepsSchedule(const Val &optimizer) {
  if (c.isWalkedAside() || !optimizer.is(ValKind::Optimizer))
    return;
  Scheduled &entry = scheduled[&optimizer.as<OptimizerInfo>()];
  // PyTorch warns of a first step, too.
  if (!entry.isStepped && !entry.hasStepped && isAlwaysReached())
    entry.early = c.userRange(c.here);
  entry.isStepped = true;
}

void Lints::stepsScheduled(const OptimizerInfo &optimizer) {
  if (c.isWalkedAside())
    return;
  if (auto entry = scheduled.find(&optimizer); entry != scheduled.end())
    entry->second.hasStepped = true;
}

void Lints::checkSchedules() {
  for (auto &[optimizer, entry] : scheduled) {
    if (!entry.hasStepped)
      continue;
    if (entry.early.isValid())
      c.warning(DiagCode::TD620, entry.early,
                "the schedule steps before its optimizer")
          .label("the first rate of the schedule is never used")
          .note("call it after `step()` of the optimizer, once per epoch or "
                "once per batch");
    else if (!entry.isStepped)
      c.warning(DiagCode::TD620, entry.made, "the schedule is never stepped")
          .label("the learning rate stays that of the first step")
          .note("call its `step()` after that of the optimizer, once per epoch "
                "or once per batch");
  }
}

//===----------------------------------------------------------------------===//
// Clips (TD621)
//===----------------------------------------------------------------------===//

void Lints::addsTo(llvm::ArrayRef<std::string> gradients) {
  if (c.isWalkedAside())
    return;
  for (Clip &clip : clipped)
    clip.isWithoutUse |= llvm::any_of(gradients, [&](auto &gradient) {
      return llvm::is_contained(clip.gradients, gradient);
    });
  for (const std::string &gradient : gradients)
    unused.insert(gradient);
}

void Lints::clearsClipped(const Slot &slot) {
  if (c.isWalkedAside())
    return;
  for (Clip &clip : clipped)
    clip.isWithoutUse |= llvm::is_contained(clip.gradients, slot.gradName);
  if (isAlwaysReached())
    unused.erase(slot.gradName);
}

void Lints::clips(llvm::ArrayRef<Slot *> parameters) {
  SourceRange range = c.userRange(c.here);
  // A call whose result is used measures the gradients.
  if (c.isWalkedAside() || !isAlwaysReached() || !c.beginsLine(range))
    return;
  Clip clip{range, {}, {}};
  for (const Slot *slot : parameters) {
    if (unused.contains(slot->gradName))
      return;
    clip.gradients.push_back(slot->gradName);
    auto [step, around] = usedBy.lookup(slot->gradName);
    if (!step.isValid() || around != iteration())
      continue;
    clip.step = step;
    clip.isLate = true;
  }
  clipped.push_back(std::move(clip));
}

void Lints::usesClipped(llvm::ArrayRef<const Slot *> byGradients) {
  if (c.isWalkedAside())
    return;
  SourceRange range = c.userRange(c.here);
  auto isUsed = [&](Clip &clip) {
    if (llvm::none_of(byGradients, [&](const Slot *slot) {
          return llvm::is_contained(clip.gradients, slot->gradName);
        }))
      return false;
    if (!clip.step.isValid())
      clip.step = range;
    return !clip.isWithoutUse;
  };
  llvm::erase_if(clipped, isUsed);
  for (const Slot *slot : byGradients) {
    if (isAlwaysReached())
      unused.erase(slot->gradName);
    usedBy[slot->gradName] = {range, iteration()};
  }
}

void Lints::checkClips() {
  for (const Clip &clip : clipped) {
    Diagnostic &report = c.warning(DiagCode::TD621, clip.range);
    if (!clip.step.isValid()) {
      report.label("nothing steps with these gradients");
      continue;
    }
    report.label(clip.isLate ? "the step before it has used them"
                             : "`backward` comes after it");
    report.secondaryLabel(clip.step, "takes the gradients as they are");
    std::string text = c.text(clip.range).str();
    if (c.beginsLine(clip.step))
      report.fix(FixIt::Choice, "`" + text + "`, above this step",
                 {c.insertAbove(clip.step, text), {clip.range, ""}});
  }
}

//===----------------------------------------------------------------------===//
// Parts that were replaced (TD622)
//===----------------------------------------------------------------------===//

void Lints::replacesPart(const Val &former, const Val &part,
                         SourceRange range) {
  llvm::DenseSet<const Slot *> before = c.models.parameterSlotsOf(former),
                               parameters = c.models.parameterSlotsOf(part);
  if (parameters.empty())
    return;
  for (const auto &optimizer : c.training.optimizers) {
    bool hadFormer = false, hadOthers = false, hasPart = false;
    for (const ParameterGroup::Leaf *leaf : optimizer->leaves()) {
      bool isOfFormer = before.contains(leaf->parameter);
      hadFormer |= isOfFormer;
      hadOthers |= !isOfFormer;
      hasPart |= parameters.contains(leaf->parameter);
    }
    // Without others, its steps learn nothing, which TD605 says.
    if (hadFormer && hadOthers && !hasPart)
      replaced.push_back({range, optimizer, parameters});
  }
}

void Lints::stepsReplaced(const OptimizerInfo &optimizer) {
  if (c.isWalkedAside())
    return;
  for (Replaced &entry : replaced) {
    entry.isStepped |= entry.optimizer.get() == &optimizer;
    entry.isLearned |= llvm::any_of(optimizer.leaves(), [&](auto *leaf) {
      return entry.parameters.contains(leaf->parameter);
    });
  }
}

void Lints::checkReplaced() {
  for (const Replaced &entry : replaced) {
    if (!entry.isStepped || entry.isLearned)
      continue;
    Diagnostic &report = c.warning(DiagCode::TD622, entry.range);
    report.label("no optimizer has the parameters of this part");
    report.secondaryLabel(entry.optimizer->made,
                          "has those of the part that was here before");
    report.note("make the optimizer after it");
  }
}
