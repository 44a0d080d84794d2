//===- Inspect.h - headers of open files ----------------------------------===//

#ifndef TDRT_INSPECT_H
#define TDRT_INSPECT_H

#include "File.h"

namespace tdrt {

/// The header of an open file; throws FileFault.
FileTensor readNpy(const InputFile &file);
SafetensorsHeader readSafetensors(const InputFile &file);

/// The tensor wanted of an open file: see tdrt_load. Throws FileFault.
FileTensor readTensorHeader(const InputFile &file, const char *path,
                            const char *key);

} // namespace tdrt

#endif // TDRT_INSPECT_H
