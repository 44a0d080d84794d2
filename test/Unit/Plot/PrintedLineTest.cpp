//===- PrintedLineTest.cpp - the numbers in a line of output --------------===//

#include "Plot/PrintedLine.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tdc;

namespace {

/// "name=text unit" of each number.
std::vector<std::string> parse(llvm::StringRef line) {
  std::vector<std::string> found;
  for (const PrintedNumber &number : parsePrintedLine(line))
    found.push_back(number.getFullName() + "=" + number.text +
                    (number.unit.empty() ? "" : " ") + number.unit);
  return found;
}

using Names = std::vector<std::string>;

TEST(PrintedLine, NamesAreTheWordsBeforeANumber) {
  EXPECT_EQ(parse("epoch 3: loss 0.1234, accuracy 93.1%"),
            (Names{"epoch=3", "loss=0.1234", "accuracy=93.1 %"}));
  EXPECT_EQ(parse("epoch  3  loss 0.1234"), (Names{"epoch=3", "loss=0.1234"}));
  EXPECT_EQ(parse("loss=0.5 lr=1e-3"), (Names{"loss=0.5", "lr=1e-3"}));
  EXPECT_EQ(parse("loss: 0.5 | mean loss: -0.25"),
            (Names{"loss=0.5", "mean loss=-0.25"}));
  EXPECT_EQ(parse("top-1 acc@5 76.1"), (Names{"top-1 acc@5=76.1"}));
  EXPECT_EQ(parse("the loss was 3, and is 2."), (Names{"the loss=3", "and=2"}));
}

TEST(PrintedLine, ALabelGroupsTheNamesAfterIt) {
  EXPECT_EQ(
      parse("epoch 1: train: loss 0.5, acc 0.9; val: loss 0.6"),
      (Names{"epoch=1", "train loss=0.5", "train acc=0.9", "val loss=0.6"}));
  EXPECT_EQ(parse("sgd, epoch 1: loss 0.5"),
            (Names{"sgd epoch=1", "sgd loss=0.5"}));
  EXPECT_EQ(parse("Test Error: Accuracy: 65.3%, Avg loss: 0.785"),
            (Names{"Test Error Accuracy=65.3 %", "Test Error Avg loss=0.785"}));
}

TEST(PrintedLine, WordsAfterANumberNameItIfNoneAreBefore) {
  EXPECT_EQ(parse("93.1% accuracy, 0.25 loss"),
            (Names{"accuracy=93.1 %", "loss=0.25"}));
  EXPECT_EQ(parse("epoch 3: 0.25 loss (best)"),
            (Names{"epoch=3", "loss=0.25"}));
  EXPECT_EQ(parse("epoch 3: 0.25"), (Names{"epoch=3", "=0.25"}));
  EXPECT_EQ(parse("loss 0.25 (best so far)"), (Names{"loss=0.25"}));
}

TEST(PrintedLine, TotalsAreNotNumbers) {
  EXPECT_EQ(parse("Epoch [3/10], Loss: 0.5"), (Names{"Epoch=3", "Loss=0.5"}));
  EXPECT_EQ(parse("epoch 3 / 10 loss 0.5"), (Names{"epoch=3", "loss=0.5"}));
  // The tutorials of PyTorch.
  EXPECT_EQ(parse("loss: 2.303494  [ 6400/60000]"),
            (Names{"loss=2.303494", "=6400"}));
  EXPECT_EQ(parse("[1,  2000] loss: 2.173"),
            (Names{"=1", "=2000", "loss=2.173"}));
}

TEST(PrintedLine, Units) {
  EXPECT_EQ(parse("step 3 - 12.5s - loss: 0.5"),
            (Names{"step=3", "=12.5 s", "loss=0.5"}));
  EXPECT_EQ(parse("time 12.5 ms loss 0.5"),
            (Names{"time=12.5 ms", "loss=0.5"}));
  EXPECT_EQ(parse("speed 410 images/s, 3.4GB"),
            (Names{"speed=410 images/s", "=3.4 GB"}));
  EXPECT_EQ(parse("accuracy 93.1 %"), (Names{"accuracy=93.1 %"}));
  EXPECT_EQ(parse("time 12µs"), (Names{"time=12 µs"}));
}

TEST(PrintedLine, FormsOfNumbers) {
  std::vector<PrintedNumber> numbers = parsePrintedLine(
      "a -1 b +.5 c 1.5e-05 d 1,048,576 e nan f -inf g 2E3 h 7.");
  ASSERT_EQ(numbers.size(), 8u);
  std::vector<double> values = {-1, 0.5,       1.5e-5, 1048576,
                                0,  -HUGE_VAL, 2000,   7};
  std::vector<bool> integers = {true,  false, false, true,
                                false, false, false, true};
  for (unsigned i = 0; i != 8; ++i) {
    if (i == 4)
      EXPECT_TRUE(std::isnan(numbers[i].value));
    else
      EXPECT_EQ(numbers[i].value, values[i]);
    EXPECT_EQ(numbers[i].isInteger, integers[i]);
  }
}

TEST(PrintedLine, WhatIsNotANumber) {
  EXPECT_EQ(parse("Linear2 fc1.weight v1.2.3 x_1 info nano"), Names{});
  EXPECT_EQ(parse("shape 224x224"), Names{"shape=224 x"});
  EXPECT_EQ(parse(""), Names{});
  EXPECT_EQ(parse("---- | ==== : , ; () [] / % - ."), Names{});
  EXPECT_EQ(parse("\xff\xfe \xe2"), Names{});
}

TEST(PrintedLine, TensorsAndLists) {
  EXPECT_EQ(parse("loss tensor(0.5)"), Names{"loss=0.5"});
  EXPECT_EQ(parse("loss: tensor(0.5, device='cuda:0')"),
            (Names{"loss=0.5", "device cuda=0"}));
  for (llvm::StringRef row :
       {"tensor([0.5, 0.25])", "        0.5, 0.25,", "        0.5, 0.25])"}) {
    std::vector<PrintedNumber> numbers = parsePrintedLine(row);
    ASSERT_EQ(numbers.size(), 2u) << row.str();
    EXPECT_TRUE(numbers[0].isInList && numbers[1].isInList) << row.str();
  }
  std::string row;
  for (int i = 0; i != 40; ++i)
    row += std::to_string(i) + " ";
  EXPECT_EQ(parse(row), Names{});
  EXPECT_EQ(parse(std::string(5000, ' ') + "loss 1"), Names{});
}

} // namespace
