//===- LargestBatch.cpp - the batch size with which a program fits --------===//
//
// A program that does not fit on a device is compiled again, with other batches
// in its place, until the largest that fits is found.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Frontend/Sema.h"
#include <functional>
#include <set>

namespace tdc {

static bool isNumber(llvm::StringRef text) {
  int64_t number;
  return !text.getAsInteger(10, number);
}

/// What all loaders of the program have as their batch size: one number, or the
/// name of one argument; else "".
std::string Compilation::getBatchSize() const {
  if (batchSizes.empty())
    return "";
  std::string first = sources.getText(batchSizes.front().first).str();
  auto isSame = [&](const auto &place) {
    return place.first.file == file && sources.getText(place.first) == first;
  };
  if (!llvm::all_of(batchSizes, isSame))
    return "";
  if (isNumber(first))
    return first;
  if (auto rows = (*module)->getAttrOfType<mlir::ArrayAttr>("td.arguments"))
    for (auto row : rows.getAsRange<mlir::DictionaryAttr>())
      if (row.getAs<mlir::StringAttr>("name").strref() == first)
        return first;
  return "";
}

bool Compilation::fitsWith(int64_t batchSize) {
  CompileOptions changed = options;
  changed.programArgs.clear();
  for (const auto &argument : getCheckOptions().arguments)
    changed.set.emplace_back(argument.getKey().str(), argument.getValue());
  std::string text = getText().str(), name = getBatchSize(),
              number = std::to_string(batchSize);
  if (isNumber(name)) {
    // A loop that is checked twice has its loader twice.
    std::set<uint32_t, std::greater<uint32_t>> places;
    for (const auto &[range, size] : batchSizes)
      places.insert(range.begin);
    for (uint32_t place : places)
      text.replace(place, name.size(), number);
  } else {
    changed.set.emplace_back(name, number);
  }
  Silence silence;
  Compilation trial(changed, silence);
  trial.isTrial = true;
  trial.machine = machine;
  trial.setText(text);
  return trial.generate() && trial.lower(Phase::NVVM);
}

void Compilation::tellLargestBatch(Diagnostic &report) {
  std::string name = getBatchSize();
  if (name.empty())
    return;
  auto [place, size] = batchSizes.front();
  int64_t fits = 0, fails = size;
  auto test = [&](int64_t batch) {
    (fitsWith(batch) ? fits : fails) = batch;
    return fits == batch;
  };
  // Near where it would be if all but the state grew with the batch, then twice
  // as far each time, until it lies between the two.
  auto guess = static_cast<int64_t>(size * batchShare);
  if (guess > fits && guess < fails) {
    bool isUp = test(guess);
    for (int64_t step = 1; fails - fits > step; step *= 2)
      if (test(isUp ? fits + step : fails - step) != isUp)
        break;
  }
  while (fails - fits > 1)
    test(fits + (fails - fits) / 2);
  if (fits == 0) {
    report.note("it does not fit with a batch of 1 either", place);
    return;
  }
  std::string number = std::to_string(fits);
  report.note("the largest batch that fits: `" +
                  (isNumber(name) ? "batch_size=" + number
                   : options.purpose == Purpose::Run
                       ? "--" + name + " " + number
                       : "--set " + name + "=" + number) +
                  "`",
              place);
}

} // namespace tdc
