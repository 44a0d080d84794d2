//===- BuiltinsFactories.cpp - functions that make tensors ----------------===//
//
// Without `device=` a tensor is made on the ambient device (Places.cpp).
// `zeros()` without sizes takes its type from the annotation around it.
//
//===----------------------------------------------------------------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Constructors.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;

/// A list of sizes, given one by one or as one tuple or list.
static bool takeSizes(Checker &c, llvm::ArrayRef<Val> given, SourceRange range,
                      Dims &dims) {
  Vals sizes(given.begin(), given.end());
  if (sizes.size() == 1 &&
      (sizes[0].is(ValKind::Tuple) || sizes[0].is(ValKind::List)))
    sizes.assign(elementsOf(given[0]).begin(), elementsOf(given[0]).end());
  for (const Val &size : sizes) {
    if (!size.is(ValKind::Int)) {
      reportSize(c, size, size.range.isValid() ? size.range : range);
      return false;
    }
    if (!c.tensors.requireSize(size.size,
                               size.range.isValid() ? size.range : range))
      return false;
    dims.push_back(size.size);
  }
  return c.tensors.isWithinRank(dims.size(), range);
}

/// Sizes, dtype and place of a factory's result.
static std::optional<std::pair<TensorType, SourceRange>>
factoryType(Checker &c, const Bound &args, llvm::ArrayRef<Val> sizes,
            DType otherwise) {
  TensorType type;
  type.dtype = otherwise;
  bool fromContext = sizes.empty() && args.call.expected &&
                     c.types.isTensorType(*args.call.expected);
  if (fromContext) {
    std::optional<TensorType> expected =
        c.types.tensorFromType(*args.call.expected, false);
    if (!expected)
      return std::nullopt;
    type = *expected;
    for (const Size &size : type.dims)
      if (!c.tensors.requireSize(size, args.range()))
        return std::nullopt;
    if (type.place.kind != Place::Kind::Free) {
      c.devices.checkDeviceExists(type.place, args.range());
      return std::make_pair(type, args.range());
    }
  } else if (!takeSizes(c, sizes, args.range(), type.dims)) {
    return std::nullopt;
  }
  if (const Val *dtype = args.find("dtype");
      dtype && !dtype->is(ValKind::None)) {
    std::optional<DType> given = takeDType(c, *dtype);
    if (!given)
      return std::nullopt;
    type.dtype = *given;
  }
  auto [place, placed] =
      c.places.factoryPlace(args.find("device"), args.range());
  type.place = place;
  return std::make_pair(type, placed);
}

static Val filled(Checker &c, const Bound &args, double value) {
  auto type = factoryType(c, args, args.rest(), DType::F32);
  if (!type)
    return c.fail();
  return c.tensors.fillTensor(isFloat(type->first.dtype)
                                  ? makeFloat(value)
                                  : makeInt(static_cast<int64_t>(value)),
                              type->first, type->second);
}

static Val zeros(Checker &c, const Bound &args) { return filled(c, args, 0); }
static Val ones(Checker &c, const Bound &args) { return filled(c, args, 1); }

/// The dtype of a host scalar as a tensor, as in PyTorch.
static DType dtypeOfScalar(const Val &val) {
  return val.is(ValKind::Bool)  ? DType::Bool
         : val.is(ValKind::Int) ? DType::I64
                                : DType::F32;
}

static bool isFillValue(Checker &c, const Val &value, llvm::StringRef what) {
  if (value.isHostScalar())
    return true;
  c.error(DiagCode::TD303, value.range,
          what + " takes a number, not " + describe(value));
  return false;
}

static Val filledWith(Checker &c, const Val &value, const TensorType &type,
                      SourceRange placed) {
  if (!c.tensors.takesFloat(value, type.dtype, value.range))
    return c.fail();
  return c.tensors.fillTensor(value, type, placed);
}

static Val full(Checker &c, const Bound &args) {
  const Val &value = args["fill_value"];
  if (!isFillValue(c, value, "`full`"))
    return c.fail();
  auto type = factoryType(c, args, {args["size"]}, dtypeOfScalar(value));
  return type ? filledWith(c, value, type->first, type->second) : c.fail();
}

//===----------------------------------------------------------------------===//
// Like another tensor
//===----------------------------------------------------------------------===//

/// The type of `input` with `dtype=` and `device=`, and where it was placed.
static std::optional<std::pair<TensorType, SourceRange>>
likeType(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()))
    return std::nullopt;
  TensorType type = typeOf(input);
  SourceRange placed = input.as<TensorInfo>().placed;
  if (const Val *dtype = args.find("dtype");
      dtype && !dtype->is(ValKind::None)) {
    auto given = takeDType(c, *dtype);
    if (!given)
      return std::nullopt;
    type.dtype = *given;
  }
  if (const Val *device = args.find("device"))
    std::tie(type.place, placed) = c.places.factoryPlace(device, args.range());
  return std::make_pair(type, placed);
}

static Val filledLike(Checker &c, const Bound &args, const Val &value) {
  auto type = likeType(c, args);
  return type ? c.tensors.fillTensor(value, type->first, type->second)
              : c.fail();
}
static Val zerosLike(Checker &c, const Bound &args) {
  return filledLike(c, args, makeInt(0));
}
static Val onesLike(Checker &c, const Bound &args) {
  return filledLike(c, args, makeInt(1));
}
static Val fullLike(Checker &c, const Bound &args) {
  const Val &value = args["fill_value"];
  if (!isFillValue(c, value, args.what()))
    return c.fail();
  auto type = likeType(c, args);
  return type ? filledWith(c, value, type->first, type->second) : c.fail();
}

/// `likeType` with other sizes.
static std::optional<std::pair<TensorType, SourceRange>>
newType(Checker &c, const Bound &args, llvm::ArrayRef<Val> sizes) {
  auto type = likeType(c, args);
  if (!type)
    return std::nullopt;
  type->first.dims.clear();
  if (!takeSizes(c, sizes, args.range(), type->first.dims))
    return std::nullopt;
  return type;
}

template <int64_t value> static Val newFilled(Checker &c, const Bound &args) {
  auto type = newType(c, args, args.rest());
  return type ? c.tensors.fillTensor(makeInt(value), type->first, type->second)
              : c.fail();
}
static Val newFull(Checker &c, const Bound &args) {
  const Val &value = args["fill_value"];
  if (!isFillValue(c, value, args.what()))
    return c.fail();
  auto type = newType(c, args, args["size"]);
  return type ? filledWith(c, value, type->first, type->second) : c.fail();
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

static Val randomTensor(Checker &c, SourceRange range, const TensorType &type,
                        td::Distribution distribution,
                        llvm::ArrayRef<Value> bounds, SourceRange placed) {
  bool floats = distribution == td::Distribution::Uniform ||
                distribution == td::Distribution::Normal;
  if (floats != isFloat(type.dtype) || type.dtype == DType::Bool) {
    c.error(DiagCode::TD304, range,
            "these random numbers cannot be " + tdc::spelling(type.dtype));
    return c.fail();
  }
  // Permutations are drawn as i64 and cast.
  TensorType made = type;
  if (distribution == td::Distribution::Permutation)
    made.dtype = DType::I64;
  Typed drawn = c.dataParallel.random(distribution, bounds, made);
  return c.tensors.castTo(makeTensor(made, drawn.value, placed), type.dtype);
}

static Val randomOf(Checker &c, const Bound &args,
                    td::Distribution distribution) {
  if (args.has("generator"))
    return c.unsupported(args["generator"].range, "`generator=`");
  auto type = factoryType(c, args, args.rest(), DType::F32);
  return type ? randomTensor(c, args.range(), type->first, distribution, {},
                             type->second)
              : c.fail();
}
static Val randn(Checker &c, const Bound &args) {
  return randomOf(c, args, td::Distribution::Normal);
}
static Val rand(Checker &c, const Bound &args) {
  return randomOf(c, args, td::Distribution::Uniform);
}

static Val randomLike(Checker &c, const Bound &args,
                      td::Distribution distribution) {
  auto type = likeType(c, args);
  return type ? randomTensor(c, args.range(), type->first, distribution, {},
                             type->second)
              : c.fail();
}
static Val randLike(Checker &c, const Bound &args) {
  return randomLike(c, args, td::Distribution::Uniform);
}
static Val randnLike(Checker &c, const Bound &args) {
  return randomLike(c, args, td::Distribution::Normal);
}

static bool isInt(Checker &c, const Val &val, llvm::StringRef what) {
  if (val.is(ValKind::Int))
    return true;
  c.error(DiagCode::TD303, val.range,
          what + " is an int, not " + describe(val));
  return false;
}

/// randint(high, size) or randint(low, high, size).
static Val randint(Checker &c, const Bound &args) {
  llvm::ArrayRef<Val> given = args.rest();
  Vals all(given.begin(), given.end());
  if (const Val *size = args.find("size"))
    all.push_back(*size);
  if (all.size() != 2 && all.size() != 3) {
    c.error(DiagCode::TD205, args.range(),
            "`randint` takes (high, size) or (low, high, size)");
    return c.fail();
  }
  Val low = all.size() == 3 ? all[0] : makeInt(0);
  const Val &high = all[all.size() - 2];
  if (!isInt(c, low, "`low`") || !isInt(c, high, "`high`"))
    return c.fail();
  auto l = c.host.constantInt(low), h = c.host.constantInt(high);
  if (l && h && *l >= *h) {
    c.error(DiagCode::TD222, args.range(), "`low` must be below `high`");
    return c.fail();
  }
  auto type = factoryType(c, args, {all.back()}, DType::I64);
  if (!type)
    return c.fail();
  if (isInteger(type->first.dtype) && l && h) {
    auto [least, most] = Tensors::limitsOf(type->first.dtype);
    if (*l < least || *h - 1 > most) {
      c.error(DiagCode::TD222, args.range(),
              "random numbers from " + llvm::Twine(*l) + " to " +
                  llvm::Twine(*h - 1) + " do not fit " +
                  tdc::spelling(type->first.dtype));
      return c.fail();
    }
  }
  return randomTensor(c, args.range(), type->first, td::Distribution::RandInt,
                      {c.host.materialize(low), c.host.materialize(high)},
                      type->second);
}

static Val randperm(Checker &c, const Bound &args) {
  if (!isInt(c, args["n"], "`n`"))
    return c.fail();
  auto type = factoryType(c, args, {args["n"]}, DType::I64);
  if (!type)
    return c.fail();
  return randomTensor(c, args.range(), type->first,
                      td::Distribution::Permutation, {}, type->second);
}

//===----------------------------------------------------------------------===//
// Sequences and literals
//===----------------------------------------------------------------------===//

/// arange(end), arange(start, end), arange(start, end, step); each may be
/// named.
static Val arange(Checker &c, const Bound &args) {
  Vals given(args.rest().begin(), args.rest().end());
  bool ordered = true;
  if (const Val *start = args.find("start")) {
    ordered = given.empty();
    given.push_back(*start);
    ordered &= args.has("end");
  }
  if (const Val *end = args.find("end")) {
    ordered &= given.size() < 2;
    given.push_back(*end);
  }
  if (const Val *step = args.find("step")) {
    if (given.size() == 1)
      given.insert(given.begin(), makeInt(0));
    ordered &= given.size() == 2;
    given.push_back(*step);
  }
  if (!ordered || given.empty() || given.size() > 3) {
    c.error(DiagCode::TD205, args.range(),
            "`arange` takes (end), (start, end) or (start, end, step)");
    return c.fail();
  }
  for (const Val &val : given)
    if (!val.is(ValKind::Int) && !val.is(ValKind::Float)) {
      c.error(DiagCode::TD303, val.range,
              "`arange` takes numbers, not " + describe(val));
      return c.fail();
    }
  Val start = given.size() > 1 ? given[0] : makeInt(0);
  Val end = given.size() > 1 ? given[1] : given[0];
  Val step = given.size() > 2 ? given[2] : makeInt(1);
  bool floats = start.is(ValKind::Float) || end.is(ValKind::Float) ||
                step.is(ValKind::Float);
  Size count;
  if (floats) {
    auto from = c.host.requireFloat(start, "`start`"),
         to = c.host.requireFloat(end, "`end`"),
         by = c.host.requireFloat(step, "`step`");
    if (!from || !to || !by)
      return c.fail();
    double exact = *by == 0 ? -1 : std::ceil((*to - *from) / *by);
    if (!(exact >= 0 && exact < 1e15)) {
      c.error(DiagCode::TD222, args.range(), "`arange` never reaches its end");
      return c.fail();
    }
    count = Size(static_cast<int64_t>(exact));
  } else {
    auto by = c.host.requireInt(step, "`step`");
    if (!by)
      return c.fail();
    if (*by == 0) {
      c.error(DiagCode::TD222, args.range(), "`step` must not be 0");
      return c.fail();
    }
    Size distance = *by > 0 ? end.size - start.size : start.size - end.size;
    int64_t stride = *by > 0 ? *by : -*by;
    count = Size::floorDiv(distance + Size(stride - 1), Size(stride));
    if (auto known = c.host.constantOf(distance); known && *known < 0) {
      c.error(DiagCode::TD222, args.range(), "`arange` never reaches its end");
      return c.fail();
    }
    c.host.sizes.requireNotNegative(distance, c.emit(), [&](Value) {
      return c.emit().format(
          "`arange` never reaches its end: from {} to {}",
          {c.host.materialize(start), c.host.materialize(end)});
    });
  }
  auto type =
      factoryType(c, args, {makeInt(count)}, floats ? DType::F32 : DType::I64);
  if (!type)
    return c.fail();
  if (type->first.dtype == DType::Bool) {
    c.error(DiagCode::TD304, args.range(), "`arange` cannot be bool");
    return c.fail();
  }
  bool asFloats = isFloat(type->first.dtype);
  for (const Val &val : {start, step})
    if (!c.tensors.takesFloat(val, type->first.dtype, val.range))
      return c.fail();
  Value from = c.host.materialize(asFloats ? c.host.toFloat(start) : start);
  Value by = c.host.materialize(asFloats ? c.host.toFloat(step) : step);
  Typed numbers = typed::iota(c.tensors.builder, from, by, type->first);
  return makeTensor(numbers.type, numbers.value, type->second);
}

/// Flattens nested lists of numbers; the first element of each list gives the
/// shape.
static bool flatten(Checker &c, const Val &val, size_t depth, Dims &dims,
                    Vals &leaves, SourceRange range) {
  if (!val.is(ValKind::List) && !val.is(ValKind::Tuple)) {
    if (!val.isHostScalar() || depth != dims.size()) {
      c.error(val.isHostScalar() ? DiagCode::TD401 : DiagCode::TD303,
              val.range.isValid() ? val.range : range,
              val.isHostScalar()
                  ? "the rows have different lengths"
                  : "`tensor` takes numbers, not " + describe(val));
      return false;
    }
    leaves.push_back(val);
    return true;
  }
  llvm::ArrayRef<Val> elements = elementsOf(val);
  int64_t count = static_cast<int64_t>(elements.size());
  bool firstOfDepth = depth == dims.size() && leaves.empty();
  if (firstOfDepth)
    dims.push_back(count);
  if (depth >= dims.size() || !dims[depth].isConstant(count)) {
    c.error(DiagCode::TD401, val.range.isValid() ? val.range : range,
            "the rows have different lengths");
    return false;
  }
  if (!c.tensors.isWithinRank(dims.size(), range))
    return false;
  for (const Val &element : elements)
    if (!flatten(c, element, depth + 1, dims, leaves, range))
      return false;
  return true;
}

template <typename T> static void put(std::vector<char> &bytes, T value) {
  const char *data = reinterpret_cast<const char *>(&value);
  bytes.insert(bytes.end(), data, data + sizeof(T));
}

static void putRounded(std::vector<char> &bytes, double number,
                       const llvm::fltSemantics &semantics) {
  llvm::APFloat rounded(number);
  bool losesInfo;
  rounded.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  put(bytes, static_cast<uint16_t>(rounded.bitcastToAPInt().getZExtValue()));
}

static void putNumber(std::vector<char> &bytes, DType dtype, double number,
                      int64_t whole) {
  switch (dtype) {
  case DType::F64:
    return put(bytes, number);
  case DType::F32:
    return put(bytes, static_cast<float>(number));
  case DType::F16:
    return putRounded(bytes, number, llvm::APFloat::IEEEhalf());
  case DType::BF16:
    return putRounded(bytes, number, llvm::APFloat::BFloat());
  case DType::I64:
  case DType::U64:
    return put(bytes, whole);
  case DType::I32:
  case DType::U32:
    return put(bytes, static_cast<int32_t>(whole));
  case DType::I16:
  case DType::U16:
    return put(bytes, static_cast<int16_t>(whole));
  case DType::I8:
  case DType::U8:
    return put(bytes, static_cast<int8_t>(whole));
  default:
    return put(bytes, static_cast<char>(number != 0));
  }
}

static Val tensor(Checker &c, const Bound &args) {
  const Val &data = args["data"];
  if (data.is(ValKind::Tensor)) {
    if (args.has("device"))
      return c.unsupported(args.range(), "`device=` for a tensor",
                           "`.to(device)`");
    const Val *dtype = args.find("dtype");
    if (!dtype || dtype->is(ValKind::None))
      return data;
    auto given = takeDType(c, *dtype);
    return given ? c.tensors.castTo(data, *given) : c.fail();
  }
  TensorType shape;
  Vals leaves;
  if (!flatten(c, data, 0, shape.dims, leaves, args.range()))
    return c.fail();
  int rank = 0;
  bool known = true;
  for (const Val &leaf : leaves) {
    rank = std::max(rank, leaf.is(ValKind::Float) ? 2
                          : leaf.is(ValKind::Int) ? 1
                                                  : 0);
    known &=
        leaf.is(ValKind::Int) ? bool(c.host.constantInt(leaf)) : leaf.known;
  }
  DType otherwise = leaves.empty() || rank == 2 ? DType::F32
                    : rank == 1                 ? DType::I64
                                                : DType::Bool;
  Vals sizes;
  for (const Size &size : shape.dims)
    sizes.push_back(makeInt(size));
  auto type = factoryType(
      c, args, {makeSequence(ValKind::Tuple, std::move(sizes))}, otherwise);
  if (!type)
    return c.fail();
  TensorType result = type->first;
  if (leaves.size() == 1 && shape.dims.empty())
    return c.tensors.fillTensor(leaves[0], result, type->second);
  if (known) {
    std::vector<char> bytes;
    for (const Val &leaf : leaves) {
      c.tensors.checkFits(leaf, result.dtype);
      Val number = c.host.toFloat(leaf), whole = c.host.toInt(leaf);
      putNumber(bytes, result.dtype, number.number, *c.host.constantInt(whole));
    }
    return makeTensor(result,
                      typed::constant(c.tensors.builder, bytes, result).value,
                      type->second);
  }
  // Elements that are computed when the program runs.
  if (leaves.empty())
    return c.tensors.fillTensor(makeInt(0), result, type->second);
  TensorType one = result;
  one.dims = {Size(1)};
  Vals parts;
  for (const Val &leaf : leaves)
    parts.push_back(c.tensors.fillTensor(leaf, one, type->second));
  return c.tensors.reshapeTo(c.tensors.concatOf(parts, 0, args.range()),
                             result.dims);
}

llvm::ArrayRef<Builtin> sema::getFactoryBuiltins() {
  static const Builtin table[] = {
      {"zeros", "*size=, dtype=, device=", zeros},
      {"ones", "*size=, dtype=, device=", ones},
      {"empty", "*size=, dtype=, device=", zeros},
      {"full", "size, fill_value, dtype=, device=", full},
      {"zeros_like", "input, dtype=, device=", zerosLike, Shares::Type},
      {"ones_like", "input, dtype=, device=", onesLike, Shares::Type},
      {"full_like", "input, fill_value, dtype=, device=", fullLike,
       Shares::Type},
      {"randn", "*size=, dtype=, device=, generator=", randn},
      {"rand", "*size=, dtype=, device=, generator=", rand},
      {"new_zeros", "input, *size, dtype=, device=", newFilled<0>,
       Shares::Type},
      {"new_ones", "input, *size, dtype=, device=", newFilled<1>, Shares::Type},
      {"new_full", "input, size, fill_value, dtype=, device=", newFull,
       Shares::Type},
      {"rand_like", "input, dtype=, device=", randLike, Shares::Type},
      {"randn_like", "input, dtype=, device=", randnLike, Shares::Type},
      {"randint", "*low_high_size, size=, dtype=, device=", randint},
      {"randperm", "n, dtype=, device=", randperm},
      {"arange",
       "*start_end_step, start=, end=, step=, dtype=, device=", arange},
      {"tensor", "data, dtype=, device=", tensor},
      {"as_tensor", "data, dtype=, device=", tensor, Shares::Kept},
  };
  return table;
}
