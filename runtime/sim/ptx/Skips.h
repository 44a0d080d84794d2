//===- Skips.h - instructions that do nothing, for tests of tests ---------===//

#ifndef TDC_SIM_PTX_SKIPS_H
#define TDC_SIM_PTX_SKIPS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tdc::sim {

/// Leaves out one instruction. Counts the instructions with an opcode that
/// begins with `prefix`, over all modules in the order in which they are
/// loaded; instruction `number`, from 1, is left out.
struct Skip {
  std::string prefix;
  uint64_t number;    ///< 0: none
  uint64_t count = 0; ///< such instructions so far
};

using Skips = std::vector<Skip>;

} // namespace tdc::sim

#endif // TDC_SIM_PTX_SKIPS_H
