//===- Report.h - a report of a program's copies and memory ---------------===//
//
// Collects the facts once for the three forms of a report: text, JSON and an
// HTML page with pictures. A report is made from the module of a program, which
// the caller lowers through the phases of Pipelines/Phases.h:
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

/// A read by the host that blocks it until the device has computed the value.
struct HostWait {
  const td::CopySite *site;
  const char *advice;
};

/// The copies of one iteration of a loop, without those of inner loops; or of
/// one call of an export; or those that a run makes once.
struct CopyStep {
  mlir::Operation *op = nullptr; ///< the loop or the export; null for a run
  Total always;
  Total sometimes; ///< at most these more, if a branch or a demand needs them
  std::vector<const td::CopySite *> sites;
};

/// A line of the program and the devices that compute it, as indices of
/// `Report::devices`.
struct LineDevices {
  mlir::FileLineColLoc location;
  llvm::SmallVector<unsigned, 2> devices;
};

/// The arithmetic of a line in a run, by td::countOperations().
struct LineArithmetic {
  mlir::FileLineColLoc location;
  double operations = 0;
};

/// Why a program copies more than any program with its ops on their devices.
struct GapCause {
  const char *why, *advice;
};

/// A line where the program as it is written copies more often than the placed
/// one. It outlives the module that was compiled with Placement::Off.
struct Removed {
  std::string file;
  unsigned line = 0;
  Amount before, after;
};

class Report {
public:
  /// A report of the program in `file`. `sources` and the context of the
  /// modules must outlive it.
  Report(llvm::StringRef file, const SourceManager &sources)
      : file(file), sources(sources) {}

  //===--- Input ----------------------------------------------------------===//

  /// The phases to call add() after, in this order.
  static constexpr Phase phases[] = {Phase::Resolved, Phase::Placed,
                                     Phase::Scheduled, Phase::NVVM};
  /// Collects the facts of a phase. After Phase::Placed it numbers the copies
  /// of `module`; the numbers identify the copies after later phases.
  void add(Phase phase, mlir::ModuleOp module);

  /// Compares with the placed module of the same program, compiled with
  /// Placement::Off. To be called after add(Phase::Placed).
  void addWritten(mlir::ModuleOp written);
  /// Called instead of addWritten() if the program does not compile with
  /// Placement::Off: `error` is its error, "" for a bug in tdc.
  void refuseWritten(llvm::StringRef error);

  /// Adds the lanes of a TDC_TRACE file, or the reason why it has none. Returns
  /// an error if the file cannot be read. To be called after add(Phase::NVVM).
  llvm::Error addTrace(llvm::StringRef path);

  //===--- Contents -------------------------------------------------------===//

  std::string file;
  const SourceManager &sources;
  mlir::ModuleOp module; ///< placed, a copy that the report owns
  std::vector<td::CopySite> sites;
  std::map<int64_t, CopyTime> times; ///< of all copies, by their numbers
  /// When a copy in a loop runs; nullopt for a copy outside of loops.
  std::optional<CopyTime> getTime(const td::CopySite &site) const;
  /// The sizes that were read from data files.
  llvm::ArrayRef<FileSize> sizes;
  /// Copies of a run of the program, and of one call of each of its exports.
  Total placed, exports;

  /// Copies of the program as it is written; `refusal` says why there are none.
  std::optional<Total> asWritten;
  std::string refusal;
  bool isWrittenForCpu = false; ///< the program names no other device
  std::vector<Removed> removed;
  std::vector<HostWait> waits;
  std::vector<CopyStep> steps;
  /// Of all replicas of parameters that GPUs update on their own.
  int64_t replicaBytes = 0;
  llvm::SmallVector<Place> devices;
  std::vector<LineDevices> lines; ///< sorted by file and line
  /// Of a program that runs on the cpu alone; sorted, the most first.
  std::vector<LineArithmetic> arithmetic;
  PlannedMemory memory;

  /// Estimated from the schedule, and measured if there is a trace.
  std::vector<Lanes> lanes;
  std::string notMeasured; ///< why the trace has no lanes; "" if it has

  /// The copies that any program with these ops on these devices needs, and the
  /// copies that this program makes, in one run.
  td::CopyCount least, made, leastOfExports, madeByExports;
  bool isBoundExact = false; ///< every run copies the same
  bool isBoundKnown = false; ///< the run is short enough to be simulated
  /// Iterations of each loop that were simulated; 0 if all were.
  int64_t trialIterations = 0;
  td::CopyCount getGap() const;
  /// Copies of tensors that any device could make itself: zeros() and arange().
  td::CopyCount constructed;
  GapCause getCauseOfGap() const;

private:
  void addPlaced(mlir::ModuleOp module);
  void addScheduled(mlir::ModuleOp scheduled);
  void addLowered(mlir::ModuleOp lowered);
  void compareWithBound(mlir::ModuleOp chosen, const td::DryRun &run);
  void compare(const td::DryRun &bound, const td::DryRun &placed);

  mlir::OwningOpRef<mlir::ModuleOp> resolved, copy;
};

/// Prints the text of `tdc report`.
void printText(llvm::raw_ostream &os, const Report &report);
/// The fields are described in docs/Placement.md.
void printJSON(llvm::raw_ostream &os, const Report &report);
/// Prints one page that needs no other file.
void printHTML(llvm::raw_ostream &os, const Report &report);

} // namespace tdc

#endif // TDC_REPORT_REPORT_H
