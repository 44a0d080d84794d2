/*===- AbiTestInC.c - the header as C sees it -------------------------------===
 *
 * Also the smallest possible program that `tdc build` can link.
 *===----------------------------------------------------------------------===*/

#include "tdc_runtime.h"
#include <stddef.h>

static int32_t statements(tdrt_context *ctx) {
  return ctx->arena != NULL && ctx->attention == 0 ? 0 : 101;
}

static const tdrt_program tdc_program = {
    .abi_version = TDRT_ABI_VERSION,
    .arena_bytes = 64,
    .name = "c",
    .main = statements,
};

int tdrtProgramInC(void) {
  const char *argv[] = {"c"};
  return tdrt_run_program(&tdc_program, 1, argv);
}
