//===- NpyData.h - data of .npy files and similar formats -----------------===//

#ifndef TDRT_FORMATS_NPYDATA_H
#define TDRT_FORMATS_NPYDATA_H

#include "base/File.h"
#include "tdc_runtime.h"
#include <functional>

namespace tdrt {

/// Bytes of the start of an .npy file, or all if there are fewer, that are
/// needed to parse its header.
constexpr uint64_t kNpyStart = kMaxNpyHeader + 12;

/// The header of a version 1.0 file. Throws FileFault.
std::string npyHeader(const tdrt_tensor &tensor);

/// Reads a tensor's data into `to`, in row-major order. `read` must fetch the
/// bytes from tensor.offset on, which follow an .npy header. Throws FileFault.
void readNpyData(const FileTensor &tensor, void *to,
                 const std::function<void(void *)> &read);

/// The same, from the file itself.
void readTensorData(const InputFile &file, const FileTensor &tensor, void *to);

/// Throws TR706 for a byte other than 0 and 1. `fileOffset` is the offset of
/// the data in the file.
void refuseOddBools(const void *data, uint64_t bytes, uint64_t fileOffset);

} // namespace tdrt

#endif // TDRT_FORMATS_NPYDATA_H
