//===- Pipelines.h - from td IR to machine code ---------------------------===//
//
// What a driver calls: a context, the MLIR phases, and the rest in LLVM. The
// order of passes and why it is that order stand in lib/Pipelines/Phases.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_PIPELINES_PIPELINES_H
#define TDC_PIPELINES_PIPELINES_H

#include "Pipelines/Phases.h"
#include <memory>

namespace llvm {
class raw_pwrite_stream;
} // namespace llvm

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace tdc {

class HostTarget;
class StepListener;
struct TargetInfo;

/// A context for one compilation on one thread. Dialects are loaded as they are
/// needed.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Takes td IR in the phase `first` through the MLIR phases up to and including
/// `last`, for a target. False if a pass failed; it has
/// emitted an error with a location. A message that starts with a code
/// ("TD900: …") is for the author of the program, any other is a bug in tdc.
bool runPhases(mlir::ModuleOp module, Phase first, Phase last,
               const TargetInfo &target, StepListener *listener = nullptr);

/// Takes a module in the phase `resolved` half the way to `placed`: every op is
/// on the device that it will run on, and transfers are not placed yet. False
/// as above.
bool chooseDevices(mlir::ModuleOp module);

/// Writes a module that has been through the phase `llvm` as LLVM IR, assembly
/// or an object file. `withMain` adds the `main` of an executable.
bool generateCode(mlir::ModuleOp module, const HostTarget &target, Phase kind,
                  bool withMain, llvm::raw_pwrite_stream &os,
                  StepListener *listener = nullptr);

} // namespace tdc

#endif // TDC_PIPELINES_PIPELINES_H
