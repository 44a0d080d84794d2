//===- Pipelines.h - from td IR to machine code ---------------------------===//
//
// The functions that a driver calls: to create a context, to run the MLIR
// phases, and to generate code with LLVM. lib/Pipelines/Phases.cpp has the
// order of the passes and the reasons for it.
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

/// Creates a context for one compilation on one thread. Dialects are loaded on
/// demand.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Takes td IR in the phase `first` through the MLIR phases up to and including
/// `last`, for a target. Returns false if a pass failed; the pass has emitted
/// an error with a location. A message that starts with a code ("TD900: …") is
/// for the author of the program; any other message is a bug in tdc.
bool runPhases(mlir::ModuleOp module, Phase first, Phase last,
               const TargetInfo &target, StepListener *listener = nullptr);

/// Takes a module in the phase `resolved` half the way to `placed`: every op is
/// on the device that it will run on, but transfers are not placed yet. Returns
/// false as runPhases does.
bool chooseDevices(mlir::ModuleOp module);

/// Writes a module that has been through the phase `llvm` as LLVM IR, assembly
/// or an object file, according to `kind`. `withMain` adds the `main` of an
/// executable. Returns false if the module cannot be translated.
bool generateCode(mlir::ModuleOp module, const HostTarget &target, Phase kind,
                  bool withMain, llvm::raw_pwrite_stream &os,
                  StepListener *listener = nullptr);

} // namespace tdc

#endif // TDC_PIPELINES_PIPELINES_H
