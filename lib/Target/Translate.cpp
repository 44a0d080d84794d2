//===- Translate.cpp - the llvm dialect -> LLVM IR ------------------------===//

#include "Target/HostTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace tdc {

std::unique_ptr<llvm::Module>
HostTarget::translate(mlir::ModuleOp op, llvm::LLVMContext &context) const {
  mlir::registerBuiltinDialectTranslation(*op.getContext());
  mlir::registerLLVMDialectTranslation(*op.getContext());
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(
      op, context, "tdc_program", /*disableVerification=*/true);
  if (!module)
    return nullptr;
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  for (llvm::Function &function : *module)
    setAttributes(function);
  return module;
}

} // namespace tdc
