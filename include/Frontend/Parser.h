//===- Parser.h - text to AST ---------------------------------------------===//
//
// The entry to the parser. It is a recursive descent over the grammar of
// docs/Language.md that recovers at the end of a statement, so one run reports
// every independent mistake in a file, each once.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_PARSER_H
#define TDC_FRONTEND_PARSER_H

#include "Frontend/AST.h"
#include "Frontend/Diagnostics.h"

namespace tdc {

/// The limits that keep a hostile or generated file from exhausting memory or
/// the stack, here and in everything that walks the tree afterwards.
struct ParserLimits {
  static constexpr unsigned fileBytes = 64u << 20;
  static constexpr unsigned identifierBytes = 1024;
  /// Brackets, blocks and operators that are nested in the text.
  static constexpr unsigned nesting = 256;
  /// The height of one expression's tree: `a + a + a` nests in the tree only.
  static constexpr unsigned expressionHeight = 1000;
};

/// Parses one file. The tree lives in `context` and refers to the text in
/// `sources`. Problems go to `diags`; the result is never null and holds what
/// could be parsed, so it is complete only if no error was reported.
const ast::Program *parseFile(const SourceManager &sources, FileId file,
                              ast::Context &context, DiagnosticEngine &diags);

/// The language's name of the dtype `torch.<name>` if it differs; else empty.
llvm::StringRef getDtypeOfPyTorch(llvm::StringRef name);

} // namespace tdc

#endif // TDC_FRONTEND_PARSER_H
