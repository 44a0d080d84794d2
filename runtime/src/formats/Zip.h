//===- Zip.h - the directory of a zip file --------------------------------===//

#ifndef TDRT_FORMATS_ZIP_H
#define TDRT_FORMATS_ZIP_H

#include "base/File.h"

namespace tdrt {

/// A file in a zip file.
struct ZipEntry {
  std::string name;
  bool deflated = false; ///< else it is stored uncompressed
  uint32_t checksum = 0; ///< CRC-32 of its data
  uint64_t packed = 0;   ///< bytes in the zip file
  uint64_t size = 0;     ///< bytes of its data
  uint64_t header = 0;   ///< offset of its local header
  uint64_t end = 0;      ///< offset of the next entry or the directory
};

/// Reads the directory of a zip file, also of zip64, and returns its entries in
/// the order of their data. Checks every rule that does not need the data:
/// names are valid and different, entries lie in the file and do not overlap,
/// sizes fit each other. Throws TR731 to TR736.
std::vector<ZipEntry> readZipDirectory(const InputFile &file);

/// The offset of an entry's data. Throws TR732 if the entry's local header does
/// not agree with the directory.
uint64_t findZipData(const InputFile &file, const ZipEntry &entry);

} // namespace tdrt

#endif // TDRT_FORMATS_ZIP_H
