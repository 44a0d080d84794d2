//===- Tensors.cpp - tensors of the caller and of the runtime -------------===//

#include "Tensors.h"
#include "Dialect/TD/OpTable/Types.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace tdc {

std::string typeText(int32_t dtype, int32_t rank, const int64_t *shape) {
  std::string text = spelling(DType(dtype)).str() + "[";
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") +
            (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + "]";
}

std::string findTypeFault(int32_t dtype, int32_t rank, const int64_t *shape) {
  if (dtype < TDC_F64 || dtype > TDC_U64)
    return "has no dtype of tdc";
  if (rank < 0 || rank > TDRT_MAX_RANK)
    return "has " + std::to_string(rank) + " dims; it can have 0 to " +
           std::to_string(TDRT_MAX_RANK);
  return rank > 0 && !shape ? "has no shape" : "";
}

std::string findFault(const tdc_tensor &tensor) {
  if (std::string fault =
          findTypeFault(tensor.dtype, tensor.rank, tensor.shape);
      !fault.empty())
    return fault;
  for (int32_t i = 0; i < tensor.rank; ++i)
    if (tensor.shape[i] < 0)
      return "has a negative size";
  int64_t bytes = countBytes(tensor.dtype, tensor.rank, tensor.shape);
  if (bytes < 0)
    return "is too large for any memory";
  return !tensor.data && bytes ? "has no data" : "";
}

std::string findMismatch(int32_t dtype, int32_t rank, const int64_t *shape,
                         const tdc_tensor &given) {
  if (dtype == given.dtype && rank == given.rank &&
      std::equal(shape, shape + rank, given.shape))
    return "";
  return "is " + typeText(dtype, rank, shape) + ", not " +
         typeText(given.dtype, given.rank, given.shape);
}

int64_t countBytes(int32_t dtype, int32_t rank, const int64_t *shape) {
  int64_t bytes = byteSize(DType(dtype));
  for (int32_t i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(bytes, shape[i], &bytes))
      return -1;
  return bytes;
}

static bool isContiguous(const tdc_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t stride = 1;
  for (int32_t i = tensor.rank - 1; i >= 0; --i) {
    if (tensor.shape[i] > 1 && tensor.strides[i] != stride)
      return false;
    stride *= tensor.shape[i];
  }
  return true;
}

/// Copies the part of a strided tensor at `at`, from dimension `dim` on, to
/// `to` in row-major order. Returns the position of the next element in the
/// copy.
static char *gather(const tdc_tensor &from, int32_t dim, const char *at,
                    char *to, int64_t elementBytes) {
  if (dim == from.rank) {
    memcpy(to, at, elementBytes);
    return to + elementBytes;
  }
  for (int64_t i = 0; i < from.shape[dim]; ++i)
    to = gather(from, dim + 1, at + i * from.strides[dim] * elementBytes, to,
                elementBytes);
  return to;
}

/// The alignment of buffers that tdc_runtime.h requires, and the bytes past
/// their end that must be readable.
static constexpr size_t kAlign = 64, kSlack = 64;

/// Whether kSlack bytes past the end are readable. Generated code may load one
/// vector that begins before the end and ignore the elements past it, which is
/// harmless if the vector does not cross into another page.
static bool isReadablePastEnd(const void *data, int64_t bytes) {
  static const uintptr_t page = sysconf(_SC_PAGESIZE);
  uintptr_t end = reinterpret_cast<uintptr_t>(data) + bytes;
  return (end - 1) / page == (end + kSlack - 1) / page;
}

bool Input::take(const tdc_tensor &from) {
  tensor = {from.data, from.dtype, from.rank, from.shape};
  int64_t elementBytes = byteSize(DType(from.dtype));
  int64_t bytes = countBytes(from.dtype, from.rank, from.shape);
  bool isAligned = reinterpret_cast<uintptr_t>(from.data) % elementBytes == 0;
  bool isRowMajor = isContiguous(from);
  if (bytes && isAligned && isRowMajor && isReadablePastEnd(from.data, bytes))
    return true;
  copy.reset(aligned_alloc(kAlign, llvm::alignTo(bytes + kSlack, kAlign)));
  if (!copy)
    return false;
  tensor.data = copy.get();
  if (bytes && isRowMajor)
    memcpy(copy.get(), from.data, bytes);
  else if (bytes)
    gather(from, 0, static_cast<const char *>(from.data),
           static_cast<char *>(copy.get()), elementBytes);
  return true;
}

/// Bytes of the header that precedes the data of an allocated tensor and holds
/// its sizes.
static constexpr size_t kHeader = TDRT_MAX_RANK * sizeof(int64_t);
static_assert(kHeader % kAlign == 0, "the data after the header is aligned");

bool allocate(tdc_tensor &tensor, int32_t dtype, int32_t rank,
              const int64_t *shape) {
  int64_t bytes = countBytes(dtype, rank, shape);
  if (bytes < 0)
    return false;
  void *block = aligned_alloc(kAlign, kHeader + llvm::alignTo(bytes, kAlign));
  if (!block)
    return false;
  if (rank)
    memcpy(block, shape, rank * sizeof(int64_t));
  tensor = {static_cast<char *>(block) + kHeader, dtype, rank,
            static_cast<int64_t *>(block), nullptr};
  return true;
}

} // namespace tdc

void tdc_tensor_free(tdc_tensor *tensor) {
  if (!tensor || !tensor->data)
    return;
  free(static_cast<char *>(tensor->data) - tdc::kHeader);
  *tensor = {};
}
