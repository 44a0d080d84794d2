# The rules of `cmake --install`: the command, the library for embedding
# (libtdc.so with its headers), and the libraries that tdc links into the
# programs it builds, which it looks for in ../lib; documents and examples.
# `dist` builds everything that is installed.
include(CMakePackageConfigHelpers)

add_custom_target(dist)
add_dependencies(dist tdc tdc_shared tdc_sim_cuda TDCTexts)

install(TARGETS tdc RUNTIME DESTINATION bin)
install(TARGETS tdc_shared EXPORT tdcTargets LIBRARY DESTINATION lib)
install(TARGETS tdc_sim_cuda LIBRARY DESTINATION lib)
install(FILES ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libtdc_rt.a DESTINATION lib)
install(DIRECTORY include/tdc DESTINATION include)

# The same folders as in the source tree: pages name other pages and examples by
# their paths there.
set(documents share/doc/tdc)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${documents})
install(DIRECTORY LICENSES docs examples DESTINATION ${documents}
        PATTERN __pycache__ EXCLUDE)

set(texts ${CMAKE_BINARY_DIR}/tools/tdc)
install(FILES ${texts}/tdc.1 DESTINATION share/man/man1)
install(FILES ${texts}/tdc.bash DESTINATION share/bash-completion/completions
        RENAME tdc)
install(FILES ${texts}/_tdc DESTINATION share/zsh/site-functions)
install(FILES ${texts}/tdc.fish DESTINATION share/fish/vendor_completions.d)

install(EXPORT tdcTargets NAMESPACE tdc:: DESTINATION lib/cmake/tdc)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/tdcConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/tdcConfig.cmake ${CMAKE_BINARY_DIR}/cmake/tdcConfigVersion.cmake
        DESTINATION lib/cmake/tdc)
configure_file(cmake/tdc.pc.in ${CMAKE_BINARY_DIR}/cmake/tdc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/tdc.pc DESTINATION lib/pkgconfig)
