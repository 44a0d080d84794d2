//===- Arrays.h - converts Python's arrays and tdc's tensors --------------===//

#ifndef TDSL_ARRAYS_H
#define TDSL_ARRAYS_H

#include "tdc/tdc.hpp"
#include <nanobind/ndarray.h>
#include <string>

namespace tdsl {

namespace nb = nanobind;

/// The framework of the result arrays.
enum class Framework : uint8_t { NumPy, PyTorch, JAX };

/// The name of a tensor that is passed to tdc: an input or a tensor of the
/// state.
struct Place {
  const char *function; ///< null for a tensor of the state
  const tdc_tensor_type &type;

  /// "input `x` of `predict`", "`net.fc1.weight`".
  std::string getText() const;
};

/// A value that tdc reads: an array on the cpu, whose elements are not copied,
/// or a number or list of numbers, which is converted to an array.
class Input {
public:
  /// Raises TypeError, or the exception of the value's own library, if `value`
  /// is not of these kinds or does not have the dtype of the place.
  Input(nb::handle value, const Place &place);

  Framework getFramework() const { return framework; }

  /// Valid as long as this object.
  tdc_tensor get() const;

private:
  nb::ndarray<nb::ro> array;
  Framework framework;
  int32_t dtype;
};

/// "f32"
const char *getDtypeName(int32_t dtype);

/// Makes an array that owns the tensor.
nb::object makeArray(tdc::Tensor &&made, Framework framework);

} // namespace tdsl

#endif // TDSL_ARRAYS_H
