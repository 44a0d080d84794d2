//===- DiagnosticJSON.cpp - diagnostics for programs ----------------------===//
//
// One object per line, for editors. Offsets count bytes from 0, lines and
// columns (in code points) count from 1. A position is absent if there is none.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Diagnostics.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"

using namespace tdc;
namespace json = llvm::json;

/// JSON strings are UTF-8; a file that is not still gets its diagnostic.
static std::string toText(llvm::StringRef text) { return json::fixUTF8(text); }

static json::Object toJSON(const SourceManager &sources, FileId file,
                           uint32_t offset) {
  LineColumn at = sources.getLineColumn(file, offset);
  return json::Object{
      {"offset", offset}, {"line", at.line}, {"column", at.column}};
}

/// An object with the position of `range` in it, if there is one.
static json::Object toJSON(const SourceManager &sources, SourceRange range) {
  json::Object object;
  if (!range.isValid())
    return object;
  object["file"] = toText(sources.getName(range.file));
  object["start"] = toJSON(sources, range.file, range.begin);
  object["end"] = toJSON(sources, range.file, range.end);
  return object;
}

static json::Object toJSON(const SourceManager &sources, SourceRange range,
                           llvm::StringRef key, llvm::StringRef text) {
  json::Object object = toJSON(sources, range);
  object[key] = toText(text);
  return object;
}

static llvm::StringRef wordOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  llvm_unreachable("a severity without a word");
}

void tdc::printJSON(llvm::raw_ostream &os, Severity severity,
                    llvm::StringRef code, llvm::StringRef title,
                    llvm::StringRef file, LineColumn at, llvm::StringRef note) {
  json::Object primary;
  if (!file.empty()) {
    primary["file"] = toText(file);
    primary["start"] = json::Object{{"line", at.line}, {"column", at.column}};
  }
  json::Array notes;
  if (!note.empty())
    notes.push_back(json::Object{{"text", toText(note)}});
  os << json::Value(json::Object{
            {"code", code},
            {"severity", wordOf(severity)},
            {"title", toText(title)},
            {"primary", std::move(primary)},
            {"secondary", json::Array()},
            {"notes", std::move(notes)},
            {"fixes", json::Array()},
        })
     << '\n';
}

void tdc::printJSON(llvm::raw_ostream &os, const SourceManager &sources,
                    const Diagnostic &diagnostic) {
  json::Array secondary, notes, fixes;
  for (const Label &label : diagnostic.secondary)
    secondary.push_back(toJSON(sources, label.range, "label", label.text));
  for (const Note &note : diagnostic.notes)
    notes.push_back(toJSON(sources, note.range, "text", note.text));
  for (const FixIt &fix : diagnostic.fixes) {
    json::Array edits;
    for (const Edit &edit : fix.edits)
      edits.push_back(toJSON(sources, edit.range, "text", edit.text));
    fixes.push_back(json::Object{
        {"title", toText(fix.title)},
        {"safety", fix.kind == FixIt::Safe ? "safe" : "choice"},
        {"edits", std::move(edits)},
    });
  }
  os << json::Value(json::Object{
            {"code", getDiagInfo(diagnostic.code).name},
            {"severity", wordOf(diagnostic.severity)},
            {"title", toText(diagnostic.title)},
            {"primary", toJSON(sources, diagnostic.primary.range, "label",
                               diagnostic.primary.text)},
            {"secondary", std::move(secondary)},
            {"notes", std::move(notes)},
            {"fixes", std::move(fixes)},
        })
     << '\n';
}
