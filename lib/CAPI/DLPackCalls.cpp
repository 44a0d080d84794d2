//===- DLPackCalls.cpp - tdc_call_dlpack ----------------------------------===//

#include "DLPack.h"
#include "Dialect/TD/OpTable/Types.h"
#include "Handles.h"
#include "Tensors.h"
#include "llvm/ADT/SmallVector.h"

using namespace tdc;

/// The tdc_dtype of a DLPack type; -1 if there is none.
static int32_t fromDLPack(const DLDataType &type) {
  if (type.lanes != 1)
    return -1;
  switch (type.code << 8 | type.bits) {
  case kDLFloat << 8 | 64:
    return TDC_F64;
  case kDLFloat << 8 | 32:
    return TDC_F32;
  case kDLFloat << 8 | 16:
    return TDC_F16;
  case kDLBfloat << 8 | 16:
    return TDC_BF16;
  case kDLInt << 8 | 64:
    return TDC_I64;
  case kDLInt << 8 | 32:
    return TDC_I32;
  case kDLInt << 8 | 16:
    return TDC_I16;
  case kDLInt << 8 | 8:
    return TDC_I8;
  case kDLUInt << 8 | 8:
    return TDC_U8;
  case kDLUInt << 8 | 16:
    return TDC_U16;
  case kDLUInt << 8 | 32:
    return TDC_U32;
  case kDLUInt << 8 | 64:
    return TDC_U64;
  case kDLBool << 8 | 8:
    return TDC_BOOL;
  default:
    return -1;
  }
}

static DLDataType toDLPack(int32_t dtype) {
  uint8_t bits = uint8_t(8 * byteSize(DType(dtype)));
  uint8_t code = dtype == TDC_BF16          ? kDLBfloat
                 : dtype <= TDC_BF16        ? kDLFloat
                 : dtype == TDC_BOOL        ? kDLBool
                 : isUnsigned(DType(dtype)) ? kDLUInt
                                            : kDLInt;
  return {code, bits, 1};
}

/// Sets `tensor` to a view of `managed`. Returns why it cannot be an input, or
/// "".
static std::string borrow(const DLManagedTensorVersioned &managed,
                          tdc_tensor &tensor) {
  const DLTensor &from = managed.dl_tensor;
  if (managed.version.major != 1)
    return "is of version " + std::to_string(managed.version.major) +
           " of DLPack; tdc knows version 1";
  if (from.device.device_type != kDLCPU)
    return "is not on the cpu";
  tensor = {static_cast<char *>(from.data) + from.byte_offset,
            fromDLPack(from.dtype), from.ndim, from.shape, from.strides};
  return "";
}

namespace {

/// A result that is handed to the caller, and the storage that it points to.
struct Result {
  DLManagedTensorVersioned managed = {};
  tdc_tensor tensor;
  int64_t strides[TDRT_MAX_RANK];
};

} // namespace

/// Wraps a result for the caller. Its deleter also frees the tensor's memory.
static DLManagedTensorVersioned *makeManaged(const tdc_tensor &tensor) {
  auto *result = new Result;
  result->tensor = tensor;
  // Newer versions of DLPack require strides even for row-major tensors.
  int64_t stride = 1;
  for (int32_t i = tensor.rank - 1; i >= 0; --i) {
    result->strides[i] = stride;
    stride *= tensor.shape[i];
  }
  DLManagedTensorVersioned *made = &result->managed;
  made->version = {1, 0};
  made->manager_ctx = result;
  made->deleter = [](DLManagedTensorVersioned *self) {
    auto *owned = static_cast<Result *>(self->manager_ctx);
    tdc_tensor_free(&owned->tensor);
    delete owned;
  };
  made->dl_tensor = {tensor.data,
                     {kDLCPU, 0},
                     tensor.rank,
                     toDLPack(tensor.dtype),
                     const_cast<int64_t *>(tensor.shape),
                     result->strides,
                     0};
  return made;
}

tdc_status tdc_call_dlpack(tdc_module *module, const tdc_function *function,
                           size_t numInputs,
                           DLManagedTensorVersioned *const *inputs,
                           size_t numOutputs,
                           DLManagedTensorVersioned **outputs,
                           tdc_error **error) {
  std::fill_n(outputs, numOutputs, nullptr);
  llvm::SmallVector<tdc_tensor, 4> given(numInputs);
  for (size_t i = 0; i < std::min(numInputs, function->num_inputs); ++i)
    if (std::string fault = borrow(*inputs[i], given[i]); !fault.empty())
      return fail(error, TDC_USAGE_ERROR,
                  std::string("input `") + function->inputs[i].name + "` of `" +
                      function->name + "` " + fault);
  llvm::SmallVector<tdc_tensor, 4> results(numOutputs);
  if (tdc_status status = tdc_call(module, function, numInputs, given.data(),
                                   numOutputs, results.data(), error))
    return status;
  for (size_t i = 0; i < numOutputs; ++i)
    outputs[i] = makeManaged(results[i]);
  return TDC_OK;
}
