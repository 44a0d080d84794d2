//===- Devices.h - the interface to a program's GPUs ----------------------===//
//
// A program that uses no GPU carries no code for them: the implementations of
// these interfaces are reached only through tdrt_gpu_program::backend.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_DEVICES_H
#define TDRT_PROGRAM_DEVICES_H

#include "base/Memory.h"
#include "tdc_runtime.h"
#include <memory>

namespace tdrt {

class Context;
class JsonWriter;

/// The GPUs that a running program uses.
class Devices {
public:
  virtual ~Devices() = default;

  virtual tdrt_device_memory *getTable() = 0;
  /// tdrt_context::pinned.
  virtual char *getPinned() = 0;
  /// The memory of a GPU that the program uses: 1 + k is cuda:k.
  virtual Memory &getMemory(int32_t device) = 0;
  virtual int64_t countBytesInUse() const = 0;

  /// Waits for all GPUs and takes the errors that their kernels have reported.
  /// Throws Failure TR309 ... TR311 or TR399.
  virtual void synchronize() = 0;

  /// Between enter() and leave(), on one thread, the first GPU's context stays
  /// current; no other library may call the driver there. Not nested. `enter`
  /// throws Failure TR309 ... TR311 or TR314.
  virtual void enter() = 0;
  virtual void leave() = 0;

  /// As in Memory, for all GPUs, and for handles.
  virtual void beginCall() = 0;
  virtual void endCall(bool failed) = 0;

  /// Members of the objects of tdrt_stats_json: "copies" and "sites"; and for
  /// each GPU, as "cuda:0", its bytes.
  virtual void writeCopies(JsonWriter &json) const = 0;
  virtual void writeArenas(JsonWriter &json) const = 0;
  virtual void writePeaks(JsonWriter &json) const = 0;
};

} // namespace tdrt

struct tdrt_gpu_backend {
  /// Throws Failure TR301 ... TR305, TR311, TR312 or TR316 unless at least
  /// `count` GPUs are visible. `simulated` is tdrt_gpu_program::sim_library.
  void (*requireDevices)(int32_t count, const char *simulated);
  /// Opens the GPUs that the context's program uses, with their arenas and
  /// constants. Throws Failure TR3xx.
  std::unique_ptr<tdrt::Devices> (*open)(tdrt::Context &context);
};

#endif // TDRT_PROGRAM_DEVICES_H
