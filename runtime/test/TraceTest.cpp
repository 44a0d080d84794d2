//===- TraceTest.cpp - TDC_TRACE ------------------------------------------===//

#include "program/Trace.h"
#include "program/Context.h"
#include "support/Failpoints.h"
#include "support/GpuPrograms.h"
#include <algorithm>

using namespace tdrt_test;

namespace {

/// The events of a trace that contain `part`, as text.
std::vector<std::string> eventsWith(const std::string &json,
                                    const std::string &part) {
  std::vector<std::string> found;
  for (size_t begin = 0, end; begin < json.size(); begin = end + 1) {
    end = std::min(json.find('\n', begin), json.size());
    std::string line = json.substr(begin, end - begin);
    if (line.find(part) != std::string::npos)
      found.push_back(line);
  }
  return found;
}

double numberOf(const std::string &event, const std::string &name) {
  size_t at = event.find("\"" + name + "\":");
  EXPECT_NE(at, std::string::npos) << name << " in " << event;
  return std::stod(event.substr(at + name.size() + 3));
}

/// Uploads ten numbers, adds 1 and brings them back.
void useGpu(tdrt_context *ctx, const GpuProgram &gpus) {
  std::vector<float> values = counting(10);
  void *arena = ctx->devices[0].arena;
  ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 1), arena, values.data(), 40),
            0);
  ASSERT_EQ(addOne(ctx, 1, arena, arena, 10, /*site=*/4), 0);
  ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), values.data(), arena, 40),
            0);
  EXPECT_EQ(values, counting(10, 1));
}

// Nothing is recorded unless TDC_TRACE is set; an empty value counts as unset.
TEST(TraceTest, OnlyIfWanted) {
  for (const char *path : {"", "trace.json"})
    checkWithGpus(1, {{"TDC_TRACE", path}}, [=] {
      GpuProgram gpus(1);
      Opened ctx(gpus.program);
      ASSERT_EQ(ctx.status, 0) << ctx.error();
      EXPECT_EQ(tdrt::Context::of(ctx).trace != nullptr, *path != 0);
    });
}

TEST(TraceTest, CopiesAndKernels) {
  checkWithGpus(1, {{"TDC_TRACE", "trace.json"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    useGpu(ctx, gpus);
    std::string json = tdrt::Context::of(ctx).trace->getJson();
    std::vector<std::string> copies = eventsWith(json, "\"bytes\":40,"),
                             kernels = eventsWith(json, "\"add_one\""),
                             waits = eventsWith(json, "\"wait\""),
                             launches = eventsWith(json, "\"launch\"");
    ASSERT_EQ(copies.size(), 2u) << json;
    ASSERT_EQ(launches.size(), 1u) << json;
    ASSERT_EQ(kernels.size(), 1u) << json;
    ASSERT_EQ(waits.size(), 1u) << json;
    EXPECT_EQ(copies[0].substr(0, 36),
              "{\"name\":\"x\",\"ph\":\"X\",\"pid\":1,\"tid\":2");
    EXPECT_NE(copies[0].find("\"from\":\"cpu\",\"to\":\"cuda:0\""),
              std::string::npos);
    EXPECT_EQ(numberOf(copies[1], "tid"), 3);
    EXPECT_NE(kernels[0].find("\"file\":\"gpu.tdsl\",\"line\":5"),
              std::string::npos);
    // One after the other, and the host waits until the last one is done.
    auto end = [](const std::string &event) {
      return numberOf(event, "ts") + numberOf(event, "dur");
    };
    EXPECT_GT(numberOf(copies[0], "dur"), 0);
    EXPECT_LE(end(copies[0]), numberOf(kernels[0], "ts") + 2e-3);
    EXPECT_LE(end(kernels[0]), numberOf(copies[1], "ts") + 2e-3);
    EXPECT_NEAR(end(waits[0]), end(copies[1]), 2e-3);
    // The host is busy during each call.
    EXPECT_EQ(numberOf(launches[0], "pid"), 0);
    EXPECT_EQ(numberOf(launches[0], "line"), 5);
    EXPECT_EQ(numberOf(launches[0], "dur"), 4);
    std::vector<std::string> samples = eventsWith(json, "resident bytes");
    ASSERT_EQ(samples.size(), 2u) << json;
    EXPECT_EQ(numberOf(samples[1], "pid") + numberOf(samples[0], "pid"), 1);
    EXPECT_EQ(numberOf(samples[0], "bytes"), 4096);
  });
}

// The times of the host arrive in a queue of their own, possibly late.
TEST(TraceTest, EverythingOfTheHost) {
  for (int seed = 1; seed <= 20; ++seed) {
    std::string text = std::to_string(seed);
    checkWithGpus(
        1, {{"TDC_TRACE", "trace.json"}, {"TDC_SIM_SEED", text.c_str()}}, [] {
          GpuProgram gpus(1);
          Opened ctx(gpus.program);
          ASSERT_EQ(ctx.status, 0) << ctx.error();
          useGpu(ctx, gpus);
          std::string json = tdrt::Context::of(ctx).trace->getJson();
          EXPECT_EQ(eventsWith(json, "\"pid\":0,\"tid\":0,\"ts\"").size(), 4u)
              << json;
        });
  }
}

// An arrow leads from a copy that runs during kernels to the kernel that waits
// for it.
TEST(TraceTest, Arrows) {
  checkWithGpus(1, {{"TDC_TRACE", "trace.json"}}, [] {
    GpuProgram gpus(1);
    gpus.gpu.pinned_bytes = 64;
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    char *arena = static_cast<char *>(ctx->devices[0].arena);
    int64_t ticket = 0;
    ASSERT_EQ(tdrt_copy_start(ctx, gpus.transfer(0, 1), arena, ctx->pinned, 40,
                              0, &ticket),
              0);
    ASSERT_EQ(addOne(ctx, 1, arena + 128, arena + 128, 10, /*site=*/3), 0);
    ASSERT_EQ(tdrt_copy_wait(ctx, 1, ticket, 0), 0);
    ASSERT_EQ(addOne(ctx, 1, arena, arena, 10, /*site=*/4), 0);
    ASSERT_EQ(addOne(ctx, 1, arena, arena, 10, /*site=*/5), 0);
    ASSERT_EQ(tdrt_cuda_synchronize(ctx, 0), 0);
    std::string json = tdrt::Context::of(ctx).trace->getJson();
    std::vector<std::string> from = eventsWith(json, "\"ph\":\"s\""),
                             to = eventsWith(json, "\"ph\":\"f\""),
                             copies = eventsWith(json, "\"bytes\":40,"),
                             kernels = eventsWith(json, "\"add_one\"");
    ASSERT_EQ(from.size(), 1u) << json;
    ASSERT_EQ(to.size(), 1u) << json;
    ASSERT_EQ(copies.size(), 1u) << json;
    ASSERT_EQ(kernels.size(), 3u) << json;
    EXPECT_EQ(numberOf(from[0], "id"), numberOf(to[0], "id"));
    EXPECT_EQ(numberOf(from[0], "ts"), numberOf(copies[0], "ts"));
    EXPECT_EQ(numberOf(to[0], "ts"), numberOf(kernels[1], "ts"));
  });
}

// Many more times than are kept as events, over a longer period than one
// reference event covers.
TEST(TraceTest, LongRuns) {
  checkWithGpus(1, {{"TDC_TRACE", "trace.json"}, {"TDC_SIM_EXECUTE", "0"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    const int64_t bytes = 4096;
    std::vector<char> data(bytes);
    void *there = nullptr;
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, &bytes, 0, &there), 0);
    const int iterations = 12000;
    for (int i = 0; i < iterations; ++i) {
      ASSERT_EQ(
          tdrt_transfer(ctx, gpus.transfer(0, 1), there, data.data(), bytes),
          0);
      if (i % 1000 == 0)
        tdrt_cuda_synchronize(ctx, 0);
    }
    tdrt_cuda_synchronize(ctx, 0);
    std::vector<std::string> copies = eventsWith(
        tdrt::Context::of(ctx).trace->getJson(), "\"to\":\"cuda:0\"");
    ASSERT_EQ(copies.size(), size_t(iterations));
    EXPECT_GT(numberOf(copies.back(), "ts"), 120e3);
    // From the model of time: 10 us, and the time for the bytes.
    for (const std::string &copy : {copies[2], copies.back()})
      EXPECT_NEAR(numberOf(copy, "dur"), 10 + bytes / 25e3, 0.01);
  });
}

// Driver calls made only for the trace may fail: the trace then has fewer
// events.
TEST(TraceTest, EventsThatFail) {
  for (const char *fault : {"cuEventRecord@2=999", "cuEventElapsedTime@1=999",
                            "cuEventCreate@9=999"})
    checkWithGpus(
        1, {{"TDC_TRACE", "trace.json"}, {"TDC_SIM_FAULT", fault}}, [] {
          GpuProgram gpus(1);
          Opened ctx(gpus.program);
          ASSERT_EQ(ctx.status, 0) << ctx.error();
          useGpu(ctx, gpus);
          EXPECT_EQ(eventsWith(tdrt::Context::of(ctx).trace->getJson(), "\"X\"")
                        .size(),
                    5u);
        });
}

// As in GpuFaultTest: the simulated driver's allocations would fail instead.
#ifndef TDRT_ASAN
/// Opens a program, uses it and writes its trace, where the allocation after
/// `succeeding` others fails; returns whether none did.
bool traceWithAllocations(int64_t succeeding) {
  GpuProgram gpus(1);
  const char *argv[] = {"test"};
  float value = 0;
  tdrt_context *ctx = nullptr;
  arm({Calls::Allocations, succeeding, /*lasting=*/false});
  int32_t status = tdrt_open(&gpus.program, 1, argv, &ctx);
  auto then = [&](auto step) {
    if (status == 0)
      status = step();
  };
  then([&] {
    return tdrt_transfer(ctx, gpus.transfer(0, 1), ctx->devices[0].arena,
                         &value, 4);
  });
  then([&] {
    return tdrt_transfer(ctx, gpus.transfer(1, 0), &value,
                         ctx->devices[0].arena, 4);
  });
  then([&] { return tdrt_report_stats(ctx); });
  tdrt_close(ctx);
  bool ranThrough = disarm() == 0;
  EXPECT_TRUE(status == 0 || status == 201) << status;
  return ranThrough;
}

TEST(TraceTest, EveryAllocationFails) {
  checkWithGpus(1, {{"TDC_TRACE", "/dev/null"}}, [] {
    int64_t succeeding = 0;
    while (!traceWithAllocations(succeeding))
      ++succeeding;
    EXPECT_GT(succeeding, 50);
  });
}
#endif

// Events before a failed kernel are still in the trace.
TEST(TraceTest, KernelThatFails) {
  checkWithGpus(1, {{"TDC_TRACE", "trace.json"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    useGpu(ctx, gpus);
    tdrt_cuda_synchronize(ctx, 0);
    // A driver call made for the trace may be the one that reports the failure.
    int32_t status = tdrt_launch(ctx, 1, WriteNowhere, 1, nullptr, 6);
    EXPECT_EQ(status ? status : tdrt_cuda_synchronize(ctx, 0), 309);
    std::string json = tdrt::Context::of(ctx).trace->getJson();
    EXPECT_EQ(eventsWith(json, "write_nowhere").size(), 0u);
  });
}

TEST(TraceTest, TwoGpus) {
  checkWithGpus(2, {{"TDC_TRACE", "trace.json"}}, [] {
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), ctx->devices[1].arena,
                            ctx->devices[0].arena, 64),
              0);
    ASSERT_EQ(tdrt_copy_on_device(
                  ctx, 2, ctx->devices[1].arena,
                  static_cast<char *>(ctx->devices[1].arena) + 64, 64, 3),
              0);
    std::string json = tdrt::Context::of(ctx).trace->getJson();
    EXPECT_EQ(eventsWith(json, "\"p2p cuda:0\"").size(), 1u);
    std::vector<std::string> copies = eventsWith(json, "\"from\":\"cuda:0\"");
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(numberOf(copies[0], "pid"), 2);
    // The host issues both copies; one of them runs among the kernels.
    EXPECT_EQ(eventsWith(json, "\"copy\",\"ph\":\"X\",\"pid\":0").size(), 2u);
    EXPECT_EQ(eventsWith(json, "\"copy\",\"ph\":\"X\",\"pid\":2").size(), 1u);
  });
}

// Each source GPU of peer copies has a lane of its own, and an arrow to the
// kernel that waits.
TEST(TraceTest, PeersWhileKernelsRun) {
  checkWithGpus(3, {{"TDC_TRACE", "trace.json"}}, [] {
    GpuProgram gpus(3);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    char *to = static_cast<char *>(ctx->devices[2].arena);
    for (int32_t from : {1, 2}) {
      int64_t ticket = 0;
      ASSERT_EQ(tdrt_copy_start(ctx, gpus.transfer(from, 3), to,
                                ctx->devices[from - 1].arena, 64, 0, &ticket),
                0);
      ASSERT_EQ(tdrt_copy_wait(ctx, from, ticket, 0), 0);
      ASSERT_EQ(tdrt_copy_wait(ctx, 3, ticket, 0), 0);
      ASSERT_EQ(addOne(ctx, 3, to, to + 1024, 16), 0);
    }
    std::string json = tdrt::Context::of(ctx).trace->getJson();
    std::vector<int64_t> lanes;
    for (const char *from : {"cuda:0", "cuda:1"}) {
      std::string text = from;
      EXPECT_EQ(eventsWith(json, "\"p2p " + text + "\"").size(), 1u);
      std::vector<std::string> copies =
          eventsWith(json, "\"from\":\"" + text + "\"");
      ASSERT_EQ(copies.size(), 1u);
      EXPECT_EQ(numberOf(copies[0], "pid"), 3);
      lanes.push_back(static_cast<int64_t>(numberOf(copies[0], "tid")));
    }
    EXPECT_NE(lanes[0], lanes[1]);
    EXPECT_EQ(eventsWith(json, "\"arrives\",\"ph\":\"s\"").size(), 2u);
    EXPECT_EQ(eventsWith(json, "\"arrives\",\"ph\":\"f\"").size(), 2u);
  });
}

TEST(TraceTest, WrittenAtTheEnd) {
  TemporaryFolder folder;
  std::string path = folder / "trace.json";
  setenv("TDC_TRACE", path.c_str(), 1);
  tdrt_program program = emptyProgram();
  {
    Opened ctx(program);
    tdrt_out_text(ctx, "", 0);
    EXPECT_EQ(tdrt_out_end(ctx, 0, -1), 0);
    EXPECT_EQ(tdrt_report_stats(ctx), 0);
    std::string json = readFile(path);
    EXPECT_EQ(json.substr(0, 43),
              "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"n");
    ASSERT_EQ(eventsWith(json, "\"print\"").size(), 1u) << json;
    EXPECT_EQ(eventsWith(json, "\"cpu\"").size(), 2u); // process and thread
  }
  // A path that cannot be written is reported before the program runs.
  for (auto [file, error] :
       {std::pair("/no/such/folder/x",
                  "error[TR751]: `/no/such/folder/x`: cannot be written: No "
                  "such file or directory\n"),
        std::pair("/", "error[TR703]: `/`: it is a folder, not a regular "
                       "file\n")}) {
    setenv("TDC_TRACE", file, 1);
    EXPECT_EQ(Opened(program).error(), error);
  }
  // The check that a file can be written leaves no file.
  setenv("TDC_TRACE", (folder / "other.json").c_str(), 1);
  {
    Opened ctx(program);
    EXPECT_EQ(ctx.status, 0) << ctx.error();
    EXPECT_NE(access((folder / "other.json").c_str(), F_OK), 0);
  }
  setenv("TDC_TRACE", "/dev/full", 1);
  {
    Opened ctx(program);
    testing::internal::CaptureStderr();
    EXPECT_EQ(tdrt_report_stats(ctx), 751);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "error[TR751]: `/dev/full`: cannot be written: No space left on "
              "device\n");
  }
  unsetenv("TDC_TRACE");
}

} // namespace
