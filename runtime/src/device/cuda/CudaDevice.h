//===- CudaDevice.h - a GPU that is used through CUDA's driver ------------===//

#ifndef TDRT_DEVICE_CUDA_CUDADEVICE_H
#define TDRT_DEVICE_CUDA_CUDADEVICE_H

#include "device/Device.h"
#include "device/cuda/CudaQueue.h"
#include "device/cuda/CudaTrace.h"
#include "device/cuda/DeviceMemory.h"
#include "device/cuda/Kernels.h"
#include "device/cuda/StagingRing.h"
#include <deque>
#include <map>
#include <optional>

namespace tdrt {

class LaunchSequences;

/// A GPU: its queues, and the memory and kernels that a program has there.
class CudaDevice final : public Device {
public:
  /// Throws Failure TR306, or what CudaContext::check throws.
  CudaDevice(const Driver &driver, int ordinal,
             const tdrt_gpu_program &program);
  ~CudaDevice() override;

  /// Enables direct copies from `peer`, without the host, if the machine
  /// supports them.
  void enableCopiesFrom(const CudaDevice &peer);

  void enter() override { chosen.emplace(context); }
  void leave() override { chosen.reset(); }

  Memory &getMemory() override { return memory; }
  void *allocateArena(int64_t bytes) override;
  tdrt_gpu_record *getRecord() override { return record; }
  void fillWithZeros(void *to, int64_t bytes) override;
  int64_t upload(void *to, const void *from, int64_t bytes) override;
  int64_t download(void *to, const void *from, int64_t bytes) override;
  void copy(void *to, const void *from, int64_t bytes) override;
  bool reaches(const Device &peer) const override;
  void copyFromPeer(Device &peer, void *to, const void *from,
                    int64_t bytes) override;
  void *allocatePinned(int64_t bytes) override;
  Ticket mark(Ticket::Queue queue, int32_t peer) override;
  int64_t startUpload(void *to, const void *from, int64_t bytes, bool isPinned,
                      Ticket after) override;
  void startDownload(void *to, const void *from, int64_t bytes) override;
  void startCopyFromPeer(Device &peer, int32_t number, void *to,
                         const void *from, int64_t bytes) override;
  void wait(Device &owner, Ticket ticket) override;
  void finish(Ticket ticket) override;
  void launch(int32_t kernel, unsigned blocks, const uint64_t *parameters,
              const tdrt_site *site) override;
  bool launchSequence(int32_t sequence, const uint64_t *words,
                      const tdrt_site *site) override;
  TraceClock &startTrace(Trace &trace) override;
  void traceNext(const TraceWork &next) override { trace->setNext(next); }
  void synchronize() override;
  void abandon() noexcept override;
  int64_t queueReports() override;
  bool takeReports(tdrt_gpu_record &taken) override;
  bool takeArrived(int64_t reports, tdrt_gpu_record &taken) override;
  void clearRecord() override;

private:
  friend class CudaGraph;
  friend class LaunchSequences;

  void makeRecord();
  void addReports();
  /// Queues a read of what kernels have reported.
  void readReports(CudaQueue &queue);
  /// Makes in-order work wait for the read of reports in the download queue, if
  /// there is one: needed before a kernel that reports and before a read in the
  /// queue of kernels.
  void waitForReading();
  /// Notes that the first `reports` reads of the record are done.
  void noteReports(int64_t reports);
  /// Copies from the host in `queue`, through `ring`; returns as upload().
  int64_t upload(std::optional<StagingRing> &ring, CudaQueue &queue, void *to,
                 const void *from, int64_t bytes);
  CudaQueue &getQueue(Ticket::Queue queue, int32_t peer = 0);
  CudaQueue &getQueue(const Ticket &ticket) {
    return getQueue(ticket.queue, ticket.peer);
  }
  /// The position after all in-order work given so far, and after the copies in
  /// which other GPUs read from this one.
  int64_t markWork();
  /// Gives a queue a copy from another GPU.
  void copyFromPeer(CudaQueue &queue, CudaDevice &peer, void *to,
                    const void *from, int64_t bytes);
  /// Calls `visit` with each queue that exists so far.
  template <class Visit> void visitQueues(Visit visit);
  /// Waits for a piece of a download and copies it out of the ring.
  void receive(void *to, const StagingRing::Piece &piece, CUevent arrival);
  /// Throws Failure TR399 if copies to this memory have not been waited for.
  void verifyArrived(const void *data, int64_t bytes) const;
  bool isFinished();

  CudaContext context;
  /// Keeps the context current from enter() to leave(), and while the members
  /// below are made or destroyed.
  std::optional<CudaContext::Use> chosen;
  const tdrt_gpu_program &program;
  std::vector<const Device *>
      reached; ///< the GPUs that copies come from directly
  Kernels kernels;
  /// The queue of in-order work: kernels, and the copies between them.
  CudaQueue work;
  DeviceMemory memory;
  /// The queues of copies that run concurrently with kernels, made at their
  /// first use; `peers` by the device number of the source GPU.
  std::optional<CudaQueue> uploads, downloads;
  std::map<int32_t, CudaQueue> peers;
  /// Recorded alternately after the pieces of a download.
  Owned<CUevent> arrivals[2];
  /// For the copies in `work` and in `uploads`.
  std::optional<StagingRing> staging, uploadStaging;
  std::optional<CudaTrace> trace; ///< set if the run is traced
  std::vector<void *> parameterAddresses;
  std::unique_ptr<LaunchSequences> sequences;
  std::vector<Owned<void *>> pinned;

  // Null if no kernel of the program reports.
  tdrt_gpu_record *record = nullptr; ///< on the GPU
  /// Pinned host memory that `record` is read to: the last read that has
  /// arrived, the reads in flight, oldest first, and unused ones.
  tdrt_gpu_record *report = nullptr;
  std::deque<tdrt_gpu_record *> reportsOnTheirWay;
  std::vector<tdrt_gpu_record *> freeReports;
  /// How many reads have arrived.
  int64_t arrivedReports = 0;
  /// What may be reported by kernels that were launched since the last read of
  /// `record`. Bad indexes are read with each download; a value that is not
  /// finite is no hurry: it comes with them, or when the GPU is waited for.
  struct Unread {
    bool indices = false;
    bool values = false;

    bool any() const { return indices || values; }
    void add(const Unread &other) {
      indices |= other.indices;
      values |= other.values;
    }
  };
  Unread unread;
  /// Is `record` being read in the download queue, concurrently with kernels?
  bool isReading = false;

  int64_t countQueuedReports() const {
    return arrivedReports + static_cast<int64_t>(reportsOnTheirWay.size());
  }
  /// Downloads that have not been waited for: the position, and the number of
  /// reads of `record` that were queued before it.
  struct Download {
    int64_t position, reports;
  };
  std::deque<Download> inFlight;
  bool isDownloading = false; ///< one has begun since the last mark
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDADEVICE_H
