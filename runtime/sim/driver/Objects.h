//===- Objects.h - contexts, streams, events, modules, graphs -------------===//

#ifndef TDC_SIM_DRIVER_OBJECTS_H
#define TDC_SIM_DRIVER_OBJECTS_H

#include "driver/queue/Task.h"
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tdc::sim {

/// One node of a graph. In Graph::nodes, a node follows the nodes that it
/// depends on.
struct GraphNode {
  Task task;
  int device;
  std::vector<unsigned> after;
};

struct Graph {
  int device; ///< of the stream where capture began
  std::vector<GraphNode> nodes;
};

struct ExecutableGraph {
  Graph graph;
  Point lastLaunch; ///< the next one starts after it
};

struct Stream;

/// A capture between cuStreamBeginCapture and cuStreamEndCapture. Streams join
/// it by waiting for an event that was recorded in it.
struct Capture {
  CUstreamCaptureMode mode;
  std::thread::id thread; ///< the one that began it
  const Stream *origin;
  Graph graph;
  bool isValid = true;
  bool hasEnded = false;
};

struct Stream {
  int device;
  unsigned lane;   ///< its number among all streams, default ones too
  uint64_t number; ///< as its handle has it; 0 for a default stream
  bool isBlocking;
  Point tail = {}; ///< the last operation issued to it
  /// Null if the stream is not capturing. Otherwise the next node depends on
  /// the nodes in `frontier`.
  std::shared_ptr<Capture> capture = nullptr;
  std::vector<unsigned> frontier = {};

  bool isDefault() const { return number == 0; }
  std::string describe() const {
    return isDefault() ? "the default stream"
                       : "stream " + std::to_string(number);
  }
};

struct Event {
  int device;
  bool hasTiming;
  bool isRecorded = false;
  uint64_t record = 0; ///< number of the cuEventRecord call
  Point point;
  /// If it was last recorded in a capture: that capture, and the stream's
  /// frontier at that time.
  std::shared_ptr<Capture> capture;
  std::vector<unsigned> frontier;
};

/// Unfinished work of a stream that was destroyed.
struct Orphan {
  Point tail;
  unsigned lane;
  bool isBlocking;
};

/// The primary context of a device.
struct Context {
  int device;
  CUcontext handle;
  unsigned references = 0;
  /// The fault that has broken the context; it stays for good.
  CUresult sticky = CUDA_SUCCESS;
  std::set<int> peers; ///< devices with memory that its kernels may touch
  /// The legacy default stream.
  std::unique_ptr<Stream> defaultStream;
  std::vector<Orphan> orphans;
};

struct LoadedModule {
  int device;
  std::unique_ptr<Module> module;
};

struct LoadedFunction {
  CUmodule module;
  int device;
  const Kernel *kernel;
  uint32_t maxDynamicSharedBytes;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_OBJECTS_H
