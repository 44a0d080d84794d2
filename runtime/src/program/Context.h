//===- Context.h - the state of one running program -----------------------===//

#ifndef TDRT_PROGRAM_CONTEXT_H
#define TDRT_PROGRAM_CONTEXT_H

#include "base/ErrorReport.h"
#include "base/Failure.h"
#include "base/Memory.h"
#include "program/Devices.h"
#include "program/Output.h"
#include "program/Progress.h"
#include "program/Trace.h"
#include "tdc_runtime.h"
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tdrt {

/// How far the outer loops of main are; `total` is 0 if one does not run.
using Loops = std::array<tdrt_loop, TDRT_LOOPS>;

/// The first bad index that a kernel met. Any thread of a parallel task may
/// write it; the context's thread reads it after the task.
struct KernelError {
  std::atomic<bool> taken{false};
  int64_t index = 0;
  int64_t size = 0;
  int32_t site = -1;
  Loops loops = {}; ///< of main, when the kernel ran
};

/// The first watched value that is not finite, as KernelError. It stays taken
/// once a warning was given.
struct KernelValue {
  std::atomic<bool> taken{false};
  double value = 0;
  int32_t site = -1;
  Loops loops = {};
  /// Whether a warning was given, here or in a context that shares the state.
  std::atomic<bool> *isTold = &isToldHere;
  std::atomic<bool> isToldHere{false};
};

/// Calls for random numbers are numbered in program order: the numbers depend
/// on the seed and the call's number, not on how the work is split.
struct RandomState {
  int64_t seed = 0;
  int64_t calls = 0;
};

class Context : public tdrt_context {
public:
  Context(const tdrt_program &program, bool isProcess)
      : program(&program), isProcess(isProcess) {
    arena = nullptr;
    args = nullptr;
    attention = 0;
    for (tdrt_loop &loop : loops)
      loop = {};
    devices = nullptr;
    state = nullptr;
    pinned = nullptr;
  }

  static Context &of(tdrt_context *ctx) { return *static_cast<Context *>(ctx); }
  static const Context &of(const tdrt_context *ctx) {
    return *static_cast<const Context *>(ctx);
  }

  /// Runs `body`; an exception that it throws becomes the context's error and
  /// the status.
  template <class Body> int32_t guarded(int32_t site, Body &&body) noexcept {
    try {
      body();
      return 0;
    } catch (Failure &failure) {
      return setError(failure.code, std::move(failure.message), site);
    } catch (const std::bad_alloc &) {
      return setOutOfMemory(site);
    } catch (const std::exception &) {
      // A container grew past its limit, which only a size can cause.
      return setOutOfMemory(site);
    }
  }

  /// Keeps the first error; returns `code`.
  int32_t setError(int32_t code, std::string &&message, int32_t site) noexcept;
  Loops getLoops() const noexcept { return {loops[0], loops[1]}; }
  /// The error occurred when main's loops were `at`, not now.
  void setErrorLoops(const Loops &at) noexcept { errorLoops = at; }
  int32_t setOutOfMemory(int32_t site) noexcept;
  void clearError() noexcept;
  /// Forgets the error of the last call or of main, and an interruption that
  /// came too late for it.
  void forgetLastCall() noexcept;
  void beginCall() noexcept;

  /// The text of the error, built at the first call.
  const char *errorText() noexcept;
  tdrt_error getError() noexcept;
  /// Null if `site` is -1: not known.
  const tdrt_site *findSite(int32_t site) const noexcept;

  /// Reads the command line into `args`. Throws Failure TR001 ... TR003, or
  /// TDRT_HELP with the help text.
  void parseArguments(int argc, const char *const *argv);

  /// Chooses the version of the program for this machine, and opens its GPUs
  /// and its arenas. Throws Failure TR2xx or TR3xx.
  void openDevices();
  /// Takes the state and the arguments of `other`, see tdrt_share. Throws
  /// Failure TR2xx.
  void share(const Context &other);
  /// Waits for the GPUs at the end of main or of a call, so that a failure of a
  /// kernel, or what it reports, is known. Returns a status.
  int32_t finishDevices() noexcept;

  const tdrt_program *program; ///< the version that runs
  HostMemory memory;
  std::unique_ptr<Trace> trace;  ///< null if the run is not traced
  std::unique_ptr<Devices> gpus; ///< null if the program uses none
  Output output;
  Progress progress;
  RandomState random;
  KernelError kernelError;
  KernelValue kernelValue;
  std::atomic<bool> interruptRequested{false};
  std::vector<tdrt_value> argValues;
  std::vector<std::string> argTexts; ///< strs of argValues point here
  std::string statsText;
  /// Whether the program runs as a process: it tells notes, and if a call fails
  /// the state that is left has no use.
  const bool isProcess;

  /// Reports the value of `kernelValue`: as a warning, or as the error of a
  /// strict program. Returns a status.
  int32_t tellValue() noexcept;
  /// Tells a note, if the program runs as a process that is not quiet. Throws
  /// Failure TR752 or std::bad_alloc.
  void tellNote(const std::string &message);

private:
  /// Tells a warning or a note, after the prints so far. Throws Failure TR752
  /// or std::bad_alloc.
  void tell(const tdrt_error &remark);
  /// The text of an error, a warning or a note. Throws std::bad_alloc.
  std::string describe(const tdrt_error &error) const;
  const char *getNote() noexcept;

  int32_t errorCode = 0;
  int32_t errorSite = -1;
  std::string errorMessage;
  Loops errorLoops = {}; ///< of main, when the error occurred
  char errorNote[200] = "";
  std::string report;
};

/// As tdrt_open, which opens a program that does not run as a process.
int32_t openProgram(const tdrt_program &program, int argc,
                    const char *const *argv, bool isProcess,
                    tdrt_context **ctx);

/// Reports the error of a context as tellError() of base/ErrorReport.h does.
/// `ctx` is null if there was no memory for it.
void tellError(tdrt_context *ctx);

/// Throws Failure TR703 or TR751 if the files of TDC_STATS_JSON and TDC_TRACE
/// cannot be written at the end of the run.
void checkReports();

} // namespace tdrt

#endif // TDRT_PROGRAM_CONTEXT_H
