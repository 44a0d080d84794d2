//===- LaunchTest.cpp - modules, kernels and their faults -----------------===//

#include "Apart.h"
#include <cstring>

using namespace tdc_sim_test;

namespace {

using Numbers = std::vector<unsigned>;

TEST(Launches, KernelsRun) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction store = getKernel("store"), add = getKernel("add");
    CUdeviceptr pointer = allocate(12);
    EXPECT_EQ(launch(store, pointer, 40, 3), CUDA_SUCCESS);
    EXPECT_EQ(launch(add, pointer, 2, 2), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 3), (Numbers{42, 42, 40}));
  });
}

TEST(Launches, ParametersAreTakenWhenTheCallIsMade) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction store = getKernel("store");
    CUdeviceptr pointer = allocate(4), other = allocate(4);
    unsigned value = 1;
    void *parameters[] = {&pointer, &value};
    CUdeviceptr target = pointer;
    EXPECT_EQ(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                             nullptr),
              CUDA_SUCCESS);
    value = 2;
    pointer = other;
    EXPECT_EQ(read(target, 1), Numbers{1});
  });
}

TEST(Launches, KernelsAreNotRunIfTheyAreOnlyCounted) {
  runApart(withDevices(1, {{"TDC_SIM_EXECUTE", "0"}}), [] {
    start();
    CUdeviceptr pointer = allocateWith({1});
    EXPECT_EQ(launch(getKernel("store"), pointer, 2, 1), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 1), Numbers{1});
    EXPECT_EQ(launch(getKernel("store"), 0, 2, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  });
}

TEST(Launches, SizesAreChecked) {
  runApart(withDevices(1), [] {
    start();
    CUfunction store = getKernel("store"), small = getKernel("small");
    CUdeviceptr pointer = allocate(4);
    unsigned value = 0;
    void *parameters[] = {&pointer, &value};
    struct {
      unsigned grid[3], block[3];
    } const kWrong[] = {
        {{0, 1, 1}, {1, 1, 1}},          {{1, 0, 1}, {1, 1, 1}},
        {{1, 1, 0}, {1, 1, 1}},          {{1, 1, 1}, {0, 1, 1}},
        {{1, 1, 1}, {1, 0, 1}},          {{1, 1, 1}, {1, 1, 0}},
        {{0x80000000, 1, 1}, {1, 1, 1}}, {{1, 65536, 1}, {1, 1, 1}},
        {{1, 1, 65536}, {1, 1, 1}},      {{1, 1, 1}, {1025, 1, 1}},
        {{1, 1, 1}, {32, 33, 1}},        {{1, 1, 1}, {1, 1, 65}},
        {{1, 1, 1}, {65536, 65536, 1}},
    };
    for (auto &[grid, block] : kWrong) {
      EXPECT_EQ(cuLaunchKernel(store, grid[0], grid[1], grid[2], block[0],
                               block[1], block[2], 0, nullptr, parameters,
                               nullptr),
                CUDA_ERROR_INVALID_VALUE);
    }
    // .maxntid of the kernel is 64.
    EXPECT_EQ(cuLaunchKernel(small, 1, 1, 1, 65, 1, 1, 0, nullptr,
                             parameters + 1, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("kernel 'small': a block of 65x1x1 threads, where 64 are the "
                "most");
    EXPECT_EQ(cuLaunchKernel(small, 1, 1, 1, 64, 1, 1, 0, nullptr,
                             parameters + 1, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(
        cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
        CUDA_ERROR_INVALID_VALUE);
    void *null[] = {&pointer, nullptr};
    EXPECT_EQ(
        cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, null, nullptr),
        CUDA_ERROR_INVALID_VALUE);
    expectFault("`a parameter` is null");
    EXPECT_EQ(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                             parameters),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("`extra` is not simulated");
  });
}

/// A multiprocessor has 65,536 registers, and a thread may use 255; warps are
/// allocated registers in units of 256.
TEST(Launches, RegistersAreChecked) {
  struct {
    std::string directives;
    unsigned fits;
  } const kCases[] = {{"", 256},
                      {".maxntid 512", 512},
                      {".reqntid 512", 512},
                      {".maxnreg 32", 1024},
                      {".maxnreg 64", 1024},
                      {".maxnreg 65", 896},
                      {".maxnreg 80", 768},
                      {".maxnreg 128", 512},
                      {".maxnreg 300", 256},
                      {".maxnreg 128\n.maxntid 1024", 1024}};
  for (auto &[directives, fits] : kCases) {
    SCOPED_TRACE(directives);
    const std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".visible .entry k()\n" +
                             directives + "\n{\nret;\n}\n";
    const bool isLimited =
        fits < 1024 && directives.find("ntid") == std::string::npos;
    runApart(withDevices(1), [&, fits = fits] {
      start();
      CUmodule module = nullptr;
      CUfunction kernel = nullptr;
      EXPECT_EQ(cuModuleLoadDataEx(&module, text.c_str(), 0, nullptr, nullptr),
                CUDA_SUCCESS);
      EXPECT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
      auto launchWith = [&](unsigned threads) {
        return cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, nullptr,
                              nullptr, nullptr);
      };
      EXPECT_EQ(launchWith(fits), CUDA_SUCCESS);
      if (!isLimited)
        return;
      EXPECT_EQ(launchWith(fits + 1), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
      expectFault("threads may have too few registers: there are enough for " +
                  std::to_string(fits));
    });
  }
}

TEST(Launches, SharedMemoryIsChecked) {
  struct {
    const char *architecture;
    int most;
  } const kCases[] = {{"80", 166912}, {"90", 232448}};
  for (auto &[architecture, most] : kCases) {
    runApart(withDevices(1, {{"TDC_SIM_ARCH", architecture}}), [&,
                                                                most = most] {
      start();
      CUfunction small = getKernel("small");
      unsigned value = 0;
      void *parameters[] = {&value};
      auto launchWith = [&](unsigned bytes) {
        return cuLaunchKernel(small, 1, 1, 1, 1, 1, 1, bytes, nullptr,
                              parameters, nullptr);
      };
      // 1024 bytes are static.
      EXPECT_EQ(launchWith(49152 - 1024), CUDA_SUCCESS);
      EXPECT_EQ(launchWith(49152 - 1023), CUDA_ERROR_INVALID_VALUE);
      expectFault("48129 bytes of dynamic shared memory, where 48128 are "
                  "allowed");
      const auto kAttribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
      EXPECT_EQ(cuFuncSetAttribute(small, kAttribute, most - 1023),
                CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuFuncSetAttribute(small, kAttribute, -1),
                CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuFuncSetAttribute(small, kAttribute, most - 1024),
                CUDA_SUCCESS);
      EXPECT_EQ(launchWith(most - 1024), CUDA_SUCCESS);
      EXPECT_EQ(launchWith(most - 1023), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    });
  }
}

TEST(Modules, FunctionsAndAttributes) {
  runApart(withDevices(1), [] {
    start();
    CUfunction small = getKernel("small");
    struct {
      CUfunction_attribute attribute;
      int value;
    } const kExpected[] = {
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 64},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1024},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48128},
    };
    int value = -1;
    for (auto &[attribute, expected] : kExpected) {
      EXPECT_EQ(cuFuncGetAttribute(&value, attribute, small), CUDA_SUCCESS);
      EXPECT_EQ(value, expected) << "attribute " << attribute;
    }
    EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, small),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncSetAttribute(small, CU_FUNC_ATTRIBUTE_NUM_REGS, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, small),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST(Modules, UnloadingWaitsAndEndsFunctions) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUmodule module = nullptr;
    CUfunction store = nullptr, again = nullptr;
    CUdeviceptr pointer = allocate(4);
    EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&store, module, "nothing"),
              CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(cuModuleGetFunction(&store, module, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleGetFunction(nullptr, module, "store"),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleGetFunction(&store, module, "store"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&again, module, "store"), CUDA_SUCCESS);
    EXPECT_EQ(store, again);
    EXPECT_EQ(launch(store, pointer, 3, 1, makeStream()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(launch(store, pointer, 3, 1), CUDA_ERROR_INVALID_HANDLE);
    expectFault("function 1 was destroyed");
    EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleGetFunction(&store, module, "store"),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(read(pointer, 1), Numbers{3});
  });
}

TEST(Modules, WhatCannotBeLoadedIsToldInTheLog) {
  runApart(withDevices(1), [] {
    start();
    char log[64], shortLog[8];
    CUmodule module = nullptr;
    auto size = [](uintptr_t bytes) { return reinterpret_cast<void *>(bytes); };
    CUjit_option options[] = {
        CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, size(sizeof log), shortLog, size(sizeof shortLog)};
    EXPECT_EQ(cuModuleLoadDataEx(&module,
                                 "\x7f"
                                 "ELF...",
                                 4, options, values),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_STREQ(log, "simulated GPUs execute PTX, not machine code");
    EXPECT_EQ(values[1], size(strlen(log) + 1));
    EXPECT_STREQ(shortLog, "");
    values[0] = shortLog;
    values[1] = size(sizeof shortLog);
    EXPECT_EQ(
        cuModuleLoadDataEx(&module, "\x50\xed\x55\xba...", 2, options, values),
        CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_STREQ(shortLog, "simulat");
    EXPECT_STREQ(tdc_sim_last_fault(), "");
    EXPECT_EQ(cuModuleLoadDataEx(&module, "no PTX", 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(cuModuleLoadDataEx(&module,
                                 ".version 8.0\n.target sm_90\n"
                                 ".address_size 64\n",
                                 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    auto unknown = static_cast<CUjit_option>(0);
    EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 1, &unknown, values),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("option 0 of modules is not simulated");
    EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 1, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadDataEx(&module, nullptr, 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadDataEx(nullptr, kKernels, 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    values[0] = log;
    values[1] = size(sizeof log);
    EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 2, options, values),
              CUDA_SUCCESS);
    EXPECT_STREQ(log, "");
  });
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST(Faults, OfAKernelBreakItsContextForGood) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    Environment environment =
        withDevices(2, {{"TDC_SIM_SEED", std::to_string(seed)}});
    std::string text = runApart(environment, [] {
      start(1);
      CUdeviceptr elsewhere = allocateWith({1});
      CUcontext context = start(0);
      EXPECT_STREQ(tdc_sim_last_fault(), "");
      CUfunction store = getKernel("store");
      CUdeviceptr pointer = allocate(8);
      CUstream stream = makeStream();
      // This call may already report it, or a later one.
      CUresult result = launch(store, pointer, 1, 3, stream);
      EXPECT_TRUE(result == CUDA_SUCCESS ||
                  result == CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
      expectFault("'store'");
      std::string fault = tdc_sim_last_fault();
      CUdeviceptr more = 0;
      EXPECT_EQ(cuMemAlloc_v2(&more, 8), CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(more, 0u) << "allocated in a broken context";
      EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(fault, tdc_sim_last_fault());
      // Calls that need no context still work, and so do other devices, but not
      // with objects of the broken context.
      int count = 0;
      EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
      CUcontext current = nullptr;
      EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
      EXPECT_EQ(current, context);
      start(1);
      EXPECT_EQ(cuMemsetD8Async(elsewhere, 0, 4, stream),
                CUDA_ERROR_ILLEGAL_ADDRESS);
      EXPECT_EQ(read(elsewhere, 1), Numbers{1});
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
      // Not even a new context helps, as on a real GPU in the same process.
      EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
      EXPECT_EQ(cuDevicePrimaryCtxRetain(&current, 0),
                CUDA_ERROR_ILLEGAL_ADDRESS);
    });
    // The fault is on standard error once, with the seed.
    size_t first = text.find("tdc simulated GPU: device 0: ");
    EXPECT_EQ(first, 0u) << text;
    EXPECT_EQ(text.find("tdc simulated GPU", first + 1), std::string::npos);
    EXPECT_TRUE(contains(text, "(TDC_SIM_SEED=" + std::to_string(seed) + ")\n"))
        << text;
  }
}

TEST(Faults, WhatABrokenContextHasQueuedIsDropped) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction store = getKernel("store");
    CUdeviceptr pointer = allocateWith({1});
    unsigned *result = allocatePinned(1);
    *result = 0;
    CUstream stream = makeStream();
    launch(store, pointer, 2, 2, stream);
    cuMemcpyDtoHAsync_v2(result, pointer, 4, stream);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_NE(*result, 1u);
    EXPECT_NE(*result, 2u);
  });
}

TEST(Faults, AreWhatKernelsDoWithPointers) {
  using Wrong = std::function<CUdeviceptr(CUdeviceptr)>;
  const std::vector<Wrong> kWrong = {
      [](CUdeviceptr) { return CUdeviceptr(0); },
      [](CUdeviceptr pointer) { return pointer + 8; },
      [](CUdeviceptr pointer) {
        EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
        return pointer;
      },
      [](CUdeviceptr) {
        static unsigned host;
        return reinterpret_cast<CUdeviceptr>(&host);
      },
      [](CUdeviceptr) {
        CUcontext current = nullptr;
        EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
        start(1);
        CUdeviceptr elsewhere = allocate(8);
        EXPECT_EQ(cuCtxSetCurrent(current), CUDA_SUCCESS);
        return elsewhere;
      },
  };
  for (const Wrong &wrong : kWrong)
    runApart(withDevices(2), [&] {
      start(0);
      CUfunction store = getKernel("store");
      CUdeviceptr pointer = wrong(allocate(8));
      launch(store, pointer, 1, 1);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}

TEST(Faults, PeersMayBeTouchedOnceThatIsAllowed) {
  runApart(withDevices(2), [] {
    CUcontext second = start(1);
    CUdeviceptr there = allocate(4);
    start(0);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
    EXPECT_EQ(launch(getKernel("store"), there, 6, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(second), CUDA_SUCCESS);
    EXPECT_EQ(read(there, 1), Numbers{6});
  });
}

TEST(Faults, AKernelAndItsStreamAreOfOneDevice) {
  runApart(withDevices(2), [] {
    start(1);
    CUstream stream = makeStream();
    start(0);
    EXPECT_EQ(launch(getKernel("store"), allocate(4), 1, 1, stream),
              CUDA_ERROR_INVALID_HANDLE);
    expectFault("kernel 'store' is loaded on device 0 and launched on "
                "device 1");
  });
}

/// Adds in one stream to numbers that another one stores.
void addInTwoStreams(bool ordered) {
  start();
  CUstream first = makeStream(), second = makeStream();
  CUevent event = makeEvent();
  CUdeviceptr pointer = allocateWith({0});
  EXPECT_EQ(launch(getKernel("store"), pointer, 10, 1, first), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
  if (ordered) {
    EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
  }
  // The seed decides which of the kernels have run by now.
  launch(getKernel("add"), pointer, 1, 1, second);
  EXPECT_EQ(cuCtxSynchronize(),
            ordered ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED);
  if (ordered) {
    EXPECT_EQ(read(pointer, 1)[0], 11u);
  } else {
    expectFault("race: kernel ");
  }
}

TEST(MissingWaits, OfKernels) {
  runWithSeeds(withDevices(1), [] { addInTwoStreams(true); });
  runWithSeeds(withDevices(1), [] { addInTwoStreams(false); });
}

} // namespace
