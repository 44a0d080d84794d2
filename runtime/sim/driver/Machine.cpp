//===- Machine.cpp - devices, contexts and streams ------------------------===//

#include "driver/Machine.h"
#include <algorithm>

using namespace tdc::sim;

Machine::Machine(const Settings &settings, int visible, Statistics &statistics,
                 FaultLog &faults)
    : settings(settings), model(getDeviceModel(settings.architecture)),
      skips(settings.skips), random(settings.seed),
      memory(visible, settings.memory), streams(HandleKind::Stream),
      events(HandleKind::Event), modules(HandleKind::Module),
      functions(HandleKind::Function), graphs(HandleKind::Graph),
      executables(HandleKind::Executable), statistics(statistics),
      faults(faults), contexts(visible),
      scheduler(random, [this](const Operation &operation) { run(operation); }),
      time(model, settings.peer, visible,
           settings.traceFile.empty() ? nullptr : &timeline),
      runner({memory, random,
              [this](int device, int peer) {
                return contexts[device].peers.count(peer) != 0;
              }},
             settings.execute) {
  if (!settings.traceFile.empty())
    timeline.name(kHost, 0, "calls");
  if (!settings.statisticsFile.empty())
    memory.keepExtents();
  for (int device = 0; device < visible; ++device) {
    Context &context = contexts[device];
    context.device = device;
    context.handle = makeHandle<CUcontext>(HandleKind::Context, device + 1);
    context.defaultStream =
        std::make_unique<Stream>(Stream{device, lanes++, 0, true});
    nameLane(*context.defaultStream);
  }
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

void Machine::checkDevice(int device) const {
  if (device < 0 || device >= getDeviceCount())
    fault(CUDA_ERROR_INVALID_DEVICE, "device " + std::to_string(device) +
                                         " of " +
                                         std::to_string(getDeviceCount()));
}

Context *Machine::findContext(CUcontext handle) {
  for (Context &context : contexts)
    if (context.handle == handle && context.references > 0)
      return &context;
  return nullptr;
}

void Machine::retain(Context &context) {
  if (context.sticky)
    fault(context.sticky, "");
  ++context.references;
}

void Machine::release(Context &context) {
  if (context.references == 0)
    fault(CUDA_ERROR_INVALID_CONTEXT,
          "the primary context of " + getDeviceText(context.device) +
              " is released more often than it was retained");
  if (context.references == 1)
    destroyAll(context);
  --context.references;
}

void Machine::destroyAll(Context &context) {
  int device = context.device;
  scheduler.completeDevice(device);
  if (!context.sticky)
    runFor(device, [&] { learn(getPoints(device)); });
  statistics.countLeaks(getLive(device));
  for (const std::shared_ptr<Capture> &capture : std::vector(captures))
    if (capture->origin->device == device)
      closeCapture(*capture);
  auto isOfDevice = [=](const auto &object) { return object.device == device; };
  streams.removeIf(isOfDevice);
  events.removeIf(isOfDevice);
  executables.removeIf([=](const ExecutableGraph &executable) {
    return executable.graph.device == device;
  });
  graphs.removeIf(isOfDevice);
  functions.removeIf(isOfDevice);
  modules.removeIf(isOfDevice);
  for (uint64_t address : memory.getLive(device))
    memory.release(address);
  for (auto position = pinned.begin(); position != pinned.end();) {
    if (position->second == device) {
      memory.releaseHost(position->first);
      position = pinned.erase(position);
    } else {
      ++position;
    }
  }
  context.peers.clear();
  context.orphans.clear();
  for (Context &other : contexts)
    other.peers.erase(device);
}

void Machine::breakContext(Context &context, const Fault &fault) {
  if (context.sticky)
    return;
  context.sticky = fault.code;
  faults.report(context.device, fault, settings.seed);
}

LiveCounts Machine::getLive(int device) const {
  auto counts = [=](const auto &object) {
    return device == kHost || object.device == device;
  };
  LiveCounts live;
  for (int other = 0; other < getDeviceCount(); ++other) {
    if (device != kHost && other != device)
      continue;
    live.allocations += memory.getLiveCount(other);
    live.bytes += memory.getUsed(other);
  }
  for (auto &[address, owner] : pinned)
    live.pinned += device == kHost || owner == device;
  live.streams = streams.count(counts);
  live.events = events.count(counts);
  live.modules = modules.count(counts);
  live.graphs = graphs.count(counts);
  live.executables = executables.count([=](const ExecutableGraph &executable) {
    return device == kHost || executable.graph.device == device;
  });
  return live;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Stream &Machine::getStream(CUstream handle, Context &current) {
  Stream &stream = handle ? streams.get(handle) : *current.defaultStream;
  if (CUresult sticky = contexts[stream.device].sticky)
    fault(sticky, "");
  return stream;
}

void Machine::nameLane(const Stream &stream) {
  if (!settings.traceFile.empty())
    timeline.name(stream.device, stream.lane, stream.describe());
}

CUstream Machine::makeStream(int device, unsigned flags) {
  bool isBlocking = flags != CU_STREAM_NON_BLOCKING;
  auto stream = std::make_unique<Stream>(
      Stream{device, lanes++, streams.getNext(), isBlocking});
  nameLane(*stream);
  return streams.add(std::move(stream));
}

void Machine::destroyStream(CUstream handle) {
  Stream &stream = streams.get(handle);
  if (stream.capture)
    invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               stream.describe() + " is destroyed while it captures");
  std::vector<Orphan> &orphans = contexts[stream.device].orphans;
  auto isKnown = [&](const Orphan &orphan) {
    return host.covers(orphan.lane, orphan.tail.operation);
  };
  orphans.push_back({stream.tail, stream.lane, stream.isBlocking});
  orphans.erase(std::remove_if(orphans.begin(), orphans.end(), isKnown),
                orphans.end());
  streams.remove(handle);
}
