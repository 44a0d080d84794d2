/*===- tdc_runtime.h - the interface of a compiled program to the runtime ---===
 *
 * The whole interface between a compiled .tdsl program and the runtime, for C
 * and C++. A program is one constant, a tdrt_program; everything it does at run
 * time is a call of a function declared here, most with a context as first
 * argument. Nothing else of the runtime is visible to generated code.
 * tdc_runtime_symbols.def lists the functions that generated code calls, and
 * those for a host: tdc, a program's own main, or an embedding program.
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
 *  - A pointer into the memory of a GPU is an address there, which only the GPU
 *    can access. A GPU does its work in the order of the calls, maybe after a
 *    call has returned; only copies of tdrt_copy_start are not in this order.
 *  - A context belongs to one thread. Only tdrt_kernel_error and _value, the
 *    tdrt_random_* functions and tdrt_parallel_for may be called inside a
 *    parallel task.
 *  - No function throws, and none keeps a pointer to an argument's data except
 *    to the program, which must outlive its contexts.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TDC_RUNTIME_H
#define TDC_RUNTIME_H

#include "tdc_gpu_program.h"
#include "tdc_threads.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented by every change that breaks old programs, which TR601 refuses. */
#define TDRT_ABI_VERSION 12

/* Names in C's style. NOLINTBEGIN(readability-identifier-naming) */

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
  TDRT_BOOL = 9,
  TDRT_U16 = 10,
  TDRT_U32 = 11,
  TDRT_U64 = 12
};

#define TDRT_MAX_RANK 16 /* the most dims of a tensor */

/* An argument or result: contiguous, row-major. `dims` has `rank` sizes. */
typedef struct tdrt_tensor {
  void *data;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims;
} tdrt_tensor;

/*===- Host scalars ----------------------------------------------------------*/

enum { TDRT_INT = 0, TDRT_FLOAT = 1, TDRT_BOOLEAN = 2, TDRT_STR = 3 };

/* One host scalar; a separate type tells which member is valid. */
typedef union tdrt_value {
  int64_t i;     /* TDRT_INT, and TDRT_BOOLEAN as 0 or 1 */
  double f;      /* TDRT_FLOAT */
  const char *s; /* TDRT_STR */
} tdrt_value;

/*===- Tables of the program -------------------------------------------------*/

enum {
  TDRT_SLOT_PARAM = 0,
  TDRT_SLOT_BUFFER = 1,
  TDRT_SLOT_MOMENT = 2,
  TDRT_SLOT_GRAD = 3,
  TDRT_SLOT_VALUE = 4 /* a value of the program for its exports; in no file */
};

/* One tensor of state at a fixed offset in the arena of a device; zeros when
 * the program starts. Files are read into and written from slots on the cpu. */
typedef struct tdrt_slot {
  const char *key;  /* its name in files, unless a save gives another */
  const char *name; /* its name in the program: its model's name and the key */
  int32_t kind;     /* TDRT_SLOT_* */
  int32_t dtype;    /* TDRT_F64 ... */
  int32_t rank;     /* 0 ... TDRT_MAX_RANK */
  int32_t device;
  const int64_t *dims;  /* logical sizes; NULL for rank 0 */
  const int32_t *order; /* physical order of the logical dims, outermost first:
                           {1, 0} is a matrix stored transposed; NULL is
                           row-major, as all slots on GPUs are */
  int64_t
      offset;    /* bytes from the start of the device's arena, a multiple of
                    64; slots of the cpu lie before the program's state_bytes */
  int64_t block; /* 0, or the block size of a blocked layout: the last dim of
                    `order` is split into blocks of so many contiguous elements,
                    and the block index is outermost; it divides that dim */
} tdrt_slot;

/* Another name of a slot: a parameter is tied, or a layer is in two places. */
typedef struct tdrt_alias {
  const char *key, *name; /* as in tdrt_slot; a checkpoint has only keys */
  int32_t slot; /* index into the slots of the program, or checkpoint */
} tdrt_alias;

/* What a command line can set an `arg` to. */
enum {
  TDRT_ARG_VALUE = 0,
  TDRT_ARG_DEVICE = 1, /* a TDRT_STR: a device the program has code for */
  TDRT_ARG_FIXED = 2   /* nothing: it was fixed when it was compiled */
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

/* A position in the source where the program can fail. */
typedef struct tdrt_site {
  const char *file; /* as it is shown to the user */
  int32_t line;     /* from 1 */
  int32_t column;   /* from 1, or 0 if not known */
  /* NULL if the program has not its source: */
  const char *excerpt; /* the line, marked, for an error's text */
  const char *words;   /* of an error of a kernel, NULL for the usual: TR103
                          with {index}, {size} and {last}, the largest index;
                          TR109 with {value} */
} tdrt_site;

/* An input or output of an exported function; a dim of -1 is known only when
 * the function is called. */
typedef struct tdrt_port {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *dims; /* NULL for rank 0 */
} tdrt_port;

/* An `export fn`. Only tdrt_call calls the entry, with checked inputs. The
 * entry fills every member of outputs[i]. Their memory belongs to the context
 * until its next tdrt_call, which frees all memory that this call allocated and
 * did not free; a call that fails frees it at once. */
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

/*===- The program and its context -------------------------------------------*/

/* The runtime's code for GPUs, which only programs that name it contain. */
TDRT_API const tdrt_gpu_backend *tdrt_cuda_backend(void);

/* The compiled program. Generated code exports one, named tdc_program. */
typedef struct tdrt_program {
  int32_t abi_version; /* TDRT_ABI_VERSION */
  int32_t num_slots;
  int32_t num_args;
  int32_t num_sites;
  int32_t num_exports;
  int32_t num_aliases;
  int32_t cuda_devices;    /* visible GPUs that it needs; 0: it runs anywhere */
  int32_t strict_numerics; /* 1: it stops at a value that is not finite (TR109);
                              0: it warns of the first one */
  int64_t arena_bytes;     /* of the cpu */
  int64_t state_bytes;     /* its first part, a multiple of 64: the slots */
  const char *name;        /* for --help: "train" */
  const char *help;        /* the file's doc comment, or NULL */
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

/* Progress of a loop of main, which a terminal shows during a long run. */
typedef struct tdrt_loop {
  int64_t done;  /* finished iterations */
  int64_t total; /* trip count; 0 if no such loop runs */
  int32_t site;
  int32_t reserved;
} tdrt_loop;

#define TDRT_LOOPS 2

/* Addresses in the memory of a GPU, for generated code. */
typedef struct tdrt_device_memory {
  void *arena;
  tdrt_gpu_record *record;
} tdrt_device_memory;

/* The part of a context that generated code reads; it writes only `loops`. */
struct tdrt_context {
  char *arena;                /* offset 0: planned buffers of the cpu */
  const tdrt_value *args;     /* offset 8: values of the program's `arg`s */
  volatile uint8_t attention; /* offset 16: not 0 when tdrt_poll must be called:
                                 a kernel reported something, ^C was pressed,
                                 or it is time to show progress */
  uint8_t reserved[7];
  tdrt_loop loops[TDRT_LOOPS]; /* offset 24: the outermost loop of main that
                                  runs, and the one in it */
  tdrt_device_memory *devices; /* offset 72: devices[k] is cuda:k; NULL if the
                                  program uses no GPU */
  char *state;                 /* offset 80: slots of the cpu, and base of their
                                  offsets; equals `arena` except in a
                                  context of tdrt_share */
  char *pinned;                /* offset 88: planned buffers of the cpu that
                                  GPUs copy from and to without the cpu; NULL
                                  if there are none */
};

/*===- Running ---------------------------------------------------------------*/

/* Runs a program as a process: reads --name value arguments (`argv[0]` is the
 * program), --help, TDC_THREADS and the variables of tdrt_report_stats, catches
 * ^C, runs main, and prints errors on stderr as the compiler does. If stderr is
 * a terminal, its last line shows the progress of a run of over a second.
 * Returns the exit code: 0, 2 (usage), 3 (run-time error), 130 (interrupted),
 * 141 (standard output has lost its reader; no message). Ignores SIGPIPE. */
TDRT_API int tdrt_run_program(const tdrt_program *program, int argc,
                              const char *const *argv);

/* The same for a program with exports, which its command line can call after
 * main: --fn NAME, --in X=FILE for tdrt_load, --out Y=FILE for
 * tdrt_save_tensor, --repeat N to time a call. TR004 is a mistake in these.
 * `load` is tdrt_load, or tdrt_load_array if no export takes an image: a
 * program carries only the formats that it can load. */
typedef int32_t tdrt_loader(tdrt_context *ctx, const char *path,
                            const char *key, int32_t dtype, int32_t rank,
                            int64_t *dims, void **data, int32_t site);
TDRT_API int tdrt_run_exports(const tdrt_program *program, int argc,
                              const char *const *argv, tdrt_loader *load);

/* Makes both of them show no progress and no notes from now on. */
TDRT_API void tdrt_be_quiet(void);

/* After a warning or a note the program goes on. A note says what its user may
 * not expect, such as a run without GPUs; only both of them tell notes. */
enum { TDRT_ERROR = 0, TDRT_WARNING = 1, TDRT_NOTE = 2 };

/* An error, a warning or a note in parts. */
typedef struct tdrt_error {
  int32_t code;          /* 0 if there is none; a note has none */
  const char *message;   /* belongs to the context */
  const tdrt_site *site; /* NULL if the error has no position */
  const char *note;      /* how far main's loops were; NULL if not in a loop */
  int32_t severity;      /* TDRT_ERROR ... */
} tdrt_error;

/* Makes both of them call `report` for each error, warning and note from now
 * on, in place of printing on standard error; NULL restores printing. */
TDRT_API void tdrt_report_errors(void (*report)(const tdrt_error *error));

/* Makes a context, which the caller frees by tdrt_close. Checks the ABI's
 * version (TR601), parses arguments (TR00x), chooses the version of the program
 * for this machine, opens its GPUs (TR3xx), allocates the arenas (TR2xx).
 *
 * The program's TDRT_ARG_DEVICE, or TDC_DEVICE if that is `auto` or missing,
 * chooses the version: for `cpu` the first that needs no GPU, for `cuda` the
 * first that needs one and can run, for `auto` the first that can run. If none
 * can, tdrt_open fails with the reason. If for `auto` a program that would use
 * GPUs runs on the cpu, a note tells why.
 *
 * On failure *ctx is a context that holds only the error, for tdrt_error_text,
 * or NULL if there was no memory for it. The status of `--help` is TDRT_HELP
 * with the text as message. */
TDRT_API int32_t tdrt_open(const tdrt_program *program, int argc,
                           const char *const *argv, tdrt_context **ctx);
#define TDRT_HELP (-1)

/* Runs the top-level statements, once. Writes all prints, also if it fails. */
TDRT_API int32_t tdrt_main(tdrt_context *ctx);

/* Calls export number `index`, usually after tdrt_main. TR107 if the inputs do
 * not fit its ports. `outputs` has room for num_outputs descriptors, which are
 * valid until the next call; an input must not be a result of the call before.
 * A call first clears the context's error. */
TDRT_API int32_t tdrt_call(tdrt_context *ctx, int32_t index,
                           const tdrt_tensor *inputs, tdrt_tensor *outputs);

/* Makes a context that calls exports of the program of `ctx` on another thread:
 * it has the state and the arguments of `ctx`, which must outlive it, and its
 * own memory for everything else. Only exports with changes_state 0 may be
 * called in it, and while it runs one, `ctx` must not run one with 1. The
 * program must not use GPUs. Fails as tdrt_open does. */
TDRT_API int32_t tdrt_share(tdrt_context *ctx, tdrt_context **shared);

/* Stops the code that runs in the context, with status 130: at the end of a
 * loop's iteration, after a large kernel outside of loops, or before a print.
 * Does nothing if no code runs. For any thread, and for signal handlers. */
TDRT_API void tdrt_interrupt(tdrt_context *ctx);

/* Frees a context and all it owns; NULL is allowed. */
TDRT_API void tdrt_close(tdrt_context *ctx);

/* The context's error as the compiler would print it, ending in a newline:
 *   error[TR101]: assertion failed: no rows
 *     --> file.tdsl:12
 * "" if there is none. Belongs to the context, until the error is cleared. */
TDRT_API const char *tdrt_error_text(tdrt_context *ctx);

/* The same in parts; code 0 if there is none. */
TDRT_API void tdrt_get_error(tdrt_context *ctx, tdrt_error *error);

/* Clears the error, and an interruption that came when no code ran, as
 * tdrt_call does first: for a checkpoint to be saved or restored without a
 * call. */
TDRT_API void tdrt_forget_last_call(tdrt_context *ctx);

/* The exit code that belongs to a status: 0, 2, 3 or 130. */
TDRT_API int tdrt_exit_code(int32_t status);

/* One JSON object with the counters of the run:
 *   {"copies": [{"src", "dst", "logical", "physical", "bytes", "implicit"}],
 *    "sites": [{"line", "src", "dst", "executed", "bytes"}],
 *    "loops": [], "arena": {"cpu": bytes, "cuda:0": bytes},
 *    "peak": {"cpu": bytes, "cuda:0": bytes}}
 * Each run of a copy op is one logical copy; the driver's copies for it, none
 * or several, are physical ones. Ends in a newline. Belongs to the context,
 * until the next call of this. */
TDRT_API const char *tdrt_stats_json(tdrt_context *ctx);

/* For the end of a run: writes the counters to standard error if TDC_STATS is
 * 1, and to the file TDC_STATS_JSON; and the trace to the file TDC_TRACE, if
 * that was set when the context was made. 0, or 703 or 75x after a message on
 * standard error if a file cannot be written. */
TDRT_API int32_t tdrt_report_stats(tdrt_context *ctx);

/*===- Errors ----------------------------------------------------------------*/

/* Must be called if attention is not 0, at loop back-edges and before
 * observable ops. TR103 for a bad index that a kernel has reported. For a value
 * that is not finite: TR109 if the program is strict, else the warning, after
 * the prints that have ended (TR752 if they cannot be written). 130 if
 * interrupted. Else it shows the progress that is due. */
TDRT_API int32_t tdrt_poll(tdrt_context *ctx);

/* The next three always fail: generated code tests the condition itself. */

/* A check of the program: an `assert` (101; the message may be empty), or one
 * that the compiler made (102 and following), with its message. */
TDRT_API int32_t tdrt_fail_check(tdrt_context *ctx, int32_t code,
                                 const char *message, int32_t site);

/* Two sizes that should agree do not: TR104, "<what>: <lhs> and <rhs>". */
TDRT_API int32_t tdrt_fail_sizes(tdrt_context *ctx, int64_t lhs, int64_t rhs,
                                 const char *what, int32_t site);

/* A host index or slice bound outside [-size, size): TR103. */
TDRT_API int32_t tdrt_fail_index(tdrt_context *ctx, int64_t index, int64_t size,
                                 int32_t site);

/* Reports that a kernel met a bad index (and continued with a clamped one). The
 * first one is kept and attention is set; the next tdrt_poll returns it as
 * TR103. May be called from any thread of a parallel task. */
TDRT_API void tdrt_kernel_error(tdrt_context *ctx, int64_t index, int64_t size,
                                int32_t site);

/* Reports that a watched value, such as a loss, is NaN or infinite. The first
 * one is kept and attention is set: the next tdrt_poll returns it (TR109) if
 * the program is strict, else warns of it, once for a context and all that
 * share its state. Otherwise as tdrt_kernel_error. */
TDRT_API void tdrt_kernel_value(tdrt_context *ctx, double value, int32_t site);

/*===- Memory for run-time sizes ---------------------------------------------*/

/* Allocates a tensor, not initialised; the caller frees *data by tdrt_free.
 * TR104 for a negative size, TR202 for more bytes than an address holds, TR201
 * or, on a GPU, TR308 if memory runs out, with the bytes asked for and in use.
 * Freed blocks are kept for the next allocation on that device. */
TDRT_API int32_t tdrt_alloc_tensor(tdrt_context *ctx, int32_t device,
                                   int32_t dtype, int32_t rank,
                                   const int64_t *dims, int32_t site,
                                   void **data);

/* Frees memory of tdrt_alloc_tensor or, on the cpu, of tdrt_load; NULL is
 * allowed. Earlier work of a GPU may still use it. */
TDRT_API void tdrt_free(tdrt_context *ctx, int32_t device, void *data);

/* Bytes in use now by arenas and tensors of run-time size, on all devices:
 * shows a host that repeated calls do not leak. The peak is in
 * tdrt_stats_json. */
TDRT_API int64_t tdrt_bytes_in_use(const tdrt_context *ctx);

/* Copies a slot on the cpu, of any order, to a row-major buffer of its size. */
TDRT_API void tdrt_slot_read(const tdrt_context *ctx, int32_t slot, void *to);
/* Copies a row-major buffer to a slot on the cpu, of any order. */
TDRT_API void tdrt_slot_write(tdrt_context *ctx, int32_t slot,
                              const void *from);

/*===- GPUs ------------------------------------------------------------------*/
/* A failure of a kernel is detected by a later call: that call and all later
 * calls on the GPU fail, with TR309 or TR310. */

/* Launches a kernel on `blocks` blocks; `parameters` has its num_parameters
 * words. 0 blocks launch nothing; TR202 for more than 2147483647. */
TDRT_API int32_t tdrt_launch(tdrt_context *ctx, int32_t device, int32_t kernel,
                             int64_t blocks, const uint64_t *parameters,
                             int32_t site);

/* Does all launches of row `sequence` of the program's table, in order: `words`
 * has for each its number of blocks, then its parameters. Repeated calls with
 * the same words cost less than separate calls of tdrt_launch. */
TDRT_API int32_t tdrt_launch_sequence(tdrt_context *ctx, int32_t sequence,
                                      const uint64_t *words);

/* Copies `bytes` between two devices as row `transfer` of the program's table
 * says, and counts the copy there, even of 0 bytes. When this returns, a source
 * on the cpu may be changed, and a copy to the cpu has arrived. */
TDRT_API int32_t tdrt_transfer(tdrt_context *ctx, int32_t transfer, void *to,
                               const void *from, int64_t bytes);

/* Copies from and to a GPU may run concurrently with its kernels. A ticket is a
 * position in the work that a GPU was given; 0 needs no wait. */

/* The position after all work that tdrt_launch, tdrt_transfer and
 * tdrt_copy_on_device have given a GPU (its in-order work). */
TDRT_API int32_t tdrt_mark(tdrt_context *ctx, int32_t device, int32_t site,
                           int64_t *ticket);

/* Starts a copy between two devices as row `transfer` says, and counts it. From
 * the cpu: after `after`; a source in tdrt_context.pinned must not change until
 * the cpu has waited for *ticket, other memory may change at once. To the cpu:
 * into tdrt_context.pinned, after the GPU's in-order work. Between GPUs: after
 * the in-order work of both; the source must not change until its GPU, or the
 * cpu, has waited for *ticket. `ticket` is NULL if the ticket of a later copy
 * covers this one. */
TDRT_API int32_t tdrt_copy_start(tdrt_context *ctx, int32_t transfer, void *to,
                                 const void *from, int64_t bytes, int64_t after,
                                 int64_t *ticket);

/* Makes a device wait for a ticket: a GPU, before its next in-order work, for a
 * ticket of its own or of a copy from it; the cpu for any. After a copy to the
 * cpu, the next tdrt_poll returns what the kernels that made it reported. */
TDRT_API int32_t tdrt_copy_wait(tdrt_context *ctx, int32_t device,
                                int64_t ticket, int32_t site);

/* Copies `bytes` within one GPU; no transfer. The ranges must not overlap. */
TDRT_API int32_t tdrt_copy_on_device(tdrt_context *ctx, int32_t device,
                                     void *to, const void *from, int64_t bytes,
                                     int32_t site);

/* The number of visible GPUs; -1 if simulated GPUs are requested but missing,
 * which is a mistake and no reason to run without GPUs. If there are none and
 * `why` is not NULL, it gets the reason, in words, cut to `room` bytes with its
 * NUL; "" otherwise. Needs no context: tdc calls it too. */
TDRT_API int32_t tdrt_cuda_device_count(char *why, int64_t room);

/* cuda.get_device_name(index); *name belongs to the context as in tdrt_str_end.
 * TR103 if there is no such GPU. */
TDRT_API int32_t tdrt_cuda_device_name(tdrt_context *ctx, int64_t index,
                                       int32_t site, const char **name);

/* cuda.total_memory(index), in bytes; TR103 if there is no such GPU. */
TDRT_API int32_t tdrt_cuda_total_memory(tdrt_context *ctx, int64_t index,
                                        int32_t site, int64_t *bytes);

/* cuda.synchronize(): returns when the program's GPUs have done their work. */
TDRT_API int32_t tdrt_cuda_synchronize(tdrt_context *ctx, int32_t site);

/*===- Handles ---------------------------------------------------------------*/
/* A handle is one value with replicas on other devices, if only a run can tell
 * which devices need it (td.handle). A handle lives as long as it has a holder;
 * the caller holds a handle that a function returns, until
 * tdrt_handle_release. */

typedef struct tdrt_handle tdrt_handle;

/* Makes a handle of a value of `bytes` on a device; the caller writes the value
 * to *data before it calls tdrt_handle_get. */
TDRT_API int32_t tdrt_handle_create(tdrt_context *ctx, int32_t device,
                                    int64_t bytes, int32_t site,
                                    tdrt_handle **handle, void **data);

/* The address of the value on the target of row `transfer` of the program's
 * table, valid as long as the handle. The first call copies the value there
 * from the device where it was made, and counts the copy. */
TDRT_API int32_t tdrt_handle_get(tdrt_context *ctx, tdrt_handle *handle,
                                 int32_t transfer, void **data);

/* Adds, or ends, a hold. NULL is allowed: a value without a use. */
TDRT_API void tdrt_handle_retain(tdrt_handle *handle);
TDRT_API void tdrt_handle_release(tdrt_context *ctx, tdrt_handle *handle);

/* Reads a slot of handles: 8 bytes in the arena of the cpu with one handle.
 * Before the first write it holds `bytes` zeros, which are made on each device
 * that needs them and not counted as copies. */
TDRT_API int32_t tdrt_handle_read(tdrt_context *ctx, tdrt_handle **slot,
                                  int64_t bytes, int32_t site,
                                  tdrt_handle **handle);
/* Moves the value of a slot to the target of row `transfer`, unless it was made
 * there or never written: a counted copy, which drops other replicas. */
TDRT_API int32_t tdrt_handle_move(tdrt_context *ctx, tdrt_handle **slot,
                                  int32_t transfer);
/* Writes a slot, which adds a hold; the caller keeps its own. */
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

/* Parses `length` bytes. Returns NULL, or a constant text for a diagnostic, in
 * lower case: why this is not a format for a value of `type` (TDRT_INT ...
 * TDRT_STR). Needs no context: the compiler calls it too. */
TDRT_API const char *tdrt_parse_format(const char *text, int64_t length,
                                       int32_t type, tdrt_format *format);

/* The tdrt_out_* functions append to the line being printed, or to the string
 * begun last. tdrt_out_end or tdrt_str_end reports a failure (TR201). `format`
 * may be NULL: ints in decimal, floats as Python's repr, true and false,
 * strings unchanged. */

/* `length` bytes, or all up to NUL if it is -1. */
TDRT_API void tdrt_out_text(tdrt_context *ctx, const char *text,
                            int64_t length);
TDRT_API void tdrt_out_i64(tdrt_context *ctx, int64_t value,
                           const tdrt_format *format);
TDRT_API void tdrt_out_u64(tdrt_context *ctx, int64_t bits_of_u64,
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
 * the print if that fails, since it may show a wrong value. Writes at once to a
 * terminal or if `flush` is not 0, else when the buffer is full and at the end
 * of the program; TR752 if standard output cannot be written. Generated code
 * passes 0, the interpreter 1 after the last print. */
TDRT_API int32_t tdrt_out_end(tdrt_context *ctx, int32_t flush, int32_t site);

/* Between these, tdrt_out_* build a string. They may nest. *text belongs to the
 * context until tdrt_str_release or tdrt_close. TR201 if memory ran out. */
TDRT_API void tdrt_str_begin(tdrt_context *ctx);
TDRT_API int32_t tdrt_str_end(tdrt_context *ctx, const char **text);

/* tdrt_str_release frees every string made since the mark was taken: a loop
 * with strings that do not leave an iteration marks before it and releases at
 * its back-edge. */
TDRT_API int64_t tdrt_str_mark(tdrt_context *ctx);
TDRT_API void tdrt_str_release(tdrt_context *ctx, int64_t mark);

/*===- Random numbers --------------------------------------------------------*/
/* Word i of call c under seed s is lane i mod 4 of Philox4x32-10 with
 *   key     = {lo(s), hi(s)},  counter = {lo(c), hi(c), lo(i/4), hi(i/4)}.
 * Every element is a function of its own word (of two for f64 and wide ranges),
 * so any part of a tensor may be made anywhere: `first` is the index of out[0].
 * src/program/RandomCore.h says how words become numbers. */

/* Sets the stream: seed n, counter 0. A program starts with seed 0. */
TDRT_API void tdrt_seed(tdrt_context *ctx, int64_t n);

/* Returns the next call number and advances it; *seed is its seed. */
TDRT_API int64_t tdrt_next_random(tdrt_context *ctx, int64_t *seed);

/* In [0, 1): the upper 24 bits of the word for f32, 53 bits of two for f64. */
TDRT_API void tdrt_random_uniform_f32(float *out, int64_t first, int64_t n,
                                      int64_t seed, int64_t call);
TDRT_API void tdrt_random_uniform_f64(double *out, int64_t first, int64_t n,
                                      int64_t seed, int64_t call);

/* Standard normal; |x| < 6.4 for f32, |x| < 9.2 for f64. */
TDRT_API void tdrt_random_normal_f32(float *out, int64_t first, int64_t n,
                                     int64_t seed, int64_t call);
TDRT_API void tdrt_random_normal_f64(double *out, int64_t first, int64_t n,
                                     int64_t seed, int64_t call);

/* TR106 unless low < high and `dtype` can hold low ... high-1. */
TDRT_API int32_t tdrt_check_randint(tdrt_context *ctx, int64_t low,
                                    int64_t high, int32_t dtype, int32_t site);

/* In [low, high); TR106 as above. Narrower dtypes are cast from i32, after
 * tdrt_check_randint for the narrower dtype. */
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
 * for other formats. dims[i] is the required size, or -1, which is replaced by
 * the file's. If *data is NULL on entry, the result is allocated and the caller
 * frees it by tdrt_free; otherwise it is written to *data and no dim may be -1.
 * TR701 if the file has another type, other TR7xx as in tdc_errors.def.
 *
 * The path's ending gives the format. If it is known, the function of the
 * format does the same, and a program carries no other format's code. */
TDRT_API tdrt_loader tdrt_load;
TDRT_API tdrt_loader tdrt_load_array; /* all formats but images */
TDRT_API tdrt_loader tdrt_load_npy;
TDRT_API tdrt_loader tdrt_load_npz;
TDRT_API tdrt_loader tdrt_load_safetensors;
TDRT_API tdrt_loader tdrt_load_csv;
TDRT_API tdrt_loader tdrt_load_idx;
TDRT_API tdrt_loader tdrt_load_png;
TDRT_API tdrt_loader tdrt_load_jpeg;

/* A tensor of at least this many bytes that a file holds as it is in memory is
 * not read: *data is then a view of the file, private to the program, and its
 * pages are read when they are accessed. */
#define TDRT_MAP_FROM (64 << 20)

/* Writes an .npy file, or an .npz file with `arr_0` in it as numpy.savez does,
 * whole or not at all (TR75x). Polls first, see tdrt_poll. */
TDRT_API int32_t tdrt_save_tensor(tdrt_context *ctx, const char *path,
                                  const tdrt_tensor *tensor, int32_t site);

/* The slots and scalars of a save or restore: a constant table. */
typedef struct tdrt_checkpoint {
  int32_t num_slots, num_values;
  const int32_t *slots;     /* indexes into the program's slots */
  const char *const *keys;  /* their names in the file, one per slot */
  const char *const *names; /* names of host scalars ... */
  const int32_t *types;     /* ... and their TDRT_INT, _FLOAT or _BOOLEAN */
  int32_t full;    /* 1: a checkpoint, with seed, random counter and scalars;
                      0: pure weights */
  int32_t lenient; /* restore: missing and unexpected keys are no error; a note
                      lists them */
  int32_t casts;   /* restore: a dtype that does not hold every value of the
                      file's is no error, its values are rounded */
  int32_t num_aliases;
  const tdrt_alias *aliases; /* further names in the file */
} tdrt_checkpoint;

/* Writes a .safetensors file, whole or not at all (TR75x), even if the machine
 * stops: temporary file in its folder, fsync, rename, fsync of the folder.
 * `values` has one entry per name. Polls first, see tdrt_poll. */
TDRT_API int32_t tdrt_checkpoint_save(tdrt_context *ctx, const char *path,
                                      const tdrt_checkpoint *what,
                                      const tdrt_value *values, int32_t site);

/* Reads one back. The file, its checksums and its keys are checked before any
 * slot is written; TR741 lists missing, unexpected and mismatched keys. A
 * tensor of another dtype is converted if that is exact. One name of a slot is
 * enough; TR745 if two have different values. Keys that begin with "opt." are
 * not unexpected if no such key is restored: a model may be restored from a
 * checkpoint. With `full` the random state is restored too. */
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

/* The environment variable, which belongs to the process, or `otherwise`. */
TDRT_API const char *tdrt_env(const char *name, const char *otherwise);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* TDC_RUNTIME_H */
