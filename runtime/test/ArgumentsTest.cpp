//===- ArgumentsTest.cpp - the command line of a program ------------------===//

#include "base/Nearest.h"
#include "support/ChildProgram.h"

using namespace tdrt_test;

namespace {

const tdrt_arg args[] = {{"epochs", "5", "training epochs", TDRT_INT, 0},
                         {"lr", "1e-3", nullptr, TDRT_FLOAT, 0},
                         {"shuffle", "false", nullptr, TDRT_BOOLEAN, 0},
                         {"data", nullptr, "where the data is", TDRT_STR, 0}};

int32_t printArguments(tdrt_context *ctx) {
  tdrt_out_i64(ctx, ctx->args[0].i, nullptr);
  tdrt_out_text(ctx, " ", 1);
  tdrt_out_f64(ctx, ctx->args[1].f, nullptr);
  tdrt_out_text(ctx, " ", 1);
  tdrt_out_bool(ctx, static_cast<int32_t>(ctx->args[2].i), nullptr);
  tdrt_out_text(ctx, " ", 1);
  tdrt_out_text(ctx, ctx->args[3].s, -1);
  return tdrt_out_end(ctx, 0, -1);
}

class ArgumentsTest : public testing::Test {
protected:
  ArgumentsTest() {
    program.name = "train";
    program.help = "Trains a model.";
    program.num_args = 4;
    program.args = args;
    program.main = printArguments;
  }

  /// The error for a command line.
  std::string errorOf(std::vector<const char *> words) {
    return Opened(program, std::move(words)).error();
  }

  tdrt_program program = emptyProgram();
};

TEST_F(ArgumentsTest, Arguments) {
  EXPECT_EQ(run(program, {"--data", "x"}).out, "5 0.001 false x");
  EXPECT_EQ(
      run(program, {"--epochs=-7", "--lr", "2", "--shuffle", "--data", "--odd"})
          .out,
      "-7 2.0 true --odd");
  EXPECT_EQ(run(program, {"--shuffle", "false", "--data=a=b", "--epochs", "+3",
                          "--epochs", "4"})
                .out,
            "4 0.001 false a=b");
  EXPECT_EQ(run(program, {"--", "--data", "x"}).out, "5 0.001 false x");
}

// An embedder may create argv for the call and free it afterwards.
TEST_F(ArgumentsTest, ArgumentsOutliveTheirWords) {
  std::vector<std::string> words = {"--data=here", "--data", "there"};
  Opened ctx(program, {words[0].c_str(), words[1].c_str(), words[2].c_str()});
  for (std::string &word : words)
    word.assign(word.size(), '#');
  EXPECT_STREQ(ctx->args[3].s, "there");
}

TEST_F(ArgumentsTest, WrongArguments) {
  struct Row {
    std::vector<const char *> args;
    const char *err;
  };
  const Row rows[] = {
      {{}, "error[TR002]: the argument `--data` is required\n"},
      {{"--data"}, "error[TR002]: a value is missing after `--data`\n"},
      {{"--epoch", "3"},
       "error[TR001]: unknown argument `--epoch`: did you mean `--epochs`?\n"},
      {{"--xyz=3"},
       "error[TR001]: unknown argument `--xyz`: --help lists what there is\n"},
      {{"data"},
       "error[TR001]: unexpected argument `data`: write --name value\n"},
      {{"--epochs", "1.5"},
       "error[TR003]: `--epochs` wants an int, not `1.5`\n"},
      {{"--epochs="}, "error[TR003]: `--epochs` wants an int, not ``\n"},
      {{"--epochs", "9223372036854775808"},
       "error[TR003]: `--epochs`: `9223372036854775808` is beyond what an int "
       "holds\n"},
      {{"--lr=+1e999"},
       "error[TR003]: `--lr`: `+1e999` is beyond what a float holds\n"},
      {{"--lr", "fast"}, "error[TR003]: `--lr` wants a float, not `fast`\n"},
      {{"--shuffle=yes"},
       "error[TR003]: `--shuffle` wants a bool, not `yes`\n"}};
  for (const Row &row : rows) {
    Result result = run(program, row.args);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, row.err);
  }
}

TEST_F(ArgumentsTest, Help) {
  Result result = run(program, {"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "usage: train [arguments]\n"
                        "\n"
                        "Trains a model.\n"
                        "\n"
                        "  --epochs int     training epochs (default 5)\n"
                        "  --lr float       (default 1e-3)\n"
                        "  --shuffle bool   (default false)\n"
                        "  --data str       where the data is (required)\n"
                        "  --help           show this text\n");
}

// An argument that was fixed when the program was built accepts only that
// value.
TEST_F(ArgumentsTest, FixedAndDeviceArguments) {
  const tdrt_arg rows[] = {
      {"depth", "6", nullptr, TDRT_INT, TDRT_ARG_FIXED},
      {"device", "auto", nullptr, TDRT_STR, TDRT_ARG_DEVICE}};
  program.num_args = 2;
  program.args = rows;
  program.main = [](tdrt_context *ctx) -> int32_t {
    tdrt_out_i64(ctx, ctx->args[0].i, nullptr);
    tdrt_out_text(ctx, ctx->args[1].s, -1);
    return tdrt_out_end(ctx, 0, -1);
  };
  EXPECT_EQ(run(program, {"--device", "cpu"}).out, "6cpu");
  EXPECT_EQ(run(program, {"--depth", "7"}).err,
            "error[TR001]: the argument `--depth` was fixed to `6` when the "
            "program was built: `tdc build --set depth=7` builds another\n");
  EXPECT_EQ(run(program, {"--depth", "6"}).out, "6auto");
  EXPECT_EQ(run(program, {"--depth=+06"}).out, "6auto");
  EXPECT_EQ(run(program, {"--dept", "7"}).err,
            "error[TR001]: unknown argument `--dept`: did you mean "
            "`--depth`?\n");
  EXPECT_EQ(run(program, {"--device", "cuda"}).err,
            "error[TR003]: `--device` wants `cpu` or `auto` (there is no code "
            "for other devices), not `cuda`\n");
  EXPECT_EQ(run(program, {"--help"}).out,
            "usage: train [arguments]\n"
            "\n"
            "Trains a model.\n"
            "\n"
            "  --depth int       (6, fixed when built)\n"
            "  --device device   (default auto)\n"
            "  --help            show this text\n");
}

TEST_F(ArgumentsTest, FixedNumbers) {
  const tdrt_arg rows[] = {
      {"rate", "1e-3", nullptr, TDRT_FLOAT, TDRT_ARG_FIXED},
      {"name", "6", nullptr, TDRT_STR, TDRT_ARG_FIXED}};
  program.num_args = 2;
  program.args = rows;
  EXPECT_EQ(errorOf({"--rate", "0.001", "--name=6"}), "");
  auto isFixed = [&](const char *word) {
    return errorOf({word}).find("was fixed to") != std::string::npos;
  };
  for (const char *word :
       {"--rate=0.002", "--rate=x", "--name=06", "--name=+6"})
    EXPECT_TRUE(isFixed(word)) << word;
}

TEST_F(ArgumentsTest, Nearest) {
  EXPECT_EQ(tdrt::editDistance("kitten", "sitting"), 3u);
  std::vector<std::string> among = {"epochs", "lr"};
  EXPECT_EQ(*tdrt::findNearest("epcohs", among), "epochs");
  EXPECT_EQ(tdrt::findNearest("momentum", among), nullptr);
}

TEST_F(ArgumentsTest, OnlyTheFirstTwoHyphensAreNoName) {
  EXPECT_EQ(
      errorOf({"--", "--"}),
      "error[TR001]: unknown argument `--`: --help lists what there is\n");
}

TEST_F(ArgumentsTest, OneSign) {
  EXPECT_EQ(errorOf({"--epochs", "+-3"}),
            "error[TR003]: `--epochs` wants an int, not `+-3`\n");
}

TEST_F(ArgumentsTest, BooleansInWords) {
  EXPECT_EQ(run(program, {"--data=x", "--shuffle", "true"}).out,
            "5 0.001 true x");
  EXPECT_EQ(run(program, {"--data=x", "--shuffle=false"}).out,
            "5 0.001 false x");
}

TEST_F(ArgumentsTest, HelpOfAProgramThatSaysNothing) {
  program.help = "";
  program.num_args = 0;
  EXPECT_EQ(run(program, {"-h"}).out, "usage: train [arguments]\n"
                                      "\n"
                                      "  --help   show this text\n");
}

TEST_F(ArgumentsTest, FixedBooleansAndDevices) {
  const tdrt_arg rows[] = {
      {"fast", "true", nullptr, TDRT_BOOLEAN, TDRT_ARG_FIXED},
      {"slow", "false", nullptr, TDRT_BOOLEAN, TDRT_ARG_FIXED},
      {"first", "cuda:0", nullptr, TDRT_STR, TDRT_ARG_FIXED},
      {"second", "cuda", nullptr, TDRT_STR, TDRT_ARG_FIXED}};
  program.num_args = 4;
  program.args = rows;
  EXPECT_EQ(
      errorOf({"--fast", "--slow=false", "--first=cuda", "--second=cuda:0"}),
      "");
  auto fixed = [](const std::string &name, const std::string &value,
                  const std::string &set) {
    return "error[TR001]: the argument `--" + name + "` was fixed to `" +
           value + "` when the program was built: `tdc build --set " + set +
           "` builds another\n";
  };
  EXPECT_EQ(errorOf({"--slow"}), fixed("slow", "false", "slow=true"));
  EXPECT_EQ(errorOf({"--first=cpu"}), fixed("first", "cuda:0", "first=cpu"));
  EXPECT_EQ(errorOf({"--second=cpu"}), fixed("second", "cuda", "second=cpu"));
}

TEST_F(ArgumentsTest, DevicesOfAllVersions) {
  const tdrt_arg rows[] = {
      {"device", "auto", nullptr, TDRT_STR, TDRT_ARG_DEVICE}};
  program.num_args = 1;
  program.args = rows;
  tdrt_program withGpus = program;
  withGpus.cuda_devices = 1;
  withGpus.otherwise = &program;
  Opened ctx(withGpus, {"--device", "cpu"});
  EXPECT_EQ(ctx.status, 0) << ctx.error();
  EXPECT_STREQ(ctx->args[0].s, "cpu");
  EXPECT_EQ(Opened(withGpus, {"--device", "tpu"}).error(),
            "error[TR003]: `--device` wants `cpu`, `cuda` or `auto`, not "
            "`tpu`\n");
  withGpus.otherwise = nullptr;
  EXPECT_EQ(Opened(withGpus, {"--device", "cpu"}).error(),
            "error[TR003]: `--device` wants `cuda` or `auto` (there is no code "
            "for other devices), not `cpu`\n");
}

} // namespace
