//===- TypedBuilderTest.cpp - types of ops, without a program -------------===//

#include "Frontend/NullEmitter.h"
#include "Frontend/Typed/Convolutions.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Pooling.h"
#include "Frontend/Typed/Products.h"
#include "gtest/gtest.h"

using namespace tdc;

namespace {

/// Records the ops that are made, and the checks that run with the program.
class OpRecorder : public NullEmitter {
public:
  Value op(OpKind kind, llvm::ArrayRef<Value> operands,
           llvm::ArrayRef<OpAttribute> attributes,
           const TensorShape &type) override {
    ops.push_back(getOpInfo(kind).mnemonic.str());
    for (const OpAttribute &attribute : attributes)
      if (auto *sums = std::get_if<CoordinateSums>(&attribute.value))
        maps.push_back(sums->numbers.vec());
    return NullEmitter::op(kind, operands, attributes, type);
  }
  Value constantString(llvm::StringRef text) override {
    texts.push_back(text.str());
    return NullEmitter::constantString(text);
  }
  std::vector<std::string> ops, texts;
  std::vector<std::vector<int64_t>> maps;
};

class TypedBuilderTest : public testing::Test {
protected:
  static Typed tensor(DimsRef dims, DType dtype = DType::F32) {
    return {Value(), {dtype, Dims(dims.begin(), dims.end()), Place()}};
  }
  static std::string dims(const MaybeTyped &typed) {
    return typed ? spelling(typed->type.dims) : "none";
  }

  OpRecorder emitter;
  SizeTable sizes;
  std::vector<TypeFailure> reported;
  TypedBuilder builder{
      sizes, [this]() -> Emitter & { return emitter; },
      [this](const TypeFailure &failure) { reported.push_back(failure); }};
};

TEST_F(TypedBuilderTest, AConvolutionIsAContractionOverWindows) {
  typed::WindowDim dim{/*stride=*/2, /*dilation=*/3, {}};
  MaybeTyped result =
      typed::convolve(builder, tensor({5, 2, 20}), tensor({4, 2, 3}), dim, 1);
  EXPECT_EQ(dims(result), "[5, 4, 7]");
  EXPECT_EQ(emitter.ops, std::vector<std::string>{"contract"});
  // Dims: N, O, the place, C, the tap.
  EXPECT_EQ(emitter.maps[0],
            (std::vector<int64_t>{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, //
                                  0, 0, 2, 0, 3, 0}));
  EXPECT_EQ(emitter.maps[1],
            (std::vector<int64_t>{0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, //
                                  0, 0, 0, 0, 1, 0}));
}

TEST_F(TypedBuilderTest, PaddingIsSetAround) {
  typed::WindowDim dim{1, 1, {1, 1}};
  MaybeTyped result =
      typed::convolve(builder, tensor({5, 2, 20}), tensor({4, 2, 3}), dim, 1);
  EXPECT_EQ(dims(result), "[5, 4, 20]");
  EXPECT_EQ(emitter.ops,
            (std::vector<std::string>{"fill", "inset", "contract"}));
}

TEST_F(TypedBuilderTest, SizesAtRunTimeAreChecked) {
  Size length = sizes.add("L", Value());
  MaybeTyped result = typed::convolve(builder, tensor({1, 2, length}),
                                      tensor({4, 2, 3}), typed::WindowDim(), 1);
  EXPECT_EQ(dims(result), "[1, 4, L - 2]");
  EXPECT_EQ(emitter.texts, std::vector<std::string>{
                               "the kernel is larger than dim 2 of the input"});
  // Once.
  typed::convolve(builder, tensor({1, 2, length}), tensor({4, 2, 3}),
                  typed::WindowDim(), 1);
  EXPECT_EQ(emitter.texts.size(), 1u);
}

TEST_F(TypedBuilderTest, FailuresAreCodesWithWords) {
  EXPECT_FALSE(typed::convolve(builder, tensor({1, 3, 9}), tensor({4, 2, 3}),
                               typed::WindowDim(), 1));
  EXPECT_EQ(builder.failure.code, DiagCode::TD401);
  EXPECT_EQ(builder.failure.title, "the input has 3 channels, the weight 2");
  EXPECT_FALSE(typed::convolve(builder, tensor({1, 2, 9}), tensor({4, 2, 3}),
                               typed::WindowDim{0, 1, {}}, 1));
  EXPECT_EQ(builder.failure.code, DiagCode::TD222);
  EXPECT_TRUE(emitter.ops.empty());
}

TEST_F(TypedBuilderTest, ABiasHasANumberForEachChannel) {
  EXPECT_EQ(dims(typed::biasColumn(builder, tensor({4}), 4, 2)), "[4, 1, 1]");
  for (const Typed &wrong : {tensor({5}), tensor({4, 1}), tensor({})}) {
    EXPECT_FALSE(typed::biasColumn(builder, wrong, 4, 2));
    EXPECT_EQ(builder.failure.code, DiagCode::TD401);
    EXPECT_EQ(builder.failure.title,
              "the bias has a number for each of 4 channels");
  }
}

TEST_F(TypedBuilderTest, TransposedConvolutionsUndoTheSizes) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t padding : {0, 1, 2}) {
      typed::WindowDim dim{stride, 1, {padding, padding}};
      MaybeTyped down = typed::convolve(builder, tensor({1, 2, 19}),
                                        tensor({4, 2, 3}), dim, 1);
      int64_t rest = (19 + 2 * padding - 3) % stride;
      MaybeTyped up = typed::convolveTransposed(
          builder, *down, tensor({4, 2, 3}), dim, rest, 1);
      EXPECT_EQ(dims(up), "[1, 2, 19]") << stride << " " << padding;
    }
}

TEST_F(TypedBuilderTest, ARoundedUpPoolStartsWithinTheInput) {
  typed::WindowDim dim{/*stride=*/3, /*dilation=*/1, {1, 1}};
  EXPECT_EQ(dims(typed::maxPool(builder, tensor({1, 1, 5}), 2, dim, false)),
            "[1, 1, 2]");
  // A third window would start in the border at the end.
  EXPECT_EQ(dims(typed::maxPool(builder, tensor({1, 1, 5}), 2, dim, true)),
            "[1, 1, 2]");
  EXPECT_EQ(dims(typed::maxPool(builder, tensor({1, 1, 6}), 2, dim, true)),
            "[1, 1, 3]");
}

TEST_F(TypedBuilderTest, OperandsOfElementwiseOpsGetOneTypeAndPlace) {
  Typed mask = tensor({3, 1}, DType::Bool), row = tensor({4});
  row.type.place = getCuda(0);
  MaybeTyped sum = typed::elementwise(builder, OpKind::Add, {mask, row}, "`+`");
  ASSERT_TRUE(sum);
  EXPECT_EQ(typeText(sum->type), "f32[3, 4] @cuda:0");
  EXPECT_EQ(emitter.ops, (std::vector<std::string>{"cast", "broadcast",
                                                   "broadcast", "add"}));
  MaybeTyped less =
      typed::compare(builder, td::ComparePredicate::LT, *sum, row, "`<`");
  EXPECT_EQ(typeText(less->type), "bool[3, 4] @cuda:0");
}

TEST_F(TypedBuilderTest, TheDTypeToConvertIsNamed) {
  Typed ints = tensor({2}, DType::I32), floats = tensor({2}, DType::F64);
  EXPECT_FALSE(typed::elementwise(builder, OpKind::Mul, {floats, ints}, "`*`"));
  EXPECT_EQ(builder.failure.code, DiagCode::TD301);
  EXPECT_EQ(builder.failure.title,
            "no implicit conversion between f64 and i32");
  EXPECT_EQ(builder.failure.label, "f64[2] `*` i32[2]");
  ASSERT_TRUE(builder.failure.conversion);
  EXPECT_EQ(builder.failure.conversion->operand, 1u);
  EXPECT_EQ(builder.failure.conversion->dtype, "f64");
  EXPECT_TRUE(builder.failure.conversion->isPromotion);
  // Among floats the program must name the dtype.
  EXPECT_FALSE(typed::elementwise(builder, OpKind::Mul,
                                  {floats, tensor({2}, DType::F32)}, "`*`"));
  EXPECT_FALSE(builder.failure.conversion->isPromotion);
  EXPECT_FALSE(typed::elementwise(builder, OpKind::Exp, ints, "`exp`"));
  EXPECT_EQ(builder.failure.title, "`exp` is not defined for i32 tensors");
  EXPECT_EQ(builder.failure.conversion->dtype, "f32");
  EXPECT_TRUE(emitter.ops.empty());
}

TEST_F(TypedBuilderTest, ShapesOfMatrixProducts) {
  auto shape = [&](DimsRef lhs, DimsRef rhs) {
    return dims(typed::matmul(builder, tensor(lhs), tensor(rhs)));
  };
  Size n = sizes.add("n", Value());
  EXPECT_EQ(shape({3}, {3}), "[]");
  EXPECT_EQ(shape({2, 3}, {3}), "[2]");
  EXPECT_EQ(shape({3}, {5, 3, 4}), "[5, 4]");
  EXPECT_EQ(shape({n, 7, 3}, {3, 4}), "[n, 7, 4]");
  EXPECT_EQ(shape({6, 1, 2, 3}, {5, 3, 4}), "[6, 5, 2, 4]");
  EXPECT_EQ(shape({2, 3}, {4, 3}), "none");
  EXPECT_EQ(builder.failure.code, DiagCode::TD401);
  EXPECT_EQ(builder.failure.title,
            "shapes do not fit: matmul of [2, 3] with [4, 3]");
  EXPECT_TRUE(typed::requireRank(builder, tensor({n, 3}), 2));
  EXPECT_FALSE(typed::requireRank(builder, tensor({n, 3}), 3));
  EXPECT_EQ(builder.failure.title, "needs tensors of 3 dims");
  EXPECT_EQ(builder.failure.label, "f32[n, 3]");
}

TEST_F(TypedBuilderTest, WhatNoProcessCanAddressIsReported) {
  auto large = int64_t(1) << 45;
  typed::broadcast(builder, tensor({1}), {large});
  EXPECT_TRUE(reported.empty()); // 2^47 bytes
  Size n = sizes.add("n", Value());
  EXPECT_EQ(dims(typed::broadcast(builder, tensor({1, 1}), {n, 2 * large})),
            "[n, 70368744177664]");
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].code, DiagCode::TD412);
  EXPECT_EQ(reported[0].label, "this would be f32[n, 70368744177664]");
  // The product of the sizes does not fit in 64 bits.
  typed::broadcast(builder, tensor({1, 1}), {large, large});
  EXPECT_EQ(reported.size(), 2u);
}

TEST_F(TypedBuilderTest, WhatMakesNothingNewGivesItsOperand) {
  Typed x = {Value(this), {DType::F32, {2, 3}, Place()}};
  for (const Typed &same : {typed::reshape(builder, x, {2, 3}),
                            typed::broadcast(builder, x, {2, 3}),
                            typed::permute(builder, x, {0, 1}),
                            typed::slice(builder, x, 1, Size(0), 3),
                            typed::cast(builder, x, DType::F32)})
    EXPECT_EQ(same.value, x.value);
  EXPECT_TRUE(emitter.ops.empty());
}

} // namespace
