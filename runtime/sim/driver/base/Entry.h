//===- Entry.h - the entry points of the driver, by number ----------------===//

#ifndef TDC_SIM_DRIVER_BASE_ENTRY_H
#define TDC_SIM_DRIVER_BASE_ENTRY_H

#include "cuda_driver.h"
#include <optional>
#include <string_view>

// The symbols that the library exports. Defining one with other parameters than
// in cuda_driver.def is a compile-time error.
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

/// The entry point of that name, which may lack its version: "cuMemAlloc" is
/// cuMemAlloc_v2.
std::optional<Entry> findEntry(std::string_view name);

/// Whether a call can be skipped without leaving the caller a missing result:
/// its status is its only result.
bool isSkippable(Entry entry);

/// Whether stream capture forbids the call in the capturing thread, and in all
/// threads under CU_STREAM_CAPTURE_MODE_GLOBAL: the "potentially unsafe" calls
/// of cuThreadExchangeStreamCaptureMode (CUDA Driver API, Stream Management).
bool isUnsafeDuringCapture(Entry entry);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_BASE_ENTRY_H
