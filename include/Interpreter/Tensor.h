//===- Tensor.h - a tensor value of the interpreter -----------------------===//
//
// Elements are stored in a wide type, so that each op is implemented once for
// all dtypes: a float as a double that the dtype can hold, an integer or bool
// as an int64_t, which has the bits of a u64. Setting an element rounds or
// wraps it to the dtype.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_INTERPRETER_TENSOR_H
#define TDC_INTERPRETER_TENSOR_H

#include "Dialect/TD/OpTable/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tdc {

using Extents = llvm::SmallVector<int64_t, 4>;

/// The number of elements of a shape.
int64_t countElements(llvm::ArrayRef<int64_t> dims);

/// The offset of an index in row-major order.
int64_t getOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index);

/// Calls visit(index) for every index of a shape, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> dims,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The nearest number that the float dtype holds, ties to even.
double roundToDType(DType dtype, double value);
/// The same from an integer of dtype `from`, rounded once.
double roundToDType(DType dtype, int64_t value, DType from);
/// Whether a < b, for elements of an integer dtype or bool.
inline bool isLess(DType dtype, int64_t a, int64_t b) {
  return dtype == DType::U64 ? uint64_t(a) < uint64_t(b) : a < b;
}
/// The low bits of an integer, read as the integer dtype; of a bool one bit.
int64_t wrapToDType(DType dtype, int64_t value);
/// Rounds towards zero and saturates; NaN gives 0. For bool: `value != 0`.
int64_t truncateToDType(DType dtype, double value);

class Tensor {
public:
  /// Makes zeros: a new instance with its home at `place`.
  Tensor(DType dtype, llvm::ArrayRef<int64_t> dims, Place place);
  /// Deleted: the copy would have the same `instance`, but the result of an op
  /// is a new one.
  Tensor(const Tensor &) = delete;
  Tensor(Tensor &&) = default;

  /// Returns a copy on another device, of the same instance.
  Tensor copyTo(const Place &device) const;
  /// The contents of a slot before it is written: zeros, which any device makes
  /// where they are needed.
  static Tensor makeHomeless(DType dtype, llvm::ArrayRef<int64_t> dims);

  /// Reads packed row-major elements, the format of the runtime and of files.
  static Tensor fromBytes(DType dtype, llvm::ArrayRef<int64_t> dims,
                          Place place, const void *bytes);
  std::vector<char> toBytes() const;

  int64_t size() const { return isFloat() ? floats.size() : ints.size(); }
  int64_t countBytes() const { return size() * byteSize(dtype); }
  bool isFloat() const { return tdc::isFloat(dtype); }

  /// Elements of float dtypes.
  double getFloat(int64_t i) const { return floats[i]; }
  void setFloat(int64_t i, double value) {
    floats[i] = roundToDType(dtype, value);
  }
  /// Elements of integer dtypes and bool.
  int64_t getInt(int64_t i) const { return ints[i]; }
  void setInt(int64_t i, int64_t value) { ints[i] = wrapToDType(dtype, value); }

  /// Sets an element of any dtype from one of any dtype, as td.cast does.
  void setCast(int64_t i, const Tensor &from, int64_t j);
  /// Sets all elements, from as many of the same dtype.
  void setElements(const Tensor &from);

  const DType dtype;
  const Extents dims;
  /// The device of the value: an op on another device must not read it.
  const Place place;
  /// Identifies the execution of the op that made the value; copies share it.
  const uint64_t instance;
  /// The device that made the value; nullopt if any device could have.
  const std::optional<Place> home;

private:
  Tensor(DType dtype, llvm::ArrayRef<int64_t> dims, Place place,
         uint64_t instance, std::optional<Place> home);

  std::vector<double> floats;
  std::vector<int64_t> ints;
};

/// Tensors are never changed once they are the value of something.
using TensorRef = std::shared_ptr<const Tensor>;

/// A value and its replicas, each on another device.
using Replicas = llvm::SmallVector<TensorRef, 2>;
using HandleRef = std::shared_ptr<Replicas>;

/// The contents of an SSA value: i64, i1 and index are an int64_t (i1 is 0 or
/// 1), f64 is a double. A poison is a null TensorRef, which no op may read.
using Datum = std::variant<int64_t, double, std::string, TensorRef, HandleRef>;

} // namespace tdc

#endif // TDC_INTERPRETER_TENSOR_H
