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
 *    as its last argument, which may be NULL. On failure it sets that to an
 *    error, which the caller frees with tdc_error_free, and sets its other
 *    output handles to NULL.
 *  - Strings are UTF-8 and end with NUL. A returned pointer points into the
 *    handle that was passed, and is valid as long as the handle.
 *  - NULL is allowed for a handle to be freed, and elsewhere only where the
 *    function's comment says so. A freed handle must not be used again.
 *  - All functions may be called from several threads at once, also with the
 *    same handles, except for those that free a handle.
 *  - No function throws, prints, changes signal handlers or ends the process,
 *    with these exceptions: the output of the program itself; tdc_run;
 *    tdc_main; running out of memory while a program is compiled, which ends
 *    the process; and files of 64 MB and more, which are mapped. For them a
 *    handler of SIGBUS is set, which ends the process if the file gets shorter
 *    while it is read.
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

/* Names follow C's conventions, not those of the compiler's code. */
/* NOLINTBEGIN(readability-identifier-naming) */

/* The version of the library, not of this header: "0.1.0". */
TDC_API const char *tdc_version(void);

typedef enum tdc_status {
  TDC_OK = 0,
  TDC_PROGRAM_ERROR = 1, /* the program has mistakes: TDnnn */
  TDC_USAGE_ERROR = 2,   /* an option, an argument, or a call is wrong */
  TDC_RUN_ERROR = 3,     /* a run-time error, of a device or a file: TRnnn */
  TDC_BUG = 70,          /* a bug in tdc */
  TDC_INTERRUPTED = 130  /* ^C in tdc_run, or tdc_interrupt */
} tdc_status;

/*===- Errors ----------------------------------------------------------------*/

typedef enum tdc_severity { TDC_ERROR = 0, TDC_WARNING = 1 } tdc_severity;

/* One error or warning of the compiler, or error of a running program. */
typedef struct tdc_diagnostic {
  size_t size;
  tdc_severity severity;
  const char *code;    /* "TD401", "TR107"; "" if there is none */
  const char *message; /* one line: "shapes do not fit: ..." */
  const char *file;    /* "" if it has no place in a program */
  int32_t line;        /* from 1; this and the next three: 0 if not known */
  int32_t column;      /* from 1, in code points */
  int32_t end_line;
  int32_t end_column;
  const char *text; /* the whole report as `tdc` prints it, with its newline */
  const char *json; /* the same as `tdc --message-format=json` prints it */
} tdc_diagnostic;

typedef struct tdc_error tdc_error;

TDC_API tdc_status tdc_error_status(const tdc_error *error);
/* The whole text of all errors, to be printed. */
TDC_API const char *tdc_error_text(const tdc_error *error);
/* The number of diagnostics, at least 1. */
TDC_API size_t tdc_error_count(const tdc_error *error);
/* Diagnostic number `index`, from 0; NULL if there are fewer. */
TDC_API const tdc_diagnostic *tdc_error_get(const tdc_error *error,
                                            size_t index);
TDC_API void tdc_error_free(tdc_error *error);

/*===- Programs --------------------------------------------------------------*/

/* A compiled program: its code, which is immutable. */
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
  /* Called for every error and warning while the program is compiled; or NULL.
   * It may be called on another thread, while the caller's thread waits.
   * `diagnostic` is valid only during the call. */
  void (*report)(void *user, const tdc_diagnostic *diagnostic);
  /* Called in the same way when a step is done ("parse", "check", ...); or
   * NULL. */
  void (*done)(void *user, const char *step);
  void *user;
  const char *memory_budget; /* --memory-budget */
  int32_t check_numerics;    /* --check-numerics */
  int32_t strict_numerics;   /* --strict-numerics */
} tdc_options;

/* Compiles a file for this machine. `options` may be NULL. */
TDC_API tdc_status tdc_compile_file(const char *path,
                                    const tdc_options *options,
                                    tdc_program **program, tdc_error **error);

/* Compiles `length` bytes of text. Messages use `name` as the name of the file;
 * imports are searched in the folder of `name`. */
TDC_API tdc_status tdc_compile_text(const char *text, size_t length,
                                    const char *name,
                                    const tdc_options *options,
                                    tdc_program **program, tdc_error **error);

/* Frees a program and its tdc_functions. Its modules stay valid. */
TDC_API void tdc_program_free(tdc_program *program);

/* Runs the program as `tdc run` does, in a new module: prints its errors on
 * standard error, stops at ^C, ignores SIGPIPE while it runs, and on a terminal
 * uses SIGALRM and ITIMER_REAL to show its progress. Only one program runs at a
 * time: other calls wait. Returns the exit code. */
TDC_API int tdc_run(const tdc_program *program);

/* The command `tdc`: does what `argv` says, and ends the process with the exit
 * code. It finds what `tdc build` links programs with in the folder of the
 * executable, and in ../lib. */
__attribute__((noreturn)) TDC_API void tdc_main(int argc, char **argv);

/*===- Modules ---------------------------------------------------------------*/

/* A running program: its state and its random numbers. */
typedef struct tdc_module tdc_module;

/* Makes a module and runs the top-level statements, as Python does with a
 * module that is imported: makes models, and trains them if the statements do.
 * While they run, `*module` may be passed only to tdc_interrupt, in a signal
 * handler on this thread. */
TDC_API tdc_status tdc_open(const tdc_program *program, tdc_module **module,
                            tdc_error **error);

/* Sets how many threads the kernels of a call may use, 1 to 1024, for all
 * modules of the process. Otherwise it is the variable TDC_THREADS, or 1. A
 * usage error if a kernel has started another number of threads before. */
TDC_API tdc_status tdc_set_threads(int32_t count, tdc_error **error);

/* Requests the code that runs in the module to stop: at the end of an
 * iteration, after a large kernel outside of loops, or before a print. The
 * interrupted call returns TDC_INTERRUPTED. Does nothing if no code runs. May
 * be called from any thread and from signal handlers. */
TDC_API void tdc_interrupt(tdc_module *module);

/* Frees a module. Writes the counters of the run as TDC_STATS and
 * TDC_STATS_JSON say, and the trace to TDC_TRACE: those of the statements, and
 * of the calls that ran alone. */
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
  TDC_BOOL = 9,
  TDC_U16 = 10,
  TDC_U32 = 11,
  TDC_U64 = 12
} tdc_dtype;

/* A tensor in memory of this machine. */
typedef struct tdc_tensor {
  void *data;
  int32_t dtype; /* TDC_F64 ... */
  int32_t rank;  /* 0 ... 16 */
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row by row */
} tdc_tensor;

/* Frees a tensor in memory that tdc has allocated, and makes it empty. */
TDC_API void tdc_tensor_free(tdc_tensor *tensor);

/* The type of an input, of an output or of a tensor of the state. */
typedef struct tdc_tensor_type {
  const char *name;
  int32_t dtype;
  int32_t rank;
  const int64_t *shape; /* -1: a size that is known only in a call */
} tdc_tensor_type;

/* Reads a tensor from a file, as `load` does. `key` selects one of several
 * tensors, and is NULL if the file has one. `type` is the type that the tensor
 * must have, or NULL; its name is not used. tdc_tensor_free frees the tensor.
 * */
TDC_API tdc_status tdc_load_tensor(const char *path, const char *key,
                                   const tdc_tensor_type *type,
                                   tdc_tensor *tensor, tdc_error **error);
/* Writes a tensor, as `save` does: the whole file, or nothing if it fails. */
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
  /* 0: calls from several threads run concurrently. Else the function changes
   * the state of the module (or the program uses GPUs), and each call excludes
   * others. */
  int32_t runs_alone;
  const char *help; /* its `##` comment; "" if it has none */
  /* The types as the program writes them: num_inputs strings, "f32[N, 2]"; the
   * result's is "" if it is not written. */
  const char *const *input_spellings;
  const char *result_spelling;
} tdc_function;

TDC_API size_t tdc_function_count(const tdc_program *program);
/* Function number `index`, from 0, in the order of the program; NULL if there
 * are fewer. */
TDC_API const tdc_function *tdc_function_get(const tdc_program *program,
                                             size_t index);
TDC_API tdc_status tdc_find_function(const tdc_program *program,
                                     const char *name,
                                     const tdc_function **function,
                                     tdc_error **error);

/* Calls a function of the module's program, with as many inputs and outputs as
 * it has. The inputs are only read, and no pointer to them is kept. An input is
 * copied only if it is strided, not aligned to its size, or empty, or if
 * reading past its end would leave its last page. If `data` of an output is
 * NULL, all fields of the tensor are set, and its memory is to be freed with
 * tdc_tensor_free. Else its dtype and shape must be those of the result, which
 * is copied to it row by row (strides are not allowed). Outputs may share
 * memory with inputs: all inputs are read before an output is written. Outputs
 * may not share memory with each other. A call that fails allocates nothing,
 * and writes no output. */
TDC_API tdc_status tdc_call(tdc_module *module, const tdc_function *function,
                            size_t num_inputs, const tdc_tensor *inputs,
                            size_t num_outputs, tdc_tensor *outputs,
                            tdc_error **error);

/* The same with tensors of other frameworks (DLPack 1.x, which defines the
 * struct). Inputs must be on the cpu and are borrowed: the caller still owns
 * them. outputs[i] is a new tensor, or NULL after a failure. */
struct DLManagedTensorVersioned;
TDC_API tdc_status tdc_call_dlpack(
    tdc_module *module, const tdc_function *function, size_t num_inputs,
    struct DLManagedTensorVersioned *const *inputs, size_t num_outputs,
    struct DLManagedTensorVersioned **outputs, tdc_error **error);

/*===- State -----------------------------------------------------------------*/

/* The state: the parameters and buffers of all models and the state of the
 * optimizers, under names like "net.fc1.weight". A tensor that no exported
 * function and no file uses is removed, with the code that computes it. A tied
 * parameter is listed under each of its names: under the first in its place,
 * under the others at the end. */
TDC_API size_t tdc_state_count(const tdc_program *program);
/* Tensor number `index`, from 0; NULL if there are fewer. */
TDC_API const tdc_tensor_type *tdc_state_get(const tdc_program *program,
                                             size_t index);

typedef enum tdc_state_kind {
  TDC_PARAMETER = 0,
  TDC_BUFFER = 1,
  TDC_OPTIMIZER_STATE = 2 /* also of a schedule of the learning rate */
} tdc_state_kind;

/* What a tensor of the state is. */
typedef struct tdc_state_role {
  size_t size;
  tdc_state_kind kind;
  /* The name in the program of the model that has it, "net", and its name in
   * the model: "fc1.weight". For the state of optimizers: "", and its whole
   * name. */
  const char *model;
  const char *key;
  /* The number of the tensor that this is another name of; or its own. */
  size_t tied;
} tdc_state_role;

/* The role of tensor number `index`, from 0; NULL if there are fewer. */
TDC_API const tdc_state_role *tdc_state_get_role(const tdc_program *program,
                                                 size_t index);

/* The name of parameter or buffer number `index`, from 0, that was removed:
 * "net.bn.num_batches_tracked". NULL if there are fewer. PyTorch's state dict
 * of the same layers has them. */
TDC_API const char *tdc_state_get_removed(const tdc_program *program,
                                          size_t index);

/* Copies a tensor of the state to `tensor`, as tdc_call does with a result. */
TDC_API tdc_status tdc_state_read(tdc_module *module, const char *name,
                                  tdc_tensor *tensor, tdc_error **error);
/* Copies `tensor` to the state. Its dtype and shape must be the same. */
TDC_API tdc_status tdc_state_write(tdc_module *module, const char *name,
                                   const tdc_tensor *tensor, tdc_error **error);

/* Writes a checkpoint of the whole state and the random numbers: the same file
 * as `save` with all models and optimizers writes in a program. */
TDC_API tdc_status tdc_save(tdc_module *module, const char *path,
                            tdc_error **error);
/* Reads a checkpoint. Changes nothing if that fails. */
TDC_API tdc_status tdc_restore(tdc_module *module, const char *path,
                               tdc_error **error);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* TDC_TDC_H */
