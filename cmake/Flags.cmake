# Flags for every target.
#
# NDEBUG is always defined: Debian's LLVM is built with it, and classes such
# as mlir::Pass::Statistic have another size without it.
add_compile_definitions(NDEBUG _GNU_SOURCE)
add_compile_options(
  -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  # Sections per function let the release link drop and fold code.
  -ffunction-sections -fdata-sections)
if(TDC_WERROR)
  add_compile_options(-Werror)
endif()
# The bytes of a precompiled header must not depend on its build time, or no
# compile that uses it is ever found in ccache.
add_compile_options(
  "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")

# g++, which can build only the runtime, accepts no path here.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  find_program(TDC_LLD NAMES ld.lld-22 REQUIRED)
  add_link_options(-fuse-ld=${TDC_LLD})
endif()

if(TDC_SANITIZE)
  # vptr needs RTTI of instrumented LLVM classes; Debian's are not instrumented.
  add_compile_options(-fsanitize=${TDC_SANITIZE} -fno-sanitize=vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TDC_SANITIZE} -fno-sanitize=vptr)
endif()
if(TDC_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fprofile-continuous
                      -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
if(TDC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
