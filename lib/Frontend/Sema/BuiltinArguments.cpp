//===- BuiltinArguments.cpp - shared by the arguments of builtins ---------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/ADT/StringSwitch.h"
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

/// The dtype that NumPy and PyTorch give this name; empty if none.
static llvm::StringRef findDTypeName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"float32", "float", "f32"}, "f32")
      .Cases({"float64", "double", "f64"}, "f64")
      .Cases({"float16", "half", "f16"}, "f16")
      .Cases({"bfloat16", "bf16"}, "bf16")
      .Cases({"int64", "long", "int", "i64"}, "i64")
      .Cases({"int32", "i32"}, "i32")
      .Cases({"int16", "i16"}, "i16")
      .Cases({"int8", "i8"}, "i8")
      .Cases({"uint8", "u8"}, "u8")
      .Cases({"uint16", "u16"}, "u16")
      .Cases({"uint32", "u32"}, "u32")
      .Cases({"uint64", "u64"}, "u64")
      .Case("bool", "bool")
      .Default("");
}

std::optional<DType> sema::takeDType(Checker &c, const Val &given) {
  std::optional<DType> dtype = Types::asDType(given);
  if (dtype)
    return dtype;
  Diagnostic &report =
      c.error(DiagCode::TD303, given.range,
              "`dtype=` takes a dtype, not " + describe(given));
  llvm::StringRef own =
      given.is(ValKind::Str) && given.known ? findDTypeName(textOf(given)) : "";
  if (!own.empty())
    report.fix(FixIt::Safe, "`" + own + "`", {{given.range, own.str()}});
  return std::nullopt;
}

static Val &argument(Bound &args, llvm::StringRef name) {
  auto *found = llvm::find_if(
      args.named, [&](const auto &entry) { return entry.first == name; });
  return found->second;
}

std::optional<Bound> sema::asRow(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!input.is(ValKind::Tensor) || !typeOf(input).dims.empty())
    return std::nullopt;
  Vals dims = listOf(args.rest());
  for (auto &[name, val] : args.named) {
    // The second argument of `max` and `min` may be a dim.
    if (!name.starts_with("dim") && name != "other")
      continue;
    Vals own = listOf(val);
    dims.append(own.begin(), own.end());
  }
  bool areDims = llvm::all_of(dims, [&](const Val &dim) {
    auto number = dim.is(ValKind::Int) ? c.host.constantInt(dim) : std::nullopt;
    return number && (*number == 0 || *number == -1);
  });
  if (dims.empty() || !areDims)
    return std::nullopt;
  Bound row = args;
  Val &tensor = argument(row, "input");
  tensor = c.tensors.reshapeTo(tensor, {Size(1)});
  return row;
}

Val sema::dropRow(Checker &c, const Val &result) {
  if (result.is(ValKind::Tuple)) {
    Vals parts;
    for (const Val &part : elementsOf(result))
      parts.push_back(dropRow(c, part));
    return makeSequence(ValKind::Tuple, std::move(parts));
  }
  if (!result.is(ValKind::Tensor))
    return result;
  if (!numElements(typeOf(result).dims).isConstant(1)) {
    c.error(DiagCode::TD401, c.here,
            "a tensor without dims has one element along a dim");
    return c.fail();
  }
  return c.tensors.reshapeTo(result, {});
}

Val sema::computeInDType(Checker &c, const Bound &args,
                         BuiltinHandler handler) {
  const Val *dtype = args.find("dtype");
  if (!dtype || dtype->is(ValKind::None))
    return handler(c, args);
  std::optional<DType> given = takeDType(c, *dtype);
  Bound converted = args;
  Val &input = argument(converted, "input");
  if (!given || !c.tensors.isTensor(input, args.range(), args.what()))
    return c.fail();
  input = c.tensors.castTo(input, *given);
  // Small integers are summed in i64.
  Val result = handler(c, converted);
  return result.isError() ? result : c.tensors.castTo(result, *given);
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
