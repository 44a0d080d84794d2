//===- Report.h - what a report of transfers says -------------------------===//
//
// The facts, found once, for its forms: text, JSON and a page with a picture.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TOOLS_TDC_REPORT_REPORT_H
#define TDC_TOOLS_TDC_REPORT_REPORT_H

#include "Conversion/PlannedMemory.h"
#include "Dialect/TD/Analysis/Transfers.h"
#include "Frontend/Sema.h"
#include "Report/CopyTimes.h"
#include "Report/Lanes.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace tdc {

/// Copies or bytes: the part that is known and what else there is, "turns(12)"
/// for the turns of the loop of line 12 and "size(8, 0)" for the first size of
/// what line 8 makes.
struct Amount {
  int64_t known = 0;
  std::map<std::string, int64_t> rest; ///< products, and how often each
  bool isExact = true;                 ///< else at most

  /// Sums that no int64_t holds keep their summands.
  void add(const std::string &product, int64_t times);
  Amount &operator+=(const Amount &other);
  /// Whether it is less where the symbols stand for large numbers.
  bool isBelow(const Amount &other) const;
  std::string getFormula() const;
  /// None if only a run knows it.
  std::optional<int64_t> getNumber() const {
    return rest.empty() ? std::optional(known) : std::nullopt;
  }
};

Amount getCopies(const td::CopySite &site);
Amount getBytes(const td::CopySite &site);
/// The bytes of one copy.
Amount getBytesOfOne(const td::CopySite &site);
/// Exact if all lies in the arena.
Amount getBytes(const PeakMemory &peak);

struct Total {
  Amount copies, bytes;
};

/// A read of the host that stops it until the device has computed the value.
struct HostWait {
  const td::CopySite *site;
  const char *advice;
};

/// What is copied in one turn of a loop or one call of an export, but not in
/// the turns of a loop inside; or else once in a run.
struct CopyStep {
  mlir::Operation *op = nullptr; ///< the loop or the export; null for a run
  Total always;
  Total sometimes; ///< at most so many more, where a branch or a demand decides
  std::vector<const td::CopySite *> sites;
};
std::vector<CopyStep> getSteps(llvm::ArrayRef<td::CopySite> sites);

/// A line of the program on which devices compute, as indices of
/// `Report::devices`.
struct LineDevices {
  mlir::FileLineColLoc place;
  llvm::SmallVector<unsigned, 2> devices;
};
std::vector<LineDevices> getDevicesOfLines(mlir::ModuleOp module,
                                           llvm::ArrayRef<Place> devices);

/// A line where the program copies more often than the placed one. It outlives
/// the module that was compiled as it is written.
struct Removed {
  std::string file;
  unsigned line = 0;
  Amount before, after;
};

struct Report {
  Report(llvm::StringRef file, const SourceManager &sources)
      : file(file), sources(sources) {}

  std::string file;
  const SourceManager &sources;
  mlir::ModuleOp module;
  std::vector<td::CopySite> sites;
  std::map<int64_t, CopyTime> times; ///< of all copies, by their numbers
  /// When a copy in a loop is made; none for one that is in no loop.
  std::optional<CopyTime> getTime(const td::CopySite &site) const;
  /// What data files that are there have said.
  llvm::ArrayRef<FileSize> sizes;
  /// A run of the program, and one call of each of its exports.
  Total placed, exports;

  /// The program with every copy as it is written; if there is none, why.
  std::optional<Total> asWritten;
  std::string refusal;
  bool isWrittenForCpu = false; ///< and names no other device
  std::vector<Removed> removed;
  std::vector<HostWait> waits;
  std::vector<CopyStep> steps;
  llvm::SmallVector<Place> devices;
  std::vector<LineDevices> lines; ///< in the order of their files and numbers
  PlannedMemory memory;

  /// By the schedule, and by a trace if there is one.
  std::vector<Lanes> lanes;
  std::string notMeasured; ///< why the trace says nothing, if so

  /// What no program with these ops on these devices can do without, and what
  /// is made, in one run.
  td::CopyCount least, made, leastOfExports, madeByExports;
  bool isBoundExact = false; ///< that run is every run
  bool isBoundKnown = false; ///< it is short enough to be looked at
  int64_t trialTurns = 0;    ///< of each loop, if that is not the whole of them
  void compare(const td::DryRun &bound, const td::DryRun &placed);
  td::CopyCount getGap() const;
  /// Copies of what any device could make itself.
  td::CopyCount constructed;
  /// Why there is a gap.
  const char *getCauseOfGap() const;
};

void printText(llvm::raw_ostream &os, const Report &report);
void printJSON(llvm::raw_ostream &os, const Report &report);
void printHTML(llvm::raw_ostream &os, const Report &report);

} // namespace tdc

#endif // TDC_TOOLS_TDC_REPORT_REPORT_H
