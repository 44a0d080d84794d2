//===- LargestBatch.cpp - the largest batch size that fits ----------------===//
//
// A program that does not fit on a device is compiled again with other batch
// sizes, until the largest that fits is found: for a batch of B at most
// 2 log2(B) + 2 times. Usually it takes far fewer, since the bytes that the
// program needs give a first guess.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include <functional>
#include <set>

namespace tdc {

static bool isLiteral(llvm::StringRef text) {
  return llvm::isDigit(text.front());
}

/// The text that sets the batch size of all loaders of the program: one
/// literal, equal literals in each of them, or the name of one argument; else
/// "".
llvm::StringRef Compilation::getBatchSize() const {
  if (batchSizes.empty() || batchSizes.front().written.file != file)
    return "";
  const BatchSize &first = batchSizes.front();
  llvm::StringRef text = sources.getText(first.written);
  auto isSame = [&](const BatchSize &other) {
    bool inEach = first.written == first.range && other.written == other.range;
    return other.written == first.written ||
           (inEach && other.written.file == file &&
            sources.getText(other.written) == text);
  };
  return llvm::all_of(batchSizes, isSame) ? text : "";
}

std::optional<bool> Compilation::fitsWith(int64_t batchSize) {
  CompileOptions changed = options;
  changed.programArgs.clear();
  for (const auto &argument : getCheckOptions().arguments)
    changed.set.emplace_back(argument.getKey().str(), argument.getValue());
  llvm::StringRef said = getBatchSize();
  std::string text = getText().str(), number = std::to_string(batchSize);
  if (isLiteral(said)) {
    // A loop that is checked twice is in `batchSizes` twice.
    std::set<uint32_t, std::greater<uint32_t>> positions;
    for (const BatchSize &one : batchSizes)
      positions.insert(one.written.begin);
    for (uint32_t position : positions)
      text.replace(position, said.size(), number);
  } else {
    changed.set.emplace_back(said.str(), number);
  }
  Silence silence;
  Compilation trial(changed, silence, makeFrontEnd);
  trial.isTrial = true;
  trial.machine = machine;
  trial.setText(text);
  if (trial.generate() && trial.lower(Phase::NVVM))
    return true;
  return trial.isTooLarge ? std::optional(false) : std::nullopt;
}

void Compilation::tellLargestBatch(Diagnostic &report) {
  llvm::StringRef said = getBatchSize();
  if (said.empty())
    return;
  auto [range, written, size] = batchSizes.front();
  int64_t fits = 0, fails = size;
  bool isKnown = true;
  auto test = [&](int64_t batch) {
    std::optional<bool> answer = fitsWith(batch);
    isKnown &= answer.has_value();
    (answer.value_or(false) ? fits : fails) = batch;
    return fits == batch;
  };
  // Start at the batch that would fit if all memory but the state were
  // proportional to the batch. Double the distance from there until the largest
  // batch that fits lies between `fits` and `fails`.
  auto guess = static_cast<int64_t>(size * batchShare);
  if (guess > fits && guess < fails) {
    bool isUp = test(guess);
    for (int64_t step = 1; fails - fits > step; step *= 2)
      if (test(isUp ? fits + step : fails - step) != isUp)
        break;
  }
  while (isKnown && fails - fits > 1)
    test(fits + (fails - fits) / 2);
  // There is no note if the program does not compile with some sizes.
  if (!isKnown)
    return;
  if (fits == 0) {
    report.note("it does not fit with a batch of 1 either", range);
    return;
  }
  std::string number = std::to_string(fits);
  bool isNamed = isLiteral(said) && written != range;
  std::string fix = isNamed           ? number + "` instead of `" + said.str()
                    : isLiteral(said) ? "batch_size=" + number
                    : options.purpose == Purpose::Run
                        ? "--" + said.str() + " " + number
                        : "--set " + said.str() + "=" + number;
  report.note("the largest batch that fits: `" + fix + "`",
              isNamed ? written : range);
}

} // namespace tdc
