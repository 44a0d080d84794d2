//===- ProgressTest.cpp - progress of a program, on a terminal ------------===//

#include "support/ChildProgram.h"
#include <fcntl.h>

using namespace tdrt_test;

namespace {

const tdrt_site sites[] = {{"examples/train.tdsl", 12, 0, nullptr, nullptr},
                           {"train.tdsl", 20, 0, nullptr, nullptr}};

/// Does what the timer makes a program do.
int32_t tick(tdrt_context *ctx) {
  raise(SIGALRM);
  return ctx->attention ? tdrt_poll(ctx) : 101;
}

int32_t print(tdrt_context *ctx, const char *text) {
  tdrt_out_text(ctx, text, -1);
  return tdrt_out_end(ctx, 0, -1);
}

class ProgressTest : public testing::Test {
protected:
  ProgressTest() {
    program.num_sites = 2;
    program.sites = sites;
  }

  /// The text that a terminal gets from a program's standard error.
  std::string terminalOf(
      const char *term, const std::function<void(int)> &prepare = [](int) {}) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_EQ(grantpt(terminal), 0);
    EXPECT_EQ(unlockpt(terminal), 0);
    int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    Result result = run(program, {}, [&] {
      dup2(end, 2);
      prepare(end);
      setenv("TERM", term, 1);
    });
    EXPECT_EQ(result.code, 0);
    close(end);
    std::string shown;
    char buffer[4096];
    for (ssize_t n; (n = read(terminal, buffer, sizeof buffer)) > 0;)
      shown.append(buffer, n);
    close(terminal);
    return shown;
  }

  tdrt_program program = emptyProgram();
};

TEST_F(ProgressTest, TheLastLineOfATerminal) {
  program.main = [](tdrt_context *ctx) -> int32_t {
    ctx->loops[0] = {3, 10, 0, 0};
    ctx->loops[1] = {50, 100, 1, 0};
    if (int32_t status = tick(ctx))
      return status;
    if (int32_t status = print(ctx, "a line\n"))
      return status;
    // Another loop.
    ctx->loops[0] = {7, 8, 1, 0};
    ctx->loops[1] = {};
    return tick(ctx);
  };
  EXPECT_EQ(terminalOf("xterm"), "\r\033[Ktrain.tdsl:12: 3/10, 50/100"
                                 "\r\033[K"
                                 "\r\033[Ktrain.tdsl:20: 7/8"
                                 "\r\033[K");
}

TEST_F(ProgressTest, WhatIsLeftIsEstimated) {
  program.main = [](tdrt_context *ctx) -> int32_t {
    const int64_t hours = int64_t(1) << 40;
    ctx->loops[0] = {1, hours, 0, 0};
    if (int32_t status = tick(ctx))
      return status;
    usleep(1000);
    ctx->loops[0].done = 2;
    if (int32_t status = tick(ctx))
      return status;
    // The last iteration is done.
    ctx->loops[0].done = hours;
    if (int32_t status = tick(ctx))
      return status;
    // The loop has begun again: there is no estimate yet.
    ctx->loops[0].done = 0;
    return tick(ctx);
  };
  std::string shown = terminalOf("xterm");
  std::vector<std::string> lines;
  for (size_t at = 0; (at = shown.find("train", at)) != std::string::npos; ++at)
    lines.push_back(shown.substr(at, shown.find('\r', at) - at));
  ASSERT_EQ(lines.size(), 4u) << shown;
  EXPECT_EQ(lines[0], "train.tdsl:12: 1/1099511627776");
  EXPECT_EQ(lines[1].substr(0, 32), "train.tdsl:12: 2/1099511627776, ");
  EXPECT_EQ(lines[1].substr(lines[1].size() - 7), " h left");
  EXPECT_EQ(lines[2], "train.tdsl:12: 1099511627776/1099511627776, 0 s left");
  EXPECT_EQ(lines[3], "train.tdsl:12: 0/1099511627776");
}

TEST_F(ProgressTest, NothingOutsideOfLoops) {
  program.main = tick;
  EXPECT_EQ(terminalOf("xterm"), "");
}

// Progress is not written into a line that a print has begun on the same
// terminal.
TEST_F(ProgressTest, NotIntoALineOfOutput) {
  program.main = [](tdrt_context *ctx) -> int32_t {
    ctx->loops[0] = {3, 10, 0, 0};
    if (int32_t status = print(ctx, "begun"))
      return status;
    if (int32_t status = tick(ctx))
      return status;
    return print(ctx, ", ended");
  };
  EXPECT_EQ(terminalOf("xterm", [](int terminal) { dup2(terminal, 1); }),
            "begun, ended");
}

TEST_F(ProgressTest, OnlyWhereLinesCanBeRewritten) {
  program.main = [](tdrt_context *) -> int32_t {
    struct sigaction now;
    sigaction(SIGALRM, nullptr, &now);
    return now.sa_handler == SIG_DFL ? 0 : 101;
  };
  EXPECT_EQ(terminalOf("dumb"), "");
}

} // namespace
