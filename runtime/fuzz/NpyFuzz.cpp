//===- NpyFuzz.cpp - any bytes as an .npy header --------------------------===//

#include "tdc_files.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdrt::FileTensor tensor;
  tdrt::FileFault fault = tdrt::parseNpyHeader(
      reinterpret_cast<const char *>(data), size, size, tensor);
  // Accepted data lies in the file, and every refusal has a code and a message.
  if (fault ? fault.code < 711 || fault.code > 718 || fault.message.empty()
            : tensor.offset + tensor.bytes != size)
    abort();
  return 0;
}
