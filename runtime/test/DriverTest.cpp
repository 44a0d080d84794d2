//===- DriverTest.cpp - finding GPUs, choosing the version for them -------===//

#include "support/GpuPrograms.h"
#include <dlfcn.h>

using namespace tdrt_test;

namespace {

std::string whyNoGpu() {
  char why[400];
  EXPECT_EQ(tdrt_cuda_device_count(why, sizeof why), 0);
  return why;
}

/// The version for the cpu of a program that prefers `gpus` GPUs.
class TwoVersions {
public:
  explicit TwoVersions(int32_t gpus) : onGpus(gpus) {
    onGpus.program.otherwise = &onCpu;
    onGpus.program.main = [](tdrt_context *) -> int32_t { return 90; };
    onCpu.main = [](tdrt_context *) -> int32_t { return 80; };
  }
  /// Opens the program; returns "gpu", "cpu" or the error.
  std::string choose(std::vector<const char *> args = {}) {
    Opened ctx(onGpus.program, std::move(args));
    if (ctx.status)
      return ctx.error();
    return tdrt_main(ctx) == 90 ? "gpu" : "cpu";
  }
  /// Runs the program as a process.
  void run() {
    onCpu.main = [](tdrt_context *) -> int32_t { return 0; };
    const char *argv[] = {"test"};
    tdrt_run_program(&onGpus.program, 1, argv);
  }
  GpuProgram onGpus;
  tdrt_program onCpu = emptyProgram();
};

TEST(DriverTest, Count) {
  checkWithGpus(3, {}, [] {
    char why[400] = "?";
    EXPECT_EQ(tdrt_cuda_device_count(why, sizeof why), 3);
    EXPECT_STREQ(why, "");
    EXPECT_EQ(tdrt_cuda_device_count(nullptr, 0), 3);
    why[0] = '?';
    EXPECT_EQ(tdrt_cuda_device_count(why, 0), 3);
    EXPECT_EQ(why[0], '?');
  });
}

TEST(DriverTest, NoDriver) {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL))
    GTEST_SKIP() << "this machine has a driver";
  for (const char *nothing : {"", "0"})
    checkWithGpus(0, {}, [&] {
      setenv("TDC_SIM_CUDA", nothing, 1);
      EXPECT_NE(whyNoGpu().find("there is no CUDA driver: libcuda.so.1: "),
                std::string::npos);
    });
  checkWithGpus(0, {{"TDC_SIM_CUDA", ""}}, [] {
    EXPECT_EQ(whyNoGpu(), "there is no CUDA driver: libcuda.so.1: cannot open "
                          "shared object file: No such file or directory");
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 301);
    EXPECT_EQ(ctx.error(), "error[TR301]: " + whyNoGpu() + "\n");
  });
}

TEST(DriverTest, ReasonIsCut) {
  checkWithGpus(1, {{"CUDA_VISIBLE_DEVICES", "-1"}}, [] {
    char why[10];
    EXPECT_EQ(tdrt_cuda_device_count(why, sizeof why), 0);
    EXPECT_STREQ(why, "no GPU ca");
  });
}

std::string outputOf(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  char line[2000];
  while (pipe && fgets(line, sizeof line, pipe))
    text += line;
  if (pipe)
    pclose(pipe);
  return text;
}

/// The output of CountGpus, without the simulated driver of the tests.
std::string countGpus(const std::string &whereBuilt) {
  return outputOf("TDC_SIM_CUDA=1 TDC_SIM_CUDA_LIBRARY=/nowhere/one.so " +
                  std::string(TDRT_COUNT_GPUS) + " " + whereBuilt);
}

TEST(DriverTest, NoSimulatedDriver) {
  std::string error = countGpus("/nowhere/two.so");
  // The driver is searched for in this order.
  size_t after = 0;
  for (const char *part : {"error[TR312]: the simulated CUDA driver was not "
                           "found: /nowhere/one.so: cannot open",
                           "../lib/libtdc_sim_cuda.so: cannot open",
                           "/nowhere/two.so: cannot open"}) {
    size_t found = error.find(part, after);
    EXPECT_NE(found, std::string::npos) << part << " in " << error;
    after = found;
  }
}

// Programs get simulated GPUs only on request: otherwise the driver is
// NVIDIA's, found by its name; here it is a library that reports that it is too
// old.
TEST(DriverTest, DriverByItsName) {
  TemporaryFolder folder;
  ASSERT_EQ(symlink(TDRT_OLD_DRIVER, (folder / "libcuda.so.1").c_str()), 0);
  std::string command = "unset TDC_SIM_CUDA; LD_LIBRARY_PATH='" + folder.path +
                        "' " + TDRT_COUNT_GPUS + " " + TDRT_SIM_LIBRARY;
  EXPECT_EQ(outputOf(command),
            "error[TR302]: the CUDA driver is too old: it is for CUDA 11.4, "
            "and CUDA 12.0 (R525) is needed\n\n");
}

TEST(DriverTest, SimulatedDriverWhereTheProgramWasBuilt) {
  EXPECT_EQ(countGpus(TDRT_SIM_LIBRARY), "ok\n");
}

// The tests lie next to the folder of libraries.
TEST(DriverTest, SimulatedDriverNextToTheProgram) {
  checkWithGpus(1, {{"TDC_SIM_CUDA_LIBRARY", ""}},
                [] { EXPECT_EQ(tdrt_cuda_device_count(nullptr, 0), 1); });
}

// A library that is no driver.
TEST(DriverTest, IncompleteDriver) {
  checkWithGpus(1, {{"TDC_SIM_CUDA_LIBRARY", "libm.so.6"}}, [] {
    std::string why = whyNoGpu();
    EXPECT_EQ(why.find("the CUDA driver is not complete: it has no function "
                       "`cu"),
              0u)
        << why;
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.error(), "error[TR303]: " + why + "\n");
  });
}

TEST(DriverTest, OldDriver) {
  checkWithGpus(1, {{"TDC_SIM_CUDA_LIBRARY", TDRT_OLD_DRIVER}}, [] {
    EXPECT_EQ(whyNoGpu(), "the CUDA driver is too old: it is for CUDA 11.4, "
                          "and CUDA 12.0 (R525) is needed");
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.error(), "error[TR302]: " + whyNoGpu() + "\n");
  });
}

TEST(DriverTest, HiddenGpus) {
  checkWithGpus(2, {{"CUDA_VISIBLE_DEVICES", "-1"}}, [] {
    EXPECT_EQ(whyNoGpu(), "no GPU can be seen (CUDA_VISIBLE_DEVICES is `-1`)");
  });
  checkWithGpus(2, {{"CUDA_VISIBLE_DEVICES", "1"}}, [] {
    EXPECT_EQ(tdrt_cuda_device_count(nullptr, 0), 1);
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 305);
    EXPECT_EQ(ctx.error(),
              "error[TR305]: the program needs 2 GPUs, and 1 GPU can be seen "
              "(CUDA_VISIBLE_DEVICES is `1`)\n");
  });
}

TEST(DriverTest, FailsToStart) {
  checkWithGpus(1, {{"TDC_SIM_FAULT", "cuInit@1=803"}}, [] {
    std::string why = whyNoGpu();
    EXPECT_EQ(why.find("the CUDA driver failed at starting it: "
                       "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): "),
              0u)
        << why;
    // The next call tries again.
    EXPECT_EQ(tdrt_cuda_device_count(nullptr, 0), 1);
  });
}

TEST(DriverTest, NotReady) {
  checkWithGpus(1, {{"TDC_SIM_FAULT", "cuInit@1=802"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 316);
    EXPECT_EQ(ctx.error().find("error[TR316]: the machine's GPUs are not "
                               "ready: CUDA_ERROR_SYSTEM_NOT_READY (802): "
                               "system not yet initialized"),
              0u)
        << ctx.error();
  });
}

TEST(DriverTest, Versions) {
  struct Row {
    const char *visible, *device;
    const char *chosen;
    const char *note;
  };
  const Row rows[] = {
      {"0,1", "", "gpu", ""},
      {"0,1", "auto", "gpu", ""},
      {"0,1", "cuda", "gpu", ""},
      {"0,1", "cpu", "cpu", ""},
      {"0", "", "cpu",
       "note: runs on the cpu: the program needs 2 GPUs, and 1 GPU can be seen "
       "(CUDA_VISIBLE_DEVICES is `0`)\n"},
      {"-1", "auto", "cpu",
       "note: runs on the cpu: no GPU can be seen (CUDA_VISIBLE_DEVICES is "
       "`-1`)\n"},
      {"-1", "cpu", "cpu", ""},
      {"-1", "cuda",
       "error[TR304]: no GPU can be seen (CUDA_VISIBLE_DEVICES is `-1`)\n", ""},
      {"0", "gpu",
       "error[TR313]: TDC_DEVICE is `gpu`: it can be `cpu`, `cuda` or `auto`\n",
       ""},
  };
  for (const Row &row : rows) {
    Outcome outcome = runWithGpus(
        2, {{"CUDA_VISIBLE_DEVICES", row.visible}, {"TDC_DEVICE", row.device}},
        [&] { EXPECT_EQ(TwoVersions(2).choose(), row.chosen); });
    expectSuccess(outcome);
    // Only a program that runs as a process tells notes.
    EXPECT_EQ(outcome.err, "");
    Environment environment = {{"CUDA_VISIBLE_DEVICES", row.visible},
                               {"TDC_DEVICE", row.device}};
    if (*row.note)
      EXPECT_EQ(runWithGpus(2, environment, [] { TwoVersions(2).run(); }).err,
                row.note);
  }
}

TEST(DriverTest, QuietNotes) {
  Environment none = {{"CUDA_VISIBLE_DEVICES", "-1"}};
  Outcome outcome = runWithGpus(1, none, [] {
    tdrt_report_errors([](const tdrt_error *error) {
      fprintf(stderr, "%d, code %d: %s", error->severity, error->code,
              error->message);
    });
    TwoVersions(1).run();
  });
  EXPECT_EQ(outcome.err, "2, code 0: runs on the cpu: no GPU can be seen "
                         "(CUDA_VISIBLE_DEVICES is `-1`)");
  outcome = runWithGpus(1, none, [] {
    tdrt_be_quiet();
    TwoVersions(1).run();
  });
  EXPECT_EQ(outcome.err, "");
}

// The command line takes precedence over the environment.
TEST(DriverTest, VersionOfArgument) {
  const tdrt_arg device = {"device", "auto", nullptr, TDRT_STR,
                           TDRT_ARG_DEVICE};
  auto choose = [&](std::vector<const char *> words) {
    TwoVersions versions(1);
    for (tdrt_program *one : {&versions.onGpus.program, &versions.onCpu}) {
      one->num_args = 1;
      one->args = &device;
    }
    return versions.choose(std::move(words));
  };
  checkWithGpus(1, {{"TDC_DEVICE", "cpu"}}, [&] {
    EXPECT_EQ(choose({"--device", "cuda"}), "gpu");
    EXPECT_EQ(choose({"--device", "cuda:0"}), "gpu");
    EXPECT_EQ(choose({"--device", "auto"}), "cpu");
    EXPECT_EQ(choose({}), "cpu");
    EXPECT_EQ(choose({"--device", "tpu"}),
              "error[TR003]: `--device` wants `cpu`, `cuda` or `auto`, not "
              "`tpu`\n");
  });
  checkWithGpus(1, {{"TDC_DEVICE", "cuda"}},
                [&] { EXPECT_EQ(choose({"--device=cpu"}), "cpu"); });
}

// A variable with an empty value counts as unset.
TEST(DriverTest, EmptyVariables) {
  checkWithGpus(1, {}, [] {
    setenv("TDC_DEVICE", "", 1);
    EXPECT_EQ(TwoVersions(1).choose(), "gpu");
  });
  checkWithGpus(1, {}, [] {
    setenv("TDC_SIM_CUDA_LIBRARY", "", 1);
    EXPECT_EQ(tdrt_cuda_device_count(nullptr, 0), 1);
  });
}

// A typo in a request for simulated GPUs is an error, not a reason to use the
// cpu.
TEST(DriverTest, MalformedSettingOfTheSimulation) {
  const std::pair<const char *, const char *> variables[] = {
      {"TDC_SIM_FAULT", "banana"},
      {"TDC_SIM_ARCH", "75"},
      {"TDC_SIM_SKIP", "bar.sync"},
      {"TDC_SIM_CUDA", "many"}};
  for (auto &[name, value] : variables) {
    std::string start = std::string("error[TR312]: there are no simulated "
                                    "GPUs: ") +
                        name + "=" + value + ": expected ";
    Outcome outcome = runWithGpus(1, {{name, value}}, [&] {
      std::string chosen = TwoVersions(1).choose();
      EXPECT_EQ(chosen.find(start), 0u) << chosen;
    });
    expectSuccess(outcome);
    EXPECT_EQ(outcome.err, "");
  }
}

// A program that names a GPU has no version without GPUs.
TEST(DriverTest, CpuWantedButGpuNamed) {
  checkWithGpus(1, {{"TDC_DEVICE", "cpu"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    EXPECT_EQ(ctx.status, 306);
    EXPECT_EQ(ctx.error(), "error[TR306]: the program has no code for the cpu: "
                           "build it with `--device cpu`\n");
  });
}

// A program with code for the cpu only reports that when a GPU is requested.
TEST(DriverTest, ProgramWithoutGpus) {
  checkWithGpus(1, {{"TDC_DEVICE", "cuda"}}, [] {
    tdrt_program program = emptyProgram();
    Opened ctx(program);
    EXPECT_EQ(ctx.status, 306);
    EXPECT_EQ(ctx.error(), "error[TR306]: the program has no code for GPUs: "
                           "build it with `--device cuda`\n");
  });
}

TEST(DriverTest, Queries) {
  checkWithGpus(2, {{"TDC_SIM_MEMORY", "1000000000"}}, [] {
    tdrt_program program = emptyProgram();
    program.sites = gpuSites;
    program.num_sites = 10;
    Opened ctx(program);
    const char *name = nullptr;
    int64_t bytes = 0;
    EXPECT_EQ(tdrt_cuda_device_name(ctx, 1, 0, &name), 0);
    EXPECT_NE(std::string(name).find("sm_80"), std::string::npos) << name;
    EXPECT_EQ(tdrt_cuda_total_memory(ctx, 1, 0, &bytes), 0);
    EXPECT_EQ(bytes, 1000000000);
    EXPECT_EQ(tdrt_cuda_synchronize(ctx, 0), 0);
    EXPECT_EQ(tdrt_cuda_device_name(ctx, 2, 4, &name), 103);
    EXPECT_EQ(ctx.error(), "error[TR103]: there is no cuda:2: 2 can be seen\n"
                           "  --> gpu.tdsl:5\n");
    EXPECT_EQ(tdrt_cuda_total_memory(ctx, -1, 4, &bytes), 103);
  });
}

} // namespace
