//===- ScaleTest.cpp - the numbers of an axis -----------------------------===//

#include "Scale.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace tdc;

namespace {

std::string spellTicks(const Scale &scale) {
  std::string text;
  for (double tick : scale.getTicks())
    text += (text.empty() ? "" : " ") + scale.spell(tick);
  return text;
}

TEST(Scale, TicksAreRound) {
  EXPECT_EQ(spellTicks(Scale(0, 9, 8, 1)), "0 2 4 6 8");
  EXPECT_EQ(spellTicks(Scale(1, 3, 8, 1)), "1 2 3");
  EXPECT_EQ(spellTicks(Scale(20, 60, 8, 20)), "20 40 60");
  EXPECT_EQ(spellTicks(Scale(0.12, 0.55, 4)), "0.2 0.4");
  // No round number of this distance is between them.
  EXPECT_EQ(spellTicks(Scale(24, 48, 8, 24)), "25 30 35 40 45");
  EXPECT_EQ(spellTicks(Scale(-1, 1, 4)), "-1.0 -0.5 0 0.5 1.0");
  EXPECT_EQ(spellTicks(Scale(0, 60000, 8, 1)), "0 10k 20k 30k 40k 50k 60k");
  EXPECT_EQ(spellTicks(Scale(0, 3e6, 4)), "0 1M 2M 3M");
  EXPECT_EQ(spellTicks(Scale(1000, 9000, 4)), "2000 4000 6000 8000");
  EXPECT_EQ(spellTicks(Scale(1000001, 1000005, 4)),
            "1000001 1000002 1000003 1000004 1000005");
  EXPECT_EQ(spellTicks(Scale(1e-9, 4e-9, 4)), "1e-09 2e-09 3e-09 4e-09");
}

TEST(Scale, ExtendsToTicks) {
  Scale scale(0.12, 0.55, 4);
  scale.extendToTicks();
  EXPECT_EQ(spellTicks(scale), "0 0.2 0.4 0.6");
  EXPECT_DOUBLE_EQ(scale.place(0), 0);
  EXPECT_DOUBLE_EQ(scale.place(0.15), 0.25);
  EXPECT_DOUBLE_EQ(scale.place(0.6), 1);
}

TEST(Scale, Logarithmic) {
  Scale scale = Scale::makeLogarithmic(0.002, 30, 4);
  scale.extendToTicks();
  EXPECT_EQ(spellTicks(scale), "0.001 0.01 0.1 1 10 100");
  EXPECT_DOUBLE_EQ(scale.place(0.001), 0);
  EXPECT_NEAR(scale.place(0.01), 0.2, 1e-12);
}

TEST(Scale, AnyNumbers) {
  for (auto [least, most] : {std::pair(5.0, 5.0),
                             {0.0, 0.0},
                             {-1.7e308, 1.7e308},
                             {5e-324, 1e-323},
                             {1e300, 1e308},
                             {1.0, 1.0 + 1e-15}}) {
    Scale scale(least, most, 4);
    scale.extendToTicks();
    EXPECT_LE(scale.getTicks().size(), 12u) << least;
    double place = scale.place(most);
    EXPECT_TRUE(place >= -0.01 && place <= 1.01) << least << " " << place;
  }
}

} // namespace
