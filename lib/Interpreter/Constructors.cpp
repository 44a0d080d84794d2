//===- Constructors.cpp - the meaning of ops that make tensors ------------===//
//
// Random bits come from a second implementation of Philox, written from the
// paper, so that the runtime's is tested, too. Normal numbers come from the
// runtime: they are defined as the result of one fixed sequence of operations
// (runtime/src/program/RandomCore.h), which a second implementation would only
// repeat.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Converts a host scalar to a tensor, as td.cast does.
static Tensor makeScalar(Type type, const Datum &datum) {
  bool isFloat = type.isF64();
  Tensor scalar(isFloat             ? DType::F64
                : type.isInteger(1) ? DType::Bool
                                    : DType::I64,
                {}, Place());
  if (isFloat)
    scalar.setFloat(0, std::get<double>(datum));
  else
    scalar.setInt(0, std::get<int64_t>(datum));
  return scalar;
}

static LogicalResult runConstant(Machine &m, ConstantOp op) {
  auto values = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!values)
    return op.emitOpError("holds no dense elements");
  Tensor result = m.makeResult(op.getResult(), op.getType().getShape());
  int64_t i = 0;
  if (result.isFloat()) {
    for (llvm::APFloat value : values.getValues<llvm::APFloat>()) {
      bool losesInfo;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      result.setFloat(i++, value.convertToDouble());
    }
  } else {
    for (llvm::APInt value : values.getValues<llvm::APInt>())
      result.setInt(i++, value.getSExtValue());
  }
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runFill(Machine &m, FillOp op) {
  Tensor scalar = makeScalar(op.getValue().getType(), m.get(op.getValue()));
  Tensor result =
      m.makeResult(op.getResult(), m.getDims(op.getResult(), op.getSizes()));
  for (int64_t i = 0; i < result.size(); ++i)
    result.setCast(i, scalar, 0);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runIota(Machine &m, IotaOp op) {
  Tensor result =
      m.makeResult(op.getResult(), m.getDims(op.getResult(), op.getSizes()));
  for (int64_t i = 0; i < result.size(); ++i) {
    if (result.isFloat())
      result.setFloat(i, m.number(op.getStart()) + i * m.number(op.getStep()));
    else
      result.setInt(i, uint64_t(m.integer(op.getStart())) +
                           uint64_t(i) * uint64_t(m.integer(op.getStep())));
  }
  return m.set(op.getResult(), std::move(result));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

namespace {
/// The random words of one call.
struct Words {
  uint64_t seed, call;

  /// Word i. The lower half of a 64-bit word uses the counter with its top bit
  /// set.
  uint32_t get(uint64_t i, bool isLower = false) const {
    uint64_t block = i / 4 | uint64_t(isLower) << 63;
    uint32_t x[4] = {uint32_t(call), uint32_t(call >> 32), uint32_t(block),
                     uint32_t(block >> 32)};
    uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
    for (int round = 0; round < 10; ++round) {
      uint64_t first = uint64_t(0xD2511F53) * x[0];
      uint64_t second = uint64_t(0xCD9E8D57) * x[2];
      uint32_t next[4] = {
          uint32_t(second >> 32) ^ x[1] ^ key[0], uint32_t(second),
          uint32_t(first >> 32) ^ x[3] ^ key[1], uint32_t(first)};
      std::copy(next, next + 4, x);
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return x[i % 4];
  }

  /// A number below `range`.
  uint64_t getBelow(uint64_t range, uint64_t i) const {
    if (range <= uint64_t(1) << 32)
      return get(i) * range >> 32;
    llvm::APInt word(128, uint64_t(get(i)) << 32 | get(i, /*isLower=*/true));
    return (word * llvm::APInt(128, range)).lshr(64).getZExtValue();
  }
};
} // namespace

/// Fills `result` with uniform numbers. Each uses as many bits as the
/// significand has, from one word or two.
static void fillUniform(Tensor &result, const Words &words) {
  unsigned bits = significandBits(result.dtype);
  for (int64_t i = 0; i < result.size(); ++i) {
    uint64_t word = uint64_t(words.get(i)) << 32;
    if (bits > 32)
      word |= words.get(i, /*isLower=*/true);
    result.setFloat(i, std::ldexp(word >> (64 - bits), -int(bits)));
  }
}

template <class T, class Make>
static void fillNormal(Tensor &result, const Words &words, Make make) {
  std::vector<T> numbers(result.size());
  make(numbers.data(), 0, numbers.size(), words.seed, words.call);
  for (int64_t i = 0; i < result.size(); ++i)
    result.setFloat(i, numbers[i]);
}

/// Checks with the runtime that the bounds are in order and fit the dtype of
/// the result. The runtime reports the error.
static int32_t checkBounds(Machine &m, RandomOp op, DType dtype) {
  return tdrt_check_randint(m.context(), m.integer(op.getBounds()[0]),
                            m.integer(op.getBounds()[1]), int32_t(dtype),
                            m.site(op));
}

static LogicalResult runRandom(Machine &m, RandomOp op) {
  Words words = {uint64_t(m.integer(op.getSeed())),
                 uint64_t(m.integer(op.getCall()))};
  Tensor result =
      m.makeResult(op.getResult(), m.getDims(op.getResult(), op.getSizes()));
  int64_t size = result.size();
  switch (op.getDistribution()) {
  case Distribution::Uniform:
    fillUniform(result, words);
    break;
  case Distribution::Normal:
    if (result.dtype == DType::F64)
      fillNormal<double>(result, words, tdrt_random_normal_f64);
    else
      fillNormal<float>(result, words, tdrt_random_normal_f32);
    break;
  case Distribution::RandInt: {
    if (failed(m.check(checkBounds(m, op, result.dtype))))
      return failure();
    uint64_t low = m.integer(op.getBounds()[0]);
    uint64_t range = uint64_t(m.integer(op.getBounds()[1])) - low;
    for (int64_t i = 0; i < size; ++i)
      result.setInt(i, low + words.getBelow(range, i));
    break;
  }
  case Distribution::Permutation: {
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = size - 1; i > 0; --i)
      std::swap(order[i], order[words.getBelow(i + 1, i)]);
    for (int64_t i = 0; i < size; ++i)
      result.setInt(i, order[i]);
    break;
  }
  }
  return m.set(op.getResult(), std::move(result));
}

void addConstructorMeanings(Machine &machine) {
  machine.on<ConstantOp>(runConstant);
  machine.on<FillOp>(runFill);
  machine.on<IotaOp>(runIota);
  machine.on<RandomOp>(runRandom);
}

} // namespace tdc
