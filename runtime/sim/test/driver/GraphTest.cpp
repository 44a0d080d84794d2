//===- GraphTest.cpp - capture and graphs ---------------------------------===//

#include "Apart.h"
#include <cstring>
#include <thread>

using namespace tdc_sim_test;

namespace {

using Numbers = std::vector<unsigned>;
constexpr auto kGlobal = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = CU_STREAM_CAPTURE_MODE_RELAXED;

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
  return executable;
}

/// Captures the work that `body` adds to the stream.
CUgraph capture(CUstream stream, const std::function<void()> &body) {
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, kThreadLocal), CUDA_SUCCESS);
  body();
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  return graph;
}

TEST(Graphs, RunWhatWasCapturedEachTimeTheyAreLaunched) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction add = getKernel("add");
    CUstream stream = makeStream(), other = makeStream();
    CUdeviceptr pointer = allocateWith({10, 20});
    unsigned *result = allocatePinned(2);
    CUgraph graph = capture(stream, [&] {
      EXPECT_EQ(launch(add, pointer, 1, 2, stream), CUDA_SUCCESS);
      EXPECT_EQ(launch(add, pointer, 2, 1, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuMemcpyDtoHAsync_v2(result, pointer, 8, stream), CUDA_SUCCESS);
    });
    // Nothing has run.
    EXPECT_EQ(read(pointer, 2), (Numbers{10, 20}));
    CUgraphExec executable = instantiate(graph);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_FALSE(tdc_sim_is_valid(result, 8));
    // A launch follows the previous launch of the graph, in whatever stream.
    EXPECT_EQ(cuGraphLaunch(executable, other), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
    EXPECT_TRUE(tdc_sim_is_valid(result, 8));
    EXPECT_EQ(Numbers(result, result + 2), (Numbers{16, 22}));
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(Numbers(result, result + 2), (Numbers{19, 23}));
    EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("executable graph 1 was destroyed");
    EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_HANDLE);
  });
}

TEST(Graphs, StayUntilTheirLastLaunchIsWaitedFor) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream(), other = makeStream();
    CUdeviceptr pointer = allocate(4);
    CUgraphExec executable = instantiate(
        capture(stream, [&] { cuMemsetD8Async(pointer, 0, 4, stream); }));
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphExecDestroy(executable), CUDA_ERROR_LAUNCH_FAILED);
    expectFault("a graph is destroyed while its last launch may still run");
  });
}

TEST(Graphs, AreOrderedInTheirStream) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction add = getKernel("add");
    CUstream stream = makeStream();
    CUdeviceptr pointer = allocate(4);
    CUgraphExec executable = instantiate(
        capture(stream, [&] { launch(add, pointer, 1, 1, stream); }));
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(launch(add, pointer, 100, 1, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 1), Numbers{103});
  });
}

TEST(Graphs, ReadTheHostWhenTheyRun) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    unsigned *pinned = allocatePinned(1), pageable = 0;
    CUdeviceptr first = allocate(4), second = allocate(4);
    CUgraphExec executable = instantiate(capture(stream, [&] {
      cuMemcpyHtoDAsync_v2(first, pinned, 4, stream);
      cuMemcpyHtoDAsync_v2(second, &pageable, 4, stream);
      // The copy back must not spoil its target, which the first copy still
      // reads.
      cuMemcpyDtoHAsync_v2(pinned, second, 4, stream);
    }));
    for (unsigned i = 1; i < 4; ++i) {
      *pinned = i;
      pageable = 10 * i;
      EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      EXPECT_EQ(read(first, 1), Numbers{i});
      EXPECT_EQ(*pinned, 10 * i);
    }
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
  });
}

/// A fork into a second stream, joined again; the branches write `pointer` at
/// offsets that differ by `distance`.
CUgraph captureFork(CUstream stream, CUstream other, CUdeviceptr pointer,
                    unsigned distance) {
  return capture(stream, [=] {
    CUevent fork = makeEvent(), join = makeEvent();
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 8, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(other, fork, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pointer, 1, 4, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pointer + distance, 2, 4, other), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(join, other), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
  });
}

TEST(Graphs, ForksAndJoins) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUfunction add = getKernel("add");
    CUstream stream = makeStream(), other = makeStream();
    CUdeviceptr pointer = allocate(8);
    CUgraphExec executable =
        instantiate(captureFork(stream, other, pointer, 4));
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(launch(add, pointer, 1, 2, stream), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 2), (Numbers{0x01010102, 0x02020203}));
    // The other stream is free again.
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 8, other), CUDA_SUCCESS);
    EXPECT_EQ(read(pointer, 2), (Numbers{0, 0}));
  });
}

TEST(Graphs, RacesWithinAndWithout) {
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream(), other = makeStream();
    CUgraph graph = captureFork(stream, other, allocate(12), 3);
    CUgraphExec executable = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0),
              CUDA_ERROR_LAUNCH_FAILED);
    expectFault("race: in a graph, memset of 4 bytes of device 0 and memset of "
                "4 bytes of device 0 touch the same bytes");
  });
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream(), other = makeStream();
    CUdeviceptr pointer = allocate(8);
    CUgraphExec executable =
        instantiate(captureFork(stream, other, pointer, 4));
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pointer + 4, 0, 1, other),
              CUDA_ERROR_LAUNCH_FAILED);
    expectFault("race: memset of 1 byte of device 0 in stream 2 of device 0 "
                "writes 1 byte that memset of 8 bytes of device 0 in stream 1");
  });
}

TEST(Graphs, WithWhatIsGone) {
  runApart(withDevices(1), [] {
    start();
    CUmodule module = nullptr;
    CUfunction store = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&store, module, "store"), CUDA_SUCCESS);
    CUstream stream = makeStream();
    CUdeviceptr pointer = allocate(4);
    CUgraphExec withKernel = instantiate(
        capture(stream, [&] { launch(store, pointer, 1, 1, stream); }));
    CUgraphExec withMemory = instantiate(
        capture(stream, [&] { cuMemsetD8Async(pointer, 0, 4, stream); }));
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(withKernel, stream), CUDA_ERROR_INVALID_HANDLE);
    expectFault("function 1 was destroyed");
    EXPECT_EQ(cuMemFree_v2(pointer), CUDA_SUCCESS);
    cuGraphLaunch(withMemory, stream);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    expectFault("memory of a queued operation lies in allocation 1 (4 bytes) "
                "of device 0, which was freed");
  });
}

TEST(Graphs, AreIssuedByOneCall) {
  // Ten small tasks cost the host 4 us each, but together as a graph 4 us once.
  runWithSeeds(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    CUdeviceptr pointer = allocate(4);
    auto give = [&] {
      for (int i = 0; i < 10; ++i)
        EXPECT_EQ(cuMemsetD8Async(pointer, i, 4, stream), CUDA_SUCCESS);
    };
    CUgraphExec executable = instantiate(capture(stream, give));
    auto getTime = [&](const std::function<void()> &body) {
      CUevent begin = makeEvent(), end = makeEvent();
      EXPECT_EQ(cuEventRecord(begin, stream), CUDA_SUCCESS);
      body();
      EXPECT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
      float time = 0;
      EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_SUCCESS);
      return time;
    };
    EXPECT_NEAR(getTime(give), 0.040, 0.001);
    EXPECT_NEAR(getTime([&] { cuGraphLaunch(executable, stream); }), 0.004,
                0.001);
  });
}

TEST(Graphs, OnlyFlagsAndPointersThatAreKnown) {
  runApart(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    CUgraph graph = capture(stream, [] {});
    CUgraphExec executable = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 1),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphInstantiateWithFlags(nullptr, graph, 0),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, nullptr, 0),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphLaunch(instantiate(graph), stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  });
}

//===----------------------------------------------------------------------===//
// The rules of capture
//===----------------------------------------------------------------------===//

TEST(Capture, BeginsAndEndsWhereItMay) {
  runApart(withDevices(1), [] {
    start();
    CUstream stream = makeStream(), other = makeStream();
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, kGlobal),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(
        cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(3)),
        CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal),
              CUDA_ERROR_ILLEGAL_STATE);
    CUevent event = makeEvent();
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamEndCapture(other, &graph),
              CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    std::thread([&] {
      start();
      EXPECT_EQ(cuStreamEndCapture(stream, &graph),
                CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    }).join();
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    EXPECT_NE(graph, nullptr);
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kRelaxed), CUDA_SUCCESS);
    std::thread([&] {
      start();
      EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    }).join();
  });
}

/// Makes a call while a stream captures: it must return `expected`, and must
/// invalidate the capture if that is an error.
void callDuringCapture(CUresult expected, CUstreamCaptureMode mode,
                       const std::function<CUresult(CUstream)> &body,
                       unsigned flags = CU_STREAM_NON_BLOCKING) {
  runApart(withDevices(1), [&] {
    start();
    CUstream stream = makeStream(flags);
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, mode), CUDA_SUCCESS);
    EXPECT_EQ(body(stream), expected);
    CUgraph graph = reinterpret_cast<CUgraph>(&graph);
    if (expected == CUDA_SUCCESS) {
      EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
      EXPECT_NE(graph, nullptr);
      return;
    }
    EXPECT_EQ(cuEventRecord(makeEvent(), stream),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph),
              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(graph, nullptr);
    // Afterwards all calls work again.
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  });
}

TEST(Capture, UnsafeCallsAreForbidden) {
  using Call = std::function<CUresult(CUstream)>;
  const std::vector<Call> kUnsafe = {
      [](CUstream) {
        CUdeviceptr pointer;
        return cuMemAlloc_v2(&pointer, 4);
      },
      [](CUstream) { return cuMemFree_v2(0); },
      [](CUstream) {
        void *pointer;
        return cuMemHostAlloc(&pointer, 4, 0);
      },
      [](CUstream) {
        CUmodule module;
        return cuModuleLoadDataEx(&module, kKernels, 0, nullptr, nullptr);
      },
      [](CUstream) { return cuStreamSynchronize(makeStream()); },
      [](CUstream) { return cuStreamQuery(makeStream()); },
      [](CUstream) { return cuEventSynchronize(makeEvent()); },
      [](CUstream) { return cuEventQuery(makeEvent()); },
  };
  for (const Call &call : kUnsafe) {
    for (auto mode : {kGlobal, kThreadLocal})
      callDuringCapture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, mode, call);
    callDuringCapture(CUDA_SUCCESS, kRelaxed, call);
    // From another thread.
    Call elsewhere = [&](CUstream stream) {
      CUresult result = CUDA_ERROR_UNKNOWN;
      std::thread([&] {
        start();
        result = call(stream);
      }).join();
      return result;
    };
    callDuringCapture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, kGlobal,
                      elsewhere);
    callDuringCapture(CUDA_SUCCESS, kThreadLocal, elsewhere);
  }
}

TEST(Capture, WhatConflictsIsForbiddenInEveryMode) {
  auto unsupported = [](const std::function<CUresult(CUstream)> &body) {
    callDuringCapture(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, kRelaxed, body);
  };
  unsupported([](CUstream stream) { return cuStreamSynchronize(stream); });
  unsupported([](CUstream stream) { return cuStreamQuery(stream); });
  unsupported([](CUstream) { return cuCtxSynchronize(); });
  unsupported([](CUstream stream) { return cuStreamDestroy_v2(stream); });
  unsupported([](CUstream stream) {
    CUstream other = makeStream();
    return cuGraphLaunch(instantiate(capture(other, [] {})), stream);
  });
  unsupported([](CUstream stream) {
    CUevent event = makeEvent();
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    return cuStreamWaitEvent(nullptr, event, 0);
  });
  auto captured = [](const std::function<CUresult(CUevent)> &body) {
    callDuringCapture(CUDA_ERROR_CAPTURED_EVENT, kRelaxed,
                      [&](CUstream stream) {
                        CUevent event = makeEvent();
                        EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
                        return body(event);
                      });
  };
  captured([](CUevent event) { return cuEventSynchronize(event); });
  captured([](CUevent event) { return cuEventQuery(event); });
  captured([](CUevent event) {
    float time;
    return cuEventElapsedTime(&time, event, event);
  });
}

TEST(Capture, TheDefaultStreamWaitsForNoCapture) {
  auto implicit = [](CUresult expected, unsigned flags) {
    const std::vector<std::function<CUresult(CUstream)>> kUses = {
        [](CUstream) { return cuMemsetD8Async(allocate(4), 0, 4, nullptr); },
        [](CUstream) { return cuEventRecord(makeEvent(), nullptr); },
        [](CUstream) { return cuStreamSynchronize(nullptr); },
    };
    for (auto &use : kUses)
      callDuringCapture(expected, kRelaxed, use, flags);
  };
  implicit(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CU_STREAM_DEFAULT);
  implicit(CUDA_SUCCESS, CU_STREAM_NON_BLOCKING);
}

TEST(Capture, EventsFromOutside) {
  auto isolated = [](CUresult expected, bool recorded) {
    callDuringCapture(expected, kGlobal, [=](CUstream stream) {
      CUevent event = makeEvent();
      CUstream other = makeStream();
      if (recorded) {
        EXPECT_EQ(cuEventRecord(event, other), CUDA_SUCCESS);
      }
      return cuStreamWaitEvent(stream, event, 0);
    });
  };
  isolated(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, true);
  isolated(CUDA_SUCCESS, false);
  callDuringCapture(
      CUDA_ERROR_STREAM_CAPTURE_MERGE, kGlobal, [](CUstream stream) {
        CUevent event = makeEvent();
        CUstream other = makeStream();
        EXPECT_EQ(cuStreamBeginCapture_v2(other, kGlobal), CUDA_SUCCESS);
        EXPECT_EQ(cuEventRecord(event, other), CUDA_SUCCESS);
        CUresult result = cuStreamWaitEvent(stream, event, 0);
        CUgraph graph;
        EXPECT_EQ(cuStreamEndCapture(other, &graph),
                  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        return result;
      });
  // An event of a capture that has ended cannot be waited for.
  runApart(withDevices(1), [] {
    start();
    CUstream stream = makeStream();
    CUevent event = makeEvent();
    capture(stream,
            [=] { EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS); });
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_ERROR_CAPTURED_EVENT);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  });
}

TEST(Capture, EndsWithTheContextWhereItBegan) {
  runApart(withDevices(2), [] {
    start(1);
    CUstream other = makeStream();
    start(0);
    CUstream stream = makeStream();
    CUevent event = makeEvent();
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    start(1);
    EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
    CUgraph graph;
    EXPECT_EQ(cuStreamEndCapture(other, &graph), CUDA_ERROR_ILLEGAL_STATE);
    allocate(4);
  });
}

TEST(Capture, ForksMustBeJoined) {
  runApart(withDevices(1), [] {
    start();
    CUstream stream = makeStream(), other = makeStream();
    CUdeviceptr pointer = allocate(4);
    CUevent event = makeEvent();
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, kGlobal), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, other), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph),
              CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  });
}

} // namespace
