//===- Reports.cpp - diagnostics and their fixes in an editor -------------===//

#include "Reports.h"
#include "Frontend/SafeFixes.h"

using namespace tdc;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The tag of code that an editor shows as faded.
static constexpr int kUnnecessary = 1;

static json::Object toJSON(const Diagnostic &report, lsp::Range range,
                           Locations &locations) {
  std::string message = report.title;
  json::Array related;
  // A text without a position that an editor can show is part of the message.
  auto add = [&](llvm::StringRef text, SourceRange at) {
    if (std::optional<lsp::Location> location = locations.find(at))
      related.push_back(json::Object{{"location", toValue(*location)},
                                     {"message", json::fixUTF8(text)}});
    else
      message += ("\nnote: " + text).str();
  };
  if (!report.primary.text.empty())
    message += "\n" + report.primary.text;
  for (const Label &label : report.secondary)
    add(label.text, label.range);
  for (const Note &note : report.notes)
    add(note.text, note.range);
  bool isError = report.severity == Severity::Error;
  json::Object object{
      {"range", range},
      {"severity",
       static_cast<int>(isError ? lsp::DiagnosticSeverity::Error
                                : lsp::DiagnosticSeverity::Warning)},
      {"code", getDiagInfo(report.code).name},
      {"source", "tdc"},
      {"message", json::fixUTF8(message)},
  };
  if (!related.empty())
    object["relatedInformation"] = std::move(related);
  if (report.code == DiagCode::TD210)
    object["tags"] = json::Array{kUnnecessary};
  return object;
}

std::map<std::string, json::Array> tdc::getReports(const Analysis &analysis,
                                                   const lsp::URIForFile &uri) {
  std::map<std::string, json::Array> reports;
  reports[uri.uri().str()];
  Locations locations(analysis, uri);
  for (const Diagnostic *report : analysis.getDiagnostics()) {
    lsp::Location at = locations.find(report->primary.range)
                           .value_or(lsp::Location(uri, lsp::Range()));
    reports[at.uri.uri().str()].push_back(toJSON(*report, at.range, locations));
  }
  return reports;
}

//===----------------------------------------------------------------------===//
// Fixes
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kFixAll = "source.fixAll";

static lsp::WorkspaceEdit toWorkspaceEdit(llvm::ArrayRef<Edit> edits,
                                          Locations &locations) {
  lsp::WorkspaceEdit result;
  for (const Edit &edit : edits)
    if (auto at = locations.find(edit.range))
      result.changes[at->uri.uri().str()].push_back({at->range, edit.text});
  return result;
}

static bool touch(SourceRange a, SourceRange b) {
  return a.file == b.file && a.begin <= b.end && b.begin <= a.end;
}

/// The edits of all safe fixes that can be made together.
static std::vector<Edit> getSafeEdits(const Analysis &analysis) {
  std::vector<Edit> all;
  for (auto [report, fix] :
       collectSafeFixes(analysis.getDiagnostics(), analysis.getFile()))
    llvm::append_range(all, fix->edits);
  return all;
}

json::Array tdc::getCodeActions(const Document &document, lsp::Range range,
                                llvm::ArrayRef<std::string> kinds) {
  json::Array actions;
  const Analysis *analysis = document.getCurrent();
  if (!analysis)
    return actions;
  auto isWanted = [&](llvm::StringRef kind) {
    return kinds.empty() || llvm::any_of(kinds, [&](llvm::StringRef wanted) {
             return kind == wanted || kind.starts_with((wanted + ".").str());
           });
  };
  Locations locations(*analysis, document.uri);
  SourceRange wanted = {analysis->getFile(),
                        document.text->getOffset(range.start),
                        document.text->getOffset(range.end)};
  for (const Diagnostic *report : analysis->getDiagnostics()) {
    auto at = locations.find(report->primary.range);
    if (!at || !touch(report->primary.range, wanted) ||
        !isWanted(lsp::CodeAction::kQuickFix))
      continue;
    for (const FixIt &fix : report->fixes) {
      if (fix.edits.empty())
        continue;
      json::Object action{
          {"title", json::fixUTF8(fix.title)},
          {"kind", lsp::CodeAction::kQuickFix},
          {"diagnostics", json::Array{toJSON(*report, at->range, locations)}},
          {"edit", toWorkspaceEdit(fix.edits, locations)},
      };
      if (getSafeFix(*report))
        action["isPreferred"] = true;
      actions.push_back(std::move(action));
    }
  }
  std::vector<Edit> safe = getSafeEdits(*analysis);
  if (!safe.empty() && isWanted(kFixAll))
    actions.push_back(json::Object{
        {"title", "apply the fixes with only one possible meaning"},
        {"kind", kFixAll},
        {"edit", toWorkspaceEdit(safe, locations)}});
  return actions;
}
