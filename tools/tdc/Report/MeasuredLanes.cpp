//===- MeasuredLanes.cpp - what ran beside what, by a trace ---------------===//

#include "Report/Lanes.h"
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
  LaneWork work; ///< from the beginning of the trace
};

} // namespace

static int64_t getNanoseconds(const json::Object &event, llvm::StringRef name) {
  return std::llround(event.getNumber(name).value_or(0) * 1e3);
}

static llvm::StringRef getText(const json::Object *object,
                               llvm::StringRef name) {
  return object ? object->getString(name).value_or("") : "";
}

/// The work in a trace, with the names of its lanes, which come first.
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

/// The beginnings of the turns. A copy is made as often in each of them as in
/// the estimated ones.
static std::vector<int64_t> findTurns(llvm::ArrayRef<Event> events,
                                      const Lanes &estimated) {
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
    // What crosses the beginning of the first turn is cut, not left out.
    size_t inOne = std::max<size_t>(inTwo / 2, 1), seen = 0;
    std::vector<int64_t> turns;
    for (const Event &event : events)
      if (isSame({event.device, event.lane}, event.work) && seen++ % inOne == 0)
        turns.push_back(event.work.begin);
    if (turns.size() >= 3)
      return turns;
  }
  return {};
}

llvm::Expected<Lanes> tdc::readLanes(llvm::StringRef path,
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
    return fail("is not JSON, as TDC_TRACE writes it");
  }
  const json::Object *object = parsed->getAsObject();
  const json::Array *trace = object ? object->getArray("traceEvents") : nullptr;
  if (!trace)
    return fail("is not what TDC_TRACE writes: it has no `traceEvents`");
  std::vector<Event> events = getEvents(*trace);
  std::vector<int64_t> turns = findTurns(events, estimated);
  if (turns.empty())
    return fail("has no three turns of the loop of line " +
                llvm::Twine(estimated.line) +
                " that copy what this program does");
  // Two turns as most are: neither the first ones nor those around a pause.
  std::vector<std::pair<int64_t, size_t>> lengths;
  for (size_t i = 0; i + 2 < turns.size(); ++i)
    lengths.push_back({turns[i + 2] - turns[i], i});
  llvm::sort(lengths);
  auto [length, first] = lengths[lengths.size() / 2];
  Lanes lanes;
  lanes.isMeasured = true;
  lanes.file = estimated.file;
  lanes.line = estimated.line;
  lanes.length = length;
  for (Event &event : events) {
    event.work.begin -= turns[first];
    lanes.add(event.device, event.lane, std::move(event.work));
  }
  lanes.sort();
  return lanes;
}
