//===- HostTarget.cpp - LLVM IR, passes, objects --------------------------===//

#include "Target/HostTarget.h"
#include "CodeGen/RuntimeFunctions.h"
#include "Optimize.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace tdc {

/// Vectors of 512 bits are used on all processors that have them: on machines
/// that clock down for them, the kernels still gain more than they lose.
static std::string getHostFeatures() {
  std::string features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features +=
        (Twine(feature.second ? "+" : "-") + feature.first() + ",").str();
  return features + "-prefer-256-bit";
}

static std::unique_ptr<TargetMachine>
createMachine(const Target &target, const Triple &triple, StringRef cpu,
              StringRef features, CodeGenOptLevel level) {
  return std::unique_ptr<TargetMachine>(
      target.createTargetMachine(triple, cpu, features, TargetOptions(),
                                 Reloc::PIC_, std::nullopt, level));
}

/// ": did you mean `haswell`?" if a processor is near to a misspelt one, else
/// "".
static std::string suggestProcessor(const MCSubtargetInfo &known,
                                    StringRef cpu) {
  StringRef nearest;
  unsigned distance = cpu.size() / 3 + 1;
  for (const SubtargetSubTypeKV &row : known.getAllProcessorDescriptions()) {
    unsigned typos =
        cpu.edit_distance(row.Key, /*AllowReplacements=*/true, distance);
    if (typos < distance) {
      nearest = row.Key;
      distance = typos;
    }
  }
  return nearest.empty() ? "" : (": did you mean `" + nearest + "`?").str();
}

Expected<HostTarget> HostTarget::create(StringRef cpu, CodeGenOptLevel level) {
  // The assembly parser is not needed: generated code has no inline assembly.
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();

  Triple triple(sys::getProcessTriple());
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  if (cpu.empty())
    return HostTarget(createMachine(*target, triple, sys::getHostCPUName(),
                                    getHostFeatures(), level));
  std::unique_ptr<MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(cpu))
    return createStringError("there is no processor `" + cpu + "`" +
                             suggestProcessor(*known, cpu));
  return HostTarget(createMachine(*target, triple, cpu, "", level));
}

HostTarget HostTarget::clone() const {
  return HostTarget(createMachine(
      machine->getTarget(), machine->getTargetTriple(), machine->getTargetCPU(),
      machine->getTargetFeatureString(), machine->getOptLevel()));
}

HostTarget::HostTarget(std::unique_ptr<TargetMachine> machine)
    : machine(std::move(machine)) {}
HostTarget::HostTarget(HostTarget &&) noexcept = default;
HostTarget::~HostTarget() = default;

llvm::StringRef HostTarget::getCPU() const { return machine->getTargetCPU(); }

TargetInfo HostTarget::getInfo() const {
  // Decides by features, not by names: those that the machine reports, or those
  // of the named processor.
  const MCSubtargetInfo *subtarget = machine->getMCSubtargetInfo();
  TargetInfo info;
  if (subtarget->checkFeatures("+avx512f"))
    info = {512, 32};
  else if (subtarget->checkFeatures("+avx"))
    info = {256, 16};
  info.scalesByPowers = subtarget->checkFeatures("+avx512f");
  info.multipliesAndAdds = subtarget->checkFeatures("+fma");
  info.convertsF16 = subtarget->checkFeatures("+f16c");
  info.convertsBF16 = subtarget->checkFeatures("+avx512bf16,+avx512vl");
  info.multipliesBF16Pairs = info.convertsBF16;
  return info;
}

void HostTarget::setAttributes(Function &function) const {
  // The runtime never throws, so no unwind tables are needed.
  function.addFnAttr(Attribute::NoUnwind);
  if (function.isDeclaration())
    return;
  function.addFnAttr("target-cpu", machine->getTargetCPU());
  function.addFnAttr("target-features", machine->getTargetFeatureString());
  function.addFnAttr("prefer-vector-width", "512");
}

void HostTarget::addMain(Module &module, StringRef loader) const {
  LLVMContext &context = module.getContext();
  IntegerType *i32 = Type::getInt32Ty(context);
  PointerType *pointer = PointerType::getUnqual(context);
  Function *main = Function::Create(
      FunctionType::get(i32, {i32, pointer}, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "main", module);
  setAttributes(*main);
  SmallVector<Value *> arguments = {
      module.getOrInsertGlobal("tdc_program", pointer), main->getArg(0),
      main->getArg(1)};
  auto declare = [&](StringRef name, const auto &function) {
    return module.getOrInsertFunction(name,
                                      runtime::getType(context, function));
  };
  FunctionCallee run;
  if (loader.empty()) {
    run = declare(runtime::tdrt_run_program.name, runtime::tdrt_run_program);
  } else {
    // All loaders have the type of tdrt_load.
    arguments.push_back(declare(loader, runtime::tdrt_load).getCallee());
    run = declare(runtime::tdrt_run_exports.name, runtime::tdrt_run_exports);
  }
  IRBuilder<> builder(BasicBlock::Create(context, "", main));
  builder.CreateRet(builder.CreateCall(run, arguments));
}

void HostTarget::optimize(Module &module) const {
  tdc::optimize(module, *machine);
}

void HostTarget::emit(Module &module, CodeGenFileType kind,
                      raw_pwrite_stream &os) const {
  // What TargetMachine::addPassesToEmitFile adds, except for the scheduler
  // before register allocation. Processors reorder instructions themselves, and
  // it makes more values live at once: a GELU after a product spilled twice as
  // many vectors.
  legacy::PassManager passes;
  TargetPassConfig *config = machine->createPassConfig(passes);
  auto *info = new MachineModuleInfoWrapperPass(machine.get());
  config->setDisableVerify(true);
  config->disablePass(&MachineSchedulerID);
  passes.add(config);
  passes.add(info);
  config->addISelPasses();
  config->addMachinePasses();
  config->setInitialized();
  machine->addAsmPrinter(passes, os, /*DwoOut=*/nullptr, kind,
                         info->getMMI().getContext());
  passes.add(createFreeMachineFunctionPass());
  passes.run(module);
}

} // namespace tdc
