//===- GpuTest.cpp - memory, copies and kernels on GPUs -------------------===//

#include "device/cuda/CudaGraph.h"
#include "program/Context.h"
#include "support/GpuPrograms.h"
#include <cstring>

using namespace tdrt_test;

namespace {

TEST(GpuTest, ArenasAndConstants) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    gpus.arenaBytes = {4000, 800};
    std::vector<float> values = counting(100);
    const tdrt_gpu_constant constants[] = {{2, 0, 256, 400, values.data()},
                                           {1, 0, 0, 4, values.data() + 7}};
    gpus.gpu.num_constants = 2;
    gpus.gpu.constants = constants;
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    std::vector<float> expected(1000);
    expected[0] = 7;
    EXPECT_EQ(floatsOf(ctx, gpus, 1, ctx->devices[0].arena, 1000), expected);
    char *arena = static_cast<char *>(ctx->devices[1].arena);
    EXPECT_EQ(floatsOf(ctx, gpus, 2, arena + 256, 100), values);
    EXPECT_EQ(floatsOf(ctx, gpus, 2, arena, 64), std::vector<float>(64));
    EXPECT_EQ(word(arena) % 64, 0u);
  });
}

TEST(GpuTest, UnusedGpuIsNotOpened) {
  checkWithGpus(2, {{"TDC_SIM_FAULT", "cuDevicePrimaryCtxRetain@2=999"}}, [] {
    GpuProgram gpus(2);
    gpus.arenaBytes[0] = -1;
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    std::vector<float> values = counting(10);
    void *arena = ctx->devices[1].arena;
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 2), arena, values.data(), 40),
              0);
    EXPECT_EQ(floatsOf(ctx, gpus, 2, arena, 10), values);
    // No operation on all GPUs opens it either.
    gpus.exportFunction([](tdrt_context *, const tdrt_tensor *,
                           tdrt_tensor *) -> int32_t { return 0; });
    EXPECT_EQ(tdrt_main(ctx), 0) << ctx.error();
    EXPECT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0) << ctx.error();
    EXPECT_EQ(tdrt_bytes_in_use(ctx), 4096);
    std::string stats = tdrt_stats_json(ctx);
    EXPECT_EQ(stats.substr(stats.find("\"peak\"")),
              "\"peak\":{\"cpu\":0,\"cuda:1\":4096}}\n");
  });
}

TEST(GpuTest, Launch) {
  for (const char *seed : {"1", "2", "3"})
    checkWithGpus(1, {{"TDC_SIM_SEED", seed}}, [] {
      GpuProgram gpus(1);
      Opened ctx(gpus.program);
      ASSERT_EQ(ctx.status, 0) << ctx.error();
      const int64_t n = 1000;
      std::vector<float> values = counting(n);
      void *x = allocate(ctx, 1, n), *y = allocate(ctx, 1, n);
      ASSERT_EQ(
          tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), n * 4), 0);
      // The program may overwrite the host memory again.
      std::fill(values.begin(), values.end(), -1.0f);
      ASSERT_EQ(addOne(ctx, 1, x, y, n), 0) << ctx.error();
      ASSERT_EQ(addOne(ctx, 1, y, y, n), 0) << ctx.error();
      ASSERT_EQ(tdrt_copy_on_device(ctx, 1, x, y, n * 4, 0), 0) << ctx.error();
      EXPECT_EQ(floatsOf(ctx, gpus, 1, x, n), counting(n, 2));
      tdrt_free(ctx, 1, x);
      tdrt_free(ctx, 1, y);
      // A launch on an empty tensor does nothing; one on too large a tensor is
      // an error.
      EXPECT_EQ(addOne(ctx, 1, x, y, 0), 0);
      EXPECT_EQ(tdrt_launch(ctx, 1, WriteNowhere, int64_t(1) << 31, nullptr, 2),
                202);
      EXPECT_EQ(ctx.error(),
                "error[TR202]: a tensor is too large for one launch on cuda:0: "
                "2147483648 blocks, at most 2147483647 are possible\n"
                "  --> gpu.tdsl:3\n");
    });
}

// More shared memory than a kernel gets by default.
TEST(GpuTest, DynamicSharedMemory) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    std::vector<float> values = counting(32);
    void *x = allocate(ctx, 1, 32), *y = allocate(ctx, 1, 32);
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), 128),
              0);
    const uint64_t parameters[] = {word(x), word(y)};
    ASSERT_EQ(tdrt_launch(ctx, 1, ReverseShared, 1, parameters, 0), 0)
        << ctx.error();
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(floatsOf(ctx, gpus, 1, y, 32), values);
  });
}

TEST(GpuTest, LargeCopies) {
  for (const char *seed : {"1", "2", "3", "4", "5"})
    checkWithGpus(1, {{"TDC_SIM_SEED", seed}}, [] {
      GpuProgram gpus(1);
      Opened ctx(gpus.program);
      // More than the staging memory holds, and not a multiple of its parts.
      for (int64_t n : {1, 300000, 2500001}) {
        std::vector<float> values = counting(n);
        void *x = allocate(ctx, 1, n);
        ASSERT_EQ(
            tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), n * 4),
            0);
        std::vector<float> back = floatsOf(ctx, gpus, 1, x, n);
        EXPECT_TRUE(back == values) << n;
        tdrt_free(ctx, 1, x);
      }
    });
}

TEST(GpuTest, ManySmallCopies) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    const int64_t n = 5000;
    std::vector<float> values = counting(n);
    char *x = static_cast<char *>(allocate(ctx, 1, n));
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(
          tdrt_transfer(ctx, gpus.transfer(0, 1), x + 4 * i, &values[i], 4), 0);
    EXPECT_EQ(floatsOf(ctx, gpus, 1, x, n), values);
  });
}

TEST(GpuTest, Peers) {
  for (const char *peer : {"0", "1"})
    for (const char *seed : {"1", "2", "3"})
      checkWithGpus(2, {{"TDC_SIM_PEER", peer}, {"TDC_SIM_SEED", seed}}, [] {
        GpuProgram gpus(2);
        Opened ctx(gpus.program);
        const int64_t n = 4000;
        std::vector<float> values = counting(n);
        void *x = allocate(ctx, 1, n), *y = allocate(ctx, 2, n);
        ASSERT_EQ(
            tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), n * 4),
            0);
        ASSERT_EQ(addOne(ctx, 1, x, x, n), 0) << ctx.error();
        ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), y, x, n * 4), 0)
            << ctx.error();
        ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), y, x, 0), 0);
        // The next use of x waits for the copy, and so does that of y.
        ASSERT_EQ(addOne(ctx, 1, x, x, n), 0) << ctx.error();
        ASSERT_EQ(addOne(ctx, 2, y, y, n), 0) << ctx.error();
        ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(2, 1), x, y, n * 4), 0);
        ASSERT_EQ(addOne(ctx, 2, y, y, n), 0) << ctx.error();
        EXPECT_EQ(floatsOf(ctx, gpus, 1, x, n), counting(n, 2));
        EXPECT_EQ(floatsOf(ctx, gpus, 2, y, n), counting(n, 3));
      });
}

TEST(GpuTest, Counters) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    gpus.transfers[gpus.transfer(2, 0)].site = 0;
    gpus.transfers[gpus.transfer(2, 0)].implied = 1;
    gpus.transfers[gpus.transfer(1, 2)].site = -1;
    Opened ctx(gpus.program);
    std::vector<float> values = counting(1000000);
    void *x = allocate(ctx, 1, 1000000), *y = allocate(ctx, 2, 1000000);
    auto copy = [&](int32_t from, int32_t to, void *target, const void *source,
                    int64_t bytes) {
      EXPECT_EQ(
          tdrt_transfer(ctx, gpus.transfer(from, to), target, source, bytes),
          0);
    };
    copy(0, 1, x, values.data(), 4000000);
    copy(0, 1, x, values.data(), 0);
    copy(1, 2, y, x, 100);
    copy(2, 0, values.data(), y, 8);
    copy(2, 0, values.data(), y, 8);
    EXPECT_EQ(
        tdrt_copy_on_device(ctx, 2, y, static_cast<char *>(y) + 64, 64, 0), 0);
    std::string text = tdrt_stats_json(ctx);
    EXPECT_EQ(
        text,
        "{\"copies\":["
        "{\"src\":\"cpu\",\"dst\":\"cuda:0\",\"logical\":2,\"physical\":4,"
        "\"bytes\":4000000,\"implicit\":0},"
        "{\"src\":\"cuda:0\",\"dst\":\"cuda:1\",\"logical\":1,\"physical\":1,"
        "\"bytes\":100,\"implicit\":0},"
        "{\"src\":\"cuda:1\",\"dst\":\"cpu\",\"logical\":2,\"physical\":2,"
        "\"bytes\":16,\"implicit\":2}],"
        "\"sites\":["
        "{\"line\":0,\"src\":\"cuda:0\",\"dst\":\"cuda:1\",\"executed\":1,"
        "\"bytes\":100},"
        "{\"line\":1,\"src\":\"cpu\",\"dst\":\"cuda:0\",\"executed\":2,"
        "\"bytes\":4000000},"
        "{\"line\":1,\"src\":\"cuda:1\",\"dst\":\"cpu\",\"executed\":2,"
        "\"bytes\":16}],"
        "\"loops\":[],\"arena\":{\"cpu\":0,\"cuda:0\":4096,"
        "\"cuda:1\":4096},\"peak\":{\"cpu\":0,\"cuda:0\":4004096,"
        "\"cuda:1\":4004096}}\n");
  });
}

TEST(GpuTest, MemoryIsReusedAndCounted) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    int64_t before = tdrt_bytes_in_use(ctx);
    void *first = allocate(ctx, 1, 250);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before + 1000);
    EXPECT_EQ(word(first) % 64, 0u);
    tdrt_free(ctx, 1, first);
    tdrt_free(ctx, 1, nullptr);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
    EXPECT_EQ(allocate(ctx, 1, 250), first);
    EXPECT_NE(allocate(ctx, 1, 250), first);
  });
}

//===----------------------------------------------------------------------===//
// Indexes that kernels report
//===----------------------------------------------------------------------===//

const char kIndexError[] = "error[TR103]: index 70 is out of range for size 7\n"
                           "  --> gpu.tdsl:5\n";

// The copied value is available, but an index used for it was out of range.
// Small uploads are held back, to be joined with more.
TEST(GpuTest, MemoryIsFreedAfterItsUpload) {
  checkWithGpus(1, {{"TDC_SIM_MEMORY", "1000000"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    const int64_t n = 90000;
    const float value = 7;
    void *first = allocate(ctx, 1, n), *second = allocate(ctx, 1, n);
    float *end = static_cast<float *>(second) + n - 1;
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 1), end, &value, 4), 0);
    tdrt_free(ctx, 1, first);
    tdrt_free(ctx, 1, second);
    // There is room only if both are given back; it does not reach the end.
    allocate(ctx, 1, n + n / 2);
    EXPECT_EQ(tdrt_cuda_synchronize(ctx, 0), 0) << ctx.error();
  });
}

TEST(GpuTest, ReportedIndexComesWithACopy) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(reportIndex(ctx, 1, 70, 7, 4), 0) << ctx.error();
    EXPECT_EQ(ctx->attention, 0);
    floatsOf(ctx, gpus, 1, ctx->devices[0].arena, 1);
    EXPECT_EQ(ctx->attention, 1);
    EXPECT_EQ(tdrt_poll(ctx), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
    // The first error was reported, and is not reported again.
    floatsOf(ctx, gpus, 1, ctx->devices[0].arena, 1);
    EXPECT_EQ(ctx->attention, 0);
  });
}

// Also for a copy of no elements.
TEST(GpuTest, ReportedIndexComesWithAnEmptyCopy) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(reportIndex(ctx, 1, 70, 7, 4), 0);
    floatsOf(ctx, gpus, 1, ctx->devices[0].arena, 0);
    EXPECT_EQ(tdrt_poll(ctx), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
  });
}

// A program in which no kernel can fail has no reports to read.
TEST(GpuTest, NoKernelReports) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.kernels[ReportIndex].reports = 0;
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx->devices[0].record, nullptr);
    floatsOf(ctx, gpus, 1, ctx->devices[0].arena, 1);
    EXPECT_EQ(tdrt_poll(ctx), 0);
  });
}

TEST(GpuTest, FirstReportedIndexIsKept) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(reportIndex(ctx, 1, 70, 7, 4), 0);
    ASSERT_EQ(reportIndex(ctx, 1, 80, 8, 5), 0);
    ASSERT_EQ(tdrt_cuda_synchronize(ctx, 0), 0);
    EXPECT_EQ(tdrt_poll(ctx), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
  });
}

TEST(GpuTest, ReportedIndexBeforeTheEndOfMain) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.program.main = [](tdrt_context *ctx) {
      return reportIndex(ctx, 1, 70, 7, 4);
    };
    Opened ctx(gpus.program);
    EXPECT_EQ(tdrt_main(ctx), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
  });
}

TEST(GpuTest, ReportedIndexBeforeTheEndOfACall) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    static int32_t result;
    gpus.exportFunction(
        [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) {
          if (result != 1)
            reportIndex(ctx, 1, 70, 7, 4);
          return result == 2 ? 999 : 0;
        });
    Opened ctx(gpus.program);
    EXPECT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
    // A call that failed earlier does not affect the next one.
    result = 2;
    EXPECT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 999);
    result = 1;
    EXPECT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0) << ctx.error();
  });
}

// The bad index on cuda:0 affects the value that cuda:1 returns.
TEST(GpuTest, ReportedIndexOfAnotherGpu) {
  checkWithGpus(3, {}, [] {
    GpuProgram gpus(3);
    Opened ctx(gpus.program);
    auto arena = [&](int k) { return ctx->devices[k].arena; };
    floatsOf(ctx, gpus, 3, arena(2), 1);
    ASSERT_EQ(reportIndex(ctx, 1, 70, 7, 4), 0);
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), arena(1), arena(0), 4),
              0);
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(2, 3), arena(2), arena(1), 4),
              0);
    floatsOf(ctx, gpus, 3, arena(2), 1);
    EXPECT_EQ(tdrt_poll(ctx), 103);
    EXPECT_EQ(ctx.error(), kIndexError);
  });
}

//===----------------------------------------------------------------------===//
// Calls, graphs, ends
//===----------------------------------------------------------------------===//

TEST(GpuTest, CallTakesBackWhatItAllocates) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.exportFunction(
        [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) {
          allocate(ctx, 1, 1000);
          return 0;
        });
    Opened ctx(gpus.program);
    ASSERT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0);
    int64_t once = tdrt_bytes_in_use(ctx);
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), once);
  });
}

TEST(GpuTest, Graph) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    tdrt_gpu_program own = gpus.gpu;
    tdrt::CudaDevice device(tdrt::Driver::get(), 0, own);
    char *x = static_cast<char *>(device.allocateArena(400));
    tdrt::CudaGraph graph(device);
    const uint64_t parameters[] = {word(x), word(x), 50};
    const uint64_t report[] = {word(device.getRecord()), 70, 7, 4};
    graph.begin();
    device.launch(AddOne, 2, parameters, nullptr);
    device.copy(x + 200, x, 200);
    device.launch(ReportIndex, 1, report, nullptr);
    graph.end();
    tdrt_gpu_record taken;
    EXPECT_FALSE(device.takeReports(taken));
    std::vector<float> values(100);
    device.download(values.data(), x, 400);
    EXPECT_EQ(values, std::vector<float>(100));
    for (int i = 0; i < 3; ++i)
      graph.launch();
    device.download(values.data(), x, 400);
    EXPECT_EQ(values, std::vector<float>(100, 3));
    EXPECT_TRUE(device.takeReports(taken));
    EXPECT_EQ(taken.index, 70);
    // A graph that is abandoned during capture does not block the device.
    {
      tdrt::CudaGraph other(device);
      other.begin();
      device.launch(AddOne, 2, parameters, nullptr);
    }
    device.launch(AddOne, 2, parameters, nullptr);
    device.download(values.data(), x, 4);
    EXPECT_EQ(values[0], 4);
  });
}

// Another library of the process may have chosen a GPU.
TEST(GpuTest, CurrentContextStays) {
  checkWithGpus(2, {}, [] {
    const tdrt::Driver &driver = tdrt::Driver::get();
    CUcontext others = nullptr, current = nullptr;
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&others, 1), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuCtxSetCurrent(others), CUDA_SUCCESS);
    auto isCurrent = [&] {
      driver.cuCtxGetCurrent(&current);
      return current == others;
    };
    GpuProgram gpus(2);
    {
      Opened ctx(gpus.program);
      EXPECT_TRUE(isCurrent());
      for (int32_t device : {1, 2}) {
        void *x = allocate(ctx, device, 100);
        std::vector<float> values(100);
        EXPECT_EQ(
            tdrt_transfer(ctx, gpus.transfer(0, device), x, values.data(), 400),
            0);
        EXPECT_EQ(addOne(ctx, device, x, x, 100), 0) << ctx.error();
        EXPECT_TRUE(isCurrent());
        tdrt_free(ctx, device, x);
      }
      EXPECT_EQ(tdrt_main(ctx), 0) << ctx.error();
      EXPECT_TRUE(isCurrent());
    }
    EXPECT_TRUE(isCurrent());
    EXPECT_EQ(driver.cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
  });
}

// A program makes its GPU's context current once, however many operations
// follow.
TEST(GpuTest, ContextIsChosenOnce) {
  auto countChoices = [](int launches) {
    std::map<std::string, int> calls = countCalls(1, [=] {
      static int left;
      left = launches;
      GpuProgram gpus(1);
      gpus.program.main = [](tdrt_context *ctx) -> int32_t {
        void *arena = ctx->devices[0].arena;
        const uint64_t parameters[] = {word(arena), word(arena), 10};
        int32_t status = 0;
        for (; left > 0 && status == 0; --left)
          status = tdrt_launch(ctx, 1, AddOne, 1, parameters, 0);
        return status;
      };
      Opened ctx(gpus.program);
      EXPECT_EQ(tdrt_main(ctx), 0) << ctx.error();
    });
    return calls["cuCtxGetCurrent"] + calls["cuCtxSetCurrent"];
  };
  EXPECT_EQ(countChoices(3), countChoices(300));
}

// Other GPUs are made current for each operation, and only for it.
TEST(GpuTest, SecondGpuInOneRun) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    gpus.program.main = [](tdrt_context *ctx) -> int32_t {
      for (int32_t device : {2, 1, 2}) {
        void *x = ctx->devices[device - 1].arena;
        void *y = allocate(ctx, device, 10);
        if (int32_t status = addOne(ctx, device, x, y, 10))
          return status;
        tdrt_free(ctx, device, y);
      }
      return 0;
    };
    Opened ctx(gpus.program);
    EXPECT_EQ(tdrt_main(ctx), 0) << ctx.error();
  });
}

// Launches that repeat with the same words, or with two sets of words in
// alternation, become graphs; with three sets they stay launches.
TEST(GpuTest, SequenceThatComesAgain) {
  auto run = [](int iterations, int buffers) {
    return countCalls(1, [=] {
      GpuProgram gpus(1);
      gpus.setSequence({AddOne, ReportIndex, AddOne}, {0, 1, 2});
      Opened ctx(gpus.program);
      char *arena = static_cast<char *>(ctx->devices[0].arena);
      for (int iteration = 0; iteration < iterations; ++iteration) {
        // The second kernel has no blocks and thus nothing to report.
        void *x = arena + iteration % buffers * 64, *y = arena + 1024;
        const uint64_t words[] = {1, word(x), word(x), 16,      0,       0, 0,
                                  0, 0,       1,       word(y), word(y), 16};
        ASSERT_EQ(tdrt_launch_sequence(ctx, 0, words), 0) << ctx.error();
      }
      for (int buffer = 0; buffer < buffers; ++buffer)
        EXPECT_EQ(floatsOf(ctx, gpus, 1, arena + buffer * 64, 1).front(),
                  iterations / buffers);
      EXPECT_EQ(floatsOf(ctx, gpus, 1, arena + 1024, 1).front(), iterations);
      EXPECT_EQ(tdrt_poll(ctx), 0);
    });
  };
  std::map<std::string, int> calls = run(12, 2);
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 2);
  EXPECT_EQ(calls["cuGraphLaunch"], 4);
  EXPECT_EQ(calls["cuLaunchKernel"], 8 * 2 + 2 * 2);
  calls = run(30, 3);
  EXPECT_EQ(calls["cuGraphLaunch"], 0);
  EXPECT_EQ(calls["cuLaunchKernel"], 30 * 2);
}

// A graph is kept while its last launch may run, and for words that are used
// again.
TEST(GpuTest, SequenceOfManyWords) {
  std::map<std::string, int> calls = countCalls(1, [] {
    GpuProgram gpus(1);
    gpus.setSequence({AddOne}, {0});
    Opened ctx(gpus.program);
    char *arena = static_cast<char *>(ctx->devices[0].arena);
    auto launch = [&](int buffer, int iterations) {
      void *x = arena + buffer * 64;
      const uint64_t words[] = {1, word(x), word(x), 16};
      for (int iteration = 0; iteration < iterations; ++iteration)
        ASSERT_EQ(tdrt_launch_sequence(ctx, 0, words), 0) << ctx.error();
    };
    for (int buffer : {0, 1, 2})
      launch(buffer, 6);
    launch(0, 1);
    EXPECT_EQ(floatsOf(ctx, gpus, 1, arena, 1).front(), 7);
  });
  EXPECT_EQ(calls["cuGraphInstantiateWithFlags"], 3);
  EXPECT_EQ(calls["cuGraphLaunch"], 3 * 2 + 1);
}

// A kernel in a graph reports an index as it would outside.
TEST(GpuTest, SequenceThatReports) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.setSequence({AddOne, ReportIndex}, {0, 1});
    Opened ctx(gpus.program);
    char *arena = static_cast<char *>(ctx->devices[0].arena);
    const uint64_t words[] = {1,  word(arena), word(arena),
                              16, 1,           word(ctx->devices[0].record),
                              70, 7,           4};
    for (int iteration = 1; iteration <= 6; ++iteration) {
      ASSERT_EQ(tdrt_launch_sequence(ctx, 0, words), 0) << ctx.error();
      EXPECT_EQ(floatsOf(ctx, gpus, 1, arena, 1).front(), iteration);
      EXPECT_EQ(tdrt_poll(ctx), 103) << iteration;
      EXPECT_EQ(ctx.error(), kIndexError);
      tdrt_forget_last_call(ctx);
    }
  });
}

// More blocks than possible are an error of that launch.
TEST(GpuTest, SequenceWithTooManyBlocks) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.setSequence({WriteNowhere, WriteNowhere}, {0, 2});
    Opened ctx(gpus.program);
    // Repeated often enough to become a graph.
    for (uint64_t blocks : {uint64_t(1) << 31, uint64_t(1) << 32})
      for (int iteration = 0; iteration < 6; ++iteration) {
        const uint64_t words[] = {0, blocks};
        EXPECT_EQ(tdrt_launch_sequence(ctx, 0, words), 202);
        EXPECT_NE(ctx.error().find("gpu.tdsl:3"), std::string::npos)
            << ctx.error();
        tdrt_forget_last_call(ctx);
      }
  });
}

TEST(GpuTest, NoSlotsOfGpusInFiles) {
  checkWithGpus(1, {}, [] {
    TemporaryFolder folder;
    GpuProgram gpus(1);
    const int64_t dims[] = {4};
    const tdrt_slot slots[] = {
        {"w", "w", TDRT_SLOT_PARAM, TDRT_F32, 1, 1, dims, nullptr, 0, 0}};
    gpus.program.num_slots = 1;
    gpus.program.slots = slots;
    const int32_t indexes[] = {0};
    const char *const keys[] = {"w"};
    const tdrt_checkpoint what = {1, 0, indexes, keys, nullptr, nullptr,
                                  0, 0, 0,       0,    nullptr};
    Opened ctx(gpus.program);
    EXPECT_EQ(tdrt_checkpoint_save(ctx, (folder / "w.safetensors").c_str(),
                                   &what, nullptr, 2),
              399);
    EXPECT_EQ(ctx.error(), "error[TR399]: a file is to hold the slot `w` of "
                           "cuda:0\n  --> gpu.tdsl:3\n");
  });
}

// Closing a program frees everything that it left.
TEST(GpuTest, CloseLeavesNothing) {
  TemporaryFolder folder;
  std::string file = folder / "stats.json";
  checkWithGpus(2, {{"TDC_SIM_STATS", file}}, [] {
    for (int i = 0; i < 2; ++i) {
      GpuProgram gpus(2);
      Opened ctx(gpus.program);
      std::vector<float> values = counting(3000);
      void *x = allocate(ctx, 1, 3000), *y = allocate(ctx, 2, 3000);
      tdrt_free(ctx, 1, allocate(ctx, 1, 77));
      EXPECT_EQ(
          tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), 12000), 0);
      EXPECT_EQ(addOne(ctx, 1, x, x, 3000), 0);
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), y, x, 12000), 0);
      EXPECT_EQ(addOne(ctx, 2, y, y, 3000), 0);
      EXPECT_EQ(reportIndex(ctx, 2, 1, 1, 1), 0);
    }
  });
  std::string stats = readFile(file);
  EXPECT_NE(stats, "");
  for (const char *name : {"allocations", "bytes", "pinned", "streams",
                           "events", "modules", "graphs", "executables"})
    EXPECT_NE(stats.find("\"" + std::string(name) + "\": 0"), std::string::npos)
        << name << " in " << stats;
}

} // namespace
