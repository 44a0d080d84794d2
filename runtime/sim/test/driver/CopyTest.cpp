//===- CopyTest.cpp - memory and copies, one after the other --------------===//

#include "Apart.h"
#include <cstring>

using namespace tdc_sim_test;

namespace {

using Numbers = std::vector<unsigned>;

TEST(Copies, RoundTrip) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr first = allocateWith({1, 2, 3, 4});
    CUdeviceptr second = allocate(16);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(second, first, 16, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(second + 4, 0xff, 4, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(read(second, 4), (Numbers{1, 0xffffffff, 3, 4}));
    EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(0), CUDA_SUCCESS);
  });
}

TEST(Copies, WithinADeviceMayOverlap) {
  runApart(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith({1, 2, 3, 4});
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(pointer + 4, pointer, 12, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 4), (Numbers{1, 1, 2, 3}));
  });
}

TEST(Copies, BetweenDevices) {
  for (const char *peer : {"0", "1"}) {
    runWithSeeds(withDevices(2, {{"TDC_SIM_PEER", peer}}), [] {
      CUcontext second = start(1);
      CUdeviceptr there = allocate(8);
      CUcontext first = start(0);
      CUdeviceptr here = allocateWith({5, 6});
      EXPECT_EQ(cuMemcpyPeerAsync(there, second, here, first, 8, nullptr),
                CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
      EXPECT_EQ(read(there, 2), (Numbers{5, 6}));
      EXPECT_EQ(cuMemcpyPeerAsync(there, first, here, first, 8, nullptr),
                CUDA_ERROR_INVALID_VALUE);
      expectFault("from device 0 to device 1, but the contexts are of "
                  "device 0 and device 0");
      EXPECT_EQ(cuMemcpyPeerAsync(there, nullptr, here, first, 8, nullptr),
                CUDA_ERROR_INVALID_CONTEXT);
    });
  }
}

TEST(Copies, OverrunsAreRefused) {
  runApart(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith({1, 2, 3, 4}), other = allocate(64);
    unsigned host[8] = {};
    const char *kText = "ends 4 bytes past the end of allocation 1 (16 bytes) "
                        "of device 0";
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, host, 20, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault(std::string("the destination ") + kText);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(host, pointer + 8, 12, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault(std::string("the source ") + kText);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(other, pointer, 20, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(pointer, other, 20, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 17, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    auto *pinned = allocatePinned(4);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(other, pinned, 20, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(pinned + 1, pointer, 16, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    // None of these calls has done anything.
    EXPECT_EQ(read(pointer, 4), (Numbers{1, 2, 3, 4}));
  });
}

TEST(Copies, PointersOfTheWrongSideAreRefused) {
  runApart(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith({1, 2});
    unsigned host[2] = {};
    auto *pinned = allocatePinned(2);
    auto asDevice = [](void *p) { return reinterpret_cast<CUdeviceptr>(p); };
    auto *asHost = reinterpret_cast<void *>(pointer);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(asDevice(host), host, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("the destination is not in the memory of any device");
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(asDevice(pinned), host, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("the destination is pinned memory of the host");
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, asHost, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("the source is an address of device 0");
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(asHost, pointer, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(nullptr, pointer, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, nullptr, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(pointer, 0, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemsetD8Async(0, 0, 8, nullptr), CUDA_ERROR_INVALID_VALUE);
    // Copies of no bytes are valid with any pointer.
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(nullptr, 0, 0, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(0, nullptr, 0, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(0, 0, 0, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(0, 0, 0, nullptr), CUDA_SUCCESS);
  });
}

TEST(Copies, FreedMemoryIsRefused) {
  runApart(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith({1, 2});
    unsigned host[2];
    EXPECT_EQ(cuMemFree_v2(pointer + 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
    expectFault("allocation 1 (8 bytes) of device 0 is freed a second time");
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(host, pointer, 8, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    expectFault("the source lies in allocation 1 (8 bytes) of device 0, which "
                "was freed");
    EXPECT_EQ(cuMemFree_v2(reinterpret_cast<CUdeviceptr>(host)),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Copies, WhatWasNeverWrittenCannotBeRead) {
  auto body = [] {
    start();
    CUdeviceptr pointer = allocate(16), other = allocate(16);
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 8, nullptr), CUDA_SUCCESS);
    // Copying unwritten bytes between devices is no mistake yet.
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(other, pointer, 16, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(read(other, 2), (Numbers{0, 0}));
    unsigned host[4];
    cuMemcpyDtoHAsync_v2(host, other, 16, nullptr);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("byte 8 of them was never written");
  };
  runWithSeeds(withDevices(1), body);
  // When no kernel runs, no byte could have been written.
  runApart(withDevices(1, {{"TDC_SIM_EXECUTE", "0"}}), [] {
    start();
    EXPECT_EQ(read(allocate(4), 1).size(), 1u);
  });
}

TEST(Copies, AllocationsFillTheDeviceAndNoMore) {
  runApart(withDevices(2, {{"TDC_SIM_MEMORY", "4096"}}), [] {
    start();
    CUdeviceptr first = allocate(3000), none = 0;
    EXPECT_EQ(cuMemAlloc_v2(&none, 1097), CUDA_ERROR_OUT_OF_MEMORY);
    expectFault("device 0 has 1096 bytes free of 4096 bytes, not 1097 bytes");
    EXPECT_EQ(cuMemAlloc_v2(&none, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemAlloc_v2(nullptr, 8), CUDA_ERROR_INVALID_VALUE);
    size_t free = 0, total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&free, &total), CUDA_SUCCESS);
    EXPECT_EQ(free, 1096u);
    EXPECT_EQ(cuMemGetInfo_v2(nullptr, &total), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFree_v2(first), CUDA_SUCCESS);
    allocate(4096);
    start(1);
    allocate(4096);
  });
}

TEST(Copies, PinnedMemory) {
  runApart(withDevices(1), [] {
    start();
    auto *pinned = allocatePinned(1000);
    memset(pinned, 1, 4000);
    EXPECT_EQ(cuMemFreeHost(pinned + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
    void *none = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&none, 8, 16), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostAlloc(nullptr, 8, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuMemHostAlloc(&none, 8, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
  });
}

} // namespace
