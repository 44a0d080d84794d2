//===- CompileTest.cpp - tdc_compile_*, tdc_open, their errors ------------===//

#include "Programs.h"
#include <cstdio>
#include <fstream>

using namespace capi_test;

namespace {

TEST(CompileTest, Interface) {
  Program program(kLinear);
  ASSERT_EQ(tdc_function_count(program), 2u);
  EXPECT_EQ(tdc_function_get(program, 2), nullptr);
  const tdc_function *predict = tdc_function_get(program, 0);
  EXPECT_STREQ(predict->name, "predict");
  ASSERT_EQ(predict->num_inputs, 1u);
  EXPECT_STREQ(predict->inputs[0].name, "x");
  EXPECT_EQ(predict->inputs[0].dtype, TDC_F32);
  ASSERT_EQ(predict->inputs[0].rank, 2);
  EXPECT_EQ(predict->inputs[0].shape[0], -1);
  EXPECT_EQ(predict->inputs[0].shape[1], 2);
  EXPECT_EQ(predict->runs_alone, 0);
  EXPECT_EQ(program.find("step")->runs_alone, 1);
  ASSERT_EQ(tdc_state_count(program), 3u);
  EXPECT_STREQ(tdc_state_get(program, 0)->name, "net.weight");
  EXPECT_STREQ(tdc_state_get(program, 1)->name, "net.bias");
  EXPECT_STREQ(tdc_state_get(program, 2)->name, "opt.optimizer.lr");
  EXPECT_EQ(tdc_state_get(program, 3), nullptr);
}

TEST(CompileTest, FunctionsAsTheyAreWritten) {
  Program program("## Scales `x`.\n"
                  "##\n"
                  "## Keeps its shape.\n"
                  "export fn f(x: f32[N,\n"
                  "                   M], k: f32[]) -> f32[N, M] = x * k\n"
                  "export fn g() = zeros(2)\n");
  const tdc_function *f = program.find("f"), *g = program.find("g");
  EXPECT_EQ(f->size, sizeof(tdc_function));
  EXPECT_STREQ(f->help, "Scales `x`.\n\nKeeps its shape.");
  EXPECT_STREQ(f->input_spellings[0], "f32[N, M]");
  EXPECT_STREQ(f->input_spellings[1], "f32[]");
  EXPECT_STREQ(f->result_spelling, "f32[N, M]");
  EXPECT_STREQ(g->help, "");
  EXPECT_STREQ(g->result_spelling, "");
}

TEST(CompileTest, NoSuchFunction) {
  Program program(kLinear);
  const tdc_function *function;
  Error error;
  EXPECT_EQ(tdc_find_function(program, "forward", &function, &error),
            TDC_USAGE_ERROR);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(error.text(), "error: there is no `export fn forward`; the program "
                          "exports `predict`, `step`\n");
  // A caller that does not need the reason passes null.
  EXPECT_EQ(tdc_find_function(program, "forward", &function, nullptr),
            TDC_USAGE_ERROR);
}

TEST(CompileTest, MistakesHavePlaces) {
  std::string text = "let x = zeros(2)\nlet y = x + zeros(3)\nprint(z)\n";
  tdc_program *program;
  Error error;
  ASSERT_EQ(tdc_compile_text(text.data(), text.size(), "net.tdsl", nullptr,
                             &program, &error),
            TDC_PROGRAM_ERROR);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(tdc_error_status(error.error), TDC_PROGRAM_ERROR);
  ASSERT_EQ(tdc_error_count(error.error), 2u);
  const tdc_diagnostic *shapes = error.first();
  EXPECT_STREQ(shapes->code, "TD401");
  EXPECT_EQ(shapes->severity, TDC_ERROR);
  EXPECT_STREQ(shapes->file, "net.tdsl");
  EXPECT_EQ(shapes->line, 2);
  EXPECT_EQ(shapes->column, 11);
  EXPECT_EQ(shapes->end_line, 2);
  EXPECT_EQ(shapes->end_column, 12);
  EXPECT_EQ(std::string(shapes->text).rfind("error[TD401]: ", 0), 0u);
  EXPECT_NE(std::string(shapes->json).find("\"code\":\"TD401\""),
            std::string::npos);
  EXPECT_STREQ(tdc_error_get(error.error, 1)->code, "TD201");
  EXPECT_EQ(tdc_error_get(error.error, 2), nullptr);
  EXPECT_EQ(error.text(),
            std::string(shapes->text) + tdc_error_get(error.error, 1)->text);
}

TEST(CompileTest, ReportsWarningsAndSteps) {
  struct Seen {
    std::string codes, steps;
  } seen;
  tdc_options options = {};
  options.size = sizeof(options);
  options.user = &seen;
  options.report = [](void *user, const tdc_diagnostic *diagnostic) {
    static_cast<Seen *>(user)->codes += std::string(diagnostic->code) + " ";
    EXPECT_EQ(diagnostic->severity, TDC_WARNING);
  };
  options.done = [](void *user, const char *step) {
    static_cast<Seen *>(user)->steps += std::string(step) + " ";
  };
  Program program("let unused = zeros(2)\n", &options);
  EXPECT_EQ(seen.codes, "TD210 ");
  EXPECT_EQ(seen.steps.rfind("parse context check", 0), 0u) << seen.steps;
  EXPECT_NE(seen.steps.find("link"), std::string::npos) << seen.steps;
}

TEST(CompileTest, Options) {
  // A caller compiled with fewer options than this library has.
  tdc_options options = {};
  options.size = offsetof(tdc_options, placement);
  options.device = "gpu";
  options.placement = "nonsense that must not be read";
  tdc_program *program;
  Error error;
  EXPECT_EQ(tdc_compile_text("", 0, "a.tdsl", &options, &program, &error),
            TDC_USAGE_ERROR);
  EXPECT_EQ(error.text(), "error: there is no device `gpu`\n"
                          "  a device is cpu, cuda, cuda:1 or auto\n");
  options.size = sizeof(options);
  options.device = "cpu";
  Error placement;
  EXPECT_EQ(tdc_compile_text("", 0, "a.tdsl", &options, &program, &placement),
            TDC_USAGE_ERROR);
  options.placement = "strict";
  options.transfer_guard = "never";
  Error guard;
  EXPECT_EQ(tdc_compile_text("", 0, "a.tdsl", &options, &program, &guard),
            TDC_USAGE_ERROR);
  options.transfer_guard = "log";
  options.memory_budget = "much";
  Error budget;
  EXPECT_EQ(tdc_compile_text("", 0, "a.tdsl", &options, &program, &budget),
            TDC_USAGE_ERROR);
  EXPECT_EQ(budget.text().rfind("error: there is no memory budget `much`\n", 0),
            0u)
      << budget.text();
}

TEST(CompileTest, Arguments) {
  const char *text = "arg n: int = 3\n"
                     "assert n == 7, \"n is not 7\"\n"
                     "export fn f() -> i64[] = tensor(n)\n";
  Program unset(text);
  tdc_module *module;
  Error error;
  EXPECT_EQ(tdc_open(unset, &module, &error), TDC_RUN_ERROR);
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(error.code(), "TR101");
  EXPECT_EQ(error.first()->line, 2);
  EXPECT_STREQ(error.first()->file, "test.tdsl");
  EXPECT_EQ(error.text().rfind("error[TR101]: assertion failed: n is not 7", 0),
            0u)
      << error.text();

  const char *words[] = {"--n", "7"};
  tdc_options options = {};
  options.size = sizeof(options);
  options.num_arguments = 2;
  options.arguments = words;
  Program set(text, &options);
  Module opened(set);

  words[0] = "--m";
  Program unknown(text, &options);
  Error usage;
  EXPECT_EQ(tdc_open(unknown, &module, &usage), TDC_USAGE_ERROR);
  EXPECT_EQ(usage.code(), "TR001");
  options.num_arguments = 1;
  words[0] = "--help";
  Program help(text, &options);
  Error asked;
  EXPECT_EQ(tdc_open(help, &module, &asked), TDC_USAGE_ERROR);
}

TEST(CompileTest, Files) {
  std::string path = testing::TempDir() + "capi_compile_test.tdsl";
  std::ofstream(path) << kLinear;
  tdc_program *program;
  Error error;
  EXPECT_EQ(tdc_compile_file(path.c_str(), nullptr, &program, &error), TDC_OK)
      << error.text();
  tdc_program_free(program);
  std::remove(path.c_str());
  Error missing;
  EXPECT_EQ(tdc_compile_file(path.c_str(), nullptr, &program, &missing),
            TDC_RUN_ERROR);
  EXPECT_EQ(program, nullptr);
  EXPECT_NE(missing.text().find(path), std::string::npos);
}

TEST(CompileTest, FreeingNothing) {
  tdc_error_free(nullptr);
  tdc_program_free(nullptr);
  tdc_module_free(nullptr);
  tdc_tensor_free(nullptr);
  tdc_tensor empty = {};
  tdc_tensor_free(&empty);
  EXPECT_STREQ(tdc_version(), "0.1.0");
}

// Modules need their program's handle only while they are opened.
TEST(CompileTest, ModulesOutliveTheirProgram) {
  auto *program = new Program(kLinear);
  Module module(*program);
  delete program;
  Floats values({1, 2}, {0, 0});
  tdc_tensor weight = values.get();
  Error error;
  EXPECT_EQ(tdc_state_read(module, "net.weight", &weight, &error), TDC_OK)
      << error.text();
}

} // namespace
