//===- BuiltinsPatterns.cpp - rearrange ----------------------------------===//
//
// Patterns are known while compiling, so they become reshapes and permutes, and
// their mistakes are errors of the program.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Characters.h"
#include "Patterns.h"
#include "tdc_text.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

bool sema::parseSide(llvm::StringRef text,
                     llvm::SmallVectorImpl<AxisGroup> &groups,
                     std::string &problem) {
  bool inGroup = false;
  while (!(text = text.ltrim()).empty()) {
    if (text.consume_front("(")) {
      if (inGroup) {
        problem = "parentheses do not nest";
        return false;
      }
      inGroup = true;
      groups.emplace_back();
    } else if (text.consume_front(")")) {
      if (!inGroup) {
        problem = "a `)` without a `(`";
        return false;
      }
      inGroup = false;
    } else {
      llvm::StringRef word = text.take_while(isNameChar);
      if (word.empty()) {
        problem = "`" + text.take_front(1).str() + "` has no meaning here";
        return false;
      }
      text = text.drop_front(word.size());
      if (llvm::isDigit(word[0]) && word != "1") {
        problem = "`" + word.str() + "` is not a name";
        return false;
      }
      if (!inGroup)
        groups.emplace_back();
      if (word != "1")
        groups.back().push_back(word);
    }
  }
  if (inGroup)
    problem = "a `(` is not closed";
  return !inGroup;
}

Val sema::rejectPattern(Checker &c, const Val &pattern, const Bound &args,
                        const llvm::Twine &why) {
  c.error(DiagCode::TD409,
          pattern.range.isValid() ? pattern.range : args.range(),
          "the pattern does not fit")
      .label(why);
  return Val();
}

/// Computes the sizes of the axes on the left side: given by keyword, or
/// inferred.
static bool solveAxes(Checker &c, const TensorType &type,
                      llvm::ArrayRef<AxisGroup> left,
                      llvm::StringMap<Size> &sizes, std::string &problem) {
  if (left.size() != type.dims.size()) {
    problem = "the left side has " + countOf(left.size(), "dim") +
              ", the tensor is " + typeText(type);
    return false;
  }
  llvm::StringMap<bool> seen;
  for (auto [group, size] : llvm::zip(left, type.dims)) {
    Size known = 1;
    llvm::StringRef open;
    for (llvm::StringRef axis : group) {
      if (!seen.try_emplace(axis, true).second) {
        problem = "`" + axis.str() + "` is twice on the left side";
        return false;
      }
      auto given = sizes.find(axis);
      if (given != sizes.end()) {
        known = known * given->second;
      } else if (open.empty()) {
        open = axis;
      } else {
        problem = "the sizes of `" + open.str() + "` and `" + axis.str() +
                  "` are both open";
        return false;
      }
    }
    if (!open.empty()) {
      if (known.isConstant(0)) {
        problem = "a size of 0 leaves another one open";
        return false;
      }
      sizes[open] = Size::floorDiv(size, known);
      known = known * sizes[open];
    }
    ShapeAnswer answer = sameShape({size}, {known}, "the sizes differ");
    if (!answer || !c.tensors.prove(answer)) {
      problem = answer.problem;
      return false;
    }
  }
  return true;
}

static Val rearrange(Checker &c, const Bound &args) {
  llvm::ArrayRef<Val> given = args.call.positional;
  if (given.size() != 2 ||
      !c.tensors.isTensor(given[0], args.range(), "`rearrange`")) {
    if (given.size() != 2)
      c.error(DiagCode::TD205, args.range(),
              "`rearrange` takes a tensor and a pattern");
    return c.fail();
  }
  auto pattern = c.host.requireStr(given[1], "a pattern");
  if (!pattern)
    return c.fail();
  auto [leftText, rightText] = pattern->split("->");
  llvm::SmallVector<AxisGroup> left, right;
  std::string problem;
  if (!pattern->contains("->"))
    return rejectPattern(c, given[1], args, "`->` is missing");
  if (!parseSide(leftText, left, problem) ||
      !parseSide(rightText, right, problem))
    return rejectPattern(c, given[1], args, problem);
  llvm::StringMap<Size> sizes;
  for (const auto &keyword : args.call.keywords) {
    if (!keyword.val.is(ValKind::Int)) {
      c.error(DiagCode::TD303, keyword.val.range, "a size is an int");
      return c.fail();
    }
    sizes[keyword.name.text] = keyword.val.size;
  }
  if (!solveAxes(c, typeOf(given[0]), left, sizes, problem))
    return rejectPattern(c, given[1], args, problem);
  // Split the dims, reorder the axes, join them again.
  llvm::SmallVector<llvm::StringRef> order;
  Dims split, joined;
  for (const AxisGroup &group : left)
    for (llvm::StringRef axis : group) {
      order.push_back(axis);
      split.push_back(sizes[axis]);
    }
  llvm::SmallVector<int64_t> permutation;
  for (const AxisGroup &group : right) {
    Size size = 1;
    for (llvm::StringRef axis : group) {
      auto *found = llvm::find(order, axis);
      if (found == order.end())
        return rejectPattern(c, given[1], args,
                             "`" + axis + "` is not on the left side");
      int64_t index = found - order.begin();
      if (llvm::is_contained(permutation, index))
        return rejectPattern(c, given[1], args,
                             "`" + axis + "` is twice on the right side");
      permutation.push_back(index);
      size = size * sizes[axis];
    }
    joined.push_back(size);
  }
  if (permutation.size() != order.size())
    return rejectPattern(c, given[1], args,
                         "an axis of the left side is not on the right side");
  if (split.size() > kMaxRank || joined.size() > kMaxRank)
    return rejectPattern(c, given[1], args, "more than 16 dims");
  Val result =
      c.tensors.permuteTo(c.tensors.reshapeTo(given[0], split), permutation);
  return c.tensors.reshapeTo(result, joined);
}

llvm::ArrayRef<Builtin> sema::getPatternBuiltins() {
  static const Builtin table[] = {
      {"rearrange", "**", rearrange, Shares::Kept},
  };
  return table;
}
