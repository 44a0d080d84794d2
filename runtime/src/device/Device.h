//===- Device.h - the operations that a program needs of a GPU ------------===//
//
// A GPU does its work in the order of the calls ("in-order work" below), except
// for the copies of the start functions, which run concurrently with it.
// Addresses are GPU addresses unless a comment says host. A function that can
// fail throws a Failure; the cause may be work that an earlier call gave.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_DEVICE_H
#define TDRT_DEVICE_DEVICE_H

#include "base/Memory.h"
#include "program/Trace.h"
#include "tdc_runtime.h"
#include <string>

namespace tdrt {

/// A position in one of the queues of a GPU. It is reached when the queue has
/// done all work that it was given before.
struct Ticket {
  enum Queue : int8_t { Work, Uploads, Downloads, Peers };
  Queue queue = Work;
  int64_t position = 0; ///< 0: nothing to wait for
  int32_t peer = 0;     ///< for Peers: the source GPU's device number
};

class Device {
public:
  virtual ~Device() = default;

  /// As in Devices.
  virtual void enter() = 0;
  virtual void leave() = 0;

  /// Blocks for tensors of run-time size. Work that the GPU was given before a
  /// block is released may still use the block.
  virtual Memory &getMemory() = 0;
  /// Allocates zeroed memory that lives as long as the device.
  virtual void *allocateArena(int64_t bytes) = 0;
  virtual tdrt_gpu_record *getRecord() = 0;

  virtual void fillWithZeros(void *to, int64_t bytes) = 0;
  /// Copies from the host. `from` may change as soon as this returns. Returns
  /// the number of copies that this adds for the driver: 0 if the bytes join an
  /// earlier copy.
  virtual int64_t upload(void *to, const void *from, int64_t bytes) = 0;
  /// Copies to the host and returns when the bytes are there. Returns the
  /// number of copies.
  virtual int64_t download(void *to, const void *from, int64_t bytes) = 0;
  virtual void copy(void *to, const void *from, int64_t bytes) = 0;
  /// Do copies from `peer` take a direct path? Otherwise they go through the
  /// host.
  virtual bool reaches(const Device &peer) const = 0;
  /// Copies from another GPU, after all in-order work that `peer` was given
  /// before, and before all that it is given later.
  virtual void copyFromPeer(Device &peer, void *to, const void *from,
                            int64_t bytes) = 0;

  /// Allocates pinned host memory, which GPUs copy to and from without the
  /// host. It lives as long as the device.
  virtual void *allocatePinned(int64_t bytes) = 0;
  /// The position after all work that `queue` was given so far; Work is the
  /// queue of in-order work. `peer` is as in Ticket.
  virtual Ticket mark(Ticket::Queue queue, int32_t peer = 0) = 0;
  /// Copies like upload, but in the queue of uploads and after `after`. If
  /// `isPinned`, `from` must not change until the copy has been waited for.
  virtual int64_t startUpload(void *to, const void *from, int64_t bytes,
                              bool isPinned, Ticket after) = 0;
  /// Copies to pinned host memory in the queue of downloads, after all in-order
  /// work given so far.
  virtual void startDownload(void *to, const void *from, int64_t bytes) = 0;
  /// Copies like copyFromPeer, but in the Peers queue of `number`, the device
  /// number of `peer`, and after all in-order work that both GPUs were given so
  /// far.
  virtual void startCopyFromPeer(Device &peer, int32_t number, void *to,
                                 const void *from, int64_t bytes) = 0;
  /// Makes in-order work given from here on wait for a ticket of `owner`, which
  /// may be this GPU.
  virtual void wait(Device &owner, Ticket ticket) = 0;
  /// Returns when `ticket`, a position of this GPU, is reached.
  virtual void finish(Ticket ticket) = 0;

  /// Launches row `kernel` of the program's table of kernels on `blocks` > 0
  /// blocks. `site` may be null.
  virtual void launch(int32_t kernel, unsigned blocks,
                      const uint64_t *parameters, const tdrt_site *site) = 0;

  /// Launches all of row `sequence` of the program's table as one graph, with
  /// the words of tdrt_launch_sequence, if the device has or now makes one;
  /// otherwise does nothing and returns false. `site` is the last launch's and
  /// may be null.
  virtual bool launchSequence(int32_t sequence, const uint64_t *words,
                              const tdrt_site *site) = 0;

  /// From here on the device adds to `trace` the first piece of work after each
  /// traceNext(). Returns the clock of its moments.
  virtual TraceClock &startTrace(Trace &trace) = 0;
  virtual void traceNext(const TraceWork &work) = 0;

  /// Returns when all work that the GPU was given is done.
  virtual void synchronize() = 0;
  /// The same before the device is destroyed; ignores failures.
  virtual void abandon() noexcept = 0;
  /// Queues, in order, a read of what kernels report up to here, if any can
  /// have reported a bad index since the last read. Returns the number of reads
  /// queued since the start of the program; 0 if no kernel can have reported.
  virtual int64_t queueReports() = 0;
  /// Copies what kernels have reported by now to `taken`; returns false if that
  /// is nothing. Waits for kernels that can report a bad index and were not
  /// waited for.
  virtual bool takeReports(tdrt_gpu_record &taken) = 0;
  /// The same for the first `reports` reads (see queueReports), which are known
  /// to be done, and for reads that a download has waited for.
  virtual bool takeArrived(int64_t reports, tdrt_gpu_record &taken) = 0;
  /// Waits for the GPU and forgets what kernels have reported, so that they can
  /// report again.
  virtual void clearRecord() = 0;
};

} // namespace tdrt

#endif // TDRT_DEVICE_DEVICE_H
