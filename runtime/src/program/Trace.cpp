//===- Trace.cpp - TDC_TRACE: the work of a run and its times -------------===//

#include "program/Trace.h"
#include "program/Context.h"
#include "text/JsonText.h"
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

std::string quoted(const char *text) {
  std::string out;
  appendJsonString(out, text);
  return out;
}

/// `{"name": ..., "ph": ..., "pid": ..., "tid": ...`, the start of an event.
std::string beginEvent(const char *name, char phase, int32_t device,
                       int32_t lane) {
  return "{\"name\":" + quoted(name) + ",\"ph\":\"" + phase +
         "\",\"pid\":" + std::to_string(device) +
         ",\"tid\":" + std::to_string(lane);
}

/// An end of the arrow from a copy to the kernel that waits for it.
std::string flowEvent(const TraceWork &work, double time) {
  return beginEvent("arrives", work.isCopy() ? 's' : 'f', work.device,
                    work.getLane()) +
         ",\"cat\":\"copy\",\"id\":" + std::to_string(work.ticket) +
         ",\"ts\":" + timeText(time) + (work.isCopy() ? "}" : ",\"bp\":\"e\"}");
}

std::string nameEvent(const char *what, int32_t device, int32_t lane,
                      const std::string &name) {
  return beginEvent(what, 'M', device, lane) +
         ",\"args\":{\"name\":" + quoted(name.c_str()) + "}}";
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

/// The arguments that the viewer shows for a selected event.
std::string Trace::getArguments(const TraceWork &work) const {
  std::string text;
  if (work.isCopy())
    text = "\"from\":\"" + deviceText(work.from) + "\",\"to\":\"" +
           deviceText(work.to) + "\",\"bytes\":" + std::to_string(work.bytes);
  if (work.site < 0)
    return text;
  const tdrt_site &site = program.sites[work.site];
  return text + (text.empty() ? "" : ",") + "\"file\":" + quoted(site.file) +
         ",\"line\":" + std::to_string(site.line);
}

std::string Trace::getJson() const {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  const char *separator = "";
  auto add = [&](const std::string &event) {
    text += separator + event;
    separator = ",\n";
  };
  for (int32_t device = 0; device < static_cast<int32_t>(memory.size());
       ++device) {
    if (!clocks[device])
      continue;
    add(nameEvent("process_name", device, 0, deviceText(device)));
    int32_t lanes = TraceWork::Peers + static_cast<int32_t>(memory.size());
    for (int32_t lane = TraceWork::Host; lane < lanes; ++lane) {
      std::vector<Timed> times = getTimes(device, lane);
      if (!times.empty())
        add(nameEvent("thread_name", device, lane, getLaneName(lane)));
      for (const Timed &timed : times)
        add(beginEvent(timed.work->name, 'X', device, lane) +
            ",\"ts\":" + timeText(timed.begin) +
            ",\"dur\":" + timeText(timed.end - timed.begin) + ",\"args\":{" +
            getArguments(*timed.work) + "}}");
      for (const Timed &timed : times)
        if (timed.work->ticket)
          add(flowEvent(*timed.work, timed.begin));
    }
  }
  for (const Sample &sample : samples) {
    double time = getTime(sample.device, sample.moment);
    if (!std::isnan(time))
      add(beginEvent("resident bytes", 'C', sample.device, 0) +
          ",\"ts\":" + timeText(time) +
          ",\"args\":{\"bytes\":" + std::to_string(sample.bytes) + "}}");
  }
  return text + "\n]}\n";
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
