# The release link: every LLVM and MLIR archive that a tdc can need, by path,
# in one group; lld takes the members it needs and drops dead sections.
file(GLOB tdc_archives CONFIGURE_DEPENDS
     ${TDC_LLVM_PREFIX}/lib/libMLIR*.a ${TDC_LLVM_PREFIX}/lib/libLLVM*.a)
# Not the C API, MLIR's own tests, and targets that tdc makes no code for: apart
# from GPUs, a tdc compiles for the machine it runs on, so far only x86-64.
list(FILTER tdc_archives EXCLUDE REGEX "CAPI|MLIRTest")
list(FILTER tdc_archives EXCLUDE REGEX
     "libLLVM(AArch64|AMDGPU|ARM|AVR|BPF|Hexagon|Lanai|LoongArch|M68k|Mips|MSP430|PowerPC|RISCV|SPIRV|Sparc|SystemZ|VE|WebAssembly|XCore|Xtensa)")
list(JOIN tdc_archives "\n" tdc_archive_lines)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cmake/archives.rsp @ONLY CONTENT
     "--start-group\n@tdc_archive_lines@\n--end-group\n")

add_library(TDCGlibcShim STATIC ${CMAKE_CURRENT_LIST_DIR}/arc4random.c)

# -no-pie: a program at a fixed address needs none of the 76,000 relocations
#   of LLVM's tables, which cost a fifth of the start-up time (2.3 ms against
#   2.8, 510 page faults against 714). Packed relocations (relr) would need
#   glibc 2.36. Binding lazily or at once makes no measurable difference.
# --icf=all: 53 MB become 46 MB, so fewer pages to read when the binary is
#   not in the page cache. Safe: MLIR tells types apart by addresses of data,
#   which lld never folds.
# --gc-sections: drops code that no phase of tdc calls.
# -rdynamic is missing on purpose: the JIT gets the addresses of the runtime's
#   functions directly and looks up no names.
target_link_options(TDCLLVM INTERFACE
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie> -static-libstdc++ -static-libgcc -s
  LINKER:--gc-sections,--icf=all)
target_link_libraries(TDCLLVM INTERFACE
  -Wl,@${CMAKE_BINARY_DIR}/cmake/archives.rsp TDCGlibcShim
  -Wl,-Bstatic -lz -lzstd -Wl,-Bdynamic -lm -lpthread -ldl)
