//===- DeepStack.cpp - room for recursion ---------------------------------===//

#include "Compilation/DeepStack.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <sys/mman.h>

using namespace tdc;

SignalStack::SignalStack()
    : memory(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (memory == MAP_FAILED)
    return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (memory == MAP_FAILED)
    return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, kBytes);
}

void tdc::runOnDeepStack(llvm::function_ref<void()> work) {
  constexpr unsigned stackBytes = 256u << 20;
  llvm::thread thread(std::optional<unsigned>(stackBytes), [&] {
    SignalStack forHandlers;
    work();
  });
  thread.join();
}
