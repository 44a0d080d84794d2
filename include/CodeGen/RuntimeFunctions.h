//===- RuntimeFunctions.h - the functions of the runtime, typed -----------===//
//
// Typed from the declarations of tdc_runtime.h: the type of a function in
// generated code follows from its declaration. A call through HostBuilder::call
// of a function that does not exist, or with a wrong number of arguments, does
// not compile.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_RUNTIMEFUNCTIONS_H
#define TDC_CODEGEN_RUNTIMEFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tdc_runtime.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include <cstring>
#include <type_traits>

namespace tdc::runtime {

/// Maps a C type to its type in generated code: all pointers are one type.
template <class Type>
using Lowered = std::conditional_t<std::is_pointer_v<Type>, void *, Type>;

template <class Type>
inline constexpr bool kIsInteger =
    std::is_same_v<Type, int32_t> || std::is_same_v<Type, int64_t>;

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

/// The type of a result or parameter in the llvm dialect.
template <class Type> mlir::Type getType(mlir::MLIRContext *context) {
  if constexpr (std::is_void_v<Type>)
    return mlir::LLVM::LLVMVoidType::get(context);
  else if constexpr (std::is_same_v<Type, void *>)
    return mlir::LLVM::LLVMPointerType::get(context);
  else if constexpr (std::is_same_v<Type, double>)
    return mlir::Float64Type::get(context);
  else {
    static_assert(kIsInteger<Type>, "a type of generated code");
    return mlir::IntegerType::get(context, 8 * sizeof(Type));
  }
}

/// The same in LLVM IR.
template <class Type> llvm::Type *getType(llvm::LLVMContext &context) {
  if constexpr (std::is_void_v<Type>)
    return llvm::Type::getVoidTy(context);
  else if constexpr (std::is_same_v<Type, void *>)
    return llvm::PointerType::getUnqual(context);
  else if constexpr (std::is_same_v<Type, double>)
    return llvm::Type::getDoubleTy(context);
  else {
    static_assert(kIsInteger<Type>, "a type of generated code");
    return llvm::IntegerType::get(context, 8 * sizeof(Type));
  }
}

/// The type of a function in the llvm dialect.
template <class Result, class... Parameters>
mlir::LLVM::LLVMFunctionType getType(mlir::MLIRContext *context,
                                     const Function<Result(Parameters...)> &) {
  return mlir::LLVM::LLVMFunctionType::get(getType<Result>(context),
                                           {getType<Parameters>(context)...});
}

/// The same in LLVM IR.
template <class Result, class... Parameters>
llvm::FunctionType *getType(llvm::LLVMContext &context,
                            const Function<Result(Parameters...)> &) {
  return llvm::FunctionType::get(getType<Result>(context),
                                 {getType<Parameters>(context)...},
                                 /*isVarArg=*/false);
}

} // namespace tdc::runtime

#endif // TDC_CODEGEN_RUNTIMEFUNCTIONS_H
