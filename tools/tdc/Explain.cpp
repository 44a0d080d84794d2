//===- Explain.cpp - tdc explain ------------------------------------------===//

#include "Frontend/Diagnostics.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// Prints `text` in lines of at most 80 columns.
static void printWrapped(llvm::StringRef text) {
  constexpr size_t width = 80;
  while (text.size() > width) {
    size_t end = text.rfind(' ', width + 1);
    if (end == llvm::StringRef::npos)
      end = std::min(text.find(' '), text.size());
    llvm::outs() << text.take_front(end) << "\n";
    text = text.drop_front(end).ltrim(' ');
  }
  llvm::outs() << text << "\n";
}

namespace {
struct Code {
  std::string name;
  llvm::StringRef title, explanation;
};
} // namespace

/// The codes of the compiler, then those of a running program.
static std::vector<Code> allCodes() {
  static constexpr struct {
    unsigned number;
    llvm::StringLiteral title, explanation;
  } runTime[] = {
#define TRDIAG(NUMBER, TITLE, EXPLANATION) {NUMBER, TITLE, EXPLANATION},
#include "tdc_errors.def"
  };
  std::vector<Code> codes;
  for (const DiagInfo &info : getDiagTable())
    codes.push_back({info.name.str(), info.title, info.explanation});
  for (const auto &row : runTime)
    codes.push_back({getRunTimeCode(row.number), row.title, row.explanation});
  return codes;
}

int tdc::explainVerb(const Options &options) {
  std::vector<Code> codes = allCodes();
  if (options.file.empty()) {
    for (const Code &code : codes)
      llvm::outs() << code.name << "  " << code.title << "\n";
    return ExitOk;
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const Code &code : codes) {
    if (llvm::StringRef(code.name).equals_insensitive(options.file)) {
      llvm::outs() << code.name << ": " << code.title << "\n\n";
      printWrapped(code.explanation);
      return ExitOk;
    }
    names.push_back(code.name);
  }
  std::string nearest = suggestNearest(options.file, names);
  return reportUsage("there is no code `" + options.file + "`",
                     nearest.empty() ? "`tdc explain` lists them" : nearest);
}
