//===- NVPTXTarget.h - PTX for NVIDIA's GPUs ------------------------------===//
//
// PTX is made in this process, by LLVM; the driver of the machine that runs the
// program turns it into machine code. No part of the CUDA Toolkit is needed.
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

  /// The PTX of a module of kernels in the llvm and nvvm dialects; empty if it
  /// cannot be translated, which is a bug.
  std::string emitPTX(mlir::ModuleOp code) const;

private:
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// A module pass: the program's gpu_code, in llvm and nvvm, becomes a td.image.
/// The places that its kernels report are numbered, and noted on the program's
/// module (td.sites).
std::unique_ptr<mlir::Pass> createEmitImagesPass();

} // namespace tdc

#endif // TDC_TARGET_NVPTXTARGET_H
