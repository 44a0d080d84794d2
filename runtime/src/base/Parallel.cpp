//===- Parallel.cpp - the thread pool -------------------------------------===//
//
// Fork and join over contiguous parts. Workers spin for some microseconds after
// a task, because the next kernel usually follows at once, and then sleep on a
// futex; handing a task to spinning workers takes a tenth of a microsecond. The
// pool is made at its first use and lives as long as the process.
//
//===----------------------------------------------------------------------===//

#include "base/Denormals.h"
#include "base/Processors.h"
#include "tdc_runtime.h"
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <linux/futex.h>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tdrt;

namespace {

/// Spins for about 50 to 100 microseconds, depending on the processor's pause.
constexpr int kSpins = 2000;

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

void futexWait(std::atomic<uint32_t> &word, uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAIT_PRIVATE,
          seen, nullptr, nullptr, 0);
}

void futexWake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

/// Waits until `word` differs from `seen`; returns its value. `sleepers` tells
/// the thread that changes the word whether it must call the kernel.
uint32_t waitForChange(std::atomic<uint32_t> &word, uint32_t seen,
                       std::atomic<int> &sleepers, int spins) {
  for (int i = 0;; ++i) {
    uint32_t now = word.load(std::memory_order_acquire);
    if (now != seen)
      return now;
    if (i < spins) {
      pause();
      continue;
    }
    sleepers.fetch_add(1);
    if (word.load() == seen)
      futexWait(word, seen);
    sleepers.fetch_sub(1);
  }
}

class Pool {
public:
  Pool(int threads, int spins) : spins(spins) {
    for (int i = 1; i < threads; ++i) {
      pthread_t thread;
      Start *start = new (std::nothrow) Start{this, i};
      if (!start)
        break;
      // Fewer threads than wanted are no error: the others do the work.
      if (pthread_create(&thread, nullptr, work, start) != 0) {
        delete start;
        break;
      }
      pthread_detach(thread);
      ++workers;
    }
  }

  /// Runs a task of n > 1 indexes. Returns false if there are no workers or
  /// another thread is running a task.
  bool run(tdrt_task task, void *arg, int64_t n) {
    if (workers == 0 || !busy.try_lock())
      return false;
    job = {task, arg, n, n < workers + 1 ? static_cast<int>(n) : workers + 1};
    unfinished.store(workers, std::memory_order_relaxed);
    generation.fetch_add(1);
    if (sleepers.load() > 0)
      futexWake(generation);
    runPart(0);
    uint32_t left;
    while ((left = unfinished.load(std::memory_order_acquire)) != 0)
      waitForChange(unfinished, left, waiters, spins);
    busy.unlock();
    return true;
  }

private:
  struct Start {
    Pool *pool;
    int index;
  };
  struct Job {
    tdrt_task task;
    void *arg;
    int64_t n;
    int parts;
  };

  void runPart(int index) {
    if (index >= job.parts)
      return;
    // The first n % parts parts have one more index. No product can overflow.
    int64_t size = job.n / job.parts, more = job.n % job.parts;
    int64_t begin = size * index + (index < more ? index : more);
    job.task(job.arg, begin, begin + size + (index < more));
  }

  static void *work(void *argument) {
    Start start = *static_cast<Start *>(argument);
    delete static_cast<Start *>(argument);
    start.pool->loop(start.index);
    return nullptr;
  }

  void loop(int index);

  int spins;
  int workers = 0;
  std::mutex busy;
  Job job = {};
  // In separate cache lines, so that spinning workers do not slow the caller.
  alignas(64) std::atomic<uint32_t> generation{0};
  std::atomic<int> sleepers{0};
  alignas(64) std::atomic<uint32_t> unfinished{0};
  std::atomic<int> waiters{0};
};

/// Is this thread inside a task? Then a nested task runs on this thread alone.
thread_local bool insideTask = false;

void Pool::loop(int index) {
  insideTask = true;
  ScopedDenormals flush(Denormals::Flush);
  for (uint32_t seen = 0;;) {
    seen = waitForChange(generation, seen, sleepers, spins);
    runPart(index);
    if (unfinished.fetch_sub(1) == 1 && waiters.load() > 0)
      futexWake(unfinished);
  }
}

std::atomic<int> wishedThreads{0};
std::atomic<Pool *> pool{nullptr};
std::mutex poolMutex;

int numThreads() {
  if (int wished = wishedThreads)
    return wished;
  static const int found = [] {
    const char *variable = getenv("TDC_THREADS");
    int threads = variable ? parseThreads(variable) : 0;
    return threads ? threads : availableProcessors();
  }();
  return found;
}

Pool *getPool() {
  if (Pool *made = pool.load(std::memory_order_acquire))
    return made;
  std::lock_guard<std::mutex> lock(poolMutex);
  if (!pool.load()) {
    // A child of fork does not have the threads and makes its own pool.
    static bool registered =
        pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr); }) == 0;
    static_cast<void>(registered);
    int threads = numThreads();
    // More threads than processors: spinning would take the time of a worker.
    int spins = threads <= availableProcessors() ? kSpins : 0;
    pool.store(new (std::nothrow) Pool(threads, spins));
  }
  return pool.load();
}

} // namespace

void tdrt_set_num_threads(int32_t n) {
  wishedThreads = n < 0 ? 0 : n > kMaxThreads ? kMaxThreads : n;
}

void tdrt_parallel_for(tdrt_task task, void *arg, int64_t n) {
  if (n <= 0)
    return;
  if (n > 1 && !insideTask && numThreads() > 1) {
    if (Pool *threads = getPool()) {
      insideTask = true;
      bool done = threads->run(task, arg, n);
      insideTask = false;
      if (done)
        return;
    }
  }
  task(arg, 0, n);
}
