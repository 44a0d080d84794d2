//===- LargestBatch.cpp - the batch size with which a program fits --------===//
//
// A program that does not fit on a device is compiled again, with other batches
// in its place, until the largest that fits is found.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Frontend/Sema.h"

namespace tdc {

static bool isNumber(llvm::StringRef text) {
  int64_t number;
  return !text.getAsInteger(10, number);
}

bool Compilation::fitsWith(SourceRange batchSize, int64_t size) {
  CompileOptions changed = options;
  changed.programArgs.clear();
  for (const auto &argument : getCheckOptions().arguments)
    changed.set.emplace_back(argument.getKey().str(), argument.getValue());
  std::string text = getText().str(), number = std::to_string(size);
  llvm::StringRef written = sources.getText(batchSize);
  if (isNumber(written))
    text.replace(batchSize.begin, written.size(), number);
  else
    changed.set.emplace_back(written.str(), number);
  Silence silence;
  Compilation trial(changed, silence);
  trial.isTrial = true;
  trial.machine = machine;
  trial.setText(text);
  return trial.generate() && trial.lower(Phase::NVVM);
}

/// Only where one place says the size of all batches, by a number or by the
/// name of an argument.
void Compilation::tellLargestBatch(Diagnostic &report) {
  if (batchSizes.size() != 1)
    return;
  auto [place, size] = *batchSizes.begin();
  SourceRange range{file, place.first, place.second};
  std::string name = sources.getText(range).str();
  bool isArgument = false;
  if (auto rows = (*module)->getAttrOfType<mlir::ArrayAttr>("td.arguments"))
    for (auto row : rows.getAsRange<mlir::DictionaryAttr>())
      isArgument |= row.getAs<mlir::StringAttr>("name").strref() == name;
  if (!isArgument && !isNumber(name))
    return;
  int64_t fits = 0, fails = size;
  while (fails - fits > 1) {
    int64_t between = fits + (fails - fits) / 2;
    (fitsWith(range, between) ? fits : fails) = between;
  }
  if (fits == 0)
    report.note("it does not fit with a batch of 1 either", range);
  else
    report.note("the largest batch that fits: `" +
                    (isArgument ? "--" + name + " " : "batch_size=") +
                    std::to_string(fits) + "`",
                range);
}

} // namespace tdc
