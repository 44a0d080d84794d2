//===- StreamTest.cpp - streams, events and missing waits -----------------===//

#include "Apart.h"
#include <cmath>
#include <cstring>
#include <thread>

using namespace tdc_sim_test;

namespace {

using Numbers = std::vector<unsigned>;
constexpr size_t kBytes = 16;

/// The data of most copies.
Numbers getData() { return {1, 2, 3, 4}; }

/// Pinned memory that holds the data.
unsigned *makeData() {
  unsigned *data = allocatePinned(4);
  memcpy(data, getData().data(), kBytes);
  return data;
}

TEST(Streams, ResultsComeInTheOrderOfAStream) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    unsigned *data = makeData(), *result = allocatePinned(4);
    CUdeviceptr first = allocate(kBytes), second = allocate(kBytes);
    EXPECT_EQ(cuMemsetD8Async(first, 9, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(first, data, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(second, first, kBytes, stream),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(result, second, kBytes, stream),
              CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(Numbers(result, result + 4), getData());
    EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
  });
}

//===----------------------------------------------------------------------===//
// The memory that the host may touch
//===----------------------------------------------------------------------===//

TEST(MissingWaits, ACopyToTheHostIsNotThereBeforeTheHostHasWaited) {
  // Found with every seed, whether the copy has run or not.
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith(getData());
    CUstream stream = makeStream();
    unsigned pageable[4] = {}, *pinned = allocatePinned(4);
    for (unsigned *target : {pageable, pinned}) {
      EXPECT_TRUE(tdc_sim_is_valid(target, kBytes));
      EXPECT_EQ(cuMemcpyDtoHAsync_v2(target, pointer, kBytes, stream),
                CUDA_SUCCESS);
      EXPECT_FALSE(tdc_sim_is_valid(target, kBytes));
      EXPECT_FALSE(tdc_sim_is_valid(target + 3, 1));
      EXPECT_TRUE(tdc_sim_is_valid(target + 4, 4));
      // Waiting for something else does not help.
      EXPECT_EQ(cuStreamSynchronize(makeStream()), CUDA_SUCCESS);
      EXPECT_FALSE(tdc_sim_is_valid(target, kBytes));
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      EXPECT_TRUE(tdc_sim_is_valid(target, kBytes));
      EXPECT_EQ(Numbers(target, target + 4), getData());
    }
  });
}

TEST(MissingWaits, SomeSeedsShowNaNsAndSomeTheData) {
  int early = 0, late = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::string text =
        runApart(withDevices(1, {{"TDC_SIM_SEED", std::to_string(seed)}}), [] {
          start();
          CUdeviceptr pointer = allocateWith(getData());
          unsigned *target = makeData();
          EXPECT_EQ(cuMemcpyDtoHAsync_v2(target, pointer, kBytes, makeStream()),
                    CUDA_SUCCESS);
          float number;
          memcpy(&number, target, sizeof number);
          fputs(std::isnan(number) ? "late" : "early", stderr);
        });
    early += text == "early";
    late += text == "late";
  }
  EXPECT_EQ(early + late, kSeeds);
  EXPECT_GE(early, 3);
  EXPECT_GE(late, 3);
}

TEST(MissingWaits, TheSourceOfACopyMustNotChangeBeforeTheHostHasWaited) {
  runWithSeeds(withDevices(1), [] {
    start();
    unsigned *source = makeData();
    CUdeviceptr pointer = allocate(kBytes);
    CUstream stream = makeStream();
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, source, kBytes, stream),
              CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    source[3] = 7; // fine
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, source, kBytes, stream),
              CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(makeStream()), CUDA_SUCCESS); // another one
    source[3] = 8;
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("the host changed what copy of 16 bytes from the host to "
                "device 0 in stream 1 of device 0 reads");
  });
}

TEST(MissingWaits, PageableSourcesAreStaged) {
  runWithSeeds(withDevices(1), [] {
    start();
    Numbers source = getData();
    CUdeviceptr pointer = allocate(kBytes);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, source.data(), kBytes, nullptr),
              CUDA_SUCCESS);
    source.assign(4, 0);
    EXPECT_EQ(read(pointer, 4), getData());
  });
}

TEST(MissingWaits, ATargetThatIsStillToBeReadIsReadFirst) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    unsigned *host = makeData();
    CUdeviceptr first = allocate(kBytes), second = allocateWith({5, 6, 7, 8});
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(first, host, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(host, second, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(second, host, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(read(first, 4), getData());
    EXPECT_EQ(read(second, 4), (Numbers{5, 6, 7, 8}));
    EXPECT_EQ(host[0], 5u);
  });
}

TEST(MissingWaits, PinnedMemoryIsNotFreedWhileItIsInUse) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocate(kBytes);
    unsigned *source = makeData();
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, source, kBytes, makeStream()),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeHost(source), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("of the host is freed while copy of 16 bytes from the host to "
                "device 0 in stream 1 of device 0 may still use it");
  });
}

TEST(MissingWaits, FreeingDeviceMemoryWaitsForItsDeviceOnly) {
  runWithSeeds(withDevices(2), [] {
    CUcontext second = start(1);
    CUstream stream = makeStream();
    CUdeviceptr there = allocate(kBytes);
    CUcontext first = start(0);
    CUdeviceptr here = allocateWith(getData()), other = allocate(kBytes);
    EXPECT_EQ(cuMemcpyDtoDAsync_v2(other, here, kBytes, makeStream()),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(other), CUDA_SUCCESS);
    // The free does not wait for the stream of the other device.
    EXPECT_EQ(cuMemcpyPeerAsync(there, second, here, first, kBytes, stream),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(here), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("is freed while copy of 16 bytes from device 0 to device 1 in "
                "stream 1 of device 1 may still use it");
  });
}

//===----------------------------------------------------------------------===//
// Races between streams
//===----------------------------------------------------------------------===//

/// Two copies in two streams; the first writes the bytes that the second reads.
/// `order` must order the first before the second. Returns the status of the
/// second.
CUresult copyInTwoStreams(const std::function<void(CUstream, CUstream)> &order,
                          unsigned flags = CU_STREAM_NON_BLOCKING) {
  CUstream first = makeStream(flags), second = makeStream(flags);
  unsigned *source = makeData();
  CUdeviceptr pointer = allocate(64), target = allocate(64);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, source, kBytes, first), CUDA_SUCCESS);
  order(first, second);
  CUresult result = cuMemcpyDtoDAsync_v2(target, pointer + 12, 4, second);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(read(target, 1), Numbers{4});
  }
  return result;
}

TEST(Races, AreFoundWithEverySeed) {
  runWithSeeds(withDevices(1), [] {
    start();
    EXPECT_EQ(copyInTwoStreams([](CUstream, CUstream) {}),
              CUDA_ERROR_LAUNCH_FAILED);
    expectFault("race: copy of 4 bytes from device 0 to device 0 in stream 2 "
                "of device 0 reads 4 bytes that copy of 16 bytes from the host "
                "to device 0 in stream 1 of device 0 writes");
    expectFault("(TDC_SIM_SEED=");
  });
}

TEST(Races, AnEventOnTheWrongStreamDoesNotHelp) {
  runWithSeeds(withDevices(1), [] {
    start();
    EXPECT_EQ(copyInTwoStreams([](CUstream, CUstream second) {
                CUevent event = makeEvent();
                EXPECT_EQ(cuEventRecord(event, second), CUDA_SUCCESS);
                EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
              }),
              CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(Races, AnEventThatIsRecordedAnewOrNeverDoesNotHelp) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream other = makeStream();
    EXPECT_EQ(copyInTwoStreams([=](CUstream first, CUstream second) {
                CUevent event = makeEvent();
                EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
                EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
                EXPECT_EQ(cuEventRecord(event, other), CUDA_SUCCESS);
                EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
              }),
              CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(Races, EventsAndWaitsOrder) {
  using Order = std::function<void(CUstream, CUstream)>;
  const std::vector<Order> kOrders = {
      [](CUstream first, CUstream second) {
        CUevent event = makeEvent(CU_EVENT_DISABLE_TIMING);
        EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
        // A wait stays valid after the event is destroyed.
        EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
      },
      [](CUstream first, CUstream second) {
        // Through a third stream.
        CUstream third = makeStream();
        CUevent there = makeEvent(), back = makeEvent();
        EXPECT_EQ(cuEventRecord(there, first), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamWaitEvent(third, there, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuEventRecord(back, third), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamWaitEvent(second, back, 0), CUDA_SUCCESS);
      },
      [](CUstream first, CUstream) {
        EXPECT_EQ(cuStreamSynchronize(first), CUDA_SUCCESS);
      },
      [](CUstream first, CUstream) {
        CUevent event = makeEvent();
        EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
        EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
      },
      [](CUstream, CUstream) { EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS); },
      [](CUstream first, CUstream) {
        while (cuStreamQuery(first) == CUDA_ERROR_NOT_READY) {
        }
      },
      [](CUstream first, CUstream) {
        CUevent event = makeEvent();
        EXPECT_EQ(cuEventRecord(event, first), CUDA_SUCCESS);
        while (cuEventQuery(event) == CUDA_ERROR_NOT_READY) {
        }
      },
      [](CUstream first, CUstream) {
        EXPECT_EQ(cuStreamDestroy_v2(first), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
      },
  };
  for (const Order &order : kOrders)
    runWithSeeds(withDevices(1), [&] {
      start();
      EXPECT_EQ(copyInTwoStreams(order), CUDA_SUCCESS);
    });
}

TEST(Races, TheDefaultStreamOrdersBlockingStreamsOnly) {
  auto touchDefault = [](CUstream, CUstream) {
    EXPECT_EQ(cuMemsetD8Async(allocate(8), 0, 8, nullptr), CUDA_SUCCESS);
  };
  runWithSeeds(withDevices(1), [&] {
    start();
    EXPECT_EQ(copyInTwoStreams(touchDefault, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(copyInTwoStreams(touchDefault, CU_STREAM_NON_BLOCKING),
              CUDA_ERROR_LAUNCH_FAILED);
  });
  // Waiting for the default stream includes waiting for blocking ones.
  runWithSeeds(withDevices(1), [] {
    start();
    auto wait = [](CUstream, CUstream) {
      EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    };
    EXPECT_EQ(copyInTwoStreams(wait, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(copyInTwoStreams(wait, CU_STREAM_NON_BLOCKING),
              CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(Races, ReadersMayReadAtTheSameTime) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr source = allocateWith(getData());
    CUstream reader = nullptr;
    for (int i = 0; i < 4; ++i) {
      reader = makeStream();
      EXPECT_EQ(cuMemcpyDtoDAsync_v2(allocate(kBytes), source, kBytes, reader),
                CUDA_SUCCESS);
    }
    // But no stream may write meanwhile, and only the last reader was waited
    // for.
    CUstream writer = makeStream();
    CUevent event = makeEvent();
    EXPECT_EQ(cuEventRecord(event, reader), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(writer, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(source, 0, 1, writer), CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(Races, WhatComesLaterInTheStreamHidesNoWrite) {
  using Later = std::function<void(CUdeviceptr, CUstream)>;
  const std::vector<Later> kLater = {
      [](CUdeviceptr pointer, CUstream stream) { // reads the same
        EXPECT_EQ(
            cuMemcpyDtoDAsync_v2(allocate(kBytes), pointer, kBytes, stream),
            CUDA_SUCCESS);
      },
      [](CUdeviceptr pointer, CUstream stream) { // writes less
        EXPECT_EQ(cuMemsetD8Async(pointer, 1, 4, stream), CUDA_SUCCESS);
      },
  };
  for (const Later &later : kLater)
    runWithSeeds(withDevices(1), [&] {
      start();
      CUdeviceptr pointer = allocate(kBytes);
      CUstream stream = makeStream();
      EXPECT_EQ(cuMemsetD8Async(pointer, 0, kBytes, stream), CUDA_SUCCESS);
      later(pointer, stream);
      EXPECT_EQ(
          cuMemcpyDtoDAsync_v2(allocate(4), pointer + 12, 4, makeStream()),
          CUDA_ERROR_LAUNCH_FAILED);
      expectFault("memset of 16 bytes");
    });
}

TEST(Races, TheDefaultStreamWaitsForBlockingStreamsThatWereDestroyed) {
  for (unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING})
    runWithSeeds(withDevices(1), [=] {
      start();
      CUdeviceptr pointer = allocate(4);
      CUstream stream = makeStream(flags);
      EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
      EXPECT_EQ(cuMemsetD8Async(pointer, 1, 4, nullptr),
                flags == CU_STREAM_DEFAULT ? CUDA_SUCCESS
                                           : CUDA_ERROR_LAUNCH_FAILED);
    });
}

TEST(Races, TwoCopiesToTheSamePlaceOfTheHost) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr source = allocateWith(getData());
    unsigned target[4];
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(target, source, kBytes, makeStream()),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(target + 3, source, 4, makeStream()),
              CUDA_ERROR_LAUNCH_FAILED);
    expectFault("writes 4 bytes that copy of 16 bytes");
  });
}

TEST(Races, AcrossDevices) {
  for (bool ordered : {false, true}) {
    runWithSeeds(withDevices(2), [=] {
      CUcontext second = start(1);
      CUstream there = makeStream();
      CUdeviceptr target = allocate(kBytes);
      CUcontext first = start(0);
      CUstream here = makeStream();
      CUdeviceptr source = allocate(kBytes);
      EXPECT_EQ(cuMemsetD8Async(source, 1, kBytes, here), CUDA_SUCCESS);
      CUevent event = makeEvent();
      EXPECT_EQ(cuEventRecord(event, here), CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSetCurrent(second), CUDA_SUCCESS);
      if (ordered) {
        EXPECT_EQ(cuStreamWaitEvent(there, event, 0), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuMemcpyPeerAsync(target, second, source, first, kBytes, there),
                ordered ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED);
      if (ordered) {
        EXPECT_EQ(read(target, 1), Numbers{0x01010101});
      }
    });
  }
}

TEST(Races, BreakTheContextOfTheStreamAndNoOther) {
  runApart(withDevices(2), [] {
    start(1);
    CUdeviceptr pointer = allocate(4);
    CUstream first = makeStream(), second = makeStream();
    start(0);
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pointer, 1, 4, second), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("race: ");
    expectFault("(TDC_SIM_SEED=");
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(first), CUDA_ERROR_LAUNCH_FAILED);
  });
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST(Streams, HandlesAreChecked) {
  runApart(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    CUevent event = makeEvent();
    auto *asStream = reinterpret_cast<CUstream>(event);
    EXPECT_EQ(cuStreamSynchronize(asStream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("event 1 is no stream");
    int local = 0;
    EXPECT_EQ(cuStreamQuery(reinterpret_cast<CUstream>(&local)),
              CUDA_ERROR_INVALID_HANDLE);
    expectFault("what is given as stream is no stream");
    EXPECT_EQ(cuStreamDestroy_v2(nullptr), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuEventSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE);
    expectFault("null is no event");
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("event 1 was destroyed");
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuMemsetD8Async(allocate(8), 0, 8, stream),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamCreate(&stream, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuEventCreate(&event, 4), CUDA_ERROR_INVALID_VALUE);
    expectFault("flags 4 are not simulated");
  });
}

TEST(Streams, WhatAStreamHadToDoOutlivesIt) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocate(kBytes);
    CUstream stream = makeStream();
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, kBytes, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 4), (Numbers{0, 0, 0, 0}));
  });
}

TEST(Streams, TwoThatWaitForEachOtherAlternately) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUdeviceptr pointer = allocateWith({0});
    CUstream streams[] = {makeStream(), makeStream()};
    CUevent event = makeEvent();
    // More than the queue of a driver holds: it then runs the oldest
    // operations.
    for (int i = 0; i < 3000; ++i) {
      CUstream stream = streams[i % 2];
      EXPECT_EQ(cuMemsetD8Async(pointer, i % 256, 4, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamWaitEvent(streams[1 - i % 2], event, 0), CUDA_SUCCESS);
    }
    EXPECT_EQ(read(pointer, 1), Numbers{0x01010101u * (2999 % 256)});
  });
}

TEST(Streams, ThreadsHaveTheirOwn) {
  runWithSeeds(withDevices(2), [] {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (unsigned i = 0; i < 4; ++i) {
      threads.emplace_back([i] {
        start(static_cast<int>(i % 2));
        CUstream stream = makeStream();
        CUdeviceptr pointer = allocate(kBytes);
        unsigned *result = allocatePinned(4);
        for (unsigned j = 0; j < 20; ++j) {
          int value = static_cast<int>(16 * i + j);
          EXPECT_EQ(cuMemsetD8Async(pointer, value, kBytes, stream),
                    CUDA_SUCCESS);
          EXPECT_EQ(cuMemcpyDtoHAsync_v2(result, pointer, kBytes, stream),
                    CUDA_SUCCESS);
          EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
          EXPECT_EQ(result[3], 0x01010101u * value);
        }
        EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
      });
    }
    for (std::thread &thread : threads)
      thread.join();
  });
}

TEST(Events, StatesOfAnEvent) {
  runWithSeeds(withDevices(2), [] {
    start(1);
    CUevent foreign = makeEvent();
    start(0);
    CUstream stream = makeStream();
    CUevent event = makeEvent(), other = makeEvent();
    CUevent untimed = makeEvent(CU_EVENT_DISABLE_TIMING);
    float time = -1;
    // Never recorded: nothing to wait for, and no time.
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventElapsedTime(&time, event, event),
              CUDA_ERROR_INVALID_HANDLE);
    expectFault("the event was never recorded");
    EXPECT_EQ(cuEventRecord(foreign, stream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("the event is of device 1, the stream of device 0");
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 1), CUDA_ERROR_INVALID_VALUE);

    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(untimed, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(untimed), CUDA_SUCCESS);
    EXPECT_EQ(cuEventElapsedTime(&time, event, untimed),
              CUDA_ERROR_INVALID_HANDLE);
    expectFault("the event was made without timing");
    EXPECT_EQ(cuMemsetD8Async(allocate(8), 0, 8, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(other, stream), CUDA_SUCCESS);
    int tries = 0;
    CUresult result;
    while ((result = cuEventElapsedTime(&time, event, other)) ==
           CUDA_ERROR_NOT_READY)
      ASSERT_LT(++tries, 1000);
    EXPECT_EQ(result, CUDA_SUCCESS);
    EXPECT_GT(time, 0);
    EXPECT_EQ(cuEventElapsedTime(nullptr, event, other),
              CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Events, TimesAreThoseOfTheModelWhateverTheSeed) {
  // Two copies of 250 kB in opposite directions: 10 us each and 10 to start.
  runWithSeeds(withDevices(1), [] {
    start();
    constexpr size_t kSize = 250000;
    auto *source = allocatePinned<char>(kSize);
    auto *target = allocatePinned<char>(kSize);
    CUdeviceptr in = allocate(kSize), out = allocate(kSize);
    EXPECT_EQ(cuMemsetD8Async(out, 0, kSize, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CUstream first = makeStream(), second = makeStream();
    CUevent begin = makeEvent(), firstEnd = makeEvent(), end = makeEvent();
    EXPECT_EQ(cuEventRecord(begin, first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(in, source, kSize, first), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(firstEnd, first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(target, out, kSize, second), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(second, firstEnd, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(end, second), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
    float time = 0;
    // Each call costs the host 4 us; the two directions do not delay each
    // other.
    EXPECT_EQ(cuEventElapsedTime(&time, begin, firstEnd), CUDA_SUCCESS);
    EXPECT_FLOAT_EQ(time, 0.024F);
    EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_SUCCESS);
    EXPECT_FLOAT_EQ(time, 0.028F);
    EXPECT_EQ(cuEventElapsedTime(&time, end, begin), CUDA_SUCCESS);
    EXPECT_FLOAT_EQ(time, -0.028F);
    // In the same direction one copy waits for the other.
    CUstream third = makeStream();
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(begin, first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(in, source, kSize / 2, first), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoDAsync_v2(in + kSize / 2, source, kSize / 2, third),
              CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(end, third), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_SUCCESS);
    EXPECT_FLOAT_EQ(time, 0.034F);
  });
}

} // namespace
