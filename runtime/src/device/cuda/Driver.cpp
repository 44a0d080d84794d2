//===- Driver.cpp - CUDA's driver, loaded when it is needed ---------------===//

#include "device/cuda/Driver.h"
#include "base/Failure.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace tdrt;

namespace {

constexpr char kLibrary[] = "libcuda.so.1";
constexpr char kSimulatedLibrary[] = "libtdc_sim_cuda.so";
/// CUDA 12.0, which came with driver R525.
constexpr int kOldestVersion = 12000;

bool wantsSimulation() {
  const char *devices = getenv("TDC_SIM_CUDA");
  return devices && *devices && strcmp(devices, "0") != 0;
}

/// The folder `lib` next to the folder of the running program.
std::string libraryFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string program(path, length > 0 ? length : 0);
  return program.substr(0, program.rfind('/') + 1) + "../lib/";
}

void *openSimulated(const char *simulated) {
  std::string installed = libraryFolder() + kSimulatedLibrary;
  const char *const places[] = {getenv("TDC_SIM_CUDA_LIBRARY"),
                                installed.c_str(), simulated};
  std::string reasons;
  for (const char *place : places) {
    if (!place || !*place)
      continue;
    if (void *library = dlopen(place, RTLD_NOW | RTLD_LOCAL))
      return library;
    reasons += (reasons.empty() ? ": " : "; ") + std::string(dlerror());
  }
  fail(312, "the simulated CUDA driver was not found" + reasons);
}

void *openLibrary(const char *simulated) {
  if (wantsSimulation())
    return openSimulated(simulated);
  void *library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(301, std::string("there is no CUDA driver: ") + dlerror());
  return library;
}

template <class Function>
void find(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
}

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

} // namespace

std::string tdrt::visibleDevicesText() {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  return visible ? " (CUDA_VISIBLE_DEVICES is " + inQuotes(visible) + ")" : "";
}

const Driver &Driver::get(const char *simulated) {
  static const Driver driver(simulated);
  return driver;
}

Driver::Driver(const char *simulated) {
  // Never closed: the driver has threads and handlers of its own.
  void *library = openLibrary(simulated);
  const char *missing = findFunctions(library);
  // An old driver may lack functions: its age is reported, not what it lacks.
  int version = 0;
  if (cuDriverGetVersion && cuDriverGetVersion(&version) == CUDA_SUCCESS &&
      version < kOldestVersion)
    fail(302, "the CUDA driver is too old: it is for CUDA " +
                  versionText(version) + ", and CUDA " +
                  versionText(kOldestVersion) + " (R525) is needed");
  if (missing)
    fail(303, "the CUDA driver is not complete: it has no function " +
                  inQuotes(missing));
  find(library, "tdc_sim_is_valid", simulatedIsValid);
  find(library, "tdc_sim_last_fault", simulatedLastFault);
  const char *(*simulatedMalformedSetting)() = nullptr;
  find(library, "tdc_sim_malformed_setting", simulatedMalformedSetting);
  if (simulatedMalformedSetting)
    if (const char *what = simulatedMalformedSetting(); *what)
      fail(312, std::string("there are no simulated GPUs: ") + what);
  initialize();
}

const char *Driver::findFunctions(void *library) {
  const struct {
    const char *name;
    void **address;
  } entries[] = {
#define CUDA_ENTRY(NAME, PARAMETERS)                                           \
  {#NAME, reinterpret_cast<void **>(&(NAME))},
#define CUDA_TEST_ENTRY(NAME, PARAMETERS)
#include "cuda_driver.def"
  };
  const char *missing = nullptr;
  for (auto &entry : entries) {
    *entry.address = dlsym(library, entry.name);
    if (!*entry.address)
      missing = entry.name;
  }
  return missing;
}

void Driver::initialize() {
  CUresult result = cuInit(0);
  if (result != CUDA_ERROR_NO_DEVICE) {
    check(result, "starting it");
    check(cuDeviceGetCount(&devices), "counting the GPUs");
  }
  if (devices == 0)
    fail(304, "no GPU can be seen" + visibleDevicesText());
}

void Driver::check(CUresult result, const char *what) const {
  if (result == CUDA_ERROR_SYSTEM_NOT_READY)
    fail(316, "the machine's GPUs are not ready: " + describe(result));
  if (result != CUDA_SUCCESS)
    fail(311, std::string("the CUDA driver failed at ") + what + ": " +
                  describe(result));
}

std::string Driver::describe(CUresult error) const {
  const char *name = nullptr, *text = nullptr;
  // Both leave null for a number that they do not know.
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  std::string description =
      (name ? name : "error") + (" (" + std::to_string(error)) + ")";
  if (text)
    description += std::string(": ") + text;
  if (simulatedLastFault)
    if (const char *fault = simulatedLastFault(); *fault)
      description += std::string(": ") + fault;
  return description;
}

bool Driver::isValid(const void *data, size_t bytes) const {
  return !simulatedIsValid || simulatedIsValid(data, bytes);
}

std::string Driver::getName(int device) const {
  CUdevice handle;
  char name[256] = "";
  check(cuDeviceGet(&handle, device), "finding a GPU");
  check(cuDeviceGetName(name, sizeof name, handle), "naming a GPU");
  return name;
}

int64_t Driver::getTotalMemory(int device) const {
  CUdevice handle;
  size_t bytes = 0;
  check(cuDeviceGet(&handle, device), "finding a GPU");
  check(cuDeviceTotalMem_v2(&bytes, handle), "asking for a GPU's memory");
  return static_cast<int64_t>(bytes);
}
