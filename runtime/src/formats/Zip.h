//===- Zip.h - the directory of a zip file --------------------------------===//

#ifndef TDRT_FORMATS_ZIP_H
#define TDRT_FORMATS_ZIP_H

#include "base/File.h"

namespace tdrt {

/// A file in a zip file.
struct ZipEntry {
  std::string name;
  bool deflated = false; ///< or stored as it is
  uint32_t checksum = 0; ///< CRC-32 of its data
  uint64_t packed = 0;   ///< bytes in the zip file
  uint64_t size = 0;     ///< bytes of its data
  uint64_t header = 0;   ///< where its local header begins
  uint64_t end = 0;      ///< where the next entry or the directory does
};

/// The directory of a zip file, in the order of the data, with every rule
/// checked that does not need the data: names are possible and different,
/// entries lie in the file and apart, sizes fit each other. Knows zip64.
/// Throws TR731 to TR736.
std::vector<ZipEntry> readZipDirectory(const InputFile &file);

/// Where the data of an entry begins; its local header must agree with the
/// directory. Throws TR732.
uint64_t findZipData(const InputFile &file, const ZipEntry &entry);

} // namespace tdrt

#endif // TDRT_FORMATS_ZIP_H
