//===- Traffic.h - memory traffic of an access of a warp ------------------===//
//
// Two counts show how well a kernel uses a GPU's memories, whatever its clock:
//
//  - Wavefronts of shared memory, which has 32 banks of 4 bytes (CUDA C++
//    Programming Guide, "Shared Memory" of compute capability 5.x and later).
//    In one wavefront each bank gives one word, to any number of lanes. Lanes
//    of up to 4 bytes are served together, of 8 bytes in halves of the warp, of
//    16 bytes in quarters: NVIDIA's profiler shows that, and no manual says it.
//    Words of one bank take a wavefront each; those after the first are bank
//    conflicts. An atomic counts as one access, though lanes that update one
//    word do so one after the other.
//  - Sectors of global memory, 32 bytes each: the unit that is moved if one
//    byte of it is accessed (CUDA C++ Best Practices Guide, "Coalesced Access
//    to Global Memory").
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_EXECUTE_TRAFFIC_H
#define TDC_SIM_EXECUTE_TRAFFIC_H

#include "execute/Warp.h"

namespace tdc::sim {

/// Counts an access of `bytes` by each of `lanes`. An atomic reads and writes.
void countTraffic(Warp &warp, Space space, const uint64_t addresses[kLanes],
                  uint32_t lanes, unsigned bytes, Access kind);

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_TRAFFIC_H
