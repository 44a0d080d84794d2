/*===- tdc.h - .tdsl programs in a program of your own ----------------------===
 *
 * Compile a program, open it, call its `export fn`s:
 *
 *   tdc_program *program;
 *   tdc_module *module;
 *   const tdc_function *predict;
 *   tdc_error *error = NULL;
 *   if (tdc_compile_file("net.tdsl", NULL, &program, &error) ||
 *       tdc_find_function(program, "predict", &predict, &error) ||
 *       tdc_open(program, &module, &error) ||
 *       tdc_call(module, predict, 1, &x, 1, &y, &error))
 *     fputs(tdc_error_text(error), stderr);
 *
 * Conventions
 *  - A function that can fail returns a tdc_status and takes a `tdc_error **`
 *    last, which may be NULL. On failure it gets an error to be freed with
 *    tdc_error_free, and what else the function gives out is set to NULL.
 *  - Strings are UTF-8 and end with NUL. What a function returns a pointer into
 *    belongs to the handle it was asked of and lives as long.
 *  - NULL is allowed where something is freed, and nowhere else unless it is
 *    said. A handle that was freed must not be used again.
 *  - Everything may be called from several threads at once, also with the same
 *    handles, but for the functions that free one.
 *  - Nothing here throws, prints, changes signal handlers or ends the process,
 *    but what the program itself prints, tdc_run, and two cases. Lack of memory
 *    while a program is compiled ends the process. And files of 64 MB and more
 *    are mapped: a handler of SIGBUS is set for them, which ends the process if
 *    somebody makes such a file shorter while it is read.
 *  - Structs that begin with `size` may grow: set it to sizeof of yours.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TDC_TDC_H
#define TDC_TDC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TDC_API __attribute__((visibility("default")))

/* C's names, not the compiler's. */
/* NOLINTBEGIN(readability-identifier-naming) */

/* "0.1.0": of the library, not of this header. */
TDC_API const char *tdc_version(void);

typedef enum tdc_status {
  TDC_OK = 0,
  TDC_PROGRAM_ERROR = 1, /* the program has mistakes: TDnnn */
  TDC_USAGE_ERROR = 2,   /* an option, an argument, or a call has */
  TDC_RUN_ERROR = 3,     /* an error while it ran; a device; a file: TRnnn */
  TDC_BUG = 70,          /* a bug in tdc */
  TDC_INTERRUPTED = 130  /* ^C in tdc_run, or tdc_interrupt */
} tdc_status;

/*===- Errors ----------------------------------------------------------------*/

typedef enum tdc_severity { TDC_ERROR = 0, TDC_WARNING = 1 } tdc_severity;

/* One thing that the compiler, or a running program, has to say. */
typedef struct tdc_diagnostic {
  size_t size;
  tdc_severity severity;
  const char *code;    /* "TD401", "TR107"; "" if there is none */
  const char *message; /* in a line: "shapes do not fit: ..." */
  const char *file;    /* "" if it is about no place in a program */
  int32_t line;        /* from 1; 0 if not known, as the next three */
  int32_t column;      /* from 1, in code points */
  int32_t end_line;
  int32_t end_column;
  const char *text; /* the whole report as `tdc` prints it, with its newline */
  const char *json; /* and as `tdc --message-format=json` does */
} tdc_diagnostic;

typedef struct tdc_error tdc_error;

TDC_API tdc_status tdc_error_status(const tdc_error *error);
/* The whole text of all errors, for a person. */
TDC_API const char *tdc_error_text(const tdc_error *error);
/* There is at least one. */
TDC_API size_t tdc_error_count(const tdc_error *error);
/* Number `index`; NULL if there are not so many. */
TDC_API const tdc_diagnostic *tdc_error_get(const tdc_error *error,
                                            size_t index);
TDC_API void tdc_error_free(tdc_error *error);

/*===- Programs --------------------------------------------------------------*/

/* A compiled program: code, which never changes. */
typedef struct tdc_program tdc_program;

/* How to compile. Zeros are the defaults; see `tdc run --help`. */
typedef struct tdc_options {
  size_t size;
  const char *device;         /* --device */
  const char *placement;      /* --placement */
  const char *transfer_guard; /* --transfer-guard */
  int32_t no_t_ops;           /* --no-t-ops */
  int32_t tf32;               /* --tf32 */
  /* The program's own arguments, as on a command line: "--epochs", "3". */
  size_t num_arguments;
  const char *const *arguments;
  /* Called for every error and warning while the program is compiled, maybe on
   * another thread than the caller's, which waits; or NULL. `diagnostic` is the
   * callee's only while it runs. */
  void (*report)(void *user, const tdc_diagnostic *diagnostic);
  /* Called in the same way when a step is done ("parse", "check", ...), or
   * NULL. */
  void (*done)(void *user, const char *step);
  void *user;
  const char *memory_budget; /* --memory-budget */
} tdc_options;

/* Compiles a file, for this machine. `options` may be NULL. */
TDC_API tdc_status tdc_compile_file(const char *path,
                                    const tdc_options *options,
                                    tdc_program **program, tdc_error **error);

/* Compiles `length` bytes of text; `name` stands for the file's in messages,
 * and imports are looked for beside it. */
TDC_API tdc_status tdc_compile_text(const char *text, size_t length,
                                    const char *name,
                                    const tdc_options *options,
                                    tdc_program **program, tdc_error **error);

/* Functions of the program are gone with it; modules stay. */
TDC_API void tdc_program_free(tdc_program *program);

/* Runs the program as `tdc run` does, in a module of its own: prints its errors
 * on standard error, stops at ^C, ignores SIGPIPE while it runs, and on a
 * terminal uses SIGALRM and ITIMER_REAL to show how far it is. One runs at a
 * time: others wait. Returns the exit code. */
TDC_API int tdc_run(const tdc_program *program);

/*===- Modules ---------------------------------------------------------------*/

/* A program that runs: its state and its random numbers. */
typedef struct tdc_module tdc_module;

/* Makes a module and runs the top-level statements, as Python does with a
 * module that is imported: models are made, and trained if that is what the
 * statements do. While they run, `*module` is there for tdc_interrupt in a
 * signal handler on this thread, and for nothing else. */
TDC_API tdc_status tdc_open(const tdc_program *program, tdc_module **module,
                            tdc_error **error);

/* Asks what runs in the module to stop: at the end of a loop's iteration, after
 * a large kernel outside of loops, before a print. It ends with
 * TDC_INTERRUPTED; if nothing runs, nothing happens. For any thread, and for
 * signal handlers. */
TDC_API void tdc_interrupt(tdc_module *module);

/* Writes the counters of the run where TDC_STATS and TDC_STATS_JSON want them,
 * and what ran when to TDC_TRACE: of the statements, and of the calls that ran
 * alone. */
TDC_API void tdc_module_free(tdc_module *module);

/*===- Tensors ---------------------------------------------------------------*/

/* Element types. A bool is one byte, 0 or 1. */
typedef enum tdc_dtype {
  TDC_F64 = 0,
  TDC_F32 = 1,
  TDC_F16 = 2,
  TDC_BF16 = 3,
  TDC_I64 = 4,
  TDC_I32 = 5,
  TDC_I16 = 6,
  TDC_I8 = 7,
  TDC_U8 = 8,
  TDC_BOOL = 9
} tdc_dtype;

/* A tensor in memory of this machine. */
typedef struct tdc_tensor {
  void *data;
  int32_t dtype; /* TDC_F64 ... */
  int32_t rank;  /* 0 ... 16 */
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row by row */
} tdc_tensor;

/* Gives back a tensor whose memory tdc has allocated, and makes it empty. */
TDC_API void tdc_tensor_free(tdc_tensor *tensor);

/* The type of an input, of an output or of a tensor of the state. */
typedef struct tdc_tensor_type {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *shape; /* -1: a size that is known only when it is called */
} tdc_tensor_type;

/* Reads a tensor from a file, as `load` does; `key` picks one of several and is
 * NULL else. `type` is what the tensor must be, or NULL; its name is not used.
 * tdc_tensor_free gives it back. */
TDC_API tdc_status tdc_load_tensor(const char *path, const char *key,
                                   const tdc_tensor_type *type,
                                   tdc_tensor *tensor, tdc_error **error);
/* Writes one, as `save` does: whole or not at all. */
TDC_API tdc_status tdc_save_tensor(const char *path, const tdc_tensor *tensor,
                                   tdc_error **error);

/*===- Functions -------------------------------------------------------------*/

/* An `export fn` of a program. */
typedef struct tdc_function {
  size_t size;
  const char *name;
  size_t num_inputs;
  size_t num_outputs;
  const tdc_tensor_type *inputs;
  const tdc_tensor_type *outputs;
  /* 0: calls from several threads run side by side. Else it changes the state
   * of the module (or the program uses GPUs), and runs alone. */
  int32_t runs_alone;
} tdc_function;

TDC_API size_t tdc_function_count(const tdc_program *program);
/* Number `index` in the order of the program; NULL if there are not so many. */
TDC_API const tdc_function *tdc_function_get(const tdc_program *program,
                                             size_t index);
TDC_API tdc_status tdc_find_function(const tdc_program *program,
                                     const char *name,
                                     const tdc_function **function,
                                     tdc_error **error);

/* Calls a function of the module's program, with as many inputs and outputs as
 * it has. It reads inputs and keeps nothing of them; they are copied only if
 * they are strided, not aligned to their size, or empty, or if reading past
 * their end would leave the last page. Where `data` of an output is NULL, the
 * whole tensor is filled in, in memory that tdc_tensor_free gives back; else
 * dtype and shape must be the result's, which is copied to it row by row
 * (strides are not allowed). Outputs may share memory with inputs: all inputs
 * are read before an output is written. They may not share memory with each
 * other. A call that fails allocates nothing, and writes no output. */
TDC_API tdc_status tdc_call(tdc_module *module, const tdc_function *function,
                            size_t num_inputs, const tdc_tensor *inputs,
                            size_t num_outputs, tdc_tensor *outputs,
                            tdc_error **error);

/* The same with tensors of other frameworks (DLPack 1.x, which defines the
 * struct). Inputs are borrowed: they are on the cpu, and are not given back.
 * outputs[i] is a new one, or NULL after a failure. */
struct DLManagedTensorVersioned;
TDC_API tdc_status tdc_call_dlpack(
    tdc_module *module, const tdc_function *function, size_t num_inputs,
    struct DLManagedTensorVersioned *const *inputs, size_t num_outputs,
    struct DLManagedTensorVersioned **outputs, tdc_error **error);

/*===- State -----------------------------------------------------------------*/

/* The parameters and buffers of all models and what the optimizers keep, under
 * names such as "net.fc1.weight", as far as an exported function or a file uses
 * them: what nothing uses is removed with what computes it. A tied parameter is
 * there under each of its names: the first among all, the others at the end. */
TDC_API size_t tdc_state_count(const tdc_program *program);
/* Number `index`; NULL if there are not so many. */
TDC_API const tdc_tensor_type *tdc_state_get(const tdc_program *program,
                                             size_t index);

/* Copies a tensor of the state out: to `tensor`, as tdc_call does with a
 * result. */
TDC_API tdc_status tdc_state_read(tdc_module *module, const char *name,
                                  tdc_tensor *tensor, tdc_error **error);
/* And in: dtype and shape must be the same. */
TDC_API tdc_status tdc_state_write(tdc_module *module, const char *name,
                                   const tdc_tensor *tensor, tdc_error **error);

/* Writes a checkpoint of the whole state, random numbers included: the file
 * that `save` writes in a program that gives it all models and optimizers. */
TDC_API tdc_status tdc_save(tdc_module *module, const char *path,
                            tdc_error **error);
/* Reads one back. Nothing has changed if that fails. */
TDC_API tdc_status tdc_restore(tdc_module *module, const char *path,
                               tdc_error **error);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* TDC_TDC_H */
