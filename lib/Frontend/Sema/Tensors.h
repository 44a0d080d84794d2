//===- Tensors.h - ops on tensors of a program ----------------------------===//
//
// From values of the program to ops: operands get one dtype, shape and place,
// numbers become tensors, and mistakes are reported in the program's words.
// Definitions: Tensors.cpp, and for f16 and bf16 NarrowFloats.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_TENSORS_H
#define TDC_LIB_FRONTEND_SEMA_TENSORS_H

#include "Frontend/Typed/Elementwise.h"
#include "Values.h"

namespace tdc::sema {

class Checker;

class Tensors {
public:
  explicit Tensors(Checker &c);

  TypedBuilder builder;
  /// A tensor of the builder, made of these operands.
  Val fromTyped(const Typed &tensor, llvm::ArrayRef<Val> operands);
  /// The same for a result that may be the operand itself.
  Val like(const Val &tensor, const Typed &result);
  /// Reports why the builder failed for these operands.
  Diagnostic &explainFailure(SourceRange range, llvm::ArrayRef<Val> operands);
  /// The same for a failure without the name of its function, which is `what`.
  Diagnostic &explainFailureOf(llvm::StringRef what, SourceRange range,
                               llvm::ArrayRef<Val> operands);
  /// Reports such a failure as well; the value of the expression that failed.
  Val reportFailure(SourceRange range, llvm::StringRef what,
                    llvm::ArrayRef<Val> operands);
  /// The tensor that the builder made of these operands, or a report of its
  /// failure.
  Val finish(const MaybeTyped &result, llvm::ArrayRef<Val> operands,
             SourceRange range);

  // What an op takes -------------------------------------------------------//

  bool isTensor(const Val &val, SourceRange range, llvm::StringRef what);
  /// Whether it is a tensor or a host number; TD303 if not.
  bool isNumeric(const Val &val, SourceRange range, llvm::StringRef what);
  /// Checks the dtypes that an op of the table takes.
  bool accepts(OpKind op, DType dtype, SourceRange range, llvm::StringRef what,
               const Val &operand);
  /// `dim=` of a tensor of this type, counted from the front. The operation
  /// adds `added` dims (`unsqueeze`).
  std::optional<unsigned> takeDim(const Val &dim, const TensorType &type,
                                  SourceRange range, unsigned added = 0);
  /// Whether a size that the program gives is not negative: TD401 if it is, a
  /// run-time check if that is not known.
  bool requireSize(const Size &size, SourceRange range);
  /// Whether a tensor can have `rank` dims; TD411 if not.
  bool isWithinRank(size_t rank, SourceRange range);
  bool prove(ShapeAnswer &answer) { return builder.prove(answer); }
  /// Whether the dtypes are equal, and the sizes; `reason` is what a run says
  /// where only it knows some of them.
  bool isSameType(const TensorType &type, const TensorType &other,
                  llvm::StringRef reason);
  /// The least and the largest number of an integer dtype.
  static std::pair<int64_t, int64_t> limitsOf(DType dtype);
  /// Whether a tensor of this dtype can hold the number, if it is a float;
  /// TD301 if not.
  bool takesFloat(const Val &number, DType dtype, SourceRange range);
  /// Reports a known number that a tensor of this dtype cannot hold.
  void checkFits(const Val &number, DType dtype);

  // Types as the emitter takes them ----------------------------------------//

  TensorShape shapeOf(const TensorType &type) { return builder.shapeOf(type); }

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
  /// The tensor without `dims`, or with size 1 there.
  Val reduceOf(td::ReduceKind kind, const Val &tensor,
               llvm::ArrayRef<unsigned> dims, bool keepDims);
  Val itemOf(const Val &tensor);

  // Movement ---------------------------------------------------------------//

  Val broadcastTo(const Val &tensor, DimsRef dims);
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

  /// A tensor of f16 or bf16 in f32; any other value is unchanged.
  Val widened(const Val &val);
  /// The result of an op on such tensors: f32 as `dtype`; any other value is
  /// unchanged.
  Val rounded(const Val &val, DType dtype);
  /// The dtype (f16 or bf16) of the arguments of the current prelude function.
  /// Its body computes in f32, and its result is rounded to this dtype.
  std::optional<DType> givenNarrow;

private:
  void reportTooLarge(const TypeFailure &failure);
  /// The operands (at least one is a tensor) as tensors of one dtype, shape and
  /// place; none after a report. The operands are brought to that place as
  /// well.
  std::optional<llvm::SmallVector<Typed>>
  unify(llvm::MutableArrayRef<Val> operands, SourceRange range,
        llvm::StringRef what);
  /// Whether the numbers among the operands can have `dtype`, the dtype of the
  /// tensors, which `giver` is one of.
  bool takesNumbers(llvm::ArrayRef<Val> operands, const Val &giver, DType dtype,
                    SourceRange range);
  void warnIfBothGrow(const typed::CommonType &common,
                      llvm::ArrayRef<Val> tensors, SourceRange range);
  /// A tensor of a host scalar.
  Value fillValue(const Val &scalar, const TensorType &type);
  /// If the operands are a narrow tensor and a number of the program: the
  /// tensor's dtype. As in PyTorch, the number is not rounded (bf16 would round
  /// 0.999 to 1).
  static std::optional<DType>
  findNarrowWithNumber(OpKind op, llvm::ArrayRef<Val> operands);

  Checker &c;
  bool saidTooLarge = false;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_TENSORS_H
