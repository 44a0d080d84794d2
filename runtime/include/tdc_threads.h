/*===- tdc_threads.h - the threads of a process -----------------------------===
 *
 * A part of tdc_runtime.h: kernels that threads share.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TDC_THREADS_H
#define TDC_THREADS_H

#include <stdint.h>

/* Makes a function visible to the JIT and the linker; all others are hidden. */
#define TDRT_API __attribute__((visibility("default")))

/* Names in C's style. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* The least work (td::estimateWork) that threads share: about twenty
 * microseconds on one thread. Waking others takes a few. */
enum { TDRT_LEAST_SHARED_WORK = 1 << 20 };
/* Bytes at the end of the scratch of a task in which a thread says what the
 * others are, from one of its parts to the next. */
enum { TDRT_SCRATCH_TAG = 64 };
/* The most threads of a process. */
enum { TDRT_MOST_THREADS = 1024 };

typedef void (*tdrt_task)(void *arg, int64_t begin, int64_t end, void *scratch);

/* Calls task(arg, begin, end, scratch) on contiguous parts that cover [0, n),
 * and returns when all are done. A part is never empty. The parts depend on the
 * number of threads, so a result must depend on single indexes only. The
 * calling thread takes part; it is alone inside a task, or if n < 2 or the work
 * is too little (td::estimateWork). Its parts get `scratch`, of `scratch_bytes`
 * bytes; each other thread has as many of its own. The last TDRT_SCRATCH_TAG of
 * them are 0 before a thread's first part. */
TDRT_API void tdrt_parallel_for(tdrt_task task, void *arg, int64_t n,
                                int64_t work, void *scratch,
                                int64_t scratch_bytes);

/* Sets the number of threads of tdrt_parallel_for (1 ... 1024). Otherwise it is
 * TDC_THREADS; without it, 1, or in a program of its own the number of
 * processors that the affinity mask and the quota leave. Returns 1; or 0 if a
 * kernel has started another number of threads before. */
TDRT_API int32_t tdrt_set_num_threads(int32_t n);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */

#endif /* TDC_THREADS_H */
