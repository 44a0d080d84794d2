//===- ShapeRules.h - the result shape of each op family ------------------===//
//
// One function per family, without MLIR: the checker calls them with symbolic
// sizes and tells the author what they say, the verifiers call them with fresh
// variables for `?`. A rule answers with a shape, with facts that it could not
// decide (to be checked once at run time), or with a problem in words.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_SHAPERULES_H
#define TDC_DIALECT_TD_OPTABLE_SHAPERULES_H

#include "Dialect/TD/OpTable/Size.h"

namespace tdc {

using Dims = llvm::SmallVector<Size, 4>;
using DimsRef = llvm::ArrayRef<Size>;

/// More dims than this are refused everywhere.
inline constexpr unsigned kMaxRank = 16;

/// Two sizes that must agree, and what to say when they do not.
struct SizeFact {
  Size lhs, rhs;
  std::string what;
};

struct ShapeAnswer {
  Dims dims;
  llvm::SmallVector<SizeFact, 1> facts;
  /// Why there is no result; empty if there is one.
  std::string problem;
  /// Both operands of a broadcast were expanded: legal, and rarely meant.
  bool bothExpanded = false;

  explicit operator bool() const { return problem.empty(); }
};

/// `dim` counted from the front; nullopt unless -rank <= dim < rank.
std::optional<unsigned> normalizeDim(int64_t dim, size_t rank);

/// Elementwise operands, aligned at the right; a literal 1 expands.
ShapeAnswer broadcastShapes(llvm::ArrayRef<DimsRef> operands);

/// PyTorch's `@`: vectors are rows or columns, leading dims broadcast.
ShapeAnswer matmulShape(DimsRef lhs, DimsRef rhs);

/// The dims named (counted from the front) are removed, or become 1.
ShapeAnswer reduceShape(DimsRef input, llvm::ArrayRef<unsigned> dims,
                        bool keepDims);

/// `permutation[i]` is the operand dim that becomes dim i.
ShapeAnswer permuteShape(DimsRef input, llvm::ArrayRef<int64_t> permutation);

/// One of `wanted` may be -1: it takes what is left.
ShapeAnswer reshapeShape(DimsRef input, DimsRef wanted);

/// Sizes along `dim` add up, the others agree.
ShapeAnswer concatShape(llvm::ArrayRef<DimsRef> inputs, unsigned dim);

/// `input` with `dim` replaced by the dims of `indices`.
ShapeAnswer gatherShape(DimsRef input, DimsRef indices, unsigned dim);

/// The shape of `indices`, which agrees with `input` but along `dim`.
ShapeAnswer gatherAlongShape(DimsRef input, DimsRef indices, unsigned dim);

/// Facts that make two shapes equal; `what` names them in messages.
ShapeAnswer sameShape(DimsRef lhs, DimsRef rhs, llvm::StringRef what);

/// The product of sizes.
Size numElements(DimsRef dims);

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_SHAPERULES_H
