# find_package(tdc): the target tdc::tdc, which is libtdc.so with its headers,
# and tdc_add_program.
include(${CMAKE_CURRENT_LIST_DIR}/tdcTargets.cmake)
find_program(TDC_COMMAND tdc HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin REQUIRED)

# tdc_add_program(<name> <file.tdsl> [OPTIONS <option of tdc build> ...])
# builds a .tdsl program to the executable <name>, as part of ALL.
function(tdc_add_program name source)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${TDC_COMMAND} build ${source} -o ${program} ${ARG_OPTIONS}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${source} ${TDC_COMMAND}
    COMMENT "tdc build ${source}" VERBATIM)
  # Not the name of the file: make would confuse the target with the file.
  add_custom_target(tdc_${name} ALL DEPENDS ${program})
endfunction()
