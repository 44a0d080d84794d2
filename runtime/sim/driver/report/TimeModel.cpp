//===- TimeModel.cpp - simulated start and end times of operations --------===//

#include "driver/report/TimeModel.h"
#include <algorithm>

using namespace tdc::sim;

namespace {

enum Engine : unsigned { Compute, CopyIn, CopyOut, EnginesPerDevice };

unsigned getEngine(int device, Engine engine) {
  return static_cast<unsigned>(device) * EnginesPerDevice + engine;
}

struct EngineFinder {
  std::vector<unsigned> operator()(const Copy &copy) const {
    if (copy.from == copy.to)
      return {getEngine(copy.to, Compute)};
    std::vector<unsigned> engines;
    if (copy.from != kHost)
      engines.push_back(getEngine(copy.from, CopyOut));
    if (copy.to != kHost)
      engines.push_back(getEngine(copy.to, CopyIn));
    return engines;
  }
  std::vector<unsigned> operator()(const Fill &fill) const {
    return {getEngine(fill.device, Compute)};
  }
  std::vector<unsigned> operator()(const KernelCall &) const {
    return {getEngine(device, Compute)};
  }
  std::vector<unsigned> operator()(const Marker &) const { return {}; }

  int device;
};

struct EventMaker {
  TimelineEvent operator()(const Copy &copy) const {
    return {describe(copy), {{"bytes", std::to_string(copy.bytes)}}};
  }
  TimelineEvent operator()(const Fill &fill) const {
    return {"memset", {{"bytes", std::to_string(fill.bytes)}}};
  }
  TimelineEvent operator()(const KernelCall &call) const {
    return {Module::getInfo(*call.kernel).name,
            {{"kernel", Module::getInfo(*call.kernel).name},
             {"grid", getText(call.grid)},
             {"block", getText(call.block)}}};
  }
  TimelineEvent operator()(const Marker &) const { return {}; }
};

} // namespace

TimeModel::TimeModel(const DeviceModel &model, bool hasPeerAccess, int devices,
                     Timeline *timeline)
    : model(model), hasPeerAccess(hasPeerAccess), timeline(timeline),
      engineEnds(static_cast<size_t>(devices) * EnginesPerDevice) {}

double TimeModel::getDuration(const Task &task) const {
  if (auto *copy = std::get_if<Copy>(&task)) {
    auto bytes = static_cast<double>(copy->bytes);
    // A copy within a device reads and writes its memory.
    if (copy->from == copy->to)
      return 2 * bytes / model.memoryBytesPerMicrosecond;
    if (copy->from == kHost || copy->to == kHost)
      return kCopyMicroseconds + bytes / kHostBytesPerMicrosecond;
    if (hasPeerAccess)
      return kCopyMicroseconds + bytes / kPeerBytesPerMicrosecond;
    // Through the host, first one half, then the other.
    return 2 * (kCopyMicroseconds + bytes / kHostBytesPerMicrosecond);
  }
  if (auto *fill = std::get_if<Fill>(&task))
    return static_cast<double>(fill->bytes) / model.memoryBytesPerMicrosecond;
  return 0;
}

uint64_t TimeModel::issue(const Task &task, int device, unsigned lane,
                          double hostMicroseconds, Moments after,
                          std::shared_ptr<const Moment> &end) {
  Item item;
  item.end = std::make_shared<Moment>();
  end = item.end;
  item.after = std::move(after);
  item.call = call;
  item.hostMicroseconds = hostMicroseconds;
  item.engines = std::visit(EngineFinder{device}, task);
  item.microseconds = getDuration(task);
  if (timeline) {
    item.event = std::visit(EventMaker(), task);
    item.event.device = device;
    item.event.lane = lane;
  }
  items.push_back(std::move(item));
  return first + items.size() - 1;
}

void TimeModel::finish(uint64_t number, const Work &work) {
  Item &item = items[number - first];
  item.isFinished = true;
  // A kernel is bound by the resource that it needs most. Integer instructions
  // run at the rate of f32 ones, at which a fused multiply-add counts twice.
  double bytes = static_cast<double>(work.bytesRead + work.bytesWritten) /
                 model.memoryBytesPerMicrosecond;
  double operations =
      static_cast<double>(std::max(work.operations, 2 * work.instructions)) /
      model.operationsPerMicrosecond;
  item.microseconds = std::max({item.microseconds, bytes, operations});
  advance();
}

void TimeModel::wait(Moments moments) {
  Item item;
  item.after = std::move(moments);
  item.isFinished = true;
  item.call = call;
  items.push_back(std::move(item));
  advance();
}

void TimeModel::advance() {
  for (; !items.empty() && items.front().isFinished; ++first) {
    place(items.front());
    items.pop_front();
  }
}

void TimeModel::moveHost(double until, const char *name) {
  if (timeline && until > host)
    timeline->add({name, {}, kHost, 0, host, until - host});
  host = until;
}

void TimeModel::place(Item &item) {
  moveHost(host + item.hostMicroseconds, item.call);
  double start = host;
  for (const std::shared_ptr<const Moment> &moment : item.after)
    start = std::max(start, moment->microseconds);
  if (!item.end)
    return moveHost(start, item.call);
  for (unsigned engine : item.engines)
    start = std::max(start, engineEnds[engine]);
  double end = start + item.microseconds;
  for (unsigned engine : item.engines)
    engineEnds[engine] = end;
  item.end->microseconds = end;
  if (timeline && !item.event.name.empty()) {
    item.event.start = start;
    item.event.microseconds = item.microseconds;
    timeline->add(std::move(item.event));
  }
}
