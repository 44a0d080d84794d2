//===- ParallelTest.cpp - the thread pool ---------------------------------===//

#include "base/Processors.h"
#include "support/TestProgram.h"
#include <atomic>
#include <set>
#include <sys/wait.h>
#include <thread>

using namespace tdrt_test;

namespace {

struct Work {
  std::vector<std::atomic<int>> counts;
  explicit Work(int64_t n) : counts(n) {}
  static void task(void *arg, int64_t begin, int64_t end, void *) {
    ASSERT_LT(begin, end);
    for (int64_t i = begin; i < end; ++i)
      ++static_cast<Work *>(arg)->counts[i];
  }
  bool allOnce() const {
    for (const std::atomic<int> &count : counts)
      if (count != 1)
        return false;
    return true;
  }
};

/// Shares the indexes however little the work is.
void share(tdrt_task task, void *arg, int64_t n) {
  tdrt_parallel_for(task, arg, n, TDRT_LEAST_SHARED_WORK, nullptr, 0);
}

class ParallelTest : public testing::Test {
protected:
  // Before any test of this program makes the pool.
  static void SetUpTestSuite() { tdrt_set_num_threads(4); }
};

TEST_F(ParallelTest, EveryIndexOnce) {
  for (int64_t n : {0, 1, 2, 3, 4, 5, 7, 100, 100000}) {
    Work work(n);
    share(Work::task, &work, n);
    EXPECT_TRUE(work.allOnce()) << n;
  }
  share(Work::task, nullptr, -5);
}

TEST_F(ParallelTest, ManyInARow) {
  Work work(64);
  for (int i = 0; i < 20000; ++i)
    share(Work::task, &work, 64);
  for (std::atomic<int> &count : work.counts)
    EXPECT_EQ(count, 20000);
}

TEST_F(ParallelTest, AfterSleeping) {
  for (int i = 0; i < 5; ++i) {
    usleep(20000); // long after the workers have gone to sleep
    Work work(1000);
    share(Work::task, &work, 1000);
    EXPECT_TRUE(work.allOnce());
  }
}

TEST_F(ParallelTest, NestedTasksRun) {
  struct Outer {
    std::vector<Work> inner;
  };
  std::vector<Work *> all;
  for (int i = 0; i < 16; ++i)
    all.push_back(new Work(100));
  share(
      [](void *arg, int64_t begin, int64_t end, void *) {
        for (int64_t i = begin; i < end; ++i)
          share(Work::task, (*static_cast<std::vector<Work *> *>(arg))[i], 100);
      },
      &all, 16);
  for (Work *work : all) {
    EXPECT_TRUE(work->allOnce());
    delete work;
  }
}

TEST_F(ParallelTest, EachThreadHasScratch) {
  // A page at a time, written and read again by the part that has it.
  constexpr int64_t kBytes = 4096;
  alignas(64) static char own[kBytes];
  static std::atomic<int> wrong{0};
  for (int64_t bytes : {kBytes / 2, kBytes})
    for (int i = 0; i < 200; ++i)
      tdrt_parallel_for(
          [](void *arg, int64_t begin, int64_t, void *scratch) {
            int64_t bytes = *static_cast<int64_t *>(arg);
            char *mine = static_cast<char *>(scratch);
            wrong += reinterpret_cast<uintptr_t>(mine) % 64 != 0;
            memset(mine, int(begin), bytes);
            for (int64_t k = 0; k < bytes; ++k)
              wrong += mine[k] != char(begin);
          },
          &bytes, 16, TDRT_LEAST_SHARED_WORK, own, bytes);
  EXPECT_EQ(wrong, 0);
}

TEST_F(ParallelTest, TheTagIsClearAtTheFirstPart) {
  // A thread's first part of a job finds zeros, later ones what it wrote.
  constexpr int64_t kBytes = 128;
  alignas(64) static char own[kBytes];
  static std::atomic<int> wrong{0};
  static std::atomic<int64_t> job{0};
  for (job = 1; job < 500; ++job)
    tdrt_parallel_for(
        [](void *, int64_t, int64_t, void *scratch) {
          int64_t tag;
          char *at = static_cast<char *>(scratch) + kBytes - TDRT_SCRATCH_TAG;
          memcpy(&tag, at, sizeof tag);
          wrong += tag != 0 && tag != job;
          tag = job;
          memcpy(at, &tag, sizeof tag);
        },
        nullptr, 16, TDRT_LEAST_SHARED_WORK, own, kBytes);
  EXPECT_EQ(wrong, 0);
}

TEST_F(ParallelTest, LittleWorkStaysOnTheCaller) {
  struct Seen {
    pthread_t caller = pthread_self();
    std::atomic<int> calls{0}, others{0};
  } seen;
  tdrt_parallel_for(
      [](void *arg, int64_t begin, int64_t end, void *) {
        Seen &seen = *static_cast<Seen *>(arg);
        seen.calls += begin == 0 && end == 1000;
        seen.others += !pthread_equal(seen.caller, pthread_self());
      },
      &seen, 1000, TDRT_LEAST_SHARED_WORK - 1, nullptr, 0);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.others, 0);
}

// A thread that does not get its processor for a while holds up one part, not
// its whole share.
TEST_F(ParallelTest, OthersTakeThePartsOfALateThread) {
  struct Late {
    std::atomic<int> parts{0}, atRelease{0};
    static void task(void *arg, int64_t begin, int64_t, void *) {
      Late &late = *static_cast<Late *>(arg);
      if (begin == 0) // waits until all others are done
        for (int i = 0; i < 5000 && late.parts != 15; ++i)
          usleep(1000);
      late.atRelease = late.parts.fetch_add(1);
    }
  } late;
  share(Late::task, &late, 16);
  EXPECT_EQ(late.parts, 16);
  EXPECT_EQ(late.atRelease, 15);
}

TEST_F(ParallelTest, CallersAtTheSameTime) {
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        Work work(50);
        share(Work::task, &work, 50);
        ASSERT_TRUE(work.allOnce());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST_F(ParallelTest, ChildOfFork) {
  Work warm(100);
  share(Work::task, &warm, 100);
  pid_t child = fork();
  if (child == 0) {
    Work work(1000);
    share(Work::task, &work, 1000);
    _exit(work.allOnce() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A child of fork has no threads yet, and so makes as many as the environment
// says.
TEST_F(ParallelTest, AsManyAsTheEnvironmentSays) {
  for (const char *threads : {"1", "2", "none"}) {
    pid_t child = fork();
    if (child == 0) {
      tdrt_set_num_threads(0);
      setenv("TDC_THREADS", threads, 1);
      Work work(1000);
      for (int i = 0; i < 100; ++i)
        share(Work::task, &work, 1000);
      bool all = true;
      for (std::atomic<int> &count : work.counts)
        all &= count == 100;
      _exit(all ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << threads;
  }
}

//===----------------------------------------------------------------------===//
// The number of threads
//===----------------------------------------------------------------------===//

TEST(ProcessorsTest, ThreadsFromText) {
  EXPECT_EQ(tdrt::parseThreads("1"), 1);
  EXPECT_EQ(tdrt::parseThreads("1024"), 1024);
  for (const char *text : {"", "0", "1025", "-3", "3 ", "x", "99999999999"})
    EXPECT_EQ(tdrt::parseThreads(text), 0) << text;
}

TEST(ProcessorsTest, Quotas) {
  TemporaryFolder root;
  EXPECT_GE(tdrt::availableProcessors(), 1);
  EXPECT_EQ(tdrt::quotaProcessors(root.path, ""), tdrt::kMaxThreads);
  // cgroup version 2: the least of the group's and its parents' quotas.
  ASSERT_EQ(
      system(("mkdir -p " + (root / "a/b") + " " + (root / "cpu/c")).c_str()),
      0);
  writeFile(root / "a/cpu.max", "250000 100000\n");
  writeFile(root / "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "0::/a/b\n"), 2);
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "0::/\n"), tdrt::kMaxThreads);
  writeFile(root / "cpu.max", "50000 100000\n");
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "0::/a/b\n"), 1);
  // cgroup version 1.
  writeFile(root / "cpu/c/cpu.cfs_quota_us", "200000\n");
  writeFile(root / "cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "4:cpu,cpuacct:/c\n"), 2);
  writeFile(root / "cpu/c/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "4:cpu,cpuacct:/c\n"),
            tdrt::kMaxThreads);
  EXPECT_EQ(tdrt::quotaProcessors(root.path, "nonsense\n:\n::\n"), 1);
}

} // namespace
