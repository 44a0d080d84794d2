//===- TypedBuilder.h - ops on tensors whose types are known --------------===//
//
// The rules of shapes, dtypes and places, and what an op of the language is
// made of, without an AST and without MLIR: every front end builds on it. Sizes
// may be known when the program runs only; what the rules need of them and
// nothing decides is checked then, once.
//
// An op that is not defined for its operands gives nothing and leaves a code
// and its words in `failure`: the caller knows where it stands in the program.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_TYPEDBUILDER_H
#define TDC_FRONTEND_TYPEDBUILDER_H

#include "Frontend/Diagnostics.h"
#include "Frontend/SizeTable.h"
#include <functional>

namespace tdc {

struct TensorType {
  DType dtype = DType::F32;
  Dims dims;
  Place place;
};

/// A tensor of the program.
struct Typed {
  Value value;
  TensorType type;
};
using MaybeTyped = std::optional<Typed>;

struct TypeFailure {
  DiagCode code;
  std::string title;
  std::string label; ///< may be empty
};

/// Elements before and after those of a dim; negative ones are cut off.
struct Padding {
  int64_t low = 0, high = 0;
};

enum class PaddingMode : uint8_t { Constant, Reflect, Replicate, Circular };

/// How windows lie along one dim. Strides and dilations are at least 1,
/// paddings at least 0; what takes them from a program checks that.
struct WindowDim {
  int64_t stride = 1, dilation = 1;
  Padding padding;
};

class CoordinateMap;

class TypedBuilder {
public:
  using GetEmitter = std::function<Emitter &()>;
  using GetShape = std::function<TensorShape(const TensorType &)>;

  /// `shapeOf` gives the type as the emitter takes it.
  TypedBuilder(SizeTable &sizes, GetEmitter emitter, GetShape shapeOf)
      : sizes(sizes), getEmitter(std::move(emitter)),
        shapeOf(std::move(shapeOf)) {}

  /// Why the last op gave nothing.
  TypeFailure failure;

  // One tensor in (Movement.cpp) -------------------------------------------//

  Typed reshape(const Typed &input, DimsRef dims);
  Typed broadcast(const Typed &input, DimsRef dims);
  Typed permute(const Typed &input, llvm::ArrayRef<int64_t> permutation);
  /// `size` elements along a dim from `start` on.
  Typed slice(const Typed &input, unsigned dim, const Size &start,
              const Size &size, int64_t step = 1);
  Typed flip(const Typed &input, llvm::ArrayRef<unsigned> dims);
  /// The tensor `count` times, one after the other, along a dim.
  MaybeTyped repeat(const Typed &input, unsigned dim, const Size &count);
  /// Each element `count` times along a dim.
  MaybeTyped repeatElements(const Typed &input, unsigned dim,
                            const Size &count);
  /// The elements along a dim moved by `shift`; those beyond the end come
  /// first.
  MaybeTyped roll(const Typed &input, unsigned dim, int64_t shift);
  /// The slice, if it is in range.
  MaybeTyped narrow(const Typed &input, unsigned dim, const Size &start,
                    const Size &length);
  /// The elements [i, i + offset] of two dims, along a new last one.
  MaybeTyped diagonal(const Typed &input, int64_t offset, unsigned dim1,
                      unsigned dim2);
  Typed concat(llvm::ArrayRef<Typed> inputs, unsigned dim);
  Typed cast(const Typed &input, DType dtype);
  /// With `first` the gradient of a maximum goes to the first of equal
  /// elements.
  Typed reduce(td::ReduceKind kind, const Typed &input,
               llvm::ArrayRef<int64_t> dims, bool first = false);
  /// The elements along a dim combined up to each of them; of integers and bool
  /// in i64.
  Typed scan(td::ReduceKind kind, const Typed &input, unsigned dim);
  /// A tensor of `number` in every element.
  Typed fill(double number, TensorType type);

  // Windows (Windows.cpp) --------------------------------------------------//

  /// One Padding per dim; `fill` is the constant.
  MaybeTyped pad(const Typed &input, llvm::ArrayRef<Padding> padding,
                 PaddingMode mode, double fill = 0);

  /// Windows over the last dims: [N…, L…] gives [N…, P…, K…], with P windows of
  /// K elements, which are within the input: it has its borders already.
  Typed window(const Typed &input, llvm::ArrayRef<int64_t> kernel,
               llvm::ArrayRef<WindowDim> dims, DimsRef places);
  /// torch.nn.functional.unfold: [N, C, L…] gives [N, C * K…, P…].
  MaybeTyped unfold(const Typed &input, llvm::ArrayRef<int64_t> kernel,
                    llvm::ArrayRef<WindowDim> dims);
  /// Windows along one dim, whose elements are along a new last one.
  MaybeTyped unfoldDim(const Typed &input, unsigned dim, int64_t size,
                       int64_t step);
  /// The transpose of `unfold`: [N, C * K…, P…] is summed up to [N, C, L…].
  MaybeTyped fold(const Typed &input, llvm::ArrayRef<int64_t> output,
                  llvm::ArrayRef<int64_t> kernel,
                  llvm::ArrayRef<WindowDim> dims);

  // Pooling (Pooling.cpp) --------------------------------------------------//

  /// Of [N, C, L…]. Where `ceil` holds, a last window may end beyond the input,
  /// but starts within it or its low border.
  MaybeTyped maxPool(const Typed &input, llvm::ArrayRef<int64_t> kernel,
                     llvm::ArrayRef<WindowDim> dims, bool ceil);
  /// Divides by `divisor`, or else by the number of elements in a window, those
  /// of borders among them if `countsPadding`.
  MaybeTyped averagePool(const Typed &input, llvm::ArrayRef<int64_t> kernel,
                         llvm::ArrayRef<WindowDim> dims, bool ceil,
                         bool countsPadding, std::optional<int64_t> divisor);
  /// Windows that make the last dims of these sizes.
  MaybeTyped adaptivePool(const Typed &input, llvm::ArrayRef<int64_t> output,
                          bool isMax);

  // Sizes of images (Resize.cpp) -------------------------------------------//

  /// [N, C, L…] with other sizes, or those of the input times a factor, each
  /// element that of the nearest one: torch.nn.functional.interpolate. Of each
  /// dim one of the two is given.
  MaybeTyped resizeNearest(const Typed &input,
                           llvm::ArrayRef<std::optional<int64_t>> wanted,
                           llvm::ArrayRef<std::optional<double>> factors);

  // Convolutions (Convolutions.cpp) ----------------------------------------//

  /// [N, C, L…] with weights [O, C / groups, K…]: torch.conv1d, 2d, 3d.
  MaybeTyped convolve(const Typed &input, const Typed &weight,
                      llvm::ArrayRef<WindowDim> dims, int64_t groups);
  /// The gradient of `convolve` for its input, of which [N, O, L…] is the
  /// cotangent, with weights [O, C / groups, K…]: torch.conv_transpose1d, 2d,
  /// 3d. `outputPadding` elements are added after each dim.
  MaybeTyped convolveTransposed(const Typed &input, const Typed &weight,
                                llvm::ArrayRef<WindowDim> dims,
                                llvm::ArrayRef<int64_t> outputPadding,
                                int64_t groups);

private:
  Emitter &emit() { return getEmitter(); }
  llvm::SmallVector<Value> runTimeSizes(DimsRef dims);
  Value valueOf(const Size &size) { return sizes.valueOf(size, emit()); }
  Typed make(OpKind kind, llvm::ArrayRef<Value> operands,
             llvm::ArrayRef<OpAttribute> attributes, TensorType type,
             bool takesSizes = true);
  std::nullopt_t fail(DiagCode code, const llvm::Twine &title,
                      const llvm::Twine &label = {});
  /// Whether the size is not negative: now, or by a check that says `problem`
  /// when the program runs.
  bool require(const Size &size, const llvm::Twine &problem);
  /// The contraction of [N, C…] with [O, C…] whose maps read each in groups, as
  /// [N, O…].
  Typed contractGroups(const Typed &input, const Typed &weight,
                       CoordinateMap &left, CoordinateMap &right,
                       const Dims &result, int64_t groups);
  Typed padDim(const Typed &input, unsigned dim, Padding padding,
               PaddingMode mode);
  /// `number` everywhere but at the elements of `input`: element i of a dim
  /// goes to low + i * step.
  Typed inset(double number, TensorType type, const Typed &input,
              llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> step);
  /// The elements along a dim that a table of indices names, whose dims take
  /// the place of the dim. A table has at most so many elements.
  Typed gather(const Typed &input, unsigned dim,
               llvm::ArrayRef<int64_t> indices, DimsRef shape);
  static constexpr int64_t kLargestTable = int64_t(1) << 24;
  /// A tensor with the bytes of a host array.
  Typed constant(llvm::ArrayRef<char> bytes, TensorType type);
  Typed widen(const Typed &input);
  Typed binary(OpKind kind, const Typed &lhs, const Typed &rhs);
  /// The sum divided by a number, and rounded to the dtype.
  Typed average(const Typed &sum, double count, DType dtype);
  /// What WindowDim says of its numbers.
  bool checkDims(llvm::ArrayRef<WindowDim> dims);
  /// Where the last window of a dim may start, counted from the first element
  /// of its border; negative if there is none.
  static Size lastStart(const Size &size, const Size &kernel,
                        const WindowDim &dim);
  /// How many windows there are along a dim of this size; `what` is the dim to
  /// the program.
  std::optional<Size> countPlaces(const Size &size, const Size &kernel,
                                  const WindowDim &dim,
                                  const llvm::Twine &what);
  /// The number of windows of each dim, and what else is needed to have them
  /// within the padded input.
  std::optional<Dims> placePool(const Typed &input,
                                llvm::ArrayRef<int64_t> kernel,
                                llvm::ArrayRef<WindowDim> dims, bool ceil,
                                llvm::SmallVectorImpl<Padding> &padding);
  Typed countElements(const Size &size, const Size &places, int64_t kernel,
                      const WindowDim &dim, bool countsPadding,
                      const TensorType &like);
  /// One dim of `adaptivePool`, into `count` windows of different lengths.
  MaybeTyped adaptDim(const Typed &input, unsigned dim, int64_t size,
                      int64_t count, bool isMax);
  bool checkWindow(const Typed &input, llvm::ArrayRef<int64_t> kernel,
                   llvm::ArrayRef<WindowDim> dims);
  bool checkConvolution(const Typed &input, const Typed &weight,
                        llvm::ArrayRef<WindowDim> dims, int64_t groups,
                        bool isTransposed);

  SizeTable &sizes;
  GetEmitter getEmitter;
  GetShape shapeOf;
};

} // namespace tdc

#endif // TDC_FRONTEND_TYPEDBUILDER_H
