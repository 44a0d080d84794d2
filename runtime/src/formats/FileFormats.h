//===- FileFormats.h - which files are read and written -------------------===//

#ifndef TDRT_FORMATS_FILEFORMATS_H
#define TDRT_FORMATS_FILEFORMATS_H

#include <cstdint>
#include <string>

namespace tdrt {

/// What a file holds: tensors (.npy, .npz and others), or the state of models
/// and optimizers (.safetensors).
enum class FileContents : uint8_t { Tensor, State };

/// Whatever the case of its letters.
bool hasEnding(const std::string &path, const std::string &ending);

/// Throws FileFault for a path whose ending is that of a format that is not
/// read; for one of PyTorch's it says how to convert the file.
void checkReadable(const std::string &path, FileContents contents);

/// Throws FileFault for a path whose ending promises what is not written:
/// nobody could read the file by its name.
void checkWritable(const std::string &path, FileContents contents);

} // namespace tdrt

#endif // TDRT_FORMATS_FILEFORMATS_H
