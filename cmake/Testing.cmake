# tdc_add_unittest(<name> SOURCES ... LIBS ... [MLIR])
# tdc_add_fuzzer(<name> SOURCES ... LIBS ...)
#
# Unit tests are gtest programs in <build>/unit, one ctest entry each; fuzzers
# are libFuzzer programs in <build>/fuzz, built only with TDC_FUZZ. Give MLIR if
# a test includes MLIR's headers, or links a library that does. The target
# `unittests` builds all unit tests; `sanitized` builds the fuzzers and the unit
# tests without MLIR: compiling the others under sanitizers costs more than they
# find.
# A machine without gtest can still build and run tdc.
add_custom_target(unittests)
add_custom_target(sanitized)
find_package(GTest QUIET)

function(tdc_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LIBS" ${ARGN})
  if(NOT TDC_TESTS OR NOT GTest_FOUND OR (ARG_MLIR AND TDC_SANITIZE))
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  # gtest's headers offer more when exceptions are on, as in its library.
  # Unit tests are compiled more often than they run, so they are not optimized;
  # what they test is.
  target_compile_options(${name} PRIVATE -fexceptions -O0)
  target_precompile_headers(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:<gtest/gtest.h$<ANGLE-R>>)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unit)
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE TDCMLIR)
  else()
    add_dependencies(sanitized ${name})
  endif()
  add_dependencies(unittests ${name})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

function(tdc_add_fuzzer name)
  if(NOT TDC_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(sanitized ${name})
endfunction()
