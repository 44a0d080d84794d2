//===- ShapeRules.cpp - the result shape of each op family ----------------===//

#include "Dialect/TD/OpTable/ShapeRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

static ShapeAnswer fail(std::string problem) {
  ShapeAnswer answer;
  answer.problem = std::move(problem);
  return answer;
}

/// Requires two sizes to be equal: adds nothing, a fact to check, or a problem.
static void requireEqual(ShapeAnswer &answer, const Size &lhs, const Size &rhs,
                         const std::string &what) {
  switch (compare(lhs, rhs)) {
  case SizeRelation::Equal:
    return;
  case SizeRelation::Undecided:
    answer.facts.push_back({lhs, rhs, what});
    return;
  case SizeRelation::Different:
    if (answer)
      answer.problem = what + ": " + lhs.str() + " and " + rhs.str();
    return;
  }
}

std::optional<unsigned> tdc::normalizeDim(int64_t dim, size_t rank) {
  int64_t size = static_cast<int64_t>(rank);
  if (dim < -size || dim >= size)
    return std::nullopt;
  return static_cast<unsigned>(dim < 0 ? dim + size : dim);
}

Size tdc::numElements(DimsRef dims) {
  Size product = 1;
  for (const Size &size : dims)
    product = product * size;
  return product;
}

ShapeAnswer tdc::broadcastShapes(llvm::ArrayRef<DimsRef> operands) {
  size_t rank = 0;
  for (DimsRef dims : operands)
    rank = std::max(rank, dims.size());
  ShapeAnswer answer;
  answer.dims.assign(rank, Size(1));
  llvm::SmallVector<bool, 4> expanded(operands.size(), false);
  for (size_t fromRight = 1; fromRight <= rank; ++fromRight) {
    Size &result = answer.dims[rank - fromRight];
    for (DimsRef dims : operands) {
      if (fromRight > dims.size())
        continue;
      const Size &size = dims[dims.size() - fromRight];
      if (size.isConstant(1))
        continue;
      if (!result.isConstant(1))
        requireEqual(answer, result, size,
                     "the sizes of dim -" + std::to_string(fromRight) +
                         " differ");
      // Of two equal sizes, take the known one.
      if (result.isConstant(1) || size.isConstant())
        result = size;
    }
    if (result.isConstant(1))
      continue;
    for (auto [dims, flag] : llvm::zip(operands, expanded))
      if (fromRight > dims.size() ||
          dims[dims.size() - fromRight].isConstant(1))
        flag = flag || (!dims.empty() && rank > 1);
  }
  // [N, 1] with [M]: the first operand is repeated along its columns, the
  // second along new rows. If both have all dims, as in [N, 1] with [1, M], the
  // author wrote the 1.
  if (operands.size() == 2 && expanded[0] && expanded[1] &&
      operands[0].size() != operands[1].size())
    answer.bothExpanded = true;
  return answer;
}

ShapeAnswer tdc::matmulShape(DimsRef lhs, DimsRef rhs) {
  if (lhs.empty() || rhs.empty())
    return fail("a 0-d tensor has no matrix product, use `*`");
  ShapeAnswer answer;
  const Size &inner = rhs.size() == 1 ? rhs[0] : rhs[rhs.size() - 2];
  if (compare(lhs.back(), inner) == SizeRelation::Different)
    return fail("needs " + inner.str() + " features, gets " + lhs.back().str());
  requireEqual(answer, lhs.back(), inner, "the inner sizes of `@` differ");
  DimsRef leftBatch = lhs.drop_back(std::min<size_t>(2, lhs.size()));
  DimsRef rightBatch = rhs.drop_back(std::min<size_t>(2, rhs.size()));
  ShapeAnswer batch = broadcastShapes({leftBatch, rightBatch});
  if (!batch)
    return fail("the leading dims differ: " + batch.problem);
  answer.facts.append(batch.facts);
  answer.dims = batch.dims;
  if (lhs.size() > 1)
    answer.dims.push_back(lhs[lhs.size() - 2]);
  if (rhs.size() > 1)
    answer.dims.push_back(rhs.back());
  return answer;
}

ShapeAnswer tdc::reduceShape(DimsRef input, llvm::ArrayRef<unsigned> dims,
                             bool keepDims) {
  ShapeAnswer answer;
  for (unsigned i = 0; i != input.size(); ++i) {
    if (!llvm::is_contained(dims, i))
      answer.dims.push_back(input[i]);
    else if (keepDims)
      answer.dims.push_back(1);
  }
  return answer;
}

ShapeAnswer tdc::permuteShape(DimsRef input,
                              llvm::ArrayRef<int64_t> permutation) {
  ShapeAnswer answer;
  llvm::SmallVector<bool, 4> used(input.size(), false);
  if (permutation.size() != input.size())
    return fail("needs " + std::to_string(input.size()) + " dims, gets " +
                std::to_string(permutation.size()));
  for (int64_t dim : permutation) {
    std::optional<unsigned> index = normalizeDim(dim, input.size());
    if (!index)
      return fail("there is no dim " + std::to_string(dim));
    if (used[*index])
      return fail("dim " + std::to_string(dim) + " is named twice");
    used[*index] = true;
    answer.dims.push_back(input[*index]);
  }
  return answer;
}

ShapeAnswer tdc::reshapeShape(DimsRef input, DimsRef wanted) {
  ShapeAnswer answer;
  Size total = numElements(input), known = 1;
  std::optional<size_t> open;
  for (auto [index, size] : llvm::enumerate(wanted)) {
    answer.dims.push_back(size);
    if (!size.isConstant()) {
      known = known * size;
    } else if (size.getConstant() == -1) {
      if (open)
        return fail("only one size may be -1");
      open = index;
    } else if (size.getConstant() < 0) {
      return fail("a size cannot be " + size.str());
    } else {
      known = known * size;
    }
  }
  std::string what = "the numbers of elements differ";
  if (!open) {
    requireEqual(answer, total, known, what);
    return answer;
  }
  if (known.isConstant(0))
    return fail("-1 is ambiguous next to a size of 0");
  Size &rest = answer.dims[*open];
  rest = Size::floorDiv(total, known);
  requireEqual(answer, total, known * rest, what);
  return answer;
}

ShapeAnswer tdc::concatShape(llvm::ArrayRef<DimsRef> inputs, unsigned dim) {
  ShapeAnswer answer;
  answer.dims.assign(inputs[0].begin(), inputs[0].end());
  for (DimsRef input : inputs.drop_front()) {
    if (input.size() != answer.dims.size())
      return fail("the numbers of dims differ: " + spelling(answer.dims) +
                  " and " + spelling(input));
    for (unsigned i = 0; i != input.size(); ++i) {
      if (i == dim)
        answer.dims[i] = answer.dims[i] + input[i];
      else
        requireEqual(answer, answer.dims[i], input[i],
                     "the sizes of dim " + std::to_string(i) + " differ");
    }
  }
  return answer;
}

ShapeAnswer tdc::gatherShape(DimsRef input, DimsRef indices, unsigned dim) {
  ShapeAnswer answer;
  answer.dims.append(input.begin(), input.begin() + dim);
  answer.dims.append(indices.begin(), indices.end());
  answer.dims.append(input.begin() + dim + 1, input.end());
  if (answer.dims.size() > kMaxRank)
    return fail("the result would have more than 16 dims");
  return answer;
}

ShapeAnswer tdc::sameShape(DimsRef lhs, DimsRef rhs, llvm::StringRef what) {
  if (lhs.size() != rhs.size())
    return fail(what.str() + ": " + spelling(lhs) + " and " + spelling(rhs));
  ShapeAnswer answer;
  answer.dims.assign(lhs.begin(), lhs.end());
  for (auto [a, b] : llvm::zip(lhs, rhs))
    requireEqual(answer, a, b, what.str());
  return answer;
}
