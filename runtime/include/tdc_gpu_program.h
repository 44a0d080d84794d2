/*===- tdc_gpu_program.h - the GPU part of a compiled program ---------------===
 *
 * Its kernels as code for GPUs, what they need, and what they report. A part of
 * tdc_runtime.h, which has the conventions.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TDC_GPU_PROGRAM_H
#define TDC_GPU_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names in C's style. NOLINTBEGIN(readability-identifier-naming) */

enum { TDRT_IMAGE_PTX = 0, TDRT_IMAGE_CUBIN = 1 };

/* The code of all kernels for one architecture. */
typedef struct tdrt_gpu_image {
  int32_t kind; /* TDRT_IMAGE_* */
  int32_t arch; /* compute capability, 80 for 8.0: PTX runs on this one and
                   newer ones, a cubin on this one only */
  int64_t bytes;
  const void *data; /* PTX is text; its NUL is counted in `bytes` */
} tdrt_gpu_image;

/* What a kernel may report: a bad index, perhaps values too; values only. */
enum {
  TDRT_REPORTS_NOTHING = 0,
  TDRT_REPORTS_INDICES = 1,
  TDRT_REPORTS_VALUES = 2
};

/* A kernel: an entry of that name in every image, launched in one dimension. */
typedef struct tdrt_gpu_kernel {
  const char *name;
  int32_t threads;        /* per block */
  int32_t shared_bytes;   /* dynamic shared memory per block */
  int32_t num_parameters; /* all of 8 bytes (.param .b64) */
  int32_t reports;        /* TDRT_REPORTS_*: if it does, parameter 0 is the
                             address of the device's tdrt_gpu_record */
} tdrt_gpu_kernel;

/* The first bad index, and the first watched value that is not finite, that
 * kernels met on a GPU. The thread that changes `..._taken` from 0 to 1, by one
 * compare-and-swap, fills in the other members of that part. */
typedef struct tdrt_gpu_record {
  int32_t index_taken;
  int32_t index_site;
  int64_t index;
  int64_t size;
  int32_t value_taken;
  int32_t value_site;
  double value;
} tdrt_gpu_record;

/* The most bytes of a GPU that the runtime uses in addition to the arena: that
 * record, and 64 bytes past the end of both, which kernels may load. */
#define TDRT_GPU_BYTES ((int64_t)sizeof(tdrt_gpu_record) + 2 * 64)

/* Constant data in the arena of a GPU, copied there before main. */
typedef struct tdrt_gpu_constant {
  int32_t device;
  int32_t reserved; /* 0 */
  int64_t offset;   /* bytes from the start of the device's arena */
  int64_t bytes;
  const void *data;
} tdrt_gpu_constant;

/* A copy between devices that the program makes: a row of the counters. */
typedef struct tdrt_transfer_site {
  int32_t site;
  int32_t from;     /* a device; TDRT_ANY_DEVICE for tdrt_handle_get */
  int32_t to;       /* a device */
  int32_t implied;  /* 1: the copy is not in the source; else 0 */
  const char *what; /* the copied value: "net.fc1.weight", "x" */
} tdrt_transfer_site;
#define TDRT_ANY_DEVICE (-1)

/* Successive launches on a GPU. */
typedef struct tdrt_sequence {
  int32_t device;
  int32_t num_launches;
  int32_t num_words;      /* in all: each has its blocks, then its parameters */
  int32_t reserved;       /* 0 */
  const int32_t *kernels; /* of each launch */
  const int32_t *sites;
} tdrt_sequence;

/* The runtime's code for GPUs, which only programs that name it contain. */
typedef struct tdrt_gpu_backend tdrt_gpu_backend;

typedef struct tdrt_gpu_program {
  const tdrt_gpu_backend *(*backend)(void); /* tdrt_cuda_backend */
  int32_t num_devices; /* it uses some of cuda:0 ... cuda:num_devices-1 */
  int32_t num_images;
  int32_t num_kernels;
  int32_t num_constants;
  int32_t num_transfers;
  int32_t num_handle_slots; /* state of the program that is not in `slots` */
  int32_t num_sequences;
  const int64_t *arena_bytes; /* of cuda:k; -1 if it is not used */
  const tdrt_gpu_image *images;
  const tdrt_gpu_kernel *kernels;
  const tdrt_gpu_constant *constants;
  const tdrt_transfer_site *transfers;
  const tdrt_sequence *sequences;
  int64_t pinned_bytes;    /* of tdrt_context.pinned */
  const char *sim_library; /* path of the simulated driver where the program was
                              built, or NULL */
} tdrt_gpu_program;

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* TDC_GPU_PROGRAM_H */
