//===- DiagnosticText.cpp - diagnostics for people ------------------------===//
//
// The form of docs/Language.md, "Diagnostics":
//
//   error[TD502]: the data was not moved to the model's device
//     --> train.tdsl:19:29
//    19 |         let outputs = model(data)
//       |                       ----- ^^^^ f32[?, 10] @cpu
//       |                       on @device (moved at line 10)
//     note: `device` is cuda:0 or cpu, decided at run time
//     fix:  `model(data.to(device))`
//
//===----------------------------------------------------------------------===//
#include "Frontend/Diagnostics.h"
#include "tdc_text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"

using namespace tdc;

namespace {

/// A line of source in the form that a terminal may show. Tabs are four columns
/// wide. Unprintable text (control and reordering characters, bytes that are
/// not UTF-8) is replaced, so that it can neither shift the carets nor control
/// the terminal.
class VisibleLine {
public:
  explicit VisibleLine(llvm::StringRef line) {
    while (!line.empty()) {
      llvm::StringRef bytes =
          line.take_front(llvm::getNumBytesForUTF8(line.front()));
      if (!isWellFormed(bytes)) // says nothing about the bytes after the first
        bytes = line.take_front(1);
      int width = llvm::sys::unicode::columnWidthUTF8(bytes);
      if (bytes == "\t")
        text += "    ", width = 4;
      else if (width >= 0)
        text += bytes;
      else
        text += "\uFFFD", width = 1;
      columns.insert(columns.end(), bytes.size(), column);
      column += width;
      line = line.drop_front(bytes.size());
    }
    columns.push_back(column);
  }

  /// The column (from 0) at which a byte of the line is shown.
  unsigned getColumn(uint32_t byte) const {
    return columns[std::min<size_t>(byte, columns.size() - 1)];
  }

  std::string text;

private:
  static bool isWellFormed(llvm::StringRef bytes) {
    auto *begin = reinterpret_cast<const llvm::UTF8 *>(bytes.begin());
    return llvm::isLegalUTF8Sequence(begin, begin + bytes.size());
  }

  std::vector<unsigned> columns; ///< by byte, and one for the end
  unsigned column = 0;
};

/// A label on one line: the columns it underlines and its mark.
struct Underline {
  unsigned begin;
  unsigned end;
  char mark;
  std::string text;
};

class TextPrinter {
public:
  TextPrinter(llvm::raw_ostream &os, const SourceManager &sources,
              const Diagnostic &diagnostic, bool colour)
      : os(os), sources(sources), diagnostic(diagnostic), colour(colour) {}

  void print() {
    bool isError = diagnostic.severity == Severity::Error;
    paint(isError ? llvm::raw_ostream::RED : llvm::raw_ostream::MAGENTA);
    os << (isError ? "error[" : "warning[") << getDiagInfo(diagnostic.code).name
       << ']';
    unpaint();
    os << ": " << printable(diagnostic.title) << '\n';

    if (diagnostic.primary.range.isValid())
      printSnippets();
    for (const Note &note : diagnostic.notes)
      printNote(note);
    for (const FixIt &fix : diagnostic.fixes)
      printFix(fix);
  }

  /// Shows the lines of the primary position, without its place.
  void printExcerpt() {
    setGutter(sources.getLineColumn(diagnostic.primary.range).line);
    printLines(diagnostic.primary.range.file, &diagnostic.primary);
  }

private:
  void paint(llvm::raw_ostream::Colors which) {
    if (colour)
      os.changeColor(which, /*Bold=*/true);
  }
  void unpaint() {
    if (colour)
      os.resetColor();
  }

  void printPlace(SourceRange range) {
    LineColumn at = sources.getLineColumn(range);
    os << printable(sources.getName(range.file)) << ':' << at.line << ':'
       << at.column;
  }

  void setGutter(unsigned lastLine) {
    gutter = std::max<unsigned>(3, std::to_string(lastLine).size() + 1);
  }

  /// Shows the primary file's lines, then those of the other files.
  void printSnippets() {
    std::vector<FileId> files = {diagnostic.primary.range.file};
    unsigned lastLine = sources.getLineColumn(diagnostic.primary.range).line;
    for (const Label &label : diagnostic.secondary) {
      if (!llvm::is_contained(files, label.range.file))
        files.push_back(label.range.file);
      lastLine = std::max(lastLine, sources.getLineColumn(label.range).line);
    }
    setGutter(lastLine);

    for (FileId file : files) {
      std::vector<const Label *> labels;
      for (const Label &label : diagnostic.secondary)
        if (label.range.file == file)
          labels.push_back(&label);
      if (file == diagnostic.primary.range.file)
        labels.push_back(&diagnostic.primary);
      llvm::sort(labels, [](const Label *a, const Label *b) {
        return std::tie(a->range.begin, a->range.end, a->text) <
               std::tie(b->range.begin, b->range.end, b->text);
      });
      os << "  " << (file == files.front() ? "-->" : ":::") << ' ';
      printPlace(file == files.front() ? diagnostic.primary.range
                                       : labels.front()->range);
      os << '\n';
      printLines(file, labels);
    }
  }

  void printLines(FileId file, llvm::ArrayRef<const Label *> labels) {
    unsigned previous = 0;
    while (!labels.empty()) {
      unsigned line = sources.getLineColumn(labels.front()->range).line;
      if (previous && line > previous + 1)
        os << std::string(gutter, ' ') << "...\n";
      auto onLine = labels.take_while([&](const Label *label) {
        return sources.getLineColumn(label->range).line == line;
      });
      printLine(sources.getLine(file, line), line, onLine);
      labels = labels.drop_front(onLine.size());
      previous = line;
    }
  }

  /// The part of a line that is shown: all of it, unless it is very long.
  SourceRange clip(SourceRange line, SourceRange centre) const {
    constexpr uint32_t before = 100, most = 400;
    if (line.size() <= most)
      return line;
    auto isInCharacter = [&](uint32_t at) {
      return at < line.end && (sources.getText(line.file)[at] & 0xC0) == 0x80;
    };
    uint32_t begin = std::max(line.begin + before, centre.begin) - before;
    while (isInCharacter(begin))
      ++begin;
    uint32_t end = std::min(line.end, begin + most);
    while (isInCharacter(end))
      ++end;
    return {line.file, begin, end};
  }

  /// Prints a line of source, the marks below it, the rightmost label after the
  /// marks and the other labels below, each under its own mark.
  void printLine(SourceRange whole, unsigned number,
                 llvm::ArrayRef<const Label *> labels) {
    bool hasPrimary = llvm::is_contained(labels, &diagnostic.primary);
    SourceRange line = clip(whole, hasPrimary ? diagnostic.primary.range
                                              : labels.front()->range);
    VisibleLine visible(sources.getText(line));
    llvm::StringRef lead = line.begin == whole.begin ? "" : "... ";
    os << llvm::format_decimal(number, gutter) << " | " << lead << visible.text
       << (line.end == whole.end ? "" : " ...") << '\n';

    std::vector<Underline> underlines;
    std::string marks;
    for (const Label *label : labels) {
      bool isPrimary = label == &diagnostic.primary;
      // A range over several lines is underlined to the end of the first.
      auto getColumn = [&](uint32_t byte) {
        byte = std::clamp(byte, line.begin, line.end) - line.begin;
        return unsigned(lead.size()) + visible.getColumn(byte);
      };
      unsigned begin = getColumn(label->range.begin);
      unsigned end = std::max(begin + 1, getColumn(label->range.end));
      underlines.push_back(
          {begin, end, isPrimary ? '^' : '-', printable(label->text)});
      marks.resize(std::max<size_t>(marks.size(), end), ' ');
    }
    for (const Underline &underline : underlines)
      for (unsigned column = underline.begin; column != underline.end; ++column)
        if (marks[column] != '^')
          marks[column] = underline.mark;

    std::string margin = std::string(gutter, ' ') + " | ";
    os << margin;
    paint(diagnostic.severity == Severity::Error ? llvm::raw_ostream::RED
                                                 : llvm::raw_ostream::MAGENTA);
    os << marks;
    if (!underlines.back().text.empty())
      os << ' ' << underlines.back().text;
    unpaint();
    os << '\n';
    underlines.pop_back();
    for (const Underline &underline : llvm::reverse(underlines))
      if (!underline.text.empty())
        os << margin << std::string(underline.begin, ' ') << underline.text
           << '\n';
  }

  void printNote(const Note &note) {
    os << "  note: " << printable(note.text);
    if (note.range.isValid()) {
      os << " (";
      if (note.range.file == diagnostic.primary.range.file)
        os << "line " << sources.getLineColumn(note.range).line;
      else
        printPlace(note.range);
      os << ')';
    }
    os << '\n';
  }

  void printFix(const FixIt &fix) {
    os << "  ";
    paint(llvm::raw_ostream::GREEN);
    os << "fix:";
    unpaint();
    os << "  ";
    if (!fix.edits.empty()) {
      SourceRange edit = fix.edits.front().range;
      SourceRange primary = diagnostic.primary.range;
      if (edit.file != primary.file)
        os << printable(sources.getName(edit.file)) << ", ";
      if (edit.file != primary.file || sources.getLineColumn(edit).line !=
                                           sources.getLineColumn(primary).line)
        os << "line " << sources.getLineColumn(edit).line << ": ";
    }
    os << printable(fix.title, /*keepsLines=*/true) << '\n';
  }

  llvm::raw_ostream &os;
  const SourceManager &sources;
  const Diagnostic &diagnostic;
  const bool colour;
  unsigned gutter = 3;
};

} // namespace

std::string tdc::getExcerpt(const SourceManager &sources, SourceRange range) {
  Diagnostic diagnostic = {};
  diagnostic.severity = Severity::Error;
  diagnostic.primary.range = range;
  std::string text;
  llvm::raw_string_ostream os(text);
  TextPrinter(os, sources, diagnostic, /*colour=*/false).printExcerpt();
  return text;
}

void tdc::printText(llvm::raw_ostream &os, const SourceManager &sources,
                    const Diagnostic &diagnostic, bool colour) {
  TextPrinter(os, sources, diagnostic, colour).print();
}
