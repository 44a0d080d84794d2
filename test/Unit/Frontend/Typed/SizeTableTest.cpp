//===- SizeTableTest.cpp - what is known of sizes -------------------------===//

#include "Frontend/Typed/SizeTable.h"
#include "Frontend/NullEmitter.h"
#include "gtest/gtest.h"

using namespace tdc;

namespace {

/// Records the checks that run with the program.
class CheckRecorder : public NullEmitter {
public:
  void checkDim(Value, Value, llvm::StringRef what) override {
    checks.push_back(what.str());
  }
  std::vector<std::string> checks;
};

class SizeTableTest : public testing::Test {
protected:
  ShapeAnswer equal(const Size &lhs, const Size &rhs) {
    return sameShape({lhs}, {rhs}, "the rows differ");
  }

  CheckRecorder emitter;
  SizeTable sizes;
};

TEST_F(SizeTableTest, KnownVariablesMakeKnownSizes) {
  Size n = sizes.add("n", Value()), m = sizes.add("m", Value(), 6);
  EXPECT_EQ(sizes.constantOf(m * m + Size(1)), 37);
  EXPECT_EQ(sizes.constantOf(n), std::nullopt);
  sizes[n.getAtom()].onThisMachine = 2;
  EXPECT_EQ(sizes.constantOf(n * m), std::nullopt);
  EXPECT_EQ(sizes.onThisMachine(n * m), 12);
}

TEST_F(SizeTableTest, AFactIsCheckedOnce) {
  Size n = sizes.add("n", Value()), m = sizes.add("m", Value());
  ShapeAnswer first = equal(n, m), again = equal(m, n);
  EXPECT_TRUE(sizes.prove(first, emitter));
  EXPECT_TRUE(sizes.prove(again, emitter));
  EXPECT_EQ(emitter.checks,
            std::vector<std::string>{"the rows differ (n and m)"});
}

TEST_F(SizeTableTest, AFactIsForgottenWhereItsPathEnds) {
  Size n = sizes.add("n", Value()), m = sizes.add("m", Value());
  size_t mark = sizes.mark();
  ShapeAnswer inside = equal(n, m), after = equal(n, m);
  sizes.prove(inside, emitter);
  sizes.forgetSince(mark);
  sizes.prove(after, emitter);
  EXPECT_EQ(emitter.checks.size(), 2u);
}

TEST_F(SizeTableTest, ContradictionsAreProblems) {
  Size n = sizes.add("n", Value(), 3), m = sizes.add("m", Value());
  ShapeAnswer known = equal(n, Size(4));
  EXPECT_FALSE(sizes.prove(known, emitter));
  EXPECT_EQ(known.problem, "the rows differ: n and 4");
  // 2 * m is never 5.
  ShapeAnswer never = equal(Size(2) * m, Size(5));
  EXPECT_FALSE(sizes.prove(never, emitter));
  EXPECT_TRUE(emitter.checks.empty());
}

TEST_F(SizeTableTest, LoopIndicesAreWithinTheirLimits) {
  Size n = sizes.add("n", Value()), i = sizes.add("i", Value());
  EXPECT_FALSE(sizes.isNeverNegative(i));
  EXPECT_FALSE(sizes.isWithin(i, n, /*inclusive=*/false));
  sizes[i.getAtom()].nonNegative = true;
  sizes[i.getAtom()].limit = n;
  EXPECT_TRUE(sizes.isNeverNegative(i));
  EXPECT_TRUE(sizes.isWithin(i, n, /*inclusive=*/false));
  EXPECT_TRUE(sizes.isWithin(i + Size(1), n, /*inclusive=*/true));
  EXPECT_FALSE(sizes.isWithin(i + Size(1), n, /*inclusive=*/false));
}

TEST_F(SizeTableTest, ChecksProveThatSizesAreNotNegative) {
  Size n = sizes.add("n", Value());
  EXPECT_FALSE(sizes.isNeverNegative(n - Size(2)));
  sizes.proveNotNegative(n - Size(3));
  EXPECT_TRUE(sizes.isNeverNegative(n - Size(2)));
  EXPECT_FALSE(sizes.isNeverNegative(n - Size(4)));
}

} // namespace
