//===- Timeline.cpp - TDC_SIM_TRACE, for Perfetto and chrome://tracing ----===//

#include "driver/report/Timeline.h"
#include "driver/report/Json.h"
#include "memory/Memory.h"
#include <set>

using namespace tdc::sim;

namespace {

int getProcess(int device) { return device + 1; }
static_assert(kHost == -1);

/// Writes the name of a process or a thread.
void addName(JsonWriter &json, const char *what, int device, unsigned lane,
             const std::string &name) {
  json.beginObject();
  json.add("name", what);
  json.add("ph", "M");
  json.add("pid", getProcess(device));
  json.add("tid", lane);
  json.beginObject("args");
  json.add("name", name);
  json.endObject();
  json.endObject();
}

} // namespace

std::string Timeline::getJson() const {
  JsonWriter json;
  json.beginObject();
  json.add("displayTimeUnit", "ns");
  json.beginArray("traceEvents");
  std::set<int> devices;
  for (auto &[key, name] : lanes) {
    auto [device, lane] = key;
    if (devices.insert(device).second)
      addName(json, "process_name", device, 0, getDeviceText(device));
    addName(json, "thread_name", device, lane, name);
  }
  for (const TimelineEvent &event : events) {
    json.beginObject();
    json.add("name", event.name);
    json.add("ph", "X");
    json.add("pid", getProcess(event.device));
    json.add("tid", event.lane);
    json.add("ts", event.start);
    json.add("dur", event.microseconds);
    json.beginObject("args");
    for (auto &[name, value] : event.arguments)
      json.add(name, value);
    json.endObject();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return json.take();
}
