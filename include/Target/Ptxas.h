//===- Ptxas.h - machine code for NVIDIA's GPUs ---------------------------===//
//
// A program needs only PTX, which the driver compiles. With NVIDIA's assembler,
// a user can have the kernels compiled before the program starts and see their
// use of resources. The assembler is an executable of the CUDA Toolkit; no part
// of it is linked.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_PTXAS_H
#define TDC_TARGET_PTXAS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tdc {

/// The resources of one kernel, as reported by ptxas.
struct KernelUsage {
  int64_t registers = 0; ///< per thread
  int64_t spilled = 0;   ///< bytes per thread stored for lack of registers
  int64_t shared = 0;    ///< bytes per block, without those that a launch adds
};

struct Cubin {
  std::string code;
  llvm::StringMap<KernelUsage> kernels; ///< by name
};

/// The path of `ptxas`; empty if there is none on the PATH.
std::string findPtxas();

/// Assembles PTX for one chip, 90 for sm_90. An error has the output of ptxas.
llvm::Expected<Cubin> assemble(const std::string &ptxas, llvm::StringRef ptx,
                               int architecture);

} // namespace tdc

#endif // TDC_TARGET_PTXAS_H
