//===- CudaGraph.h - work of a GPU that is repeated -----------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDAGRAPH_H
#define TDRT_DEVICE_CUDA_CUDAGRAPH_H

#include "device/cuda/CudaDevice.h"

namespace tdrt {

/// Launches, copies and fills on one GPU that are recorded once and repeated at
/// less cost than separate calls. None of them may need the host. Functions
/// throw what CudaContext::check throws.
class CudaGraph {
public:
  explicit CudaGraph(CudaDevice &device);
  ~CudaGraph();
  CudaGraph(const CudaGraph &) = delete;

  /// Between begin() and end() the device records its work and does none.
  void begin();
  void end();
  /// Does all recorded work, with the addresses and parameters of the
  /// recording.
  void launch();

private:
  CudaDevice &device;
  Owned<CUgraphExec> executable;
  bool isCapturing = false;
  CudaDevice::Unread unread; ///< what kernels of the graph may report
  bool isReading = false;    ///< the device's, during the recording
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDAGRAPH_H
