//===- BuiltinsLints.cpp - what functions of the prelude tell the checker -===//
//
// For lints and for errors. They emit no ops, and programs cannot call them.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

static Val asScores(Checker &, const Bound &args) { return args["input"]; }

static Scale scaleOf(const Val &name) {
  return llvm::StringSwitch<Scale>(textOf(name))
      .Case("scores", Scale::Score)
      .Case("probabilities", Scale::Probability)
      .Case("log-probabilities", Scale::LogProbability);
}

/// `_expect(input, "scores", "probabilities", "loss", "Loss")`: the loss takes
/// scores, and there are a function and a model that take probabilities.
static Val expect(Checker &c, const Bound &args) {
  OtherLoss other;
  if (args.has("function"))
    other = {scaleOf(args["other"]), textOf(args["function"]),
             textOf(args["model"])};
  c.lints.checkInput(args["input"], scaleOf(args["scale"]), other);
  return makeVal(ValKind::None);
}

static Val forTraining(Checker &c, const Bound &args) {
  c.lints.runsForTraining(args["does"].as<Text>().text);
  return makeVal(ValKind::None);
}

static Val augments(Checker &c, const Bound &args) {
  c.lints.augments(args["does"].as<Text>().text);
  return makeVal(ValKind::None);
}

/// `_makes_schedule(schedule, optimizer, parts)`: it steps the schedules
/// `parts`.
static Val makesSchedule(Checker &c, const Bound &args) {
  // What is given for them may be no list.
  llvm::ArrayRef<Val> parts;
  const Val *given = args.find("parts");
  if (given && (given->is(ValKind::List) || given->is(ValKind::Tuple)))
    parts = elementsOf(*given);
  c.lints.schedules.makes(args["schedule"], args["optimizer"], parts);
  return makeVal(ValKind::None);
}

/// `_steps_schedule(schedule, metrics)`: a measure decides whether the rate
/// changes.
static Val stepsSchedule(Checker &c, const Bound &args) {
  c.lints.schedules.steps(args["schedule"], /*counts=*/!args.has("metrics"));
  return makeVal(ValKind::None);
}

/// "`y`", if the user's code says so in a few words; else nothing.
static std::string asWritten(Checker &c, SourceRange range) {
  constexpr size_t most = 40;
  if (!c.isWritten(range))
    return "";
  llvm::StringRef text = c.text(range);
  return text.size() > most || text.find_first_of("\n{") != text.npos
             ? ""
             : ("`" + text + "`").str();
}

/// An index of this name, a label or an index, picks from a tensor.
static Val picks(Checker &c, const Bound &args) {
  llvm::StringRef name = args["name"].as<Text>().text;
  std::string index = asWritten(c, args["index"].range);
  std::string from = asWritten(c, c.layerAround());
  if (name == "label" || from.empty())
    from = asWritten(c, args["input"].range);
  std::string words = (name + " {index}").str();
  words += index.empty() ? "" : " in " + index;
  words += ", but ";
  words += from.empty() ? "there are" : from + " has";
  words += name == "label" ? " {size} classes" : " {size} rows";
  c.emit().nameIndices(words + " (0 to {last})");
  return makeVal(ValKind::None);
}

llvm::ArrayRef<Builtin> sema::getLintBuiltins() {
  static const Builtin table[] = {
      {"_as_scores", "input", asScores, Shares::Kept, Takes::Values,
       Scale::Score},
      {"_expect", "input, scale, other=, function=, model=", expect,
       Shares::Nothing, Takes::Names},
      {"_augments", "does", augments},
      {"_for_training", "does", forTraining},
      {"_makes_schedule", "schedule, optimizer, parts=", makesSchedule},
      {"_picks", "index, input, name", picks, Shares::Nothing, Takes::Names},
      {"_steps_schedule", "schedule, metrics=", stepsSchedule},
  };
  return table;
}
