//===- FileFormats.h - which files are read and written -------------------===//

#ifndef TDRT_FORMATS_FILEFORMATS_H
#define TDRT_FORMATS_FILEFORMATS_H

#include <cstdint>
#include <string>

namespace tdrt {

/// What a file holds: tensors (.npy, .npz and others), or the state of models
/// and optimizers (.safetensors).
enum class FileContents : uint8_t { Tensor, State };

/// Whether `path` has the ending, in upper or lower case.
bool hasEnding(const std::string &path, const std::string &ending);

/// Throws FileFault TR705 if the path has the ending of a format that is not
/// read; for a format of PyTorch the message says how to convert the file.
void checkReadable(const std::string &path, FileContents contents);

/// Throws FileFault TR754 if the path has the ending of a format that is not
/// written, because no program could read the file by its name; TR751 if the
/// path is empty.
void checkWrittenFormat(const std::string &path, FileContents contents);

} // namespace tdrt

#endif // TDRT_FORMATS_FILEFORMATS_H
