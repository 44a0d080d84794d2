//===- SafetensorsFile.h - headers of open .safetensors files -------------===//

#ifndef TDRT_FORMATS_SAFETENSORSFILE_H
#define TDRT_FORMATS_SAFETENSORSFILE_H

#include "base/File.h"

namespace tdrt {

/// The header of an open file; throws FileFault.
SafetensorsHeader readSafetensors(const InputFile &file);

} // namespace tdrt

#endif // TDRT_FORMATS_SAFETENSORSFILE_H
