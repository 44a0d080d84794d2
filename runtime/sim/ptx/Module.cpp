//===- Module.cpp - a PTX module, decoded ---------------------------------===//

#include "ptx/Module.h"
#include "ptx/Decoder.h"
#include "ptx/Lexer.h"
#include "ptx/Parser.h"
#include "ptx/Program.h"
#include <cstdlib>
#include <cstring>

namespace tdc::sim {

namespace {

bool startsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// "sm_80" and "sm_90a" to 80 and 90.
int parseTarget(const std::string &target) {
  long number =
      startsWith(target, "sm_") ? strtol(target.c_str() + 3, nullptr, 10) : 0;
  if (number <= 0 || number > 999)
    fault(CUDA_ERROR_INVALID_PTX, "unknown .target '" + target + "'");
  return int(number);
}

} // namespace

Module::Module(const char *text, int device, int architecture, Memory &memory,
               Skips &skips)
    : memory(memory), device(device) {
  const syntax::Module module = parsePtx(text);
  int target = parseTarget(module.target);
  if (target > architecture)
    fault(CUDA_ERROR_NO_BINARY_FOR_GPU, "the PTX is for " + module.target +
                                            ", the device is sm_" +
                                            std::to_string(architecture));
  try {
    for (const syntax::Variable &variable : module.variables) {
      if (variable.space != Space::Global && variable.space != Space::Const)
        continue;
      if (variable.isExtern || variable.bytes == 0)
        refusePtx(variable.line,
                  "'" + variable.name +
                      "' is defined elsewhere: linking is not simulated");
      define(variable.name, variable.bytes, variable.initial);
    }
    for (const syntax::Function &function : module.functions)
      kernels[function.name] = std::make_unique<const Kernel>(
          decode(function, module, addresses, target, skips));
  } catch (...) {
    release();
    throw;
  }
}

Module::~Module() { release(); }

void Module::define(const std::string &name, uint64_t bytes,
                    const std::vector<std::byte> &initial) {
  const Allocation &allocation = memory.allocate(device, bytes);
  addresses[name] = allocation.address;
  // PTX ISA 5.4.4: without an initial value, zeros.
  memset(allocation.data, 0, bytes);
  if (!initial.empty())
    memcpy(allocation.data, initial.data(), initial.size());
  memset(allocation.written, 1, bytes);
}

void Module::release() {
  for (const auto &[name, address] : addresses)
    memory.release(address);
}

const Kernel *Module::find(const std::string &name) const {
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second.get();
}

const KernelInfo &Module::getInfo(const Kernel &kernel) { return kernel.info; }

uint64_t Module::countOpcodes(const std::string &prefix) const {
  uint64_t count = 0;
  for (const auto &[name, kernel] : kernels)
    for (const std::string &opcode : kernel->opcodes)
      count += startsWith(opcode, prefix);
  return count;
}

} // namespace tdc::sim
