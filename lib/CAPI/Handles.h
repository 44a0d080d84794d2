//===- Handles.h - the objects of tdc.h's handles -------------------------===//

#ifndef TDC_LIB_CAPI_HANDLES_H
#define TDC_LIB_CAPI_HANDLES_H

#include "JIT/Program.h"
#include "tdc/tdc.h"
#include "tdc_runtime.h"
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace tdc {

/// A tdc_diagnostic and the strings that it points to.
class OwnedDiagnostic {
public:
  tdc_severity severity = TDC_ERROR;
  std::string code, message, file, text, json;
  int32_t line = 0, column = 0, endLine = 0, endColumn = 0;

  /// The view points into this object, which must not be moved.
  tdc_diagnostic getView() const;
};

struct Interface;

/// A shared mutex without starvation: a reader that arrives after a waiting
/// writer waits until that writer is done. std::shared_mutex may let readers in
/// forever.
class FairSharedMutex {
public:
  void lock() {
    std::lock_guard doorLock(door);
    inside.lock();
  }
  void unlock() { inside.unlock(); }
  // NOLINTBEGIN(readability-identifier-naming): for std::shared_lock
  void lock_shared() {
    std::lock_guard doorLock(door);
    inside.lock_shared();
  }
  void unlock_shared() { inside.unlock_shared(); }
  // NOLINTEND(readability-identifier-naming)

private:
  std::mutex door;
  std::shared_mutex inside;
};

struct Function : tdc_function {
  const Interface *owner = nullptr;
  std::vector<const char *> spellings; ///< of the inputs
  int32_t index = 0;                   ///< of the export
};

/// Whether the slot is part of the state that files and callers see. Gradients
/// are not, and neither are values of the program that its exports use.
inline bool isState(const tdrt_slot &slot) {
  return slot.kind != TDRT_SLOT_GRAD && slot.kind != TDRT_SLOT_VALUE;
}

/// The code of a program, and the functions and state that callers see.
struct Interface {
  explicit Interface(std::unique_ptr<const Program> code);

  std::unique_ptr<const Program> code;
  std::vector<std::vector<tdc_tensor_type>> ports; ///< of all functions
  std::vector<Function> functions;
  std::vector<tdc_tensor_type> state;
  std::vector<int32_t> stateSlots;    ///< index in the program's table of slots
  std::vector<tdc_state_role> roles;  ///< of the tensors of the state
  std::deque<std::string> modelNames; ///< that the roles point to
  std::vector<std::string> removed;   ///< parameters and buffers

private:
  void addFunctions();
  void addState(const char *name, const char *key, int32_t slotIndex);
  void findRemoved();
};

} // namespace tdc

struct tdc_error {
  tdc_status status = TDC_BUG;
  std::string text; ///< of all diagnostics
  std::deque<tdc::OwnedDiagnostic> diagnostics;
  std::deque<tdc_diagnostic> views; ///< one of each diagnostic

  void add(tdc::OwnedDiagnostic diagnostic) {
    text += diagnostic.text;
    diagnostics.push_back(std::move(diagnostic));
    views.push_back(diagnostics.back().getView());
  }
};

/// Modules also hold the interface, so they may outlive this handle.
struct tdc_program {
  std::shared_ptr<const tdc::Interface> interface;
};

struct tdc_module {
  explicit tdc_module(std::shared_ptr<const tdc::Interface> interface)
      : interface(std::move(interface)) {}
  ~tdc_module();

  std::shared_ptr<const tdc::Interface> interface;
  tdrt_context *context = nullptr; ///< of the program's statements
  bool isOpen = false; ///< whether `context` was opened and has counters
  /// Held shared by calls that only read the state, each in a context of
  /// `shared`, and by tdc_state_read. Held exclusively by calls that run in
  /// `context` and by functions that write or save the state.
  tdc::FairSharedMutex stateLock;
  /// Contexts of calls that run concurrently. The list only grows, so that a
  /// signal handler can walk it.
  struct Shared {
    tdrt_context *context;
    Shared *next;
  };
  std::atomic<Shared *> shared{nullptr};
  std::mutex idleLock;
  std::vector<tdrt_context *> idle; ///< contexts of `shared` that no call uses
};

namespace tdc {

/// The JSON of `--message-format=json` for an error that the checker did not
/// report.
std::string makeJSON(const OwnedDiagnostic &diagnostic);

/// Sets `*error` to a new error that has no place in a program, unless `error`
/// is null. Returns `status`.
tdc_status fail(tdc_error **error, tdc_status status, std::string message);

/// The same with the error of a context.
tdc_status fail(tdc_error **error, tdrt_context *context, int32_t code);

} // namespace tdc

#endif // TDC_LIB_CAPI_HANDLES_H
