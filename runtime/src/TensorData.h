//===- TensorData.h - the data of tensors in files ------------------------===//

#ifndef TDRT_TENSORDATA_H
#define TDRT_TENSORDATA_H

#include "File.h"

namespace tdrt {

/// Reads a tensor's data, row-major, into a buffer of its size. Throws
/// FileFault.
void readTensorData(const InputFile &file, const FileTensor &tensor, void *to);

/// Throws TR706 for a byte other than 0 and 1. `fileOffset` is where they
/// stand.
void refuseOddBools(const void *data, uint64_t bytes, uint64_t fileOffset);

} // namespace tdrt

#endif // TDRT_TENSORDATA_H
