//===- Document.cpp - an open document ------------------------------------===//

#include "Document.h"
#include "Frontend/Parser.h"

using namespace tdc;

Syntax::Syntax(llvm::StringRef text) : program(parse(text)), names(*program) {}

const ast::Program *Syntax::parse(llvm::StringRef text) {
  FileId file = sources.add("", text);
  DiagnosticEngine diags(sources);
  const ast::Program *tree = parseFile(sources, file, context, diags);
  hasErrors = diags.hasErrors();
  return tree;
}

const Syntax &Document::getSyntax() {
  if (!syntax)
    syntax = std::make_unique<Syntax>(text->get());
  return *syntax;
}

void Document::setText(Text changed) {
  text = std::make_shared<const Text>(std::move(changed));
  syntax = nullptr;
  differences.reset();
}

void Document::setAnalysis(std::shared_ptr<const Analysis> finished) {
  analysis = std::move(finished);
  differences.reset();
}

const Analysis *Document::getCurrent() const {
  return analysis && analysis->getText() == text ? analysis.get() : nullptr;
}

const Document::Differences &Document::getDifferences() {
  llvm::StringRef checked = analysis->getText()->get(), latest = text->get();
  if (!differences)
    differences = {{latest, checked}, {checked, latest}};
  return *differences;
}

llvm::ArrayRef<Meaning> Document::getMeanings(SourceRange range) {
  if (!analysis)
    return {};
  auto checked = getDifferences().toAnalysis.follow(range);
  if (!checked)
    return {};
  return analysis->getMeanings(checked->begin, checked->end);
}

std::optional<SourceRange> Document::getCurrentRange(SourceRange range) {
  if (range.file != analysis->getFile())
    return std::nullopt;
  auto latest = getDifferences().toLatest.follow(range);
  if (latest)
    latest->file = getSyntax().getFile();
  return latest;
}

llvm::json::Value tdc::toValue(const lsp::Location &location) {
  return llvm::json::Object{{"uri", location.uri.uri().str()},
                            {"range", location.range}};
}

std::optional<lsp::Location> Locations::find(SourceRange range) {
  if (!range.isValid())
    return std::nullopt;
  if (range.file == analysis.getFile())
    return lsp::Location(uri,
                         analysis.getText()->getRange(range.begin, range.end));
  const SourceManager &sources = analysis.getSources();
  auto file = lsp::URIForFile::fromFile(sources.getName(range.file));
  if (!file) { // the prelude is in no file
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  auto [entry, isNew] =
      texts.try_emplace(range.file, sources.getText(range.file).str());
  return lsp::Location(*file, entry->second.getRange(range.begin, range.end));
}
