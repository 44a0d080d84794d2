//===- FindFormat.cpp - the format of a path ------------------------------===//
//
// Used for paths that are known only when the program runs, and by the
// compiler. Only this file needs the code of every format, or of all formats
// but images.
//
//===----------------------------------------------------------------------===//

#include "formats/FileFormats.h"
#include "formats/TensorFormat.h"

using namespace tdrt;

const TensorFormat &tdrt::findFormat(const char *path, const char *key) {
#define TENSOR_FILE(LOADER, ENDING)
#define IMAGE_FILE(LOADER, ENDING)                                             \
  if (hasEnding(path, ENDING))                                                 \
    return LOADER##Format;
#include "tdc_file_formats.def"
  return findArrayFormat(path, key);
}

const TensorFormat &tdrt::findArrayFormat(const char *path, const char *key) {
#define IMAGE_FILE(LOADER, ENDING)                                             \
  if (hasEnding(path, ENDING))                                                 \
    failFile(701, -1, "no function of this program takes an image");
#define TENSOR_FILE(LOADER, ENDING)                                            \
  if (hasEnding(path, ENDING))                                                 \
    return LOADER##Format;
#include "tdc_file_formats.def"
  checkReadable(path, FileContents::Tensor);
  return key ? safetensorsFormat : npyFormat;
}

FileFault tdrt::inspectTensorFile(const char *path, const char *key,
                                  FileTensor &tensor) noexcept {
  return caught([&] {
    const TensorFormat &format = findFormat(path, key);
    tensor = format.inspect(InputFile(path), key);
  });
}
