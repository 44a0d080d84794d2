//===- Processors.h - how many threads are sensible -----------------------===//

#ifndef TDRT_BASE_PROCESSORS_H
#define TDRT_BASE_PROCESSORS_H

#include <string>

namespace tdrt {

constexpr int kMaxThreads = 1024;

/// "8" -> 8; 0 if the text is not a number from 1 to kMaxThreads.
int parseThreads(const char *text);

/// Processors that the affinity mask and the cgroup's quota leave; at least 1.
int availableProcessors();

/// Processors that a cgroup's quota leaves, rounded up; kMaxThreads without a
/// quota. `root` is where cgroups are mounted, `groups` the text of
/// /proc/self/cgroup. All parents count, in version 2 and 1.
int quotaProcessors(const std::string &root, const std::string &groups);

} // namespace tdrt

#endif // TDRT_BASE_PROCESSORS_H
