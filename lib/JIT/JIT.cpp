//===- JIT.cpp - linking in process ---------------------------------------===//
//
// ORC's parts without LLJIT: no platform, no search of the process, no unwind
// tables. What is left is a session, one linking layer and one library.
//
//===----------------------------------------------------------------------===//

#include "JIT/JIT.h"
#include "JIT/RuntimeSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"

using namespace llvm;

namespace tdc {

struct JIT::Session {
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer linker;
  orc::JITDylib &library;

  explicit Session(std::unique_ptr<orc::ExecutorProcessControl> process)
      : session(std::move(process)),
        linker(session, session.getExecutorProcessControl().getMemMgr()),
        library(session.createBareJITDylib("program")) {}
  ~Session() { cantFail(session.endSession()); }
};

JIT::JIT() = default;
JIT::~JIT() = default;

Expected<std::unique_ptr<JIT>>
JIT::create(MutableArrayRef<std::unique_ptr<MemoryBuffer>> objects) {
  auto process = orc::SelfExecutorProcessControl::Create();
  if (!process)
    return process.takeError();
  auto jit = std::make_unique<JIT>();
  jit->session = std::make_unique<Session>(std::move(*process));
  Session &session = *jit->session;

  orc::SymbolMap symbols;
  for (const RuntimeSymbol &symbol : getRuntimeSymbols())
    symbols[session.session.intern(symbol.name)] = {
        orc::ExecutorAddr::fromPtr(symbol.address),
        JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  if (Error error =
          session.library.define(orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  for (std::unique_ptr<MemoryBuffer> &object : objects)
    if (Error error = session.linker.add(session.library, std::move(object)))
      return std::move(error);
  return std::move(jit);
}

Expected<void *> JIT::lookup(StringRef symbol) {
  auto found = session->session.lookup({&session->library}, symbol);
  if (!found)
    return found.takeError();
  return found->getAddress().toPtr<void *>();
}

} // namespace tdc
