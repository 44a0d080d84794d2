//===- Trace.cpp - TDC_TRACE: the work of a run and its times -------------===//

#include "program/Trace.h"
#include "program/Context.h"
#include "text/JsonWriter.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <tuple>

using namespace tdrt;

namespace {

/// The clock of a program that uses no GPU: its moments are times in
/// nanoseconds.
class SteadyClock final : public TraceClock {
public:
  int64_t now() noexcept override { return getNanoseconds() - start; }
  double getTime(int64_t moment) override {
    return static_cast<double>(moment) * 1e-3;
  }

private:
  static int64_t getNanoseconds() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
  }

  int64_t start = getNanoseconds();
};

std::string getLaneName(int32_t lane) {
  const char *const names[] = {"cpu", "compute", "h2d", "d2h"};
  return lane < TraceWork::Peers ? names[lane]
                                 : "p2p " + deviceText(lane - TraceWork::Peers);
}

/// Microseconds with three decimals, independent of the locale.
std::string timeText(double microseconds) {
  int64_t nanoseconds = std::llround(microseconds * 1e3);
  std::string digits = std::to_string(nanoseconds % 1000);
  return std::to_string(nanoseconds / 1000) + "." +
         std::string(3 - digits.size(), '0') + digits;
}

/// Begins an event, on a line of its own.
void beginEvent(JsonWriter &json, const char *name, char phase, int32_t device,
                int32_t lane) {
  json.line()
      .open('{')
      .member("name", name)
      .member("ph", std::string_view(&phase, 1))
      .member("pid", device)
      .member("tid", lane);
}

/// Writes an end of the arrow from a copy to the kernel that waits for it.
void writeFlow(JsonWriter &json, const TraceWork &work, double time) {
  beginEvent(json, "arrives", work.isCopy() ? 's' : 'f', work.device,
             work.getLane());
  json.member("cat", "copy").member("id", work.ticket);
  json.key("ts").number(timeText(time));
  if (!work.isCopy())
    json.member("bp", "e");
  json.close('}');
}

void writeName(JsonWriter &json, const char *what, int32_t device, int32_t lane,
               const std::string &name) {
  beginEvent(json, what, 'M', device, lane);
  json.key("args").open('{').member("name", name).close('}').close('}');
}

} // namespace

Trace::Trace(const tdrt_program &program)
    : program(program), cpuClock(std::make_unique<SteadyClock>()),
      clocks{cpuClock.get()},
      memory(1 + (program.gpu ? program.gpu->num_devices : 0)) {
  clocks.resize(memory.size());
}

void Trace::setClock(int32_t device, TraceClock &clock) {
  clocks[device] = &clock;
  if (hostClock == 0)
    hostClock = device;
}

void Trace::add(const TraceWork &work, int64_t begin, int64_t end) noexcept {
  try {
    spans.push_back({work, begin, end});
    InUse &inUse = memory[work.device];
    if (inUse.next != inUse.last)
      samples.push_back({work.device, begin, inUse.next});
    inUse.last = inUse.next;
  } catch (const std::bad_alloc &) {
    return; // An incomplete trace is better than a failed run.
  }
}

double Trace::getTime(int32_t device, int64_t moment) const {
  return clocks[device == 0 ? hostClock : device]->getTime(moment);
}

/// The spans of one lane, in the order of their ends. A lane does one thing
/// after another, so no span begins before the previous one has ended: a copy
/// waits for a copy of another queue in its lane.
std::vector<Trace::Timed> Trace::getTimes(int32_t device, int32_t lane) const {
  std::vector<Timed> times;
  for (const Span &span : spans) {
    if (span.work.device != device || span.work.getLane() != lane)
      continue;
    Timed timed = {getTime(device, span.begin), getTime(device, span.end),
                   &span.work};
    // Failed work has no end.
    if (!std::isnan(timed.begin) && !std::isnan(timed.end))
      times.push_back(timed);
  }
  std::sort(times.begin(), times.end(), [](const Timed &a, const Timed &b) {
    return std::tie(a.end, a.begin) < std::tie(b.end, b.begin);
  });
  double free = 0;
  for (Timed &timed : times) {
    timed.begin = std::min(std::max(timed.begin, free), timed.end);
    free = timed.end;
  }
  return times;
}

/// Writes the arguments that the viewer shows for a selected event.
void Trace::writeArguments(JsonWriter &json, const TraceWork &work) const {
  json.key("args").open('{');
  if (work.isCopy())
    json.member("from", deviceText(work.from))
        .member("to", deviceText(work.to))
        .member("bytes", work.bytes);
  if (work.site >= 0)
    json.member("file", program.sites[work.site].file)
        .member("line", program.sites[work.site].line);
  json.close('}');
}

void Trace::writeLane(JsonWriter &json, int32_t device, int32_t lane) const {
  std::vector<Timed> times = getTimes(device, lane);
  if (!times.empty())
    writeName(json, "thread_name", device, lane, getLaneName(lane));
  for (const Timed &timed : times) {
    beginEvent(json, timed.work->name, 'X', device, lane);
    json.key("ts").number(timeText(timed.begin));
    json.key("dur").number(timeText(timed.end - timed.begin));
    writeArguments(json, *timed.work);
    json.close('}');
  }
  for (const Timed &timed : times)
    if (timed.work->ticket)
      writeFlow(json, *timed.work, timed.begin);
}

std::string Trace::getJson() const {
  JsonWriter json;
  json.open('{').member("displayTimeUnit", "ns").key("traceEvents").open('[');
  auto numDevices = static_cast<int32_t>(memory.size());
  for (int32_t device = 0; device < numDevices; ++device) {
    if (!clocks[device])
      continue;
    writeName(json, "process_name", device, 0, deviceText(device));
    for (int32_t lane = TraceWork::Host; lane < TraceWork::Peers + numDevices;
         ++lane)
      writeLane(json, device, lane);
  }
  for (const Sample &sample : samples) {
    double time = getTime(sample.device, sample.moment);
    if (std::isnan(time))
      continue;
    beginEvent(json, "resident bytes", 'C', sample.device, 0);
    json.key("ts").number(timeText(time));
    json.key("args").open('{').member("bytes", sample.bytes).close('}');
    json.close('}');
  }
  return json.close(']').close('}').get() + "\n";
}

HostSpan::HostSpan(Context &context, const char *name, int32_t site)
    : context(context) {
  if (!context.trace)
    return;
  work.name = name;
  work.site = site;
  begin = context.trace->now();
}

HostSpan::~HostSpan() {
  if (!context.trace)
    return;
  context.trace->setMemory(0, context.memory.takeHighest());
  context.trace->add(work, begin, context.trace->now());
}
