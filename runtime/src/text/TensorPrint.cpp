//===- TensorPrint.cpp - tensors as PyTorch prints them -------------------===//
//
// The rules are those of torch/_tensor_str.py with its default options: 4
// digits, lines of 80 characters, and above 1000 elements only the first and
// last 3 of every dim. All elements have one width; a float tensor is shown in
// scientific form when its magnitudes span more than 1000 or are very large or
// small, and with a bare point when all its values are integers.
//
//===----------------------------------------------------------------------===//

#include "text/TensorPrint.h"
#include "base/Dtype.h"
#include "text/Format.h"
#include <cmath>
#include <vector>

using namespace tdrt;

namespace {

constexpr int kPrecision = 4;
constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdge = 3;
constexpr int64_t kLine = 80;
const char kPrefix[] = "tensor(";
constexpr int64_t kIndent = sizeof kPrefix - 1;

class TensorPrinter {
public:
  explicit TensorPrinter(const tdrt_tensor &tensor)
      : tensor(tensor), strides(tensor.rank) {
    for (int32_t d = tensor.rank; d-- > 0;) {
      strides[d] = count;
      count *= tensor.dims[d];
    }
    summarize = count > kThreshold;
  }

  std::string print() {
    std::string text = kPrefix;
    std::vector<std::string> suffixes;
    int32_t dtype = tensor.dtype;
    if (count == 0) {
      text += "[]";
      if (tensor.rank != 1)
        suffixes.push_back("size=" + sizeText());
      // Nothing shows that an empty tensor holds integers.
      if (dtype != TDRT_F32)
        suffixes.push_back("dtype=" + torchName());
    } else {
      chooseForm();
      appendDim(text, 0, 0, kIndent);
      if (dtype != TDRT_F32 && dtype != TDRT_I64 && dtype != TDRT_BOOL)
        suffixes.push_back("dtype=" + torchName());
    }
    appendSuffixes(text, suffixes);
    return text + ")";
  }

private:
  double floatAt(int64_t i) const {
    switch (tensor.dtype) {
    case TDRT_F64:
      return static_cast<const double *>(tensor.data)[i];
    case TDRT_F32:
      return static_cast<const float *>(tensor.data)[i];
    case TDRT_F16:
      return halfToFloat(static_cast<const uint16_t *>(tensor.data)[i]);
    default:
      return bfloatToFloat(static_cast<const uint16_t *>(tensor.data)[i]);
    }
  }

  int64_t intAt(int64_t i) const {
    switch (tensor.dtype) {
    case TDRT_I64:
      return static_cast<const int64_t *>(tensor.data)[i];
    case TDRT_I32:
      return static_cast<const int32_t *>(tensor.data)[i];
    case TDRT_I16:
      return static_cast<const int16_t *>(tensor.data)[i];
    case TDRT_I8:
      return static_cast<const int8_t *>(tensor.data)[i];
    case TDRT_U16:
      return static_cast<const uint16_t *>(tensor.data)[i];
    case TDRT_U32:
      return static_cast<const uint32_t *>(tensor.data)[i];
    default:
      return static_cast<const uint8_t *>(tensor.data)[i];
    }
  }

  /// Calls `visit` with the index of every element that will be shown.
  template <class Visit>
  void forEachShown(int32_t dim, int64_t base, Visit &visit) const {
    if (dim == tensor.rank)
      return visit(base);
    int64_t size = tensor.dims[dim];
    for (int64_t i = 0; i < size; ++i) {
      if (isElided(i, size))
        i = size - kEdge;
      forEachShown(dim + 1, base + i * strides[dim], visit);
    }
  }

  /// Is `i` the first of the elements that "..." replaces?
  bool isElided(int64_t i, int64_t size) const {
    return summarize && size > 2 * kEdge && i == kEdge;
  }

  /// Decides form and width from all elements shown.
  void chooseForm() {
    auto widen = [&](int64_t i) {
      width = std::max<int64_t>(width, elementText(i).size());
    };
    if (!isFloat(tensor.dtype)) {
      forEachShown(0, 0, widen);
      return;
    }
    double least = INFINITY, most = 0;
    bool any = false;
    auto measure = [&](int64_t i) {
      double value = floatAt(i);
      if (!std::isfinite(value) || value == 0)
        return;
      any = true;
      least = std::min(least, std::fabs(value));
      most = std::max(most, std::fabs(value));
      integers &= value == std::ceil(value);
    };
    forEachShown(0, 0, measure);
    if (!any)
      return;
    scientific =
        most / least > 1000.0 || most > 1.0e8 || (!integers && least < 1.0e-4);
    // Zeros, infinities and NaNs do not count for the width.
    auto widenNumbers = [&](int64_t i) {
      double value = floatAt(i);
      if (std::isfinite(value) && value != 0)
        widen(i);
    };
    forEachShown(0, 0, widenNumbers);
  }

  std::string elementText(int64_t i) const {
    std::string text;
    if (tensor.dtype == TDRT_BOOL) {
      text = intAt(i) ? "True" : "False";
    } else if (tensor.dtype == TDRT_U64) {
      appendUnsigned(text, static_cast<const uint64_t *>(tensor.data)[i],
                     nullptr);
    } else if (!isFloat(tensor.dtype)) {
      appendInt(text, intAt(i), nullptr);
    } else if (scientific) {
      appendScientific(text, floatAt(i), kPrecision);
    } else if (integers) {
      appendFixed(text, floatAt(i), 0);
      if (std::isfinite(floatAt(i)))
        text += '.';
    } else {
      appendFixed(text, floatAt(i), kPrecision);
    }
    return text;
  }

  void appendElement(std::string &out, int64_t i) const {
    std::string text = elementText(i);
    int64_t size = text.size();
    if (size < width)
      out.append(width - size, ' ');
    out += text;
  }

  void appendDim(std::string &out, int32_t dim, int64_t base, int64_t indent) {
    if (tensor.rank == 0)
      return appendElement(out, base);
    if (dim == tensor.rank - 1)
      return appendRow(out, base, indent);
    int64_t size = tensor.dims[dim];
    std::string separator = "," + std::string(tensor.rank - dim - 1, '\n') +
                            std::string(indent + 1, ' ');
    out += '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i)
        out += separator;
      if (isElided(i, size)) {
        out += "..." + separator;
        i = size - kEdge;
      }
      appendDim(out, dim + 1, base + i * strides[dim], indent + 1);
    }
    out += ']';
  }

  void appendRow(std::string &out, int64_t base, int64_t indent) {
    int64_t perLine = std::max<int64_t>(1, (kLine - indent) / (width + 2));
    int64_t size = tensor.dims[tensor.rank - 1], shown = 0;
    auto separate = [&] {
      if (shown && shown % perLine == 0)
        out += ",\n" + std::string(indent + 1, ' ');
      else if (shown)
        out += ", ";
      ++shown;
    };
    out += '[';
    for (int64_t i = 0; i < size; ++i) {
      separate();
      if (isElided(i, size)) {
        out += " ...";
        i = size - kEdge;
        separate();
      }
      appendElement(out, base + i);
    }
    out += ']';
  }

  void appendSuffixes(std::string &text,
                      const std::vector<std::string> &suffixes) const {
    size_t newline = text.rfind('\n');
    int64_t last = newline == std::string::npos ? text.size() + 2
                                                : text.size() - newline + 1;
    for (const std::string &suffix : suffixes) {
      int64_t size = suffix.size();
      if (last + size + 2 > kLine) {
        text += ",\n" + std::string(kIndent, ' ') + suffix;
        last = kIndent + size;
      } else {
        text += ", " + suffix;
        last += size + 2;
      }
    }
  }

  /// The shape as a Python tuple: "(0,)", "(2, 0)".
  std::string sizeText() const {
    std::string text = "(";
    for (int32_t d = 0; d < tensor.rank; ++d)
      text += (d ? ", " : "") + std::to_string(tensor.dims[d]);
    return text + (tensor.rank == 1 ? ",)" : ")");
  }

  std::string torchName() const {
    static const char *const names[] = {
        "float64", "float32", "float16", "bfloat16", "int64",  "int32", "int16",
        "int8",    "uint8",   "bool",    "uint16",   "uint32", "uint64"};
    return std::string("torch.") + names[tensor.dtype];
  }

  const tdrt_tensor &tensor;
  std::vector<int64_t> strides;
  int64_t count = 1;
  bool summarize = false;
  bool integers = true; ///< all finite values are integers
  bool scientific = false;
  int64_t width = 1;
};

} // namespace

void tdrt::appendTensor(std::string &out, const tdrt_tensor &tensor) {
  out += TensorPrinter(tensor).print();
}
