//===- tdc-mutate.cpp - placed programs with one transfer missing ---------===//
//
//   tdc-mutate FILE.mlir
//
// Each transfer that a run of the program makes gives several mutants: in one
// the value stays where it is, in others it goes to a wrong device. Both
// td-verify-placement and the interpreter must reject each mutant. The last
// line of the output counts the mutants and the rejected ones. Exit code 1 if
// one was accepted.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Transforms/Passes.h"
#include "Interpreter/Interpreter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tdc;

namespace {

SmallVector<Operation *> getTransfers(ModuleOp module) {
  SmallVector<Operation *> transfers;
  module.walk([&](Operation *op) {
    if (isa<td::ToDeviceOp, td::ReplicaGetOp>(op))
      transfers.push_back(op);
  });
  return transfers;
}

/// Runs @main; false if it stops with an error. `counts` gets the copies that
/// it made, as JSON.
bool run(ModuleOp module, std::string *counts = nullptr) {
  Interpreter interpreter(module);
  const char *word = "mutant";
  SmallVector<Datum> none;
  bool ran =
      !interpreter.open(word) &&
      !interpreter.call(module.lookupSymbol<func::FuncOp>("main"), {}, none);
  if (counts) {
    llvm::raw_string_ostream os(*counts);
    interpreter.writeTransfers(os);
  }
  return ran;
}

bool verifies(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(td::createTDVerifyPlacementPass());
  return succeeded(passes.run(module));
}

/// Whether each transfer copies anything in a run.
std::vector<bool> findExecuted(ModuleOp module) {
  SmallVector<Operation *> transfers = getTransfers(module);
  for (auto [i, op] : llvm::enumerate(transfers))
    op->setLoc(FileLineColLoc::get(module.getContext(), "transfer", i + 1, 1));
  std::string counts;
  std::vector<bool> executed(transfers.size());
  if (!run(module, &counts))
    return executed;
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(counts);
  if (!json)
    return executed;
  for (const llvm::json::Value &site : *json->getAsObject()->getArray("sites"))
    executed[*site.getAsObject()->getInteger("line") - 1] = true;
  return executed;
}

Place placeOf(Value value) {
  return td::getPlace(cast<RankedTensorType>(value.getType()));
}

/// The devices that a transfer's result can wrongly be on.
SmallVector<Place> getWrongPlaces(Operation *transfer) {
  SmallVector<Place> places;
  for (int64_t ordinal = -1; ordinal < 2; ++ordinal) {
    Place place = getCpu();
    if (ordinal >= 0)
      place = {Place::Kind::Cuda, ordinal, ""};
    if (place != placeOf(transfer->getResult(0)))
      places.push_back(place);
  }
  return places;
}

} // namespace

int main(int argc, char **argv) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<td::TDDialect, arith::ArithDialect, func::FuncDialect,
                      math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  OwningOpRef<ModuleOp> module =
      argc == 2 ? parseSourceFile<ModuleOp>(argv[1], &context) : nullptr;
  if (!module)
    return 2;
  std::vector<bool> executed = findExecuted(*module);
  unsigned mutants = 0, verified = 0, interpreted = 0;
  // Errors are expected: each mutant is wrong.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  for (size_t i = 0; i != executed.size(); ++i) {
    if (!executed[i])
      continue;
    for (const Place &place : getWrongPlaces(getTransfers(*module)[i])) {
      OwningOpRef<ModuleOp> mutant = module->clone();
      Value result = getTransfers(*mutant)[i]->getResult(0);
      result.setType(
          td::withPlace(cast<RankedTensorType>(result.getType()), place));
      ++mutants;
      bool isVerified = verifies(*mutant), isRun = run(*mutant);
      verified += !isVerified;
      interpreted += !isRun;
      if (isVerified || isRun)
        llvm::errs() << "not found out: transfer " << i + 1 << " to "
                     << spelling(place) << "\n";
    }
  }
  llvm::outs() << "\n"
               << mutants << " mutants, " << verified
               << " found by the verifier, " << interpreted
               << " by the interpreter\n";
  return verified == mutants && interpreted == mutants ? 0 : 1;
}
