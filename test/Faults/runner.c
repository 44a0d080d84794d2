/*===- runner.c - a process that runs a program and goes on -----------------===
 *
 *   runner PHASE
 *
 * Runs tdc_program, the program for GPUs, twice, and then cpu_program, the same
 * program for the cpu: opens it, runs its statements, calls each of its
 * exported functions twice, closes it. What failed ends a run, but for a call
 * of a function: the next one must work.
 *
 * PHASE is `all`, or the part of the first run after which the process ends:
 * `open`, `statements`, `main`, `calls` or `close`.
 *
 * A line that begins with "-- " follows the output of each step:
 *   -- gpu open 0 bytes 1024           its status, and what is allocated now
 * and after it, the error or the results of a call.
 *===----------------------------------------------------------------------===*/

#include "tdc_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const tdrt_program tdc_program, cpu_program;

/* Sizes that a caller chooses are 3, then 4; other numbers go with them. */
enum { LEAST = 3, CALLS = 2, ROOM = 256, PORTS = 4 };

static const char *last;

static void endBehind(const char *run, const char *phase) {
  if (strcmp(run, "gpu") == 0 && strcmp(last, phase) == 0)
    exit(0);
}

static void tell(const char *run, const char *step, int32_t status,
                 tdrt_context *ctx) {
  printf("-- %s %s %d bytes %lld\n", run, step, status,
         ctx ? (long long)tdrt_bytes_in_use(ctx) : 0);
  if (status)
    printf("%s", tdrt_error_text(ctx));
  fflush(stdout);
}

static int64_t count(const tdrt_tensor *tensor) {
  int64_t elements = 1;
  for (int32_t d = 0; d < tensor->rank; ++d)
    elements *= tensor->dims[d];
  return elements;
}

static void call(const char *run, tdrt_context *ctx, int32_t index,
                 int64_t size) {
  const tdrt_export *function = &tdc_program.exports[index];
  static union {
    float floats[ROOM];
    int64_t ints[ROOM];
  } data[PORTS];
  int64_t dims[PORTS][TDRT_MAX_RANK];
  tdrt_tensor inputs[PORTS], outputs[PORTS];
  for (int32_t i = 0; i < function->num_inputs; ++i) {
    const tdrt_port *port = &function->inputs[i];
    for (int32_t d = 0; d < port->rank; ++d)
      dims[i][d] = port->dims[d] < 0 ? size : port->dims[d];
    inputs[i] = (tdrt_tensor){&data[i], port->dtype, port->rank, dims[i]};
    for (int64_t k = 0; k < count(&inputs[i]); ++k)
      if (port->dtype == TDRT_F32)
        data[i].floats[k] = 0.25f * (float)((k + size) % 7);
      else
        data[i].ints[k] = (k + size) % 4;
  }
  int32_t status = tdrt_call(ctx, index, inputs, outputs);
  tell(run, function->name, status, ctx);
  for (int32_t i = 0; status == 0 && i < function->num_outputs; ++i)
    for (int64_t k = 0; k < count(&outputs[i]); ++k)
      printf("%.6g\n", ((const float *)outputs[i].data)[k]);
}

static int32_t runStatements(tdrt_context *ctx) {
  tdc_program.main(ctx);
  exit(0);
}

static void run(const char *name, const tdrt_program *program) {
  const char *const words[] = {"runner"};
  tdrt_context *ctx;
  tdrt_program statements = *program;
  if (strcmp(name, "gpu") == 0 && strcmp(last, "statements") == 0) {
    statements.main = runStatements;
    program = &statements;
  }
  int32_t status = tdrt_open(program, 1, words, &ctx);
  tell(name, "open", status, ctx);
  endBehind(name, "open");
  if (status == 0) {
    status = tdrt_main(ctx);
    tell(name, "main", status, ctx);
    endBehind(name, "main");
  }
  for (int32_t i = 0; status == 0 && i < program->num_exports; ++i)
    for (int64_t k = 0; k < CALLS; ++k)
      call(name, ctx, i, LEAST + k);
  endBehind(name, "calls");
  tdrt_close(ctx);
  endBehind(name, "close");
}

int main(int argc, char **argv) {
  last = argc > 1 ? argv[1] : "all";
  run("gpu", &tdc_program);
  run("again", &tdc_program);
  run("cpu", &cpu_program);
  return 0;
}
