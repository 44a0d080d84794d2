//===- Tensor.h - a tensor value of the interpreter -----------------------===//
//
// Elements are kept wide, so that the meaning of an op can be written down once
// for all dtypes: a float as a double that the dtype can hold, an integer or
// bool as an int64_t. Setting an element rounds or wraps it to the dtype.
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

using Dims = llvm::SmallVector<int64_t, 4>;

/// The number of elements of a shape.
int64_t countElements(llvm::ArrayRef<int64_t> dims);

/// Where an index lies in row-major order.
int64_t getOffset(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> index);

/// Calls visit(index) for every index of a shape, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> dims,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The nearest number that the float dtype holds, ties to even.
double roundToDType(DType dtype, double value);
/// The same from an integer, rounded once.
double roundToDType(DType dtype, int64_t value);
/// The low bits of an integer as the integer dtype reads them; bool keeps one.
int64_t wrapToDType(DType dtype, int64_t value);
/// Towards zero, saturating, NaN gives 0; bool is `value != 0`.
int64_t truncateToDType(DType dtype, double value);

class Tensor {
public:
  /// Zeros, a new instance at home at `place`.
  Tensor(DType dtype, llvm::ArrayRef<int64_t> dims, Place place);
  /// A plain copy would be the same instance, which the result of an op is not.
  Tensor(const Tensor &) = delete;
  Tensor(Tensor &&) = default;

  /// The same instance on another device.
  Tensor copyTo(const Place &device) const;
  /// What a slot holds before it is written: zeros, made wherever they are
  /// needed.
  static Tensor makeHomeless(DType dtype, llvm::ArrayRef<int64_t> dims);

  /// Reads packed row-major elements, as the runtime and files have them.
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
  const Dims dims;
  /// Where the value lives: an op at another place must not read it.
  const Place place;
  /// Which execution of an op made the value: the same for all its copies.
  const uint64_t instance;
  /// Where it was made, if that is one place.
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

/// The value of an SSA value: i64, i1 and index are an int64_t (i1 is 0 or 1),
/// f64 a double. A poison is a null TensorRef: nobody may read it.
using Datum = std::variant<int64_t, double, std::string, TensorRef, HandleRef>;

} // namespace tdc

#endif // TDC_INTERPRETER_TENSOR_H
