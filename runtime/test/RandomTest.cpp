//===- RandomTest.cpp - the generator and its distributions ---------------===//

#include "program/Philox.h"
#include "program/RandomCore.h"
#include "support/TestProgram.h"
#include <Random123/philox.h>
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tdrt_test;

namespace {

struct Known {
  uint32_t counter[4], key[2], words[4];
};

void expectWords(const Known &known) {
  uint64_t c[4][tdrt::kPhiloxBatch];
  for (int l = 0; l < 4; ++l)
    for (uint64_t &word : c[l])
      word = known.counter[l];
  tdrt::philoxBatch(c, known.key[0], known.key[1]);
  for (int l = 0; l < 4; ++l)
    for (uint64_t word : c[l])
      EXPECT_EQ(static_cast<uint32_t>(word), known.words[l]);
}

// The vectors published with Random123 (tests/kat_vectors).
TEST(RandomTest, PublishedVectors) {
  expectWords(
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  expectWords({{~0u, ~0u, ~0u, ~0u},
               {~0u, ~0u},
               {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  expectWords({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
               {0xa4093822, 0x299f31d0},
               {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

/// Word i of a call, from the reference implementation; with `isLower` from the
/// words that are lower halves.
uint32_t referenceWord(uint64_t i, uint64_t seed, uint64_t call,
                       bool isLower = false) {
  uint64_t block = i / 4 | uint64_t(isLower) << 63;
  r123::Philox4x32::ctr_type counter = {{uint32_t(call), uint32_t(call >> 32),
                                         uint32_t(block),
                                         uint32_t(block >> 32)}};
  r123::Philox4x32::key_type key = {{uint32_t(seed), uint32_t(seed >> 32)}};
  return r123::Philox4x32()(counter, key)[i % 4];
}

TEST(RandomTest, ElementsAreLanesOfPhilox) {
  const int64_t seeds[] = {0, 1, -1, 0x123456789abcdef0};
  const int64_t calls[] = {0, 7, int64_t(1) << 33};
  // The last start makes the block number cross 2^32.
  const int64_t firsts[] = {0, 1, 63, 64, 1000, (int64_t(1) << 34) - 130};
  for (int64_t seed : seeds)
    for (int64_t call : calls)
      for (int64_t first : firsts) {
        std::vector<float> single(300);
        std::vector<double> both(300);
        tdrt_random_uniform_f32(single.data(), first, 300, seed, call);
        tdrt_random_uniform_f64(both.data(), first, 300, seed, call);
        for (int i = 0; i < 300; ++i) {
          uint32_t word = referenceWord(first + i, seed, call);
          ASSERT_EQ(single[i], float(word >> 8) * 0x1p-24f);
          uint64_t pair =
              uint64_t(word) << 32 | referenceWord(first + i, seed, call, true);
          ASSERT_EQ(both[i], double(pair >> 11) * 0x1p-53);
        }
      }
}

TEST(RandomTest, AnyPartIsTheSame) {
  constexpr int64_t n = 5000;
  std::vector<float> whole(n), part(n);
  tdrt_random_normal_f32(whole.data(), 0, n, 3, 9);
  for (int64_t first = 0, size = 1; first < n; first += size, size += 37) {
    size = std::min(size, n - first);
    tdrt_random_normal_f32(part.data() + first, first, size, 3, 9);
  }
  EXPECT_EQ(memcmp(whole.data(), part.data(), n * sizeof(float)), 0);
  std::vector<double> wholeF64(n), partF64(n);
  tdrt_random_normal_f64(wholeF64.data(), 0, n, 3, 9);
  for (int64_t first = 0, size = 1; first < n; first += size, size += 37) {
    size = std::min(size, n - first);
    tdrt_random_normal_f64(partF64.data() + first, first, size, 3, 9);
  }
  EXPECT_EQ(memcmp(wholeF64.data(), partF64.data(), n * sizeof(double)), 0);
}

/// Not vectorised: vector code is compared with it.
__attribute__((noinline)) float scalarNormal(uint32_t word) {
  return tdrt::normalFromWord(word);
}

__attribute__((noinline)) double scalarNormal(uint32_t upper, uint32_t lower) {
  return tdrt::normalFromWords(upper, lower);
}

TEST(RandomTest, VectorsAndScalarsAgreeInF64) {
  constexpr int64_t n = 100000;
  std::vector<double> values(n);
  tdrt_random_normal_f64(values.data(), 0, n, 11, 2);
  for (int64_t i = 0; i < n; ++i) {
    double expected =
        scalarNormal(referenceWord(i, 11, 2), referenceWord(i, 11, 2, true));
    ASSERT_EQ(memcmp(&values[i], &expected, 8), 0) << i;
  }
}

TEST(RandomTest, VectorsAndScalarsAgree) {
  constexpr int64_t n = 100000;
  std::vector<float> values(n);
  tdrt_random_normal_f32(values.data(), 0, n, 11, 2);
  for (int64_t i = 0; i < n; ++i) {
    float expected = scalarNormal(referenceWord(i, 11, 2));
    ASSERT_EQ(memcmp(&values[i], &expected, 4), 0) << i;
  }
}

// Values that must never change: other devices must produce the same bits.
TEST(RandomTest, FixedBits) {
  float normal[4];
  tdrt_random_normal_f32(normal, 0, 4, 0, 0);
  EXPECT_EQ(normal[0], 0x1.05f4ap-2f);
  EXPECT_EQ(normal[1], -0x1.3769e6p-2f);
  EXPECT_EQ(normal[2], -0x1.70b904p-1f);
  EXPECT_EQ(normal[3], -0x1.403c4ap+0f);
  double both[4];
  tdrt_random_uniform_f64(both, 0, 4, 0, 0);
  EXPECT_EQ(both[0], 0x1.989fa35776cf4p-2);
  EXPECT_EQ(both[3], 0x1.3601b7b07c381p-1);
}

// Compared with the quantile in 50 digits, computed with mpmath.
TEST(RandomTest, NormalIsTheInverseInF64) {
  struct {
    uint32_t upper, lower;
    double exact;
  } points[] = {
      {0, 0, 0x1.24f82aa55eb14p+3},
      {0, 1, 0x1.21263f48fda58p+3},
      {0, 0x3e8, 0x1.0971a24c8555bp+3},
      {0, 0x80000000, 0x1.95a1198fc5606p+2},
      {0x1c, 0xbe991a14, 0x1.6b96b453acc3bp+2},
      {0x2000, 0, 0x1.27c23facacd65p+2},
      {0x100000, 0, 0x1.be596d62759d4p+1},
      {0x2000000, 0, 0x1.357292e7715f6p+1},
      {0x9935f58, 0x1f050000, 0x1.c818c2395cd96p+0},
      {0x13333333, 0x33333333, 0x1.7085226d3e524p+0},
      {0x13333333, 0x33333334, 0x1.7085226d3e524p+0},
      {0x20000000, 0, 0x1.267d4c07b0567p+0},
      {0x40000000, 0, 0x1.5956b87528a49p-1},
      {0x60000000, 0, 0x1.464965bdc7eafp-2},
      {0x7ce66c50, 0xe2840000, 0x1.f1607ff98d215p-6},
      {0x6627e8d5, 0xddb3d022, 0x1.05f49f276cb33p-2},
  };
  for (const auto &point : points) {
    double z = scalarNormal(point.upper, point.lower);
    EXPECT_NEAR(z, point.exact, 8e-16 * point.exact) << point.upper;
    EXPECT_EQ(scalarNormal(point.upper | 0x80000000, point.lower), -z);
  }
  // The middle, which f64 can approach up to 2^-53.
  EXPECT_NEAR(scalarNormal(0x7fffffff, 0xc0000000), 0x1.40d931fce0bdfp-33,
              2e-16);
}

/// The quantile of the upper tail by Newton's method on ln(erfc), which is
/// concave, so that it converges from any start.
double quantile(double p) {
  double z = 0;
  for (int i = 0; i < 60; ++i) {
    double tail = 0.5 * std::erfc(z * M_SQRT1_2);
    double density = std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI);
    z += (std::log(tail) - std::log(p)) * tail / density;
  }
  return z;
}

TEST(RandomTest, NormalIsTheInverse) {
  double worst = 0;
  for (uint64_t m = 0; m < uint64_t(1) << 31; m += m < 4096 ? 97 : m / 16) {
    double exact = quantile((double(m) + 0.5) * 0x1p-32);
    double error = std::fabs(scalarNormal(uint32_t(m)) - exact);
    worst = std::max(worst, error);
    ASSERT_LT(error, 4e-6) << m;
    ASSERT_EQ(scalarNormal(uint32_t(m) | 0x80000000),
              -scalarNormal(uint32_t(m)));
  }
  EXPECT_LT(std::fabs(scalarNormal(0)), 6.4);
}

// As docs/Language.md says: from 140,000 on, the number is below 4.
TEST(RandomTest, NormalIsNearlyThatOfF64) {
  for (uint32_t m = 140000; m < 0x80000000; m += m / 256)
    for (uint32_t lower : {0u, 0x80000000u, ~0u})
      ASSERT_NEAR(scalarNormal(m), scalarNormal(m, lower), 3e-6) << m;
}

TEST(RandomTest, Moments) {
  constexpr int64_t n = 1 << 20;
  std::vector<double> values(n);
  auto moment = [&](int power) {
    double sum = 0;
    for (double v : values)
      sum += std::pow(v, power);
    return sum / n;
  };
  tdrt_random_normal_f64(values.data(), 0, n, 1, 1);
  EXPECT_NEAR(moment(1), 0, 5e-3);
  EXPECT_NEAR(moment(2), 1, 1e-2);
  EXPECT_NEAR(moment(3), 0, 2e-2);
  EXPECT_NEAR(moment(4), 3, 6e-2);
  tdrt_random_uniform_f64(values.data(), 0, n, 1, 2);
  EXPECT_NEAR(moment(1), 0.5, 2e-3);
  EXPECT_NEAR(moment(2), 1.0 / 3, 2e-3);
}

TEST(RandomTest, Randint) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  std::vector<int64_t> wide(10000);
  std::vector<int32_t> narrow(10000);
  ASSERT_EQ(
      tdrt_random_randint_i64(ctx, wide.data(), 0, 10000, 5, 6, -3, 7, -1), 0);
  ASSERT_EQ(
      tdrt_random_randint_i32(ctx, narrow.data(), 0, 10000, 5, 6, -3, 7, -1),
      0);
  int counts[10] = {};
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(wide[i], narrow[i]);
    ASSERT_EQ(wide[i],
              -3 + int64_t(uint64_t(referenceWord(i, 5, 6)) * 10 >> 32));
    ++counts[wide[i] + 3];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 150);

  // The full range of int64: the word itself, from two halves.
  ASSERT_EQ(tdrt_random_randint_i64(ctx, wide.data(), 10, 4, 5, 6, INT64_MIN,
                                    INT64_MAX, -1),
            0);
  r123::Philox4x32::ctr_type counter = {{6, 0, 2, 0x80000000}};
  r123::Philox4x32::key_type key = {{5, 0}};
  uint64_t word = uint64_t(referenceWord(10, 5, 6)) << 32 |
                  r123::Philox4x32()(counter, key)[2];
  __extension__ typedef unsigned __int128 Wide;
  EXPECT_EQ(uint64_t(wide[0]) - uint64_t(INT64_MIN),
            uint64_t(Wide(word) * UINT64_MAX >> 64));

  EXPECT_EQ(tdrt_random_randint_i64(ctx, wide.data(), 0, 1, 0, 0, 3, 3, -1),
            106);
  EXPECT_EQ(ctx.error(),
            "error[TR106]: randint from 3 to below 3 has no numbers\n");
  EXPECT_EQ(tdrt_random_randint_i32(ctx, narrow.data(), 0, 1, 0, 0, 0,
                                    int64_t(1) << 32, -1),
            106);
}

TEST(RandomTest, BoundsOfEveryDtype) {
  struct Row {
    int32_t dtype;
    int64_t least, most;
  };
  const Row rows[] = {{TDRT_I64, INT64_MIN, INT64_MAX - 1},
                      {TDRT_I32, INT32_MIN, INT32_MAX},
                      {TDRT_I16, -32768, 32767},
                      {TDRT_I8, -128, 127},
                      {TDRT_U8, 0, 255},
                      {TDRT_U16, 0, 65535},
                      {TDRT_U32, 0, UINT32_MAX},
                      {TDRT_BOOL, 0, 1}};
  tdrt_program program = emptyProgram();
  for (const Row &row : rows) {
    Opened ctx(program);
    EXPECT_EQ(tdrt_check_randint(ctx, row.least, row.most + 1, row.dtype, -1),
              0);
    EXPECT_EQ(tdrt_check_randint(ctx, 1, 1, row.dtype, -1), 106);
    if (row.dtype == TDRT_I64)
      continue;
    EXPECT_EQ(tdrt_check_randint(ctx, row.least - 1, 1, row.dtype, -1), 106);
    EXPECT_EQ(tdrt_check_randint(ctx, 0, row.most + 2, row.dtype, -1), 106);
  }
  Opened ctx(program);
  EXPECT_EQ(tdrt_check_randint(ctx, 0, INT64_MAX, TDRT_U64, -1), 0);
  EXPECT_EQ(tdrt_check_randint(ctx, 0, 257, TDRT_U8, -1), 106);
  EXPECT_EQ(ctx.error(), "error[TR106]: randint from 0 to below 257 does not "
                         "fit u8\n");
  EXPECT_EQ(tdrt_check_randint(ctx, -1, 3, TDRT_U64, -1), 106);
}

TEST(RandomTest, Permutation) {
  for (int64_t n : {0, 1, 2, 63, 64, 65, 1437}) {
    std::vector<int64_t> order(n);
    tdrt_random_permutation_i64(order.data(), n, 1, 2);
    std::vector<int64_t> expected(n);
    for (int64_t i = 0; i < n; ++i)
      expected[i] = i;
    for (int64_t i = n - 1; i > 0; --i)
      std::swap(expected[i],
                expected[uint64_t(referenceWord(i, 1, 2)) * (i + 1) >> 32]);
    EXPECT_EQ(order, expected);
    std::sort(order.begin(), order.end());
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(order[i], i);
  }
}

TEST(RandomTest, Stream) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  int64_t seed = -1;
  EXPECT_EQ(tdrt_next_random(ctx, &seed), 0);
  EXPECT_EQ(seed, 0);
  EXPECT_EQ(tdrt_next_random(ctx, &seed), 1);
  tdrt_seed(ctx, 42);
  EXPECT_EQ(tdrt_next_random(ctx, &seed), 0);
  EXPECT_EQ(seed, 42);
}

} // namespace
