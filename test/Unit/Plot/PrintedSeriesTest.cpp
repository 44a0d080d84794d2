//===- PrintedSeriesTest.cpp - the curves in the output of a program ------===//

#include "Plot/PrintedSeries.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace tdc;

namespace {

std::string join(llvm::ArrayRef<PlotPoint> points) {
  std::string text;
  for (const PlotPoint &point : points)
    text += llvm::formatv(" {0:F2}:{1:F2}", point.x, point.y);
  return text;
}

/// "name (run), unit over axis: x:y ...; last" of each curve.
std::vector<std::string> collect(llvm::StringRef output) {
  PrintedSeries series;
  series.add(output);
  std::vector<std::string> found;
  for (const PlotCurve &curve : series.getCurves())
    found.push_back(
        curve.name +
        (curve.run == 1 ? "" : " (" + std::to_string(curve.run) + ")") +
        (curve.unit.empty() ? "" : ", " + curve.unit) + " over " + curve.axis +
        ":" + join(curve.points) + "; " + curve.last);
  return found;
}

using Curves = std::vector<std::string>;

TEST(PrintedSeries, CurvesOverTheEpoch) {
  EXPECT_EQ(collect("training\nepoch 0: loss 0.50, accuracy 80%\n"
                    "epoch 1: loss 0.25, accuracy 90%\ndone in 3 s\n"),
            (Curves{"loss over epoch: 0.00:0.50 1.00:0.25; 0.25",
                    "accuracy, % over epoch: 0.00:80.00 1.00:90.00; 90"}));
}

TEST(PrintedSeries, PrintsMayBePartsOfLines) {
  PrintedSeries series;
  for (llvm::StringRef text :
       {"epoch", " 0 lo", "ss 3", "\nepoch 1 loss 2\nepoch"})
    series.add(text);
  ASSERT_EQ(series.getCurves().size(), 1u);
  EXPECT_EQ(join(series.getCurves()[0].points), " 0.00:3.00 1.00:2.00");
}

TEST(PrintedSeries, TheLineCountsWithoutACounter) {
  EXPECT_EQ(collect("loss 0.5\nloss 0.25\n"),
            (Curves{"loss over line: 1.00:0.50 2.00:0.25; 0.25"}));
  EXPECT_EQ(collect("0.5\n0.25\n"),
            (Curves{"value over line: 1.00:0.50 2.00:0.25; 0.25"}));
  EXPECT_EQ(collect("0 0.5 7\n1 0.25 3\n"),
            (Curves{"value 1 over count: 0.00:0.50 1.00:0.25; 0.25",
                    "value 2 over count: 0.00:7.00 1.00:3.00; 3"}));
}

TEST(PrintedSeries, NumbersThatDoNotChangeAreNone) {
  EXPECT_EQ(
      collect(
          "epoch 1 of 9: loss 0.5, lr 0.1\nepoch 2 of 9: loss 0.4, lr 0.1\n"),
      (Curves{"loss over epoch: 1.00:0.50 2.00:0.40; 0.4"}));
  EXPECT_EQ(collect("loss nan\nloss nan\n"), Curves{});
  EXPECT_EQ(collect("accuracy 0.5\n"), Curves{});
  EXPECT_EQ(collect("epoch 1\nepoch 2\nepoch 3\n"), Curves{});
}

TEST(PrintedSeries, AnIntegerThatDoesNotCountIsACurve) {
  EXPECT_EQ(collect("hits 10\nhits 17\nhits 19\n"),
            (Curves{"hits over line: 1.00:10.00 2.00:17.00 3.00:19.00; 19"}));
}

TEST(PrintedSeries, StepsMayBeIrregularAtTheEnds) {
  EXPECT_EQ(collect("step 1 loss 5\nstep 100 loss 4\nstep 200 loss 3\n"
                    "step 300 loss 2\nstep 333 loss 1\n"),
            (Curves{"loss over step: 1.00:5.00 100.00:4.00 200.00:3.00 "
                    "300.00:2.00 333.00:1.00; 1"}));
}

TEST(PrintedSeries, StepsOfEpochs) {
  EXPECT_EQ(collect("epoch 1, step 0: loss 9\nepoch 1, step 50: loss 8\n"
                    "epoch 2, step 0: loss 7\nepoch 2, step 50: loss 6\n"
                    "epoch 3, step 0: loss 5\n"),
            (Curves{"loss over epoch: 1.00:9.00 1.50:8.00 2.00:7.00 2.50:6.00 "
                    "3.00:5.00; 5"}));
  EXPECT_EQ(collect("epoch 1\nstep 0: loss 9\nstep 50: loss 8\n"
                    "epoch 2\nstep 0: loss 7\nstep 50: loss 6\n"),
            (Curves{"loss over step: 0.00:9.00 50.00:8.00 100.00:7.00 "
                    "150.00:6.00; 6"}));
  // Steps that are counted on need no epoch.
  EXPECT_EQ(collect("epoch 1, step 10: loss 9\nepoch 1, step 20: loss 8\n"
                    "epoch 2, step 30: loss 7\n"),
            (Curves{"loss over step: 10.00:9.00 20.00:8.00 30.00:7.00; 7"}));
}

TEST(PrintedSeries, EpochsThatBeginAgainAreAnotherRun) {
  EXPECT_EQ(collect("epoch 1 loss 9.0\nepoch 2 loss 8.25\n"
                    "epoch 1 loss 7.0\nepoch 2 loss 6.5\n"),
            (Curves{"loss over epoch: 1.00:9.00 2.00:8.25; 8.2",
                    "loss (2) over epoch: 1.00:7.00 2.00:6.50; 6.5"}));
}

TEST(PrintedSeries, LinesWithMoreNumbersContinueACurve) {
  EXPECT_EQ(collect("epoch 1: loss 6\nepoch 2: loss 5, accuracy 50%\n"
                    "epoch 3: loss 4\nepoch 4: loss 3, accuracy 60%\n"
                    "epoch 5: loss 2\n"),
            (Curves{"loss over epoch: 1.00:6.00 2.00:5.00 3.00:4.00 4.00:3.00 "
                    "5.00:2.00; 2",
                    "accuracy, % over epoch: 2.00:50.00 4.00:60.00; 60"}));
  // Also in one line.
  EXPECT_EQ(collect("epoch 1: loss 6\nepoch 2: loss 5\n"
                    "epoch 3: loss 4, accuracy 60%\n"),
            (Curves{"loss over epoch: 1.00:6.00 2.00:5.00 3.00:4.00; 4"}));
}

TEST(PrintedSeries, RowsOfTensorsAreNone) {
  EXPECT_EQ(collect("tensor([[1., 2.],\n        [3., 4.]])\n"
                    "tensor([[5., 6.],\n        [7., 8.]])\n"),
            Curves{});
}

TEST(PrintedSeries, ManyTextsKeepTheCurvesThatHaveBegun) {
  std::string output = "epoch 0 loss 9\nepoch 1 loss 8\n";
  for (int i = 0; i != 5000; ++i)
    output += "image" + std::to_string(i) + " is 1\n";
  output += "epoch 2 loss 7\n";
  EXPECT_EQ(collect(output),
            (Curves{"loss over epoch: 0.00:9.00 1.00:8.00 2.00:7.00; 7"}));
}

} // namespace
