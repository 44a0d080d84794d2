// machine [BYTES]: prints how many additions and multiplications of f32 the
// cores do in multiply-adds per second when nothing else limits them, and the
// bytes per second that they read and write: of a triad (two arrays are read,
// one is written) or of a sum, which only reads, over arrays of BYTES in all,
// whichever is faster. OpenMP decides how many threads; each has its own part
// of the arrays.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#ifdef __AVX512F__
enum { kLanes = 16 };
#else
enum { kLanes = 8 };
#endif
typedef float Vector __attribute__((vector_size(4 * kLanes)));

// The time of the processor is not affected by other programs.
static double now(void) {
  struct timespec t;
  clock_gettime(omp_get_max_threads() > 1 ? CLOCK_MONOTONIC
                                          : CLOCK_PROCESS_CPUTIME_ID,
                &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak(void) {
  enum { kChains = 12 }; // enough for two units with a latency of 5
  const long iterations = 4000000;
  double operations = 0, total = 0, start = now();
#pragma omp parallel reduction(+ : operations, total)
  {
    Vector sums[kChains], x = {0}, y = {0};
    x += 1.0000001f;
    y += 1e-9f;
    for (int i = 0; i < kChains; ++i)
      sums[i] = y * (float)i;
    for (long iteration = 0; iteration < iterations; ++iteration)
      for (int i = 0; i < kChains; ++i)
        sums[i] = sums[i] * x + y;
    for (int i = 0; i < kChains; ++i)
      total += (double)sums[i][0];
    operations += 2.0 * kLanes * kChains * (double)iterations;
  }
  double seconds = now() - start;
  fprintf(stderr, "%g\n", total);
  return operations / seconds;
}

typedef float Pass(Vector *a, long n);

static float triad(Vector *a, long n) {
  const Vector *b = a + n, *c = b + n;
  for (long i = 0; i < n; ++i)
    a[i] = b[i] + 0.5f * c[i];
  return a[n - 1][0];
}

static float sum(Vector *a, long n) {
  enum { kChains = 8 };
  Vector sums[kChains] = {{0}};
  for (long i = 0; i + kChains <= 3 * n; i += kChains)
    for (int j = 0; j < kChains; ++j)
      sums[j] += a[i + j];
  for (int j = 1; j < kChains; ++j)
    sums[0] += sums[j];
  return sums[0][0];
}

static double speed(Pass *pass, long bytes) {
  const double least = 5e8; // bytes to move
  double moved = 0, total = 0, start = 0;
#pragma omp parallel reduction(+ : moved, total)
  {
    int threads = omp_get_num_threads();
    long n = bytes / threads / (3 * (long)sizeof(Vector)) + 1;
    double size = (double)(3 * n * (long)sizeof(Vector));
    const size_t page = 1 << 21; // as runtimes ask for
    size_t pages = ((size_t)size + page - 1) / page;
    Vector *a = aligned_alloc(page, pages * page);
    if (pages > 1)
      madvise(a, pages * page, MADV_HUGEPAGE);
    for (long i = 0; i < 3 * n; ++i)
      a[i] = (Vector){0} + (float)(i % 7);
    long rounds = (long)(least / threads / size) + 1;
#pragma omp barrier
#pragma omp single
    start = now();
    for (long round = 0; round < rounds; ++round) {
      total += (double)pass(a, n);
      __asm__ volatile("" : : "r"(a) : "memory"); // each round is done
    }
    moved += (double)rounds * size;
    free(a);
  }
  double seconds = now() - start;
  fprintf(stderr, "%g\n", total);
  return moved / seconds;
}

int main(int argc, char **argv) {
  long bytes = argc > 1 ? atol(argv[1]) : 1L << 28;
  double first = speed(triad, bytes), second = speed(sum, bytes);
  printf("%.4g %.4g\n", peak(), first > second ? first : second);
  return 0;
}
