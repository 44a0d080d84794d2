# find_package(tdc): the target tdc::tdc, which is libtdc.so with its headers,
# and tdc_add_program.
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/tdcTargets.cmake)
find_program(TDC_COMMAND tdc HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin REQUIRED)

# tdc_add_program(<name> <file.tdsl> [OPTIONS <option of tdc build> ...])
# builds a .tdsl program to the executable <name>, as part of ALL. It is built
# again when the program, one of its imports, or a data file whose header tdc
# has read changes.
function(tdc_add_program name source)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${TDC_COMMAND} build ${source} -o ${program}
            --depfile ${program}.d ${ARG_OPTIONS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${source} ${TDC_COMMAND}
    DEPFILE ${program}.d
    COMMENT "tdc build ${source}" VERBATIM)
  # Not the name of the file: make would confuse the target with the file.
  add_custom_target(tdc_${name} ALL DEPENDS ${program})
endfunction()
