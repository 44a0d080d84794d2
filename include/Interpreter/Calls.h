//===- Calls.h - many calls of a module's functions in one process --------===//
//
// The generated op tests call thousands of small functions. Their arguments
// come packed in one file and their results go to another, the same for every
// way to run the functions.
//
// The list of calls is JSON: [{"fn": "add_0", "in": [{"dtype": "f32",
// "dims": [2, 3], "at": 128}]}], `at` being where the elements start in the
// data file, a multiple of 64. For every call one line of JSON is written:
// {"out": [...]} of the same form for the results' file, or {"status": 103}.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_INTERPRETER_CALLS_H
#define TDC_INTERPRETER_CALLS_H

#include "tdc_runtime.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Calls a function and describes its results, which need to live until the
/// next call only. Returns 0 or a status.
using CallFunction = llvm::function_ref<int32_t(
    llvm::StringRef function, llvm::ArrayRef<tdrt_tensor> arguments,
    llvm::SmallVectorImpl<tdrt_tensor> &results)>;

/// Makes the calls of `callsFile` with arguments from `dataFile`; results go to
/// `resultsFile`, and their descriptions to `resultsFile`.json. Returns false
/// after a message on standard error if a file is bad.
bool runCalls(llvm::StringRef callsFile, llvm::StringRef dataFile,
              llvm::StringRef resultsFile, CallFunction call);

} // namespace tdc

#endif // TDC_INTERPRETER_CALLS_H
