//===- PeerTest.cpp - copies between GPUs while kernels run ---------------===//

#include "support/Failpoints.h"
#include "support/GpuPrograms.h"

using namespace tdrt_test;

namespace {

/// A program on three GPUs, opened, with tensors on each.
struct Peers {
  Peers() : ctx(gpus.program) {
    EXPECT_EQ(ctx.status, 0) << ctx.error();
    for (int i = 0; i < 3; ++i) {
      x[i] = static_cast<char *>(ctx->devices[0].arena) + i * 1024;
      y[i] = static_cast<char *>(ctx->devices[1].arena) + i * 1024;
      z[i] = static_cast<char *>(ctx->devices[2].arena) + i * 1024;
    }
  }

  void copy(int32_t from, int32_t to, void *target, const void *source) {
    EXPECT_EQ(tdrt_transfer(ctx, gpus.transfer(from, to), target, source,
                            kFloats * 4),
              0)
        << ctx.error();
  }
  int64_t start(int32_t from, int32_t to, void *target, const void *source) {
    int64_t ticket = -1;
    EXPECT_EQ(tdrt_copy_start(ctx, gpus.transfer(from, to), target, source,
                              kFloats * 4, 0, &ticket),
              0)
        << ctx.error();
    return ticket;
  }
  void wait(int32_t device, int64_t ticket) {
    EXPECT_EQ(tdrt_copy_wait(ctx, device, ticket, 3), 0) << ctx.error();
  }
  void add(int32_t device, const void *from, void *to) {
    EXPECT_EQ(addOne(ctx, device, from, to, kFloats), 0) << ctx.error();
  }
  std::vector<float> read(int32_t device, const void *from) {
    return floatsOf(ctx, gpus, device, from, kFloats);
  }

  static constexpr int64_t kFloats = 100;
  GpuProgram gpus{3};
  Opened ctx;
  char *x[3], *y[3], *z[3]; ///< on cuda:0, cuda:1 and cuda:2
};

/// Runs with several schedules, and with and without peer access.
void checkPeers(const std::function<void(Peers &)> &body) {
  for (const char *peer : {"0", "1"})
    for (const char *seed : {"1", "2", "3", "4", "5"})
      checkWithGpus(3, {{"TDC_SIM_PEER", peer}, {"TDC_SIM_SEED", seed}}, [&] {
        Peers peers;
        body(peers);
      });
}

std::vector<float> all(float value) {
  return std::vector<float>(Peers::kFloats, value);
}

// Both GPUs run kernels meanwhile, iteration after iteration, and copy in both
// directions.
TEST(PeerTest, WhileKernelsRun) {
  checkPeers([](Peers &p) {
    for (int iteration = 0; iteration < 10; ++iteration) {
      p.add(1, p.x[0], p.x[0]);
      int64_t there = p.start(1, 2, p.y[0], p.x[0]);
      p.add(1, p.x[1], p.x[1]);
      p.add(2, p.y[1], p.y[1]);
      p.wait(2, there);
      p.add(2, p.y[0], p.y[2]);
      int64_t back = p.start(2, 1, p.x[2], p.y[2]);
      p.wait(1, there);
      p.wait(1, back);
      p.add(1, p.x[2], p.x[0]);
      p.wait(2, back);
    }
    EXPECT_EQ(p.read(1, p.x[0]), all(30));
    EXPECT_EQ(p.read(1, p.x[1]), all(10));
    EXPECT_EQ(p.read(2, p.y[1]), all(10));
    EXPECT_EQ(p.read(2, p.y[2]), all(29));
  });
}

// A copy follows all readers of its destination, even on another GPU.
TEST(PeerTest, FollowsReaders) {
  checkPeers([](Peers &p) {
    p.add(1, p.x[0], p.x[0]);
    p.add(2, p.y[0], p.y[1]);
    p.copy(2, 3, p.z[0], p.y[0]);
    p.wait(2, p.start(1, 2, p.y[0], p.x[0]));
    EXPECT_EQ(p.read(2, p.y[0]), all(1));
    EXPECT_EQ(p.read(2, p.y[1]), all(1));
    EXPECT_EQ(p.read(3, p.z[0]), all(0));
  });
}

// Memory is freed after a copy that reads it, though its GPU has nothing to do
// after the wait.
TEST(PeerTest, FreedAfterReaders) {
  for (const char *seed : {"1", "2", "3", "4", "5"})
    checkWithGpus(3, {{"TDC_SIM_MEMORY", "1000000"}, {"TDC_SIM_SEED", seed}},
                  [] {
                    Peers p;
                    const int64_t n = 150000; // most of the memory
                    void *block = allocate(p.ctx, 1, n);
                    p.add(1, p.x[0], block);
                    p.wait(1, p.start(1, 2, p.y[0], block));
                    tdrt_free(p.ctx, 1, block);
                    // Another size: the first block is given back.
                    allocate(p.ctx, 1, n + n / 4);
                    EXPECT_EQ(p.read(2, p.y[0]), all(1));
                  });
}

// Under AddressSanitizer allocations cannot be made to fail.
#ifndef TDRT_ASAN
// The same if the host has no memory left to keep account of the waits.
TEST(PeerTest, FreedAfterReadersWithoutMemory) {
  for (const char *seed : {"1", "2", "3", "4", "5"})
    checkWithGpus(
        3, {{"TDC_SIM_MEMORY", "1000000"}, {"TDC_SIM_SEED", seed}}, [] {
          Peers p;
          const int64_t n = 150000, larger = n + n / 4;
          void *block = allocate(p.ctx, 1, n), *none = nullptr;
          p.add(1, p.x[0], block);
          int64_t two = p.start(1, 2, p.y[0], block),
                  three = p.start(1, 3, p.z[0], block);
          p.wait(1, two);
          p.wait(1, three);
          tdrt_free(p.ctx, 1, block);
          arm({Calls::Allocations, /*succeeding=*/0, /*lasting=*/true});
          EXPECT_EQ(tdrt_alloc_tensor(p.ctx, 1, TDRT_F32, 1, &larger, 0, &none),
                    201);
          EXPECT_GT(disarm(), 0);
          EXPECT_EQ(p.read(2, p.y[0]), all(1));
          EXPECT_EQ(p.read(3, p.z[0]), all(1));
        });
}
#endif

// Waits are transitive: a copy that follows a wait also follows the awaited
// copy, even without a kernel between them.
TEST(PeerTest, WaitsAreHandedOn) {
  checkPeers([](Peers &p) {
    p.add(1, p.x[0], p.x[0]);
    p.add(2, p.y[2], p.y[2]);
    int64_t there = p.start(1, 2, p.y[0], p.x[0]);
    p.wait(2, there);
    p.wait(1, p.start(2, 1, p.x[1], p.y[0]));
    p.copy(1, 2, p.y[1], p.x[1]);
    p.add(2, p.y[1], p.y[1]);
    EXPECT_EQ(p.read(2, p.y[1]), all(2));
  });
}

// The host may wait as well; afterwards the source may be overwritten.
TEST(PeerTest, HostWaits) {
  checkPeers([](Peers &p) {
    p.add(1, p.x[0], p.x[0]);
    int64_t there = p.start(1, 2, p.y[0], p.x[0]);
    p.wait(0, there);
    p.add(1, p.x[0], p.x[0]);
    p.wait(2, there);
    EXPECT_EQ(p.read(2, p.y[0]), all(1));
  });
}

// A kernel's report on copied data is returned with values that are computed
// from the data, and not earlier.
TEST(PeerTest, ReportsComeWithTheCopy) {
  checkPeers([](Peers &p) {
    ASSERT_EQ(reportIndex(p.ctx, 1, 70, 7, 4), 0);
    int64_t there = p.start(1, 2, p.y[0], p.x[0]);
    std::vector<float> values(Peers::kFloats);
    p.copy(2, 0, values.data(), p.y[1]);
    EXPECT_EQ(tdrt_poll(p.ctx), 0) << p.ctx.error();
    p.wait(2, there);
    p.copy(2, 0, values.data(), p.y[0]);
    EXPECT_EQ(tdrt_poll(p.ctx), 103);
    EXPECT_EQ(p.ctx.error(),
              "error[TR103]: index 70 is out of range for size 7\n"
              "  --> gpu.tdsl:5\n");
  });
}

// A third GPU has one queue per source GPU: a ticket of one says nothing about
// the copies of the other.
TEST(PeerTest, TwoSources) {
  checkPeers([](Peers &p) {
    for (int iteration = 0; iteration < 5; ++iteration) {
      p.add(1, p.x[0], p.x[0]);
      p.add(2, p.y[0], p.y[0]);
      int64_t first = p.start(1, 3, p.z[0], p.x[0]),
              second = p.start(2, 3, p.z[1], p.y[0]);
      EXPECT_NE(first, second);
      p.wait(3, first);
      p.add(3, p.z[0], p.z[2]);
      p.wait(3, second);
      p.add(3, p.z[1], p.z[2]);
      p.wait(1, first);
      p.wait(2, second);
    }
    EXPECT_EQ(p.read(3, p.z[2]), all(6));
  });
}

TEST(PeerTest, NothingToCopy) {
  checkPeers([](Peers &p) {
    int64_t ticket = -1;
    EXPECT_EQ(tdrt_copy_start(p.ctx, p.gpus.transfer(1, 2), p.y[0], p.x[0], 0,
                              0, &ticket),
              0);
    EXPECT_EQ(ticket, 0);
    p.wait(2, ticket);
  });
}

//===----------------------------------------------------------------------===//
// Accesses that come too early are detected
//===----------------------------------------------------------------------===//

void expectPeerFault(const std::function<void(Peers &)> &body) {
  expectFault(3, [&] {
    Peers peers;
    body(peers);
    EXPECT_EQ(tdrt_cuda_synchronize(peers.ctx, 0), 0) << peers.ctx.error();
  });
}

TEST(PeerTest, ReaderDoesNotWait) {
  expectPeerFault([](Peers &p) {
    p.start(1, 2, p.y[0], p.x[0]);
    p.add(2, p.y[0], p.y[1]);
  });
}

TEST(PeerTest, SourceIsOverwritten) {
  expectPeerFault([](Peers &p) {
    p.wait(2, p.start(1, 2, p.y[0], p.x[0]));
    p.add(1, p.x[1], p.x[0]);
  });
}

TEST(PeerTest, ResultIsOverwritten) {
  expectPeerFault([](Peers &p) {
    p.wait(1, p.start(1, 2, p.y[0], p.x[0]));
    p.add(2, p.y[1], p.y[0]);
  });
}

} // namespace
