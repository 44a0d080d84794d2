//===- InjectionTest.cpp - calls that fail or are skipped -----------------===//

#include "Apart.h"
#include <cstring>

using namespace tdc_sim_test;

namespace {

using Numbers = std::vector<unsigned>;

/// Makes the calls one after the other until one fails; returns its error.
CUresult run(const std::vector<std::function<CUresult()>> &calls) {
  for (const auto &call : calls)
    if (CUresult result = call())
      return result;
  return CUDA_SUCCESS;
}

/// A small program as a runtime would run it; returns its status and the sum
/// that it read.
CUresult runProgram(unsigned &sum) {
  CUcontext context;
  CUmodule module;
  CUfunction store;
  CUstream stream;
  CUevent event;
  CUdeviceptr pointer;
  void *pinned;
  unsigned value = 5;
  void *parameters[] = {&pointer, &value};
  return run({
      [&] { return cuInit(0); },
      [&] { return cuDevicePrimaryCtxRetain(&context, 0); },
      [&] { return cuCtxSetCurrent(context); },
      [&] {
        return cuModuleLoadDataEx(&module, kKernels, 0, nullptr, nullptr);
      },
      [&] { return cuModuleGetFunction(&store, module, "store"); },
      [&] { return cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING); },
      [&] { return cuEventCreate(&event, CU_EVENT_DEFAULT); },
      [&] { return cuMemAlloc_v2(&pointer, 4); },
      [&] { return cuMemHostAlloc(&pinned, 4, 0); },
      [&] { return cuMemsetD8Async(pointer, 0, 4, stream); },
      [&] {
        return cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters,
                              nullptr);
      },
      [&] { return cuMemcpyDtoHAsync_v2(pinned, pointer, 4, stream); },
      [&] { return cuEventRecord(event, stream); },
      [&] { return cuEventSynchronize(event); },
      [&] {
        memcpy(&sum, pinned, 4);
        return cuMemFreeHost(pinned);
      },
      [&] { return cuMemFree_v2(pointer); },
      [&] { return cuEventDestroy_v2(event); },
      [&] { return cuStreamDestroy_v2(stream); },
      [&] { return cuModuleUnload(module); },
      [&] { return cuDevicePrimaryCtxRelease_v2(0); },
  });
}

const char *const kCalls[] = {
    "cuInit",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuModuleLoadDataEx",
    "cuModuleGetFunction",
    "cuStreamCreate",
    "cuEventCreate",
    "cuMemAlloc",
    "cuMemHostAlloc",
    "cuMemsetD8Async",
    "cuLaunchKernel",
    "cuMemcpyDtoHAsync",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuMemFreeHost",
    "cuMemFree",
    "cuEventDestroy",
    "cuStreamDestroy",
    "cuModuleUnload",
    "cuDevicePrimaryCtxRelease",
};

TEST(Injections, EachCallCanFailWithEachCode) {
  for (const char *name : kCalls) {
    for (int code : {1, 2, 600, 719, 999, 4321}) {
      SCOPED_TRACE(name);
      std::string fault = std::string(name) + "@1=" + std::to_string(code);
      runApart(withDevices(1, {{"TDC_SIM_FAULT", fault}}), [=] {
        unsigned sum = 0;
        EXPECT_EQ(runProgram(sum), static_cast<CUresult>(code));
      });
    }
  }
  runApart(withDevices(1), [] {
    unsigned sum = 0;
    EXPECT_EQ(runProgram(sum), CUDA_SUCCESS);
    EXPECT_EQ(sum, 5u);
  });
}

TEST(Injections, TheCallDoesNothingAndTheNextOneWorks) {
  Environment environment = withDevices(
      1, {{"TDC_SIM_FAULT", "cuMemAlloc@2=2,cuMemsetD8Async@1=999"}});
  runApart(environment, [] {
    start();
    CUdeviceptr first = allocateWith({1}), none = 77;
    EXPECT_EQ(cuMemAlloc_v2(&none, 8), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(none, 77u);
    allocate(8);
    EXPECT_EQ(cuMemsetD8Async(first, 9, 4, nullptr), CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(read(first, 1), Numbers{1});
    EXPECT_EQ(cuMemsetD8Async(first, 0, 4, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(read(first, 1), Numbers{0});
  });
}

TEST(Injections, FaultsOfKernelsStay) {
  struct {
    int code;
    bool stays;
  } const kCodes[] = {{1, false},   {2, false},   {214, true}, {600, false},
                      {700, true},  {701, false}, {702, true}, {710, true},
                      {713, false}, {714, true},  {716, true}, {719, true},
                      {720, false}, {999, false}};
  for (auto &[code, stays] : kCodes) {
    std::string fault = "cuMemsetD8Async@1=" + std::to_string(code);
    runApart(withDevices(1, {{"TDC_SIM_FAULT", fault}}),
             [code = code, stays = stays] {
               start();
               CUdeviceptr pointer = allocate(4);
               auto expected = static_cast<CUresult>(code);
               EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, nullptr), expected);
               EXPECT_EQ(cuCtxSynchronize(), stays ? expected : CUDA_SUCCESS);
               if (stays)
                 expectFault("cuMemsetD8Async fails as TDC_SIM_FAULT says");
             });
  }
}

/// Writes in one stream and reads in another, with an event between them.
/// Returns the status and whether the host had waited for the result.
CUresult runTwoStreams(bool &isValid) {
  CUstream first = makeStream(), second = makeStream();
  CUevent event = makeEvent();
  CUdeviceptr pointer = allocate(4);
  static unsigned result;
  return run({
      [&] { return cuMemsetD8Async(pointer, 0, 4, first); },
      [&] { return cuEventRecord(event, first); },
      [&] { return cuStreamWaitEvent(second, event, 0); },
      [&] { return cuMemcpyDtoHAsync_v2(&result, pointer, 4, second); },
      [&] {
        CUresult status = cuStreamSynchronize(second);
        isValid = tdc_sim_is_valid(&result, 4);
        return status;
      },
  });
}

TEST(Skips, AMissingCallIsFound) {
  auto runSkipping = [](const char *skip, CUresult expected, bool expectValid) {
    runWithSeeds(withDevices(1, {{"TDC_SIM_SKIP", skip}}), [=] {
      start();
      bool isValid = false;
      EXPECT_EQ(runTwoStreams(isValid), expected);
      if (expected == CUDA_SUCCESS) {
        EXPECT_EQ(isValid, expectValid);
      }
    });
  };
  runSkipping("cuEventRecord@0", CUDA_SUCCESS, true);
  runSkipping("cuEventRecord@2,cuStreamWaitEvent@2", CUDA_SUCCESS, true);
  runSkipping("cuEventRecord@1", CUDA_ERROR_LAUNCH_FAILED, false);
  runSkipping("cuStreamWaitEvent@1", CUDA_ERROR_LAUNCH_FAILED, false);
  runSkipping("cuStreamSynchronize@1", CUDA_SUCCESS, false);
  runSkipping("cuMemsetD8Async@1", CUDA_ERROR_LAUNCH_FAILED, false);
}

} // namespace
