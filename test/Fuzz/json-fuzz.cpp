//===- json-fuzz.cpp - no program may spoil the messages for programs -----===//
//
// Checks arbitrary bytes as a program whose file is named by its first line,
// and prints the diagnostics as JSON: whatever the bytes, each line is one
// object in UTF-8. nlohmann-json reads it, which has not written it.
//
//===----------------------------------------------------------------------===//
#include "Frontend/NullEmitter.h"
#include "FuzzedProgram.h"
#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace tdc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  NullEmitter emitter;
  FuzzedProgram program(text.take_until([](char c) { return c == '\n'; }), text,
                        emitter);
  std::string printed;
  llvm::raw_string_ostream os(printed);
  program.diags.printJSON(os);
  // One line each, and one that counts what is not shown.
  size_t reports = program.diags.getSorted().size(), lines = 0;
  for (llvm::StringRef rest = os.str(); !rest.empty(); ++lines) {
    auto [line, others] = rest.split('\n');
    if (!line.starts_with("{") ||
        !nlohmann::json::accept(line.begin(), line.end()))
      abort();
    rest = others;
  }
  if (lines != reports && lines != reports + 1)
    abort();
  return 0;
}
