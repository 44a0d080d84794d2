# Writes OUTPUT, a header with the commit of SOURCE: "5a8285e2", with "-dirty" after it
# if files differ from that commit; "" in a source archive, which has no history. The
# header keeps its time if nothing has changed, so that nothing is compiled again.
set(commit "")
# A source archive may be unpacked within another repository.
if(EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND git -C ${SOURCE} describe --always --dirty --exclude=* --abbrev=8
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define TDC_COMMIT \"${commit}\"\n")
