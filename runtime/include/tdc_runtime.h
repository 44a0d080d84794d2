/*===- tdc_runtime.h - a program, and who runs it, against the runtime ------===
 *
 * The whole contract between a compiled .tdsl program and the runtime, usable
 * from C and C++. A program is one constant, a tdrt_program; everything it does
 * at run time is a call of a function declared here, most with a context as
 * first argument. Nothing else of the runtime is visible to generated code.
 * tdc_runtime_symbols.def says which functions generated code calls, and which
 * are for those who run a program.
 *
 * Conventions
 *  - A function that can fail returns a status: 0 is success, another value is
 *    the number of a code in tdc_errors.def (701 is TR701). The first failure's
 *    code, message and source line stay in the context; generated code returns
 *    the status to its caller at once, through one clean-up block.
 *  - `site` is an index into the program's table of source lines, or -1.
 *  - `device` is 0 for the cpu and 1 + k for cuda:k, the k-th visible GPU.
 *  - Sizes are in elements unless the name says bytes. Strings are UTF-8 and
 *    end with NUL. All buffers are 64-byte aligned and readable for 64 bytes
 *    past their end: a kernel may load a whole vector there (never store one).
 *  - A pointer into the memory of a GPU is its address there, which only the
 *    GPU can follow. What one GPU is asked for it does in that order, and maybe
 *    after the call has returned.
 *  - A context belongs to one thread. Only tdrt_kernel_error, the tdrt_random_*
 *    functions and tdrt_parallel_for may be called inside a parallel task.
 *  - Nothing here throws, and nothing keeps a pointer that it was passed but
 *    the program, which outlives its contexts.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TDC_RUNTIME_H
#define TDC_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions are found by the JIT in the process and by the linker in the
 * archive, although all else is compiled with hidden visibility. */
#define TDRT_API __attribute__((visibility("default")))

/* Grows with every change that makes old programs wrong. tdrt_open refuses a
 * program compiled for another version (TR601). */
#define TDRT_ABI_VERSION 9

/* C's names, not the compiler's. */
/* NOLINTBEGIN(readability-identifier-naming) */

typedef struct tdrt_context tdrt_context;

/*===- Tensors ---------------------------------------------------------------*/

/* Element types, numbered as tdc::DType. A bool is one byte, 0 or 1. */
enum {
  TDRT_F64 = 0,
  TDRT_F32 = 1,
  TDRT_F16 = 2,
  TDRT_BF16 = 3,
  TDRT_I64 = 4,
  TDRT_I32 = 5,
  TDRT_I16 = 6,
  TDRT_I8 = 7,
  TDRT_U8 = 8,
  TDRT_BOOL = 9
};

/* No tensor has more dims. */
#define TDRT_MAX_RANK 16

/* A tensor at the boundary: contiguous, row-major. `dims` has `rank` sizes. */
typedef struct tdrt_tensor {
  void *data;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;
} tdrt_tensor;

/*===- Host scalars ----------------------------------------------------------*/

enum { TDRT_INT = 0, TDRT_FLOAT = 1, TDRT_BOOLEAN = 2, TDRT_STR = 3 };

/* One host scalar; which member holds is known from a type beside it. */
typedef union tdrt_value {
  int64_t i;     /* TDRT_INT, and TDRT_BOOLEAN as 0 or 1 */
  double f;      /* TDRT_FLOAT */
  const char *s; /* TDRT_STR */
} tdrt_value;

/*===- The program -----------------------------------------------------------*/

enum {
  TDRT_SLOT_PARAM = 0,
  TDRT_SLOT_BUFFER = 1,
  TDRT_SLOT_MOMENT = 2,
  TDRT_SLOT_GRAD = 3,
  TDRT_SLOT_VALUE = 4 /* of the program, for its exports: in no file */
};

/* One tensor of state at a fixed place in the arena of a device; zeros when the
 * program starts. Files are read into and written from slots on the cpu. */
typedef struct tdrt_slot {
  const char *key;  /* its name in files, unless a save gives another */
  const char *name; /* its name in the program: that of its model and the key */
  int32_t kind;     /* TDRT_SLOT_* */
  int32_t dtype;    /* TDRT_F64 ... */
  int32_t rank;     /* 0 ... TDRT_MAX_RANK */
  int32_t device;
  const int64_t *dims;  /* logical sizes; NULL for rank 0 */
  const int32_t *order; /* physical order of the logical dims, outermost first:
                           {1, 0} is a matrix stored transposed; NULL is
                           row-major, as all slots on GPUs are */
  int64_t
      offset; /* bytes from the start of the device's arena, a multiple of
                 64; slots of the cpu lie before the program's state_bytes */
} tdrt_slot;

/* Another name of a slot: a parameter is tied, or a layer is in two places. */
typedef struct tdrt_alias {
  const char *key, *name; /* as of a slot; a checkpoint has keys alone */
  int32_t slot; /* index into the slots of the program, or checkpoint */
} tdrt_alias;

/* What a command line can do with an `arg`. */
enum {
  TDRT_ARG_VALUE = 0,
  TDRT_ARG_DEVICE = 1, /* give a TDRT_STR: a device that there is code for */
  TDRT_ARG_FIXED = 2   /* nothing: it got its value when it was compiled */
};

/* One `arg` of the program. Its value is ctx->args[index in the table]. */
typedef struct tdrt_arg {
  const char *name;         /* without the dashes */
  const char *default_text; /* or fixed value, as a user would type it; NULL
                               if required */
  const char *help;         /* NULL if there is none */
  int32_t type;             /* TDRT_INT ... TDRT_STR */
  int32_t kind;             /* TDRT_ARG_* */
} tdrt_arg;

/* A place in the source that can fail. */
typedef struct tdrt_site {
  const char *file; /* as it is shown to the user */
  int32_t line;     /* from 1 */
  int32_t column;   /* from 1, or 0 if not known */
} tdrt_site;

/* An input or output of an exported function; a dim of -1 is known only when
 * the function is called. */
typedef struct tdrt_port {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims; /* NULL for rank 0 */
} tdrt_port;

/* An `export fn`. The entry is called by tdrt_call only, which has checked the
 * inputs. It fills every member of outputs[i]; what they point to belongs to
 * the context and holds until its next tdrt_call, which takes back all that
 * this one allocated and did not free. One that fails leaves nothing. */
typedef struct tdrt_export {
  const char *name;
  int32_t num_inputs;
  int32_t num_outputs;
  const tdrt_port *inputs;
  const tdrt_port *outputs;
  int32_t (*entry)(tdrt_context *ctx, const tdrt_tensor *inputs,
                   tdrt_tensor *outputs);
  int32_t changes_state; /* 1: it writes slots or draws random numbers */
  int32_t reserved;      /* 0 */
  const char *help;      /* its doc comment, or NULL */
} tdrt_export;

/*===- The part of a program that runs on GPUs -------------------------------*/

enum { TDRT_IMAGE_PTX = 0, TDRT_IMAGE_CUBIN = 1 };

/* The code of all kernels for one architecture. */
typedef struct tdrt_gpu_image {
  int32_t kind; /* TDRT_IMAGE_* */
  int32_t arch; /* compute capability, 80 for 8.0: PTX runs on this one and
                   newer ones, a cubin on this one only */
  int64_t bytes;
  const void *data; /* PTX is text; its NUL is counted in `bytes` */
} tdrt_gpu_image;

/* A kernel: an entry of that name in every image, launched in one dimension. */
typedef struct tdrt_gpu_kernel {
  const char *name;
  int32_t threads;        /* per block */
  int32_t shared_bytes;   /* dynamic shared memory per block */
  int32_t num_parameters; /* all of 8 bytes (.param .b64) */
  int32_t reports;        /* 1: parameter 0 is the address of the device's
                             tdrt_gpu_error, which it may fill; else 0 */
} tdrt_gpu_kernel;

/* The first bad index that kernels met on a GPU. Who finds it and changes
 * `taken` from 0 to 1 by one compare-and-swap fills in the rest. */
typedef struct tdrt_gpu_error {
  int32_t taken;
  int32_t site;
  int64_t index;
  int64_t size;
  int64_t reserved;
} tdrt_gpu_error;

/* What the runtime itself takes of a GPU beside the program's arena, at most:
 * that record, and 64 bytes behind both, which kernels may load. */
#define TDRT_GPU_BYTES ((int64_t)sizeof(tdrt_gpu_error) + 2 * 64)

/* Constant data in the arena of a GPU, copied there before main. */
typedef struct tdrt_gpu_constant {
  int32_t device;
  int32_t reserved; /* 0 */
  int64_t offset;   /* bytes from the start of the device's arena */
  int64_t bytes;
  const void *data;
} tdrt_gpu_constant;

/* A place in the program that copies between devices: a row of the counters. */
typedef struct tdrt_transfer_site {
  int32_t site;
  int32_t from;     /* a device; TDRT_ANY_DEVICE for tdrt_handle_get */
  int32_t to;       /* a device */
  int32_t implied;  /* 1: the program does not say so; else 0 */
  const char *what; /* is copied: "net.fc1.weight", "x" */
} tdrt_transfer_site;
#define TDRT_ANY_DEVICE (-1)

/* Launches of a GPU that follow each other. */
typedef struct tdrt_sequence {
  int32_t device;
  int32_t num_launches;
  int32_t num_words;      /* of all: each has its blocks, then its parameters */
  int32_t reserved;       /* 0 */
  const int32_t *kernels; /* of each launch */
  const int32_t *sites;
} tdrt_sequence;

/* How GPUs are reached: inside the runtime, and in the programs that name it.
 */
typedef struct tdrt_gpu_backend tdrt_gpu_backend;
TDRT_API const tdrt_gpu_backend *tdrt_cuda_backend(void);

typedef struct tdrt_gpu_program {
  const tdrt_gpu_backend *(*backend)(void); /* tdrt_cuda_backend */
  int32_t num_devices; /* it uses some of cuda:0 ... cuda:num_devices-1 */
  int32_t num_images;
  int32_t num_kernels;
  int32_t num_constants;
  int32_t num_transfers;
  int32_t num_handle_slots; /* state of the program that is not in `slots` */
  int32_t num_sequences;
  const int64_t *arena_bytes; /* of cuda:k; -1 if it is not used at all */
  const tdrt_gpu_image *images;
  const tdrt_gpu_kernel *kernels;
  const tdrt_gpu_constant *constants;
  const tdrt_transfer_site *transfers;
  const tdrt_sequence *sequences;
  int64_t pinned_bytes;    /* of tdrt_context.pinned */
  const char *sim_library; /* path of the simulated driver where the program was
                              built, or NULL */
} tdrt_gpu_program;

/* The compiled program. Generated code exports one, named tdc_program. */
typedef struct tdrt_program {
  int32_t abi_version; /* TDRT_ABI_VERSION */
  int32_t num_slots;
  int32_t num_args;
  int32_t num_sites;
  int32_t num_exports;
  int32_t num_aliases;
  int32_t cuda_devices; /* visible GPUs that it needs; 0: it runs anywhere */
  int64_t arena_bytes;  /* of the cpu */
  int64_t state_bytes;  /* its first part, a multiple of 64: the slots */
  const char *name;     /* for --help: "train" */
  const char *help;     /* the file's doc comment, or NULL */
  const tdrt_slot *slots;
  const tdrt_alias *aliases;
  const tdrt_arg *args;
  const tdrt_site *sites;
  const tdrt_export *exports;
  int32_t (*main)(tdrt_context *ctx); /* the top-level statements */
  const tdrt_gpu_program *gpu;        /* NULL if it uses no GPU */
  /* The version for machines with fewer GPUs, with the same arguments and
   * exports; NULL if there is none. */
  const struct tdrt_program *otherwise;
} tdrt_program;

/* How far a loop of main is: what a terminal shows of a long run. */
typedef struct tdrt_loop {
  int64_t done;  /* iterations behind */
  int64_t total; /* of how many; 0 where no such loop runs */
  int32_t site;
  int32_t reserved;
} tdrt_loop;

#define TDRT_LOOPS 2

/* What generated code has to know of a GPU: addresses there. */
typedef struct tdrt_device_memory {
  void *arena;
  tdrt_gpu_error *errors;
} tdrt_device_memory;

/* The part of a context that generated code reads; of it, only `loops` is
 * written there. */
struct tdrt_context {
  char *arena;                /* offset 0: planned buffers of the cpu */
  const tdrt_value *args;     /* offset 8: values of the program's `arg`s */
  volatile uint8_t attention; /* offset 16: not 0 when tdrt_poll must be called:
                                 a kernel met a bad index, ^C was pressed, or
                                 it is time to show how far the program is */
  uint8_t reserved[7];
  tdrt_loop loops[TDRT_LOOPS]; /* offset 24: the outermost loop of main that
                                  runs, and the one in it */
  tdrt_device_memory *devices; /* offset 72: devices[k] is cuda:k; NULL if the
                                  program uses no GPU */
  char *state;                 /* offset 80: slots of the cpu. Offsets count
                                  from here too: state is arena but in what
                                  tdrt_share makes */
  char *pinned;                /* offset 88: planned buffers of the cpu that
                                  GPUs copy from and to on their own; NULL if
                                  there are none */
};

/*===- Running ---------------------------------------------------------------*/

/* Runs a program as a process does: reads --name value arguments (`argv[0]` is
 * the program), --help, TDC_THREADS, and what tdrt_report_stats reads, catches
 * ^C, runs main, prints errors on stderr as the compiler does. If stderr is a
 * terminal, its last line shows how far a run of over a second is. Returns the
 * exit code: 0, 2 (usage), 3 (run-time error), 130 (interrupted), 141 (the
 * reader of standard output has gone; nothing is printed about that). Ignores
 * SIGPIPE while it runs. */
TDRT_API int tdrt_run_program(const tdrt_program *program, int argc,
                              const char *const *argv);

/* The same for a program with exports, which its command line can call after
 * main: --fn NAME, --in X=FILE as of tdrt_load, --out Y=FILE as of
 * tdrt_save_tensor, --repeat N for the time of a call. TR004 is a mistake in
 * these. `load` is tdrt_load, or tdrt_load_array where no export takes an
 * image: a program carries the formats that it can be asked for. */
typedef int32_t tdrt_loader(tdrt_context *ctx, const char *path,
                            const char *key, int32_t dtype, int32_t rank,
                            int64_t *dims, void **data, int32_t site);
TDRT_API int tdrt_run_exports(const tdrt_program *program, int argc,
                              const char *const *argv, tdrt_loader *load);

/* From here on neither of them shows such a line. */
TDRT_API void tdrt_hide_progress(void);

/* An error in parts. */
typedef struct tdrt_error {
  int32_t code;          /* 0 if there is none */
  const char *message;   /* belongs to the context */
  const tdrt_site *site; /* NULL if it is about no place */
} tdrt_error;

/* From here on both give each error to `report` in the place of standard error;
 * NULL is standard error again. */
TDRT_API void tdrt_report_errors(void (*report)(const tdrt_error *error));

/* Makes a context: checks the ABI's version, parses arguments, chooses the
 * version of the program for this machine, allocates the arenas.
 *
 * The program's TDRT_ARG_DEVICE, or TDC_DEVICE where that is `auto` or there is
 * none, says which version: for `cpu` the first that needs no GPU, for `cuda`
 * the first that needs one and can run, for `auto` the first that can run. If
 * none can, that fails with the reason (TR30x). If for `auto` a program that
 * would use GPUs runs on the cpu, one line on standard error tells why.
 *
 * On failure *ctx still is a context that holds only the error, for
 * tdrt_error_text, or NULL if there was no memory even for that. The status of
 * `--help` is TDRT_HELP with the text as message. */
TDRT_API int32_t tdrt_open(const tdrt_program *program, int argc,
                           const char *const *argv, tdrt_context **ctx);
#define TDRT_HELP (-1)

/* Runs the top-level statements, to be called once. Writes what was printed. */
TDRT_API int32_t tdrt_main(tdrt_context *ctx);

/* Calls export number `index`. Inputs are checked against its ports (TR107).
 * `outputs` has room for num_outputs descriptors, which hold until the next
 * call; an input must not be a result of the one before. Usually after
 * tdrt_main. A call starts with no error in the context. */
TDRT_API int32_t tdrt_call(tdrt_context *ctx, int32_t index,
                           const tdrt_tensor *inputs, tdrt_tensor *outputs);

/* Makes a context that calls exports of the program of `ctx` on another thread:
 * it has the state and the arguments of `ctx`, which outlives it, and memory of
 * its own for everything else. Only exports whose changes_state is 0 may be
 * called in it, and while it runs one, `ctx` runs none that does change state.
 * The program uses no GPU. On failure as tdrt_open. */
TDRT_API int32_t tdrt_share(tdrt_context *ctx, tdrt_context **shared);

/* Asks what runs in the context to stop: at the end of a loop's iteration,
 * after a large kernel outside of loops, before a print. It ends with status
 * 130; if nothing runs, nothing happens. For any thread, and for signal
 * handlers. */
TDRT_API void tdrt_interrupt(tdrt_context *ctx);

/* Frees a context and all it owns; NULL is allowed. */
TDRT_API void tdrt_close(tdrt_context *ctx);

/* The context's error as the compiler would print it, ending in a newline:
 *   error[TR101]: assertion failed: no rows
 *     --> file.tdsl:12
 * "" if there is none. Belongs to the context. */
TDRT_API const char *tdrt_error_text(tdrt_context *ctx);

/* The same in parts. */
TDRT_API void tdrt_get_error(tdrt_context *ctx, tdrt_error *error);

/* Forgets the error, and an interruption that came when nothing ran, as
 * tdrt_call does when it begins: before a checkpoint is written or read without
 * a call. */
TDRT_API void tdrt_forget_last_call(tdrt_context *ctx);

/* The exit code that belongs to a status: 0, 2, 3 or 130. */
TDRT_API int tdrt_exit_code(int32_t status);

/* One JSON object with the counters of the run:
 *   {"copies": [{"src", "dst", "logical", "physical", "bytes", "implicit"}],
 *    "sites": [{"line", "src", "dst", "executed", "bytes"}],
 *    "loops": [], "arena": {"cpu": bytes, "cuda:0": bytes},
 *    "peak": {"cpu": bytes, "cuda:0": bytes}}
 * A copy op that ran is one logical copy; what was sent for it, nothing or
 * several pieces, are physical ones. Ends in a newline. Belongs to the
 * context. */
TDRT_API const char *tdrt_stats_json(tdrt_context *ctx);

/* Writes them where TDC_STATS and TDC_STATS_JSON want them, and what ran when
 * to TDC_TRACE if that was set when the context was made, at the end of a run.
 * 0, or 751 after a message on standard error if a file cannot be written. */
TDRT_API int32_t tdrt_report_stats(tdrt_context *ctx);

/*===- Errors ----------------------------------------------------------------*/

/* Called where attention is not 0: at loop back-edges, and before anything
 * observable. Returns TR103 for a pending kernel error, 130 if interrupted. */
TDRT_API int32_t tdrt_poll(tdrt_context *ctx);

/* The next three fail always: generated code tests the condition itself. */

/* A check of the program: an `assert` (101, whose message may be empty), or one
 * that the compiler made (102 and following), with its message. */
TDRT_API int32_t tdrt_fail_check(tdrt_context *ctx, int32_t code,
                                 const char *message, int32_t site);

/* Two sizes that should agree do not: TR104, "<what>: <lhs> and <rhs>". */
TDRT_API int32_t tdrt_fail_sizes(tdrt_context *ctx, int64_t lhs, int64_t rhs,
                                 const char *what, int32_t site);

/* A host index or slice bound outside [-size, size): TR103. */
TDRT_API int32_t tdrt_fail_index(tdrt_context *ctx, int64_t index, int64_t size,
                                 int32_t site);

/* A kernel met a bad index (and went on with a clamped one). The first one is
 * kept and attention is set; the next tdrt_poll turns it into TR103. May be
 * called from any thread of a parallel task. */
TDRT_API void tdrt_kernel_error(tdrt_context *ctx, int64_t index, int64_t size,
                                int32_t site);

/*===- Memory for run-time sizes ---------------------------------------------*/

/* Allocates a tensor, not initialised. The product of sizes is checked (TR202
 * if it cannot be, TR104 for a negative size); TR201 and, for a GPU, TR308 say
 * what was asked and what is in use. Freed blocks are kept for the next
 * allocation on that device. */
TDRT_API int32_t tdrt_alloc_tensor(tdrt_context *ctx, int32_t device,
                                   int32_t dtype, int32_t rank,
                                   const int64_t *dims, int32_t site,
                                   void **data);

/* Frees what the above or, on the cpu, tdrt_load gave; NULL is allowed. What
 * a GPU was asked to do before may still use it. */
TDRT_API void tdrt_free(tdrt_context *ctx, int32_t device, void *data);

/* Bytes now, on all devices, arenas and run-time sizes together: who calls a
 * program again and again sees that nothing grows. The most so far is in
 * tdrt_stats_json. */
TDRT_API int64_t tdrt_bytes_in_use(const tdrt_context *ctx);

/* Copies a slot on the cpu to a row-major buffer of its size, whatever its
 * order. */
TDRT_API void tdrt_slot_read(const tdrt_context *ctx, int32_t slot, void *to);
/* And back. */
TDRT_API void tdrt_slot_write(tdrt_context *ctx, int32_t slot,
                              const void *from);

/*===- GPUs ------------------------------------------------------------------*/
/* A failure of a kernel comes to light at a later call: then that one fails,
 * with TR309 or TR310, as all later ones on that GPU do. */

/* Launches a kernel on `blocks` blocks; `parameters` has its num_parameters
 * words. 0 blocks launch nothing; TR202 for more than 2147483647. */
TDRT_API int32_t tdrt_launch(tdrt_context *ctx, int32_t device, int32_t kernel,
                             int64_t blocks, const uint64_t *parameters,
                             int32_t site);

/* All launches of row `sequence` of the program's table, in order: `words` has
 * for each its number of blocks, then its parameters. Those that come again and
 * again with the same words cost less than as many calls of tdrt_launch. */
TDRT_API int32_t tdrt_launch_sequence(tdrt_context *ctx, int32_t sequence,
                                      const uint64_t *words);

/* Copies `bytes` between two devices as row `transfer` of the program's table
 * says, and counts it there, even if there are 0 bytes. Memory of the cpu may
 * be changed as soon as this returns, and what was copied to it is there. */
TDRT_API int32_t tdrt_transfer(tdrt_context *ctx, int32_t transfer, void *to,
                               const void *from, int64_t bytes);

/* Copies from and to a GPU may run beside its kernels. A ticket is a place in
 * what a GPU was given to do, 0 one that nobody has to wait for. */

/* The place behind all that tdrt_launch, tdrt_transfer and tdrt_copy_on_device
 * have asked of a GPU. */
TDRT_API int32_t tdrt_mark(tdrt_context *ctx, int32_t device, int32_t site,
                           int64_t *ticket);

/* Begins to copy as row `transfer` says, which is between two devices, and
 * counts it. From the cpu: behind `after`; what lies in tdrt_context.pinned
 * stays as it is until the cpu has waited for *ticket, other memory may be
 * changed at once. To the cpu: into tdrt_context.pinned, behind all that the
 * GPU was asked for in order. Between GPUs: behind all that both were asked for
 * in order; what is copied stays as it is until the one that it comes from, or
 * the cpu, has waited. `ticket` is NULL where a later copy's stands for this
 * one. */
TDRT_API int32_t tdrt_copy_start(tdrt_context *ctx, int32_t transfer, void *to,
                                 const void *from, int64_t bytes, int64_t after,
                                 int64_t *ticket);

/* A device waits: a GPU with what it is asked for next, for a ticket of its own
 * or of a copy from it; the cpu for any. What kernels have reported of what a
 * copy to the cpu holds is told by the next tdrt_poll. */
TDRT_API int32_t tdrt_copy_wait(tdrt_context *ctx, int32_t device,
                                int64_t ticket, int32_t site);

/* Copies within one GPU, which is no transfer. The ranges do not overlap. */
TDRT_API int32_t tdrt_copy_on_device(tdrt_context *ctx, int32_t device,
                                     void *to, const void *from, int64_t bytes,
                                     int32_t site);

/* How many GPUs this machine shows; -1 if simulated ones are asked for in vain,
 * which is a mistake, not a reason to go without. If there are none and `why`
 * is not NULL, it gets the reason, in words, cut to `room` bytes with its NUL;
 * "" otherwise. Needs no context: tdc calls it too. */
TDRT_API int32_t tdrt_cuda_device_count(char *why, int64_t room);

/* cuda.get_device_name(index); the text is a string as tdrt_str_end makes them.
 * TR103 if there is no such GPU. */
TDRT_API int32_t tdrt_cuda_device_name(tdrt_context *ctx, int64_t index,
                                       int32_t site, const char **name);

/* cuda.total_memory(index), in bytes; TR103 if there is no such GPU. */
TDRT_API int32_t tdrt_cuda_total_memory(tdrt_context *ctx, int64_t index,
                                        int32_t site, int64_t *bytes);

/* cuda.synchronize(): returns when all that the program's GPUs were asked to do
 * is done. */
TDRT_API int32_t tdrt_cuda_synchronize(tdrt_context *ctx, int32_t site);

/*===- Handles ---------------------------------------------------------------*/
/* One value and its replicas on other devices, for values of which only a run
 * can tell where they are needed (td.handle). A handle lives as long as someone
 * holds it; functions that give one out give it to the caller to hold. */

typedef struct tdrt_handle tdrt_handle;

/* A handle of a value of `bytes` on a device; *data is where the caller writes
 * the value, before it calls tdrt_handle_get. */
TDRT_API int32_t tdrt_handle_create(tdrt_context *ctx, int32_t device,
                                    int64_t bytes, int32_t site,
                                    tdrt_handle **handle, void **data);

/* The address of the value on the device to which row `transfer` of the
 * program's table goes. The first time it is copied there from where it was
 * made, and counted. Holds as long as the handle. */
TDRT_API int32_t tdrt_handle_get(tdrt_context *ctx, tdrt_handle *handle,
                                 int32_t transfer, void **data);

/* NULL is allowed: what nobody will read. */
TDRT_API void tdrt_handle_retain(tdrt_handle *handle);
TDRT_API void tdrt_handle_release(tdrt_context *ctx, tdrt_handle *handle);

/* A slot of handles is 8 bytes in the arena of the cpu and holds one handle.
 * Before the first write it holds zeros of `bytes`, which are made, and not
 * counted as copied, on each device that asks for them. */
TDRT_API int32_t tdrt_handle_read(tdrt_context *ctx, tdrt_handle **slot,
                                  int64_t bytes, int32_t site,
                                  tdrt_handle **handle);
/* Takes the value of a slot to the device to which row `transfer` goes: a copy,
 * counted, unless it is there or was never written. Other replicas go. */
TDRT_API int32_t tdrt_handle_move(tdrt_context *ctx, tdrt_handle **slot,
                                  int32_t transfer);
TDRT_API void tdrt_handle_write(tdrt_context *ctx, tdrt_handle **slot,
                                tdrt_handle *handle);

/*===- Printing and strings --------------------------------------------------*/

/* A format spec as in Python's f"{x:>8.3f}", parsed at compile time:
 *   [[fill]align][sign][#][0][width][grouping][.precision][type] */
typedef struct tdrt_format {
  uint32_t fill;     /* a code point; 0 = not given (a space, or 0 with zero) */
  char align;        /* '<' '>' '^' '=', or 0 */
  char sign;         /* '+' '-' ' ', or 0 */
  char grouping;     /* ',' '_', or 0 */
  char type;         /* 0, d e f g s x b %, c: a code point, r: !r */
  uint8_t alternate; /* '#' given */
  uint8_t zero;      /* '0' given */
  uint8_t reserved[2];
  int32_t width;     /* -1 = not given */
  int32_t precision; /* -1 = not given */
} tdrt_format;

/* Parses `length` bytes. Returns NULL, or why the text is not a format that a
 * value of `type` (TDRT_INT ... TDRT_STR) can have, in lower case for a
 * diagnostic. Needs no context: the compiler calls it too. */
TDRT_API const char *tdrt_parse_format(const char *text, int64_t length,
                                       int32_t type, tdrt_format *format);

/* The tdrt_out_* functions append to the line being printed, or to the
 * string begun last. A failure (no memory) is reported by the end.
 * `format` may be NULL: ints in decimal, floats as Python's repr, true and
 * false, strings as they are. */

/* `length` bytes, or all up to NUL if it is -1. */
TDRT_API void tdrt_out_text(tdrt_context *ctx, const char *text,
                            int64_t length);
TDRT_API void tdrt_out_i64(tdrt_context *ctx, int64_t value,
                           const tdrt_format *format);
TDRT_API void tdrt_out_f64(tdrt_context *ctx, double value,
                           const tdrt_format *format);
/* `value` is 0 or 1. */
TDRT_API void tdrt_out_bool(tdrt_context *ctx, int32_t value,
                            const tdrt_format *format);
TDRT_API void tdrt_out_str(tdrt_context *ctx, const char *value,
                           const tdrt_format *format);
/* As PyTorch prints a tensor on the cpu: tensor([[0.1000, 2.0000]]). */
TDRT_API void tdrt_out_tensor(tdrt_context *ctx, const tdrt_tensor *tensor);

/* Ends one `print` (its newline was appended before). Polls first, and drops
 * the print if that fails, since it may show a wrong value. Writes at once to
 * a terminal or if `flush` is not 0, else when the buffer is full and at the
 * end of the program; TR752 if standard output cannot be written. Generated
 * code gives 0, the interpreter 1 after the last print. */
TDRT_API int32_t tdrt_out_end(tdrt_context *ctx, int32_t flush, int32_t site);

/* Between these, tdrt_out_* build a string. They may nest. *text belongs to the
 * context until it is released or the context is closed. */
TDRT_API void tdrt_str_begin(tdrt_context *ctx);
TDRT_API int32_t tdrt_str_end(tdrt_context *ctx, const char **text);

/* Releases every string made since a mark was taken: a loop whose strings do
 * not leave an iteration takes a mark before and releases at its back-edge. */
TDRT_API int64_t tdrt_str_mark(tdrt_context *ctx);
TDRT_API void tdrt_str_release(tdrt_context *ctx, int64_t mark);

/*===- Random numbers --------------------------------------------------------*/
/* Word i of call c under seed s is lane i mod 4 of Philox4x32-10 with
 *   key     = {lo(s), hi(s)},  counter = {lo(c), hi(c), lo(i/4), hi(i/4)}.
 * Every element is a function of its own word, so any part of a tensor may be
 * made anywhere: `first` is the index of out[0]. What is computed from a word
 * stands at the top of src/program/RandomCore.h. */

/* Sets the stream: seed n, counter 0. A program starts with seed 0. */
TDRT_API void tdrt_seed(tdrt_context *ctx, int64_t n);

/* Takes the next call number; *seed is the seed that goes with it. */
TDRT_API int64_t tdrt_next_random(tdrt_context *ctx, int64_t *seed);

/* In [0, 1): the upper 24 bits of the word for f32, all 32 for f64. */
TDRT_API void tdrt_random_uniform_f32(float *out, int64_t first, int64_t n,
                                      int64_t seed, int64_t call);
TDRT_API void tdrt_random_uniform_f64(double *out, int64_t first, int64_t n,
                                      int64_t seed, int64_t call);

/* Standard normal, |x| < 6.4; the f64 is the f32 widened. */
TDRT_API void tdrt_random_normal_f32(float *out, int64_t first, int64_t n,
                                     int64_t seed, int64_t call);
TDRT_API void tdrt_random_normal_f64(double *out, int64_t first, int64_t n,
                                     int64_t seed, int64_t call);

/* TR106 unless low < high and `dtype` can hold low ... high-1. */
TDRT_API int32_t tdrt_check_randint(tdrt_context *ctx, int64_t low,
                                    int64_t high, int32_t dtype, int32_t site);

/* In [low, high); TR106 as above. Narrower dtypes are cast from i32, after
 * tdrt_check_randint for the dtype that they get. */
TDRT_API int32_t tdrt_random_randint_i64(tdrt_context *ctx, int64_t *out,
                                         int64_t first, int64_t n, int64_t seed,
                                         int64_t call, int64_t low,
                                         int64_t high, int32_t site);
TDRT_API int32_t tdrt_random_randint_i32(tdrt_context *ctx, int32_t *out,
                                         int64_t first, int64_t n, int64_t seed,
                                         int64_t call, int64_t low,
                                         int64_t high, int32_t site);

/* A permutation of 0 ... n-1 (Fisher-Yates from the end). */
TDRT_API void tdrt_random_permutation_i64(int64_t *out, int64_t n, int64_t seed,
                                          int64_t call);

/*===- Files -----------------------------------------------------------------*/

/* Reads a tensor. `key` picks one of an .npz or .safetensors file and is NULL
 * for other formats. dims[i] is the size wanted, or -1, which the file's size
 * replaces. With *data == NULL on entry the result is allocated and is freed by
 * tdrt_free; otherwise *data is where it goes and no dim may be -1. TR701 if
 * the file has another type, other TR7xx as in tdc_errors.def.
 *
 * The format is that of the path's ending. Where that is known, the function
 * of the format does the same, and a program carries the code of no other. */
TDRT_API tdrt_loader tdrt_load;
TDRT_API tdrt_loader tdrt_load_array; /* all formats but images */
TDRT_API tdrt_loader tdrt_load_npy;
TDRT_API tdrt_loader tdrt_load_npz;
TDRT_API tdrt_loader tdrt_load_safetensors;
TDRT_API tdrt_loader tdrt_load_csv;
TDRT_API tdrt_loader tdrt_load_idx;
TDRT_API tdrt_loader tdrt_load_png;
TDRT_API tdrt_loader tdrt_load_jpeg;

/* A tensor of at least this many bytes that stands in a file as it is in memory
 * is not read: what is allocated for it is a view of the file, private to the
 * program, whose pages are read when they are needed. */
#define TDRT_MAP_FROM (64 << 20)

/* Writes an .npy file, or an .npz file with `arr_0` in it as numpy.savez does,
 * whole or not at all. */
TDRT_API int32_t tdrt_save_tensor(tdrt_context *ctx, const char *path,
                                  const tdrt_tensor *tensor, int32_t site);

/* What a save or restore is about: a constant table. */
typedef struct tdrt_checkpoint {
  int32_t num_slots, num_values;
  const int32_t *slots;     /* indexes into the program's slots */
  const char *const *keys;  /* their names in the file, one per slot */
  const char *const *names; /* names of host scalars ... */
  const int32_t *types;     /* ... and their TDRT_INT, _FLOAT or _BOOLEAN */
  int32_t full;    /* 1: a checkpoint, with seed, random counter and scalars;
                      0: pure weights */
  int32_t lenient; /* restore: missing and unexpected keys are no error; a line
                      on standard error lists them */
  int32_t casts;   /* restore: a dtype that does not hold every value of the
                      file's is no error, its values are rounded */
  int32_t num_aliases;
  const tdrt_alias *aliases; /* further names in the file */
} tdrt_checkpoint;

/* Writes a .safetensors file, whole or not at all, even if the machine stops:
 * temporary file beside it, fsync, rename, fsync of the folder. `values` has
 * one entry per name. */
TDRT_API int32_t tdrt_checkpoint_save(tdrt_context *ctx, const char *path,
                                      const tdrt_checkpoint *what,
                                      const tdrt_value *values, int32_t site);

/* Reads one back. The file, its checksums and its keys are checked before any
 * slot is written; TR741 lists missing, unexpected and mismatched keys. A
 * tensor of another dtype is converted where that is exact. One name of a slot
 * is enough; TR745 if two have different values. Keys that begin with "opt."
 * are not unexpected where no such key is restored: a model may be taken out of
 * a checkpoint. With `full` the random state comes back too. */
TDRT_API int32_t tdrt_checkpoint_restore(tdrt_context *ctx, const char *path,
                                         const tdrt_checkpoint *what,
                                         int32_t site);

/* Reads one scalar that tdrt_checkpoint_save wrote; TR743 if there is none of
 * that name and type. */
TDRT_API int32_t tdrt_restore_value(tdrt_context *ctx, const char *path,
                                    const char *name, int32_t type,
                                    tdrt_value *value, int32_t site);

/* 1 if there is a file or folder of that name, else 0. */
TDRT_API int32_t tdrt_exists(const char *path);

/* The environment variable, or `otherwise` if it is not set. */
TDRT_API const char *tdrt_env(const char *name, const char *otherwise);

/*===- Threads ---------------------------------------------------------------*/

typedef void (*tdrt_task)(void *arg, int64_t begin, int64_t end);

/* Calls task(arg, begin, end) on contiguous parts that cover [0, n), one per
 * thread, and returns when all are done. A part is never empty. The split
 * depends on the number of threads, so a result must depend on single indexes
 * only. The caller takes part; inside a task, and for n < 2, it does all. */
TDRT_API void tdrt_parallel_for(tdrt_task task, void *arg, int64_t n);

/* How many threads parallel_for uses (1 ... 1024), to be set before its first
 * use. 0, as at the start: TDC_THREADS, or the processors that the affinity
 * mask and the cgroup's quota leave. */
TDRT_API void tdrt_set_num_threads(int32_t n);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* TDC_RUNTIME_H */
