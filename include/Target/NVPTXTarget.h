//===- NVPTXTarget.h - PTX for NVIDIA's GPUs ------------------------------===//
//
// LLVM makes the PTX in this process. On the machine that runs the program, the
// driver compiles it to machine code. No part of the CUDA Toolkit is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_NVPTXTARGET_H
#define TDC_TARGET_NVPTXTARGET_H

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace mlir {
class ModuleOp;
class Pass;
} // namespace mlir

namespace tdc {

/// The oldest compute capability that programs run on: 8.0.
inline constexpr int kOldestArchitecture = 80;

class NVPTXTarget {
public:
  /// `architecture`: a compute capability, 80 for sm_80.
  explicit NVPTXTarget(int architecture);
  ~NVPTXTarget();

  /// Translates a module of kernels in the llvm and nvvm dialects to PTX.
  /// Returns "" if it cannot be translated, which is a bug.
  std::string emitPTX(mlir::ModuleOp code) const;

private:
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace tdc

#endif // TDC_TARGET_NVPTXTARGET_H
