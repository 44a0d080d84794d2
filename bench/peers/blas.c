// A loop of calls of cblas_sgemm: c[m, n] = a[m, k] @ b[k, n], or @ b[n, k]
// transposed.
enum { kRows = 101, kPlain = 111, kTransposed = 112 };
typedef void Sgemm(int order, int transposeA, int transposeB, int m, int n,
                   int k, float alpha, const float *a, int strideA,
                   const float *b, int strideB, float beta, float *c,
                   int strideC);

void repeat(Sgemm *sgemm, int m, int n, int k, int isTransposed, const float *a,
            const float *b, float *c, long steps) {
  for (long step = 0; step < steps; ++step)
    sgemm(kRows, kPlain, isTransposed ? kTransposed : kPlain, m, n, k, 1.0f, a,
          k, b, isTransposed ? k : n, 0.0f, c, n);
}
