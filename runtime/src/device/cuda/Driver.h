//===- Driver.h - CUDA's driver, loaded when it is needed -----------------===//
//
// CUDA is not linked, so programs start on machines without it. If TDC_SIM_CUDA
// requests simulated GPUs, their driver replaces libcuda.so.1.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_CUDA_DRIVER_H
#define TDRT_DEVICE_CUDA_DRIVER_H

#include "cuda_driver.h"
#include <memory>
#include <string>
#include <type_traits>

namespace tdrt {

/// The functions of libcuda.so.1, under their names.
struct DriverFunctions {
  // NOLINTBEGIN(bugprone-macro-parentheses,readability-identifier-naming)
#define CUDA_ENTRY(NAME, PARAMETERS) CUresult(*NAME) PARAMETERS;
#define CUDA_TEST_ENTRY(NAME, PARAMETERS)
#include "cuda_driver.def"
  // NOLINTEND(bugprone-macro-parentheses,readability-identifier-naming)
};

class Driver : public DriverFunctions {
public:
  /// The process's driver. The first call opens and initialises it, looking for
  /// a simulated one also at `simulated`, which may be null. Throws Failure
  /// TR301 ... TR304, TR311, TR312 or TR316; the next call then tries again.
  static const Driver &get(const char *simulated = nullptr);

  /// The number of visible GPUs; at least 1.
  int countDevices() const { return devices; }

  /// "CUDA_ERROR_UNKNOWN (999): unknown error", and what the simulated driver
  /// adds to that.
  std::string describe(CUresult error) const;

  /// Has every copy to this host memory arrived? The simulated driver knows;
  /// with a real one the answer is always yes.
  bool isValid(const void *data, size_t bytes) const;

  /// The name and the bytes of memory of a GPU, which need not be open. Throw
  /// Failure TR311 or TR316.
  std::string getName(int device) const;
  int64_t getTotalMemory(int device) const;

private:
  explicit Driver(const char *simulated);
  /// Looks up all functions; returns the name of a missing one, or null.
  const char *findFunctions(void *library);
  void initialize();
  /// Throws Failure TR311 or TR316 unless `result` is success.
  void check(CUresult result, const char *what) const;

  int devices = 0;
  // Only the simulated driver has these.
  int (*simulatedIsValid)(const void *data, size_t bytes) = nullptr;
  const char *(*simulatedLastFault)() = nullptr;
};

/// " (CUDA_VISIBLE_DEVICES is `1`)", or "" if it is not set.
std::string visibleDevicesText();

/// Something that the driver made, and the function that destroys it.
template <class Handle>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Handle>, CUresult (*)(Handle)>;

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_DRIVER_H
