//===- Phases.cpp - the whole compiler after the checker ------------------===//
//
// One function per phase, in the order of a compilation. Before the first the
// checker has reported every mistake in the program, so that what fails from
// here on is either not built yet (TD900) or a bug.
//
//===----------------------------------------------------------------------===//

#include "Pipelines/Phases.h"
#include "Conversion/KernelToCPU.h"
#include "Conversion/KernelToGPU.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Target/HostTarget.h"
#include "Target/LowerToLLVM.h"
#include "Target/NVPTXTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tdc {

/// Reverse-mode differentiation works on td ops, where each op has one rule and
/// values are never written to, and it leaves plain td ops. Simplification runs
/// behind it: zero gradients added to, slots written and read again within a
/// step and common parts of forward and backward disappear here, before kernels
/// are cut.
static void addGradPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDUnusedLoopsPass());
  passes.addPass(td::createTDGradPass());
  passes.addPass(td::createTDVerifyGradPass());
  passes.addPass(td::createTDSimplifyPass());
}

/// Every tensor gets a concrete place. From here on it is known which backend
/// an op belongs to.
static void addResolvedPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDResolvePass());
}

void addChoicePasses(OpPassManager &passes) {
  passes.addPass(td::createTDNormalizePass());
  passes.addPass(td::createTDChooseDevicesPass());
}

/// Ops have their devices now, and that alone says which values have to be
/// where. The transfers that the program wrote are made anew: hoisted, merged,
/// left out. What then does not fit on a device leaves it again for a while.
static void addPlacedPasses(OpPassManager &passes, const TargetInfo &) {
  addChoicePasses(passes);
  passes.addPass(td::createTDPlacePass());
  passes.addPass(td::createTDFitMemoryPass());
  passes.addPass(td::createTDVerifyPlacementPass());
}

/// Compute ops that can share a loop nest or a launch become one td.kernel; the
/// host part that is left reads and writes slots, launches and prints. What it
/// computes itself runs beside the kernels where it can. Slots that are now on
/// one device, now on another, have their final form before.
static void addKernelsPasses(OpPassManager &passes, const TargetInfo &target) {
  passes.addPass(td::createTDTrackSlotsPass());
  passes.addPass(td::createFormKernelsPass());
  passes.addPass(td::createTDVerifyKernelsPass());
  td::AssignLayoutsPassOptions layouts;
  layouts.lanes = target.getLanes();
  passes.addPass(td::createAssignLayoutsPass(layouts));
  passes.addPass(td::createHoistScalarsPass());
}

/// What is copied is settled, and so are the kernels: copies can run beside
/// them.
static void addScheduledPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDSchedulePass());
  passes.addPass(td::createTDVerifySchedulePass());
}

/// Each kernel becomes one function of vector loops. No loop of linalg is made
/// in between: kernels are known whole, so their loops are written down once,
/// fused and unrolled as they will run.
static void addCPUPasses(OpPassManager &passes, const TargetInfo &target) {
  KernelToCPUPassOptions options;
  options.vectorBits = target.vectorBits;
  options.vectorRegisters = target.vectorRegisters;
  passes.addPass(createKernelToCPUPass(options));
}

/// Those of GPUs become functions that many threads run at once, in a module of
/// their own; where one is launched again and again, it is once for all. Then
/// it is settled who reads what, and so what memory the program takes.
static void addNVVMPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createKernelToGPUPass());
  passes.addPass(createGroupLaunchesPass());
  TargetInfo gpu;
  gpu.convertsF16 = gpu.convertsBF16 = true;
  passes.nest<ModuleOp>().addPass(createLowerToLLVMPass(gpu));
  passes.addPass(createTDSplitReadsPass());
  passes.addPass(createTDVerifyBuffersPass());
  passes.addPass(createTDVerifyMemoryPass());
}

/// That module becomes text, which the driver of the machine that runs the
/// program compiles.
static void addPTXPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createEmitImagesPass());
}

/// Tensors become addresses: slots and planned buffers in one arena, run-time
/// sizes from the allocator. What is left calls kernels and the runtime.
static void addRuntimePasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createTDToRuntimePass());
}

/// Loops, arithmetic and vectors become the llvm dialect, all at once. What is
/// too long for LLVM is cut.
static void addLLVMPasses(OpPassManager &passes, const TargetInfo &target) {
  passes.addPass(createLowerToLLVMPass(target));
  passes.addPass(createTDSplitFunctionsPass());
}

static const PhaseInfo phases[] = {
    {Phase::TD, "td", "checked; devices and dtypes are explicit", nullptr},
    {Phase::Grad, "grad", "no gradient left to take; simplified",
     addGradPasses},
    {Phase::Resolved, "resolved", "every tensor has a place",
     addResolvedPasses},
    {Phase::Placed, "placed", "every tensor is where it is read",
     addPlacedPasses},
    {Phase::Kernels, "kernels", "every compute op is in a kernel",
     addKernelsPasses},
    {Phase::Scheduled, "scheduled", "copies run beside kernels",
     addScheduledPasses},
    {Phase::CPU, "cpu", "kernels are functions of vector loops", addCPUPasses},
    {Phase::NVVM, "nvvm", "GPU kernels are functions of one thread each",
     addNVVMPasses},
    {Phase::PTX, "ptx", "GPU kernels are PTX", addPTXPasses},
    {Phase::Runtime, "runtime", "tensors are addresses; the runtime is called",
     addRuntimePasses},
    {Phase::LLVM, "llvm", "LLVM IR, optimised", addLLVMPasses},
    {Phase::Asm, "asm", "assembly", nullptr},
    {Phase::Obj, "obj", "object file", nullptr},
};

llvm::ArrayRef<PhaseInfo> getPhases() { return phases; }

const PhaseInfo *findPhase(llvm::StringRef name) {
  for (const PhaseInfo &row : phases)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace tdc
