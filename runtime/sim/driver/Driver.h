//===- Driver.h - the common path of all calls of entry points ------------===//

#ifndef TDC_SIM_DRIVER_DRIVER_H
#define TDC_SIM_DRIVER_DRIVER_H

#include "driver/Machine.h"
#include <functional>
#include <mutex>
#include <optional>
#include <sys/types.h>

namespace tdc::sim {

/// The driver of the process, made by the first call and never destroyed:
/// threads may call to the end.
class Driver {
public:
  static Driver &get();

  /// What must exist for a call.
  enum class Need { Nothing, Machine, Context };
  using Body = std::function<CUresult(Machine *, Context *)>;

  /// Makes one call under the lock: counts it, lets the environment make it
  /// fail or skip it, checks its needs, runs `body`, lets some of the queued
  /// work run, and converts a Fault that was thrown to a status.
  CUresult call(Entry entry, Need need, const Body &body) noexcept;

  /// cuInit: throws Fault if there are no devices.
  void initialize();
  /// cuCtxSetCurrent; null for none.
  void setCurrent(CUcontext handle);
  /// The context of the calling thread; null if it has none, or if that context
  /// has been released.
  CUcontext getCurrent() const;

  /// tdc_sim_malformed_setting, tdc_sim_last_fault and tdc_sim_is_valid.
  const char *getMalformedSetting() const {
    return malformed ? malformed->message.c_str() : "";
  }
  std::string getLastFault();
  bool isValid(const void *pointer, size_t bytes);

  /// Writes the files that TDC_SIM_STATS and TDC_SIM_TRACE name.
  void writeReports();

private:
  Driver();

  CUresult callLocked(Entry entry, Need need, const Body &body);
  std::optional<CUresult> inject(Entry entry, uint64_t number);
  bool isForked() const;
  Context *findCurrent() const;

  std::mutex mutex;
  Settings settings;
  std::optional<Fault> malformed; ///< a malformed variable of the environment
  Statistics statistics;
  FaultLog faults;
  std::unique_ptr<Machine> machine; ///< once cuInit has succeeded
  pid_t process = 0;                ///< the one that called cuInit
};

/// Makes one call. `body` takes what it needs: nothing, a Machine, or a Machine
/// and the current Context. It returns a status, or nothing for success, and
/// throws Fault on failure.
template <class Body> CUresult call(Entry entry, Body body) {
  constexpr bool needsContext = std::is_invocable_v<Body, Machine &, Context &>;
  constexpr bool needsMachine = std::is_invocable_v<Body, Machine &>;
  auto need = needsContext   ? Driver::Need::Context
              : needsMachine ? Driver::Need::Machine
                             : Driver::Need::Nothing;
  return Driver::get().call(entry, need,
                            [&](Machine *machine, Context *context) {
                              auto run = [&] {
                                if constexpr (needsContext)
                                  return body(*machine, *context);
                                else if constexpr (needsMachine)
                                  return body(*machine);
                                else
                                  return body();
                              };
                              if constexpr (std::is_void_v<decltype(run())>) {
                                run();
                                return CUDA_SUCCESS;
                              } else {
                                return run();
                              }
                            });
}

/// The object that a pointer parameter points to; throws
/// CUDA_ERROR_INVALID_VALUE if the pointer is null.
template <class T> T &deref(T *pointer, const char *name) {
  if (!pointer)
    fault(CUDA_ERROR_INVALID_VALUE, "`" + std::string(name) + "` is null");
  return *pointer;
}

/// Throws CUDA_ERROR_INVALID_VALUE unless all bits of `flags` are in `known`.
inline void checkFlags(unsigned long long flags, unsigned long long known) {
  if (flags & ~known)
    fault(CUDA_ERROR_INVALID_VALUE,
          "flags " + std::to_string(flags) + " are not simulated");
}

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_DRIVER_H
