# tdc_rt_codecs: libpng, libjpeg and libz, which read what is compressed, from
# Debian's archives, so that what is linked with the runtime needs no others.
#
# Shared libraries cannot contain their way of naming stderr, to which they write
# where no handler of errors is set, as the runtime does: in copies of the
# archives it becomes tdcNoStream of src/formats/TensorFormat.cpp. Their symbols
# stay inside of what is linked, where another libz may be loaded.
find_program(TDRT_OBJCOPY NAMES objcopy REQUIRED)
add_library(tdc_rt_codecs INTERFACE)
set(tdc_rt_codec_archives)
foreach(name png jpeg z) # each before what it needs
  find_library(TDRT_ARCHIVE_${name} NAMES lib${name}.a REQUIRED)
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/libtdc_rt_${name}.a)
  add_custom_command(
    OUTPUT ${copy}
    COMMAND ${TDRT_OBJCOPY} --redefine-sym stderr=tdcNoStream
            ${TDRT_ARCHIVE_${name}} ${copy}
    DEPENDS ${TDRT_ARCHIVE_${name}} VERBATIM)
  list(APPEND tdc_rt_codec_archives ${copy})
  target_link_options(tdc_rt_codecs INTERFACE
                      LINKER:--exclude-libs,libtdc_rt_${name}.a)
endforeach()
add_custom_target(tdc_rt_codec_files DEPENDS ${tdc_rt_codec_archives})
add_dependencies(tdc_rt_codecs tdc_rt_codec_files)
target_link_libraries(tdc_rt_codecs INTERFACE ${tdc_rt_codec_archives})
