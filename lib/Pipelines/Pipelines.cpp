//===- Pipelines.cpp - running the phases ---------------------------------===//

#include "Pipelines/Pipelines.h"
#include "Target/HostTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tdc {

/// Programs are small: threads would cost more than they save.
std::unique_ptr<MLIRContext> createContext() {
  return std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
}

/// The verifier does not run in between: tests run every pass under it.
bool runPhases(ModuleOp module, Phase last, const VectorUnit &vectors,
               StepDone done) {
  for (const PhaseInfo &row : getPhases()) {
    if (row.phase > last)
      break;
    if (!row.addPasses)
      continue;
    PassManager passes(module.getContext());
    passes.enableVerifier(false);
    row.addPasses(passes, vectors);
    if (failed(passes.run(module)))
      return false;
    if (done)
      done(row.name);
  }
  return true;
}

bool generateCode(ModuleOp module, const HostTarget &target, Phase kind,
                  bool withMain, llvm::raw_pwrite_stream &os, StepDone done) {
  auto step = [&](llvm::StringRef name) {
    if (done)
      done(name);
  };
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = target.translate(module, context);
  if (!code)
    return false;
  if (withMain)
    target.addMain(*code);
  step("translate");
  target.optimize(*code);
  step("optimize");
  if (kind == Phase::LLVM)
    code->print(os, nullptr);
  else
    target.emit(*code,
                kind == Phase::Asm ? llvm::CodeGenFileType::AssemblyFile
                                   : llvm::CodeGenFileType::ObjectFile,
                os);
  step("codegen");
  return true;
}

} // namespace tdc
