//===- Module.h - a PTX module, decoded -----------------------------------===//
//
// PTX text as LLVM's NVPTX backend writes it (and further parts of the PTX ISA
// 8.x that ptxas accepts), read once when the module is loaded. Code that
// cannot be executed is refused then, with its opcode and line.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_MODULE_H
#define TDC_SIM_PTX_MODULE_H

#include "memory/Memory.h"
#include "ptx/Skips.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tdc::sim {

struct Kernel; // decoded code: Program.h

/// A parameter of a kernel, in the order of the signature.
struct Parameter {
  uint32_t offset; ///< in the block of parameters
  uint32_t bytes;
};

/// Properties of a kernel that the driver needs.
struct KernelInfo {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t sharedBytes = 0; ///< static
  uint32_t localBytes = 0;  ///< per thread
  uint32_t maxThreads = 0;  ///< per block: .maxntid or .reqntid, else 1024
  /// Threads of a block for which there are enough registers, however many the
  /// assembler gives each; it knows .maxntid, .reqntid and .maxnreg.
  uint32_t fittingThreads = 0;
};

class Module {
public:
  /// Reads `text` for `device` and allocates its global variables there. Throws
  /// Fault CUDA_ERROR_INVALID_PTX (a message with line and opcode),
  /// CUDA_ERROR_NO_BINARY_FOR_GPU (a .target above `architecture`, e.g. 80) or
  /// CUDA_ERROR_OUT_OF_MEMORY. Leaves out the instructions that `skips` name.
  Module(const char *text, int device, int architecture, Memory &memory,
         Skips &skips);
  ~Module();

  /// Null if there is none of that name.
  const Kernel *find(const std::string &name) const;
  static const KernelInfo &getInfo(const Kernel &kernel);

  /// The number of instructions of all kernels with an opcode that begins with
  /// `prefix`, as Skip::number counts them.
  uint64_t countOpcodes(const std::string &prefix) const;

private:
  void define(const std::string &name, uint64_t bytes,
              const std::vector<std::byte> &initial);
  void release();

  Memory &memory;
  int device;
  std::map<std::string, std::unique_ptr<const Kernel>> kernels;
  std::map<std::string, uint64_t> addresses; ///< of global variables
};

} // namespace tdc::sim

#endif // TDC_SIM_PTX_MODULE_H
