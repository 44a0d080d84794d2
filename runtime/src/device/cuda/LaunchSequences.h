//===- LaunchSequences.h - launches that come again as they were ----------===//
//
// A loop asks for the same kernels in each of its turns, and mostly with the
// same words: addresses in the arena, of which two take turns where the next
// batch is copied ahead. Such launches become a CUDA graph when they have come
// often enough that it is likely to pay (A. R. Karlin et al., "Competitive
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
  /// Launches with the same words.
  struct Recording {
    std::vector<uint64_t> words;
    int launches = 0; ///< how often they were asked for one by one
    std::unique_ptr<CudaGraph> graph;
  };
  struct Sequence {
    Recording recordings[2]; ///< the last one that was used first
    int graphs = 0;          ///< made by now
  };

  Recording &find(Sequence &sequence, const uint64_t *words, size_t count);
  void record(const tdrt_sequence &row, Recording &recording);

  CudaDevice &device;
  std::vector<Sequence> sequences; ///< of the program
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_LAUNCHSEQUENCES_H
