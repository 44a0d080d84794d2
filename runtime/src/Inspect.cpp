//===- Inspect.cpp - headers of files on the disk -------------------------===//

#include "Inspect.h"
#include "Dtype.h"
#include "FileFormats.h"
#include <algorithm>
#include <new>

using namespace tdrt;

namespace {

void throwIf(FileFault &&fault) {
  if (fault)
    throw std::move(fault);
}

/// Runs `body`; what it throws is returned.
template <class Body> FileFault caught(Body body) noexcept {
  try {
    body();
    return {};
  } catch (FileFault &fault) {
    return std::move(fault);
  } catch (const std::exception &) {
    return {201, -1, "out of memory"};
  }
}

} // namespace

FileTensor tdrt::readNpy(const InputFile &file) {
  std::vector<char> start(std::min<uint64_t>(file.size(), kMaxNpyHeader + 12));
  file.read(0, start.data(), start.size());
  FileTensor tensor;
  throwIf(parseNpyHeader(start.data(), start.size(), file.size(), tensor));
  return tensor;
}

SafetensorsHeader tdrt::readSafetensors(const InputFile &file) {
  if (file.size() < 8)
    failFile(721, 0,
             "a file of " + std::to_string(file.size()) +
                 " bytes has no header");
  unsigned char bytes[8];
  file.read(0, bytes, 8);
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i)
    length |= uint64_t(bytes[i]) << (8 * i);
  if (length > kMaxSafetensorsHeader)
    failFile(721, 0,
             "a header of " + std::to_string(length) +
                 " bytes is longer than 100 MB");
  if (length > file.size() - 8)
    failFile(721, 0,
             "the header of " + std::to_string(length) +
                 " bytes is longer than the file");
  std::vector<char> text(length);
  file.read(8, text.data(), length);
  SafetensorsHeader header;
  throwIf(parseSafetensorsHeader(text.data(), length, file.size(), header));
  return header;
}

FileTensor tdrt::readTensorHeader(const InputFile &file, const char *path,
                                  const char *key) {
  checkReadable(path, key ? FileContents::State : FileContents::Tensor);
  if (key) {
    SafetensorsHeader header = readSafetensors(file);
    const FileTensor *tensor = header.find(key);
    if (!tensor)
      failFile(707, -1, "there is no tensor " + inQuotes(key) + " in it");
    return *tensor;
  }
  if (hasEnding(path, ".safetensors"))
    failFile(705, -1,
             "a .safetensors file holds many tensors: say which one "
             "with `key=`");
  return readNpy(file);
}

FileFault tdrt::inspectTensorFile(const char *path, const char *key,
                                  FileTensor &tensor) noexcept {
  return caught([&] {
    InputFile file(path);
    tensor = readTensorHeader(file, path, key);
  });
}

FileFault tdrt::inspectSafetensors(const char *path,
                                   SafetensorsHeader &header) noexcept {
  return caught([&] {
    checkReadable(path, FileContents::State);
    InputFile file(path);
    header = readSafetensors(file);
  });
}

FileFault tdrt::checkTensorType(const FileTensor &tensor, int32_t dtype,
                                int32_t rank, const int64_t *dims) noexcept {
  return caught([&] {
    if (tensor.dtype < 0)
      failFile(726, -1,
               inQuotes(tensor.key) + " has dtype " +
                   inQuotes(tensor.dtypeText));
    bool fits = tensor.dtype == dtype &&
                tensor.dims.size() == static_cast<size_t>(rank);
    for (int32_t d = 0; fits && d < rank; ++d)
      fits = dims[d] < 0 || dims[d] == tensor.dims[d];
    if (!fits)
      failFile(
          701, -1,
          (tensor.key.empty() ? "the file" : inQuotes(tensor.key)) + " holds " +
              typeText(tensor.dtype, tensor.dims.data(), tensor.dims.size()) +
              ", the program wants " + typeText(dtype, dims, rank));
  });
}
