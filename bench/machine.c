// Prints how many multiply-adds of f32 this core does per second when nothing
// else limits it, in units of 1e9 additions and multiplications.
#include <stdio.h>
#include <time.h>

#ifdef __AVX512F__
enum { kLanes = 16 };
#else
enum { kLanes = 8 };
#endif
typedef float Vector __attribute__((vector_size(4 * kLanes)));

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
  enum { kChains = 12 }; // enough for two units with a latency of 5
  const long iterations = 20000000;
  Vector sums[kChains], x = {0}, y = {0};
  x += 1.0000001f;
  y += 1e-9f;
  for (int i = 0; i < kChains; ++i)
    sums[i] = y * (float)i;
  double start = now();
  for (long iteration = 0; iteration < iterations; ++iteration)
    for (int i = 0; i < kChains; ++i)
      sums[i] = sums[i] * x + y;
  double seconds = now() - start, total = 0;
  for (int i = 0; i < kChains; ++i)
    total += (double)sums[i][0];
  fprintf(stderr, "%g\n", total);
  printf("%.2f\n",
         2.0 * kLanes * kChains * (double)iterations / seconds * 1e-9);
}
