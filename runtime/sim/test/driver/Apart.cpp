//===- Apart.cpp - tests of the driver, each in a process of its own ------===//

#include "Apart.h"
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace tdc_sim_test;

Environment tdc_sim_test::withDevices(int devices, const Environment &more) {
  Environment all = {{"TDC_SIM_CUDA", std::to_string(devices)},
                     {"TDC_SIM_SEED", "1"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string tdc_sim_test::runApart(const Environment &environment,
                                   const std::function<void()> &body) {
  int ends[2];
  if (pipe(ends) != 0)
    abort();
  fflush(stdout);
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const char *name :
         {"TDC_SIM_CUDA", "TDC_SIM_ARCH", "TDC_SIM_MEMORY", "TDC_SIM_SEED",
          "TDC_SIM_EXECUTE", "TDC_SIM_PEER", "TDC_SIM_FAULT", "TDC_SIM_SKIP",
          "TDC_SIM_STATS", "TDC_SIM_TRACE", "TDC_SIM_MODULES",
          "CUDA_VISIBLE_DEVICES"})
      unsetenv(name);
    for (auto &[name, value] : environment)
      setenv(name, value.c_str(), 1);
    body();
    exit(testing::Test::HasFailure());
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "in a child with standard error:\n" << text;
  return text;
}

void tdc_sim_test::runWithSeeds(const Environment &environment,
                                const std::function<void()> &body) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("TDC_SIM_SEED=" + std::to_string(seed));
    Environment seeded = environment;
    seeded.emplace_back("TDC_SIM_SEED", std::to_string(seed));
    runApart(seeded, body);
  }
}

CUcontext tdc_sim_test::start(int device) {
  CUcontext context = nullptr;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  return context;
}

CUdeviceptr tdc_sim_test::allocate(size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc_v2(&pointer, bytes), CUDA_SUCCESS);
  return pointer;
}

CUdeviceptr tdc_sim_test::allocateWith(const std::vector<unsigned> &numbers) {
  size_t bytes = numbers.size() * sizeof(unsigned);
  CUdeviceptr pointer = allocate(bytes);
  EXPECT_EQ(cuMemcpyHtoDAsync_v2(pointer, numbers.data(), bytes, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return pointer;
}

CUstream tdc_sim_test::makeStream(unsigned flags) {
  CUstream stream = nullptr;
  EXPECT_EQ(cuStreamCreate(&stream, flags), CUDA_SUCCESS);
  return stream;
}

CUevent tdc_sim_test::makeEvent(unsigned flags) {
  CUevent event = nullptr;
  EXPECT_EQ(cuEventCreate(&event, flags), CUDA_SUCCESS);
  return event;
}

std::vector<unsigned> tdc_sim_test::read(CUdeviceptr pointer, size_t count) {
  std::vector<unsigned> numbers(count);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(numbers.data(), pointer,
                                 count * sizeof(unsigned), nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return numbers;
}

CUfunction tdc_sim_test::getKernel(const char *name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, kKernels, 0, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
  return function;
}

CUresult tdc_sim_test::launch(CUfunction kernel, CUdeviceptr pointer,
                              unsigned value, unsigned count, CUstream stream) {
  void *parameters[] = {&pointer, &value};
  return cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, stream, parameters,
                        nullptr);
}

void tdc_sim_test::expectFault(const std::string &part) {
  std::string fault = tdc_sim_last_fault();
  EXPECT_TRUE(contains(fault, part))
      << "expected: " << part << "\nfault: " << fault;
}

std::string tdc_sim_test::getTemporaryPath(const char *name) {
  return testing::TempDir() + "tdc-sim-" + std::to_string(getpid()) + "-" +
         name;
}

std::string tdc_sim_test::readFile(const std::string &path) {
  std::string text;
  FILE *file = fopen(path.c_str(), "r");
  if (!file)
    return text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, n);
  fclose(file);
  return text;
}
