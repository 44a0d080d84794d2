//===- Processors.h - the number of threads that can run ------------------===//

#ifndef TDRT_BASE_PROCESSORS_H
#define TDRT_BASE_PROCESSORS_H

#include "tdc_threads.h"
#include <string>

namespace tdrt {

constexpr int kMaxThreads = TDRT_MOST_THREADS;

/// "8" -> 8; 0 if the text is not a number from 1 to kMaxThreads.
int parseThreads(const char *text);

/// Number of processors that the affinity mask and the cgroup's quota leave; at
/// least 1.
int availableProcessors();

/// Number of processors that a cgroup's quota leaves, rounded down, at least 1;
/// kMaxThreads without a quota. `root` is the folder where cgroups are mounted,
/// `groups` the text of /proc/self/cgroup. The quotas of all parents count, in
/// versions 2 and 1.
int quotaProcessors(const std::string &root, const std::string &groups);

} // namespace tdrt

#endif // TDRT_BASE_PROCESSORS_H
