# Finds LLVM and MLIR 22 and decides how they are linked.
#
# dev:     only the shared libMLIR and libLLVM; links quickly.
# release: the archives by path. Debian's exported static targets must not be
#          used: they pull in libLLVM.so as well, and a program with two
#          copies of LLVM aborts while it registers its options twice.
find_program(TDC_LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
execute_process(COMMAND ${TDC_LLVM_CONFIG} --prefix
                OUTPUT_VARIABLE TDC_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
# MLIR's version file accepts only its own exact minor version, so the major
# version is checked by hand.
find_package(MLIR REQUIRED CONFIG
             HINTS ${TDC_LLVM_PREFIX}/lib/cmake/mlir NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "tdc needs LLVM 22, found ${LLVM_PACKAGE_VERSION}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(TDC_LLVM_TOOLS ${LLVM_TOOLS_BINARY_DIR})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(tdc_llvm_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
list(REMOVE_ITEM tdc_llvm_definitions -D_GNU_SOURCE)
add_compile_options(${tdc_llvm_definitions})

# Targets to link in place of LLVM's own: TDCLLVM for libraries and programs
# that include only LLVM's headers, TDCMLIR through tdc_link_mlir.
add_library(TDCLLVM INTERFACE)
add_library(TDCMLIR INTERFACE)
target_link_libraries(TDCMLIR INTERFACE TDCLLVM)
# TDCLSP is LLVM's library of the Language Server Protocol, which is in no shared
# library. Its archive has no code of LLVM's other libraries.
add_library(TDCLSP INTERFACE)
target_link_libraries(TDCLSP INTERFACE TDCLLVM)
if(TDC_STATIC)
  include(StaticLink)
else()
  target_link_libraries(TDCLLVM INTERFACE LLVM)
  target_link_libraries(TDCMLIR INTERFACE MLIR)
  target_link_libraries(TDCLSP INTERFACE ${TDC_LLVM_PREFIX}/lib/libLLVMSupportLSP.a)
endif()

# The one precompiled header of the libraries that include MLIR, with the td
# dialect, whose generated classes take a third of the time of a compile. Call
# this when the flags of lib/ are set, which its users share, and the rules of
# the generated headers exist.
function(tdc_mlir_precompiled_headers)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cmake/pch.cpp
       CONTENT "// Carrier of the precompiled header.\n")
  add_library(TDCMLIRHeaders OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/cmake/pch.cpp)
  target_precompile_headers(TDCMLIRHeaders PRIVATE
    <llvm/ADT/SetVector.h>
    <llvm/ADT/StringExtras.h>
    <llvm/ADT/TypeSwitch.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/UB/IR/UBOps.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/Builders.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/IRMapping.h>
    <mlir/IR/Matchers.h>
    <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>
    <Dialect/TD/IR/TD.h>)
  get_property(generated GLOBAL PROPERTY TDC_TABLEGEN_TARGETS)
  add_dependencies(TDCMLIRHeaders ${generated})
endfunction()

# Gives `target`, a library or a program that includes MLIR, the link to MLIR
# and LLVM, the shared precompiled header, and every generated header made by
# a tdc_tablegen() before this call.
function(tdc_link_mlir target)
  target_link_libraries(${target} PUBLIC TDCMLIR)
  get_property(generated GLOBAL PROPERTY TDC_TABLEGEN_TARGETS)
  if(generated)
    add_dependencies(${target} ${generated})
  endif()
  target_precompile_headers(${target} REUSE_FROM TDCMLIRHeaders)
endfunction()
