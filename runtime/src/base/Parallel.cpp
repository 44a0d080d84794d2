//===- Parallel.cpp - the thread pool -------------------------------------===//
//
// Fork and join over contiguous parts. Each thread begins with a share of its
// own, the same in every task of as many indexes, so that its processor's
// caches have what it computed before. Workers spin for some microseconds after
// a task, because the next kernel usually follows at once, and then sleep on a
// futex; handing a task to spinning workers takes a tenth of a microsecond. The
// pool is made at its first use and lives as long as the process.
//
//===----------------------------------------------------------------------===//

#include "base/Denormals.h"
#include "base/Processors.h"
#include "base/Threads.h"
#include "tdc_threads.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <linux/futex.h>
#include <memory>
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

/// While it lives, threads that are made leave signals to the others: handlers
/// of the host expect to run on its own threads. Faults are each thread's own.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL})
      sigdelset(&signals, fault);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};

/// The parts of a share of the indexes: a thread that is late, because another
/// process has its processor, leaves some of its parts to others.
constexpr int kPartsPerShare = 4;

class Pool {
public:
  Pool(int threads, int spins)
      : spins(spins), shares(new (std::nothrow) Share[threads]),
        numShares(shares ? threads : 0) {
    SignalsBlocked blocked;
    for (int i = 1; i < numShares; ++i) {
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

  int size() const { return numShares; }

  /// Runs a task of n > 1 indexes. Returns false if there are no workers, if
  /// another thread is running a task, or if there is no memory for scratch.
  bool run(tdrt_task task, void *arg, int64_t n, void *scratch,
           int64_t scratchBytes) {
    if (workers == 0 || !busy.try_lock())
      return false;
    bool hasMemory = reserveScratch(scratchBytes);
    if (hasMemory) {
      shares[0].scratch = scratch;
      publish({task, arg, n, scratchBytes});
      runParts(0);
      uint32_t left;
      while ((left = unfinished.load(std::memory_order_acquire)) != 0)
        waitForChange(unfinished, left, waiters, spins);
    }
    busy.unlock();
    return hasMemory;
  }

private:
  struct Start {
    Pool *pool;
    int index;
  };
  struct Job {
    tdrt_task task;
    void *arg;
    int64_t n, scratchBytes;
  };
  /// The indexes that one thread begins with, and its scratch. In a cache line
  /// of its own.
  struct alignas(64) Share {
    /// The job's number, and below it the number of parts that no thread has
    /// taken: a thread that is late takes no part of a later job unknowingly.
    std::atomic<uint64_t> open{0};
    void *scratch = nullptr;
    int64_t scratchBytes = 0;
  };

  bool reserveScratch(int64_t bytes);
  void publish(Job next);
  void runParts(int index);
  static void *work(void *argument) {
    Start start = *static_cast<Start *>(argument);
    delete static_cast<Start *>(argument);
    start.pool->loop(start.index);
    return nullptr;
  }
  void loop(int index);

  /// The first index of piece `piece`, and the number of its indexes, if `n`
  /// indexes are cut into `count` pieces, the first n % count of which have one
  /// more. No product can overflow.
  static int64_t firstOf(int64_t n, int64_t count, int64_t piece) {
    return n / count * piece + std::min(piece, n % count);
  }
  static int64_t sizeOf(int64_t n, int64_t count, int64_t piece) {
    return n / count + (piece < n % count);
  }
  int64_t sizeOfShare(int64_t share) const {
    return sizeOf(job.n, numShares, share);
  }
  static int64_t countParts(int64_t indexes) {
    return std::min<int64_t>(indexes, kPartsPerShare);
  }

  int spins;
  int workers = 0;
  std::unique_ptr<Share[]> shares;
  int numShares;
  std::mutex busy;
  Job job = {};
  // In separate cache lines, so that spinning workers do not slow the caller.
  alignas(64) std::atomic<uint32_t> generation{0};
  std::atomic<int> sleepers{0};
  alignas(64) std::atomic<uint32_t> unfinished{0};
  std::atomic<int> waiters{0};
};

void clearTag(void *scratch, int64_t bytes) {
  if (bytes >= TDRT_SCRATCH_TAG)
    memset(static_cast<char *>(scratch) + bytes - TDRT_SCRATCH_TAG, 0,
           TDRT_SCRATCH_TAG);
}

/// Gives each worker at least `bytes` of scratch, readable for a vector past
/// its end. It is kept for later tasks.
bool Pool::reserveScratch(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  for (int i = 1; i < numShares; ++i) {
    Share &share = shares[i];
    if (share.scratchBytes >= bytes)
      continue;
    free(share.scratch);
    int64_t size = (bytes + 2 * kAlignment - 1) / kAlignment * kAlignment;
    share.scratch = aligned_alloc(kAlignment, size);
    share.scratchBytes = share.scratch ? bytes : 0;
    if (!share.scratch)
      return false;
  }
  return true;
}

void Pool::publish(Job next) {
  job = next;
  int64_t parts = 0;
  for (int64_t i = 0; i < numShares; ++i)
    parts += countParts(sizeOfShare(i));
  unfinished.store(parts, std::memory_order_relaxed);
  uint64_t number = generation.load(std::memory_order_relaxed) + 1;
  for (int64_t i = 0; i < numShares; ++i)
    shares[i].open.store(number << 32 | countParts(sizeOfShare(i)),
                         std::memory_order_release);
  generation.store(number);
  if (sleepers.load() > 0)
    futexWake(generation);
}

/// Runs the parts of the thread's own share, then those that others have left.
void Pool::runParts(int index) {
  int64_t count = numShares;
  // The number of the job that this thread works on; at first none.
  uint64_t begun = UINT64_MAX;
  for (int64_t i = 0; i < count; ++i) {
    int64_t share = (index + i) % count;
    std::atomic<uint64_t> &open = shares[share].open;
    uint64_t seen = open.load(std::memory_order_acquire);
    while (uint32_t(seen) != 0) {
      if (!open.compare_exchange_weak(seen, seen - 1,
                                      std::memory_order_acquire))
        continue;
      // The job stays as it is until this part is finished.
      void *scratch = shares[index].scratch;
      if (seen >> 32 != begun)
        clearTag(scratch, job.scratchBytes);
      begun = seen >> 32;
      int64_t size = sizeOfShare(share), parts = countParts(size),
              part = parts - uint32_t(seen),
              begin = firstOf(job.n, count, share) + firstOf(size, parts, part);
      job.task(job.arg, begin, begin + sizeOf(size, parts, part), scratch);
      if (unfinished.fetch_sub(1) == 1 && waiters.load() > 0)
        futexWake(unfinished);
      seen = open.load(std::memory_order_acquire);
    }
  }
}

/// Is this thread inside a task? Then a nested task runs on this thread alone.
thread_local bool insideTask = false;

void Pool::loop(int index) {
  insideTask = true;
  ScopedDenormals flush(Denormals::Flush);
  for (uint32_t seen = 0;;) {
    seen = waitForChange(generation, seen, sleepers, spins);
    runParts(index);
  }
}

std::atomic<int> wishedThreads{0};
std::atomic<bool> isProgram{false};
std::atomic<Pool *> pool{nullptr};
std::mutex poolMutex;

int numThreads() {
  if (int wished = wishedThreads)
    return wished;
  const char *variable = getenv("TDC_THREADS");
  if (int threads = variable ? parseThreads(variable) : 0)
    return threads;
  return isProgram ? availableProcessors() : 1;
}

/// The pool; null if there is no memory to make it.
Pool *getPool() {
  if (Pool *made = pool.load(std::memory_order_acquire))
    return made;
  std::lock_guard<std::mutex> lock(poolMutex);
  if (!pool.load()) {
    // A child of fork does not have the threads and makes its own pool. No
    // other thread makes one meanwhile, whose lock the child would keep.
    static bool registered =
        pthread_atfork([] { poolMutex.lock(); }, [] { poolMutex.unlock(); },
                       [] {
                         pool.store(nullptr);
                         poolMutex.unlock();
                       }) == 0;
    static_cast<void>(registered);
    try {
      int threads = numThreads();
      // More threads than processors: spinning would take the time of a worker.
      int spins = threads <= availableProcessors() ? kSpins : 0;
      pool.store(new Pool(threads, spins));
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
  }
  return pool.load();
}

} // namespace

void tdrt::useAllProcessors() { isProgram = true; }

int32_t tdrt_set_num_threads(int32_t n) {
  std::lock_guard<std::mutex> lock(poolMutex);
  n = std::min(n, kMaxThreads);
  if (Pool *made = pool.load())
    return n == made->size();
  wishedThreads = n;
  return 1;
}

void tdrt_parallel_for(tdrt_task task, void *arg, int64_t n, int64_t work,
                       void *scratch, int64_t scratchBytes) {
  if (n <= 0)
    return;
  if (n > 1 && work >= TDRT_LEAST_SHARED_WORK && !insideTask) {
    if (Pool *threads = getPool()) {
      insideTask = true;
      bool done = threads->run(task, arg, n, scratch, scratchBytes);
      insideTask = false;
      if (done)
        return;
    }
  }
  clearTag(scratch, scratchBytes);
  task(arg, 0, n, scratch);
}
