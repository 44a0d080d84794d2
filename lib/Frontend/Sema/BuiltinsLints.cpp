//===- BuiltinsLints.cpp - what functions of the prelude tell the lints ---===//
//
// They emit nothing.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

static Val asScores(Checker &, const Bound &args) { return args["input"]; }

static Val expect(Checker &c, const Bound &args) {
  c.lints.checkInput(args["input"],
                     llvm::StringSwitch<Scale>(args["scale"].as<Text>().text)
                         .Case("scores", Scale::Score)
                         .Case("probabilities", Scale::Probability)
                         .Case("log-probabilities", Scale::LogProbability));
  return makeVal(ValKind::None);
}

static Val forTraining(Checker &c, const Bound &args) {
  c.lints.runsForTraining(args["does"].as<Text>().text);
  return makeVal(ValKind::None);
}

llvm::ArrayRef<Builtin> sema::getLintBuiltins() {
  static const Builtin table[] = {
      {"as_scores", "input", asScores, Shares::Kept, Takes::Values,
       Scale::Score},
      {"expect", "input, scale", expect, Shares::Nothing, Takes::Names},
      {"for_training", "does", forTraining},
  };
  return table;
}
