//===- Optimize.h - the list of LLVM passes -------------------------------===//

#ifndef TDC_LIB_TARGET_OPTIMIZE_H
#define TDC_LIB_TARGET_OPTIMIZE_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tdc {

/// Runs the passes on every function.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tdc

#endif // TDC_LIB_TARGET_OPTIMIZE_H
