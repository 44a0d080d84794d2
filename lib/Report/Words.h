//===- Words.h - the wording of a report ----------------------------------===//
//
// The parts of sentences that the text and the page of a report share.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_REPORT_WORDS_H
#define TDC_LIB_REPORT_WORDS_H

#include "Report/Report.h"

namespace tdc {

/// Copies that are reported as one: the parameters of a model that are copied
/// at one point.
struct CopyGroup {
  llvm::SmallVector<const td::CopySite *, 1> sites;
  Total total;
  const td::CopySite &first() const { return *sites.front(); }
};

/// The text for a bound that is not known.
inline constexpr char kNotCounted[] =
    "not counted, the program has too many iterations";

class Words {
public:
  explicit Words(const Report &report) : report(report) {}

  /// The program's file without its folder.
  llvm::StringRef getProgram() const;
  std::vector<CopyGroup> getGroups() const;
  /// "net, 4 tensors".
  static std::string getSubject(const CopyGroup &group);

  /// The sentence that a report begins with: what is copied, whether it must
  /// be, what a GPU waits for, and what to do.
  std::string getSummary() const;

  //===--- Locations ------------------------------------------------------===//

  /// "line 12"; with the file if it is not the program's.
  std::string spell(mlir::FileLineColLoc location) const;
  std::string spell(llvm::StringRef file, unsigned line) const;
  std::string spell(mlir::Operation *op) const;
  /// The text of a line, shortened; "" if there is none.
  std::string quote(mlir::FileLineColLoc location) const;
  /// The expression at a location, as far as its line has it, shortened.
  std::string quoteExpression(mlir::FileLineColLoc location) const;

  //===--- Amounts --------------------------------------------------------===//

  static std::string spellCopies(const Amount &amount);
  static std::string spell(const Total &total);
  static std::string spell(td::CopyCount count);
  /// "512 B", "25.8 KiB"; of a formula "16 x size(8, 0) B"
  static std::string spellBytes(const Amount &bytes);
  /// "8.7 µs", "1.2 ms"
  static std::string spellTime(int64_t nanoseconds);

  //===--- Sentences about a copy, each may be "" -------------------------===//

  /// The op that needs the copy.
  std::string getReader(const td::CopySite &site) const;
  /// How often the copy runs, and why it is not hoisted out of the loop.
  std::string getRuns(const td::CopySite &site) const;
  /// For a copy in a loop: whether it overlaps kernels, and why not.
  std::string getTime(const td::CopySite &site) const;

  /// "N = 600 of x.npy (line 17)" for each size that was read from a data file.
  std::string getSizes() const;

  //===--- Totals ---------------------------------------------------------===//

  bool hasExports() const;
  /// The copies of the program as it is written.
  std::string getAsWritten() const;
  /// "in a trial run with 4 iterations of each loop"; "" if the bound is that
  /// of every run.
  std::string getTrial() const;
  /// "two iterations of line 12 in 8.7 µs: cuda:0 h2d 4.1 µs, cuda:0
  /// compute 8.1 µs".
  std::string getIterations(const Lanes &lanes) const;
  /// The gap and its cause; "0" if there is none.
  std::string getGap() const;
  /// "two iterations of line 12 in 8.7 µs: the GPUs compute 93% of the time";
  /// "" if nothing is copied between GPUs.
  std::string getPeerUse(const Lanes &lanes) const;
  /// What DataParallel copies in a step, and why; "" if nothing.
  std::string getExchange(const CopyStep &step) const;
  /// "an iteration of line 12", "a call of predict" or "once".
  std::string getRepeated(const CopyStep &step) const;
  /// The word before the bytes of a peak: "", "at most " or "about ".
  static llvm::StringRef getCertainty(const PeakMemory &peak);
  /// "cuda:0 78960 B at line 4".
  std::string getPeak(const PeakMemory &peak) const;
  /// "x (line 14)", "the result of `@` (line 4, 2 tensors)", "7 others".
  std::string getHolder(const MemoryHolder &holder) const;

  /// The `most` largest holders of a peak, and the others summed up as one
  /// holder without a name.
  static std::vector<MemoryHolder> getLargestHolders(const PeakMemory &peak,
                                                     size_t most);

private:
  /// The text of a line; "" if there is none.
  llvm::StringRef getLine(mlir::FileLineColLoc location) const;
  std::string spell(const td::RunFactor &factor) const;
  std::string getReasonToStay(const td::CopySite &site) const;
  /// ": it is read from a file".
  std::string getReason(const CopyTime &time) const;

  const Report &report;
};

} // namespace tdc

#endif // TDC_LIB_REPORT_WORDS_H
