/* Compiles net.tdsl, trains it on exclusive or, asks it, and takes its state to
 * another module: all from C.
 *
 *   cc xor.c $(pkg-config --cflags --libs tdc) -o xor
 *   ./xor net.tdsl
 */
#include <stdio.h>
#include <stdlib.h>
#include <tdc/tdc.h>

static tdc_error *error;

/* Ends the program with the error of a call that failed. */
static void check(tdc_status status) {
  if (status == TDC_OK)
    return;
  fputs(tdc_error_text(error), stderr);
  exit(status);
}

int main(int argc, char **argv) {
  tdc_program *program;
  tdc_module *net, *copy;
  const tdc_function *step, *predict;
  check(tdc_compile_file(argc > 1 ? argv[1] : "net.tdsl", NULL, &program,
                         &error));
  check(tdc_find_function(program, "step", &step, &error));
  check(tdc_find_function(program, "predict", &predict, &error));
  check(tdc_open(program, &net, &error));

  float x[] = {0, 0, 0, 1, 1, 0, 1, 1}, y[] = {0, 1, 1, 0}, loss, guess[4];
  int64_t x_shape[] = {4, 2}, y_shape[] = {4, 1};
  tdc_tensor batch[] = {{x, TDC_F32, 2, x_shape, NULL},
                        {y, TDC_F32, 2, y_shape, NULL}};
  tdc_tensor result = {&loss, TDC_F32, 0, NULL, NULL};
  tdc_tensor answer = {guess, TDC_F32, 2, y_shape, NULL};
  for (int i = 0; i < 200; ++i)
    check(tdc_call(net, step, 2, batch, 1, &result, &error));
  printf("loss after 200 steps: %.4f\n", loss);

  /* A second module of the same code has a state of its own. */
  check(tdc_save(net, "xor.safetensors", &error));
  check(tdc_open(program, &copy, &error));
  check(tdc_restore(copy, "xor.safetensors", &error));
  check(tdc_call(copy, predict, 1, batch, 1, &answer, &error));
  for (int i = 0; i < 4; ++i)
    printf("%g xor %g = %.2f\n", x[2 * i], x[2 * i + 1], guess[i]);

  tdc_module_free(copy);
  tdc_module_free(net);
  tdc_program_free(program);
  return 0;
}
