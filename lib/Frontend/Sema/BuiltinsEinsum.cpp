//===- BuiltinsEinsum.cpp - Einstein's sum --------------------------------===//
//
// The equation is known while compiling. Operands are contracted from left to
// right, two at a time, each pair by one matrix product; a letter that occurs
// twice in one operand is its diagonal.
//
//===----------------------------------------------------------------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Movement.h"
#include "Patterns.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tdc;
using namespace tdc::sema;

namespace {

/// A letter of the equation, or a dim of `...`: negative, counted from the
/// last one.
using Axis = int;
using Axes = llvm::SmallVector<Axis, 8>;

/// A tensor with an axis for each of its dims.
struct Operand {
  Val tensor;
  Axes axes;
};

class Einsum {
public:
  Einsum(Checker &c, const Bound &args)
      : c(c), args(args), equation(args["equation"]) {}

  Val evaluate();

private:
  bool parse(llvm::StringRef text, llvm::ArrayRef<Val> tensors);
  bool parseOperand(llvm::StringRef text, const Val &tensor);
  bool parseOutput(llvm::StringRef text);
  void setImplicitOutput(llvm::StringRef inputs);
  bool takeDiagonals(Operand &operand);
  bool unifySizes();
  void dropOnes(Operand &operand);
  bool isKept(Axis axis, size_t next) const;
  Val arrange(const Operand &operand, llvm::ArrayRef<Axis> wanted);
  bool contractFirstTwo();
  Dims sizesOf(llvm::ArrayRef<Axis> axes) const {
    Dims dims;
    for (Axis axis : axes)
      dims.push_back(sizes.at(axis));
    return dims;
  }
  bool reject(const llvm::Twine &why) {
    rejectPattern(c, equation, args, why);
    return false;
  }

  Checker &c;
  const Bound &args;
  const Val &equation;
  llvm::SmallVector<Operand> operands;
  Axes output;
  std::map<Axis, Size> sizes;
  int dots = 0; ///< the most dims that a `...` covers
};

} // namespace

bool Einsum::parseOperand(llvm::StringRef text, const Val &tensor) {
  if (!c.tensors.isTensor(tensor, args.range(), "`einsum`"))
    return false;
  Operand operand{tensor, {}};
  int rank = typeOf(tensor).dims.size();
  auto mismatch = [&] {
    return reject("`" + text + "` for " + typeText(typeOf(tensor)));
  };
  auto [before, after] = text.split("...");
  bool hasDots = text.contains("...");
  int covered = hasDots ? rank - int(before.size() + after.size()) : 0;
  if (covered < 0 || (!hasDots && rank != int(text.size())))
    return mismatch();
  dots = std::max(dots, covered);
  for (char letter : before)
    operand.axes.push_back(letter);
  for (int i = -covered; i != 0; ++i)
    operand.axes.push_back(i);
  for (char letter : after)
    operand.axes.push_back(letter);
  for (char letter : (before + after).str())
    if (!llvm::isAlpha(letter))
      return reject("`" + llvm::Twine(letter) + "` is no letter");
  operands.push_back(std::move(operand));
  return takeDiagonals(operands.back());
}

/// Replaces two dims of one letter by their diagonal.
bool Einsum::takeDiagonals(Operand &operand) {
  Axes &axes = operand.axes;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto *second = std::find(axes.begin() + i + 1, axes.end(), axes[i]);
    if (second == axes.end())
      continue;
    Axis axis = axes[i];
    MaybeTyped diagonal =
        typed::diagonal(c.tensors.builder, typedOf(operand.tensor), 0, i,
                        second - axes.begin());
    const Dims &dims = typeOf(operand.tensor).dims;
    if (dims[i] != dims[second - axes.begin()] || !diagonal)
      return reject("the sizes of `" + llvm::Twine(char(axis)) + "` differ");
    operand.tensor = c.tensors.fromTyped(*diagonal, operand.tensor);
    axes.erase(second);
    axes.erase(axes.begin() + i);
    axes.push_back(axis);
    --i;
  }
  return true;
}

/// The axes of `...`, then the letters that occur once, in order.
void Einsum::setImplicitOutput(llvm::StringRef inputs) {
  for (int i = -dots; i != 0; ++i)
    output.push_back(i);
  std::string letters = inputs.str();
  llvm::sort(letters);
  for (char letter : letters)
    if (llvm::isAlpha(letter) && inputs.count(letter) == 1)
      output.push_back(letter);
}

bool Einsum::parseOutput(llvm::StringRef text) {
  auto [before, after] = text.split("...");
  for (char letter : before)
    output.push_back(letter);
  if (text.contains("..."))
    for (int i = -dots; i != 0; ++i)
      output.push_back(i);
  for (char letter : after)
    output.push_back(letter);
  for (Axis axis : output)
    if (llvm::count(output, axis) != 1 ||
        llvm::none_of(operands, [&](const Operand &operand) {
          return llvm::is_contained(operand.axes, axis);
        }))
      return reject("the right side does not fit");
  return true;
}

bool Einsum::parse(llvm::StringRef text, llvm::ArrayRef<Val> tensors) {
  auto [inputs, result] = text.split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  inputs.split(parts, ',');
  if (parts.size() != tensors.size())
    return reject(llvm::Twine(parts.size()) + " operands in the pattern, " +
                  llvm::Twine(tensors.size()) + " given");
  for (auto [part, tensor] : llvm::zip(parts, tensors))
    if (!parseOperand(part, tensor))
      return false;
  if (!text.contains("->"))
    setImplicitOutput(inputs);
  else if (!parseOutput(result))
    return false;
  return unifySizes();
}

/// A size of 1 broadcasts.
bool Einsum::unifySizes() {
  for (const Operand &operand : operands)
    for (auto [axis, size] :
         llvm::zip(operand.axes, typeOf(operand.tensor).dims)) {
      auto [entry, isFirst] = sizes.try_emplace(axis, size);
      if (isFirst || size.isConstant(1))
        continue;
      if (entry->second.isConstant(1)) {
        entry->second = size;
        continue;
      }
      ShapeAnswer answer =
          sameShape({entry->second}, {size}, "the sizes differ");
      if (!answer || !c.tensors.prove(answer))
        return reject(answer.problem);
    }
  for (Operand &operand : operands)
    dropOnes(operand);
  return true;
}

/// Removes the dims that broadcast: the operand is as one without them.
void Einsum::dropOnes(Operand &operand) {
  Operand kept{operand.tensor, {}};
  Dims dims;
  for (auto [axis, size] :
       llvm::zip(operand.axes, typeOf(operand.tensor).dims)) {
    if (size.isConstant(1) && !sizes.at(axis).isConstant(1))
      continue;
    kept.axes.push_back(axis);
    dims.push_back(size);
  }
  kept.tensor = c.tensors.reshapeTo(operand.tensor, dims);
  operand = std::move(kept);
}

/// Whether the output or an operand from `next` on has the axis.
bool Einsum::isKept(Axis axis, size_t next) const {
  return llvm::is_contained(output, axis) ||
         llvm::any_of(llvm::ArrayRef(operands).drop_front(next),
                      [&](const Operand &operand) {
                        return llvm::is_contained(operand.axes, axis);
                      });
}

/// The operand with its dims in the order `wanted`. Axes that it lacks get size
/// 1; axes that are not wanted are summed.
Val Einsum::arrange(const Operand &operand, llvm::ArrayRef<Axis> wanted) {
  llvm::SmallVector<unsigned> summed;
  Axes kept;
  for (auto [i, axis] : llvm::enumerate(operand.axes)) {
    if (llvm::is_contained(wanted, axis))
      kept.push_back(axis);
    else
      summed.push_back(i);
  }
  Val tensor = c.tensors.reduceOf(td::ReduceKind::Sum, operand.tensor, summed,
                                  /*keepDims=*/false);
  llvm::SmallVector<int64_t> permutation;
  Dims dims;
  for (Axis axis : wanted) {
    auto *at = llvm::find(kept, axis);
    if (at == kept.end()) {
      dims.push_back(1);
      continue;
    }
    permutation.push_back(at - kept.begin());
    dims.push_back(typeOf(tensor).dims[at - kept.begin()]);
  }
  return c.tensors.reshapeTo(c.tensors.permuteTo(tensor, permutation), dims);
}

bool Einsum::contractFirstTwo() {
  const Operand &first = operands[0], &second = operands[1];
  // batch: in both and kept; shared: in both only; rows and columns: in one.
  Axes batch, shared, rows, columns;
  for (Axis axis : first.axes)
    if (llvm::is_contained(second.axes, axis))
      (isKept(axis, 2) ? batch : shared).push_back(axis);
    else if (isKept(axis, 2))
      rows.push_back(axis);
  for (Axis axis : second.axes)
    if (!llvm::is_contained(first.axes, axis) && isKept(axis, 2))
      columns.push_back(axis);
  auto join = [](llvm::ArrayRef<Axis> a, llvm::ArrayRef<Axis> b,
                 llvm::ArrayRef<Axis> rest) {
    Axes all(a);
    all.append(b.begin(), b.end());
    all.append(rest.begin(), rest.end());
    return all;
  };
  Dims left = sizesOf(batch), right = left;
  left.push_back(numElements(sizesOf(rows)));
  left.push_back(numElements(sizesOf(shared)));
  right.push_back(numElements(sizesOf(shared)));
  right.push_back(numElements(sizesOf(columns)));
  Axes axes = join(batch, rows, columns);
  if (!c.tensors.isWithinRank(std::max(axes.size(), left.size()), args.range()))
    return false;
  Val product = c.tensors.matmulOf(
      c.tensors.reshapeTo(arrange(first, join(batch, rows, shared)), left),
      c.tensors.reshapeTo(arrange(second, join(batch, shared, columns)), right),
      args.range());
  if (product.isError())
    return false;
  operands[1] = {c.tensors.reshapeTo(product, sizesOf(axes)), axes};
  operands.erase(operands.begin());
  return true;
}

Val Einsum::evaluate() {
  auto pattern = c.host.requireStr(equation, "a pattern");
  if (!pattern)
    return c.fail();
  std::string text;
  for (char letter : *pattern)
    if (letter != ' ')
      text += letter;
  Vals tensors = listOf(args.rest());
  if (!c.places.samePlace(tensors, args.range()) || !parse(text, tensors))
    return c.fail();
  while (operands.size() > 1)
    if (!contractFirstTwo())
      return c.fail();
  Val result = arrange(operands[0], output);
  return c.tensors.broadcastTo(result, sizesOf(output));
}

static Val einsum(Checker &c, const Bound &args) {
  return Einsum(c, args).evaluate();
}

llvm::ArrayRef<Builtin> sema::getEinsumBuiltins() {
  static const Builtin table[] = {
      {"einsum", "equation, *tensors", einsum, Shares::Kept}};
  return table;
}
