//===- TDToRuntime.h - the host part becomes runtime calls ----------------===//
//
// The last td pass. Its input: slots, launches and host code. Its output: LLVM
// dialect and scalar arithmetic that call only kernels and the functions of
// tdc_runtime.h.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_TDTORUNTIME_H
#define TDC_CONVERSION_TDTORUNTIME_H

#include "mlir/Pass/Pass.h"

namespace tdc {

/// On a module: the name of its tdrt_program; if absent, tdc_program.
inline constexpr llvm::StringLiteral kSymbolAttr = "td.symbol";
/// On a module: the name of the tdrt_program for machines with fewer GPUs.
inline constexpr llvm::StringLiteral kOtherwiseAttr = "td.otherwise";
/// On a module: the program stops at a watched value that is not finite.
inline constexpr llvm::StringLiteral kStrictNumericsAttr = "td.strict_numerics";
/// On a module: the path of the simulated driver.
inline constexpr llvm::StringLiteral kSimLibraryAttr = "td.sim_library";

/// On a module with exported functions: the runtime's function that reads their
/// arguments from files.
inline constexpr llvm::StringLiteral kLoaderAttr = "td.loader";

#define GEN_PASS_DECL_TDSPLITFUNCTIONSPASS
#define GEN_PASS_DECL_TDSPLITREADSPASS
#define GEN_PASS_DECL_TDTORUNTIMEPASS
#define GEN_PASS_DECL_TDPRINTMEMORYPLANPASS
#define GEN_PASS_DECL_TDVERIFYBUFFERSPASS
#define GEN_PASS_DECL_TDVERIFYMEMORYPASS
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_TDTORUNTIME_H
