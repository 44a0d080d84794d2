//===- Access.h - reading and writing the memories, with all checks -------===//

#ifndef TDC_SIM_EXECUTE_ACCESS_H
#define TDC_SIM_EXECUTE_ACCESS_H

#include "execute/Warp.h"

namespace tdc::sim {

/// The addresses that the lanes of a warp access by the operand `index`, whose
/// displacement is the `which`-th of the instruction.
void gatherAddresses(Warp &warp, const Instruction &instruction, unsigned index,
                     unsigned which, uint64_t addresses[kLanes]);

/// Where the bytes are that a lane accesses, or that several do at once, of
/// which it is the first. Throws the Fault of what is wrong with it: bounds,
/// alignment, freed, unwritten, foreign, racing.
std::byte *access(Warp &warp, const Instruction &instruction, unsigned lane,
                  Space space, uint64_t address, unsigned bytes, Access kind,
                  bool areSeveral = false);

/// The same for a full warp whose lanes access `bytes` each, one after the
/// other: where the bytes of the first lane are; those of the others follow.
/// Null if the lanes have to be looked at one by one.
std::byte *accessRow(Warp &warp, Space space, const uint64_t addresses[kLanes],
                     unsigned bytes, Access kind);

/// The space and the offset in it of a generic address (PTX ISA 5.1.7).
std::pair<Space, uint64_t> resolveGeneric(uint64_t address);

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_ACCESS_H
