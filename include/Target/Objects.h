//===- Objects.h - object code on several threads -------------------------===//

#ifndef TDC_TARGET_OBJECTS_H
#define TDC_TARGET_OBJECTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tdc {

class HostTarget;
class StepListener;

/// Compiles a module that has been through the phase `llvm` to object files in
/// memory that link to one program. Kernels are compiled on up to `threads`
/// threads. Destroys the structure of `module`. Returns false if the module
/// cannot be translated.
bool generateObjects(
    mlir::ModuleOp module, const HostTarget &target, unsigned threads,
    llvm::SmallVectorImpl<std::unique_ptr<llvm::MemoryBuffer>> &objects,
    StepListener *listener = nullptr);

} // namespace tdc

#endif // TDC_TARGET_OBJECTS_H
