# cmake -DFILE=Reference.md -DOUTPUT=x.cpp -P Embed.cmake
file(READ ${FILE} text)
file(WRITE ${OUTPUT} "// Generated from docs/Reference.md by lib/LanguageServer/Embed.cmake.
extern const char tdcReferenceText[];
const char tdcReferenceText[] = R\"markdown(${text})markdown\";
")
