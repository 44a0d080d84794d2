//===- Entry.h - the entry points of the driver, by number ----------------===//

#ifndef TDC_SIM_DRIVER_BASE_ENTRY_H
#define TDC_SIM_DRIVER_BASE_ENTRY_H

#include "cuda_driver.h"
#include <optional>
#include <string_view>

// What the library exports. Defining one of them with other parameters than
// cuda_driver.def has is an error of the compiler.
#define CUDA_ENTRY(NAME, PARAMETERS)                                           \
  extern "C" __attribute__((visibility("default"))) CUresult NAME PARAMETERS;
#include "cuda_driver.def"

namespace tdc::sim {

enum class Entry : unsigned {
#define CUDA_ENTRY(NAME, PARAMETERS) NAME,
#include "cuda_driver.def"
};

inline constexpr const char *kEntryNames[] = {
#define CUDA_ENTRY(NAME, PARAMETERS) #NAME,
#include "cuda_driver.def"
};

inline constexpr unsigned kEntries = sizeof kEntryNames / sizeof *kEntryNames;

inline const char *getName(Entry entry) {
  return kEntryNames[static_cast<unsigned>(entry)];
}

/// The entry point of a name, which may lack its version: "cuMemAlloc" is
/// cuMemAlloc_v2.
std::optional<Entry> findEntry(std::string_view name);

/// Whether a call can be left out and nobody is left without a result: it has
/// none but its status.
bool isSkippable(Entry entry);

/// Whether stream capture forbids the call in the capturing thread, and in all
/// threads under CU_STREAM_CAPTURE_MODE_GLOBAL: the "potentially unsafe" calls
/// of cuThreadExchangeStreamCaptureMode (CUDA Driver API, Stream Management).
bool isUnsafeDuringCapture(Entry entry);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_BASE_ENTRY_H
