//===- Launches.cpp - launches of kernels ---------------------------------===//

#include "driver/Driver.h"
#include <cstring>

using namespace tdc::sim;

namespace {

/// Throws CUDA_ERROR_INVALID_VALUE for sizes above the limits of a device: CUDA
/// C++ Programming Guide, Technical Specifications per Compute Capability.
void checkSizes(const KernelInfo &info, const Dim3 &grid, const Dim3 &block) {
  bool isGrid = grid.x && grid.y && grid.z && grid.x <= kMaxGridX &&
                grid.y <= kMaxGridYZ && grid.z <= kMaxGridYZ;
  if (!isGrid)
    fault(CUDA_ERROR_INVALID_VALUE,
          "kernel '" + info.name + "': a grid of " + getText(grid) + " blocks");
  uint64_t threads = uint64_t(block.x) * block.y;
  bool isBlock = block.x && block.y && block.z && threads <= kMaxThreads &&
                 block.z <= kMaxBlockZ;
  threads *= block.z;
  if (!isBlock || threads > kMaxThreads || threads > info.maxThreads)
    fault(CUDA_ERROR_INVALID_VALUE, "kernel '" + info.name + "': a block of " +
                                        getText(block) + " threads, where " +
                                        std::to_string(info.maxThreads) +
                                        " are the most");
  if (threads > info.fittingThreads)
    fault(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          "kernel '" + info.name + "': a block of " + getText(block) +
              " threads may have too few registers: there are enough for " +
              std::to_string(info.fittingThreads) +
              " (.maxntid tells the assembler how many there will be)");
}

std::vector<std::byte> copyParameters(const KernelInfo &info,
                                      void **parameters) {
  std::vector<std::byte> block(info.parameterBytes);
  if (info.parameters.empty())
    return block;
  deref(parameters, "parameters");
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const Parameter &parameter = info.parameters[i];
    memcpy(block.data() + parameter.offset,
           &deref(static_cast<const std::byte *>(parameters[i]), "a parameter"),
           parameter.bytes);
  }
  return block;
}

} // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **parameters, void **extra) {
  return call(Entry::cuLaunchKernel, [=](Machine &machine, Context &current) {
    const LoadedFunction &known = machine.functions.get(function);
    Stream &target = machine.getStream(stream, current);
    const KernelInfo &info = Module::getInfo(*known.kernel);
    if (known.device != target.device)
      fault(CUDA_ERROR_INVALID_HANDLE,
            "kernel '" + info.name + "' is loaded on " +
                getDeviceText(known.device) + " and launched on " +
                getDeviceText(target.device));
    if (extra)
      fault(CUDA_ERROR_INVALID_VALUE, "`extra` is not simulated");
    Dim3 grid = {gridX, gridY, gridZ};
    Dim3 block = {blockX, blockY, blockZ};
    checkSizes(info, grid, block);
    if (sharedBytes > known.maxDynamicSharedBytes)
      fault(CUDA_ERROR_INVALID_VALUE,
            "kernel '" + info.name + "': " + std::to_string(sharedBytes) +
                " bytes of dynamic shared memory, where " +
                std::to_string(known.maxDynamicSharedBytes) +
                " are allowed (cuFuncSetAttribute allows more)");
    machine.give(target,
                 KernelCall{function, known.kernel, grid, block, sharedBytes,
                            copyParameters(info, parameters)});
  });
}
