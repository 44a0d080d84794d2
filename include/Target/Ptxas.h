//===- Ptxas.h - machine code for NVIDIA's GPUs ---------------------------===//
//
// PTX is all that a program needs: the driver compiles it. Who has NVIDIA's
// assembler can have that done before the program starts, and see what its
// kernels take. It is a program of the CUDA Toolkit; nothing of it is linked.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_PTXAS_H
#define TDC_TARGET_PTXAS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tdc {

/// What ptxas says of one kernel.
struct KernelUsage {
  int64_t registers = 0; ///< of a thread
  int64_t spilled = 0;   ///< bytes that a thread stores for lack of registers
  int64_t shared = 0;    ///< bytes of a block, what a launch adds left out
};

struct Cubin {
  std::string code;
  llvm::StringMap<KernelUsage> kernels; ///< by their names
};

/// The path of `ptxas`; empty if there is none on the PATH.
std::string findPtxas();

/// Assembles PTX for one chip, 90 for sm_90. The error is what ptxas says.
llvm::Expected<Cubin> assemble(const std::string &ptxas, llvm::StringRef ptx,
                               int architecture);

} // namespace tdc

#endif // TDC_TARGET_PTXAS_H
