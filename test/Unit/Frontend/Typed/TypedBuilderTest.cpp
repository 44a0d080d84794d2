//===- TypedBuilderTest.cpp - types of ops, without a program -------------===//

#include "Frontend/TypedBuilder.h"
#include "Frontend/NullEmitter.h"
#include "gtest/gtest.h"

using namespace tdc;

namespace {

/// Keeps the ops that are made, and what is checked when the program runs.
class OpRecorder : public NullEmitter {
public:
  Value op(OpKind kind, llvm::ArrayRef<Value> operands,
           llvm::ArrayRef<OpAttribute> attributes, llvm::ArrayRef<Value> sizes,
           const TensorShape &type) override {
    ops.push_back(getOpInfo(kind).mnemonic.str());
    for (const OpAttribute &attribute : attributes)
      if (auto *sums = std::get_if<CoordinateSums>(&attribute.value))
        maps.push_back(sums->numbers.vec());
    return NullEmitter::op(kind, operands, attributes, sizes, type);
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
  static TensorShape shapeOf(const TensorType &type) {
    TensorShape shape;
    shape.dtype = type.dtype;
    for (const Size &size : type.dims)
      shape.dims.push_back(size.isConstant() ? size.getConstant()
                                             : kRunTimeSize);
    return shape;
  }
  static Typed tensor(DimsRef dims, DType dtype = DType::F32) {
    return {Value(), {dtype, Dims(dims.begin(), dims.end()), Place()}};
  }
  static std::string dims(const MaybeTyped &typed) {
    return typed ? spelling(typed->type.dims) : "none";
  }

  OpRecorder emitter;
  SizeTable sizes;
  TypedBuilder builder{sizes, [this]() -> Emitter & { return emitter; },
                       shapeOf};
};

TEST_F(TypedBuilderTest, AConvolutionIsAContractionOverWindows) {
  WindowDim dim{/*stride=*/2, /*dilation=*/3, {}};
  MaybeTyped result =
      builder.convolve(tensor({5, 2, 20}), tensor({4, 2, 3}), dim, 1);
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
  WindowDim dim{1, 1, {1, 1}};
  MaybeTyped result =
      builder.convolve(tensor({5, 2, 20}), tensor({4, 2, 3}), dim, 1);
  EXPECT_EQ(dims(result), "[5, 4, 20]");
  EXPECT_EQ(emitter.ops,
            (std::vector<std::string>{"fill", "inset", "contract"}));
}

TEST_F(TypedBuilderTest, SizesAtRunTimeAreChecked) {
  Size length = sizes.add("L", Value());
  MaybeTyped result = builder.convolve(tensor({1, 2, length}),
                                       tensor({4, 2, 3}), WindowDim(), 1);
  EXPECT_EQ(dims(result), "[1, 4, L - 2]");
  EXPECT_EQ(emitter.texts, std::vector<std::string>{
                               "the kernel is larger than dim 2 of the input"});
  // Once.
  builder.convolve(tensor({1, 2, length}), tensor({4, 2, 3}), WindowDim(), 1);
  EXPECT_EQ(emitter.texts.size(), 1u);
}

TEST_F(TypedBuilderTest, FailuresAreCodesWithWords) {
  EXPECT_FALSE(
      builder.convolve(tensor({1, 3, 9}), tensor({4, 2, 3}), WindowDim(), 1));
  EXPECT_EQ(builder.failure.code, DiagCode::TD401);
  EXPECT_EQ(builder.failure.title, "the input has 3 channels, the weight 2");
  EXPECT_FALSE(builder.convolve(tensor({1, 2, 9}), tensor({4, 2, 3}),
                                WindowDim{0, 1, {}}, 1));
  EXPECT_EQ(builder.failure.code, DiagCode::TD222);
  EXPECT_TRUE(emitter.ops.empty());
}

TEST_F(TypedBuilderTest, TransposedConvolutionsUndoTheSizes) {
  for (int64_t stride : {1, 2, 3})
    for (int64_t padding : {0, 1, 2}) {
      WindowDim dim{stride, 1, {padding, padding}};
      MaybeTyped down =
          builder.convolve(tensor({1, 2, 19}), tensor({4, 2, 3}), dim, 1);
      int64_t rest = (19 + 2 * padding - 3) % stride;
      MaybeTyped up =
          builder.convolveTransposed(*down, tensor({4, 2, 3}), dim, rest, 1);
      EXPECT_EQ(dims(up), "[1, 2, 19]") << stride << " " << padding;
    }
}

TEST_F(TypedBuilderTest, ARoundedUpPoolStartsWithinTheInput) {
  WindowDim dim{/*stride=*/3, /*dilation=*/1, {1, 1}};
  EXPECT_EQ(dims(builder.maxPool(tensor({1, 1, 5}), 2, dim, false)),
            "[1, 1, 2]");
  // A third window would start in the border at the end.
  EXPECT_EQ(dims(builder.maxPool(tensor({1, 1, 5}), 2, dim, true)),
            "[1, 1, 2]");
  EXPECT_EQ(dims(builder.maxPool(tensor({1, 1, 6}), 2, dim, true)),
            "[1, 1, 3]");
}

} // namespace
