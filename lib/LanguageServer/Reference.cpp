//===- Reference.cpp - the functions of the language ----------------------===//
//
// docs/Reference.md is embedded (CMakeLists.txt): a test holds its tables equal
// to the functions that the compiler has.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "Frontend/Characters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tdc;

extern const char tdcReferenceText[];

/// Reads "| `name(parameters)` | description |"; false for another line.
static bool readRow(llvm::StringRef line, LanguageFunction &row) {
  if (!line.consume_front("| `") || !line.consume_back(" |"))
    return false;
  auto [code, description] = line.split("` | ");
  auto [name, rest] = code.split('(');
  if (!rest.consume_back(")") || name.empty())
    return false;
  row = {name, rest, description};
  if (row.name.consume_front("x."))
    row.name = row.name.data() - 1; // with the dot
  row.name =
      row.name.take_while([](char c) { return isNameChar(c) || c == '.'; });
  return !row.name.empty();
}

llvm::ArrayRef<LanguageFunction> tdc::getLanguageFunctions() {
  static const std::vector<LanguageFunction> all = [] {
    std::vector<LanguageFunction> rows;
    bool isTable = false;
    for (llvm::StringRef line : llvm::split(tdcReferenceText, '\n')) {
      // A table of functions follows a comment that names its source.
      isTable = line.starts_with("<!-- ") || (isTable && line.starts_with("|"));
      LanguageFunction row;
      if (isTable && readRow(line, row))
        rows.push_back(row);
    }
    llvm::sort(rows, [](auto &a, auto &b) { return a.name < b.name; });
    return rows;
  }();
  return all;
}

const LanguageFunction *tdc::findLanguageFunction(llvm::StringRef name) {
  llvm::ArrayRef<LanguageFunction> all = getLanguageFunctions();
  auto *found = llvm::lower_bound(
      all, name, [](const LanguageFunction &function, llvm::StringRef name) {
        return function.name < name;
      });
  return found != all.end() && found->name == name ? found : nullptr;
}

const LanguageFunction *tdc::findLanguageMethod(llvm::StringRef name) {
  const LanguageFunction *own = findLanguageFunction(("." + name).str());
  return own ? own : findLanguageFunction(name);
}

llvm::SmallVector<llvm::StringRef>
tdc::getKeywords(const LanguageFunction &function) {
  llvm::SmallVector<llvm::StringRef> words, names;
  function.parameters.split(words, ',');
  for (llvm::StringRef word : words) {
    auto [name, value] = word.trim().split('=');
    // `*size=` can be given by name, `*tensors` cannot; a default may have
    // commas of its own.
    bool isRest = name.consume_front("*") && !word.contains('=');
    if (!isRest && !name.empty() && llvm::all_of(name, isNameChar) &&
        !llvm::isDigit(name.front()))
      names.push_back(name);
  }
  return names;
}
