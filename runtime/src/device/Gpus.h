//===- Gpus.h - the GPUs of a running program -----------------------------===//

#ifndef TDRT_DEVICE_GPUS_H
#define TDRT_DEVICE_GPUS_H

#include "device/Device.h"
#include "device/Handles.h"
#include "device/TransferCounts.h"
#include "program/Context.h"
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace tdrt {

/// Devices have the numbers of tdc_runtime.h: 0 is the cpu. Functions throw
/// what those of Device throw.
class Gpus final : public Devices {
public:
  /// Brings the program's arenas and constants to its GPUs. `opened` has null
  /// for those that it does not use.
  Gpus(Context &context, std::vector<std::unique_ptr<Device>> opened);
  ~Gpus() override;

  static Gpus &of(tdrt_context *ctx) {
    return static_cast<Gpus &>(*Context::of(ctx).gpus);
  }

  /// Row `transfer` of the program's table.
  const tdrt_transfer_site &getTransfer(int32_t transfer) const {
    return program.transfers[transfer];
  }
  /// One of the GPUs that the program uses.
  Device &get(int32_t device) { return *gpus[device - 1]; }
  /// Of the cpu or of one of the GPUs.
  Memory &getMemory(int32_t device) override;
  Handles &getHandles() { return handles; }

  void launch(int32_t device, int32_t kernel, int64_t blocks,
              const uint64_t *parameters, int32_t site);
  /// Row `sequence` of the program's table.
  const tdrt_sequence &getSequence(int32_t sequence) const {
    return program.sequences[sequence];
  }
  int32_t countParameters(int32_t kernel) const {
    return program.kernels[kernel].num_parameters;
  }
  /// As Device::launchSequence.
  bool launchSequence(int32_t sequence, const uint64_t *words);
  /// Row `transfer`, from a device that the row may leave open; counts it.
  void transfer(int32_t transfer, int32_t from, void *to, const void *source,
                int64_t bytes);

  /// Copies beside kernels, as row `transfer` says; counts it. What goes to the
  /// host goes to pinned memory. `ticket` may be null.
  void startTransfer(int32_t transfer, void *to, const void *source,
                     int64_t bytes, int64_t after, int64_t *ticket);
  int64_t mark(int32_t device);
  void copyOnDevice(int32_t device, void *to, const void *source, int64_t bytes,
                    int32_t site);
  /// A device, or the host, waits.
  void wait(int32_t device, int64_t ticket, int32_t site);

  tdrt_device_memory *getTable() override { return table.data(); }
  char *getPinned() override { return pinned; }
  int64_t countBytesInUse() const override;
  void synchronize() override;
  void enter() override;
  void leave() override;
  void beginCall() override;
  void endCall(bool failed) override;
  std::string getCopiesJson() const override { return counts.getJson(); }
  std::string getArenasJson() const override;
  std::string getPeaksJson() const override;

private:
  /// Null if none is used.
  Device *findFirst() const;
  /// Null for none.
  const tdrt_site *getSite(int32_t site) const;
  /// Names what a GPU is asked for next in the trace, if there is one.
  void traceNext(const TraceWork &work);
  void traceCopy(const tdrt_transfer_site &row, int32_t from, int64_t bytes);
  void takeKernelError(Device &gpu);
  /// By GPU, how many reads of its errors tell those of all kernels that had a
  /// part in something.
  using Origins = std::vector<int64_t>;
  void takeOriginErrors(const Origins &of);
  /// Of what a GPU holds by now, for what is copied from it.
  Origins queueOrigins(int32_t device);
  /// Errors of what `of` tells are errors of what GPU `device` holds.
  void addOrigins(int32_t device, const Origins &of);
  /// Calls `visit` with the origins of each copy that the ticket stands for and
  /// that nobody has asked for before.
  void takeAwaited(int64_t ticket,
                   const std::function<void(const Origins &)> &visit);
  void reportError(const tdrt_gpu_error &error);

  Context &context;
  const tdrt_gpu_program &program;
  std::vector<std::unique_ptr<Device>> gpus;
  std::vector<tdrt_device_memory> table;
  char *pinned = nullptr;
  TransferCounts counts;
  std::vector<int64_t> awaited; ///< by GPU, by its next kernel; for the trace
  Handles handles;
  /// Of what each GPU holds: errors of its makers on other GPUs are errors of
  /// what is copied from it.
  std::vector<Origins> origins;
  /// Of what comes with copies from GPUs that nobody has waited for, by their
  /// queue and place.
  std::map<int64_t, std::deque<std::pair<int64_t, Origins>>> awaitedOrigins;
};

} // namespace tdrt

#endif // TDRT_DEVICE_GPUS_H
