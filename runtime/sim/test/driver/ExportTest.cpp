//===- ExportTest.cpp - the library as programs load it -------------------===//

#include "Apart.h"
#include <dlfcn.h>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace tdc_sim_test;

namespace {

std::set<std::string> getWanted() {
  using tdc::sim::kEntryNames;
  std::set<std::string> names(std::begin(kEntryNames), std::end(kEntryNames));
  names.insert("tdc_sim_last_fault");
  names.insert("tdc_sim_is_valid");
  names.insert("tdc_sim_malformed_setting");
  return names;
}

TEST(Exports, AreTheEntryPointsAndNothingElse) {
  std::string text = runApart({}, [] {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl(TDC_SIM_NM, TDC_SIM_NM, "-D", "--defined-only", TDC_SIM_LIBRARY,
          nullptr);
    FAIL() << "cannot run " TDC_SIM_NM;
  });
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string address, kind, name; lines >> address >> kind >> name;)
    names.insert(name);
  EXPECT_EQ(names, getWanted());
}

TEST(Exports, TheLibraryIsADriver) {
  runApart(withDevices(2), [] {
    void *library = dlopen(TDC_SIM_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    for (const std::string &name : getWanted())
      EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
    auto init = reinterpret_cast<decltype(&cuInit)>(dlsym(library, "cuInit"));
    auto getCount = reinterpret_cast<decltype(&cuDeviceGetCount)>(
        dlsym(library, "cuDeviceGetCount"));
    int count = 0;
    EXPECT_EQ(init(0), CUDA_SUCCESS);
    EXPECT_EQ(getCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 2);
    // It is not the cuInit that this program was linked with.
    EXPECT_NE(init, &cuInit);
  });
}

} // namespace
