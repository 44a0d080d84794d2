//===- Machine.h - the simulated devices and all that programs make there -===//
//
// What cuInit makes. The entry points (Devices.cpp, Copies.cpp, ...) check what
// they are given and call this; nothing here locks, the driver does.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_MACHINE_H
#define TDC_SIM_DRIVER_MACHINE_H

#include "driver/FaultLog.h"
#include "driver/Handles.h"
#include "driver/Objects.h"
#include "driver/Settings.h"
#include "driver/base/DeviceModel.h"
#include "driver/queue/Scheduler.h"
#include "driver/queue/SourceWatch.h"
#include "driver/queue/TaskRunner.h"
#include "driver/report/Statistics.h"
#include "driver/report/TimeModel.h"

namespace tdc::sim {

class Machine {
public:
  /// `visible` are the devices of the settings that the program may see; they
  /// are counted anew, from 0.
  Machine(const Settings &settings, int visible, Statistics &statistics,
          FaultLog &faults);

  const Settings &settings;
  const DeviceModel &model;
  Skips skips;
  std::mt19937_64 random;
  Memory memory;
  HandleTable<Stream, CUstream> streams;
  HandleTable<Event, CUevent> events;
  HandleTable<LoadedModule, CUmodule> modules;
  HandleTable<LoadedFunction, CUfunction> functions;
  HandleTable<Graph, CUgraph> graphs;
  HandleTable<ExecutableGraph, CUgraphExec> executables;

  //===- Devices and contexts ---------------------------------------------===//

  int getDeviceCount() const { return static_cast<int>(contexts.size()); }
  /// Throws CUDA_ERROR_INVALID_DEVICE.
  void checkDevice(int device) const;
  /// The primary context of a device, whether it is retained or not.
  Context &getContext(int device) { return contexts[device]; }
  /// Null for what is not the handle of a retained context.
  Context *findContext(CUcontext handle);
  void retain(Context &context);
  /// Takes a reference; the last one destroys all that the context has.
  void release(Context &context);
  /// Runs `body` for a device: a fault that is found there and that stays
  /// breaks its context.
  template <class Body> auto runFor(int device, Body body) {
    try {
      return body();
    } catch (const Fault &fault) {
      // Without a message it is the old fault of a context that is broken.
      if (!isSticky(fault.code) || fault.message.empty())
        throw;
      breakContext(contexts[device], fault);
      tdc::sim::fault(fault.code, "");
    }
  }
  /// Keeps a fault with a context for good.
  void breakContext(Context &context, const Fault &fault);

  //===- Streams ----------------------------------------------------------===//

  /// Null is the default stream of `current`. Throws
  /// CUDA_ERROR_INVALID_HANDLE, or the fault of the stream's context.
  Stream &getStream(CUstream handle, Context &current);
  CUstream makeStream(int device, unsigned flags);
  /// What is queued still runs.
  void destroyStream(CUstream handle);

  //===- Work -------------------------------------------------------------===//

  /// Gives a stream a task, or the graph that the stream captures. Throws
  /// Fault if the task races with another one.
  void give(Stream &stream, Task task);
  /// Makes all that a stream is given from now on wait for some points.
  void makeWait(Stream &stream, const std::vector<Point> &points);
  /// Gives an event the place that a stream has got to.
  void record(Event &event, Stream &stream);
  /// That place, to wait for.
  const Point &getPoint(const Event &event);
  /// Queues a graph's nodes.
  void launch(ExecutableGraph &executable, Stream &stream);
  /// What all work of a stream, or of a device, has to wait for that wants to
  /// come after all that is there.
  std::vector<Point> getPoints(const Stream &stream) const;
  std::vector<Point> getPoints(int device) const;

  /// The host waits: runs what is due. Throws the fault of the context of
  /// `device` if it has one then.
  void wait(int device, const std::vector<Point> &points);
  /// Whether all points are reached, which the host then knows; if they are
  /// not, some of the work may go on.
  bool query(int device, const std::vector<Point> &points);
  /// When a point was reached, in simulated microseconds. All that was issued
  /// before it runs for that: times are known in the order of issue.
  double getTime(const Point &point);
  /// Lets a random part of the work go on.
  void runSome() { scheduler.runSome(); }

  /// Throws Fault if work that the host has not waited for touches the bytes
  /// of an allocation that is to be freed while a context of `device` is
  /// current.
  void checkUnused(uint64_t address, int device);
  /// Throws Fault if the host has not waited for the last launch.
  void checkUnused(const ExecutableGraph &executable);
  /// Whether no work that the host has not waited for writes these bytes.
  bool isValid(uint64_t begin, uint64_t end) const;

  /// The host's memory was pinned while a context of the device was current.
  void setPinned(uint64_t address, int device) { pinned[address] = device; }
  void forgetPinned(uint64_t address) { pinned.erase(address); }

  //===- Capture (Capture.cpp) --------------------------------------------===//

  void beginCapture(Stream &stream, CUstreamCaptureMode mode);
  CUgraph endCapture(Stream &stream);
  /// An event, and a wait for one, of which at least one side is capturing.
  void recordCaptured(Event &event, Stream &stream);
  void waitCaptured(Stream &stream, const Event &event);
  /// Throws if the calling thread may not make unsafe calls now.
  void checkUnsafeCall();
  /// Throws if a capture forbids to use a stream, or, with `device`, all
  /// streams of a device, other than by giving them work.
  void checkNotCapturing(const Stream &stream);
  void checkNotCapturing(int device);
  /// Throws CUDA_ERROR_CAPTURED_EVENT for an event of a capture.
  void checkNotCaptured(const Event &event);

  //===- Reports ----------------------------------------------------------===//

  /// Of one device, or of all and the host if it is kHost.
  LiveCounts getLive(int device) const;
  void setCall(const char *name) { time.setCall(name); }
  size_t getQueued() const { return scheduler.getQueued(); }
  std::string getTimeline() const { return timeline.getJson(); }

private:
  void destroyAll(Context &context);
  void nameLane(const Stream &stream);

  Point issue(Stream &stream, const Task &task, double hostMicroseconds,
              const std::vector<Point> &extra = {});
  Point queue(const Task &task, int device, unsigned lane,
              double hostMicroseconds, const std::vector<Point> &after);
  std::vector<Point> getPredecessors(const Stream &stream) const;
  /// Notes what an operation touches that will be number `id`.
  void noteAccesses(const Task &task, const Stream &stream, OperationId id,
                    const Clock &clock);
  /// The same of what a kernel, if it is one, will turn out to touch.
  void noteKernel(const Task &task, const Stream &stream, OperationId id,
                  const Clock &clock);
  /// Overwrites what a copy to the host will write, so that nobody takes what
  /// was there before for what will be.
  void spoilTarget(const Task &task);
  void run(const Operation &operation);
  /// The host has learnt that these are reached.
  void learn(const std::vector<Point> &points);

  [[noreturn]] void invalidate(Capture &capture, CUresult code,
                               const std::string &message);
  void addNode(Stream &stream, Task task);
  /// Takes a capture from all streams that are in it.
  void closeCapture(Capture &capture);
  void checkImplicit(const Stream &stream);

  Statistics &statistics;
  FaultLog &faults;
  Timeline timeline;
  std::vector<Context> contexts;
  unsigned lanes = 0;
  Scheduler scheduler;
  TimeModel time;
  TaskRunner runner;
  AccessLog accesses;
  SourceWatch sources;
  Clock host; ///< what the host knows to be finished
  std::map<uint64_t, int> pinned;
  std::vector<std::shared_ptr<Capture>> captures; ///< that have not ended
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_MACHINE_H
