//===- BuiltinArguments.cpp - shared by the arguments of builtins ---------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/Support/MathExtras.h"

using namespace tdc;
using namespace tdc::sema;

Vals sema::listOf(llvm::ArrayRef<Val> given) {
  if (given.size() == 1 &&
      (given[0].is(ValKind::Tuple) || given[0].is(ValKind::List)))
    given = elementsOf(given[0]);
  return Vals(given.begin(), given.end());
}

std::optional<int64_t> sema::takeInt(Checker &c, const Val &given,
                                     llvm::StringRef what) {
  auto number = c.host.requireInt(given, what);
  if (number && !llvm::isInt<32>(*number)) {
    c.error(DiagCode::TD222, given.range.isValid() ? given.range : c.here,
            what + " of " + llvm::Twine(*number) +
                " is larger than any tensor");
    return std::nullopt;
  }
  return number;
}

void sema::reportCount(Checker &c, SourceRange range, llvm::StringRef what,
                       size_t count, size_t given) {
  std::string taken =
      count == 1 ? "one number"
                 : "a number, or " + std::to_string(count) + " of them";
  c.error(DiagCode::TD222, range,
          what + " is " + taken + ", not " + llvm::Twine(given));
}

std::optional<llvm::SmallVector<int64_t>>
sema::takeInts(Checker &c, const Val *given, int64_t missing, size_t count,
               llvm::StringRef what) {
  llvm::SmallVector<int64_t> numbers(count, missing);
  if (!given || given->is(ValKind::None))
    return numbers;
  if (!given->is(ValKind::Tuple) && !given->is(ValKind::List)) {
    auto number = takeInt(c, *given, what);
    if (!number)
      return std::nullopt;
    numbers.assign(count, *number);
    return numbers;
  }
  llvm::ArrayRef<Val> elements = elementsOf(*given);
  if (elements.size() != count && elements.size() != 1) {
    reportCount(c, given->range, what, count, elements.size());
    return std::nullopt;
  }
  for (auto [i, number] : llvm::enumerate(numbers)) {
    auto known = takeInt(c, elements[elements.size() == 1 ? 0 : i], what);
    if (!known)
      return std::nullopt;
    number = *known;
  }
  return numbers;
}

Typed sema::addBatch(Checker &c, const Typed &tensor) {
  Dims dims = tensor.type.dims;
  dims.insert(dims.begin(), Size(1));
  return typed::reshape(c.tensors.builder, tensor, dims);
}

Typed sema::dropBatch(Checker &c, const Typed &tensor) {
  return typed::reshape(c.tensors.builder, tensor,
                        DimsRef(tensor.type.dims).drop_front());
}
