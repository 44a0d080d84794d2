# cmake -DFILES=a.tdsl|b.tdsl -DOUTPUT=x.cpp -P Embed.cmake
#
# Writes the files as C++ raw strings, with the names of their top-level
# functions and models (lines that begin with `fn` or `model`). A name that begins
# with `_` is the prelude's own.
string(REPLACE "|" ";" files "${FILES}")
set(tables "")
set(rows "")
foreach(file ${files})
  get_filename_component(base ${file} NAME_WE)
  file(READ ${file} text)
  string(REGEX MATCHALL "\n(fn|model) [A-Za-z_][A-Za-z_0-9]*" found "\n${text}")
  set(names "")
  foreach(line ${found})
    string(REGEX REPLACE "\n(fn|model) " "" name "${line}")
    string(APPEND names "    \"${name}\",\n")
  endforeach()
  string(APPEND tables
    "static const llvm::StringRef ${base}Names[] = {\n${names}};\n"
    "static const char ${base}Text[] = R\"tdsl(${text})tdsl\";\n\n")
  string(APPEND rows
    "    {\"<prelude>/${base}.tdsl\", ${base}Text, ${base}Names},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from prelude/*.tdsl by prelude/Embed.cmake.
#include \"Prelude.h\"

${tables}llvm::ArrayRef<tdc::sema::PreludeFile> tdc::sema::getPreludeFiles() {
  static const PreludeFile files[] = {
${rows}  };
  return files;
}
")
