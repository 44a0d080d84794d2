/*===- LinkTest.c - a program that calls all the runtime --------------------===
 *
 * link-test.sh links it with plain `cc`, as `tdc build` does, to check its
 * size, that an exception inside works, and which libraries it needs.
 *===----------------------------------------------------------------------===*/

#include "tdc_runtime.h"
#include <stddef.h>

/* Keeps every function in the program, as in the largest possible one; of the
 * functions that load a tensor only LOADER, for one format or for all. */
#define TDRT_LOADER(NAME)
#define TDRT_SYMBOL(NAME) (void (*)(void)) NAME,
static void (*const all[])(void) = {
#include "tdc_runtime_symbols.def"
};

static int32_t statements(tdrt_context *ctx) {
  int64_t dims[] = {-1};
  void *data = NULL;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (!all[i])
      return tdrt_fail_check(ctx, 101, "a symbol is missing", 0);
  tdrt_out_f64(ctx, 0.1, NULL);
  tdrt_out_text(ctx, "\n", 1);
  if (tdrt_out_end(ctx, 0, -1))
    return 1;
  return LOADER(ctx, "/dev/null", NULL, TDRT_F32, 1, dims, &data, 0);
}

static const tdrt_site sites[] = {{"link.tdsl", 3, 1}};

const tdrt_program tdc_program = {
    .abi_version = TDRT_ABI_VERSION,
    .num_sites = 1,
    .arena_bytes = 4096,
    .name = "link",
    .sites = sites,
    .main = statements,
};

int main(int argc, char **argv) {
  return tdrt_run_program(&tdc_program, argc, (const char *const *)argv);
}
