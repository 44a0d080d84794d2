//===- ShapeRules.h - the result shape of each op family ------------------===//
//
// One function per family, without MLIR. The checker calls them with symbolic
// sizes and reports their problems to the author; the verifiers call them with
// fresh variables for `?`. A rule returns a shape, with the facts that it could
// not decide (checked once at run time), or a problem in words.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_SHAPERULES_H
#define TDC_DIALECT_TD_OPTABLE_SHAPERULES_H

#include "Dialect/TD/OpTable/Size.h"

namespace tdc {

using Dims = llvm::SmallVector<Size, 4>;
using DimsRef = llvm::ArrayRef<Size>;

/// The largest rank; more dims are refused everywhere.
inline constexpr unsigned kMaxRank = 16;

/// Two sizes that must be equal, and the message if they are not.
struct SizeFact {
  Size lhs, rhs;
  std::string what;
};

struct ShapeAnswer {
  Dims dims;
  llvm::SmallVector<SizeFact, 1> facts;
  /// The reason why there is no result; empty if there is one.
  std::string problem;
  /// Both operands of a broadcast were expanded: legal, but rarely intended.
  bool bothExpanded = false;

  explicit operator bool() const { return problem.empty(); }
};

/// `dim` counted from the front; nullopt unless -rank <= dim < rank.
std::optional<unsigned> normalizeDim(int64_t dim, size_t rank);

/// The shape of elementwise operands together: they are aligned at the right,
/// and a literal 1 expands.
ShapeAnswer broadcastShapes(llvm::ArrayRef<DimsRef> operands);

/// PyTorch's `@`: vectors are rows or columns, leading dims broadcast.
ShapeAnswer matmulShape(DimsRef lhs, DimsRef rhs);

/// The shape of `input` without `dims` (counted from the front), or with size 1
/// in them if `keepDims`.
ShapeAnswer reduceShape(DimsRef input, llvm::ArrayRef<unsigned> dims,
                        bool keepDims);

/// `permutation[i]` is the operand dim that becomes dim i.
ShapeAnswer permuteShape(DimsRef input, llvm::ArrayRef<int64_t> permutation);

/// The shape `wanted`; one size in it may be -1 and takes the remaining
/// elements.
ShapeAnswer reshapeShape(DimsRef input, DimsRef wanted);

/// The sizes along `dim` are added; the other sizes must agree.
ShapeAnswer concatShape(llvm::ArrayRef<DimsRef> inputs, unsigned dim);

/// `input` with `dim` replaced by the dims of `indices`.
ShapeAnswer gatherShape(DimsRef input, DimsRef indices, unsigned dim);

/// The shape of `lhs`, with the facts that make it equal to `rhs`. Their
/// messages begin with `what`.
ShapeAnswer sameShape(DimsRef lhs, DimsRef rhs, llvm::StringRef what);

/// The product of sizes.
Size numElements(DimsRef dims);

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_SHAPERULES_H
