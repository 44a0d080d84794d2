//===- TensorPrint.h - tensors as text ------------------------------------===//

#ifndef TDRT_TEXT_TENSORPRINT_H
#define TDRT_TEXT_TENSORPRINT_H

#include "tdc_runtime.h"
#include <string>

namespace tdrt {

/// Appends a tensor as `print(t)` shows it in PyTorch with default options.
void appendTensor(std::string &out, const tdrt_tensor &tensor);

} // namespace tdrt

#endif // TDRT_TEXT_TENSORPRINT_H
