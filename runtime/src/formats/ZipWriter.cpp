//===- ZipWriter.cpp - zip files with one file in them --------------------===//
//
// As in NumPy's .npz files, sizes are in a zip64 field, also if they are small.
// The date is the first possible one, so that equal data makes equal files.
//
//===----------------------------------------------------------------------===//

#include "formats/ZipWriter.h"
#include "formats/ZipRecords.h"
#include <algorithm>
#include <array>

using namespace tdrt;
using namespace tdrt::zip;

namespace {

constexpr uint64_t kVersion = 45, kFirstDate = 33;

using Table = std::array<uint32_t, 256>;

constexpr Table makeTable() {
  Table table = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit)
      rest = rest >> 1 ^ (rest & 1 ? 0xedb88320 : 0);
    table[i] = rest;
  }
  return table;
}

/// Extends the CRC-32 of a zip file by more data. zlib has this too, but
/// programs that only write do not carry zlib.
uint32_t extendCrc(uint32_t sum, const void *data, uint64_t bytes) {
  static constexpr Table table = makeTable();
  auto *at = static_cast<const unsigned char *>(data);
  sum = ~sum;
  for (uint64_t i = 0; i < bytes; ++i)
    sum = sum >> 8 ^ table[(sum ^ at[i]) & 255];
  return ~sum;
}

class Record {
public:
  /// Appends a number, little-endian.
  Record &add(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      text += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Record &zeros(unsigned bytes) {
    text.append(bytes, '\0');
    return *this;
  }
  Record &add(const std::string &bytes) {
    text += bytes;
    return *this;
  }
  std::string text;
};

} // namespace

ZipFrame tdrt::makeZipFrame(const std::string &name, const std::string &header,
                            const void *data, uint64_t bytes) {
  uint32_t sum =
      extendCrc(extendCrc(0, header.data(), header.size()), data, bytes);
  uint64_t size = header.size() + bytes;
  std::string sizes =
      Record().add(kExtra64, 2).add(16, 2).add(size, 8).add(size, 8).text;
  std::string common = Record() // of the local header and the directory
                           .add(kVersion, 2)
                           .zeros(2 + 2 + 2) // flags, method, time
                           .add(kFirstDate, 2)
                           .add(sum, 4)
                           .add(kLarge, 4)
                           .add(kLarge, 4)
                           .add(name.size(), 2)
                           .add(sizes.size(), 2)
                           .text;
  ZipFrame frame;
  frame.before = Record().add(kLocal, 4).add(common).add(name).add(sizes).text;
  std::string entry = Record()
                          .add(kCentral, 4)
                          .add(kVersion, 2)
                          .add(common)
                          .zeros(2 + 2 + 2 + 4 + 4) // with the offset, 0
                          .add(name)
                          .add(sizes)
                          .text;
  uint64_t directory = frame.before.size() + size;
  frame.after = Record()
                    .add(entry)
                    .add(kEnd64, 4)
                    .add(kEnd64Size - 12, 8)
                    .add(kVersion, 2)
                    .add(kVersion, 2)
                    .zeros(4 + 4)
                    .add(1, 8)
                    .add(1, 8)
                    .add(entry.size(), 8)
                    .add(directory, 8)
                    .add(kLocator64, 4)
                    .zeros(4)
                    .add(directory + entry.size(), 8)
                    .add(1, 4)
                    .add(kEnd, 4)
                    .zeros(2 + 2)
                    .add(1, 2)
                    .add(1, 2)
                    .add(entry.size(), 4)
                    .add(std::min<uint64_t>(directory, kLarge), 4)
                    .zeros(2)
                    .text;
  return frame;
}
