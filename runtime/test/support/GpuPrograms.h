//===- GpuPrograms.h - programs with kernels, written by hand -------------===//

#ifndef TDRT_TEST_SUPPORT_GPUPROGRAMS_H
#define TDRT_TEST_SUPPORT_GPUPROGRAMS_H

#include "support/TestProgram.h"
#include <functional>
#include <map>

namespace tdrt_test {

/// Environment variables; an empty value unsets one.
using Environment = std::map<std::string, std::string>;

struct Outcome {
  int code; ///< of exit, or the negative number of a signal
  std::string out, err;
};

/// Runs `body` in a child process with this environment and `gpus` simulated
/// GPUs, as a process looks for the driver only once. Messages of the child's
/// failed EXPECTs are in `out`; `code` is not 0 then.
Outcome runWithGpus(int gpus, const Environment &environment,
                    const std::function<void()> &body);

/// Fails the test if the child failed.
void expectSuccess(const Outcome &outcome);
/// Runs, and expects success.
void checkWithGpus(int gpus, const Environment &environment,
                   const std::function<void()> &body);

/// Runs with several schedules of the simulated devices and expects that the
/// program fails with each.
void expectFault(int gpus, const std::function<void()> &body);

/// The kernels of GpuProgram, by index.
enum Kernel : int32_t {
  AddOne,        ///< (x, y, n): y[i] = x[i] + 1, for i < n; f32
  ReportIndex,   ///< (record, index, size, site): every thread reports a bad
                 ///< index
  WriteNowhere,  ///< (): stores to address 0
  ReverseShared, ///< (x, y): y[i] = x[n - 1 - i] for a block of n threads, by
                 ///< way of shared memory; f32
};

/// A program on GPUs, with an arena of 4 KiB on each and rows of transfers for
/// each pair of devices. Tests fill in the rest.
class GpuProgram {
public:
  /// On the first `gpus` GPUs.
  explicit GpuProgram(int32_t gpus);
  GpuProgram(const GpuProgram &) = delete;

  /// Adds the program's only exported function, without parameters and results.
  void exportFunction(decltype(tdrt_export::entry) entry) {
    exported.entry = entry;
    program.num_exports = 1;
    program.exports = &exported;
  }

  /// Sets the program's only sequence: consecutive launches of cuda:0.
  void setSequence(std::vector<int32_t> launched, std::vector<int32_t> at);

  /// The row of transfers of a pair of devices.
  int32_t transfer(int32_t from, int32_t to) const {
    return from * (gpu.num_devices + 1) + to;
  }
  /// The row without a source device, for handles.
  int32_t transferTo(int32_t to) const {
    return transfer(gpu.num_devices + 1, 0) + to;
  }

  tdrt_program program = emptyProgram();
  tdrt_gpu_program gpu = {};
  std::vector<int64_t> arenaBytes;
  std::vector<tdrt_gpu_image> images;
  std::vector<tdrt_gpu_kernel> kernels;
  std::vector<tdrt_transfer_site> transfers;
  std::vector<int32_t> sequenceKernels, sequenceSites;
  tdrt_sequence sequence = {};
  tdrt_export exported = {"f", 0, 0, nullptr, nullptr, nullptr, 0, 0, nullptr};
};

/// How often `body` calls each entry point of the driver.
std::map<std::string, int> countCalls(int gpus,
                                      const std::function<void()> &body);

/// 0, 1, 2, ...
std::vector<float> counting(int64_t n, float first = 0);

/// A tensor of floats in a block of its own.
void *allocate(tdrt_context *ctx, int32_t device, int64_t floats);

/// The contents of a device's memory. Not counted, unlike a transfer.
std::vector<float> floatsOf(tdrt_context *ctx, GpuProgram &gpus, int32_t device,
                            const void *from, int64_t n);

/// Launches of AddOne, and of ReportIndex on two blocks.
int32_t addOne(tdrt_context *ctx, int32_t device, const void *x, void *y,
               int64_t n, int32_t site = 0);
int32_t reportIndex(tdrt_context *ctx, int32_t device, int64_t index,
                    int64_t size, int32_t site);

/// An address as a kernel's parameter.
inline uint64_t word(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// Line k + 1 of `gpu.tdsl` is site k.
extern const tdrt_site gpuSites[10];

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_GPUPROGRAMS_H
