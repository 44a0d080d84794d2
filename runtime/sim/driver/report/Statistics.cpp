//===- Statistics.cpp - TDC_SIM_STATS: a program's use of its devices -----===//

#include "driver/report/Statistics.h"
#include "driver/report/Json.h"

using namespace tdc::sim;

namespace {

/// Devices are named as in the language: "cpu", "cuda:0".
std::string getPlace(int device) {
  return device == kHost ? "cpu" : "cuda:" + std::to_string(device);
}

void addCounts(JsonWriter &json, const char *name, const LiveCounts &counts) {
  json.beginObject(name);
  json.add("allocations", counts.allocations);
  json.add("bytes", counts.bytes);
  json.add("pinned", counts.pinned);
  json.add("streams", counts.streams);
  json.add("events", counts.events);
  json.add("modules", counts.modules);
  json.add("graphs", counts.graphs);
  json.add("executables", counts.executables);
  json.endObject();
}

void addExtents(JsonWriter &json, const std::vector<Memory::Extent> &extents) {
  json.beginArray("extents");
  for (const Memory::Extent &extent : extents) {
    json.beginObject();
    json.add("bytes", extent.bytes);
    json.add("reached", extent.reached);
    json.endObject();
  }
  json.endArray();
}

void addMemory(JsonWriter &json, const Memory &memory, int devices) {
  json.beginArray("memory");
  for (int device = kHost; device < devices; ++device) {
    json.beginObject();
    json.add("device", getPlace(device));
    json.add("allocations", memory.getLiveCount(device));
    json.add("bytes", memory.getUsed(device));
    json.add("peak", memory.getPeak(device));
    // The host's writes to pinned memory are not seen, so it has no extents.
    if (device != kHost)
      addExtents(json, memory.getExtents(device));
    json.endObject();
  }
  json.endArray();
}

} // namespace

LiveCounts &LiveCounts::operator+=(const LiveCounts &other) {
  allocations += other.allocations;
  bytes += other.bytes;
  pinned += other.pinned;
  streams += other.streams;
  events += other.events;
  modules += other.modules;
  graphs += other.graphs;
  executables += other.executables;
  return *this;
}

void Statistics::countTask(const Task &task) {
  if (auto *copy = std::get_if<Copy>(&task)) {
    Transfers &transfers = copies[{copy->from, copy->to}];
    ++transfers.count;
    transfers.bytes += copy->bytes;
  } else if (auto *fill = std::get_if<Fill>(&task)) {
    ++fills[fill->device].count;
    fills[fill->device].bytes += fill->bytes;
  } else if (std::holds_alternative<KernelCall>(task)) {
    ++kernels;
  }
}

void Statistics::countWork(const Task &task, const Work &done) {
  auto *call = std::get_if<KernelCall>(&task);
  if (!call)
    return;
  instructions += done.instructions;
  KernelWork &kernel = work[Module::getInfo(*call->kernel).name];
  ++kernel.launches;
  kernel.sum += done;
}

std::string Statistics::getJson(const Ending &ending) const {
  JsonWriter json;
  json.beginObject();
  json.add("seed", ending.seed);
  json.beginObject("calls");
  for (unsigned i = 0; i != kEntries; ++i)
    if (calls[i])
      json.add(kEntryNames[i], calls[i]);
  json.endObject();
  json.beginArray("unwaited");
  for (uint64_t record : unwaited)
    json.add({}, record);
  json.endArray();
  json.beginArray("copies");
  for (auto &[places, transfers] : copies) {
    json.beginObject();
    json.add("src", getPlace(places.first));
    json.add("dst", getPlace(places.second));
    json.add("count", transfers.count);
    json.add("bytes", transfers.bytes);
    json.endObject();
  }
  json.endArray();
  json.beginArray("memsets");
  for (auto &[device, transfers] : fills) {
    json.beginObject();
    json.add("device", getPlace(device));
    json.add("count", transfers.count);
    json.add("bytes", transfers.bytes);
    json.endObject();
  }
  json.endArray();
  json.add("kernels", kernels);
  json.add("instructions", instructions);
  json.beginArray("work");
  for (auto &[name, kernel] : work) {
    json.beginObject();
    json.add("kernel", name);
    json.add("launches", kernel.launches);
    json.add("instructions", kernel.sum.instructions);
    json.add("operations", kernel.sum.operations);
    json.add("matrixOperations", kernel.sum.matrixOperations);
    json.add("bytesRead", kernel.sum.bytesRead);
    json.add("bytesWritten", kernel.sum.bytesWritten);
    json.add("wavefronts", kernel.sum.wavefronts);
    json.add("conflicts", kernel.sum.conflicts);
    json.endObject();
  }
  json.endArray();
  addMemory(json, ending.memory, ending.devices);
  // Objects left when contexts ended, and objects that are live now.
  LiveCounts all = leaks;
  all += ending.live;
  addCounts(json, "live", all);
  json.add("queued", ending.queued);
  json.add("fault", ending.fault);
  json.endObject();
  return json.take();
}
