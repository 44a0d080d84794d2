//===- Device.h - what a program asks of a GPU ----------------------------===//
//
// Everything is done in the order in which it is asked for, but for what start
// functions ask for, which is done beside it. Addresses are those of the GPU
// unless they are called the host's. A function that can fail throws a Failure;
// what was asked before may be what has failed.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_DEVICE_H
#define TDRT_DEVICE_DEVICE_H

#include "base/Memory.h"
#include "program/Trace.h"
#include "tdc_runtime.h"
#include <string>

namespace tdrt {

/// A place in one of the queues of a GPU.
struct Ticket {
  enum Queue : int8_t { Work, Uploads, Downloads, Peers };
  Queue queue = Work;
  int64_t place = 0; ///< 0: nothing to wait for
  int32_t peer = 0;  ///< of Peers, the GPU that this queue copies from
};

class Device {
public:
  virtual ~Device() = default;

  /// As of Devices.
  virtual void enter() = 0;
  virtual void leave() = 0;

  /// Blocks for run-time sizes. What the GPU was asked before a block is
  /// released may still use it.
  virtual Memory &getMemory() = 0;
  /// Zeros that live as long as the device.
  virtual void *allocateArena(int64_t bytes) = 0;
  virtual tdrt_gpu_error *getErrors() = 0;

  virtual void fillWithZeros(void *to, int64_t bytes) = 0;
  /// From the host. `from` may change as soon as this returns. Returns how many
  /// copies it takes: none if one before takes it along.
  virtual int64_t upload(void *to, const void *from, int64_t bytes) = 0;
  /// To the host; returns when the bytes are there, like upload.
  virtual int64_t download(void *to, const void *from, int64_t bytes) = 0;
  virtual void copy(void *to, const void *from, int64_t bytes) = 0;
  /// From another GPU, after all that was asked of it before, and before all
  /// that it will be asked for.
  virtual void copyFromPeer(Device &peer, void *to, const void *from,
                            int64_t bytes) = 0;

  /// Memory of the host that GPUs can copy to and from on their own, for as
  /// long as the device lives.
  virtual void *allocatePinned(int64_t bytes) = 0;
  /// Behind all that a queue was given: Work is what is asked for in order.
  /// `peer` as of the ticket.
  virtual Ticket mark(Ticket::Queue queue, int32_t peer = 0) = 0;
  /// As upload, in the queue of uploads, behind `after`. If `from` is pinned it
  /// stays as it is until that is waited for.
  virtual int64_t startUpload(void *to, const void *from, int64_t bytes,
                              bool isPinned, Ticket after) = 0;
  /// To pinned memory, in the queue of downloads, behind all that was asked for
  /// in order.
  virtual void startDownload(void *to, const void *from, int64_t bytes) = 0;
  /// As copyFromPeer, in the queue of `number`, behind all that was asked of
  /// both in order. `number` is the peer's.
  virtual void startCopyFromPeer(Device &peer, int32_t number, void *to,
                                 const void *from, int64_t bytes) = 0;
  /// What is asked for in order waits for the ticket of a GPU, be it this one.
  virtual void wait(Device &owner, Ticket ticket) = 0;
  /// Returns when that is reached.
  virtual void finish(Ticket ticket) = 0;

  /// A kernel of the program on `blocks` > 0 blocks. `site` may be null.
  virtual void launch(int32_t kernel, unsigned blocks,
                      const uint64_t *parameters, const tdrt_site *site) = 0;

  /// All launches of row `sequence` of the program's table at once, with the
  /// words of tdrt_launch_sequence, if that has been made ready; false, and
  /// does nothing, if not. `site` is that of the last one and may be null.
  virtual bool launchSequence(int32_t sequence, const uint64_t *words,
                              const tdrt_site *site) = 0;

  /// From here on it tells the trace of the next thing that it is asked for
  /// after traceNext().
  virtual TraceClock &startTrace(Trace &trace) = 0;
  virtual void traceNext(const TraceWork &work) = 0;

  /// Returns when all is done that was asked for.
  virtual void synchronize() = 0;
  /// The same before the device is destroyed, whatever has failed.
  virtual void abandon() noexcept = 0;
  /// Has what kernels report by now read to the host, in order: as so many such
  /// reads. 0 if no kernel can have reported.
  virtual int64_t queueReports() = 0;
  /// Moves what kernels have reported by now to `error`; false if they have
  /// not. Waits for those that can report and were not waited for.
  virtual bool takeKernelError(tdrt_gpu_error &error) = 0;
  /// The same of the first `reports` reads, which are known to be done, and of
  /// those that a download has waited for.
  virtual bool takeArrivedError(int64_t reports, tdrt_gpu_error &error) = 0;
};

} // namespace tdrt

#endif // TDRT_DEVICE_DEVICE_H
