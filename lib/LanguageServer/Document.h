//===- Document.h - an open document --------------------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_DOCUMENT_H
#define TDC_LIB_LANGUAGESERVER_DOCUMENT_H

#include "Analysis.h"
#include "Names.h"

namespace tdc {

/// The syntax tree of one version.
class Syntax {
public:
  explicit Syntax(llvm::StringRef text);

  SourceManager sources;
  ast::Context context;
  bool hasErrors = false; ///< the tree is not complete
  const ast::Program *program;
  Names names;

  FileId getFile() const { return program->range.file; }

private:
  const ast::Program *parse(llvm::StringRef text);
};

/// The latest text, its tree, and the last check that came to its end, which
/// may be of an earlier text.
struct Document {
  lsp::URIForFile uri;
  int64_t version = 0;
  std::shared_ptr<const Text> text;

  std::string getPath() const { return uri.file().str(); }
  const Syntax &getSyntax();
  void setText(Text changed);
  const std::shared_ptr<const Analysis> &getAnalysis() const {
    return analysis;
  }
  void setAnalysis(std::shared_ptr<const Analysis> finished);

  /// The analysis, if it is of the latest text; else null.
  const Analysis *getCurrent() const;
  /// What a range of the latest text is, as far as the analysis knows.
  llvm::ArrayRef<Meaning> getMeanings(SourceRange range);
  /// The range in the tree for one of the document in the analysis; none if
  /// that part has changed.
  std::optional<SourceRange> getCurrentRange(SourceRange range);

  lsp::Range getRange(SourceRange range) const {
    return text->getRange(range.begin, range.end);
  }

private:
  /// From one text to the other.
  struct Differences {
    Difference toAnalysis, toLatest;
  };
  const Differences &getDifferences();

  std::shared_ptr<const Analysis> analysis;
  std::unique_ptr<Syntax> syntax; ///< of `text`, once it is needed
  std::optional<Differences> differences;
};

/// A location that owns its text; LLVM's own conversion refers to the
/// location's.
llvm::json::Value toValue(const lsp::Location &location);

/// Where ranges of an analysis are, for the editor.
class Locations {
public:
  Locations(const Analysis &analysis, lsp::URIForFile uri)
      : analysis(analysis), uri(std::move(uri)) {}

  /// None for a range in no file, or in the prelude.
  std::optional<lsp::Location> find(SourceRange range);

private:
  const Analysis &analysis;
  lsp::URIForFile uri;
  std::map<FileId, Text> texts; ///< of imports
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_DOCUMENT_H
