//===- SettingsTest.cpp - the variables of the environment ----------------===//

#include "Apart.h"
#include "driver/VisibleDevices.h"

using namespace tdc_sim_test;
using tdc::sim::getUuid;
using tdc::sim::getVisibleDevices;

namespace {

TEST(Settings, WithoutDevicesThereIsNone) {
  for (const Environment &environment :
       {Environment{}, Environment{{"TDC_SIM_CUDA", "0"}}}) {
    std::string text = runApart(environment, [] {
      EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
      int count = 7;
      EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
      EXPECT_EQ(count, 7);
    });
    EXPECT_EQ(text, "");
  }
}

TEST(Settings, MalformedValuesAreToldAndRefused) {
  const Environment kMalformed = {
      {"TDC_SIM_CUDA", ""},
      {"TDC_SIM_CUDA", "two"},
      {"TDC_SIM_CUDA", "-1"},
      {"TDC_SIM_CUDA", "2 "},
      {"TDC_SIM_CUDA", "65"},
      {"TDC_SIM_ARCH", "70"},
      {"TDC_SIM_ARCH", "sm_80"},
      {"TDC_SIM_MEMORY", "16G"},
      {"TDC_SIM_MEMORY", "-5"},
      {"TDC_SIM_MEMORY", "99999999999999999999"},
      {"TDC_SIM_SEED", "x"},
      {"TDC_SIM_EXECUTE", "2"},
      {"TDC_SIM_PEER", "yes"},
      {"TDC_SIM_FAULT", "cuMemAlloc"},
      {"TDC_SIM_FAULT", "cuMemAlloc@1"},
      {"TDC_SIM_FAULT", "cuMemAlloc@0=2"},
      {"TDC_SIM_FAULT", "cuMemAlloc@1=0"},
      {"TDC_SIM_FAULT", "cuMemAlloc@1=2,"
                        "cuMemAllocFast@1=2"},
      {"TDC_SIM_FAULT", "bar.sync@1=2"},
      {"TDC_SIM_SKIP", "cuStreamSynchronise@1"},
      {"TDC_SIM_SKIP", "cuStreamSynchronize"},
      {"TDC_SIM_SKIP", "cuStreamSynchronize@x"},
      {"TDC_SIM_SKIP", "cuStreamCreate@1"},
      {"TDC_SIM_SKIP", "banana"},
      {"TDC_SIM_SKIP", "@1"},
      {"TDC_SIM_SKIP", "bar.sync@"},
      {"TDC_SIM_SKIP", "bar.sync@1@2"},
      {"TDC_SIM_SKIP", "cuCtxSynchronize@1,bar.sync@x"},
  };
  for (auto &[name, value] : kMalformed) {
    Environment environment = withDevices(1, {{name, value}});
    std::string text = runApart(environment, [] {
      EXPECT_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE);
      EXPECT_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE) << "forgotten";
      int count;
      EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    });
    EXPECT_TRUE(contains(text, name + ("=" + value) + ": expected ")) << text;
  }
}

TEST(Settings, WellFormedValuesAreTaken) {
  Environment environment =
      withDevices(3, {{"TDC_SIM_ARCH", "90"},
                      {"TDC_SIM_MEMORY", "12288"},
                      {"TDC_SIM_FAULT", "cuMemAlloc@3=2,cuMemAlloc_v2@4=1"},
                      {"TDC_SIM_SKIP", "bar.sync@1,cuCtxSynchronize@0"}});
  std::string text = runApart(environment, [] {
    start(2);
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 3);
    size_t bytes = 0;
    EXPECT_EQ(cuDeviceTotalMem_v2(&bytes, 2), CUDA_SUCCESS);
    EXPECT_EQ(bytes, 12288u);
    int major = 0;
    EXPECT_EQ(cuDeviceGetAttribute(
                  &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
              CUDA_SUCCESS);
    EXPECT_EQ(major, 9);
  });
  EXPECT_EQ(text, "");
}

TEST(Settings, VisibleDevices) {
  using List = std::vector<int>;
  struct {
    const char *value;
    List visible;
  } const kCases[] = {
      {nullptr, {0, 1, 2, 3}},
      {"", {}},
      {"-1", {}},
      {"0", {0}},
      {"2,1", {2, 1}},
      {" 3 , 0", {3, 0}},
      {"0,2,-1,1", {0, 2}},
      {"0,4,1", {0}},
      {"1,99999999999999999999,2", {1}},
      {"0,,1", {0}},
      {"0,1,0", {}},
      {"1x,2", {1, 2}},
      {"x", {}},
      {"GPU-", {}},
      {"GPU-02", {2}},
      {"GPU-03,GPU-00", {3, 0}},
      {"GPU-03,0", {3}},
      {"0,GPU-03", {0}},
      {"GPU-03,GPU-03", {}},
      {"MIG-GPU-03", {}},
  };
  for (auto &[value, visible] : kCases)
    EXPECT_EQ(getVisibleDevices(value, 4), visible) << (value ? value : "null");
  EXPECT_EQ(getVisibleDevices(getUuid(1).c_str(), 4), List{1});
}

TEST(Settings, VisibleDevicesAreCountedAnew) {
  runApart(withDevices(4, {{"CUDA_VISIBLE_DEVICES", "3,1"}}), [] {
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    int count = 0;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 2);
    CUdevice device = 5;
    EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_SUCCESS);
    EXPECT_EQ(device, 1);
    EXPECT_EQ(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  });
  runApart(withDevices(4, {{"CUDA_VISIBLE_DEVICES", ""}}), [] {
    EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
    expectFault("CUDA_VISIBLE_DEVICES leaves no device visible");
  });
}

} // namespace
