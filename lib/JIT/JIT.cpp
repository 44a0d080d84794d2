//===- JIT.cpp - linking in process ---------------------------------------===//
//
// Uses the parts of ORC without LLJIT: no platform, no symbol search in the
// process, no unwind tables. That leaves a session, one linking layer and one
// library.
//
//===----------------------------------------------------------------------===//

#include "JIT/JIT.h"
#include "JIT/RuntimeSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Object/ObjectFile.h"

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

/// An upper bound of the bytes that all objects take in memory. It includes the
/// address tables that the linker adds, and the padding of each object's
/// segments to whole pages.
static Expected<size_t>
getMemoryBound(ArrayRef<std::unique_ptr<MemoryBuffer>> objects) {
  constexpr size_t kSegments = 64 << 10;
  size_t bytes = 0;
  for (const std::unique_ptr<MemoryBuffer> &buffer : objects) {
    auto object = object::ObjectFile::createObjectFile(*buffer);
    if (!object)
      return object.takeError();
    for (const object::SectionRef &section : (*object)->sections())
      bytes += section.getSize() + section.getAlignment().value();
    bytes += kSegments;
  }
  return 2 * bytes;
}

/// Reserves the memory of all objects as one block, because objects refer to
/// each other with 32-bit offsets. A GPU driver reserves terabytes of
/// addresses, which could lie between separately allocated parts.
static Expected<std::unique_ptr<orc::ExecutorProcessControl>>
makeProcess(ArrayRef<std::unique_ptr<MemoryBuffer>> objects) {
  auto bound = getMemoryBound(objects);
  if (!bound)
    return bound.takeError();
  auto memory = orc::MapperJITLinkMemoryManager::CreateWithMapper<
      orc::InProcessMemoryMapper>(*bound);
  if (!memory)
    return memory.takeError();
  return orc::SelfExecutorProcessControl::Create(nullptr, nullptr,
                                                 std::move(*memory));
}

JIT::JIT() = default;
JIT::~JIT() = default;

Expected<std::unique_ptr<JIT>>
JIT::create(MutableArrayRef<std::unique_ptr<MemoryBuffer>> objects,
            StringRef entry) {
  auto process = makeProcess(objects);
  if (!process)
    return process.takeError();
  auto jit = std::make_unique<JIT>();
  jit->session = std::make_unique<Session>(std::move(*process));
  Session &session = *jit->session;

  // The error of lookup() names the symbols but not the cause.
  std::string cause;
  session.session.setErrorReporter([&cause](Error error) {
    handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
      if (info.convertToErrorCode() == std::errc::not_enough_memory)
        report_bad_alloc_error("no memory for the code of a program");
      cause += info.message() + "; ";
    });
  });
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
  // Objects are linked when one of their symbols is looked up, so a name that
  // is not in the table is reported only here.
  auto found = session.session.lookup({&session.library}, entry);
  session.session.setErrorReporter(consumeError);
  if (!found)
    return createStringError(cause + toString(found.takeError()));
  jit->entry = found->getAddress().toPtr<void *>();
  return std::move(jit);
}

} // namespace tdc
