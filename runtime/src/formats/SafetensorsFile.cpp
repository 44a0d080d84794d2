//===- SafetensorsFile.cpp - .safetensors files on the disk ---------------===//

#include "formats/SafetensorsFile.h"
#include "formats/FileFormats.h"
#include "formats/NpyData.h"
#include "formats/TensorFormat.h"

using namespace tdrt;

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
                 " bytes is longer than 100 MB: is it a safetensors file?");
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

FileFault tdrt::inspectSafetensors(const char *path,
                                   SafetensorsHeader &header) noexcept {
  return caught([&] {
    checkReadable(path, FileContents::State);
    InputFile file(path);
    header = readSafetensors(file);
  });
}

namespace {

FileTensor inspect(const InputFile &file, const char *key) {
  SafetensorsHeader header = readSafetensors(file);
  if (const FileTensor *tensor = key ? header.find(key) : nullptr)
    return *tensor;
  std::vector<std::string> keys;
  for (const FileTensor &tensor : header.tensors)
    keys.push_back(tensor.key);
  failKey(key, keys);
}

} // namespace

const TensorFormat tdrt::safetensorsFormat = {inspect, readTensorData, true};
