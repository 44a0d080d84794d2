//===- LaunchSequences.h - launches that repeat, as CUDA graphs -----------===//
//
// A loop launches the same kernels in each iteration, mostly with the same
// words: addresses in the arena, where two buffers alternate if the next batch
// is copied ahead. Such launches become a CUDA graph when they have repeated
// often enough for the graph to be likely to pay (A. R. Karlin et al.,
// "Competitive snoopy caching", 1988: rent until that has cost as much as
// buying).
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_CUDA_LAUNCHSEQUENCES_H
#define TDRT_DEVICE_CUDA_LAUNCHSEQUENCES_H

#include "device/cuda/CudaGraph.h"

namespace tdrt {

class LaunchSequences {
public:
  explicit LaunchSequences(CudaDevice &device) : device(device) {}

  /// As Device::launchSequence. Throws what CudaContext::check throws.
  bool launch(int32_t index, const uint64_t *words, const tdrt_site *site);

private:
  using Words = std::vector<uint64_t>;
  /// Words, and how often they were launched one by one.
  struct Counted {
    Words words;
    int launches = 0;
  };
  struct Sequence {
    /// Graphs are kept to the end: the last launch of one may not have run.
    std::vector<std::pair<Words, std::unique_ptr<CudaGraph>>> graphs;
    Counted counted[2]; ///< the last used one first
  };

  static Counted &count(Counted (&counted)[2], const uint64_t *words,
                        size_t size);
  /// Whether no launch has more blocks than possible; if one has, the separate
  /// launches report it.
  bool areLaunchable(const tdrt_sequence &row, const uint64_t *words) const;
  std::unique_ptr<CudaGraph> record(const tdrt_sequence &row,
                                    const uint64_t *words);
  /// Calls `visit` with the kernel, the blocks and the parameters of each
  /// launch.
  template <class Visit>
  void visitLaunches(const tdrt_sequence &row, const uint64_t *words,
                     Visit visit) const;

  CudaDevice &device;
  std::vector<Sequence> sequences; ///< of the program
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_LAUNCHSEQUENCES_H
