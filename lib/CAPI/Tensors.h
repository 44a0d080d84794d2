//===- Tensors.h - tensors that cross the border --------------------------===//

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

/// Why a caller's tensor cannot be read at all; "" if it can.
std::string findFault(const tdc_tensor &tensor);

/// "is f32[2], not f32[3]" if a caller's tensor is not of this type, else "".
std::string findMismatch(int32_t dtype, int32_t rank, const int64_t *shape,
                         const tdc_tensor &given);

/// Bytes of a tensor whose sizes are not negative, or -1 if no memory has so
/// many.
int64_t countBytes(int32_t dtype, int32_t rank, const int64_t *shape);

/// A caller's tensor as the runtime takes it: row by row, its elements aligned,
/// and readable for a vector past its end. It is copied if it is not so.
class Input {
public:
  /// False if there was no memory for a copy. `from` has no fault.
  bool take(const tdc_tensor &from);
  const tdrt_tensor &get() const { return tensor; }

private:
  struct Free {
    void operator()(void *memory) const { free(memory); }
  };
  std::unique_ptr<void, Free> copy;
  tdrt_tensor tensor = {};
};

/// Makes `tensor` a new one of this type, for tdc_tensor_free. False if there
/// was no memory; then `tensor` is as before.
bool allocate(tdc_tensor &tensor, int32_t dtype, int32_t rank,
              const int64_t *shape);

} // namespace tdc

#endif // TDC_LIB_CAPI_TENSORS_H
