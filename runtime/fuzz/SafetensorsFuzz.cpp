//===- SafetensorsFuzz.cpp - any bytes as a .safetensors header -----------===//
//
// The first two bytes give the size of the data after the header, so that
// offsets can be valid without the fuzzer writing the data.
//
//===----------------------------------------------------------------------===//

#include "tdc_files.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  uint64_t header = size - 2, following = data[0] | data[1] << 8;
  uint64_t fileSize = 8 + header + following;
  tdrt::SafetensorsHeader parsed;
  tdrt::FileFault fault = tdrt::parseSafetensorsHeader(
      reinterpret_cast<const char *>(data + 2), header, fileSize, parsed);
  if (fault) {
    if (fault.code < 721 || fault.code > 729 || fault.message.empty())
      abort();
    return 0;
  }
  // The tensors tile the data without gaps.
  uint64_t at = 8 + header;
  for (const tdrt::FileTensor &tensor : parsed.tensors) {
    if (tensor.offset != at || parsed.find(tensor.key) != &tensor)
      abort();
    at += tensor.bytes;
  }
  if (at != fileSize)
    abort();
  return 0;
}
