//===- Report.h - what a report of transfers says -------------------------===//
//
// The facts, found once, for its two forms: text and JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TOOLS_TDC_REPORT_H
#define TDC_TOOLS_TDC_REPORT_H

#include "Dialect/TD/Analysis/DeviceMemory.h"
#include "Dialect/TD/Analysis/Transfers.h"
#include "Frontend/Source.h"
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
};

Amount getCopies(const td::CopySite &site);
Amount getBytes(const td::CopySite &site);
/// The bytes of one copy.
Amount getBytesOfOne(const td::CopySite &site);

struct Total {
  Amount copies, bytes;
};

/// A read of the host that stops it until the device has computed the value.
struct HostWait {
  const td::CopySite *site;
  const char *advice;
};

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
  /// A run of the program, and one call of each of its exports.
  Total placed, exports;

  /// The program with every copy as it is written; if there is none, why.
  std::optional<Total> asWritten;
  std::string refusal;
  bool isWrittenForCpu = false; ///< and names no other device
  std::vector<Removed> removed;
  std::vector<HostWait> waits;
  llvm::SmallVector<td::PeakMemory> peaks; ///< of all its devices
  /// Copies that stay where they are written are not counted in peaks.
  bool hasPeaks() const {
    mlir::ModuleOp placed = module;
    return !placed->hasAttr(td::kAsWrittenAttr);
  }

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

} // namespace tdc

#endif // TDC_TOOLS_TDC_REPORT_H
