//===- ProgramTest.cpp - programs as processes ----------------------------===//

#include "support/ChildProgram.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

using namespace tdrt_test;

namespace {

const tdrt_site sites[] = {{"train.tdsl", 12, 0, nullptr, nullptr},
                           {"train.tdsl", 14, 5, nullptr, nullptr}};

class ProgramTest : public testing::Test {
protected:
  ProgramTest() {
    plain.num_sites = 2;
    plain.sites = sites;
  }
  tdrt_program plain = emptyProgram();
};

TEST_F(ProgramTest, ErrorsAfterOutput) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "before\n", -1);
    if (int32_t status = tdrt_out_end(ctx, 0, -1))
      return status;
    return tdrt_fail_check(ctx, 101, "no rows", 0);
  };
  Result result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "before\n");
  EXPECT_EQ(result.err, "error[TR101]: assertion failed: no rows\n"
                        "  --> train.tdsl:12\n");
}

TEST_F(ProgramTest, ErrorsInLoops) {
  static const tdrt_site excerpted[] = {
      {"train.tdsl", 12, 1, nullptr, nullptr},
      {"train.tdsl", 14, 5, " 14 | x[i]\n    | ^^^^\n",
       "label {index}, but there are {size} classes (0 to {last})"}};
  plain.sites = excerpted;
  plain.main = [](tdrt_context *ctx) {
    ctx->loops[0] = {2, 10, 0, 0};
    ctx->loops[1] = {16, 40, 1, 0};
    return tdrt_fail_check(ctx, 102, "division by zero", 1);
  };
  EXPECT_EQ(
      run(plain, {}).err,
      "error[TR102]: division by zero\n"
      "  --> train.tdsl:14:5\n"
      " 14 | x[i]\n"
      "    | ^^^^\n"
      "  note: after 2 of 10 iterations of the loop at line 12, and 16 of "
      "40 of that at line 14\n");
  // A kernel that met a bad index is reported after the iteration.
  plain.main = [](tdrt_context *ctx) {
    ctx->loops[0] = {2, 10, 0, 0};
    tdrt_kernel_error(ctx, 7, 5, 1);
    ctx->loops[0].done = 3;
    return tdrt_poll(ctx);
  };
  EXPECT_EQ(run(plain, {}).err,
            "error[TR103]: label 7, but there are 5 classes (0 to 4)\n"
            "  --> train.tdsl:14:5\n"
            " 14 | x[i]\n"
            "    | ^^^^\n"
            "  note: after 2 of 10 iterations of the loop at line 12\n");
}

TEST_F(ProgramTest, ErrorsForAReporter) {
  auto report = [] {
    tdrt_report_errors([](const tdrt_error *error) {
      fprintf(stderr, "%d at %d: %s", error->code,
              error->site ? error->site->line : 0, error->message);
      fflush(stderr);
    });
  };
  EXPECT_EQ(run(plain, {"data"}, report).err,
            "1 at 0: unexpected argument `data`: write --name value");
  plain.main = [](tdrt_context *ctx) {
    return tdrt_fail_check(ctx, 101, "no rows", 0);
  };
  EXPECT_EQ(run(plain, {}, report).err, "101 at 12: assertion failed: no rows");
  Result result = run(plain, {}, [&] {
    report();
    setenv("TDC_THREADS", "two", 1);
  });
  EXPECT_EQ(result.err, "602 at 0: TDC_THREADS is a number from 1 to 1024");
  EXPECT_EQ(result.code, 2);
}

TEST_F(ProgramTest, EveryFailure) {
  Opened ctx(plain);
  EXPECT_EQ(tdrt_fail_check(ctx, 101, "", -1), 101);
  EXPECT_EQ(ctx.error(), "error[TR101]: assertion failed\n");
  {
    Opened other(plain);
    EXPECT_EQ(tdrt_fail_check(other, 102, "division by zero", 1), 102);
    EXPECT_EQ(other.error(), "error[TR102]: division by zero\n"
                             "  --> train.tdsl:14:5\n");
    // The first error stays.
    EXPECT_EQ(tdrt_fail_index(other, 3, 2, 0), 103);
    EXPECT_EQ(other.error().substr(0, 12), "error[TR102]");
  }
  Opened third(plain);
  EXPECT_EQ(tdrt_fail_sizes(third, 3, 4, "rows of x and y", 0), 104);
  EXPECT_EQ(third.error(), "error[TR104]: sizes do not agree: rows of x and y: "
                           "3 and 4\n  --> train.tdsl:12\n");
}

TEST_F(ProgramTest, ErrorsInParts) {
  Opened ctx(plain);
  tdrt_error error;
  tdrt_fail_check(ctx, 102, "division by zero", 1);
  tdrt_get_error(ctx, &error);
  EXPECT_EQ(error.code, 102);
  EXPECT_STREQ(error.message, "division by zero");
  EXPECT_EQ(error.site, &sites[1]);
  tdrt_forget_last_call(ctx);
  EXPECT_EQ(ctx.error(), "");
  // A site that the program does not have is reported as no site.
  tdrt_fail_check(ctx, 101, "", 2);
  tdrt_get_error(ctx, &error);
  EXPECT_EQ(error.site, nullptr);
  EXPECT_EQ(ctx.error(), "error[TR101]: assertion failed\n");
}

TEST_F(ProgramTest, KernelError) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    EXPECT_EQ(tdrt_poll(ctx), 0);
    tdrt_kernel_error(ctx, -11, 10, 1);
    tdrt_kernel_error(ctx, 99, 10, 0);
    EXPECT_NE(ctx->attention, 0);
    return 0; // noticed at the end
  };
  Result result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "error[TR103]: index -11 is out of range for size 10\n"
                        "  --> train.tdsl:14:5\n");
  // A print that may show a wrong value is dropped; earlier ones are not.
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "right\n", -1);
    EXPECT_EQ(tdrt_out_end(ctx, 0, -1), 0);
    tdrt_kernel_error(ctx, -11, 10, 1);
    tdrt_out_text(ctx, "wrong\n", -1);
    return tdrt_out_end(ctx, 0, -1);
  };
  result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "right\n");
  EXPECT_EQ(result.err, "error[TR103]: index -11 is out of range for size 10\n"
                        "  --> train.tdsl:14:5\n");
}

// The first value that is not finite is a warning, and the program goes on.
TEST_F(ProgramTest, KernelValue) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "before\n", -1);
    EXPECT_EQ(tdrt_out_end(ctx, 0, -1), 0);
    ctx->loops[0] = {2, 10, 0, 0};
    tdrt_kernel_value(ctx, -HUGE_VAL, 1);
    tdrt_kernel_value(ctx, NAN, 0);
    EXPECT_NE(ctx->attention, 0);
    ctx->loops[0].done = 3;
    EXPECT_EQ(tdrt_poll(ctx), 0);
    tdrt_kernel_value(ctx, NAN, 1);
    EXPECT_EQ(ctx->attention, 0);
    tdrt_out_text(ctx, "after\n", -1);
    return tdrt_out_end(ctx, 0, -1);
  };
  Result result = run(plain, {});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "before\nafter\n");
  EXPECT_EQ(result.err,
            "warning[TR109]: the value to differentiate is -inf\n"
            "  --> train.tdsl:14:5\n"
            "  note: after 2 of 10 iterations of the loop at line 12\n");

  // A bad index is reported first: it may be the cause.
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_kernel_value(ctx, NAN, 0);
    tdrt_kernel_error(ctx, -11, 10, 1);
    return tdrt_poll(ctx);
  };
  result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "error[TR103]: index -11 is out of range for size 10\n"
                        "  --> train.tdsl:14:5\n");
}

// A warning comes before the print that has not ended, and on a line of its own
// where both go to one place.
TEST_F(ProgramTest, WarningsBetweenPrints) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "step 1, ", -1);
    EXPECT_EQ(tdrt_out_end(ctx, 0, -1), 0);
    tdrt_kernel_value(ctx, NAN, 0);
    tdrt_out_text(ctx, "loss nan", -1);
    EXPECT_EQ(tdrt_out_end(ctx, 0, -1), 0);
    return tdrt_fail_check(ctx, 101, "no rows", -1);
  };
  const std::string warning =
      "warning[TR109]: the value to differentiate is nan\n"
      "  --> train.tdsl:12\n";
  const std::string error = "error[TR101]: assertion failed: no rows\n";
  Result result = run(plain, {});
  EXPECT_EQ(result.out, "step 1, loss nan");
  EXPECT_EQ(result.err, warning + error);
  result = run(plain, {}, [] { dup2(1, 2); });
  EXPECT_EQ(result.out, "step 1, \n" + warning + "loss nan\n" + error);
}

TEST_F(ProgramTest, KernelValueOfAStrictProgram) {
  plain.strict_numerics = 1;
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_kernel_value(ctx, NAN, 1);
    tdrt_out_text(ctx, "dropped\n", -1);
    return tdrt_out_end(ctx, 0, -1);
  };
  Result result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "error[TR109]: the value to differentiate is nan\n"
                        "  --> train.tdsl:14:5\n");
  // Each run stops at its own.
  Opened ctx(plain);
  EXPECT_EQ(tdrt_main(ctx), 109);
  EXPECT_EQ(tdrt_main(ctx), 109);
}

TEST_F(ProgramTest, Interrupted) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "started\n", -1);
    if (int32_t status = tdrt_out_end(ctx, 1, -1))
      return status;
    for (;;)
      if (ctx->attention)
        if (int32_t status = tdrt_poll(ctx))
          return status;
  };
  Result result = run(
      plain, {}, [] {},
      [](pid_t child) {
        usleep(100000);
        kill(child, SIGINT);
      });
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "started\n");
  EXPECT_EQ(result.err, "interrupted\n");
}

// As under nohup and in background jobs of scripts.
TEST_F(ProgramTest, InterruptsThatAreIgnored) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    raise(SIGINT);
    return ctx->attention ? tdrt_poll(ctx) : 0;
  };
  EXPECT_EQ(run(plain, {}, [] { signal(SIGINT, SIG_IGN); }).code, 0);
  EXPECT_EQ(run(plain, {}).code, 130);
}

TEST_F(ProgramTest, SecondInterruptKills) {
  plain.main = [](tdrt_context *) -> int32_t {
    for (;;)
      usleep(1000);
  };
  Result result = run(
      plain, {}, [] {},
      [](pid_t child) {
        usleep(100000);
        kill(child, SIGINT);
        usleep(50000);
        kill(child, SIGINT);
      });
  EXPECT_EQ(result.code, -SIGINT);
}

TEST_F(ProgramTest, FullStandardOutput) {
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "text\n", -1);
    return tdrt_out_end(ctx, 0, -1);
  };
  Result result = run(plain, {}, [] { dup2(open("/dev/full", O_WRONLY), 1); });
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err, "error[TR752]: cannot write to standard output: No "
                        "space left on device\n");
}

int32_t printMuch(tdrt_context *ctx) {
  for (int64_t i = 0; i < 100000; ++i) {
    tdrt_out_i64(ctx, i, nullptr);
    tdrt_out_text(ctx, "\n", 1);
    if (int32_t status = tdrt_out_end(ctx, 0, -1))
      return status;
  }
  return 0;
}

std::string muchText() {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += std::to_string(i) + "\n";
  return text;
}

// `program | head -1` ends quietly, with the code that a shell shows for a
// program that the closed pipe killed.
TEST_F(ProgramTest, ReaderOfStandardOutputGone) {
  auto closePipe = [] {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
  };
  plain.main = printMuch;
  Result result = run(plain, {}, closePipe);
  EXPECT_EQ(result.code, 141);
  EXPECT_EQ(result.err, "");
  result = run(plain, {"--help"}, closePipe);
  EXPECT_EQ(result.code, 0);
  // An error of the program itself is still shown.
  plain.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_text(ctx, "before\n", -1);
    if (int32_t status = tdrt_out_end(ctx, 0, -1))
      return status;
    return tdrt_fail_check(ctx, 101, "no rows", 0);
  };
  result = run(plain, {}, closePipe);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err.substr(0, 12), "error[TR101]");
}

// The caller's handling of the signal is restored.
TEST_F(ProgramTest, PipeSignalIsGivenBack) {
  static auto handler = [](int) {};
  auto before = signal(SIGPIPE, handler);
  const char *words[] = {"test"};
  EXPECT_EQ(tdrt_run_program(&plain, 1, words), 0);
  EXPECT_EQ(signal(SIGPIPE, before), static_cast<void (*)(int)>(handler));
}

// A standard output that a shell or a parent made non-blocking.
TEST_F(ProgramTest, WaitsForASlowReader) {
  plain.main = printMuch;
  std::string got;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Result result = run(
      plain, {},
      [&] {
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
      },
      [&](pid_t) {
        close(ends[1]);
        usleep(50000);
        char buffer[4096];
        for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
          got.append(buffer, n);
        close(ends[0]);
      });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(got == muchText());
}

TEST_F(ProgramTest, Stats) {
  TemporaryFolder folder;
  std::string path = folder / "stats.json";
  plain.arena_bytes = 640;
  const char *json = "{\"copies\":[],\"sites\":[],\"loops\":[],"
                     "\"arena\":{\"cpu\":640},\"peak\":{\"cpu\":640}}\n";
  Result result = run(plain, {}, [&] {
    setenv("TDC_STATS", "1", 1);
    setenv("TDC_STATS_JSON", path.c_str(), 1);
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, json);
  EXPECT_EQ(readFile(path), json);
  result =
      run(plain, {}, [&] { setenv("TDC_STATS_JSON", "/no/such/folder/x", 1); });
  EXPECT_EQ(result.code, 3);
}

TEST_F(ProgramTest, NoStats) {
  Result result = run(plain, {}, [&] {
    setenv("TDC_STATS", "0", 1);
    setenv("TDC_STATS_JSON", "", 1);
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(ProgramTest, Threads) {
  EXPECT_EQ(run(plain, {}, [] { setenv("TDC_THREADS", "2", 1); }).code, 0);
}

TEST_F(ProgramTest, BadThreads) {
  for (const char *text : {"", "0", "-1", "1025", "2x", "two"}) {
    Result result = run(plain, {}, [&] { setenv("TDC_THREADS", text, 1); });
    EXPECT_EQ(result.code, 2) << text;
  }
}

TEST_F(ProgramTest, OtherVersion) {
  plain.abi_version = 99;
  Result result = run(plain, {});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.err.substr(0, 12), "error[TR601]");
}

TEST_F(ProgramTest, Environment) {
  setenv("TDRT_TEST", "here", 1);
  EXPECT_STREQ(tdrt_env("TDRT_TEST", "x"), "here");
  EXPECT_STREQ(tdrt_env("TDRT_TEST_ABSENT", "x"), "x");
}

TEST_F(ProgramTest, LargeOutputArrivesWhole) {
  plain.main = printMuch;
  EXPECT_TRUE(run(plain, {}).out == muchText());
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

TEST_F(ProgramTest, StringsNestAndAreReleased) {
  Opened ctx(plain);
  const char *outer, *inner;
  tdrt_str_begin(ctx);
  tdrt_out_text(ctx, "a", 1);
  tdrt_str_begin(ctx);
  tdrt_out_i64(ctx, 1, nullptr);
  ASSERT_EQ(tdrt_str_end(ctx, &inner), 0);
  tdrt_out_text(ctx, inner, -1);
  ASSERT_EQ(tdrt_str_end(ctx, &outer), 0);
  EXPECT_STREQ(outer, "a1");
  EXPECT_STREQ(inner, "1");
  int64_t mark = tdrt_str_mark(ctx);
  EXPECT_EQ(mark, 2);
  tdrt_str_begin(ctx);
  ASSERT_EQ(tdrt_str_end(ctx, &inner), 0);
  EXPECT_STREQ(inner, "");
  tdrt_str_release(ctx, mark);
  EXPECT_EQ(tdrt_str_mark(ctx), 2);
  EXPECT_STREQ(outer, "a1");
}

//===----------------------------------------------------------------------===//
// Exported functions
//===----------------------------------------------------------------------===//

const int64_t inDims[] = {-1, 2}, outDims[] = {-1};
const tdrt_port inputs[] = {{"x", TDRT_F32, 2, inDims}};
const tdrt_port outputs[] = {{"y", TDRT_F32, 1, outDims}};
const tdrt_export exports[] = {
    {"sum", 1, 1, inputs, outputs,
     [](tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *out) -> int32_t {
       void *data;
       if (int32_t status =
               tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, in->dims, 0, &data))
         return status;
       for (int64_t i = 0; i < in->dims[0]; ++i)
         static_cast<float *>(data)[i] =
             static_cast<float *>(in->data)[2 * i] +
             static_cast<float *>(in->data)[2 * i + 1];
       *out = {data, TDRT_F32, 1, in->dims};
       return 0;
     },
     0, 0, nullptr}};

TEST_F(ProgramTest, Exports) {
  plain.num_exports = 1;
  plain.exports = exports;
  Opened ctx(plain);
  ASSERT_EQ(tdrt_main(ctx), 0);
  float x[] = {1, 2, 3, 4};
  int64_t dims[] = {2, 2};
  tdrt_tensor in = {x, TDRT_F32, 2, dims}, out;
  ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  EXPECT_EQ(static_cast<float *>(out.data)[1], 7);
  int64_t wrong[] = {2, 3};
  in.dims = wrong;
  EXPECT_EQ(tdrt_call(ctx, 0, &in, &out), 107);
  EXPECT_EQ(ctx.error(), "error[TR107]: input `x` of `sum` is f32[?, 2], not "
                         "f32[2, 3]\n");
  // An error does not outlive its call.
  in.dims = dims;
  EXPECT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  EXPECT_EQ(ctx.error(), "");
  // An invalid tensor is not shown as one.
  const char *unreadable = "error[TR107]: input `x` of `sum` is f32[?, 2]\n";
  for (int32_t dtype : {-1, 77}) {
    in.dtype = dtype;
    EXPECT_EQ(tdrt_call(ctx, 0, &in, &out), 107);
    EXPECT_EQ(ctx.error(), unreadable);
  }
  in.dtype = TDRT_F32;
  for (int32_t rank : {-1, TDRT_MAX_RANK + 1}) {
    in.rank = rank;
    EXPECT_EQ(tdrt_call(ctx, 0, &in, &out), 107);
    EXPECT_EQ(ctx.error(), unreadable);
  }
  for (int32_t index : {-1, 1}) {
    EXPECT_EQ(tdrt_call(ctx, index, &in, &out), 107);
    EXPECT_EQ(ctx.error(), "error[TR107]: there is no exported function " +
                               std::to_string(index) + "\n");
  }
}

// Everything that a call leaves (its results, the blocks of a failed call, its
// strings) is freed by the next call; memory that the caller allocated stays.
const tdrt_export leavers[] = {
    {"leave", 1, 1, inputs, outputs,
     [](tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *out) -> int32_t {
       const char *text;
       tdrt_str_begin(ctx);
       if (int32_t status = tdrt_str_end(ctx, &text))
         return status;
       void *data, *other;
       if (int32_t status =
               tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, in->dims, 0, &data))
         return status;
       if (int32_t status =
               tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, in->dims, 0, &other))
         return status;
       if (static_cast<float *>(in->data)[0] < 0)
         return tdrt_fail_check(ctx, 101, "negative", -1);
       tdrt_free(ctx, 0, other);
       *out = {data, TDRT_F32, 1, in->dims};
       return 0;
     },
     0, 0, nullptr}};

TEST_F(ProgramTest, CallsLeaveNothing) {
  plain.num_exports = 1;
  plain.exports = leavers;
  Opened ctx(plain);
  ASSERT_EQ(tdrt_main(ctx), 0);
  int64_t dims[] = {1000, 2};
  void *x;
  ASSERT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_F32, 2, dims, -1, &x), 0);
  tdrt_tensor in = {x, TDRT_F32, 2, dims}, out;
  float *first = static_cast<float *>(x);
  *first = 1;
  ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  int64_t once = tdrt_bytes_in_use(ctx);
  EXPECT_EQ(once, 8000 + 4000);
  for (int i = 0; i < 1000; ++i) {
    *first = i % 3 ? 1.0f : -1.0f;
    ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), i % 3 ? 0 : 101);
    ASSERT_EQ(tdrt_bytes_in_use(ctx), i % 3 ? once : 8000);
  }
  *first = 1;
  ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), once);
  EXPECT_EQ(tdrt_str_mark(ctx), 0);
  // A caller may free a result earlier.
  tdrt_free(ctx, 0, out.data);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 8000);
  ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), once);
  tdrt_free(ctx, 0, x);
}

// A call that fails for another reason must not leave a bad index to the next
// one.
const tdrt_export indexers[] = {
    {"index", 1, 0, inputs, nullptr,
     [](tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *) -> int32_t {
       if (static_cast<float *>(in->data)[0] == 0)
         return 0;
       tdrt_kernel_error(ctx, 7, 5, 0);
       return tdrt_fail_check(ctx, 101, "no rows", 1);
     },
     0, 0, nullptr}};

TEST_F(ProgramTest, KernelErrorEndsWithItsCall) {
  plain.num_exports = 1;
  plain.exports = indexers;
  Opened ctx(plain);
  ASSERT_EQ(tdrt_main(ctx), 0);
  float x[] = {1, 2};
  int64_t dims[] = {1, 2};
  tdrt_tensor in = {x, TDRT_F32, 2, dims};
  EXPECT_EQ(tdrt_call(ctx, 0, &in, nullptr), 101);
  EXPECT_NE(ctx->attention, 0);
  x[0] = 0;
  EXPECT_EQ(tdrt_call(ctx, 0, &in, nullptr), 0);
  EXPECT_EQ(ctx.error(), "");
  EXPECT_EQ(ctx->attention, 0);
}

const tdrt_export reporting[] = {
    {"report", 0, 0, nullptr, nullptr,
     [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) -> int32_t {
       tdrt_kernel_value(ctx, NAN, 0);
       tdrt_kernel_error(ctx, 10, 10, 0);
       tdrt_interrupt(ctx);
       return tdrt_poll(ctx);
     },
     0, 0, nullptr},
    {"nothing", 0, 0, nullptr, nullptr,
     [](tdrt_context *, const tdrt_tensor *, tdrt_tensor *) -> int32_t {
       return 0;
     },
     0, 0, nullptr}};

// Only the first report of a failed call is returned; the others must not fail
// the next call.
TEST_F(ProgramTest, ReportsEndWithTheirCall) {
  plain.num_exports = 2;
  plain.exports = reporting;
  plain.strict_numerics = 1;
  Opened ctx(plain);
  EXPECT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 103);
  EXPECT_EQ(tdrt_call(ctx, 1, nullptr, nullptr), 0) << ctx.error();
}

// Compiled code treats denormals as zero; the caller's own arithmetic does not.
const tdrt_port halfPorts[] = {{"x", TDRT_F32, 1, outDims}};
const tdrt_export halves[] = {
    {"halve", 1, 1, halfPorts, halfPorts,
     [](tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *out) -> int32_t {
       void *data;
       if (int32_t status =
               tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, in->dims, 0, &data))
         return status;
       for (int64_t i = 0; i < in->dims[0]; ++i)
         static_cast<float *>(data)[i] = static_cast<float *>(in->data)[i] / 2;
       *out = {data, TDRT_F32, 1, in->dims};
       return 0;
     },
     0, 0, nullptr}};

TEST_F(ProgramTest, Denormals) {
  plain.num_exports = 1;
  plain.exports = halves;
  Opened ctx(plain);
  ASSERT_EQ(tdrt_main(ctx), 0);
  volatile float smallest = std::numeric_limits<float>::min();
  float x[] = {1, smallest, std::numeric_limits<float>::denorm_min() * 4};
  int64_t dims[] = {3};
  tdrt_tensor in = {x, TDRT_F32, 1, dims}, out;
  ASSERT_EQ(tdrt_call(ctx, 0, &in, &out), 0);
  const float *y = static_cast<float *>(out.data);
  EXPECT_EQ(y[0], 0.5f);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_EQ(y[1], 0.0f);
  EXPECT_EQ(y[2], 0.0f);
#endif
  EXPECT_GT(smallest / 2, 0.0f);
}

} // namespace
