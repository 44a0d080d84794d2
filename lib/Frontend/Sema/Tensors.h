//===- Tensors.h - ops on tensors of a program ----------------------------===//
//
// From values of the program to ops: operands get one dtype, shape and place,
// numbers become tensors, and what does not fit is reported in the program's
// words. Definitions: Tensors.cpp, and for f16 and bf16 NarrowFloats.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_TENSORS_H
#define TDC_LIB_FRONTEND_SEMA_TENSORS_H

#include "Frontend/TypedBuilder.h"
#include "Values.h"

namespace tdc::sema {

class Checker;

class Tensors {
public:
  explicit Tensors(Checker &c);

  TypedBuilder typed;
  /// A tensor of the typed builder, made of these operands.
  Val fromTyped(const Typed &tensor, llvm::ArrayRef<Val> operands);
  /// Says why the builder gave nothing.
  Val reportFailure(SourceRange range, llvm::StringRef what);

  // What an op takes -------------------------------------------------------//

  bool isTensor(const Val &val, SourceRange range, llvm::StringRef what);
  /// Whether it is a tensor or a host number; TD303 if not.
  bool isNumeric(const Val &val, SourceRange range, llvm::StringRef what);
  /// Checks the dtypes that an op of the table takes.
  bool accepts(OpKind op, DType dtype, SourceRange range, llvm::StringRef what,
               const Val &operand);
  /// `dim=` of a tensor of this type as a number from the front. `added` dims
  /// come with the operation (`unsqueeze`).
  std::optional<unsigned> takeDim(const Val &dim, const TensorType &type,
                                  SourceRange range, unsigned added = 0);
  /// Whether a size that the program gives is not negative: TD401 where it is,
  /// and a check when the program runs where that is not known.
  bool requireSize(const Size &size, SourceRange range);
  /// Whether a tensor can have so many dims; TD411 if not.
  bool isWithinRank(size_t rank, SourceRange range);
  bool prove(ShapeAnswer &answer);
  /// The least and the largest number of an integer dtype.
  static std::pair<int64_t, int64_t> limitsOf(DType dtype);
  /// Reports a known number that a tensor of this dtype cannot hold.
  void checkFits(const Val &number, DType dtype);

  // Types as the emitter takes them ----------------------------------------//

  /// Every tensor that the program makes passes here, so this is where TD412 is
  /// found.
  TensorShape shapeOf(const TensorType &type);
  llvm::SmallVector<Value> runTimeSizes(DimsRef dims);

  // Arithmetic -------------------------------------------------------------//

  Val elementwise(OpKind op, llvm::ArrayRef<Val> operands, SourceRange range,
                  llvm::StringRef what);
  Val tensorCompare(td::ComparePredicate predicate, const Val &lhs,
                    const Val &rhs, SourceRange range, llvm::StringRef what);
  Val selectTensors(const Val &condition, Val onTrue, Val onFalse,
                    SourceRange range);
  Val castTo(const Val &tensor, DType dtype);
  Val fillTensor(const Val &scalar, const TensorType &type,
                 SourceRange placed = {});
  Val matmulOf(const Val &lhs, const Val &rhs, SourceRange range);
  /// The tensor without `dims`, or with size 1 there, by an op that reduces
  /// floats or numbers to their dtype; `attributes` are those beside its dims.
  Val reduceBy(OpKind op, llvm::ArrayRef<OpAttribute> attributes,
               const Val &tensor, llvm::ArrayRef<unsigned> dims, bool keepDims);
  Val reduceOf(td::ReduceKind kind, const Val &tensor,
               llvm::ArrayRef<unsigned> dims, bool keepDims);
  Val itemOf(const Val &tensor);

  // Movement ---------------------------------------------------------------//

  Val broadcastTo(const Val &unaligned, DimsRef dims);
  Val reshapeTo(const Val &tensor, DimsRef dims);
  Val permuteTo(const Val &tensor, llvm::ArrayRef<int64_t> permutation);
  Val sliceOf(const Val &tensor, const Val &start, unsigned dim, int64_t step,
              const Size &size);
  Val updateSliceOf(const Val &tensor, const Val &update, const Val &start,
                    unsigned dim, int64_t step);
  Val concatOf(llvm::ArrayRef<Val> tensors, unsigned dim, SourceRange range);
  Val gatherOf(const Val &tensor, const Val &indices, unsigned dim,
               SourceRange range);

  // f16 and bf16 -----------------------------------------------------------//

  /// A tensor of f16 or bf16 in f32, any other value as it is.
  Val widened(const Val &val);
  /// What comes of such tensors: f32 as `dtype`, any other value as it is.
  Val rounded(const Val &val, DType dtype);
  /// What the function of the prelude that runs was given in place of f32.
  std::optional<DType> givenNarrow;

private:
  /// Makes tensors of the operands (at least one is a tensor) with one dtype,
  /// shape and place; false after a report.
  bool unify(llvm::MutableArrayRef<Val> operands, SourceRange range,
             llvm::StringRef what, TensorType &common);
  /// The dtype of a narrow tensor that is reckoned with a number of the
  /// program. As in PyTorch the number is not rounded to it first: 0.999 is 1
  /// in bf16.
  static std::optional<DType>
  findNarrowBesideNumber(OpKind op, llvm::ArrayRef<Val> operands);

  Checker &c;
  bool saidTooLarge = false;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_TENSORS_H
