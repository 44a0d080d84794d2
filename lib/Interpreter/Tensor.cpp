//===- Tensor.cpp - elements, rounding, bytes -----------------------------===//

#include "Interpreter/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <atomic>
#include <cmath>
#include <cstring>

using llvm::APFloat;

namespace tdc {

int64_t countElements(llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

int64_t getOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    offset = offset * dims[d] + index[d];
  return offset;
}

void forEachIndex(llvm::ArrayRef<int64_t> dims,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  Extents index(dims.size(), 0);
  for (int64_t left = countElements(dims); left > 0; --left) {
    visit(index);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d])
        break;
      index[d] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &getSemantics(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return APFloat::IEEEhalf();
  case DType::BF16:
    return APFloat::BFloat();
  case DType::F32:
    return APFloat::IEEEsingle();
  default:
    return APFloat::IEEEdouble();
  }
}

static APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

double roundToDType(DType dtype, double value) {
  if (dtype == DType::F64)
    return value;
  if (dtype == DType::F32)
    return static_cast<float>(value);
  return convert(convert(APFloat(value), getSemantics(dtype)),
                 APFloat::IEEEdouble())
      .convertToDouble();
}

double roundToDType(DType dtype, int64_t value, DType from) {
  APFloat number(getSemantics(dtype));
  number.convertFromAPInt(llvm::APInt(64, value, /*isSigned=*/true),
                          /*IsSigned=*/from != DType::U64,
                          APFloat::rmNearestTiesToEven);
  return convert(number, APFloat::IEEEdouble()).convertToDouble();
}

int64_t wrapToDType(DType dtype, int64_t value) {
  switch (dtype) {
  case DType::I32:
    return static_cast<int32_t>(value);
  case DType::I16:
    return static_cast<int16_t>(value);
  case DType::I8:
    return static_cast<int8_t>(value);
  case DType::U8:
    return static_cast<uint8_t>(value);
  case DType::U16:
    return static_cast<uint16_t>(value);
  case DType::U32:
    return static_cast<uint32_t>(value);
  case DType::Bool:
    return value & 1;
  default:
    return value;
  }
}

int64_t truncateToDType(DType dtype, double value) {
  if (dtype == DType::Bool)
    return value != 0;
  llvm::APSInt result(8 * byteSize(dtype), isUnsigned(dtype));
  bool isExact;
  // Saturates, and gives 0 for NaN.
  APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return isUnsigned(dtype) ? int64_t(result.getZExtValue())
                           : result.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

static std::atomic<uint64_t> lastInstance;

Tensor::Tensor(DType dtype, llvm::ArrayRef<int64_t> dims, Place place,
               uint64_t instance, std::optional<Place> home)
    : dtype(dtype), dims(dims.begin(), dims.end()), place(std::move(place)),
      instance(instance), home(std::move(home)) {
  if (isFloat())
    floats.resize(countElements(dims));
  else
    ints.resize(countElements(dims));
}

Tensor::Tensor(DType dtype, llvm::ArrayRef<int64_t> dims, Place place)
    : Tensor(dtype, dims, place, ++lastInstance, place) {}

Tensor Tensor::makeHomeless(DType dtype, llvm::ArrayRef<int64_t> dims) {
  return Tensor(dtype, dims, Place(), ++lastInstance, std::nullopt);
}

Tensor Tensor::copyTo(const Place &device) const {
  Tensor copy(dtype, dims, device, instance, home);
  copy.setElements(*this);
  return copy;
}

void Tensor::setCast(int64_t i, const Tensor &from, int64_t j) {
  if (isFloat())
    floats[i] = from.isFloat()
                    ? roundToDType(dtype, from.getFloat(j))
                    : roundToDType(dtype, from.getInt(j), from.dtype);
  else if (from.isFloat())
    ints[i] = truncateToDType(dtype, from.getFloat(j));
  else
    ints[i] = dtype == DType::Bool ? from.getInt(j) != 0
                                   : wrapToDType(dtype, from.getInt(j));
}

void Tensor::setElements(const Tensor &from) {
  floats = from.floats;
  ints = from.ints;
}

Tensor Tensor::fromBytes(DType dtype, llvm::ArrayRef<int64_t> dims, Place place,
                         const void *bytes) {
  Tensor tensor(dtype, dims, std::move(place));
  unsigned width = byteSize(dtype);
  auto *next = static_cast<const char *>(bytes);
  for (int64_t i = 0, size = tensor.size(); i < size; ++i, next += width) {
    uint64_t bits = 0; // little-endian
    std::memcpy(&bits, next, width);
    if (tensor.isFloat())
      tensor.floats[i] =
          convert(APFloat(getSemantics(dtype), llvm::APInt(8 * width, bits)),
                  APFloat::IEEEdouble())
              .convertToDouble();
    else
      tensor.ints[i] = wrapToDType(dtype, bits);
  }
  return tensor;
}

std::vector<char> Tensor::toBytes() const {
  unsigned width = byteSize(dtype);
  std::vector<char> bytes(size() * width);
  for (int64_t i = 0, count = size(); i < count; ++i) {
    uint64_t bits = isFloat() ? convert(APFloat(floats[i]), getSemantics(dtype))
                                    .bitcastToAPInt()
                                    .getZExtValue()
                              : ints[i];
    std::memcpy(bytes.data() + i * width, &bits, width);
  }
  return bytes;
}

} // namespace tdc
