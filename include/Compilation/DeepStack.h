//===- DeepStack.h - room for recursion -----------------------------------===//

#ifndef TDC_COMPILATION_DEEPSTACK_H
#define TDC_COMPILATION_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace tdc {

/// While it lives, signal handlers that ask for it run on a stack of their own
/// on this thread, since the usual crash is a full stack.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  static constexpr size_t kBytes = 64 << 10;
  void *memory; ///< MAP_FAILED: there is none
};

/// Runs `work` on a thread whose stack is deep enough for everything that walks
/// a nested program recursively, LLVM included, and waits for it.
void runOnDeepStack(llvm::function_ref<void()> work);

} // namespace tdc

#endif // TDC_COMPILATION_DEEPSTACK_H
