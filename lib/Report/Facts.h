//===- Facts.h - where the facts of a report come from ----------*- C++ -*-===//

#ifndef TDC_REPORT_FACTS_H
#define TDC_REPORT_FACTS_H

#include "Report/Report.h"
#include "llvm/Support/Error.h"

namespace tdc {

//===--- Of a placed module -----------------------------------------------===//

std::vector<CopyStep> getSteps(llvm::ArrayRef<td::CopySite> sites);

std::vector<LineDevices> getDevicesOfLines(mlir::ModuleOp module,
                                           llvm::ArrayRef<Place> devices);

/// Gives the copies of a placed module numbers, which they keep.
void numberCopies(mlir::ModuleOp placed);

/// The number of a copy.
int64_t getNumber(mlir::Operation *copy);

//===--- Of a scheduled module --------------------------------------------===//

/// When the copies with numbers are made in a scheduled module. The names live
/// as long as its context.
std::map<int64_t, CopyTime> getCopyTimes(mlir::ModuleOp scheduled);

/// Reads of the host that make it wait in every iteration of a loop without
/// others. The times of copies are known.
std::vector<HostWait> findWaits(const Report &report);

//===--- Lanes ------------------------------------------------------------===//

/// As a scheduled module has them, with estimated times; none if no loop has
/// work for a GPU.
std::optional<Lanes> estimateLanes(mlir::ModuleOp scheduled);

/// Finds the kernels of the loop in the module when it has their names.
void findKernels(mlir::ModuleOp compiled, Lanes &lanes);

/// The same loop as a file of TDC_TRACE has it; none if that does not show
/// three iterations of it.
llvm::Expected<std::optional<Lanes>> readLanes(llvm::StringRef path,
                                               const Lanes &estimated);

} // namespace tdc

#endif // TDC_REPORT_FACTS_H
