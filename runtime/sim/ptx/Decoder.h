//===- Decoder.h - a parsed kernel to an executable one -------------------===//

#ifndef TDC_SIM_PTX_DECODER_H
#define TDC_SIM_PTX_DECODER_H

#include "ptx/Program.h"
#include "ptx/Skips.h"

namespace tdc::sim {

/// Bases of generic addresses of memory that is not global (PTX ISA 5.1.7). No
/// pointer of a host or a device has such high bits. Offsets in a window have
/// 32 bits.
inline constexpr uint64_t kSharedWindow = uint64_t(1) << 56;
inline constexpr uint64_t kLocalWindow = uint64_t(2) << 56;
inline constexpr uint64_t kParamWindow = uint64_t(3) << 56;

/// Decodes a kernel. `addresses` has the module's .global and .const variables.
/// `skips` already counts the instructions of the kernels before this one.
/// Throws Fault CUDA_ERROR_INVALID_PTX.
Kernel decode(const syntax::Function &function, const syntax::Module &module,
              const std::map<std::string, uint64_t> &addresses, int target,
              Skips &skips);

} // namespace tdc::sim

#endif // TDC_SIM_PTX_DECODER_H
