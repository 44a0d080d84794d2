//===- Calls.h - makes many calls of functions in one process -------------===//
//
// The generated op tests call thousands of small functions. Their arguments are
// packed in one file and their results in another. Every way to run the
// functions uses these files.
//
// The list of calls is JSON: [{"fn": "add_0", "in": [{"dtype": "f32",
// "dims": [2, 3], "at": 128}]}]. `at` is the offset of the elements in the data
// file, a multiple of 64. Each call writes one line of JSON: {"out": [...]} of
// the same form for the results' file, or {"status": 103}.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TOOLS_TDC_INTERPRET_CALLS_H
#define TDC_TOOLS_TDC_INTERPRET_CALLS_H

#include "tdc_runtime.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Calls a function and describes its results, which must live until the next
/// call. Returns 0 or a status.
using CallFunction = llvm::function_ref<int32_t(
    llvm::StringRef function, llvm::ArrayRef<tdrt_tensor> arguments,
    llvm::SmallVectorImpl<tdrt_tensor> &results)>;

/// Makes the calls of `callsFile` with arguments from `dataFile`. Writes the
/// results to `resultsFile` and their descriptions to `resultsFile`.json.
/// Returns false after a message on standard error if a file is bad.
bool runCalls(llvm::StringRef callsFile, llvm::StringRef dataFile,
              llvm::StringRef resultsFile, CallFunction call);

} // namespace tdc

#endif // TDC_TOOLS_TDC_INTERPRET_CALLS_H
