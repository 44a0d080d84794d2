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

/// Device numbers are those of tdc_runtime.h: 0 is the cpu. Functions throw
/// what the functions of Device throw.
class Gpus final : public Devices {
public:
  /// Allocates the program's arenas on its GPUs and copies its constants there.
  /// `opened` has null for each GPU that the program does not use.
  Gpus(Context &context, std::vector<std::unique_ptr<Device>> opened);
  ~Gpus() override;

  static Gpus &of(tdrt_context *ctx) {
    return static_cast<Gpus &>(*Context::of(ctx).gpus);
  }

  /// Row `transfer` of the program's table.
  const tdrt_transfer_site &getTransfer(int32_t transfer) const {
    return program.transfers[transfer];
  }
  /// GPU number `device`, which the program must use.
  Device &get(int32_t device) { return *gpus[device - 1]; }
  /// The memory of the cpu or of a GPU.
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
  /// Copies as row `transfer` says and counts it. `from` is the source, which
  /// the row may leave open (TDRT_ANY_DEVICE).
  void transfer(int32_t transfer, int32_t from, void *to, const void *source,
                int64_t bytes);

  /// Starts a copy that runs concurrently with kernels, as row `transfer` says,
  /// and counts it. A copy to the host must go to pinned memory. `ticket` may
  /// be null.
  void startTransfer(int32_t transfer, void *to, const void *source,
                     int64_t bytes, int64_t after, int64_t *ticket);
  int64_t mark(int32_t device);
  void copyOnDevice(int32_t device, void *to, const void *source, int64_t bytes,
                    int32_t site);
  /// Makes a device, or the host (0), wait for a ticket.
  void wait(int32_t device, int64_t ticket, int32_t site);

  tdrt_device_memory *getTable() override { return table.data(); }
  char *getPinned() override { return pinned; }
  int64_t countBytesInUse() const override;
  void synchronize() override;
  void enter() override;
  void leave() override;
  void beginCall() override;
  void endCall(bool failed) override;
  void writeCopies(JsonWriter &json) const override { counts.write(json); }
  void writeArenas(JsonWriter &json) const override;
  void writePeaks(JsonWriter &json) const override;

private:
  /// The first GPU that the program uses; null if it uses none.
  Device *findFirst() const;
  /// Null if `site` is negative.
  const tdrt_site *getSite(int32_t site) const;
  /// Tells the trace, if there is one, what the next work of a GPU is.
  void traceNext(const TraceWork &work);
  void traceCopy(const tdrt_transfer_site &row, int32_t from, int64_t bytes);
  /// Says once per program, before a copy between two GPUs, that such copies go
  /// through the host.
  void notePath(int32_t from, int32_t to);
  void takeReports(Device &gpu);
  /// The origins of a value: per GPU, the number of reads of its reports (see
  /// Device::queueReports) that cover all kernels which contributed to the
  /// value.
  using Origins = std::vector<int64_t>;
  /// Passes on the reports that these reads have found. They must be done.
  void takeOrigins(const Origins &of);
  /// The origins of all values that a GPU holds by now, for a copy from it.
  /// Queues a read of its reports.
  Origins queueOrigins(int32_t device);
  /// Adds `of` to the origins of the values that GPU `device` holds.
  void addOrigins(int32_t device, const Origins &of);
  /// Calls `visit` with the origins of each copy that `ticket` covers and that
  /// no earlier call has visited.
  void takeAwaited(int64_t ticket,
                   const std::function<void(const Origins &)> &visit);
  /// Gives the context what kernels of `gpu` have reported.
  void passOn(Device &gpu, const tdrt_gpu_record &taken);

  Context &context;
  const tdrt_gpu_program &program;
  std::vector<std::unique_ptr<Device>> gpus;
  std::vector<tdrt_device_memory> table;
  char *pinned = nullptr;
  TransferCounts counts;
  bool saidFar = false;
  std::vector<int64_t> awaited; ///< by GPU: its next kernel's ticket (trace)
  Handles handles;
  /// By GPU, the origins of the values that it holds. A copy from it passes on
  /// what the kernels on other GPUs that contributed to them have reported.
  std::vector<Origins> origins;
  /// Origins of copies from GPUs that have not been waited for: by queue, with
  /// the copy's position.
  std::map<int64_t, std::deque<std::pair<int64_t, Origins>>> awaitedOrigins;
};

} // namespace tdrt

#endif // TDRT_DEVICE_GPUS_H
