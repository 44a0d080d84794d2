//===- TensorFormat.h - the interface to a format of tensor files ---------===//

#ifndef TDRT_FORMATS_TENSORFORMAT_H
#define TDRT_FORMATS_TENSORFORMAT_H

#include "base/File.h"
#include <vector>

namespace tdrt {

/// The functions that read a tensor from files of one format. A program carries
/// only the formats that it names: only FindFormat.cpp lists them all. Both
/// functions throw FileFault.
struct TensorFormat {
  /// Reads the header of the file's tensor, or of its tensor `key`, without the
  /// data.
  FileTensor (*inspect)(const InputFile &file, const char *key);
  /// Reads the data, row-major and little-endian, into a buffer of
  /// tensor.bytes.
  void (*read)(const InputFile &file, const FileTensor &tensor, void *to);
  /// Whether the data is in the file, from tensor.offset on, as it is in
  /// memory, unless it is column-major or must be checked.
  bool isPlain;
};

extern const TensorFormat npyFormat, npzFormat, safetensorsFormat, csvFormat,
    idxFormat, pngFormat, jpegFormat;

/// The format of a path's ending. For an ending without a format it is
/// .safetensors with a `key` and .npy without. Throws TR705 for a format that
/// is not read.
const TensorFormat &findFormat(const char *path, const char *key);
/// The same, but refuses images (TR701): for programs that take none, which
/// then do not carry the code for them.
const TensorFormat &findArrayFormat(const char *path, const char *key);

/// Throws TR707 if there is a key: for a format with one tensor per file.
void refuseKey(const char *key);
/// Throws TR707 for a key that is not among those in the file, `there`; TR705
/// if `key` is null.
[[noreturn]] void failKey(const char *key,
                          const std::vector<std::string> &there);

} // namespace tdrt

#endif // TDRT_FORMATS_TENSORFORMAT_H
