//===- ParseFile.cpp - parses a file, which may be no program -------------===//
//
// A text in another language has a syntax error in each line, and the first few
// say as much as all of them.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/SmallSet.h"

using namespace tdc;

/// The number of syntax errors after which a file with fewer parts that are
/// understood is no program.
static constexpr size_t kEnoughErrors = 5;

/// The last error to show of a file that is no program, else null. Statements
/// on lines without an error are understood, and so are mistakes that have a
/// fix.
static const Diagnostic *findLast(const DiagnosticEngine &found,
                                  const ast::Program &program) {
  const SourceManager &sources = found.getSources();
  llvm::SmallSet<unsigned, kEnoughErrors> lines; ///< with errors
  size_t understood = 0, errors = 0;
  for (const Diagnostic *report : found.getSorted()) {
    if (report->severity != Severity::Error)
      continue;
    if (!report->fixes.empty()) {
      ++understood;
      continue;
    }
    SourceRange place = report->primary.range;
    lines.insert(sources.getLineColumn(place).line);
    if (++errors != kEnoughErrors)
      continue;
    for (const ast::Stmt *item : program.items)
      understood += item->range.begin < place.begin &&
                    !lines.contains(sources.getLineColumn(item->range).line);
    return understood < kEnoughErrors ? report : nullptr;
  }
  return nullptr;
}

const ast::Program *tdc::parseFile(const SourceManager &sources, FileId file,
                                   ast::Context &context,
                                   DiagnosticEngine &diags) {
  DiagnosticEngine found(sources);
  const ast::Program *program =
      Parser(sources, file, context, found).parseProgram();
  const Diagnostic *last = findLast(found, *program);
  for (const Diagnostic *report : found.getSorted()) {
    Diagnostic &copy = diags.report(*report);
    if (report != last)
      continue;
    copy.note("this does not look like a .tdsl program: only its first errors "
              "are shown");
    return program;
  }
  diags.takeOverDropped(found);
  return program;
}
