//===- BuiltinsPatterns.cpp - rearrange and einsum ------------------------===//
//
// Patterns are known while compiling, so they become reshapes, permutes and
// matrix products, and their mistakes are errors of the program.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Patterns.h"
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
      llvm::StringRef word =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
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

static Val reject(Checker &c, const Val &pattern, const Bound &args,
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
    problem = "the left side has " + std::to_string(left.size()) +
              " dims, the tensor is " + typeText(type);
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
    return reject(c, given[1], args, "`->` is missing");
  if (!parseSide(leftText, left, problem) ||
      !parseSide(rightText, right, problem))
    return reject(c, given[1], args, problem);
  llvm::StringMap<Size> sizes;
  for (const auto &keyword : args.call.keywords) {
    if (!keyword.val.is(ValKind::Int)) {
      c.error(DiagCode::TD303, keyword.val.range, "a size is an int");
      return c.fail();
    }
    sizes[keyword.name.text] = keyword.val.size;
  }
  if (!solveAxes(c, typeOf(given[0]), left, sizes, problem))
    return reject(c, given[1], args, problem);
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
        return reject(c, given[1], args,
                      "`" + axis + "` is not on the left side");
      int64_t index = found - order.begin();
      if (llvm::is_contained(permutation, index))
        return reject(c, given[1], args,
                      "`" + axis + "` is twice on the right side");
      permutation.push_back(index);
      size = size * sizes[axis];
    }
    joined.push_back(size);
  }
  if (permutation.size() != order.size())
    return reject(c, given[1], args,
                  "an axis of the left side is not on the right side");
  if (split.size() > kMaxRank || joined.size() > kMaxRank)
    return reject(c, given[1], args, "more than 16 dims");
  Val result =
      c.tensors.permuteTo(c.tensors.reshapeTo(given[0], split), permutation);
  return c.tensors.reshapeTo(result, joined);
}

/// One operand of an einsum with its dims in the order `wanted`. Dims that it
/// lacks get size 1; dims that are not in `wanted` are summed.
static Val arrange(Checker &c, Val tensor, std::string letters,
                   llvm::StringRef wanted) {
  llvm::SmallVector<unsigned> summed;
  std::string kept;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    if (wanted.contains(letter))
      kept += letter;
    else
      summed.push_back(i);
  }
  tensor = c.tensors.reduceOf(td::ReduceKind::Sum, tensor, summed, false);
  llvm::SmallVector<int64_t> permutation;
  Dims dims;
  for (char letter : wanted) {
    size_t at = kept.find(letter);
    if (at == std::string::npos) {
      dims.push_back(1);
      continue;
    }
    permutation.push_back(at);
    dims.push_back(typeOf(tensor).dims[at]);
  }
  return c.tensors.reshapeTo(c.tensors.permuteTo(tensor, permutation), dims);
}

static Val einsum(Checker &c, const Bound &args) {
  auto pattern = c.host.requireStr(args["equation"], "a pattern");
  if (!pattern)
    return c.fail();
  const Val &equation = args["equation"];
  std::string text;
  for (char letter : *pattern)
    if (letter != ' ')
      text += letter;
  llvm::StringRef whole(text);
  auto [inputs, output] = whole.split("->");
  if (!whole.contains("->"))
    return reject(c, equation, args, "`->` is missing");
  llvm::SmallVector<llvm::StringRef> parts;
  inputs.split(parts, ',');
  llvm::ArrayRef<Val> tensors = args.rest();
  if (parts.size() != tensors.size())
    return reject(c, equation, args,
                  llvm::Twine(parts.size()) + " operands in the pattern, " +
                      llvm::Twine(tensors.size()) + " given");
  if (tensors.size() > 2)
    return c.unsupported(args.range(), "`einsum` of more than two tensors");
  llvm::StringMap<Size> sizes;
  for (auto [part, tensor] : llvm::zip(parts, tensors)) {
    if (!c.tensors.isTensor(tensor, args.range(), "`einsum`"))
      return c.fail();
    const Dims &dims = typeOf(tensor).dims;
    if (part.size() != dims.size())
      return reject(c, equation, args,
                    "`" + part + "` for " + typeText(typeOf(tensor)));
    for (auto [i, letter] : llvm::enumerate(part)) {
      if (!llvm::isAlpha(letter) || part.count(letter) != 1)
        return reject(c, equation, args, "`" + part + "` is not supported");
      auto [entry, fresh] =
          sizes.try_emplace(llvm::StringRef(&part.data()[i], 1), dims[i]);
      ShapeAnswer answer =
          sameShape({entry->second}, {dims[i]}, "the sizes differ");
      if (!fresh && (!answer || !c.tensors.prove(answer)))
        return reject(c, equation, args, answer.problem);
    }
  }
  for (char letter : output)
    if (!inputs.contains(letter) || output.count(letter) != 1)
      return reject(c, equation, args, "the right side does not fit");
  if (tensors.size() == 1)
    return arrange(c, tensors[0], parts[0].str(), output);
  // batch: in both and the result; shared: in both only; own: in one.
  std::string batch, shared, rows, columns;
  for (char letter : parts[0])
    if (parts[1].contains(letter))
      (output.contains(letter) ? batch : shared) += letter;
    else if (output.contains(letter))
      rows += letter;
  for (char letter : parts[1])
    if (!parts[0].contains(letter) && output.contains(letter))
      columns += letter;
  auto product = [&](llvm::StringRef letters) {
    Dims dims;
    for (size_t i = 0; i != letters.size(); ++i)
      dims.push_back(sizes[letters.substr(i, 1)]);
    return dims;
  };
  Dims batchDims = product(batch);
  Dims leftDims = batchDims, rightDims = batchDims, wide = batchDims;
  leftDims.push_back(numElements(product(rows)));
  leftDims.push_back(numElements(product(shared)));
  rightDims.push_back(numElements(product(shared)));
  rightDims.push_back(numElements(product(columns)));
  Val left = arrange(c, tensors[0], parts[0].str(), batch + rows + shared);
  Val right = arrange(c, tensors[1], parts[1].str(), batch + shared + columns);
  Val result =
      c.tensors.matmulOf(c.tensors.reshapeTo(left, leftDims),
                         c.tensors.reshapeTo(right, rightDims), args.range());
  if (result.isError())
    return result;
  wide.append(product(rows));
  wide.append(product(columns));
  return arrange(c, c.tensors.reshapeTo(result, wide), batch + rows + columns,
                 output);
}

llvm::ArrayRef<Builtin> sema::getPatternBuiltins() {
  static const Builtin table[] = {
      {"rearrange", "**", rearrange},
      {"einsum", "equation, *tensors", einsum},
  };
  return table;
}
