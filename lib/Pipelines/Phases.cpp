//===- Phases.cpp - the passes of each phase, in order --------------------===//
//
// One function per phase, in compilation order. The checker runs before the
// first phase and reports every mistake in the program, so that a failure from
// here on is either a missing feature (TD900) or a bug.
//
//===----------------------------------------------------------------------===//

#include "Pipelines/Phases.h"
#include "Conversion/GPUToImage.h"
#include "Conversion/KernelToCPU.h"
#include "Conversion/KernelToGPU.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Target/HostTarget.h"
#include "Target/LowerToLLVM.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tdc {

/// Reverse-mode differentiation works on td ops, where each op has one rule and
/// values are immutable, and it leaves plain td ops. Simplification follows it:
/// zero gradients that are added to, slots that are written and read again
/// within a step, and common parts of forward and backward disappear before
/// kernels are cut.
static void addGradPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDUnusedLoopsPass());
  passes.addPass(td::createTDGradPass());
  passes.addPass(td::createTDGradientPresencePass());
  passes.addPass(td::createTDVerifyGradPass());
  passes.addPass(td::createTDSimplifyPass());
  passes.addPass(td::createTDWatchValuesPass());
}

/// Every tensor gets a concrete place. From here on the back end of every op is
/// known. A model on several GPUs gets its replicas.
static void addResolvedPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDResolvePass());
  passes.addPass(td::createTDDataParallelPass());
  passes.addPass(td::createTDVerifyReplicasPass());
}

void addChoicePasses(OpPassManager &passes) {
  passes.addPass(td::createTDNormalizePass());
  passes.addPass(td::createTDChooseDevicesPass());
}

/// Ops have their devices now, which alone determine the devices that values
/// must be on. The transfers that the program wrote are replaced by new ones:
/// hoisted, merged, left out. Values that do not fit on a device then leave it
/// again for some time.
static void addPlacedPasses(OpPassManager &passes, const TargetInfo &) {
  addChoicePasses(passes);
  passes.addPass(td::createTDPlacePass());
  passes.addPass(td::createTDFitMemoryPass());
  passes.addPass(td::createTDVerifyPlacementPass());
}

/// Compute ops that can share a loop nest or a launch become one td.kernel; the
/// remaining host part reads and writes slots, launches and prints. Its own
/// arithmetic moves before kernels where it can, to overlap with them. Before
/// that, slots that are on different devices at different times get their final
/// form.
static void addKernelsPasses(OpPassManager &passes, const TargetInfo &target) {
  passes.addPass(td::createTDTrackSlotsPass());
  passes.addPass(td::createSinkReshapesPass());
  passes.addPass(td::createFormKernelsPass());
  passes.addPass(td::createTDVerifyKernelsPass());
  td::AssignLayoutsPassOptions layouts;
  layouts.lanes = target.getLanes();
  passes.addPass(td::createAssignLayoutsPass(layouts));
  passes.addPass(td::createFuseStagesPass());
  passes.addPass(td::createHoistScalarsPass());
}

/// Copies and kernels are final now, so that copies can be scheduled to overlap
/// with kernels.
static void addScheduledPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(td::createTDSchedulePass());
  passes.addPass(td::createTDVerifySchedulePass());
}

/// Each kernel becomes one function of vector loops. There is no step through
/// linalg loops: a kernel is known as a whole, so its loops are emitted once,
/// fused and unrolled as they will run.
static void addCPUPasses(OpPassManager &passes, const TargetInfo &target) {
  KernelToCPUPassOptions options;
  options.vectorBits = target.vectorBits;
  options.vectorRegisters = target.vectorRegisters;
  options.multipliesAndAdds = target.multipliesAndAdds;
  options.multipliesBF16Pairs = target.multipliesBF16Pairs;
  passes.addPass(createKernelToCPUPass(options));
}

/// Kernels of GPUs become functions that many threads run at once, in a module
/// of their own; repeated launches of one kernel become one launch. After this
/// the reads of slots and the memory that the program needs are final.
static void addNVVMPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createKernelToGPUPass());
  passes.addPass(createMergeLaunchesPass());
  TargetInfo gpu;
  gpu.convertsF16 = gpu.convertsBF16 = gpu.multipliesAndAdds = true;
  passes.nest<ModuleOp>().addPass(createLowerToLLVMPass(gpu));
  passes.addPass(createTDSplitReadsPass());
  passes.addPass(createTDVerifyBuffersPass());
  passes.addPass(createTDVerifyMemoryPass());
}

/// The module of GPU kernels becomes PTX, which the driver compiles on the
/// machine that runs the program.
static void addPTXPasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createGPUToImagePass());
}

/// Tensors become addresses: slots and planned buffers lie in one arena,
/// tensors of run-time size come from the allocator. The remaining code calls
/// kernels and the runtime.
static void addRuntimePasses(OpPassManager &passes, const TargetInfo &) {
  passes.addPass(createTDToRuntimePass());
}

/// Loops, arithmetic and vectors become the llvm dialect, all in one pass.
/// Functions that are too long for LLVM are split.
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
    {Phase::Scheduled, "scheduled", "copies overlap with kernels",
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
