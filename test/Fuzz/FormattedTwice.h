//===- FormattedTwice.h - the properties of a formatted text --------------===//
//
// Formats any bytes, and the result again. A text that parses has the same
// tokens, comments, syntax tree and mistakes afterwards, and the second time
// changes nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_TEST_FUZZ_FORMATTEDTWICE_H
#define TDC_TEST_FUZZ_FORMATTEDTWICE_H

#include "Frontend/ASTPrinter.h"
#include "Frontend/Formatter.h"
#include "Frontend/Lexer.h"
#include "Frontend/NullEmitter.h"
#include "Frontend/Parser.h"
#include "FuzzedProgram.h"

namespace tdc {

struct FormattedTwice {
  explicit FormattedTwice(llvm::StringRef text)
      : file(sources.add("program.tdsl", text)) {}

  /// Which property does not hold, and for which text; "" if all do.
  std::string findProblem() {
    std::optional<std::string> once = formatFile(sources, file, diags);
    if (once.has_value() == diags.hasErrors())
      return "there is a text, and there are errors";
    if (!once)
      return "";
    FileId formatted = sources.add("formatted.tdsl", *once);
    DiagnosticEngine found(sources);
    std::optional<std::string> twice = formatFile(sources, formatted, found);
    const char *problem =
        !twice                                      ? "does not parse"
        : *twice != *once                           ? "changes again"
        : tokensOf(formatted) != tokensOf(file)     ? "has other tokens"
        : commentsOf(formatted) != commentsOf(file) ? "has other comments"
        : treeOf(formatted) != treeOf(file)         ? "has another tree"
        : mistakesOf(formatted) != mistakesOf(file) ? "has other mistakes"
                                                    : nullptr;
    if (!problem)
      return "";
    return ("the formatted text " + llvm::Twine(problem) + ":\n" + *once +
            (twice ? "\nformatted again:\n" + *twice : ""))
        .str();
  }

  SourceManager sources;
  DiagnosticEngine diags{sources};
  FileId file;

private:
  /// Without the ends of statements, which the tree shows.
  std::vector<llvm::StringRef> tokensOf(FileId file) const {
    DiagnosticEngine ignored(sources);
    std::vector<llvm::StringRef> texts;
    for (const Token &token : lexFile(sources, file, ignored).tokens)
      if (token.kind != Tok::Newline)
        texts.push_back(
            sources.getText(SourceRange{file, token.begin, token.end}));
    return texts;
  }

  std::vector<llvm::StringRef> commentsOf(FileId file) const {
    DiagnosticEngine ignored(sources);
    std::vector<llvm::StringRef> comments;
    uint32_t end = 0;
    for (const Token &token : lexFile(sources, file, ignored).tokens) {
      for (llvm::StringRef line :
           llvm::split(sources.getText(file).slice(end, token.begin), '\n'))
        if (size_t at = line.find('#'); at != line.npos)
          comments.push_back(line.substr(at).rtrim());
      end = token.end;
    }
    return comments;
  }

  std::string treeOf(FileId file) const {
    DiagnosticEngine ignored(sources);
    ast::Context context;
    std::string text;
    llvm::raw_string_ostream os(text);
    ast::print(os, *parseFile(sources, file, context, ignored));
    return text;
  }

  /// The codes, in the order of the text.
  std::vector<DiagCode> mistakesOf(FileId formatted) const {
    llvm::StringRef text = sources.getText(formatted);
    std::vector<DiagCode> codes;
    // Such a comment is about its line.
    if (text.contains("allow("))
      return codes;
    NullEmitter emitter;
    FuzzedProgram program("fuzz.tdsl", text, emitter,
                          sources.getText(file).size());
    for (const Diagnostic *found : program.diags.getSorted())
      codes.push_back(found->code);
    return codes;
  }
};

} // namespace tdc

#endif // TDC_TEST_FUZZ_FORMATTEDTWICE_H
