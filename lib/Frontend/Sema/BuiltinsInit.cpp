//===- BuiltinsInit.cpp - initial values of parameters --------------------===//
//
// An initialiser takes its shape from the annotation of the `param`; one with
// an `_` at the end changes a tensor, and has PyTorch's parameters.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/Typed/Constructors.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;

static std::optional<TensorType> wanted(Checker &c, const Bound &args) {
  if (const Val *target = args.find("tensor")) {
    if (isUnread(*target) && isFloat(typeOf(*target).dtype)) {
      // Made where the model is.
      TensorType type = typeOf(*target);
      type.place = c.places.modelPlace(*target->as<TensorInfo>().slot().owner);
      return type;
    }
    if (target->is(ValKind::Tensor) && isFloat(typeOf(*target).dtype))
      return typeOf(*target);
    c.error(DiagCode::TD303,
            target->range.isValid() ? target->range : args.range(),
            args.what() + " changes a float tensor, not " + describe(*target));
    return std::nullopt;
  }
  if (!args.call.expected || !c.types.isTensorType(*args.call.expected)) {
    c.error(DiagCode::TD702, args.range(),
            "an initialiser takes its shape from an annotation")
        .note("as in `param w: f32[10] = init.uniform(0.1)`");
    return std::nullopt;
  }
  std::optional<TensorType> type =
      c.types.tensorFromType(*args.call.expected, false);
  if (type && !isFloat(type->dtype)) {
    c.error(DiagCode::TD304, args.range(),
            "random initial values are floats, not " +
                tdc::spelling(type->dtype));
    return std::nullopt;
  }
  return type;
}

/// Random numbers for a tensor of the type. For a narrow float type they are
/// f32, so that they are scaled before they are rounded.
static Val draw(Checker &c, td::Distribution distribution, TensorType type) {
  if (isNarrowFloat(type.dtype))
    type.dtype = DType::F32;
  return c.tensors.fromTyped(
      typed::random(c.tensors.builder, distribution, /*bounds=*/{}, type),
      /*operands=*/{});
}

/// offset + factor * x
static Val moved(Checker &c, const Bound &args, const Val &x, const Val &factor,
                 const Val &offset) {
  Val scaled =
      c.tensors.elementwise(OpKind::Mul, {x, factor}, args.range(), "`init`");
  return c.tensors.elementwise(OpKind::Add, {scaled, offset}, args.range(),
                               "`init`");
}

/// low + (high - low) * U[0, 1)
static Val uniformIn(Checker &c, const Bound &args, const TensorType &type,
                     const Val &low, const Val &high) {
  Val unit = draw(c, td::Distribution::Uniform, type);
  Val width = c.host.binary(ast::BinaryOp::Sub, high, low, args.range());
  return c.tensors.rounded(
      moved(c, args, unit, c.host.toFloat(width), c.host.toFloat(low)),
      type.dtype);
}

static Val normalWith(Checker &c, const Bound &args, const TensorType &type,
                      const Val &mean, const Val &deviation) {
  Val result = draw(c, td::Distribution::Normal, type);
  if (!(deviation.known && deviation.number == 1))
    result = c.tensors.elementwise(OpKind::Mul, {result, deviation},
                                   args.range(), "`init`");
  if (!(mean.known && mean.number == 0))
    result = c.tensors.elementwise(OpKind::Add, {result, mean}, args.range(),
                                   "`init`");
  return c.tensors.rounded(result, type.dtype);
}

static Val number(const Bound &args, llvm::StringRef name, double otherwise) {
  const Val *given = args.find(name);
  return given ? *given : makeFloat(otherwise);
}

static bool numbers(Checker &c, llvm::ArrayRef<Val> vals) {
  for (const Val &val : vals)
    if (!val.isHostScalar()) {
      c.error(DiagCode::TD303, val.range,
              "a number is needed, not " + describe(val));
      return false;
    }
  return true;
}

/// init.uniform(bound) is U(-bound, bound); init.uniform(a, b) is U(a, b).
static Val uniform(Checker &c, const Bound &args) {
  Val a = number(args, "a", 0), b = number(args, "b", 1);
  if (!numbers(c, {a, b}))
    return c.fail();
  if (args.has("a") && !args.has("b")) {
    b = a;
    a = c.host.math(HostOp::Neg, a);
  }
  auto type = wanted(c, args);
  return type ? uniformIn(c, args, *type, a, b) : c.fail();
}

static Val normal(Checker &c, const Bound &args) {
  Val mean = number(args, "mean", 0), deviation = number(args, "std", 1);
  if (!numbers(c, {mean, deviation}))
    return c.fail();
  auto type = wanted(c, args);
  return type ? normalWith(c, args, *type, c.host.toFloat(mean),
                           c.host.toFloat(deviation))
              : c.fail();
}

/// PyTorch's fan-in and fan-out: dim 1 and dim 0, times the receptive field.
static std::pair<Size, Size> fans(const TensorType &type) {
  if (type.dims.size() < 2)
    return {numElements(type.dims), numElements(type.dims)};
  Size field = numElements(DimsRef(type.dims).drop_front(2));
  return {type.dims[1] * field, type.dims[0] * field};
}

/// sqrt(numerator / size) as a host float.
static Val rootOf(Checker &c, double numerator, const Size &size,
                  SourceRange range) {
  Val ratio = c.host.binary(ast::BinaryOp::Div, makeFloat(numerator),
                            makeInt(size), range);
  return c.host.math(HostOp::Sqrt, ratio);
}

static Val kaimingUniform(Checker &c, const Bound &args) {
  auto a = c.host.requireFloat(number(args, "a", std::sqrt(5.0)), "`a`");
  auto type = wanted(c, args);
  if (!a || !type)
    return c.fail();
  Val bound = rootOf(c, 6.0 / (1.0 + *a * *a), fans(*type).first, args.range());
  return uniformIn(c, args, *type, c.host.math(HostOp::Neg, bound), bound);
}

static Val kaimingNormal(Checker &c, const Bound &args) {
  auto a = c.host.requireFloat(number(args, "a", 0), "`a`");
  auto type = wanted(c, args);
  if (!a || !type)
    return c.fail();
  Val deviation =
      rootOf(c, 2.0 / (1.0 + *a * *a), fans(*type).first, args.range());
  return normalWith(c, args, *type, makeFloat(0), deviation);
}

static Val xavierUniform(Checker &c, const Bound &args) {
  auto type = wanted(c, args);
  if (!type)
    return c.fail();
  auto [in, out] = fans(*type);
  Val bound = rootOf(c, 6.0, in + out, args.range());
  return uniformIn(c, args, *type, c.host.math(HostOp::Neg, bound), bound);
}

static Val xavierNormal(Checker &c, const Bound &args) {
  auto type = wanted(c, args);
  if (!type)
    return c.fail();
  auto [in, out] = fans(*type);
  return normalWith(c, args, *type, makeFloat(0),
                    rootOf(c, 2.0, in + out, args.range()));
}

static Val constant(Checker &c, const Bound &args) {
  if (!numbers(c, {args["value"]}))
    return c.fail();
  auto type = wanted(c, args);
  return type ? c.tensors.fillTensor(c.host.toFloat(args["value"]), *type)
              : c.fail();
}

/// A number that is known while compiling, or its default.
static std::optional<double> known(Checker &c, const Bound &args,
                                   llvm::StringRef name, double otherwise) {
  return c.host.requireFloat(number(args, name, otherwise),
                             ("`" + name + "`").str());
}

/// PyTorch's `calculate_gain`, with the slope of a leaky ReLU.
static std::optional<double> gainOf(Checker &c, const Bound &args,
                                    std::optional<double> slope) {
  if (!slope)
    return std::nullopt;
  double leaky = std::sqrt(2 / (1 + *slope * *slope));
  const Val *given = args.find("nonlinearity");
  if (!given)
    return leaky;
  auto name = c.host.requireStr(*given, "`nonlinearity`");
  if (!name)
    return std::nullopt;
  double gain =
      llvm::StringSwitch<double>(*name)
          .Case("leaky_relu", leaky)
          .Case("relu", std::sqrt(2))
          .Case("tanh", 5.0 / 3)
          .Case("selu", 0.75)
          .Cases({"linear", "sigmoid", "conv1d", "conv2d", "conv3d",
                  "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"},
                 1)
          .Default(0);
  if (gain)
    return gain;
  c.error(DiagCode::TD222, given->range,
          "`nonlinearity` is the name of a function, as in \"relu\"");
  return std::nullopt;
}

/// Uniform or normal numbers of a deviation.
static Val spread(Checker &c, const Bound &args, const TensorType &type,
                  double deviation, bool isNormal) {
  if (isNormal)
    return normalWith(c, args, type, makeFloat(0), makeFloat(deviation));
  double bound = std::sqrt(3) * deviation;
  return uniformIn(c, args, type, makeFloat(-bound), makeFloat(bound));
}

static std::optional<std::pair<double, double>>
knownFans(Checker &c, const Bound &args, const TensorType &type) {
  if (type.dims.size() < 2) {
    c.error(DiagCode::TD403, args["tensor"].range,
            args.what() + " needs a tensor with at least 2 dims")
        .label(typeText(type));
    return std::nullopt;
  }
  auto [in, out] = fans(type);
  std::optional<int64_t> first = c.host.constantOf(in);
  std::optional<int64_t> second = c.host.constantOf(out);
  if (!first || !second) {
    c.unsupported(args.range(), args.what() + " of a tensor whose sizes are "
                                              "known only at run time");
    return std::nullopt;
  }
  return std::make_pair(static_cast<double>(*first),
                        static_cast<double>(*second));
}

template <bool isNormal>
static Val kaimingInPlace(Checker &c, const Bound &args,
                          const TensorType &type) {
  auto gain = gainOf(c, args, known(c, args, "a", 0));
  auto fan = gain ? knownFans(c, args, type) : std::nullopt;
  if (!fan)
    return c.fail();
  double count = fan->first;
  if (const Val *given = args.find("mode")) {
    auto mode = c.host.requireStr(*given, "`mode`");
    if (!mode)
      return c.fail();
    if (*mode != "fan_in" && *mode != "fan_out") {
      c.error(DiagCode::TD222, given->range,
              "`mode` is \"fan_in\" or \"fan_out\"");
      return c.fail();
    }
    count = *mode == "fan_in" ? fan->first : fan->second;
  }
  return spread(c, args, type, *gain / std::sqrt(count), isNormal);
}

template <bool isNormal>
static Val xavierInPlace(Checker &c, const Bound &args,
                         const TensorType &type) {
  auto gain = known(c, args, "gain", 1);
  auto fan = gain ? knownFans(c, args, type) : std::nullopt;
  return fan ? spread(c, args, type,
                      *gain * std::sqrt(2 / (fan->first + fan->second)),
                      isNormal)
             : c.fail();
}

static Val uniformInPlace(Checker &c, const Bound &args,
                          const TensorType &type) {
  Val a = number(args, "a", 0), b = number(args, "b", 1);
  return numbers(c, {a, b}) ? uniformIn(c, args, type, a, b) : c.fail();
}

static Val normalInPlace(Checker &c, const Bound &args,
                         const TensorType &type) {
  Val mean = number(args, "mean", 0), deviation = number(args, "std", 1);
  return numbers(c, {mean, deviation})
             ? normalWith(c, args, type, c.host.toFloat(mean),
                          c.host.toFloat(deviation))
             : c.fail();
}

/// Normal numbers within [a, b], by the inverse of their distribution; in f64,
/// where a uniform number is no bound of erfinv.
static Val truncNormalInPlace(Checker &c, const Bound &args,
                              const TensorType &type) {
  auto mean = known(c, args, "mean", 0), deviation = known(c, args, "std", 1);
  auto a = known(c, args, "a", -2), b = known(c, args, "b", 2);
  if (!mean || !deviation || !a || !b)
    return c.fail();
  if (!(*a < *b) || !(*deviation > 0)) {
    c.error(DiagCode::TD222, args.range(),
            "`a` is less than `b`, and `std` greater than 0");
    return c.fail();
  }
  auto below = [&](double bound) { // the share of normal numbers, -1 to 1
    return std::erf((bound - *mean) / (*deviation * std::sqrt(2)));
  };
  TensorType wide = type;
  wide.dtype = DType::F64;
  Val unit =
      uniformIn(c, args, wide, makeFloat(below(*a)), makeFloat(below(*b)));
  Val normal = moved(c, args, callNamed(c, "erfinv", args, {unit}),
                     makeFloat(*deviation * std::sqrt(2)), makeFloat(*mean));
  Val result =
      callNamed(c, "clamp", args, {normal, makeFloat(*a), makeFloat(*b)});
  return result.isError() ? c.fail() : c.tensors.castTo(result, type.dtype);
}

static Val gain(Checker &c, const Bound &args) {
  auto result = gainOf(c, args, known(c, args, "param", 0.01));
  return result ? makeFloat(*result) : c.fail();
}

static Val constantInPlace(Checker &c, const Bound &args,
                           const TensorType &type) {
  return numbers(c, {args["val"]})
             ? c.tensors.fillTensor(c.host.toFloat(args["val"]), type)
             : c.fail();
}

template <int number>
static Val sameInPlace(Checker &c, const Bound &, const TensorType &type) {
  return c.tensors.fillTensor(makeFloat(number), type);
}

/// Gives a tensor of a model the value that `compute` gives for its type; for
/// another tensor that value is the result (Checker::changeVariable).
template <Val (*compute)(Checker &, const Bound &, const TensorType &)>
static Val inPlace(Checker &c, const Bound &args) {
  std::optional<TensorType> type = wanted(c, args);
  Val val = type ? compute(c, args, *type) : c.fail();
  if (val.isError())
    return c.fail();
  if (!isUnread(args["tensor"]))
    return val;
  c.writeTarget(args["tensor"], val, args.range());
  return args["tensor"];
}

llvm::ArrayRef<Builtin> sema::getInitBuiltins() {
  static const Builtin table[] = {
      {"init.uniform", "a=, b=", uniform},
      {"init.normal", "mean=, std=", normal},
      {"init.kaiming", "a=", kaimingUniform},
      {"init.kaiming_uniform", "a=", kaimingUniform},
      {"init.kaiming_normal", "a=", kaimingNormal},
      {"init.xavier", "", xavierUniform},
      {"init.xavier_uniform", "", xavierUniform},
      {"init.xavier_normal", "", xavierNormal},
      {"init.constant", "value", constant},
      {"init.uniform_", "tensor, a=, b=", inPlace<uniformInPlace>},
      {"init.normal_", "tensor, mean=, std=", inPlace<normalInPlace>},
      {"init.kaiming_uniform_",
       "tensor, a=, mode=, nonlinearity=", inPlace<kaimingInPlace<false>>},
      {"init.kaiming_normal_",
       "tensor, a=, mode=, nonlinearity=", inPlace<kaimingInPlace<true>>},
      {"init.xavier_uniform_", "tensor, gain=", inPlace<xavierInPlace<false>>},
      {"init.xavier_normal_", "tensor, gain=", inPlace<xavierInPlace<true>>},
      {"init.trunc_normal_",
       "tensor, mean=, std=, a=, b=", inPlace<truncNormalInPlace>},
      {"init.calculate_gain", "nonlinearity, param=", gain},
      {"init.constant_", "tensor, val", inPlace<constantInPlace>},
      {"init.zeros_", "tensor", inPlace<sameInPlace<0>>},
      {"init.ones_", "tensor", inPlace<sameInPlace<1>>},
  };
  return table;
}
