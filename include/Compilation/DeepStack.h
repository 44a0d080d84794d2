//===- DeepStack.h - a thread with a deep stack ---------------------------===//

#ifndef TDC_COMPILATION_DEEPSTACK_H
#define TDC_COMPILATION_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace tdc {

/// While it lives, signal handlers with SA_ONSTACK run on a separate stack on
/// this thread, since the usual crash is a stack overflow.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  static constexpr size_t kBytes = 64 << 10;
  void *memory; ///< MAP_FAILED if the separate stack could not be allocated
};

/// Runs `work` on a new thread and waits for it. The stack of the thread is
/// deep enough for code that walks a nested program recursively, LLVM included.
void runOnDeepStack(llvm::function_ref<void()> work);

} // namespace tdc

#endif // TDC_COMPILATION_DEEPSTACK_H
