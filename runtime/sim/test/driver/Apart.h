//===- Apart.h - tests of the driver, each in a process of its own --------===//
//
// The simulated driver is one per process and reads the environment once, as
// NVIDIA's does. So each test that starts it runs in a child process.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_TEST_DRIVER_APART_H
#define TDC_SIM_TEST_DRIVER_APART_H

#include "driver/base/Entry.h"
#include "tdc_sim.h"
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

/// gtest uses this to print errors by name.
inline void PrintTo(CUresult code, std::ostream *stream) { // NOLINT
  const char *name = nullptr;
  if (cuGetErrorName(code, &name) == CUDA_SUCCESS)
    *stream << name;
  else
    *stream << static_cast<int>(code);
}

namespace tdc_sim_test {

using Environment = std::vector<std::pair<const char *, std::string>>;

/// One device and a seed, unless `more` says otherwise.
Environment withDevices(int devices, const Environment &more = {});

/// Runs `body` in a child process with these variables and no other ones that
/// the driver reads; a failure in the child is a failure of the test. Returns
/// the child's standard error.
std::string runApart(const Environment &environment,
                     const std::function<void()> &body);

/// The same for several seeds: enough that each relevant order of operations
/// occurs, and that a check that depends on luck fails for one of them.
void runWithSeeds(const Environment &environment,
                  const std::function<void()> &body);
inline constexpr int kSeeds = 24;

/// Starts the driver and makes the context of a device current.
CUcontext start(int device = 0);

CUdeviceptr allocate(size_t bytes);
/// Device memory that holds `numbers`; the host has waited for the copy.
CUdeviceptr allocateWith(const std::vector<unsigned> &numbers);
template <class T = unsigned> T *allocatePinned(size_t count) {
  void *pointer = nullptr;
  EXPECT_EQ(cuMemHostAlloc(&pointer, count * sizeof(T), 0), CUDA_SUCCESS);
  return static_cast<T *>(pointer);
}
CUstream makeStream(unsigned flags = CU_STREAM_NON_BLOCKING);
CUevent makeEvent(unsigned flags = CU_EVENT_DEFAULT);
/// Contents of device memory, once all work of the device is done.
std::vector<unsigned> read(CUdeviceptr pointer, size_t count);

/// The kernels of Kernels.cpp, loaded for the current context.
CUfunction getKernel(const char *name);
extern const char *const kKernels;
/// Launches `store` or `add` for `count` numbers.
CUresult launch(CUfunction kernel, CUdeviceptr pointer, unsigned value,
                unsigned count, CUstream stream = nullptr);

/// Expects that the message of the last fault contains `part`.
void expectFault(const std::string &part);
inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// A path for a file that a test writes, and the contents of a file.
std::string getTemporaryPath(const char *name);
std::string readFile(const std::string &path);

} // namespace tdc_sim_test

#endif // TDC_SIM_TEST_DRIVER_APART_H
