//===- Page.h - prints a report as an HTML page with pictures -------------===//
//
// One HTML file that needs no other file and no script. The attribute
// `data-json` of each number has its path in the output of --json:
// `placed.copies`, or several paths if the number is their sum. A mark without
// text has its number in `data-value`.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_REPORT_PAGE_PAGE_H
#define TDC_LIB_REPORT_PAGE_PAGE_H

#include "../Words.h"
#include "Markup/Markup.h"
#include "Markup/Style.h"

namespace tdc {

/// The output and the report that the functions below write a page with.
struct Page {
  Page(llvm::raw_ostream &os, const Report &report)
      : out(os), report(report), words(report) {}

  Markup out;
  const Report &report;
  Words words;

  //===--- Devices --------------------------------------------------------===//

  unsigned getIndex(const Place &device) const;
  /// "C" for the cpu, "G0" for cuda:0: a device is never shown by colour alone.
  std::string getLetter(unsigned device) const;

  //===--- Numbers --------------------------------------------------------===//

  void number(const llvm::Twine &path, const llvm::Twine &text);
  /// "at most 8 x iterations(12) copies" and "16 B".
  void copies(const llvm::Twine &path, const Amount &amount);
  void bytes(const llvm::Twine &path, const Amount &amount);
  /// "about 128 + 4 x size(8, 0) B" of the device with this index.
  void peak(unsigned device, const PeakMemory &peak);
  /// The copies and the bytes of the object at `path`.
  void total(const llvm::Twine &path, const Total &total);
  void total(const llvm::Twine &path, td::CopyCount count);
  /// "sites.3.bytes sites.4.bytes".
  std::string getPath(const CopyGroup &group, llvm::StringRef field) const;

  //===--- Links ----------------------------------------------------------===//

  /// A line, with a link to it if it is in the listing.
  void line(mlir::FileLineColLoc location);
  /// The name of a line as the target of a link; "" if it is not listed.
  std::string getAnchor(mlir::FileLineColLoc location) const;
  /// The line where a copy is shown: that of the op that needs it, else that of
  /// the op that makes the value.
  static mlir::FileLineColLoc getLineOf(const td::CopySite &site);
};

/// Writes a section with its heading.
void section(Page &page, llvm::StringRef heading, Markup::Contents contents);

/// Writes the first row of a table.
void writeHeads(Page &page, llvm::ArrayRef<const char *> names);

// Write the parts of the page, in this order.
void writeFigures(Page &page);
void writeSteps(Page &page);
void writeSource(Page &page);
void writeBars(Page &page);
void writeLanes(Page &page);
void writeMemory(Page &page);
void writeSites(Page &page);
void writeWaits(Page &page);

} // namespace tdc

#endif // TDC_LIB_REPORT_PAGE_PAGE_H
