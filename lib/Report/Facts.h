//===- Facts.h - collects the facts of a report ---------------------------===//

#ifndef TDC_LIB_REPORT_FACTS_H
#define TDC_LIB_REPORT_FACTS_H

#include "Report/Report.h"
#include "llvm/Support/Error.h"

namespace tdc {

//===--- From a placed module ---------------------------------------------===//

/// The copies of each loop and export, and of the rest of the program.
std::vector<CopyStep> getSteps(llvm::ArrayRef<td::CopySite> sites);

/// The bytes of the replicas of parameters that GPUs update on their own.
int64_t countReplicaBytes(mlir::ModuleOp placed);

/// The devices that compute each line.
std::vector<LineDevices> getDevicesOfLines(mlir::ModuleOp module,
                                           llvm::ArrayRef<Place> devices);

/// The arithmetic of the lines of a placed module, as often as a dry run of the
/// module runs them.
std::vector<LineArithmetic> countArithmetic(mlir::ModuleOp placed,
                                            const td::DryRun &run);

/// Numbers the copies of a placed module. Later phases keep the numbers.
void numberCopies(mlir::ModuleOp placed);

/// The number of a copy; -1 if it has none.
int64_t getNumber(mlir::Operation *copy);

//===--- From a scheduled module ------------------------------------------===//

/// When each numbered copy of a scheduled module runs. `CopyTime::why` is valid
/// as long as the context of the module.
std::map<int64_t, CopyTime> getCopyTimes(mlir::ModuleOp scheduled);

/// Reads by the host that block it in every iteration of an innermost loop. The
/// report must have the times of copies.
std::vector<HostWait> findWaits(const Report &report);

//===--- Lanes ------------------------------------------------------------===//

/// The lanes of a scheduled module, with estimated times; nullopt if no loop
/// has GPU work.
std::optional<Lanes> estimateLanes(mlir::ModuleOp scheduled);

/// Sets the kernels of the loop, from a compiled module, which has their names.
void findKernels(mlir::ModuleOp compiled, Lanes &lanes);

/// The lanes of the same loop in a TDC_TRACE file; nullopt if it shows fewer
/// than three iterations of the loop.
llvm::Expected<std::optional<Lanes>> readLanes(llvm::StringRef path,
                                               const Lanes &estimated);

} // namespace tdc

#endif // TDC_LIB_REPORT_FACTS_H
