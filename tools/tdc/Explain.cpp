//===- Explain.cpp - tdc explain ------------------------------------------===//

#include "Frontend/Diagnostics.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// `text` in lines of at most 80 columns.
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

int tdc::explainVerb(const Options &options) {
  if (options.file.empty()) {
    for (const DiagInfo &info : getDiagTable())
      llvm::outs() << info.name << "  " << info.title << "\n";
    return ExitOk;
  }
  if (const DiagInfo *info = findDiagInfo(options.file)) {
    llvm::outs() << info->name << ": " << info->title << "\n\n";
    printWrapped(info->explanation);
    return ExitOk;
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const DiagInfo &info : getDiagTable())
    names.push_back(info.name);
  std::string hint = "`tdc explain` lists them";
  if (auto nearest = findNearest(options.file, names))
    hint = "did you mean `" + nearest->str() + "`?";
  return reportUsage("there is no code `" + options.file + "`", hint);
}
