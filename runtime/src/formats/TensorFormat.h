//===- TensorFormat.h - how files of a format give a tensor ---------------===//

#ifndef TDRT_FORMATS_TENSORFORMAT_H
#define TDRT_FORMATS_TENSORFORMAT_H

#include "base/File.h"
#include <vector>

namespace tdrt {

/// How files of one format give a tensor. A program carries the formats that it
/// names and no other: only FindFormat.cpp lists them all. Both functions throw
/// FileFault.
struct TensorFormat {
  /// What the file holds, or what is called `key` in it, without its data.
  FileTensor (*inspect)(const InputFile &file, const char *key);
  /// The data, row-major and little-endian, into a buffer of tensor.bytes.
  void (*read)(const InputFile &file, const FileTensor &tensor, void *to);
  /// The data is what the file has from tensor.offset on, unless it is
  /// column-major or has to be checked.
  bool isPlain;
};

extern const TensorFormat npyFormat, npzFormat, safetensorsFormat, csvFormat,
    idxFormat, pngFormat, jpegFormat;

/// The format of a path's ending; where it says nothing, .safetensors with a
/// `key` and .npy without. Throws TR705 for what cannot be read.
const TensorFormat &findFormat(const char *path, const char *key);
/// The same, and images are refused: for programs that take none, which do not
/// carry the code for them then.
const TensorFormat &findArrayFormat(const char *path, const char *key);

/// TR707 for a key where the file holds one tensor.
void refuseKey(const char *key);
/// TR707 for a key that is none of those in the file, TR705 without one.
[[noreturn]] void failKey(const char *key,
                          const std::vector<std::string> &there);

} // namespace tdrt

#endif // TDRT_FORMATS_TENSORFORMAT_H
