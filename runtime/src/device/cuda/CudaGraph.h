//===- CudaGraph.h - work of a GPU that is repeated -----------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDAGRAPH_H
#define TDRT_DEVICE_CUDA_CUDAGRAPH_H

#include "device/cuda/CudaDevice.h"

namespace tdrt {

/// Launches, copies and fills on one GPU, asked for once and done again and
/// again, for less than it costs to ask. Nothing in it may need the host.
/// Functions throw what CudaContext::check throws.
class CudaGraph {
public:
  explicit CudaGraph(CudaDevice &device);
  ~CudaGraph();
  CudaGraph(const CudaGraph &) = delete;

  /// Between these, the device does nothing that it is asked for.
  void begin();
  void end();
  /// Does all of it, with the addresses and parameters of then.
  void launch();

private:
  CudaDevice &device;
  Owned<CUgraphExec> executable;
  bool isCapturing = false;
  bool mayReport = false; ///< can a kernel in it?
  bool isReading = false; ///< that of the device, while it captures
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDAGRAPH_H
