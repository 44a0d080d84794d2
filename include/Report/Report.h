//===- Report.h - a report of a program's copies and memory -----*- C++ -*-===//
//
// The facts, found once, for the three forms of a report: text, JSON and a page
// with pictures. A report is made from the module of a program, which the
// caller takes through the phases of Pipelines/Phases.h:
//
//   Report report(file, sources);
//   for (Phase phase : Report::phases) {
//     ... // lower `module` up to and including `phase`
//     report.add(phase, module);
//   }
//   printText(os, report);
//
// `sizes`, addWritten() or refuseWritten(), and addTrace() are optional.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_REPORT_REPORT_H
#define TDC_REPORT_REPORT_H

#include "Frontend/CheckOptions.h"
#include "Frontend/Source.h"
#include "Pipelines/Phases.h"
#include "Report/Amount.h"
#include "Report/CopyTime.h"
#include "Report/Lanes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace tdc {

/// A read of the host that stops it until the device has computed the value.
struct HostWait {
  const td::CopySite *site;
  const char *advice;
};

/// What is copied in one iteration of a loop or one call of an export, but not
/// in the iterations of a loop inside; or else once in a run.
struct CopyStep {
  mlir::Operation *op = nullptr; ///< the loop or the export; null for a run
  Total always;
  Total sometimes; ///< at most so many more, where a branch or a demand decides
  std::vector<const td::CopySite *> sites;
};

/// A line of the program on which devices compute, as indices of
/// `Report::devices`.
struct LineDevices {
  mlir::FileLineColLoc place;
  llvm::SmallVector<unsigned, 2> devices;
};

/// A line where the program copies more often than the placed one. It outlives
/// the module that was compiled as it is written.
struct Removed {
  std::string file;
  unsigned line = 0;
  Amount before, after;
};

class Report {
public:
  /// Of the program in `file`. `sources` and the context of the modules must
  /// live as long.
  Report(llvm::StringRef file, const SourceManager &sources)
      : file(file), sources(sources) {}

  //===--- What makes it --------------------------------------------------===//

  /// The phases that it needs the module in, in this order.
  static constexpr Phase phases[] = {Phase::Resolved, Phase::Placed,
                                     Phase::Scheduled, Phase::NVVM};
  /// Takes the facts that a phase shows. In `placed`, gives the copies of
  /// `module` numbers, by which it knows them later.
  void add(Phase phase, mlir::ModuleOp module);

  /// Compares with the placed module of the same program, compiled with
  /// Placement::Off. To be called after add(Phase::Placed).
  void addWritten(mlir::ModuleOp written);
  /// There is no such module: it has this error; "" if that is a bug in tdc.
  void refuseWritten(llvm::StringRef error);

  /// Adds the lanes that a file of TDC_TRACE has, or why it has none. An error
  /// if it cannot be read. To be called after add(Phase::NVVM).
  llvm::Error addTrace(llvm::StringRef path);

  //===--- What it says ---------------------------------------------------===//

  std::string file;
  const SourceManager &sources;
  mlir::ModuleOp module; ///< placed, a copy that the report owns
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
  int64_t trialIterations =
      0; ///< of each loop, if that is not the whole of them
  td::CopyCount getGap() const;
  /// Copies of what any device could make itself.
  td::CopyCount constructed;
  /// Why there is a gap.
  const char *getCauseOfGap() const;

private:
  void addPlaced(mlir::ModuleOp module);
  void addScheduled(mlir::ModuleOp scheduled);
  void addLowered(mlir::ModuleOp lowered);
  void compareWithBound(mlir::ModuleOp chosen, const td::DryRun &run);
  void compare(const td::DryRun &bound, const td::DryRun &placed);

  mlir::OwningOpRef<mlir::ModuleOp> resolved, copy;
};

/// As `tdc report` prints it.
void printText(llvm::raw_ostream &os, const Report &report);
/// The fields are described in docs/Placement.md.
void printJSON(llvm::raw_ostream &os, const Report &report);
/// One page that needs no other file.
void printHTML(llvm::raw_ostream &os, const Report &report);

} // namespace tdc

#endif // TDC_REPORT_REPORT_H
