//===- Pipelines.cpp - running the phases ---------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Conversion/TDToRuntime.h"
#include "Target/HostTarget.h"
#include "Target/Steps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tdc {

#ifdef TDC_VERIFY_PASSES
static constexpr bool kVerifyPasses = true;
#else
static constexpr bool kVerifyPasses = false;
#endif

/// Threads are disabled, since programs are small and threads would cost more
/// than they save. Diagnostics show users lines of their program, not ops.
std::unique_ptr<MLIRContext> createContext() {
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

namespace {
class PassTeller : public PassInstrumentation {
public:
  explicit PassTeller(StepListener &listener) : listener(listener) {}
  void runBeforePass(Pass *pass, Operation *) override {
    // Passes that only hold passes for other ops have no name of their own.
    if (!pass->getArgument().empty())
      listener.beginsPass(pass->getArgument());
  }

private:
  StepListener &listener;
};
} // namespace

/// The output of the checker is always verified: where the checker misses a
/// mistake, only this verification prevents machine code that overruns a
/// buffer. It takes 0.3 ms for examples/simple_model.tdsl. Verification after
/// each pass would take 3.4 ms of 11, so only development builds do it; the
/// tests of the passes run under the verifier in any build.
bool runPhases(ModuleOp module, Phase first, Phase last,
               const TargetInfo &target, StepListener *listener) {
  if (first == Phase::TD) {
    Step step(listener, "verify");
    if (failed(verify(module.getOperation())))
      return false;
  }
  for (const PhaseInfo &row : getPhases()) {
    if (row.phase > last)
      break;
    if (row.phase <= first || !row.addPasses)
      continue;
    Step step(listener, row.name);
    PassManager passes(module.getContext());
    passes.enableVerifier(kVerifyPasses);
    if (listener)
      passes.addInstrumentation(std::make_unique<PassTeller>(*listener));
    row.addPasses(passes, target);
    if (failed(passes.run(module)))
      return false;
  }
  return true;
}

bool chooseDevices(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.enableVerifier(kVerifyPasses);
  addChoicePasses(passes);
  return succeeded(passes.run(module));
}

bool generateCode(ModuleOp module, const HostTarget &target, Phase kind,
                  bool withMain, llvm::raw_pwrite_stream &os,
                  StepListener *listener) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  {
    Step step(listener, "translate");
    code = target.translate(module, context);
    if (!code)
      return false;
    if (withMain) {
      auto loader = module->getAttrOfType<StringAttr>(kLoaderAttr);
      target.addMain(*code, loader ? loader.strref() : "");
    }
  }
  {
    Step step(listener, "optimize");
    target.optimize(*code);
  }
  Step step(listener, "codegen");
  if (kind == Phase::LLVM)
    code->print(os, nullptr);
  else
    target.emit(*code,
                kind == Phase::Asm ? llvm::CodeGenFileType::AssemblyFile
                                   : llvm::CodeGenFileType::ObjectFile,
                os);
  return true;
}

} // namespace tdc
