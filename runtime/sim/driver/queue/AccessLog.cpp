//===- AccessLog.cpp - which bytes the work in flight touches -------------===//

#include "driver/queue/AccessLog.h"
#include "memory/Memory.h"

using namespace tdc::sim;

namespace {

[[noreturn]] void reportRace(const AccessLog::Record &first,
                             const ByteAccess &second,
                             const std::string &description) {
  uint64_t begin = std::max(first.access.begin, second.begin);
  uint64_t end = std::min(first.access.end, second.end);
  fault(CUDA_ERROR_LAUNCH_FAILED,
        "race: " + description + (second.isWrite ? " writes " : " reads ") +
            getByteText(end - begin) + " that " + first.description +
            (first.access.isWrite ? " writes" : " reads") +
            ", and nothing says which of them comes first: an event or a wait "
            "is missing");
}

/// Whether a later access stands for an earlier one that is ordered before it:
/// what races with the earlier one then races with the later one.
bool standsFor(const ByteAccess &later, const ByteAccess &earlier) {
  return later.begin <= earlier.begin && earlier.end <= later.end &&
         (later.isWrite || !earlier.isWrite);
}

} // namespace

void AccessLog::add(const std::vector<ByteAccess> &accesses, unsigned lane,
                    OperationId operation, const Clock &clock,
                    const std::string &description) {
  for (const ByteAccess &access : accesses) {
    for (const Record &record : records)
      if (conflict(record.access, access) && record.operation != operation &&
          !clock.covers(record.lane, record.operation))
        reportRace(record, access, description);
  }
  for (const ByteAccess &access : accesses) {
    auto isObsolete = [&](const Record &record) {
      return standsFor(access, record.access) &&
             clock.covers(record.lane, record.operation);
    };
    records.erase(std::remove_if(records.begin(), records.end(), isObsolete),
                  records.end());
    records.push_back({access, lane, operation, description});
  }
}

void AccessLog::forget(const Clock &host) {
  auto isKnown = [&](const Record &record) {
    return host.covers(record.lane, record.operation);
  };
  records.erase(std::remove_if(records.begin(), records.end(), isKnown),
                records.end());
}

std::vector<const AccessLog::Record *> AccessLog::find(uint64_t begin,
                                                       uint64_t end) const {
  std::vector<const Record *> found;
  for (const Record &record : records)
    if (record.access.overlaps(begin, end))
      found.push_back(&record);
  return found;
}
