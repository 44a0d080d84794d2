//===- Modules.cpp - modules and functions --------------------------------===//

#include "driver/Driver.h"
#include "driver/report/Json.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>

using namespace tdc::sim;

namespace {

/// Where cuModuleLoadDataEx writes its error or information log, from its
/// options.
struct Log {
  char *text = nullptr;
  unsigned size = 0;
  void **sizeOption = nullptr; ///< receives the number of bytes written

  void write(const std::string &message) {
    if (text && size > 0) {
      size = std::min<unsigned>(size, message.size() + 1);
      memcpy(text, message.c_str(), size);
      text[size - 1] = 0;
    } else {
      size = 0;
    }
    if (sizeOption)
      *sizeOption = reinterpret_cast<void *>(uintptr_t(size));
  }
};

struct Logs {
  Log info, error;
};

Logs readOptions(unsigned count, const CUjit_option *options, void **values) {
  Logs logs;
  for (unsigned i = 0; i < count; ++i) {
    auto size = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    switch (options[i]) {
    case CU_JIT_INFO_LOG_BUFFER:
      logs.info.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER:
      logs.error.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      logs.info.size = size;
      logs.info.sizeOption = values + i;
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      logs.error.size = size;
      logs.error.sizeOption = values + i;
      break;
    default:
      fault(CUDA_ERROR_INVALID_VALUE, "option " + std::to_string(options[i]) +
                                          " of modules is not simulated");
    }
  }
  return logs;
}

/// Whether an image is machine code, which only real GPUs run: an ELF file, or
/// a fat binary, with the magic number from NVIDIA's fatbinary_section.h.
bool isMachineCode(const char *image) {
  constexpr std::string_view kElf("\177ELF", 4);
  constexpr std::string_view kFatBinary("\x50\xed\x55\xba", 4);
  std::string_view start(image, strnlen(image, 4));
  return start == kElf || start == kFatBinary;
}

/// TDC_SIM_MODULES: writes the module to a file named after its text, so that
/// equal modules of any number of programs share one file.
void writeModule(const std::string &folder, std::string_view text) {
  char name[24];
  snprintf(name, sizeof name, "/%016zx.ptx",
           std::hash<std::string_view>()(text));
  writeReport(folder + name, text);
}

/// The limit of dynamic shared memory that cuFuncSetAttribute can set for
/// cuLaunchKernel.
int getMaxSharedBytes(const Machine &machine, const KernelInfo &info) {
  return machine.model.sharedOptInBytes - static_cast<int>(info.sharedBytes);
}

} // namespace

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned numOptions, CUjit_option *options,
                            void **values) {
  return call(Entry::cuModuleLoadDataEx, [=](Machine &machine,
                                             Context &current) {
    CUmodule &result = deref(module, "module");
    auto *text = &deref(static_cast<const char *>(image), "image");
    if (numOptions) {
      deref(options, "options");
      deref(values, "values");
    }
    Logs logs = readOptions(numOptions, options, values);
    // Not a Fault, which would stay as the last one: programs try PTX next.
    if (isMachineCode(text)) {
      logs.info.write("");
      logs.error.write("simulated GPUs execute PTX, not machine code");
      return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    auto loaded = std::make_unique<LoadedModule>();
    loaded->device = current.device;
    try {
      loaded->module = std::make_unique<Module>(text, current.device,
                                                machine.settings.architecture,
                                                machine.memory, machine.skips);
    } catch (const Fault &fault) {
      logs.info.write("");
      logs.error.write(fault.message + "\n"); // as NVIDIA's assembler ends it
      throw;
    }
    logs.info.write("");
    logs.error.write("");
    if (!machine.settings.modulesFolder.empty())
      writeModule(machine.settings.modulesFolder, text);
    result = machine.modules.add(std::move(loaded));
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return call(Entry::cuModuleUnload, [=](Machine &machine, Context &) {
    int device = machine.modules.get(module).device;
    // Waits as cuMemFree does: the module's variables are memory of the device.
    machine.wait(device, machine.getPoints(device));
    machine.functions.removeIf([=](const LoadedFunction &function) {
      return function.module == module;
    });
    machine.modules.remove(module);
  });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  return call(Entry::cuModuleGetFunction, [=](Machine &machine, Context &) {
    CUfunction &result = deref(function, "function");
    const char *text = &deref(name, "name");
    LoadedModule &loaded = machine.modules.get(module);
    const Kernel *kernel = loaded.module->find(text);
    if (!kernel)
      fault(CUDA_ERROR_NOT_FOUND,
            "the module has no kernel '" + std::string(text) + "'");
    const KernelInfo &info = Module::getInfo(*kernel);
    uint32_t maxDynamic =
        kSharedBytes - std::min<uint32_t>(info.sharedBytes, kSharedBytes);
    for (auto &[handle, known] : machine.functions) {
      if (known->kernel == kernel) {
        result = handle;
        return;
      }
    }
    result = machine.functions.add(std::make_unique<LoadedFunction>(
        LoadedFunction{module, loaded.device, kernel, maxDynamic}));
  });
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction function) {
  return call(Entry::cuFuncGetAttribute, [=](Machine &machine, Context &) {
    int &result = deref(value, "value");
    const LoadedFunction &known = machine.functions.get(function);
    const KernelInfo &info = Module::getInfo(*known.kernel);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      result = static_cast<int>(info.maxThreads);
      return;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      result = static_cast<int>(info.sharedBytes);
      return;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      result = static_cast<int>(info.localBytes);
      return;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      result = static_cast<int>(known.maxDynamicSharedBytes);
      return;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: // ptxas chooses them
      break;
    }
    fault(CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) +
                                        " of functions is not simulated");
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                            int value) {
  return call(Entry::cuFuncSetAttribute, [=](Machine &machine, Context &) {
    LoadedFunction &known = machine.functions.get(function);
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
      fault(CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) +
                                          " of functions cannot be set");
    int most = getMaxSharedBytes(machine, Module::getInfo(*known.kernel));
    if (value < 0 || value > most)
      fault(CUDA_ERROR_INVALID_VALUE,
            std::to_string(value) + " bytes of dynamic shared memory, where " +
                std::to_string(most) + " are the most");
    known.maxDynamicSharedBytes = value;
  });
}
