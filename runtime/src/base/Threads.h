//===- Threads.h - the threads of a program of its own --------------------===//

#ifndef TDRT_BASE_THREADS_H
#define TDRT_BASE_THREADS_H

namespace tdrt {

/// Kernels may run on all processors that the process has, unless TDC_THREADS
/// or tdrt_set_num_threads says otherwise. For programs: a library leaves the
/// processors to its host.
void useAllProcessors();

} // namespace tdrt

#endif // TDRT_BASE_THREADS_H
