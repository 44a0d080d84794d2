//===- NVPTXTarget.cpp - PTX for NVIDIA's GPUs ----------------------------===//

#include "Target/NVPTXTarget.h"
#include "Optimize.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

// Declared in libLLVMNVPTXCodeGen. The header that declares them for all
// targets also names targets that are not linked.
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

using namespace llvm;

namespace tdc {

/// PTX ISA 8.0, which drivers since R525 (CUDA 12.0) accept.
static constexpr StringLiteral kFeatures = "+ptx80";

NVPTXTarget::NVPTXTarget(int architecture) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  machine.reset(target->createTargetMachine(
      triple, "sm_" + std::to_string(architecture), kFeatures, TargetOptions(),
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

NVPTXTarget::~NVPTXTarget() = default;

std::string NVPTXTarget::emitPTX(mlir::ModuleOp code) const {
  mlir::registerBuiltinDialectTranslation(*code.getContext());
  mlir::registerLLVMDialectTranslation(*code.getContext());
  mlir::registerNVVMDialectTranslation(*code.getContext());
  LLVMContext context;
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(
      code, context, "tdc_gpu_code", /*disableVerification=*/true);
  if (!module)
    return "";
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  for (Function &function : *module)
    function.addFnAttr(Attribute::NoUnwind);
  optimize(*module, *machine);

  SmallVector<char, 0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  passes.add(createAlwaysInlinerLegacyPass());
  machine->addPassesToEmitFile(passes, os, nullptr,
                               CodeGenFileType::AssemblyFile,
                               /*DisableVerify=*/true);
  passes.run(*module);
  return std::string(text.begin(), text.end());
}

} // namespace tdc
