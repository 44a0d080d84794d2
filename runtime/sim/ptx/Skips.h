//===- Skips.h - instructions that do nothing, for tests of tests ---------===//

#ifndef TDC_SIM_PTX_SKIPS_H
#define TDC_SIM_PTX_SKIPS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tdc::sim {

/// Leaves out one instruction: the one of this number, from 1, among those of
/// all modules, in the order in which they are loaded, whose opcodes begin with
/// `prefix`.
struct Skip {
  std::string prefix;
  uint64_t number;    ///< 0: none
  uint64_t count = 0; ///< of such instructions until now
};

using Skips = std::vector<Skip>;

} // namespace tdc::sim

#endif // TDC_SIM_PTX_SKIPS_H
