//===- Access.h - reading and writing the memories, with all checks -------===//

#ifndef TDC_SIM_EXECUTE_ACCESS_H
#define TDC_SIM_EXECUTE_ACCESS_H

#include "execute/Warp.h"

namespace tdc::sim {

/// Computes the addresses that the lanes of a warp access through operand
/// `index`, with displacement `which` of the instruction.
void gatherAddresses(Warp &warp, const Instruction &instruction, unsigned index,
                     unsigned which, uint64_t addresses[kLanes]);

/// Where the bytes are that a lane accesses. With `areSeveral`, several lanes
/// access them at once and `lane` is the first. Throws Fault if the access is
/// invalid: out of bounds, misaligned, freed, unwritten, of another device, or
/// racing.
std::byte *access(Warp &warp, const Instruction &instruction, unsigned lane,
                  Space space, uint64_t address, unsigned bytes, Access kind,
                  bool areSeveral = false);

/// The same for a full warp with lanes that access `bytes` each, at consecutive
/// addresses. Returns where the bytes of the first lane are; those of the other
/// lanes follow. Null if the lanes must be checked one by one.
std::byte *accessRow(Warp &warp, Space space, const uint64_t addresses[kLanes],
                     unsigned bytes, Access kind);

/// Splits a generic address into its space and the offset in that space (PTX
/// ISA 5.1.7).
std::pair<Space, uint64_t> resolveGeneric(uint64_t address);

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_ACCESS_H
