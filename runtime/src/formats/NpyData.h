//===- NpyData.h - tensors in .npy files and others like them -------------===//

#ifndef TDRT_FORMATS_NPYDATA_H
#define TDRT_FORMATS_NPYDATA_H

#include "base/File.h"
#include "tdc_runtime.h"
#include <functional>

namespace tdrt {

/// As much of an .npy file as has to be there before its header is parsed.
constexpr uint64_t kNpyStart = kMaxNpyHeader + 12;

/// The header of a version 1.0 file. Throws FileFault.
std::string npyHeader(const tdrt_tensor &tensor);

/// Makes row-major data of what `read` fetches: the bytes that stand behind an
/// .npy header, from tensor.offset on. Throws FileFault.
void readNpyData(const FileTensor &tensor, void *to,
                 const std::function<void(void *)> &read);

/// The same, from the file itself.
void readTensorData(const InputFile &file, const FileTensor &tensor, void *to);

/// Throws TR706 for a byte other than 0 and 1. `fileOffset` is where they
/// stand.
void refuseOddBools(const void *data, uint64_t bytes, uint64_t fileOffset);

} // namespace tdrt

#endif // TDRT_FORMATS_NPYDATA_H
