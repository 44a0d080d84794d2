//===- QueueTest.cpp - copies while kernels run ---------------------------===//

#include "support/GpuPrograms.h"
#include <cstring>

using namespace tdrt_test;

namespace {

/// A program with pinned memory, opened, with two tensors on cuda:0.
struct Queues {
  Queues() : ctx(getProgram()) {
    EXPECT_EQ(ctx.status, 0) << ctx.error();
    x = static_cast<char *>(ctx->devices[0].arena);
    y = x + kFloats * 4;
    pinned = reinterpret_cast<float *>(ctx->pinned);
  }
  const tdrt_program &getProgram() {
    gpus.arenaBytes[0] = 2 * kLong;
    gpus.gpu.pinned_bytes = 20 * kFloats * 4 + kLong;
    return gpus.program;
  }

  int64_t mark() {
    int64_t ticket = -1;
    EXPECT_EQ(tdrt_mark(ctx, 1, 0, &ticket), 0) << ctx.error();
    return ticket;
  }
  int64_t upload(void *to, const void *from, int64_t after) {
    int64_t ticket = -1;
    EXPECT_EQ(tdrt_copy_start(ctx, gpus.transfer(0, 1), to, from, kFloats * 4,
                              after, &ticket),
              0)
        << ctx.error();
    return ticket;
  }
  int64_t download(void *to, const void *from, int64_t bytes = kFloats * 4) {
    int64_t ticket = -1;
    EXPECT_EQ(
        tdrt_copy_start(ctx, gpus.transfer(1, 0), to, from, bytes, 0, &ticket),
        0)
        << ctx.error();
    return ticket;
  }
  int32_t wait(int32_t device, int64_t ticket) {
    return tdrt_copy_wait(ctx, device, ticket, 3);
  }
  std::vector<float> read(const float *from) {
    return std::vector<float>(from, from + kFloats);
  }
  void fill(float *to, float first) {
    std::vector<float> values = counting(kFloats, first);
    std::copy(values.begin(), values.end(), to);
  }

  static constexpr int64_t kFloats = 100;
  static constexpr int64_t kLong = 1 << 17; ///< bytes of a long copy
  GpuProgram gpus{1};
  Opened ctx;
  char *x, *y;
  float *pinned;
};

/// Runs with several schedules of the simulated device.
void checkQueues(const std::function<void(Queues &)> &body) {
  for (const char *seed : {"1", "2", "3", "4", "5"})
    checkWithGpus(1, {{"TDC_SIM_SEED", seed}}, [&] {
      Queues queues;
      body(queues);
    });
}

// Double-buffered: each iteration's kernel reads one buffer while the next
// iteration's numbers are copied into the other.
TEST(QueueTest, UploadsAheadOfTheirUse) {
  checkQueues([](Queues &q) {
    float *sources[] = {q.pinned, q.pinned + q.kFloats};
    char *buffers[] = {q.x, q.x + 1024};
    char *sums = q.x + 2048;
    q.fill(sources[0], 0);
    int64_t copied = q.upload(buffers[0], sources[0], q.mark()), before = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      ASSERT_EQ(q.wait(1, copied), 0) << q.ctx.error();
      int64_t mark = q.mark();
      ASSERT_EQ(addOne(q.ctx, 1, buffers[iteration % 2], sums, q.kFloats), 0);
      ASSERT_EQ(q.wait(0, before), 0) << q.ctx.error();
      q.fill(sources[(iteration + 1) % 2], static_cast<float>(iteration) + 1);
      before = copied;
      copied = q.upload(buffers[(iteration + 1) % 2],
                        sources[(iteration + 1) % 2], mark);
    }
    EXPECT_EQ(floatsOf(q.ctx, q.gpus, 1, sums, q.kFloats),
              counting(q.kFloats, 20));
  });
}

// Memory that is not pinned may change as soon as the copy has been issued.
TEST(QueueTest, UploadsFromAnyMemory) {
  checkQueues([](Queues &q) {
    std::vector<float> values = counting(q.kFloats);
    int64_t copied = q.upload(q.x, values.data(), q.mark());
    std::fill(values.begin(), values.end(), -1.0f);
    ASSERT_EQ(q.wait(1, copied), 0);
    ASSERT_EQ(addOne(q.ctx, 1, q.x, q.y, q.kFloats), 0);
    EXPECT_EQ(floatsOf(q.ctx, q.gpus, 1, q.y, q.kFloats),
              counting(q.kFloats, 1));
  });
}

TEST(QueueTest, DownloadsWhileKernelsRun) {
  checkQueues([](Queues &q) {
    q.fill(q.pinned, 0);
    ASSERT_EQ(q.wait(1, q.upload(q.x, q.pinned, q.mark())), 0);
    ASSERT_EQ(addOne(q.ctx, 1, q.x, q.x, q.kFloats), 0);
    int64_t copied = q.download(q.pinned + q.kFloats, q.x);
    ASSERT_EQ(addOne(q.ctx, 1, q.x, q.y, q.kFloats), 0);
    ASSERT_EQ(q.wait(0, copied), 0) << q.ctx.error();
    EXPECT_EQ(q.read(q.pinned + q.kFloats), counting(q.kFloats, 1));
    // The source may be overwritten now.
    ASSERT_EQ(addOne(q.ctx, 1, q.y, q.x, q.kFloats), 0);
    EXPECT_EQ(floatsOf(q.ctx, q.gpus, 1, q.x, q.kFloats),
              counting(q.kFloats, 3));
  });
}

// More tickets than the queue has events for.
TEST(QueueTest, OldTickets) {
  checkQueues([](Queues &q) {
    q.fill(q.pinned, 0);
    int64_t first = q.upload(q.x, q.pinned, q.mark());
    for (int i = 0; i < 50; ++i)
      q.upload(q.y, q.pinned, 0);
    ASSERT_EQ(q.wait(1, first), 0) << q.ctx.error();
    ASSERT_EQ(addOne(q.ctx, 1, q.x, q.x, q.kFloats), 0);
    ASSERT_EQ(q.wait(0, first), 0) << q.ctx.error();
    EXPECT_EQ(floatsOf(q.ctx, q.gpus, 1, q.x, q.kFloats),
              counting(q.kFloats, 1));
  });
}

TEST(QueueTest, NothingToWaitFor) {
  checkQueues([](Queues &q) {
    ASSERT_EQ(tdrt_cuda_synchronize(q.ctx, 0), 0);
    EXPECT_EQ(q.wait(0, 0), 0);
    EXPECT_EQ(q.wait(1, 0), 0);
    int64_t ticket = -1;
    EXPECT_EQ(tdrt_copy_start(q.ctx, q.gpus.transfer(0, 1), q.x, q.pinned, 0, 0,
                              &ticket),
              0);
    EXPECT_EQ(ticket, 0);
  });
}

// Copies of one queue are made in order: one ticket covers earlier copies that
// have none, also the ticket of a copy of no bytes.
TEST(QueueTest, OneTicketForSeveralCopies) {
  checkQueues([](Queues &q) {
    q.fill(q.pinned, 7);
    int32_t up = q.gpus.transfer(0, 1);
    int64_t bytes = q.kFloats * 4, after = q.mark(), ticket = -1;
    for (char *to : {q.x, q.y})
      ASSERT_EQ(tdrt_copy_start(q.ctx, up, to, q.pinned, bytes, after, nullptr),
                0);
    ASSERT_EQ(tdrt_copy_start(q.ctx, up, q.x, q.pinned, 0, 0, nullptr), 0);
    ASSERT_EQ(tdrt_copy_start(q.ctx, up, q.x, q.pinned, 0, 0, &ticket), 0);
    ASSERT_EQ(q.wait(1, ticket), 0) << q.ctx.error();
    for (char *x : {q.x, q.y}) {
      ASSERT_EQ(addOne(q.ctx, 1, x, x, q.kFloats), 0);
      EXPECT_EQ(floatsOf(q.ctx, q.gpus, 1, x, q.kFloats),
                counting(q.kFloats, 8));
    }
  });
}

// A download also returns reports of the kernels that precede it, and of no
// later ones, however far the device has got.
TEST(QueueTest, ReportedIndexesInOrder) {
  checkQueues([](Queues &q) {
    int64_t early = q.download(q.pinned, q.x);
    ASSERT_EQ(reportIndex(q.ctx, 1, 70, 7, 4), 0);
    int64_t late = q.download(q.pinned + q.kFloats, q.x);
    ASSERT_EQ(q.wait(0, early), 0) << q.ctx.error();
    EXPECT_EQ(tdrt_poll(q.ctx), 0);
    ASSERT_EQ(q.wait(0, late), 0) << q.ctx.error();
    EXPECT_EQ(tdrt_poll(q.ctx), 103);
    EXPECT_EQ(q.ctx.error(),
              "error[TR103]: index 70 is out of range for size 7\n"
              "  --> gpu.tdsl:5\n");
    // It is reported once.
    ASSERT_EQ(q.wait(0, q.download(q.pinned, q.x)), 0);
    EXPECT_EQ(q.ctx->attention, 0);
  });
}

// An empty download returns no reports, but those before it have arrived.
TEST(QueueTest, EmptyDownloads) {
  checkQueues([](Queues &q) {
    q.download(q.pinned, q.x);
    ASSERT_EQ(reportIndex(q.ctx, 1, 70, 7, 4), 0);
    int64_t empty = q.download(q.pinned + q.kFloats, q.x, 0);
    ASSERT_EQ(q.wait(0, empty), 0) << q.ctx.error();
    EXPECT_EQ(tdrt_poll(q.ctx), 0);
    ASSERT_EQ(q.wait(0, q.download(q.pinned, q.x)), 0) << q.ctx.error();
    EXPECT_EQ(tdrt_poll(q.ctx), 103);
  });
}

// So does a long download; kernels that report do not wait for it.
TEST(QueueTest, ReportedIndexesAroundALongDownload) {
  checkQueues([](Queues &q) {
    ASSERT_EQ(reportIndex(q.ctx, 1, 70, 7, 4), 0);
    int64_t early = q.download(q.pinned, q.x, Queues::kLong);
    ASSERT_EQ(reportIndex(q.ctx, 1, 71, 7, 4), 0);
    ASSERT_EQ(q.wait(0, early), 0) << q.ctx.error();
    EXPECT_EQ(tdrt_poll(q.ctx), 103);
    EXPECT_EQ(q.ctx.error(),
              "error[TR103]: index 70 is out of range for size 7\n"
              "  --> gpu.tdsl:5\n");
  });
}

// A read in the order of the kernels also waits for the report that a download
// has requested, if no kernel reported in between.
TEST(QueueTest, ReadAfterADownload) {
  checkQueues([](Queues &q) {
    ASSERT_EQ(reportIndex(q.ctx, 1, 70, 7, 4), 0);
    int64_t download = q.download(q.pinned, q.x);
    floatsOf(q.ctx, q.gpus, 1, q.y, q.kFloats);
    EXPECT_EQ(tdrt_poll(q.ctx), 103);
    EXPECT_EQ(q.ctx.error(),
              "error[TR103]: index 70 is out of range for size 7\n"
              "  --> gpu.tdsl:5\n");
    EXPECT_EQ(q.wait(0, download), 0);
  });
}

// More reports in flight than there is room for: none is lost, and one is
// returned.
TEST(QueueTest, ManyReports) {
  checkQueues([](Queues &q) {
    std::vector<int64_t> tickets;
    for (int i = 0; i < 20; ++i) {
      if (i >= 3)
        ASSERT_EQ(reportIndex(q.ctx, 1, 70 + i, 7, 4), 0);
      tickets.push_back(q.download(q.pinned + i * q.kFloats, q.x));
    }
    int told = 0;
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(q.wait(0, tickets[i]), 0) << q.ctx.error();
      bool isTold = tdrt_poll(q.ctx) == 103;
      told += isTold;
      EXPECT_TRUE(i != 3 || told == 1);
    }
    EXPECT_EQ(told, 1);
    EXPECT_EQ(q.ctx.error(),
              "error[TR103]: index 73 is out of range for size 7\n"
              "  --> gpu.tdsl:5\n");
  });
}

//===----------------------------------------------------------------------===//
// Accesses that come too early are detected
//===----------------------------------------------------------------------===//

void expectFault(const std::function<void(Queues &)> &body) {
  tdrt_test::expectFault(1, [&] {
    Queues queues;
    body(queues);
    EXPECT_EQ(tdrt_cuda_synchronize(queues.ctx, 0), 0) << queues.ctx.error();
  });
}

TEST(QueueTest, KernelDoesNotWait) {
  expectFault([](Queues &q) {
    q.fill(q.pinned, 0);
    q.upload(q.x, q.pinned, q.mark());
    addOne(q.ctx, 1, q.x, q.y, q.kFloats);
  });
}

TEST(QueueTest, UploadDoesNotWait) {
  expectFault([](Queues &q) {
    q.fill(q.pinned, 0);
    q.wait(1, q.upload(q.x, q.pinned, q.mark()));
    addOne(q.ctx, 1, q.x, q.y, q.kFloats);
    q.upload(q.x, q.pinned, 0);
  });
}

TEST(QueueTest, SourceIsOverwritten) {
  expectFault([](Queues &q) {
    q.fill(q.pinned, 0);
    q.upload(q.x, q.pinned, q.mark());
    q.fill(q.pinned, 1);
  });
}

} // namespace
