//===- DeviceTest.cpp - the driver, its devices and contexts --------------===//

#include "Apart.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tdc_sim_test;

namespace {

TEST(Driver, NothingWorksBeforeInit) {
  runApart(withDevices(1), [] {
    int number = 0;
    CUcontext context = nullptr;
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cuDeviceGetCount(&number), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0),
              CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 8), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
    // But these work before cuInit.
    EXPECT_EQ(cuDriverGetVersion(&number), CUDA_SUCCESS);
    EXPECT_GE(number, 12000);
    const char *text = nullptr;
    EXPECT_EQ(cuGetErrorName(CUDA_ERROR_NOT_READY, &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, "CUDA_ERROR_NOT_READY");
    EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  });
}

TEST(Driver, ChildrenCannotUseIt) {
  runApart(withDevices(1), [] {
    start();
    pid_t child = fork();
    if (child == 0) {
      int count;
      _exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                    cuInit(0) == CUDA_ERROR_NOT_INITIALIZED
                ? 0
                : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST(Driver, ErrorsHaveNamesAndTexts) {
  runApart({}, [] {
    const char *text = nullptr;
    EXPECT_EQ(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text),
              CUDA_SUCCESS);
    EXPECT_STREQ(text, "an illegal memory access was encountered");
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(12345), &text),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
    EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Devices, SayWhatTheyAre) {
  runApart(withDevices(1, {{"TDC_SIM_ARCH", "80"}}), [] {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    char name[64];
    EXPECT_EQ(cuDeviceGetName(name, sizeof name, 0), CUDA_SUCCESS);
    EXPECT_STREQ(name, "tdc simulated GPU (sm_80)");
    EXPECT_EQ(cuDeviceGetName(name, 4, 0), CUDA_SUCCESS);
    EXPECT_STREQ(name, "tdc");
    EXPECT_EQ(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
    size_t bytes = 0;
    EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 0), CUDA_SUCCESS);
    EXPECT_EQ(bytes, size_t(16) << 30);
    struct {
      CUdevice_attribute attribute;
      int value;
    } const kExpected[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1410000},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 108},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1215000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 41943040},
        {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 166912},
    };
    for (auto &[attribute, expected] : kExpected) {
      int value = -1;
      EXPECT_EQ(cuDeviceGetAttribute(&value, attribute, 0), CUDA_SUCCESS);
      EXPECT_EQ(value, expected) << "attribute " << attribute;
    }
    int value = -1;
    EXPECT_EQ(
        cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(9999), 0),
        CUDA_ERROR_INVALID_VALUE);
    expectFault("attribute 9999 of devices is not simulated");
  });
}

TEST(Devices, InvalidOnesAndNullPointersAreRefused) {
  runApart(withDevices(2), [] {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    int number = 0;
    size_t bytes = 0;
    char name[8];
    CUcontext context = nullptr;
    for (int device : {-1, 2}) {
      EXPECT_EQ(cuDeviceGet(&number, device), CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDeviceGetName(name, 8, device), CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, device), CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(
          cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device),
          CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDeviceCanAccessPeer(&number, 0, device),
                CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDeviceCanAccessPeer(&number, device, 0),
                CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device),
                CUDA_ERROR_INVALID_DEVICE);
      EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(device),
                CUDA_ERROR_INVALID_DEVICE);
    }
    EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetName(nullptr, 8, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceTotalMem_v2(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    expectFault("`context` is null");
  });
}

TEST(Contexts, MustBeCurrent) {
  runApart(withDevices(2), [] {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    CUdeviceptr pointer = 0;
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 8), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext first = nullptr, again = nullptr, current = nullptr;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&first, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
    EXPECT_EQ(first, again);
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(cuCtxSetCurrent(first), CUDA_SUCCESS);
    // Each thread has its own current context.
    std::thread([&] {
      CUcontext other = first;
      EXPECT_EQ(cuCtxGetCurrent(&other), CUDA_SUCCESS);
      EXPECT_EQ(other, nullptr);
      EXPECT_EQ(cuMemAlloc_v2(&pointer, 8), CUDA_ERROR_INVALID_CONTEXT);
    }).join();
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 8), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&first)),
              CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&pointer, 8), CUDA_ERROR_INVALID_CONTEXT);
  });
}

TEST(Contexts, TheLastReleaseFreesEverything) {
  runApart(withDevices(1, {{"TDC_SIM_MEMORY", "1000"}}), [] {
    CUcontext context = start(), again = nullptr;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
    CUdeviceptr pointer = allocate(900);
    CUstream stream = makeStream();
    CUevent event = makeEvent();
    void *pinned = allocatePinned(16);
    EXPECT_EQ(cuMemsetD8Async(pointer, 1, 900, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    CUdeviceptr more = 0;
    EXPECT_EQ(cuMemAlloc_v2(&more, 900), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuMemAlloc_v2(&more, 900), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);

    start();
    size_t free = 0, total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    EXPECT_EQ(free, 1000u);
    EXPECT_EQ(total, 1000u);
    EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("stream 1 was destroyed");
    EXPECT_EQ(cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST(Contexts, PeerAccess) {
  runApart(withDevices(2), [] {
    CUcontext second = start(1), first = start(0);
    int can = -1;
    EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(cuDeviceCanAccessPeer(&can, 1, 1), CUDA_SUCCESS);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuCtxEnablePeerAccess(first, 0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxEnablePeerAccess(nullptr, 0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0),
              CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    // Peer access ends when either context is released.
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(1), CUDA_SUCCESS);
    second = start(1);
    EXPECT_EQ(cuCtxSetCurrent(first), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    start(0);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0), CUDA_SUCCESS);
  });
  runApart(withDevices(2, {{"TDC_SIM_PEER", "0"}}), [] {
    CUcontext second = start(1);
    start(0);
    int can = -1;
    EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(cuCtxEnablePeerAccess(second, 0),
              CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  });
}

} // namespace
