//===- TestDevice.h - a device and kernels on it, for tests ---------------===//

#ifndef TDC_SIM_TEST_EXECUTE_TESTDEVICE_H
#define TDC_SIM_TEST_EXECUTE_TESTDEVICE_H

#include "execute/Execute.h"
#include "ptx/Module.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tdc::sim {

/// Two devices and their memory; kernels run on device 0.
class TestDevice {
public:
  explicit TestDevice(uint64_t seed = 1) : memory(2, 1 << 28), random(seed) {}

  void load(const std::string &ptx, int architecture = 90) {
    module.reset();
    module.emplace(ptx.c_str(), 0, architecture, memory, skips);
  }

  /// The address of new memory on `device`, with `values` in it.
  template <typename T>
  uint64_t upload(const std::vector<T> &values, int device = 0) {
    uint64_t bytes = values.size() * sizeof(T);
    const Allocation &allocation = memory.allocate(device, bytes);
    memcpy(allocation.data, values.data(), bytes);
    memset(allocation.written, 1, bytes);
    return allocation.address;
  }
  /// The address of new memory, unwritten.
  uint64_t allocate(uint64_t bytes, int device = 0) {
    return memory.allocate(device, bytes).address;
  }
  template <typename T>
  std::vector<T> download(uint64_t address, size_t count) {
    const Allocation *allocation = memory.find(address);
    std::vector<T> values(count);
    memcpy(values.data(), allocation->data + (address - allocation->address),
           count * sizeof(T));
    return values;
  }

  /// Launches with the arguments in the order of the parameters.
  template <typename... Arguments>
  Work launch(const std::string &name, Dim3 grid, Dim3 block,
              uint32_t dynamicShared, Arguments... arguments) {
    const Kernel *kernel = module->find(name);
    if (!kernel)
      fault(CUDA_ERROR_NOT_FOUND, "no kernel '" + name + "'");
    const KernelInfo &info = Module::getInfo(*kernel);
    std::vector<std::byte> parameters(info.parameterBytes);
    size_t index = 0;
    auto place = [&](auto argument) {
      const Parameter &parameter = info.parameters.at(index++);
      EXPECT_EQ(parameter.bytes, sizeof argument);
      memcpy(parameters.data() + parameter.offset, &argument, sizeof argument);
    };
    (place(arguments), ...);
    Surroundings surroundings{memory, random,
                              [this](int, int) { return hasPeerAccess; }};
    surroundings.instructionLimit = 1 << 22;
    return execute({*kernel, 0, grid, block, dynamicShared, parameters.data()},
                   surroundings);
  }

  /// The message of the fault of a launch; empty if there is none.
  template <typename... Arguments> std::string faultOf(Arguments... arguments) {
    try {
      launch(arguments...);
    } catch (const Fault &fault) {
      code = fault.code;
      return fault.message;
    }
    code = CUDA_SUCCESS;
    return "";
  }

  Memory memory;
  std::mt19937_64 random;
  Skips skips;
  std::optional<Module> module;
  bool hasPeerAccess = false;
  CUresult code = CUDA_SUCCESS; ///< of the last faultOf
};

/// A module of one kernel `k`. Its parameters are pointers p0, p1, ...; %rd0,
/// %rd1, ... hold them as addresses of global memory.
inline std::string kernelOf(unsigned numPointers, const std::string &body,
                            const std::string &outside = "",
                            const char *target = "sm_80") {
  std::string text = std::string(".version 8.0\n.target ") + target +
                     "\n.address_size 64\n" + outside + "\n.visible .entry k(";
  for (unsigned i = 0; i < numPointers; ++i)
    text += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  text += ")\n{\n"
          ".reg .pred %p<16>;\n.reg .b16 %h<64>;\n.reg .b32 %r<128>;\n"
          ".reg .b64 %rd<64>;\n";
  for (unsigned i = 0; i < numPointers; ++i) {
    const std::string n = std::to_string(i);
    text += "ld.param.u64 %rd" + n + ", [p" + n + "];\n";
    text += "cvta.to.global.u64 %rd" + n + ", %rd" + n + ";\n";
  }
  return text + body + "\nret;\n}\n";
}

/// The contents of a file of data/.
inline std::string readTestData(const std::string &name) {
  std::ifstream file(std::string(TDC_SIM_TEST_DATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The message of the fault of loading a module; empty if there is none.
inline std::string refusalOf(const std::string &ptx, int architecture = 90) {
  TestDevice device;
  try {
    device.load(ptx, architecture);
  } catch (const Fault &fault) {
    return fault.message;
  }
  return "";
}

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

} // namespace tdc::sim

#endif // TDC_SIM_TEST_EXECUTE_TESTDEVICE_H
