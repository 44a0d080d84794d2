//===- TensorFormat.cpp - functions that all formats share ----------------===//

#include "formats/TensorFormat.h"
#include "base/Dtype.h"
#include "base/Nearest.h"
#include <algorithm>

using namespace tdrt;

/// Replaces stderr in libpng and libjpeg (cmake/Codecs.cmake). They never write
/// to it.
extern "C" void *const tdcNoStream = nullptr;

void tdrt::refuseKey(const char *key) {
  if (key)
    failFile(707, -1,
             "it holds one tensor and none called " + inQuotes(key) +
                 ": leave out `key=`");
}

void tdrt::failKey(const char *key, const std::vector<std::string> &there) {
  constexpr size_t most = 8;
  std::string keys;
  for (size_t i = 0; i < std::min(there.size(), most); ++i)
    keys += (i ? ", " : "") + inQuotes(there[i]);
  if (there.size() > most)
    keys += " and " + std::to_string(there.size() - most) + " more";
  if (!key)
    failFile(705, -1,
             "a file of this format holds many tensors: say which one with "
             "`key=`" +
                 (keys.empty() ? "" : ": " + keys));
  std::string text = "there is no tensor " + inQuotes(key) + " in it";
  text += keys.empty() ? ", nor any other" : ", which has " + keys;
  if (const std::string *nearest = findNearest(key, there))
    text += ": did you mean " + inQuotes(*nearest) + "?";
  failFile(707, -1, text);
}

FileFault tdrt::checkTensorType(const FileTensor &tensor, int32_t dtype,
                                int32_t rank, const int64_t *dims) noexcept {
  return caught([&] {
    if (tensor.dtype < 0 && !tensor.anyDtype)
      failFile(726, -1,
               inQuotes(tensor.key) + " has dtype " +
                   inQuotes(tensor.dtypeText));
    int32_t held = tensor.anyDtype ? dtype : tensor.dtype;
    bool fits =
        held == dtype && tensor.dims.size() == static_cast<size_t>(rank);
    for (int32_t d = 0; fits && d < rank; ++d)
      fits = dims[d] < 0 || dims[d] == tensor.dims[d];
    if (!fits)
      failFile(701, -1,
               (tensor.key.empty() ? "the file" : inQuotes(tensor.key)) +
                   " holds " +
                   typeText(held, tensor.dims.data(), tensor.dims.size()) +
                   ", the program wants " + typeText(dtype, dims, rank));
  });
}
