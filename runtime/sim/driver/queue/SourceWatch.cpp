//===- SourceWatch.cpp - host memory that pending copies will read --------===//

#include "driver/queue/SourceWatch.h"
#include "Fault.h"
#include <cstring>

using namespace tdc::sim;

namespace {

/// FNV-1a (Fowler, Noll, Vo) by words instead of bytes, for speed, with a fold
/// so that high bits reach low ones.
uint64_t getHash(uint64_t address, uint64_t bytes) {
  auto *data = reinterpret_cast<const char *>(address);
  uint64_t hash = 0xcbf29ce484222325;
  for (uint64_t done = 0; done < bytes; done += sizeof hash) {
    uint64_t word = 0;
    memcpy(&word, data + done, std::min<uint64_t>(sizeof word, bytes - done));
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 32;
  }
  return hash;
}

} // namespace

void SourceWatch::add(Source source) {
  uint64_t hash = getHash(source.address, source.bytes);
  watched.push_back({std::move(source), hash});
}

template <class Condition> void SourceWatch::checkIf(Condition condition) {
  std::vector<Watched> kept;
  const Watched *changed = nullptr;
  for (Watched &each : watched) {
    if (!condition(each.source))
      kept.push_back(std::move(each));
    else if (getHash(each.source.address, each.source.bytes) != each.hash)
      changed = &each;
  }
  std::string description = changed ? changed->source.description : "";
  watched = std::move(kept);
  if (changed)
    fault(CUDA_ERROR_LAUNCH_FAILED,
          "the host changed what " + description +
              " reads before it had waited for the copy");
}

void SourceWatch::check(const Clock &host) {
  checkIf([&](const Source &source) {
    return host.covers(source.lane, source.operation);
  });
}

void SourceWatch::check(uint64_t begin, uint64_t end) {
  checkIf([&](const Source &source) {
    return source.address < end && begin < source.address + source.bytes;
  });
}
