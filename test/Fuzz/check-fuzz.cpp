//===- check-fuzz.cpp - no program may harm the checker -------------------===//
//
// Parses and checks arbitrary bytes as a program, with values for arguments and
// a header for every file. The emitter counts regions: whatever the program,
// as long as it has no error they open and close in pairs.
//
//===----------------------------------------------------------------------===//
#include "Frontend/NullEmitter.h"
#include "Frontend/Parser.h"
#include "Frontend/Sema.h"
#include <cstdlib>

using namespace tdc;

namespace {
class CountingEmitter final : public NullEmitter {
public:
  Loop beginFor(Value a, Value b, Value c,
                llvm::ArrayRef<Value> initial) override {
    ++open;
    return NullEmitter::beginFor(a, b, c, initial);
  }
  llvm::SmallVector<Value> endFor(llvm::ArrayRef<Value> next,
                                  llvm::ArrayRef<Outcome> outcomes,
                                  Value leaves) override {
    if (!outcomes.empty() && !leaves)
      abort();
    --open;
    return NullEmitter::endFor(next, outcomes, leaves);
  }
  llvm::SmallVector<Value> beginWhile(Value goesOn,
                                      llvm::ArrayRef<Value> initial) override {
    ++open;
    return NullEmitter::beginWhile(goesOn, initial);
  }
  llvm::SmallVector<Value> endWhile(Value goesOn, llvm::ArrayRef<Value> next,
                                    llvm::ArrayRef<Outcome> outcomes) override {
    --open;
    return NullEmitter::endWhile(goesOn, next, outcomes);
  }
  void beginIf(Value) override { ++open; }
  llvm::SmallVector<Value> endIf(llvm::ArrayRef<Value> a,
                                 llvm::ArrayRef<Value> b) override {
    if (a.size() != b.size())
      abort();
    --open;
    return NullEmitter::endIf(a, b);
  }
  int open = 0;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  ast::Context context;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  FileId file = sources.add("fuzz.tdsl", text);
  const ast::Program *program = parseFile(sources, file, context, diags);
  CheckOptions options;
  options.argumentsAreFinal = size % 2;
  options.headersAreFinal = size % 3 == 0;
  options.placement = static_cast<Placement>(size % 5);
  options.countCudaDevices = [size] { return static_cast<int64_t>(size % 4); };
  options.readHeader = [](llvm::StringRef path, llvm::StringRef) {
    FileHeader header;
    header.dtype = path.size() % 2 ? DType::F32 : DType::I64;
    header.dims.assign(path.size() % 4, 8);
    return std::optional<FileHeader>(header);
  };
  CountingEmitter emitter;
  check(sources, context, file, *program, options, diags, emitter);
  if (!diags.hasErrors() && emitter.open != 0)
    abort();
  diags.printText(llvm::nulls());
  return 0;
}
