//===- Issue.cpp - issuing work to the devices, and waiting by the host ---===//

#include "driver/Machine.h"
#include <algorithm>

using namespace tdc::sim;

namespace {

/// The bytes of the host that a task reads or writes; [0, 0) if there are none.
ByteAccess getHostAccess(const Task &task) {
  auto *copy = std::get_if<Copy>(&task);
  if (copy && copy->to == kHost)
    return {copy->destination, copy->destination + copy->bytes, true};
  if (copy && copy->from == kHost && !copy->staged)
    return {copy->source, copy->source + copy->bytes, false};
  return {0, 0, false};
}

std::string describeIn(const Stream &stream, const Task &task) {
  return describe(task) + " in " + stream.describe() + " of " +
         getDeviceText(stream.device);
}

void append(std::vector<Point> &points, const Point &point) {
  if (point.operation)
    points.push_back(point);
}

} // namespace

std::vector<Point> Machine::getPredecessors(const Stream &stream) const {
  std::vector<Point> points;
  append(points, stream.tail);
  const Context &context = contexts[stream.device];
  if (stream.isDefault()) {
    // The legacy default stream waits for all blocking streams, and they for
    // it (CUDA Driver API, Stream synchronization behavior).
    for (auto &[handle, other] : streams)
      if (other->device == stream.device && other->isBlocking)
        append(points, other->tail);
    for (const Orphan &orphan : context.orphans)
      if (orphan.isBlocking)
        append(points, orphan.tail);
  } else if (stream.isBlocking) {
    append(points, context.defaultStream->tail);
  }
  return points;
}

std::vector<Point> Machine::getPoints(const Stream &stream) const {
  if (stream.isDefault())
    return getPredecessors(stream);
  std::vector<Point> points;
  append(points, stream.tail);
  return points;
}

std::vector<Point> Machine::getPoints(int device) const {
  std::vector<Point> points;
  append(points, contexts[device].defaultStream->tail);
  for (auto &[handle, stream] : streams)
    if (stream->device == device)
      append(points, stream->tail);
  for (const Orphan &orphan : contexts[device].orphans)
    append(points, orphan.tail);
  return points;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

void Machine::give(Stream &stream, Task task) {
  if (stream.capture)
    return addNode(stream, std::move(task));
  checkImplicit(stream);
  statistics.countTask(task);
  runFor(stream.device, [&] { issue(stream, task, kIssueMicroseconds); });
}

void Machine::makeWait(Stream &stream, const std::vector<Point> &points) {
  checkImplicit(stream);
  issue(stream, Marker{"wait"}, 0, points);
}

void Machine::record(Event &event, Stream &stream) {
  checkImplicit(stream);
  event.point = issue(stream, Marker{"event"}, 0);
  event.capture = nullptr;
  event.isRecorded = true;
  event.record = statistics.countRecord();
}

const Point &Machine::getPoint(const Event &event) {
  statistics.countWait(event.record);
  return event.point;
}

Point Machine::queue(const Task &task, int device, unsigned lane,
                     double hostMicroseconds, const std::vector<Point> &after) {
  std::vector<OperationId> ids;
  TimeModel::Moments moments;
  for (const Point &point : after) {
    ids.push_back(point.operation);
    moments.push_back(point.moment);
  }
  Point point;
  point.operation = scheduler.getNext();
  uint64_t item = time.issue(task, device, lane, hostMicroseconds,
                             std::move(moments), point.moment);
  scheduler.add({point.operation, device, task, item}, ids);
  return point;
}

Point Machine::issue(Stream &stream, const Task &task, double hostMicroseconds,
                     const std::vector<Point> &extra) {
  std::vector<Point> after = getPredecessors(stream);
  for (const Point &point : extra)
    append(after, point);
  Clock clock = host;
  for (const Point &point : after)
    clock.join(point.clock);
  noteAccesses(task, stream, scheduler.getNext(), clock);
  noteKernel(task, stream, scheduler.getNext(), clock);
  spoilTarget(task);
  Point point =
      queue(task, stream.device, stream.lane, hostMicroseconds, after);
  point.clock = std::move(clock);
  point.clock.advance(stream.lane, point.operation);
  stream.tail = point;
  return point;
}

void Machine::noteKernel(const Task &task, const Stream &stream, OperationId id,
                         const Clock &clock) {
  if (std::holds_alternative<KernelCall>(task))
    accesses.addKernel({stream.lane, id, clock, describeIn(stream, task)});
}

void Machine::noteAccesses(const Task &task, const Stream &stream,
                           OperationId id, const Clock &clock) {
  std::vector<ByteAccess> touched = getAccesses(task);
  if (touched.empty())
    return;
  std::string description = describeIn(stream, task);
  ByteAccess ofHost = getHostAccess(task);
  bool isWatched = !ofHost.isWrite && memory.find(ofHost.begin);
  std::vector<OperationId> others;
  for (const AccessLog::Record *record :
       accesses.find(ofHost.begin, ofHost.end)) {
    others.push_back(record->source->operation);
    // Another copy has yet to write the source, so its bytes will change.
    isWatched &= !record->access.isWrite;
  }
  if (ofHost.isWrite) {
    // Pending reads of these bytes must run before they are spoilt. Kernels
    // that run for that add their accesses.
    for (OperationId other : others)
      scheduler.complete(other);
    sources.check(ofHost.begin, ofHost.end);
  }
  accesses.add(touched, {stream.lane, id, clock, description});
  if (isWatched)
    sources.add({ofHost.begin, ofHost.end - ofHost.begin, stream.lane, id,
                 std::move(description)});
}

void Machine::spoilTarget(const Task &task) {
  ByteAccess ofHost = getHostAccess(task);
  if (ofHost.isWrite)
    fillWithPattern(reinterpret_cast<std::byte *>(ofHost.begin),
                    ofHost.end - ofHost.begin);
}

void Machine::launch(ExecutableGraph &executable, Stream &stream) {
  checkImplicit(stream);
  const std::vector<GraphNode> &nodes = executable.graph.nodes;
  for (const GraphNode &node : nodes)
    if (auto *call = std::get_if<KernelCall>(&node.task))
      functions.get(call->function);

  Point start = issue(stream, Marker{"graph"}, kIssueMicroseconds,
                      {executable.lastLaunch});
  OperationId first = scheduler.getNext();
  std::vector<ByteAccess> reads;
  for (size_t i = 0; i < nodes.size(); ++i) {
    // A graph is a part of its stream's lane. cuGraphInstantiate has checked
    // that nodes without an order between them do not race, so the clocks may
    // count the first of two as ordered before the second.
    Clock clock = start.clock;
    for (unsigned index : nodes[i].after)
      clock.advance(stream.lane, first + index);
    noteAccesses(nodes[i].task, stream, first + i, clock);
    noteKernel(nodes[i].task, stream, first + i, clock);
    reads.push_back(getHostAccess(nodes[i].task));
  }
  for (const GraphNode &node : nodes) {
    ByteAccess target = getHostAccess(node.task);
    auto isRead = [&](const ByteAccess &read) {
      return !read.isWrite && read.overlaps(target.begin, target.end);
    };
    if (std::none_of(reads.begin(), reads.end(), isRead))
      spoilTarget(node.task);
  }

  std::vector<Point> points;
  for (const GraphNode &node : nodes) {
    statistics.countTask(node.task);
    std::vector<Point> after = {start};
    for (unsigned index : node.after)
      after.push_back(points[index]);
    points.push_back(queue(node.task, node.device, stream.lane, 0, after));
  }
  points.push_back(start);
  Point end = queue(Marker{"graph"}, stream.device, stream.lane, 0, points);
  end.clock = std::move(start.clock);
  end.clock.advance(stream.lane, end.operation);
  stream.tail = executable.lastLaunch = end;
}

//===----------------------------------------------------------------------===//
// Run and wait
//===----------------------------------------------------------------------===//

void Machine::run(const Operation &operation) {
  Context &context = contexts[operation.device];
  Work work;
  // Operations that a broken context still has queued are dropped.
  if (!context.sticky) {
    try {
      bool notesAccesses = accesses.hasKernel(operation.id);
      work = runner.run(operation.task, operation.device, notesAccesses);
      if (notesAccesses)
        accesses.finishKernel(operation.id, work.accesses);
      statistics.countWork(operation.task, work);
    } catch (const Fault &fault) {
      breakContext(context, fault);
    } catch (const std::bad_alloc &) {
      breakContext(context, {CUDA_ERROR_LAUNCH_FAILED,
                             "the host has no memory left to run " +
                                 describe(operation.task)});
    }
  }
  // For a kernel that did not run to its end.
  accesses.finishKernel(operation.id, {});
  time.finish(operation.timeItem, work);
}

void Machine::learn(const std::vector<Point> &points) {
  TimeModel::Moments moments;
  for (const Point &point : points) {
    host.join(point.clock);
    moments.push_back(point.moment);
  }
  time.wait(std::move(moments));
  sources.check(host);
  accesses.forget(host);
}

void Machine::wait(int device, const std::vector<Point> &points) {
  for (const Point &point : points)
    scheduler.complete(point.operation);
  if (CUresult sticky = contexts[device].sticky)
    fault(sticky, "");
  runFor(device, [&] { learn(points); });
}

bool Machine::query(int device, const std::vector<Point> &points) {
  for (const Point &point : points)
    scheduler.advance(point.operation);
  if (CUresult sticky = contexts[device].sticky)
    fault(sticky, "");
  for (const Point &point : points)
    if (!scheduler.isDone(point.operation))
      return false;
  runFor(device, [&] { learn(points); });
  return true;
}

double Machine::getTime(const Point &point) {
  scheduler.completeUpTo(point.operation);
  return point.moment->microseconds;
}

//===----------------------------------------------------------------------===//
// Memory and graphs in use
//===----------------------------------------------------------------------===//

void Machine::checkUnused(uint64_t address, int device) {
  const Allocation *allocation = memory.find(address);
  if (!allocation)
    return;
  auto users = accesses.find(address, address + allocation->bytes);
  if (users.empty())
    return;
  runFor(device, [&] {
    fault(CUDA_ERROR_LAUNCH_FAILED,
          "allocation " + std::to_string(allocation->serial) + " of " +
              getDeviceText(allocation->device) + " is freed while " +
              users.front()->source->description + " may still use it");
  });
}

void Machine::checkUnused(const ExecutableGraph &executable) {
  if (host.covers(executable.lastLaunch.clock))
    return;
  runFor(executable.graph.device, [&] {
    fault(CUDA_ERROR_LAUNCH_FAILED,
          "a graph is destroyed while its last launch may still run");
  });
}

bool Machine::isValid(uint64_t begin, uint64_t end) const {
  auto users = accesses.find(begin, end);
  return std::none_of(
      users.begin(), users.end(),
      [](const AccessLog::Record *record) { return record->access.isWrite; });
}
