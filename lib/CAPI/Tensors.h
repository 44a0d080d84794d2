//===- Tensors.h - tensors of the caller and of the runtime ---------------===//

#ifndef TDC_LIB_CAPI_TENSORS_H
#define TDC_LIB_CAPI_TENSORS_H

#include "tdc/tdc.h"
#include "tdc_runtime.h"
#include <memory>
#include <string>

namespace tdc {

/// "f32[2, 3]"; a size of -1 is "?".
std::string typeText(int32_t dtype, int32_t rank, const int64_t *shape);

/// Why a tensor cannot have this type; "" if it can.
std::string findTypeFault(int32_t dtype, int32_t rank, const int64_t *shape);

/// Why a caller's tensor cannot be read; "" if it can.
std::string findFault(const tdc_tensor &tensor);

/// "is f32[2], not f32[3]" if a caller's tensor is not of this type, else "".
std::string findMismatch(int32_t dtype, int32_t rank, const int64_t *shape,
                         const tdc_tensor &given);

/// The bytes of a tensor; -1 if they overflow int64_t. No size is negative.
int64_t countBytes(int32_t dtype, int32_t rank, const int64_t *shape);

/// A caller's tensor in the form that the runtime takes: row-major, with
/// aligned elements, and with one readable vector past its end. Any other
/// tensor is copied.
class Input {
public:
  /// Takes `from`, which must have no fault. Returns false if there is no
  /// memory for a copy.
  bool take(const tdc_tensor &from);
  const tdrt_tensor &get() const { return tensor; }

private:
  struct Free {
    void operator()(void *memory) const { free(memory); }
  };
  std::unique_ptr<void, Free> copy;
  tdrt_tensor tensor = {};
};

/// Sets `tensor` to a new tensor of this type, which tdc_tensor_free frees.
/// Returns false and leaves `tensor` unchanged if there is no memory.
bool allocate(tdc_tensor &tensor, int32_t dtype, int32_t rank,
              const int64_t *shape);

} // namespace tdc

#endif // TDC_LIB_CAPI_TENSORS_H
