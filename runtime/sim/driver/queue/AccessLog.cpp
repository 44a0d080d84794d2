//===- AccessLog.cpp - the bytes that work in flight touches --------------===//

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
            getByteText(end - begin) + " that " + first.source->description +
            (first.access.isWrite ? " writes" : " reads") +
            ", and nothing says which of them comes first: an event or a wait "
            "is missing");
}

/// Whether a later access subsumes an earlier one that is ordered before it:
/// any access that races with the earlier one then races with the later one.
bool standsFor(const ByteAccess &later, const ByteAccess &earlier) {
  return later.begin <= earlier.begin && earlier.end <= later.end &&
         (later.isWrite || !earlier.isWrite);
}

bool isBefore(const AccessLog::Source &first, const AccessLog::Source &second) {
  return second.clock.covers(first.lane, first.operation);
}

} // namespace

bool AccessLog::isNeeded(const Record &record) const {
  return std::any_of(kernels.begin(), kernels.end(), [&](const auto &entry) {
    return !isBefore(*record.source, entry.second);
  });
}

void AccessLog::add(const std::vector<ByteAccess> &accesses, Source source) {
  auto shared = std::make_shared<const Source>(std::move(source));
  for (const ByteAccess &access : accesses)
    for (const Record &record : records)
      if (conflict(record.access, access) &&
          record.source->operation != shared->operation &&
          !isBefore(*record.source, *shared) &&
          !isBefore(*shared, *record.source))
        reportRace(record, access, shared->description);
  for (const ByteAccess &access : accesses) {
    auto isObsolete = [&](const Record &record) {
      return standsFor(access, record.access) &&
             isBefore(*record.source, *shared) && !isNeeded(record);
    };
    records.erase(std::remove_if(records.begin(), records.end(), isObsolete),
                  records.end());
    records.push_back({access, shared});
  }
}

void AccessLog::addKernel(Source source) {
  OperationId operation = source.operation;
  kernels.emplace(operation, std::move(source));
}

void AccessLog::finishKernel(OperationId operation,
                             const std::vector<ByteAccess> &accesses) {
  auto found = kernels.find(operation);
  if (found == kernels.end())
    return;
  Source source = std::move(found->second);
  kernels.erase(found);
  add(accesses, std::move(source));
}

void AccessLog::forget(const Clock &host) {
  for (Record &record : records)
    record.isKnown |=
        host.covers(record.source->lane, record.source->operation);
  auto isOver = [&](const Record &record) {
    return record.isKnown && !isNeeded(record);
  };
  records.erase(std::remove_if(records.begin(), records.end(), isOver),
                records.end());
}

std::vector<const AccessLog::Record *> AccessLog::find(uint64_t begin,
                                                       uint64_t end) const {
  std::vector<const Record *> found;
  for (const Record &record : records)
    if (!record.isKnown && record.access.overlaps(begin, end))
      found.push_back(&record);
  return found;
}
