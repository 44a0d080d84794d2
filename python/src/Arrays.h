//===- Arrays.h - arrays of Python and tensors of tdc ---------------------===//

#ifndef TDSL_ARRAYS_H
#define TDSL_ARRAYS_H

#include "tdc/tdc.hpp"
#include <nanobind/ndarray.h>
#include <string>

namespace tdsl {

namespace nb = nanobind;

/// Whose arrays results are.
enum class Framework : uint8_t { NumPy, PyTorch, JAX };

/// Something that crosses the border under a name.
struct Place {
  const char *function; ///< null: the tensor is one of the state
  const tdc_tensor_type &type;

  /// "input `x` of `predict`", "`net.fc1.weight`".
  std::string getText() const;
};

/// A value that tdc reads: an array on the cpu, whose elements stay where they
/// are, or a number or a list of them, which becomes an array.
class Input {
public:
  /// Raises TypeError, or what the value's own library raises, if it is no such
  /// thing or does not have the dtype of the place.
  Input(nb::handle value, const Place &place);

  Framework getFramework() const { return framework; }

  /// Holds as long as this.
  tdc_tensor get() const;

private:
  nb::ndarray<nb::ro> array;
  Framework framework;
  int32_t dtype;
};

/// "f32"
const char *getDtypeName(int32_t dtype);

/// Makes an array of a tensor, which lives on in it.
nb::object makeArray(tdc::Tensor &&made, Framework framework);

} // namespace tdsl

#endif // TDSL_ARRAYS_H
