//===- ZipWriter.h - zip files with one file in them ----------------------===//

#ifndef TDRT_FORMATS_ZIPWRITER_H
#define TDRT_FORMATS_ZIPWRITER_H

#include <cstdint>
#include <string>

namespace tdrt {

/// The bytes before and after the data of a zip file with one entry.
struct ZipFrame {
  std::string before, after;
};

/// The frame of a file called `name` that is stored uncompressed. Its contents
/// are `header`, then `bytes` bytes at `data`.
ZipFrame makeZipFrame(const std::string &name, const std::string &header,
                      const void *data, uint64_t bytes);

} // namespace tdrt

#endif // TDRT_FORMATS_ZIPWRITER_H
