//===- FormatFuzz.cpp - any bytes as a file of one format -----------------===//
//
// TDRT_FUZZ_FORMAT is the format, TDRT_FUZZ_KEY the requested tensor. A refused
// file has a code and a message; the data of an accepted file is read into as
// many bytes as it says.
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"
#include "base/Dtype.h"
#include "formats/TensorFormat.h"
#include <memory>

using namespace tdrt;

static void refuse(const FileFault &fault) {
  if (fault.code < 701 || fault.message.empty())
    abort();
}

static void readAs(const InputFile &file, FileTensor tensor, int32_t dtype) {
  tensor.dtype = dtype;
  int64_t bytes = tensorBytes(dtype, tensor.dims.size(), tensor.dims.data());
  if (bytes < 0)
    abort();
  // Data that expands a lot is not worth the fuzzer's time.
  if (bytes > 1 << 20)
    return;
  if (!tensor.anyDtype && static_cast<uint64_t>(bytes) != tensor.bytes)
    abort();
  std::unique_ptr<char[]> data(new char[bytes]);
  if (FileFault fault =
          caught([&] { TDRT_FUZZ_FORMAT.read(file, tensor, data.get()); }))
    refuse(fault);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  InputFile file(writeMemoryFile(data, size));
  FileTensor tensor;
  if (FileFault fault = caught(
          [&] { tensor = TDRT_FUZZ_FORMAT.inspect(file, TDRT_FUZZ_KEY); })) {
    refuse(fault);
    return 0;
  }
  readAs(file, tensor,
         tensor.anyDtype ? chooseBy(data, size, TDRT_U64 + 1) : tensor.dtype);
  return 0;
}
