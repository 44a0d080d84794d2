# tdrt_self_contained_archive(<target> <library> <objects> <output>)
#
# Makes an archive that a C compiler can link: the library's objects and the
# members that they need of libstdc++, libgcc_eh, libpng, libjpeg and libz become
# one relocatable object in which only tdrt_* stays global. So a program needs
# nothing but libc, libm and libpthread, and may itself contain another libstdc++
# or libz. Functions keep sections of their own, so --gc-sections drops what a
# program does not call.
function(tdrt_self_contained_archive target library objects output)
  foreach(part libstdc++.a libgcc_eh.a)
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${part}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND archives ${path})
  endforeach()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
  find_program(TDRT_LD NAMES ld.bfd ld REQUIRED)
  add_custom_command(
    OUTPUT ${output}
    # GNU ld, which can keep sections apart in a relocatable link: also those of
    # one name in two objects, as of functions in nameless namespaces, and of the
    # objects of libpng, libjpeg and libz, which have one section each.
    COMMAND ${TDRT_LD} -r -o ${object}
            --unique=.text* --unique=.rodata* --unique=.data* --unique=.bss*
            $<TARGET_OBJECTS:${objects}>
            --whole-archive $<TARGET_FILE:${library}> --no-whole-archive
            --start-group ${archives} ${tdc_rt_codec_archives} --end-group
    COMMAND ${TDRT_OBJCOPY} --wildcard --keep-global-symbol=tdrt_*
            --strip-debug ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${output}
    COMMAND ${CMAKE_AR} rcsD ${output} ${object}
    DEPENDS ${library} ${tdc_rt_codec_archives} $<TARGET_OBJECTS:${objects}>
    VERBATIM
    COMMENT "Making ${output} self-contained")
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
