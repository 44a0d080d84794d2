//===- Idx.cpp - IDX files, as those of MNIST -----------------------------===//
//
// A file has two bytes of 0, the dtype, the number of dims, the sizes as 32-bit
// numbers, and the data; all big-endian. It is often compressed by gzip, which
// its first bytes tell.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "formats/Inflate.h"
#include "formats/TensorFormat.h"
#include <algorithm>
#include <optional>

using namespace tdrt;

namespace {

/// The bytes of a file from its first on, decompressed if it is compressed.
class IdxReader {
public:
  explicit IdxReader(const InputFile &file) : file(file) {
    unsigned char magic[2] = {};
    file.read(0, magic, std::min<uint64_t>(2, file.size()));
    if (magic[0] == 0x1f && magic[1] == 0x8b)
      inflated.emplace(file, 0, file.size(), InflatedPart::Wrapping::Gzip);
  }

  /// Reads at most `size` bytes; fewer only at the end. Returns their number.
  uint64_t read(void *to, uint64_t size) {
    if (inflated)
      return inflated->read(to, size);
    size = std::min(size, file.size() - at);
    file.read(at, to, size);
    at += size;
    return size;
  }

  /// Refuses data of another size, before memory is allocated for it.
  void checkBytes(uint64_t bytes) {
    if (inflated)
      checkRatio(bytes, file.size());
    else if (bytes != file.size() - at)
      failFile(774, static_cast<int64_t>(at),
               "its shape needs " + std::to_string(bytes) +
                   " bytes, the file has " + std::to_string(file.size() - at));
  }
  void expectEnd() {
    if (inflated)
      inflated->expectEnd();
  }

private:
  const InputFile &file;
  uint64_t at = 0;
  std::optional<InflatedPart> inflated;
};

/// The dtype for an IDX file's third byte; -1 if there is none.
int32_t dtypeOf(unsigned char code) {
  switch (code) {
  case 8:
    return TDRT_U8;
  case 9:
    return TDRT_I8;
  case 11:
    return TDRT_I16;
  case 12:
    return TDRT_I32;
  case 13:
    return TDRT_F32;
  case 14:
    return TDRT_F64;
  default:
    return -1;
  }
}

FileTensor readHeader(IdxReader &reader) {
  unsigned char start[4];
  if (reader.read(start, 4) != 4 || start[0] != 0 || start[1] != 0)
    failFile(771, 0, "it does not begin as an IDX file");
  FileTensor tensor;
  tensor.dtype = dtypeOf(start[2]);
  if (tensor.dtype < 0)
    failFile(772, 2, "dtype " + std::to_string(start[2]) + " is not known");
  if (start[3] > TDRT_MAX_RANK)
    failFile(773, 3, std::to_string(start[3]) + " dims are more than 16");
  for (unsigned d = 0; d < start[3]; ++d) {
    unsigned char size[4];
    if (reader.read(size, 4) != 4)
      failFile(774, 4 + 4 * d, "the file ends within its sizes");
    tensor.dims.push_back(int64_t(size[0]) << 24 | size[1] << 16 |
                          size[2] << 8 | size[3]);
  }
  int64_t bytes =
      tensorBytes(tensor.dtype, tensor.dims.size(), tensor.dims.data());
  if (bytes < 0)
    failFile(
        773, 4,
        "the shape of " +
            typeText(tensor.dtype, tensor.dims.data(), tensor.dims.size()) +
            " is too large for any memory");
  tensor.offset = 4 + 4 * start[3];
  tensor.bytes = bytes;
  reader.checkBytes(tensor.bytes);
  return tensor;
}

template <class Word> void swapAll(void *data, uint64_t bytes) {
  char *at = static_cast<char *>(data);
  for (char *end = at + bytes; at != end; at += sizeof(Word))
    std::reverse(at, at + sizeof(Word));
}

FileTensor inspect(const InputFile &file, const char *key) {
  refuseKey(key);
  IdxReader reader(file);
  return readHeader(reader);
}

void read(const InputFile &file, const FileTensor &tensor, void *to) {
  IdxReader reader(file);
  readHeader(reader);
  if (reader.read(to, tensor.bytes) != tensor.bytes)
    failFile(774, -1,
             "it decompresses to less than the " +
                 std::to_string(tensor.bytes) + " bytes of its shape");
  reader.expectEnd();
  switch (elementBytes(tensor.dtype)) {
  case 2:
    return swapAll<uint16_t>(to, tensor.bytes);
  case 4:
    return swapAll<uint32_t>(to, tensor.bytes);
  case 8:
    return swapAll<uint64_t>(to, tensor.bytes);
  }
}

} // namespace

const TensorFormat tdrt::idxFormat = {inspect, read, false};
