//===- KillTest.cpp - kill -9 while saving --------------------------------===//
//
// A saver is killed at random moments, 300 times, or as often as the
// environment variable TDRT_KILLS says. Each new saver must find the last
// finished checkpoint of the previous one, or the one that was being written. A
// writer that overwrites in place must fail the same test, or the test shows
// nothing.
//
//===----------------------------------------------------------------------===//

#include "support/TestProgram.h"
#include <csignal>
#include <random>
#include <sys/wait.h>

using namespace tdrt_test;

namespace {

struct Outcome {
  int broken = 0; ///< the next start could not read the file
  int lost = 0;   ///< it read an older state than the last finished one
};

class Saver {
public:
  Saver(const char *mode, const std::string &path) {
    int ends[2];
    if (pipe(ends) != 0)
      abort();
    child = fork();
    if (child == 0) {
      dup2(ends[1], 1);
      dup2(open("/dev/null", O_WRONLY), 2);
      execl(TDRT_KILL_SAVER, TDRT_KILL_SAVER, mode, path.c_str(), nullptr);
      _exit(99);
    }
    close(ends[1]);
    from = fdopen(ends[0], "r");
  }

  /// The next number that the saver writes; -1 if it has ended.
  int64_t next() {
    long number;
    return fscanf(from, "%ld", &number) == 1 ? number : -1;
  }

  /// Kills the saver; returns the last number that it wrote.
  int64_t stop(int64_t last) {
    kill(child, SIGKILL);
    for (int64_t number; (number = next()) >= 0;)
      last = number;
    waitpid(child, nullptr, 0);
    fclose(from);
    return last;
  }

private:
  pid_t child;
  FILE *from;
};

Outcome killOften(const char *mode, int kills) {
  TemporaryFolder folder;
  std::string path = folder / "state.safetensors";
  std::mt19937 random(7);
  Outcome outcome;
  int64_t finished = 0;
  for (int i = 0; i < kills; ++i) {
    Saver saver(mode, path);
    int64_t found = saver.next();
    if (found < 0)
      ++outcome.broken;
    else if (found < finished)
      ++outcome.lost;
    if (found < 0) {
      saver.stop(0);
      unlink(path.c_str());
      finished = 0;
      continue;
    }
    usleep(random() % 12000);
    finished = saver.stop(found);
  }
  return outcome;
}

TEST(KillTest, NeverBrokenOrLost) {
  const char *kills = getenv("TDRT_KILLS");
  Outcome outcome = killOften("safe", kills ? atoi(kills) : 300);
  EXPECT_EQ(outcome.broken, 0);
  EXPECT_EQ(outcome.lost, 0);
}

TEST(KillTest, NaiveWriterFails) {
  EXPECT_GT(killOften("naive", 100).broken, 0);
}

} // namespace
