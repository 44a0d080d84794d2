//===- RuntimeFunctions.h - the functions of the runtime, typed -----------===//
//
// Typed from the declarations of tdc_runtime.h: a call through
// HostBuilder::call of a function that does not exist, or with a wrong number
// of arguments, does not compile. The types of its parameters and of its result
// follow from the declaration.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_RUNTIMEFUNCTIONS_H
#define TDC_CODEGEN_RUNTIMEFUNCTIONS_H

#include "tdc_runtime.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <type_traits>

namespace tdc::runtime {

/// Maps a C type to its type in generated code: all pointers are one type.
template <class Type>
using Lowered = std::conditional_t<std::is_pointer_v<Type>, void *, Type>;

/// A runtime function of this C signature.
template <class Signature> struct Function;

template <class Result, class... Parameters>
struct Function<Result(Parameters...)> {
  llvm::StringLiteral name;
};

template <class Result, class... Parameters>
constexpr Function<Lowered<Result>(Lowered<Parameters>...)>
makeFunction(Result (*)(Parameters...), llvm::StringLiteral name) {
  return {name};
}

// The address is not used, so that a user of this header need not link the
// runtime.
#define TDRT_SYMBOL(NAME)                                                      \
  inline constexpr auto NAME =                                                 \
      makeFunction(static_cast<decltype(::NAME) *>(nullptr), #NAME);
#define TDRT_HOST_SYMBOL TDRT_SYMBOL
#include "tdc_runtime_symbols.def"

// Functions of the C library.
inline constexpr auto strcmp =
    makeFunction(static_cast<decltype(::strcmp) *>(nullptr), "strcmp");

} // namespace tdc::runtime

#endif // TDC_CODEGEN_RUNTIMEFUNCTIONS_H
