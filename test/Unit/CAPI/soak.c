/* Compiles a program, opens it, calls it and frees everything, so many times;
 * then says by how much the process has grown between the second tenth of them,
 * when allocator and caches are warm, and the last. Each counts by its least
 * size, which goes up and down by what threads that have ended leave to the
 * next. With -fsanitize=leak it tells what was not freed.
 *
 *   soak net.tdsl CYCLES [KIB]    exit code 1 if it grew by more KiB than that
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <tdc/tdc.h>

static long resident_kib(void) {
  long size, resident;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
    exit(2);
  fclose(file);
  return resident * 4;
}

static void cycle(const char *path) {
  tdc_error *error = NULL;
  tdc_program *program;
  tdc_module *module;
  const tdc_function *predict;
  float x[] = {0, 1};
  int64_t shape[] = {1, 2};
  tdc_tensor input = {x, TDC_F32, 2, shape, NULL}, output = {NULL};
  if (tdc_compile_file(path, NULL, &program, &error) ||
      tdc_find_function(program, "predict", &predict, &error) ||
      tdc_open(program, &module, &error) ||
      tdc_call(module, predict, 1, &input, 1, &output, &error)) {
    fputs(tdc_error_text(error), stderr);
    exit(2);
  }
  tdc_tensor_free(&output);
  tdc_module_free(module);
  tdc_program_free(program);
  /* A program with errors leaks nothing either. */
  const char wrong[] = "let x = zeros(2) + zeros(3)\nlet y = nowhere\n";
  if (tdc_compile_text(wrong, sizeof(wrong) - 1, "wrong.tdsl", NULL, &program,
                       &error) != TDC_PROGRAM_ERROR)
    exit(2);
  tdc_error_free(error);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  int cycles = atoi(argv[2]), tenth = cycles / 10;
  long least[10];
  for (int i = 0; i < 10 * tenth; ++i) {
    cycle(argv[1]);
    if (i % tenth == 0)
      least[i / tenth] = LONG_MAX;
    long now = resident_kib();
    if (now < least[i / tenth])
      least[i / tenth] = now;
  }
  long grown = least[9] - least[1];
  printf("%d cycles, grown by %ld KiB to %ld\n", 10 * tenth, grown, least[9]);
  return argc > 3 && grown > atol(argv[3]);
}
