//===- Machine.h - the simulated devices and all objects made on them -----===//
//
// cuInit makes it. The entry points (Devices.cpp, Copies.cpp, ...) check their
// arguments and call this class. Nothing here locks; Driver::call holds the
// lock.
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
  /// `visible` is the number of devices that the program may see; they are
  /// renumbered from 0.
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
  /// Throws CUDA_ERROR_INVALID_DEVICE if there is no such device.
  void checkDevice(int device) const;
  /// The primary context of a device, whether it is retained or not.
  Context &getContext(int device) { return contexts[device]; }
  /// Null if `handle` is not the handle of a retained context.
  Context *findContext(CUcontext handle);
  void retain(Context &context);
  /// Drops a reference; dropping the last one destroys all objects of the
  /// context.
  void release(Context &context);
  /// Runs `body` for a device: a sticky fault (isSticky) that it throws breaks
  /// the device's context.
  template <class Body> auto runFor(int device, Body body) {
    try {
      return body();
    } catch (const Fault &fault) {
      // A Fault without a message repeats the old fault of a broken context.
      if (!isSticky(fault.code) || fault.message.empty())
        throw;
      breakContext(contexts[device], fault);
      tdc::sim::fault(fault.code, "");
    }
  }
  /// Keeps a fault with a context permanently.
  void breakContext(Context &context, const Fault &fault);

  //===- Streams ----------------------------------------------------------===//

  /// Null is the default stream of `current`. Throws
  /// CUDA_ERROR_INVALID_HANDLE, or the fault of the stream's context.
  Stream &getStream(CUstream handle, Context &current);
  CUstream makeStream(int device, unsigned flags);
  /// Work that is queued in it still runs.
  void destroyStream(CUstream handle);

  //===- Work -------------------------------------------------------------===//

  /// Adds a task to a stream, or to the graph that the stream captures. Throws
  /// Fault if the task races with another one.
  void give(Stream &stream, Task task);
  /// Makes all later work of a stream wait for `points`.
  void makeWait(Stream &stream, const std::vector<Point> &points);
  /// Records in an event the point that a stream has reached.
  void record(Event &event, Stream &stream);
  /// The recorded point, for a wait.
  const Point &getPoint(const Event &event);
  /// Queues a graph's nodes.
  void launch(ExecutableGraph &executable, Stream &stream);
  /// The points that new work must wait for to follow all work of a stream, or
  /// of a device.
  std::vector<Point> getPoints(const Stream &stream) const;
  std::vector<Point> getPoints(int device) const;

  /// The host waits: runs the work up to `points`. Throws the fault of the
  /// context of `device` if it has one then.
  void wait(int device, const std::vector<Point> &points);
  /// Whether all points are reached; if so, the host then knows it. If not,
  /// some of the work may run.
  bool query(int device, const std::vector<Point> &points);
  /// When a point was reached, in simulated microseconds. Runs all work that
  /// was issued before it: times are computed in the order of issue.
  double getTime(const Point &point);
  /// Runs a random part of the queued work.
  void runSome() { scheduler.runSome(); }

  /// Throws Fault if work that the host has not waited for touches the
  /// allocation at `address`, which is about to be freed while a context of
  /// `device` is current.
  void checkUnused(uint64_t address, int device);
  /// Throws Fault if the host has not waited for the last launch.
  void checkUnused(const ExecutableGraph &executable);
  /// Whether no work that the host has not waited for writes these bytes.
  bool isValid(uint64_t begin, uint64_t end) const;

  /// Notes that host memory was pinned while a context of the device was
  /// current.
  void setPinned(uint64_t address, int device) { pinned[address] = device; }
  void forgetPinned(uint64_t address) { pinned.erase(address); }

  //===- Capture (Capture.cpp) --------------------------------------------===//

  void beginCapture(Stream &stream, CUstreamCaptureMode mode);
  CUgraph endCapture(Stream &stream);
  /// Records an event, or waits for one, where the event, the stream or both
  /// belong to a capture.
  void recordCaptured(Event &event, Stream &stream);
  void waitCaptured(Stream &stream, const Event &event);
  /// Throws if the calling thread may not make unsafe calls now.
  void checkUnsafeCall();
  /// Throws if a capture forbids any use of a stream, or with `device` of all
  /// streams of a device, apart from adding work to it.
  void checkNotCapturing(const Stream &stream);
  void checkNotCapturing(int device);
  /// Throws CUDA_ERROR_CAPTURED_EVENT for an event that was recorded in a
  /// capture.
  void checkNotCaptured(const Event &event);

  //===- Reports ----------------------------------------------------------===//

  /// Live objects of one device; with kHost, of all devices and the host.
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
  /// Notes the bytes that the task touches; its operation will have number
  /// `id`.
  void noteAccesses(const Task &task, const Stream &stream, OperationId id,
                    const Clock &clock);
  /// For a kernel, announces the bytes that it will touch, known once it has
  /// run.
  void noteKernel(const Task &task, const Stream &stream, OperationId id,
                  const Clock &clock);
  /// Overwrites the destination of a copy to the host, so that a program that
  /// reads it too early does not find plausible old data.
  void spoilTarget(const Task &task);
  void run(const Operation &operation);
  /// The host now knows that these points are reached.
  void learn(const std::vector<Point> &points);

  [[noreturn]] void invalidate(Capture &capture, CUresult code,
                               const std::string &message);
  void addNode(Stream &stream, Task task);
  /// Removes a capture from all streams that are in it.
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
  Clock host; ///< operations that the host knows to be finished
  std::map<uint64_t, int> pinned;
  std::vector<std::shared_ptr<Capture>> captures; ///< that have not ended
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_MACHINE_H
