//===- CudaBackend.cpp - GPUs that are used through CUDA's driver ---------===//

#include "base/Failure.h"
#include "device/Gpus.h"
#include "device/cuda/CudaDevice.h"

using namespace tdrt;

static std::string gpusText(int32_t count) {
  return std::to_string(count) + (count == 1 ? " GPU" : " GPUs");
}

static void requireDevices(int32_t count, const char *simulated) {
  int visible = Driver::get(simulated).countDevices();
  if (visible < count)
    fail(305, "the program needs " + gpusText(count) + ", and " +
                  gpusText(visible) + " can be seen" + visibleDevicesText());
}

static std::unique_ptr<Devices> openDevices(Context &context) {
  const tdrt_gpu_program &program = *context.program->gpu;
  const Driver &driver = Driver::get(program.sim_library);
  std::vector<std::unique_ptr<Device>> devices(program.num_devices);
  std::vector<CudaDevice *> opened;
  for (int32_t k = 0; k < program.num_devices; ++k) {
    if (program.arena_bytes[k] < 0)
      continue;
    auto device = std::make_unique<CudaDevice>(driver, k, program);
    for (CudaDevice *other : opened) {
      device->enableCopiesFrom(*other);
      other->enableCopiesFrom(*device);
    }
    opened.push_back(device.get());
    devices[k] = std::move(device);
  }
  return std::make_unique<Gpus>(context, std::move(devices));
}

const tdrt_gpu_backend *tdrt_cuda_backend() {
  static const tdrt_gpu_backend backend = {requireDevices, openDevices};
  return &backend;
}
