//===- parse-fuzz.cpp - no text may harm the parser -----------------------===//
//
// Parses arbitrary bytes and prints what came of it, the tree and the
// diagnostics in both forms, so that every range is used as well. In
// addition to the sanitizers it checks that ranges and edits lie inside the
// text, and that a file that is not wholly understood has an error.
//
//===----------------------------------------------------------------------===//
#include "Frontend/ASTPrinter.h"
#include "Frontend/Parser.h"
#include <cstdlib>

using namespace tdc;

static void check(bool condition, const char *what) {
  if (condition)
    return;
  llvm::errs() << "parse-fuzz: " << what << '\n';
  abort();
}

static void checkRange(const SourceManager &sources, SourceRange range) {
  check(range.begin <= range.end, "a range ends before it begins");
  check(range.end <= sources.getText(range.file).size(),
        "a range lies outside of the text");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  ast::Context context;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  FileId file = sources.add("fuzz.tdsl", text);
  const ast::Program *program = parseFile(sources, file, context, diags);

  ast::print(llvm::nulls(), *program);
  diags.printText(llvm::nulls());
  diags.printJSON(llvm::nulls());
  for (const Diagnostic *diagnostic : diags.getSorted()) {
    checkRange(sources, diagnostic->primary.range);
    for (const FixIt &fix : diagnostic->fixes)
      for (const Edit &edit : fix.edits)
        checkRange(sources, edit.range);
  }
  for (const ast::Stmt *item : program->items)
    checkRange(sources, item->range);
  return 0;
}
