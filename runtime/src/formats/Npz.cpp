//===- Npz.cpp - .npz files: zip files with an .npy file for each array ---===//

#include "formats/FileFormats.h"
#include "formats/Inflate.h"
#include "formats/NpyData.h"
#include "formats/TensorFormat.h"
#include "formats/Zip.h"
#include <algorithm>
#include <optional>
#include <zlib.h>

using namespace tdrt;

namespace {

/// Reads an entry's bytes in order, decompressed, and computes their checksum.
class EntryReader {
public:
  EntryReader(const InputFile &file, const ZipEntry &entry)
      : file(file), entry(entry), at(findZipData(file, entry)) {
    if (entry.deflated)
      inflated.emplace(file, at, entry.packed, InflatedPart::Wrapping::Zip);
  }

  void read(void *to, uint64_t size) {
    if (!inflated)
      file.read(at, to, size);
    else if (inflated->read(to, size) != size)
      failFile(736, -1,
               inQuotes(entry.name) + " decompresses to less than " +
                   std::to_string(entry.size) + " bytes");
    at += size;
    sum = crc32_z(sum, static_cast<const unsigned char *>(to), size);
  }

  /// Checks, after all data was read, that the data ends and its checksum fits.
  void finish() {
    if (inflated)
      inflated->expectEnd();
    if (sum != entry.checksum)
      failFile(735, -1,
               "the checksum of " + inQuotes(entry.name) + " does not fit");
  }

private:
  const InputFile &file;
  const ZipEntry &entry;
  uint64_t at;
  uLong sum = 0;
  std::optional<InflatedPart> inflated;
};

/// The entry of the array `key`: the file `key`.npy, or else the file `key`.
ZipEntry findEntry(const InputFile &file, const char *key) {
  const std::string ending = ".npy", wanted = key ? key : "";
  std::vector<ZipEntry> entries = readZipDirectory(file);
  for (const std::string &name : {wanted + ending, wanted})
    for (const ZipEntry &entry : entries)
      if (key && entry.name == name)
        return entry;
  std::vector<std::string> keys;
  for (const ZipEntry &entry : entries)
    keys.push_back(hasEnding(entry.name, ending)
                       ? entry.name.substr(0, entry.name.size() - ending.size())
                       : entry.name);
  failKey(key, keys);
}

FileTensor inspect(const InputFile &file, const char *key) {
  ZipEntry entry = findEntry(file, key);
  std::vector<char> start(std::min(entry.size, kNpyStart));
  EntryReader(file, entry).read(start.data(), start.size());
  FileTensor tensor;
  throwIf(parseNpyHeader(start.data(), start.size(), entry.size, tensor));
  tensor.key = key;
  return tensor;
}

void read(const InputFile &file, const FileTensor &tensor, void *to) {
  ZipEntry entry = findEntry(file, tensor.key.c_str());
  EntryReader reader(file, entry);
  std::vector<char> header(tensor.offset);
  reader.read(header.data(), header.size());
  readNpyData(tensor, to, [&](void *at) { reader.read(at, tensor.bytes); });
  reader.finish();
}

} // namespace

const TensorFormat tdrt::npzFormat = {inspect, read, false};
