//===- DLPack.h - the ABI of DLPack 1.x -----------------------------------===//
//
// The structs of https://dmlc.github.io/dlpack/latest/c_api.html, with which
// frameworks exchange tensors. Debian's header is older than version 1.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CAPI_DLPACK_H
#define TDC_LIB_CAPI_DLPACK_H

#include <cstddef>
#include <cstdint>

// Names are DLPack's.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

struct DLPackVersion {
  uint32_t major, minor;
};

enum DLDeviceType : int32_t { kDLCPU = 1, kDLCUDA = 2 };

struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
};

enum DLDataTypeCode : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row by row
  uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

} // extern "C"
// NOLINTEND(readability-identifier-naming)

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensorVersioned) == 80,
              "the layout of DLPack 1.x");

#endif // TDC_LIB_CAPI_DLPACK_H
