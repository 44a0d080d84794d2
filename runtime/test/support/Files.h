//===- Files.h - building files for the tests of formats ------------------===//

#ifndef TDRT_TEST_SUPPORT_FILES_H
#define TDRT_TEST_SUPPORT_FILES_H

#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>

namespace tdrt_test {

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string big(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes; i-- > 0;)
    text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::string repeat(const std::string &text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i)
    all += text;
  return all;
}

/// An .npy file with a version 1 header as given, unpadded.
inline std::string npy(const std::string &header,
                       const std::string &data = "") {
  return std::string("\x93NUMPY\x01\x00", 8) + little(header.size(), 2) +
         header + data;
}

inline std::string npyOf(const std::string &descr, const std::string &shape,
                         const std::string &data = "",
                         const std::string &fortran = "False") {
  return npy("{'descr': " + descr + ", 'fortran_order': " + fortran +
                 ", 'shape': " + shape + ", }\n",
             data);
}

inline uint32_t crc(const std::string &data) {
  return crc32_z(0, reinterpret_cast<const unsigned char *>(data.data()),
                 data.size());
}

/// Compressed with zlib: raw for `window` -15, for PNG 15, as gzip 31.
inline std::string deflated(const std::string &data, int window = -15) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()) + 64, '\0');
  stream.next_in =
      reinterpret_cast<unsigned char *>(const_cast<char *>(data.data()));
  stream.avail_in = data.size();
  stream.next_out = reinterpret_cast<unsigned char *>(&out[0]);
  stream.avail_out = out.size();
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// One file in a zip file; each number may be made wrong.
struct Member {
  std::string name, packed;
  uint64_t size;
  uint32_t checksum;
  int method = 0, flags = 0;
  std::string localName = name;
  std::string extra = "";
  uint64_t shownPacked = packed.size(), shownSize = size;
  int64_t shift = 0; ///< of its offset in the directory
};

inline Member stored(const std::string &name, const std::string &data) {
  return {name, data, data.size(), crc(data)};
}
inline Member packed(const std::string &name, const std::string &data) {
  return {name, deflated(data), data.size(), crc(data), 8};
}

struct ZipNumbers {
  int64_t entries = 0, size = 0, offset = 0; ///< added to the true ones
};

inline std::string zipOf(const std::vector<Member> &members,
                         ZipNumbers wrong = {},
                         const std::string &comment = "") {
  std::string file, directory;
  for (const Member &m : members) {
    uint64_t offset = file.size() + m.shift;
    std::string common = little(20, 2) + little(m.flags, 2) +
                         little(m.method, 2) + little(0, 4) +
                         little(m.checksum, 4) + little(m.shownPacked, 4) +
                         little(m.shownSize, 4);
    file += "PK\x03\x04" + common + little(m.localName.size(), 2) +
            little(0, 2) + m.localName + m.packed;
    directory += "PK\x01\x02" + little(20, 2) + common +
                 little(m.name.size(), 2) + little(m.extra.size(), 2) +
                 std::string(10, '\0') + little(offset, 4) + m.name + m.extra;
  }
  std::string entries = little(members.size() + wrong.entries, 2);
  return file + directory + "PK\x05\x06" + little(0, 4) + entries + entries +
         little(directory.size() + wrong.size, 4) +
         little(file.size() + wrong.offset, 4) + little(comment.size(), 2) +
         comment;
}

/// A part of a PNG image.
inline std::string chunk(const std::string &kind, const std::string &data) {
  return big(data.size(), 4) + kind + data + big(crc(kind + data), 4);
}
inline std::string pngHeader(uint32_t width, uint32_t height, int bits,
                             int colour, int interlace = 0) {
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", big(width, 4) + big(height, 4) + big(bits, 1) +
                           big(colour, 1) + big(0, 2) + big(interlace, 1));
}
inline std::string pngOf(const std::string &header, const std::string &rows) {
  return header + chunk("IDAT", deflated(rows, 15)) + chunk("IEND", "");
}

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_FILES_H
