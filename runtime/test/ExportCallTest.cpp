//===- ExportCallTest.cpp - exported functions on the command line --------===//

#include "support/ChildProgram.h"

using namespace tdrt_test;

namespace {

const int64_t pairs[] = {-1, 2}, rows[] = {-1};
const tdrt_port inputs[] = {{"x", TDRT_F32, 2, pairs},
                            {"shift", TDRT_F32, 0, nullptr}};
const tdrt_port outputs[] = {{"out0", TDRT_F32, 1, rows},
                             {"out1", TDRT_F32, 0, nullptr}};

/// Results: the sums of the rows plus the shift, and the shift.
int32_t addRows(tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *out) {
  void *data;
  if (int32_t status =
          tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, in->dims, 0, &data))
    return status;
  const auto *x = static_cast<const float *>(in[0].data);
  float shift = *static_cast<const float *>(in[1].data);
  if (shift < 0)
    return tdrt_fail_check(ctx, 101, "negative", -1);
  for (int64_t i = 0; i < in->dims[0]; ++i)
    static_cast<float *>(data)[i] = x[2 * i] + x[2 * i + 1] + shift;
  out[0] = {data, TDRT_F32, 1, in->dims};
  out[1] = in[1];
  return 0;
}

int32_t callNothing(tdrt_context *, const tdrt_tensor *, tdrt_tensor *) {
  return 0;
}

const tdrt_export exports[] = {
    {"sums", 2, 2, inputs, outputs, addRows, 0, 0, "Adds rows,\nshifted."},
    {"nothing", 0, 0, nullptr, nullptr, callNothing, 0, 0, nullptr},
    {"first", 1, 1, inputs, outputs, callNothing, 0, 0, nullptr}};
const tdrt_arg args[] = {{"name", "me", nullptr, TDRT_STR, 0},
                         {"fast", "false", nullptr, TDRT_BOOLEAN, 0}};

class ExportCallTest : public testing::Test {
protected:
  ExportCallTest() {
    program.num_exports = 3;
    program.exports = exports;
    program.num_args = 2;
    program.args = args;
    program.main = [](tdrt_context *ctx) -> int32_t {
      tdrt_out_text(ctx, ctx->args[0].s, -1);
      tdrt_out_text(ctx, ctx->args[1].i ? "!\n" : ".\n", -1);
      return tdrt_out_end(ctx, 0, -1);
    };
    float x[] = {1, 2, 3, 4};
    save("x.npy", {x, TDRT_F32, 2, xDims});
    float shift = 0.5, negative = -1;
    save("shift.npy", {&shift, TDRT_F32, 0, nullptr});
    save("negative.npy", {&negative, TDRT_F32, 0, nullptr});
  }

  void save(const char *name, const tdrt_tensor &tensor) {
    tdrt_program none = emptyProgram();
    Opened ctx(none);
    ASSERT_EQ(tdrt_save_tensor(ctx, (folder / name).c_str(), &tensor, -1), 0);
  }

  std::vector<float> load(const char *name, const char *key, int32_t rank) {
    tdrt_program none = emptyProgram();
    Opened ctx(none);
    int64_t dims[] = {-1};
    void *data = nullptr;
    EXPECT_EQ(tdrt_load(ctx, (folder / name).c_str(), key, TDRT_F32, rank, dims,
                        &data, -1),
              0)
        << ctx.error();
    auto *first = static_cast<float *>(data);
    return std::vector<float>(first, first + (rank ? dims[0] : 1));
  }

  Result call(const std::vector<std::string> &words) {
    std::vector<const char *> pointers;
    for (const std::string &word : words)
      pointers.push_back(word.c_str());
    auto start = [](const tdrt_program *program, int argc,
                    const char *const *argv) {
      return tdrt_run_exports(program, argc, argv, tdrt_load_array);
    };
    return run(program, pointers, [] {}, [](pid_t) {}, start);
  }

  std::string in(const char *parameter, const char *file) {
    return "--in=" + std::string(parameter) + "=" + (folder / file);
  }

  const int64_t xDims[2] = {2, 2};
  TemporaryFolder folder;
  tdrt_program program = emptyProgram();
};

TEST_F(ExportCallTest, RunsTheProgramAlone) {
  Result result = call({"--fast", "--name", "you"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "you!\n");
  // The options of a call may be the values of arguments.
  EXPECT_EQ(call({"--name", "--fn", "--fast"}).out, "--fn!\n");
  EXPECT_EQ(call({"--name=--in"}).out, "--in.\n");
  EXPECT_EQ(call({"--", "--fn", "sums"}).err,
            "error[TR001]: unknown argument `--fn`: --help lists what there "
            "is\n");
}

TEST_F(ExportCallTest, Calls) {
  Result result =
      call({"--fast", "--fn", "sums", in("x", "x.npy"), "--name", "you", "--in",
            "shift=" + (folder / "shift.npy"), "--out=y=" + (folder / "y.npy"),
            "--out", "s=" + (folder / "s.npz")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "you!\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(load("y.npy", nullptr, 1), (std::vector<float>{3.5, 7.5}));
  EXPECT_EQ(load("s.npz", "arr_0", 0), std::vector<float>{0.5});
  result = call({"--fn=nothing"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "me.\n");
}

TEST_F(ExportCallTest, Repeats) {
  Result result = call({"--fn", "sums", in("x", "x.npy"),
                        in("shift", "shift.npy"), "--repeat", "3"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::string begin = "me.\n{\"metric\":\"ns_per_iter\",\"value\":";
  EXPECT_EQ(result.out.substr(0, begin.size()), begin);
  EXPECT_NE(result.out.find(",\"processor\":"), std::string::npos);
  EXPECT_EQ(result.out.substr(result.out.size() - 2), "}\n");
}

TEST_F(ExportCallTest, Failures) {
  // The statements run before a file is read, and a failure ends the program.
  std::vector<std::string> words = {"--fn", "sums", in("x", "x.npy"),
                                    in("shift", "negative.npy")};
  Result result = call(words);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "me.\n");
  EXPECT_EQ(result.err, "error[TR101]: assertion failed: negative\n");
  result = call({"--fn", "sums", in("x", "shift.npy"), in("shift", "x.npy")});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("error[TR701]"), std::string::npos) << result.err;
  result = call({"--fn", "sums", in("x", "x.png"), in("shift", "x.npy")});
  EXPECT_NE(result.err.find("error[TR701]"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("no function of this program takes an image"),
            std::string::npos)
      << result.err;
  result = call({"--fn", "sums", in("x", "none.npy"), in("shift", "x.npy")});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("error[TR702]"), std::string::npos) << result.err;
  result = call({"--fn", "sums", in("x", "x.npy"), in("shift", "shift.npy"),
                 "--out", "y=" + (folder / "y.txt")});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("error[TR75"), std::string::npos) << result.err;
  program.main = [](tdrt_context *ctx) {
    return tdrt_fail_check(ctx, 101, "early", -1);
  };
  EXPECT_EQ(call(words).err, "error[TR101]: assertion failed: early\n");
}

TEST_F(ExportCallTest, Mistakes) {
  struct Row {
    std::vector<std::string> words;
    const char *err;
  };
  const Row table[] = {
      {{"--fn", "sum"}, "there is no `export fn sum`: did you mean `sums`?"},
      {{"--fn", "product"},
       "there is no `export fn product`: the exported functions are `sums`, "
       "`nothing`, `first`"},
      {{"--fn", "sums"},
       "the parameter `x` of `sums` needs a file: write `--in x=<file.npy>`"},
      {{"--fn", "sums", "--in", "x=x.npy", "--in", "shif=x.npy"},
       "`sums` has no parameter `shif`: did you mean `shift`?"},
      {{"--fn", "first", "--in", "offset=x.npy"},
       "`first` has no parameter `offset`: the parameters are `x`"},
      {{"--fn", "nothing", "--in", "x=x.npy"},
       "`nothing` has no parameter `x`: there are no parameters"},
      {{"--fn", "nothing", "--out", "x=x.npy"},
       "`nothing` has 0 result(s), not 1"},
      {{"--repeat", "3"}, "`--in`, `--out` and `--repeat` need `--fn <name>`"},
      {{"--fn", "sums", "--in", "x.npy"},
       "`--in` needs `name=value`, not `x.npy`"},
      {{"--fn", "sums", "--out", "=x.npy"},
       "`--out` needs `name=value`, not `=x.npy`"},
      {{"--fn", "sums", "--repeat", "0"},
       "`--repeat` needs a number from 1, not `0`"},
      {{"--fn", "sums", "--repeat=9999999999"},
       "`--repeat` needs a number from 1, not `9999999999`"}};
  for (const Row &row : table) {
    Result result = call(row.words);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, ""); // nothing has run
    EXPECT_EQ(result.err, "error[TR004]: " + std::string(row.err) + "\n");
  }
  EXPECT_EQ(call({"--fn"}).err,
            "error[TR002]: a value is missing after `--fn`\n");
  EXPECT_EQ(call({"--fn", "sums", "--fas"}).err,
            "error[TR001]: unknown argument `--fas`: did you mean "
            "`--fast`?\n");
  program.num_exports = 0;
  EXPECT_EQ(call({"--fn", "sums"}).err,
            "error[TR004]: there is no `export fn sums`: there are no exported "
            "functions\n");
}

TEST_F(ExportCallTest, Help) {
  Result result = call({"--fn", "sums", "--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out,
            "usage: test [arguments]\n"
            "\n"
            "  --name str    (default me)\n"
            "  --fast bool   (default false)\n"
            "  --help        show this text\n"
            "\n"
            "functions, called after the program:\n"
            "  --fn <name> --in <parameter>=<file> --out <result>=<file> "
            "[--repeat <n>]\n"
            "\n"
            "  sums(x: f32[?, 2], shift: f32[]) -> (f32[?], f32[])\n"
            "      Adds rows,\n"
            "      shifted.\n"
            "  nothing()\n"
            "  first(x: f32[?, 2]) -> f32[?]\n");
  program.num_exports = 0;
  result = call({"--help"});
  EXPECT_EQ(result.out.find("functions"), std::string::npos);
}

} // namespace
