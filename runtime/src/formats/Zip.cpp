//===- Zip.cpp - the directory of a zip file ------------------------------===//

#include "formats/Zip.h"
#include "formats/Inflate.h"
#include "formats/ZipRecords.h"
#include <algorithm>

using namespace tdrt;
using namespace tdrt::zip;

namespace {

/// Bytes of a directory at most. Files of arrays have less, and a larger one
/// would cost memory.
constexpr uint64_t kMaxDirectory = 8 << 20;

constexpr const char *kOutside =
    " overlaps another entry or lies outside of the file";

/// Reads the little-endian numbers of a record, one after the other.
class Fields {
public:
  Fields(const char *at, const char *end) : at(at), end(end) {}

  uint64_t take(unsigned bytes) {
    if (left() < bytes)
      failFile(732, -1, "a record of the zip file ends early");
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= uint64_t(static_cast<unsigned char>(at[i])) << (8 * i);
    at += bytes;
    return value;
  }
  Fields part(uint64_t bytes) {
    if (left() < bytes)
      failFile(732, -1, "a record of the zip file ends early");
    at += bytes;
    return {at - bytes, at};
  }
  void skip(uint64_t bytes) { part(bytes); }
  uint64_t left() const { return end - at; }
  std::string text() const { return {at, end}; }

private:
  const char *at, *end;
};

struct Directory {
  uint64_t offset, bytes, entries;
};

/// Finds the end record by a search from the end of the file, which may be a
/// comment.
Directory findDirectory(const InputFile &file) {
  uint64_t tail = std::min<uint64_t>(file.size(), kEndSize + 0xffff);
  std::vector<char> bytes(tail);
  file.read(file.size() - tail, bytes.data(), tail);
  for (uint64_t back = kEndSize; back <= tail; ++back) {
    const char *record = bytes.data() + tail - back;
    Fields fields(record, bytes.data() + tail);
    if (fields.take(4) != kEnd)
      continue;
    uint64_t disk = fields.take(2), firstDisk = fields.take(2);
    fields.skip(2);
    uint64_t entries = fields.take(2), size = fields.take(4),
             offset = fields.take(4), comment = fields.take(2);
    if (comment != back - kEndSize)
      continue;
    uint64_t end = file.size() - back;
    if (disk != 0 || firstDisk != 0)
      failFile(732, end, "it is a part of a zip file");
    char locator[kLocator64Size];
    if (end >= kLocator64Size) {
      file.read(end - kLocator64Size, locator, kLocator64Size);
      Fields at(locator, locator + kLocator64Size);
      if (at.take(4) == kLocator64) {
        at.skip(4);
        uint64_t record64 = at.take(8);
        if (record64 > end - kLocator64Size ||
            end - kLocator64Size - record64 < kEnd64Size)
          failFile(732, end - kLocator64Size,
                   "the zip64 record lies outside of the file");
        char large[kEnd64Size];
        file.read(record64, large, kEnd64Size);
        Fields at64(large, large + kEnd64Size);
        if (at64.take(4) != kEnd64)
          failFile(732, record64, "there is no zip64 record");
        at64.skip(8 + 2 + 2 + 4 + 4 + 8);
        entries = at64.take(8);
        size = at64.take(8);
        offset = at64.take(8);
        end = record64;
      }
    }
    if (offset > end || size != end - offset)
      failFile(732, -1,
               "the directory of " + std::to_string(size) + " bytes at " +
                   std::to_string(offset) + " does not end at " +
                   std::to_string(end));
    if (size > kMaxDirectory)
      failFile(732, offset,
               "the directory of " + byteText(size) + " is longer than 8 MiB");
    return {offset, size, entries};
  }
  failFile(731, -1, "it is not a zip file, or was cut off");
}

void checkName(const std::string &name) {
  bool possible = !name.empty() && name[0] != '/' &&
                  name.find('\0') == std::string::npos &&
                  name.find('\\') == std::string::npos;
  for (size_t at = 0; possible && at <= name.size();) {
    size_t slash = std::min(name.find('/', at), name.size());
    possible = name.compare(at, slash - at, "..") != 0;
    at = slash + 1;
  }
  if (!possible)
    failFile(733, -1, "the name " + inQuotes(name.c_str()) + " in it");
}

ZipEntry parseEntry(Fields &directory) {
  if (directory.take(4) != kCentral)
    failFile(732, -1, "an entry of the directory is malformed");
  ZipEntry entry;
  directory.skip(4);
  uint64_t flags = directory.take(2), method = directory.take(2);
  directory.skip(4);
  entry.checksum = directory.take(4);
  entry.packed = directory.take(4);
  entry.size = directory.take(4);
  uint64_t name = directory.take(2), extra = directory.take(2),
           comment = directory.take(2);
  directory.skip(2 + 2 + 4);
  entry.header = directory.take(4);
  entry.name = directory.part(name).text();
  Fields extras = directory.part(extra);
  directory.skip(comment);
  while (extras.left() >= 4) {
    uint64_t id = extras.take(2);
    Fields field = extras.part(extras.take(2));
    if (id != kExtra64)
      continue;
    for (uint64_t *large : {&entry.size, &entry.packed, &entry.header})
      if (*large == kLarge)
        *large = field.take(8);
  }
  checkName(entry.name);
  if (flags & 1)
    failFile(734, -1, inQuotes(entry.name) + " is encrypted");
  if (method != 0 && method != 8)
    failFile(734, -1,
             inQuotes(entry.name) + " is packed by method " +
                 std::to_string(method));
  entry.deflated = method == 8;
  return entry;
}

} // namespace

std::vector<ZipEntry> tdrt::readZipDirectory(const InputFile &file) {
  Directory found = findDirectory(file);
  std::vector<char> bytes(found.bytes);
  file.read(found.offset, bytes.data(), bytes.size());
  Fields fields(bytes.data(), bytes.data() + bytes.size());
  std::vector<ZipEntry> entries;
  while (fields.left() > 0)
    entries.push_back(parseEntry(fields));
  if (entries.size() != found.entries)
    failFile(732, -1,
             "the directory has " + std::to_string(entries.size()) +
                 " entries, its end says " + std::to_string(found.entries));
  auto byName = [](const ZipEntry &a, const ZipEntry &b) {
    return a.name < b.name;
  };
  std::sort(entries.begin(), entries.end(), byName);
  for (size_t i = 1; i < entries.size(); ++i)
    if (entries[i - 1].name == entries[i].name)
      failFile(733, -1, inQuotes(entries[i].name) + " occurs twice in it");
  std::sort(
      entries.begin(), entries.end(),
      [](const ZipEntry &a, const ZipEntry &b) { return a.header < b.header; });
  for (size_t i = 0; i < entries.size(); ++i) {
    ZipEntry &entry = entries[i];
    entry.end = i + 1 < entries.size() ? entries[i + 1].header : found.offset;
    uint64_t fixed = kLocalSize + entry.name.size();
    if (entry.header > entry.end || entry.end - entry.header < fixed ||
        entry.end - entry.header - fixed < entry.packed)
      failFile(732, -1, inQuotes(entry.name) + kOutside);
    if (!entry.deflated && entry.size != entry.packed)
      failFile(736, -1,
               inQuotes(entry.name) + " is stored in " +
                   std::to_string(entry.packed) + " bytes and has " +
                   std::to_string(entry.size));
    if (entry.deflated)
      checkRatio(entry.size, entry.packed);
  }
  return entries;
}

uint64_t tdrt::findZipData(const InputFile &file, const ZipEntry &entry) {
  std::vector<char> bytes(kLocalSize + entry.name.size());
  file.read(entry.header, bytes.data(), bytes.size());
  Fields fields(bytes.data(), bytes.data() + bytes.size());
  bool agrees = fields.take(4) == kLocal;
  fields.skip(4);
  agrees &= fields.take(2) == (entry.deflated ? 8 : 0);
  fields.skip(4 + 12);
  agrees &= fields.take(2) == entry.name.size();
  uint64_t extra = fields.take(2);
  agrees &= fields.text() == entry.name;
  if (!agrees)
    failFile(732, entry.header,
             "the header of " + inQuotes(entry.name) +
                 " differs from the directory");
  uint64_t data = entry.header + bytes.size() + extra;
  if (data > entry.end || entry.end - data < entry.packed)
    failFile(732, entry.header, inQuotes(entry.name) + kOutside);
  return data;
}
