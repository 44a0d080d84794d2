//===- check-fuzz.cpp - no program may harm the checker -------------------===//
//
// Parses and checks arbitrary bytes as a program. The emitter counts regions:
// whatever the program, as long as it has no error they open and close in
// pairs.
//
//===----------------------------------------------------------------------===//
#include "Frontend/NullEmitter.h"
#include "FuzzedProgram.h"
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
  CountingEmitter emitter;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  FuzzedProgram program("fuzz.tdsl", text, emitter);
  if (!program.diags.hasErrors() && emitter.open != 0)
    abort();
  program.diags.printText(llvm::nulls());
  return 0;
}
