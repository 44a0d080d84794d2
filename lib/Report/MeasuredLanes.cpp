//===- MeasuredLanes.cpp - measured timelines, by a trace -----------------===//

#include "Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <map>

using namespace tdc;
namespace json = llvm::json;

namespace {

struct Event {
  std::string device, lane;
  LaneWork work; ///< its time counts from the beginning of the trace
};

} // namespace

static int64_t getNanoseconds(const json::Object &event, llvm::StringRef name) {
  return std::llround(event.getNumber(name).value_or(0) * 1e3);
}

static llvm::StringRef getText(const json::Object *object,
                               llvm::StringRef name) {
  return object ? object->getString(name).value_or("") : "";
}

/// Whether the times of all events are valid: not negative, and at most some
/// years.
static bool haveTimes(const json::Array &trace) {
  constexpr double kLongest = 1e15; // microseconds
  return llvm::all_of(trace, [](const json::Value &value) {
    const json::Object *event = value.getAsObject();
    if (getText(event, "ph") != "X")
      return true;
    auto isTime = [&](llvm::StringRef name) {
      std::optional<double> time = event->getNumber(name);
      return time && *time >= 0 && *time <= kLongest;
    };
    return isTime("ts") && isTime("dur");
  });
}

/// The events of a trace with the names of their lanes, which precede them in
/// the trace.
static std::vector<Event> getEvents(const json::Array &trace) {
  using Lane = std::pair<int64_t, int64_t>;
  std::map<int64_t, std::string> devices;
  std::map<Lane, std::string> lanes;
  std::vector<Event> events;
  for (const json::Value &value : trace) {
    const json::Object *event = value.getAsObject();
    if (!event)
      continue;
    const json::Object *arguments = event->getObject("args");
    int64_t device = event->getInteger("pid").value_or(-1);
    Lane lane(device, event->getInteger("tid").value_or(-1));
    llvm::StringRef name = getText(event, "name");
    if (name == "process_name")
      devices[device] = getText(arguments, "name").str();
    else if (name == "thread_name")
      lanes[lane] = getText(arguments, "name").str();
    if (getText(event, "ph") != "X" || !arguments)
      continue;
    LaneWork work{0,
                  name.str(),
                  getText(arguments, "file").str(),
                  unsigned(arguments->getInteger("line").value_or(0)),
                  getNanoseconds(*event, "ts"),
                  getNanoseconds(*event, "dur"),
                  arguments->getInteger("bytes").value_or(0)};
    events.push_back({devices[device], lanes[lane], std::move(work)});
  }
  return events;
}

static constexpr size_t kFewestIterations = 3;

/// The times at which iterations begin: those of the first kernel that each
/// iteration launches once, if the trace has all these kernels. If there are no
/// such kernels, the times of a copy that each iteration makes as often as the
/// estimated ones do. Empty if there are fewer than kFewestIterations.
static std::vector<int64_t> findIterations(llvm::ArrayRef<Event> events,
                                           const Lanes &estimated) {
  std::vector<int64_t> iterations;
  auto find = [&](size_t inOne, llvm::function_ref<bool(const Event &)> isIt) {
    iterations.clear();
    size_t seen = 0;
    for (const Event &event : events)
      if (isIt(event) && seen++ % inOne == 0)
        iterations.push_back(event.work.begin);
    return iterations.size() >= kFewestIterations;
  };
  auto findKernel = [&](const LaneKernel &kernel) {
    return find(/*inOne=*/1, [&](const Event &event) {
      return event.lane == "compute" && event.work.what == kernel.name &&
             event.work.line == kernel.line;
    });
  };
  if (!estimated.kernels.empty())
    return llvm::all_of(llvm::reverse(estimated.kernels), findKernel)
               ? iterations
               : std::vector<int64_t>();
  for (const LaneWork &copy : estimated.work) {
    if (copy.bytes == 0)
      continue;
    const LaneRow &row = estimated.rows[copy.lane];
    auto isSame = [&](const LaneRow &lane, const LaneWork &work) {
      return lane.device == row.device && lane.name == row.name &&
             work.what == copy.what && work.line == copy.line;
    };
    size_t inTwo = llvm::count_if(estimated.work, [&](const LaneWork &other) {
      return isSame(estimated.rows[other.lane], other);
    });
    // `inTwo` may be odd: work that crosses the beginning of the first
    // iteration is cut, not left out.
    if (find(std::max<size_t>(inTwo / 2, 1), [&](const Event &event) {
          return isSame({event.device, event.lane}, event.work);
        }))
      return iterations;
  }
  return {};
}

llvm::Expected<std::optional<Lanes>> tdc::readLanes(llvm::StringRef path,
                                                    const Lanes &estimated) {
  auto fail = [&](const llvm::Twine &problem) {
    return llvm::createStringError("`" + path + "` " + problem);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot be read: " + buffer.getError().message());
  llvm::Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return fail("is not a file of TDC_TRACE: it is not JSON");
  }
  const json::Object *object = parsed->getAsObject();
  const json::Array *trace = object ? object->getArray("traceEvents") : nullptr;
  if (!trace)
    return fail("is not a file of TDC_TRACE: it has no `traceEvents`");
  if (!haveTimes(*trace))
    return fail("has invalid times");
  std::vector<Event> events = getEvents(*trace);
  std::vector<int64_t> iterations = findIterations(events, estimated);
  if (iterations.empty())
    return std::nullopt;
  // Take two iterations of median length, not the first ones or those around a
  // pause.
  std::vector<std::pair<int64_t, size_t>> lengths;
  for (size_t i = 0; i + 2 < iterations.size(); ++i)
    lengths.push_back({iterations[i + 2] - iterations[i], i});
  llvm::sort(lengths);
  auto [length, first] = lengths[lengths.size() / 2];
  Lanes lanes;
  lanes.isMeasured = true;
  lanes.file = estimated.file;
  lanes.line = estimated.line;
  lanes.length = length;
  for (Event &event : events) {
    event.work.begin -= iterations[first];
    lanes.add(event.device, event.lane, std::move(event.work));
  }
  lanes.sort();
  return lanes;
}
