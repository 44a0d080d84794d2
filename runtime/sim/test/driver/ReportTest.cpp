//===- ReportTest.cpp - counters, leaks and the timeline ------------------===//

#include "Apart.h"
#include "driver/report/Json.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdc_sim_test;

namespace {

/// A report without spaces and line ends.
std::string readReport(const std::string &path) {
  std::string text = readFile(path);
  unlink(path.c_str());
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](char c) { return c == ' ' || c == '\n'; }),
             text.end());
  return text;
}

void expectPart(const std::string &report, const std::string &part) {
  EXPECT_TRUE(contains(report, part)) << part << "\nis not in\n" << report;
}

TEST(Statistics, CountWhatAProgramDid) {
  std::string path = getTemporaryPath("counted.json");
  runApart(withDevices(2, {{"TDC_SIM_STATS", path}}), [] {
    CUcontext second = start(1);
    CUdeviceptr there = allocate(8);
    CUcontext first = start(0);
    CUdeviceptr here = allocateWith({1, 2}), other = allocate(100);
    EXPECT_EQ(cuMemFree_v2(other), CUDA_SUCCESS);
    EXPECT_EQ(launch(getKernel("add"), here, 1, 2), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyPeerAsync(there, second, here, first, 8, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(here, 0, 5, nullptr), CUDA_SUCCESS);
    read(here, 1);
    read(here, 1);
    CUgraph graph = nullptr;
    CUstream stream = makeStream();
    EXPECT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD8Async(here, 0, 8, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CUevent event = makeEvent();
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(event, nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    allocatePinned(3);
  });
  std::string report = readReport(path);
  expectPart(report, "{\"seed\":1,");
  expectPart(report, "\"cuGraphLaunch\":2}");
  expectPart(report, "\"unwaited\":[1,4]");
  expectPart(report, "\"cuMemAlloc_v2\":3,");
  EXPECT_FALSE(contains(report, "cuStreamQuery"));
  expectPart(report,
             "\"copies\":["
             "{\"src\":\"cpu\",\"dst\":\"cuda:0\",\"count\":1,\"bytes\":8},"
             "{\"src\":\"cuda:0\",\"dst\":\"cpu\",\"count\":2,\"bytes\":8},"
             "{\"src\":\"cuda:0\",\"dst\":\"cuda:1\",\"count\":1,\"bytes\":8}"
             "]");
  expectPart(report, "\"memsets\":[{\"device\":\"cuda:0\",\"count\":3,"
                     "\"bytes\":21}]");
  expectPart(report, "\"kernels\":1,");
  EXPECT_FALSE(contains(report, "\"instructions\":0,"));
  expectPart(report, "{\"device\":\"cpu\",\"allocations\":1,\"bytes\":12,"
                     "\"peak\":12}");
  expectPart(report, "{\"device\":\"cuda:0\",\"allocations\":1,\"bytes\":8,"
                     "\"peak\":108,\"extents\":[");
  expectPart(report, "\"live\":{\"allocations\":2,\"bytes\":16,\"pinned\":1,"
                     "\"streams\":1,\"events\":1,\"modules\":1,\"graphs\":1,"
                     "\"executables\":1}");
  expectPart(report, "\"queued\":0,\"fault\":\"\"}");
}

TEST(Statistics, WhatAContextLeavesIsLeaked) {
  std::string path = getTemporaryPath("leaked.json");
  runApart(withDevices(1, {{"TDC_SIM_STATS", path}}), [=] {
    start();
    allocate(8);
    makeStream();
    EXPECT_EQ(cuStreamDestroy_v2(makeStream()), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
    // The file is there as soon as the context is released.
    EXPECT_NE(readFile(path), "");
    start();
    allocate(4);
  });
  std::string report = readReport(path);
  expectPart(report, "\"live\":{\"allocations\":2,\"bytes\":12,\"pinned\":0,"
                     "\"streams\":1,\"events\":0,");
  expectPart(report, "{\"device\":\"cuda:0\",\"allocations\":1,\"bytes\":4,");
}

TEST(Statistics, ATidyProgramLeavesNothing) {
  std::string path = getTemporaryPath("tidy.json");
  runApart(withDevices(1, {{"TDC_SIM_STATS", path}}), [] {
    start();
    EXPECT_EQ(cuMemFree_v2(allocate(8)), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(makeEvent()), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  });
  expectPart(readReport(path),
             "\"live\":{\"allocations\":0,\"bytes\":0,\"pinned\":0,"
             "\"streams\":0,\"events\":0,\"modules\":0,\"graphs\":0,"
             "\"executables\":0}");
}

TEST(Statistics, HaveTheFaultAndWhatWasNeverWaitedFor) {
  std::string path = getTemporaryPath("fault.json");
  // Eagerness is random, too: with most seeds some operations are left.
  int left = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    runApart(withDevices(1, {{"TDC_SIM_STATS", path},
                             {"TDC_SIM_SEED", std::to_string(seed)}}),
             [] {
               start();
               CUdeviceptr none = 0;
               EXPECT_EQ(cuMemFree_v2(123), CUDA_ERROR_INVALID_VALUE);
               for (int i = 0; i < 3; ++i)
                 EXPECT_EQ(cuMemsetD8Async(allocate(8), 0, 8, makeStream()),
                           CUDA_SUCCESS);
               EXPECT_EQ(cuMemAlloc_v2(&none, 0), CUDA_ERROR_INVALID_VALUE);
             });
    std::string report = readReport(path);
    expectPart(report, "\"fault\":\"anallocationofnobytes\"");
    left += !contains(report, "\"queued\":0,");
  }
  EXPECT_GE(left, kSeeds / 4);
}

TEST(Statistics, HaveASeedThatWasChosen) {
  std::string path = getTemporaryPath("seed.json");
  std::set<std::string> seeds;
  for (int i = 0; i < 3; ++i) {
    runApart({{"TDC_SIM_CUDA", "1"}, {"TDC_SIM_STATS", path}}, [] { start(); });
    std::string report = readReport(path);
    seeds.insert(report.substr(0, report.find(',')));
  }
  EXPECT_GE(seeds.size(), 2u);
}

TEST(Statistics, AQueueIsNotEndless) {
  std::string path = getTemporaryPath("queue.json");
  std::string most;
  for (int seed = 0; seed < kSeeds; ++seed) {
    runApart(withDevices(1, {{"TDC_SIM_STATS", path},
                             {"TDC_SIM_SEED", std::to_string(seed)}}),
             [] {
               start();
               CUdeviceptr pointer = allocate(4);
               for (int i = 0; i < 5000; ++i)
                 EXPECT_EQ(cuMemsetD8Async(pointer, 0, 4, nullptr),
                           CUDA_SUCCESS);
             });
    std::string report = readReport(path);
    if (contains(report, "\"queued\":4096,"))
      most = report;
    EXPECT_FALSE(contains(report, "\"queued\":5000,"));
  }
  // With some seed no operation runs before it must.
  EXPECT_NE(most, "");
}

TEST(Reports, KeepEachModuleOnce) {
  std::string folder = testing::TempDir() + "modulesXXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  for (int program = 0; program < 2; ++program)
    runApart(withDevices(1, {{"TDC_SIM_MODULES", folder}}), [] {
      start();
      getKernel("add");
      CUmodule refused = nullptr;
      EXPECT_EQ(cuModuleLoadDataEx(&refused, "no PTX", 0, nullptr, nullptr),
                CUDA_ERROR_INVALID_PTX);
    });
  std::vector<std::string> files;
  for (auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(readFile(files.front()), kKernels);
  std::filesystem::remove_all(folder);
}

TEST(Reports, ThatCannotBeWrittenAreTold) {
  Environment environment =
      withDevices(1, {{"TDC_SIM_STATS", "/nonexistent/stats.json"},
                      {"TDC_SIM_TRACE", "/nonexistent/trace.json"}});
  std::string text = runApart(environment, [] { start(); });
  EXPECT_EQ(text, "tdc simulated GPU: /nonexistent/stats.json: cannot be "
                  "written: No such file or directory\n"
                  "tdc simulated GPU: /nonexistent/trace.json: cannot be "
                  "written: No such file or directory\n");
}

TEST(Reports, ReplaceAFileAsAWhole) {
  std::string path = getTemporaryPath("whole.json");
  ASSERT_TRUE(tdc::sim::writeFile(path, "old"));
  struct stat before, after;
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  ASSERT_TRUE(tdc::sim::writeFile(path, "new"));
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_EQ(readFile(path), "new");
  EXPECT_NE(before.st_ino, after.st_ino) << "written in place";
  unlink(path.c_str());
}

TEST(Reports, JsonIsEscaped) {
  tdc::sim::JsonWriter json;
  json.beginObject();
  json.add("a\"b", "c\\d\n\x01");
  json.add("time", 1234.5);
  json.beginArray("none");
  json.endArray();
  json.endObject();
  EXPECT_EQ(json.take(), "{\n \"a\\\"b\": \"c\\\\d\\u000a\\u0001\",\n"
                         " \"time\": 1234.500000,\n \"none\": []}\n");
}

TEST(Timeline, HasDevicesStreamsAndTimes) {
  std::string path = getTemporaryPath("trace.json");
  // The same for every order in which the simulation really ran.
  for (const char *seed : {"1", "2", "3", "4"}) {
    runApart(withDevices(2, {{"TDC_SIM_TRACE", path}, {"TDC_SIM_SEED", seed}}),
             [] {
               start(1);
               start(0);
               CUstream stream = makeStream();
               CUfunction store = getKernel("store");
               CUdeviceptr pointer = allocate(25000);
               auto *pinned = allocatePinned<char>(25000);
               EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, pinned, 25000, stream),
                         CUDA_SUCCESS);
               EXPECT_EQ(launch(store, pointer, 1, 32, stream), CUDA_SUCCESS);
               EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
             });
    std::string report = readReport(path);
    expectPart(report, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    expectPart(report, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,"
                       "\"tid\":0,\"args\":{\"name\":\"device1\"}}");
    expectPart(report, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,"
                       "\"tid\":2,\"args\":{\"name\":\"stream1\"}}");
    // 4 us for the call, 10 to start, 1 for the bytes; then the kernel.
    expectPart(report,
               "{\"name\":\"copyof25000bytesfromthehosttodevice0\",\"ph\":"
               "\"X\",\"pid\":1,\"tid\":2,\"ts\":4.000000,\"dur\":11.000000,"
               "\"args\":{\"bytes\":\"25000\"}}");
    expectPart(report, "{\"name\":\"store\",\"ph\":\"X\",\"pid\":1,\"tid\":2,"
                       "\"ts\":15.000000,\"dur\":0.");
    // The host's events: two calls, then its wait.
    expectPart(report, "{\"name\":\"cuLaunchKernel\",\"ph\":\"X\",\"pid\":0,"
                       "\"tid\":0,\"ts\":4.000000,\"dur\":4.000000,");
    expectPart(report, "{\"name\":\"cuStreamSynchronize\",\"ph\":\"X\","
                       "\"pid\":0,\"tid\":0,\"ts\":8.000000,\"dur\":7.");
    expectPart(report, "\"args\":{\"kernel\":\"store\",\"grid\":\"1x1x1\","
                       "\"block\":\"32x1x1\"}}");
  }
}

} // namespace
