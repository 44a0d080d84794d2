//===- LaunchSequences.h - launches that come again as they were ----------===//
//
// A loop asks for the same kernels in each of its iterations, and mostly with
// the same words: addresses in the arena, of which two take turns where the
// next batch is copied ahead. Such launches become a CUDA graph when they have
// come often enough that it is likely to pay (A. R. Karlin et al., "Competitive
// snoopy caching", 1988: rent until that has cost as much as buying).
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
  /// Launches with these words, one by one.
  struct Counted {
    Words words;
    int launches = 0;
  };
  struct Sequence {
    /// They stay to the end: the last launch of one may not have run.
    std::vector<std::pair<Words, std::unique_ptr<CudaGraph>>> graphs;
    Counted counted[2]; ///< the last one that was used first
  };

  static Counted &count(Counted (&counted)[2], const uint64_t *words,
                        size_t size);
  /// Whether there can be so many blocks; if not, the launch that asks for them
  /// is to say so.
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
