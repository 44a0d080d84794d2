# tdc_tablegen(<target> <file.td> <output> <generator>... [-- <output> ...])
#
# Runs mlir-tblgen on `file.td` of the current source folder once for each
# `<output> <generator flags>` group; <target> depends on all of them.
# Outputs are written to the build folder that mirrors the source folder, so
# include/Dialect/TD/IR/TDOps.h.inc is included as "Dialect/TD/IR/TDOps.h.inc".
#
# For LLVM's own kinds of tables, such as an option table, use LLVM's tablegen()
# as documented there.
find_program(LLVM_TABLEGEN_EXE NAMES llvm-tblgen
             HINTS ${TDC_LLVM_TOOLS} NO_DEFAULT_PATH REQUIRED)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

function(tdc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(TABLEGEN_OUTPUT "")
  set(group "")
  foreach(word ${ARGN} --)
    if(word STREQUAL "--")
      mlir_tablegen(${group})
      set(group "")
    else()
      list(APPEND group ${word})
    endif()
  endforeach()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  # tdc_link_mlir makes its users wait for these headers.
  set_property(GLOBAL APPEND PROPERTY TDC_TABLEGEN_TARGETS ${target})
endfunction()
