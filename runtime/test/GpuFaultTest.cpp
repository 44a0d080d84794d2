//===- GpuFaultTest.cpp - GPUs that fail ----------------------------------===//

#include "support/Failpoints.h"
#include "support/GpuPrograms.h"
#include <cstring>
#include <regex>

using namespace tdrt_test;

namespace {

/// Whether `whole` contains `text`.
testing::AssertionResult has(const std::string &whole,
                             const std::string &text) {
  if (whole.find(text) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << text << "\" in: " << whole;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

int32_t launchAddOne(tdrt_context *ctx) {
  void *arena = ctx->devices[0].arena;
  const uint64_t parameters[] = {word(arena), word(arena), 10};
  return tdrt_launch(ctx, 1, AddOne, 1, parameters, 0);
}

TEST(GpuFaultTest, NoCodeForTheGpu) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    const tdrt_gpu_image images[] = {{TDRT_IMAGE_PTX, 90, 1, ""},
                                     {TDRT_IMAGE_CUBIN, 86, 1, ""}};
    gpus.gpu.images = images;
    gpus.gpu.num_images = 2;
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 306);
    EXPECT_EQ(ctx.error(),
              "error[TR306]: the program has no code for cuda:0, which is "
              "sm_80: it has code for sm_90, only sm_86\n");
  });
}

TEST(GpuFaultTest, NoCodeAtAll) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.gpu.num_images = 0;
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.error(),
              "error[TR306]: the program has no code for cuda:0, which is "
              "sm_80: it has code for no GPU\n");
  });
}

/// The driver returns `code` when it loads the program's code. The launch that
/// needs the code must return `status`, with an error that has each text of
/// `said`.
void checkLoad(const char *code, int32_t status,
               const std::vector<std::string> &said) {
  checkWithGpus(
      1, {{"TDC_SIM_FAULT", std::string("cuModuleLoadDataEx@1=") + code}}, [&] {
        GpuProgram gpus(1);
        Opened ctx(gpus.program);
        EXPECT_EQ(launchAddOne(ctx), status);
        for (const std::string &text : said)
          EXPECT_TRUE(has(ctx.error(), text));
      });
}

// Each error that a driver may return for code that it cannot use.
TEST(GpuFaultTest, EveryRefusalOfCode) {
  const std::pair<const char *, const char *> refusals[] = {
      {"200", "CUDA_ERROR_INVALID_IMAGE (200)"},
      {"209", "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"},
      {"218", "CUDA_ERROR_INVALID_PTX (218)"},
      {"222", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"}};
  for (auto [code, name] : refusals)
    checkLoad(code, 307,
              {"error[TR307]: the driver refuses the program's code for "
               "cuda:0: ",
               name});
}

TEST(GpuFaultTest, NothingTranslatesCode) {
  const std::string start = "error[TR315]: the driver cannot translate the "
                            "program's code for cuda:0: ";
  checkLoad("221", 315,
            {start + "CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221): PTX JIT "
                     "compiler library not found"});
  checkLoad("223", 315,
            {start + "CUDA_ERROR_JIT_COMPILATION_DISABLED (223): PTX JIT "
                     "compilation was disabled"});
}

TEST(GpuFaultTest, AnotherProcessHasTheGpu) {
  checkWithGpus(2, {{"TDC_SIM_FAULT", "cuDevicePrimaryCtxRetain@2=46"}}, [] {
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 314);
    EXPECT_TRUE(has(ctx.error(),
                    "error[TR314]: cuda:1 is not available: "
                    "CUDA_ERROR_DEVICE_UNAVAILABLE (46): CUDA-capable "
                    "device(s) is/are busy or unavailable"));
  });
}

TEST(GpuFaultTest, NoCodeIsNeededWithoutKernels) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.gpu.num_images = gpus.gpu.num_kernels = 0;
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 0) << ctx.error();
  });
}

// Simulated GPUs refuse machine code: CUDA_ERROR_NO_BINARY_FOR_GPU.
TEST(GpuFaultTest, WhereMachineCodeIsRefusedPTXIsTaken) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    const char code[] = "\177ELF";
    const tdrt_gpu_image cubin = {TDRT_IMAGE_CUBIN, 80, sizeof code, code};
    const tdrt_gpu_image images[] = {gpus.images[0], cubin};
    gpus.gpu.images = images;
    gpus.gpu.num_images = 2;
    Opened ctx(gpus.program);
    EXPECT_EQ(launchAddOne(ctx), 0) << ctx.error();

    GpuProgram alone(1);
    alone.gpu.images = &cubin;
    Opened refused(alone.program);
    EXPECT_EQ(launchAddOne(refused), 307);
    EXPECT_TRUE(has(refused.error(), "CUDA_ERROR_NO_BINARY_FOR_GPU (209)"));
  });
}

TEST(GpuFaultTest, TheNewestCodeIsTaken) {
  GpuProgram gpus(1);
  const char broken[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                        ".visible .entry add_one()\n{\n  mistake;\n}\n";
  tdrt_gpu_image newer = gpus.images[0];
  newer.arch = 90;
  const tdrt_gpu_image images[] = {{TDRT_IMAGE_PTX, 80, sizeof broken, broken},
                                   newer};
  gpus.gpu.images = images;
  gpus.gpu.num_images = 2;
  checkWithGpus(1, {{"TDC_SIM_ARCH", "90"}}, [&] {
    Opened ctx(gpus.program);
    EXPECT_EQ(launchAddOne(ctx), 0) << ctx.error();
  });
  checkWithGpus(1, {{"TDC_SIM_ARCH", "80"}}, [&] {
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 0) << ctx.error();
    EXPECT_EQ(launchAddOne(ctx), 307);
    // The driver's own message, which has the line.
    EXPECT_TRUE(has(ctx.error(), "error[TR307]: the driver refuses the "
                                 "program's code for cuda:0: "
                                 "CUDA_ERROR_INVALID_PTX (218)"));
    EXPECT_TRUE(has(ctx.error(), "mistake"));
    EXPECT_TRUE(has(ctx.error(), "\n  --> gpu.tdsl:1\n"));
  });
  // In any order of the images.
  tdrt_gpu_image older = {TDRT_IMAGE_PTX, 75, sizeof broken, broken};
  const tdrt_gpu_image falling[] = {newer, gpus.images[0], older};
  gpus.gpu.images = falling;
  gpus.gpu.num_images = 3;
  checkWithGpus(1, {{"TDC_SIM_ARCH", "80"}}, [&] {
    Opened ctx(gpus.program);
    EXPECT_EQ(launchAddOne(ctx), 0) << ctx.error();
  });
}

TEST(GpuFaultTest, NoSuchKernel) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.kernels[AddOne].name = "subtract_one";
    Opened ctx(gpus.program);
    EXPECT_EQ(launchAddOne(ctx), 311);
    EXPECT_TRUE(has(ctx.error(), "error[TR311]: cuda:0 failed at finding a "
                                 "kernel: CUDA_ERROR_NOT_FOUND (500)"));
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(GpuFaultTest, OutOfMemory) {
  checkWithGpus(1, {{"TDC_SIM_MEMORY", "1000000"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    ASSERT_EQ(ctx.status, 0) << ctx.error();
    const int64_t some[] = {300000}, half[] = {500000}, much[] = {800000};
    void *x = nullptr, *y = nullptr;
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, some, 0, &x), 0);
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, half, 0, &y), 0);
    // Memory that is kept for reuse is freed for another size.
    tdrt_free(ctx, 1, y);
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, some, 0, &y), 0);
    EXPECT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, much, 2, &y), 308);
    EXPECT_TRUE(has(ctx.error(), "error[TR308]: out of memory on cuda:0: 800.0 "
                                 "KB asked for, and "));
    EXPECT_TRUE(has(ctx.error(), " of 1.0 MB are free; this program holds 4.0 "
                                 "KB for its state and its intermediate values "
                                 "and 600.0 KB in tensors of run-time size\n"
                                 "  --> gpu.tdsl:3\n"));
  });
}

// The message lists only memory that is in use.
TEST(GpuFaultTest, OutOfMemoryWithoutState) {
  checkWithGpus(1, {{"TDC_SIM_MEMORY", "500000"}}, [] {
    GpuProgram gpus(1);
    gpus.arenaBytes = {0};
    Opened ctx(gpus.program);
    const int64_t some[] = {300000}, much[] = {800000};
    void *x = nullptr, *y = nullptr;
    EXPECT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, much, 2, &y), 308);
    EXPECT_TRUE(has(ctx.error(), " are free\n  --> gpu.tdsl:3\n"))
        << ctx.error();
    tdrt_forget_last_call(ctx);
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, some, 0, &x), 0);
    EXPECT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, much, 2, &y), 308);
    EXPECT_TRUE(has(ctx.error(), " are free; this program holds 300.0 KB in "
                                 "tensors of run-time size\n"))
        << ctx.error();
  });
}

TEST(GpuFaultTest, OutOfMemoryOfUnknownSize) {
  checkWithGpus(
      1, {{"TDC_SIM_FAULT", "cuMemAlloc@1=2,cuMemGetInfo@1=999"}}, [] {
        GpuProgram gpus(1);
        Opened ctx(gpus.program);
        EXPECT_EQ(ctx.status, 308);
        EXPECT_TRUE(
            has(ctx.error(), "for its state and its intermediate values; "));
        EXPECT_FALSE(has(ctx.error(), " 0 bytes"));
      });
}

TEST(GpuFaultTest, OutOfMemoryForTheArena) {
  checkWithGpus(2, {{"TDC_SIM_MEMORY", "1000000"}}, [] {
    GpuProgram gpus(2);
    gpus.arenaBytes[1] = 2000000;
    {
      Opened ctx(gpus.program);
      EXPECT_EQ(ctx.status, 308);
      EXPECT_TRUE(has(ctx.error(), "error[TR308]: out of memory on cuda:1: the "
                                   "program needs 2.0 MB there for "));
      EXPECT_TRUE(has(ctx.error(), " of 1.0 MB are free; `tdc report`"));
    }
    gpus.arenaBytes[1] = 200000;
    EXPECT_EQ(Opened(gpus.program).status, 0);
  });
}

//===----------------------------------------------------------------------===//
// Kernels, lost devices
//===----------------------------------------------------------------------===//

TEST(GpuFaultTest, KernelFails) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    {
      Opened ctx(gpus.program);
      EXPECT_EQ(tdrt_launch(ctx, 1, WriteNowhere, 1, nullptr, 6), 0);
      float value;
      void *arena = ctx->devices[0].arena;
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), &value, arena, 4), 309);
      EXPECT_TRUE(has(ctx.error(),
                      "error[TR309]: kernel `write_nowhere`, launched in "
                      "gpu.tdsl:7, or one before it failed on cuda:0: "
                      "CUDA_ERROR_ILLEGAL_ADDRESS (700): "));
      EXPECT_TRUE(has(ctx.error(), "\n  --> gpu.tdsl:2\n"));
      // Every later call fails, too.
      EXPECT_EQ(launchAddOne(ctx), 309);
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 1), arena, &value, 4), 309);
      EXPECT_EQ(tdrt_cuda_synchronize(ctx, 0), 309);
      EXPECT_EQ(tdrt_main(ctx), 309);
      tdrt_stats_json(ctx);
    }
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 310);
    EXPECT_TRUE(has(ctx.error(), "error[TR310]: cuda:0 was lost: a kernel of "
                                 "this process failed before: "));
  });
}

TEST(GpuFaultTest, KernelFailsUnseenByMain) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.program.main = [](tdrt_context *ctx) {
      return tdrt_launch(ctx, 1, WriteNowhere, 1, nullptr, 6);
    };
    Opened ctx(gpus.program);
    EXPECT_EQ(tdrt_main(ctx), 309);
    EXPECT_TRUE(has(ctx.error(), "kernel `write_nowhere`, launched in "
                                 "gpu.tdsl:7, or one before it failed"));
  });
}

// Whichever code the driver returns.
TEST(GpuFaultTest, KernelFailsInAnyWay) {
  for (const char *code :
       {"700", "702", "710", "714", "715", "716", "717", "718", "719"}) {
    std::string fault = std::string("cuEventSynchronize@1=") + code;
    checkWithGpus(1, {{"TDC_SIM_FAULT", fault}}, [] {
      GpuProgram gpus(1);
      Opened ctx(gpus.program);
      EXPECT_EQ(launchAddOne(ctx), 0) << ctx.error();
      float value;
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), &value,
                              ctx->devices[0].arena, 4),
                309);
      EXPECT_TRUE(has(ctx.error(), "kernel `add_one`, launched in gpu.tdsl:"))
          << ctx.error();
    });
  }
}

TEST(GpuFaultTest, MemoryErrorOfTheGpu) {
  checkWithGpus(1, {{"TDC_SIM_FAULT", "cuEventSynchronize@1=214"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    float value;
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), &value,
                            ctx->devices[0].arena, 4),
              310);
    EXPECT_TRUE(has(ctx.error(), "error[TR310]: cuda:0 was lost: "
                                 "CUDA_ERROR_ECC_UNCORRECTABLE (214): "));
  });
}

// If the current context is unknown, closing a program does not change it.
TEST(GpuFaultTest, CurrentContextIsUnknown) {
  TemporaryFolder folder;
  std::string file = folder / "stats.json";
  auto useAndClose = [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(launchAddOne(ctx), 0) << ctx.error();
  };
  checkWithGpus(1, {{"TDC_SIM_STATS", file}}, useAndClose);
  std::smatch calls;
  std::string text = readFile(file);
  ASSERT_TRUE(
      std::regex_search(text, calls, std::regex("CtxGetCurrent\": (\\d+)")));
  std::string fault = "cuCtxGetCurrent@" + calls[1].str() + "=999";
  checkWithGpus(1, {{"TDC_SIM_STATS", file}, {"TDC_SIM_FAULT", fault}},
                useAndClose);
  text = readFile(file);
  EXPECT_TRUE(has(text, "\"modules\": 0"));
  EXPECT_TRUE(has(text, "\"allocations\": 0"));
}

//===----------------------------------------------------------------------===//
// Every call fails once
//===----------------------------------------------------------------------===//

/// Uses every operation that a program can use on GPUs; returns 0, or the first
/// other status.
int32_t useGpus(tdrt_context *ctx, GpuProgram &gpus) {
  const int64_t n = 300000;
  std::vector<float> values(n, 1), back(n);
  void *x = nullptr, *y = nullptr, *replica = nullptr;
  tdrt_handle *handle = nullptr;
  const uint64_t report[] = {word(ctx->devices[0].record), 70, 7, 4};
  const char *name;
  int64_t bytes;
  int32_t status = 0;
  auto then = [&](auto step) {
    if (status == 0)
      status = step();
  };
  then([&] { return tdrt_cuda_device_name(ctx, 0, 0, &name); });
  then([&] { return tdrt_cuda_total_memory(ctx, 0, 0, &bytes); });
  then([&] {
    char *arena = static_cast<char *>(ctx->devices[1].arena);
    int32_t constant = 0;
    int32_t copied =
        tdrt_transfer(ctx, gpus.transfer(2, 0), &constant, arena + 256, 4);
    EXPECT_EQ(constant, copied ? 0 : 7);
    return copied;
  });
  then([&] { return tdrt_alloc_tensor(ctx, 1, TDRT_F32, 1, &n, 0, &x); });
  then([&] { return tdrt_alloc_tensor(ctx, 2, TDRT_F32, 1, &n, 0, &y); });
  auto uploadX = [&] {
    return tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), n * 4);
  };
  then(uploadX);
  then([&] {
    const uint64_t parameters[] = {word(x), word(x), 100};
    return tdrt_launch(ctx, 1, AddOne, 4, parameters, 0);
  });
  then([&] { return tdrt_launch(ctx, 1, ReportIndex, 1, report, 0); });
  then([&] { return tdrt_transfer(ctx, gpus.transfer(1, 2), y, x, n * 4); });
  then(uploadX);
  then([&] { return tdrt_copy_on_device(ctx, 2, y, y, 0, 0); });
  then([&] {
    return tdrt_transfer(ctx, gpus.transfer(2, 0), back.data(), y, n * 4);
  });
  then([&] {
    std::vector<float> expected(n, 1);
    std::fill_n(expected.begin(), 100, 2.0f);
    EXPECT_TRUE(back == expected);
    return tdrt_handle_create(ctx, 0, 4000, 0, &handle, &replica);
  });
  then([&] {
    memset(replica, 0, 4000);
    return tdrt_handle_get(ctx, handle, gpus.transferTo(2), &replica);
  });
  then([&] { return tdrt_launch(ctx, 1, ReportIndex, 1, report, 0); });
  then([&] { return tdrt_cuda_synchronize(ctx, 0); });
  if (handle)
    tdrt_handle_release(ctx, handle);
  if (y)
    tdrt_free(ctx, 2, y);
  return status;
}

/// Opens, uses and closes a program. Every failure must be reported.
int32_t useOnce() {
  GpuProgram gpus(2);
  const int32_t constant = 7;
  const tdrt_gpu_constant constants[] = {{2, 0, 256, 4, &constant}};
  gpus.gpu.num_constants = 1;
  gpus.gpu.constants = constants;
  Opened ctx(gpus.program);
  int32_t status = ctx.status;
  if (status == 0)
    status = useGpus(ctx, gpus);
  if (status == 0) {
    // The index that the kernel reported.
    EXPECT_EQ(ctx->attention, 1);
    EXPECT_EQ(tdrt_poll(ctx), 103);
  } else {
    EXPECT_GE(status, 301) << ctx.error();
    EXPECT_LE(status, 312) << ctx.error();
    EXPECT_EQ(ctx.error().find("error[TR" + std::to_string(status) + "]: "), 0u)
        << ctx.error();
  }
  return status;
}

/// The second program runs, or its failure is reported.
void useTwice() {
  useOnce();
  useOnce();
}

TEST(GpuFaultTest, EveryCallFails) {
  std::map<std::string, int> calls = countCalls(2, useTwice);
  EXPECT_GT(calls.size(), 30u);
  for (auto &[entry, count] : calls)
    for (int call = 1; call <= count; ++call) {
      // Frequent calls are all alike: only some of them are made to fail.
      if (call > 8 && call % 7 != 0)
        continue;
      for (const char *code : {"2", "719", "999"}) {
        std::string fault = entry + "@" + std::to_string(call) + "=" + code;
        Outcome outcome = runWithGpus(2, {{"TDC_SIM_FAULT", fault}}, useTwice);
        EXPECT_EQ(outcome.code, 0) << fault << outcome.out << outcome.err;
      }
    }
}

// Under AddressSanitizer the simulated driver shares this operator new, and its
// own allocations would fail instead.
#ifndef TDRT_ASAN
/// Opens a program, uses it without allocating anything here, and closes it.
/// `succeeding` allocations succeed before one fails, or, if `lasting`, all
/// later ones. Returns whether none failed.
bool useWithAllocations(int64_t succeeding, bool lasting) {
  static char values[3000000];
  GpuProgram gpus(2);
  const char *argv[] = {"test"};
  const int64_t n = sizeof values;
  tdrt_context *ctx = nullptr;
  tdrt_handle *handle = nullptr;
  void *x = nullptr, *y = nullptr, *replica = nullptr;
  const char *name = nullptr;
  arm({Calls::Allocations, succeeding, lasting});
  int32_t status = tdrt_open(&gpus.program, 1, argv, &ctx);
  auto then = [&](auto step) {
    if (status == 0)
      status = step();
  };
  then([&] { return tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, &n, 0, &x); });
  then([&] { return tdrt_alloc_tensor(ctx, 2, TDRT_I8, 1, &n, 0, &y); });
  then([&] { return tdrt_transfer(ctx, gpus.transfer(0, 1), x, values, n); });
  then([&] { return launchAddOne(ctx); });
  then([&] { return tdrt_transfer(ctx, gpus.transfer(1, 2), y, x, n); });
  then([&] { return tdrt_transfer(ctx, gpus.transfer(2, 0), values, y, n); });
  then([&] { return tdrt_handle_create(ctx, 0, n, 0, &handle, &replica); });
  then([&] {
    return tdrt_handle_get(ctx, handle, gpus.transferTo(1), &replica);
  });
  then([&] { return tdrt_cuda_device_name(ctx, 0, 0, &name); });
  if (handle)
    tdrt_handle_release(ctx, handle);
  bool isTold = *tdrt_error_text(ctx) != 0;
  if (ctx)
    tdrt_stats_json(ctx);
  tdrt_close(ctx);
  bool ranThrough = disarm() == 0;
  EXPECT_TRUE(status == 0 || status == 201) << status;
  EXPECT_EQ(isTold, status != 0);
  return ranThrough;
}

TEST(GpuFaultTest, EveryAllocationOfTheHostFails) {
  checkWithGpus(2, {}, [] {
    for (bool lasting : {false, true}) {
      int64_t succeeding = 0;
      while (!useWithAllocations(succeeding, lasting))
        ++succeeding;
      EXPECT_GT(succeeding, 50);
    }
  });
}
#endif

// A wait that is left out is detected, by the runtime or by the driver, for at
// least one order of the work.
TEST(GpuFaultTest, EveryWaitCounts) {
  auto use = [] { EXPECT_EQ(useOnce(), 0); };
  auto isFound = [&](const std::string &skip) {
    for (int seed = 1; seed <= 20; ++seed) {
      Environment environment = {{"TDC_SIM_SKIP", skip},
                                 {"TDC_SIM_SEED", std::to_string(seed)}};
      if (runWithGpus(2, environment, use).code != 0)
        return true;
    }
    return false;
  };
  std::map<std::string, int> calls = countCalls(2, use);
  for (const char *entry : {"cuEventSynchronize", "cuStreamWaitEvent"}) {
    ASSERT_GT(calls[entry], 0) << entry;
    for (int call = 1; call <= calls[entry]; ++call) {
      std::string skip = std::string(entry) + "@" + std::to_string(call);
      EXPECT_TRUE(isFound(skip)) << skip;
    }
  }
  // The first one is where the error has been taken.
  EXPECT_TRUE(isFound("cuStreamSynchronize@2"));
}

// Work that is known to be finished is not waited for again.
TEST(GpuFaultTest, NoWaitIsInVain) {
  std::map<std::string, int> calls = countCalls(2, [] {
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    char *one = static_cast<char *>(ctx->devices[0].arena);
    char *two = static_cast<char *>(ctx->devices[1].arena);
    // The second copy needs no wait: the first one has waited for all work.
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), two, one, 64), 0);
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 2), two + 64, one, 64), 0);
    // Many more copies than the ring has segments, but never more in flight.
    std::vector<char> values(2 << 20);
    const int64_t n = 2 << 20;
    void *x = nullptr;
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_I8, 1, &n, 0, &x), 0);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 1), x, values.data(), n),
                0);
      EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), values.data(), x, n),
                0);
    }
    // cuda:0 has no more work, and it has waited for cuda:1.
    EXPECT_EQ(tdrt_main(ctx), 0);
  });
  EXPECT_EQ(calls["cuStreamWaitEvent"], 1 + 1);
  EXPECT_EQ(calls["cuEventSynchronize"], calls["cuMemcpyDtoHAsync_v2"]);
  EXPECT_EQ(calls["cuStreamSynchronize"], 0);
}

TEST(GpuFaultTest, SmallUploadsAreOne) {
  std::map<std::string, int> calls = countCalls(2, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    char *arena = static_cast<char *>(ctx->devices[0].arena);
    std::vector<float> values = counting(100);
    auto upload = [&](char *to, int64_t count) {
      EXPECT_EQ(
          tdrt_transfer(ctx, gpus.transfer(0, 1), to, values.data(), count * 4),
          0);
    };
    // The second begins at the end of the first, aligned; its source may change
    // at once.
    upload(arena, 25);
    upload(arena + 128, 16);
    values[0] = -1;
    upload(arena + 192, 1);
    // Not so the next one, nor one that follows a kernel.
    upload(arena + 512, 16);
    addOne(ctx, 1, arena, arena + 1024, 25);
    upload(arena + 576, 16);
    EXPECT_EQ(floatsOf(ctx, gpus, 1, arena + 1024, 25), counting(25, 1));
    EXPECT_EQ(floatsOf(ctx, gpus, 1, arena + 128, 16), counting(16));
    EXPECT_EQ(floatsOf(ctx, gpus, 1, arena + 192, 1)[0], -1);
    // An upload to memory that may be freed is not delayed.
    for (int i = 0; i < 2; ++i) {
      const int64_t n = 16;
      void *x = nullptr;
      ASSERT_EQ(tdrt_alloc_tensor(ctx, 1, TDRT_F32, 1, &n, 0, &x), 0);
      upload(static_cast<char *>(x), n);
      tdrt_free(ctx, 1, x);
    }
  });
  EXPECT_EQ(calls["cuMemcpyHtoDAsync_v2"], 3 + 2);
}

TEST(GpuFaultTest, ReadBeforeItArrived) {
  checkWithGpus(1, {{"TDC_SIM_SKIP", "cuEventSynchronize@1"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    float value;
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), &value,
                            ctx->devices[0].arena, 4),
              399);
    EXPECT_TRUE(has(ctx.error(), "error[TR399]: a copy from cuda:0 is read "
                                 "before it has arrived\n"));
  });
}

} // namespace
