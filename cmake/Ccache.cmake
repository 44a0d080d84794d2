# ccache where it is installed. Its cache is the user's own (CCACHE_DIR or
# the XDG default), so it outlives a removed build folder. ccache needs this
# sloppiness to cache with precompiled headers; Flags.cmake gives clang the
# matching -fno-pch-timestamp.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(tdc_ccache env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${tdc_ccache})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${tdc_ccache})
endif()
