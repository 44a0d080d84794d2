//===- gpu_times.h - estimated times of work for a GPU --------------------===//
//
// The simulated driver's clock, placement by costs and the estimates of `tdc
// report` use the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_GPU_TIMES_H
#define TDC_GPU_TIMES_H

namespace tdc {

// PCIe 4 x16: 31.5 GB/s by its specification (PCI-SIG), of which copies of
// pinned memory reach about 25; between GPUs without NVLink about 20. The
// latencies of a copy and of a launch are typical orders of magnitude.
inline constexpr double kHostBytesPerMicrosecond = 25e3;
inline constexpr double kPeerBytesPerMicrosecond = 20e3;
inline constexpr double kCopyMicroseconds = 10;
/// Time of the host for a call that gives a device work; a graph is one call.
inline constexpr double kIssueMicroseconds = 4;

// An A100 of 40 GB by its data sheet: its memory moves 1,555 GB/s.
inline constexpr double kGpuBytesPerMicrosecond = 1.5e6;

} // namespace tdc

#endif // TDC_GPU_TIMES_H
