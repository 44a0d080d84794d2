//===- gpu_times.h - what work for a GPU takes, about -----------*- C++ -*-===//
//
// The simulated driver's clock, placement by costs and the estimates of
// `tdc report` go by the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_GPU_TIMES_H
#define TDC_GPU_TIMES_H

namespace tdc {

// PCIe 4 x16: 31.5 GB/s on paper (PCI-SIG), of which copies of pinned memory
// see about 25; between GPUs without NVLink about 20. Latencies of a copy and
// of a launch are the usual order of magnitude.
inline constexpr double kHostBytesPerMicrosecond = 25e3;
inline constexpr double kPeerBytesPerMicrosecond = 20e3;
inline constexpr double kCopyMicroseconds = 10;
/// What a call that gives a device work takes the host; a graph is one call.
inline constexpr double kIssueMicroseconds = 4;

} // namespace tdc

#endif // TDC_GPU_TIMES_H
