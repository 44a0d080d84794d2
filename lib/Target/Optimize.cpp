//===- Optimize.cpp - the list of LLVM passes -----------------------------===//
//
// The analyses are registered one by one: llvm::PassBuilder knows every pass of
// LLVM, which costs start-up time and a third of the size of a static tdc.
//
//===----------------------------------------------------------------------===//

#include "Optimize.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace {

/// The analyses that the passes below need.
struct Analyses {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  ModuleAnalysisManager modules;

  explicit Analyses(TargetMachine &machine) {
    functions.registerPass([] { return AssumptionAnalysis(); });
    functions.registerPass([] { return BasicAA(); });
    functions.registerPass([] { return BlockFrequencyAnalysis(); });
    functions.registerPass([] { return BranchProbabilityAnalysis(); });
    functions.registerPass([] { return DominatorTreeAnalysis(); });
    functions.registerPass([] { return LastRunTrackingAnalysis(); });
    functions.registerPass([] { return LoopAnalysis(); });
    functions.registerPass([] { return MemorySSAAnalysis(); });
    functions.registerPass([] { return OptimizationRemarkEmitterAnalysis(); });
    functions.registerPass([] { return PassInstrumentationAnalysis(); });
    functions.registerPass([] { return PostDominatorTreeAnalysis(); });
    functions.registerPass([] { return ScalarEvolutionAnalysis(); });
    functions.registerPass([] { return TargetLibraryAnalysis(); });
    functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
    functions.registerPass([] {
      AAManager manager;
      manager.registerFunctionAnalysis<BasicAA>();
      return manager;
    });
    functions.registerPass(
        [&] { return ModuleAnalysisManagerFunctionProxy(modules); });
    functions.registerPass(
        [&] { return LoopAnalysisManagerFunctionProxy(loops); });
    loops.registerPass([] { return PassInstrumentationAnalysis(); });
    loops.registerPass(
        [&] { return FunctionAnalysisManagerLoopProxy(functions); });
    modules.registerPass([] { return PassInstrumentationAnalysis(); });
    modules.registerPass([] { return ProfileSummaryAnalysis(); });
    modules.registerPass(
        [&] { return FunctionAnalysisManagerModuleProxy(functions); });
  }
};

} // namespace

void tdc::optimize(Module &module, TargetMachine &machine) {
  Analyses analyses(machine);
  // Requested in this order, so that the proxies find the managers.
  analyses.modules.getResult<ProfileSummaryAnalysis>(module);
  analyses.modules.getResult<FunctionAnalysisManagerModuleProxy>(module);

  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, analyses.functions);
}
