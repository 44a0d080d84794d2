//===- ZipRecords.h - the records of a zip file ---------------------------===//
//
// The signatures of the records and the bytes of their fixed parts.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_FORMATS_ZIPRECORDS_H
#define TDRT_FORMATS_ZIPRECORDS_H

#include <cstdint>

namespace tdrt::zip {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50,
                   kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr uint64_t kLocalSize = 30, kEndSize = 22, kEnd64Size = 56,
                   kLocator64Size = 20;

/// In place of a number that is in the field of 64-bit numbers.
constexpr uint32_t kLarge = 0xffffffff;
/// The id of the field of 64-bit numbers, among the extra fields of an entry.
constexpr uint16_t kExtra64 = 1;

} // namespace tdrt::zip

#endif // TDRT_FORMATS_ZIPRECORDS_H
