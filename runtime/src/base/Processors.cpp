//===- Processors.cpp - affinity and quota --------------------------------===//
//
// In a container with a quota of two processors on a machine with 64, the
// affinity mask has 64; spinning on 64 threads would use up the quota and stop
// the container again and again.
//
//===----------------------------------------------------------------------===//

#include "base/Processors.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

using namespace tdrt;

int tdrt::parseThreads(const char *text) {
  int value = 0;
  const char *end = text + strlen(text);
  auto result = std::from_chars(text, end, value);
  bool good = result.ec == std::errc() && result.ptr == end && value >= 1 &&
              value <= kMaxThreads;
  return good ? value : 0;
}

namespace {

/// The text of a small file of the kernel; "" if it cannot be read.
std::string readSmall(const std::string &path) {
  char text[4096];
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return "";
  ssize_t size = read(fd, text, sizeof text);
  close(fd);
  return size > 0 ? std::string(text, size) : "";
}

/// The number at the start of a text, or `otherwise`.
int64_t leadingNumber(const std::string &text, int64_t otherwise) {
  int64_t value;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() ? value : otherwise;
}

int rounded(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0)
    return kMaxThreads;
  return static_cast<int>(std::clamp<int64_t>(quota / period, 1, kMaxThreads));
}

/// The quota of version 2; cpu.max is "max 100000" or "200000 100000".
int quotaV2(const std::string &folder) {
  std::string text = readSmall(folder + "/cpu.max");
  size_t space = text.find(' ');
  if (space == std::string::npos)
    return kMaxThreads;
  return rounded(leadingNumber(text, 0),
                 leadingNumber(text.substr(space + 1), 0));
}

int quotaV1(const std::string &folder) {
  return rounded(leadingNumber(readSmall(folder + "/cpu.cfs_quota_us"), 0),
                 leadingNumber(readSmall(folder + "/cpu.cfs_period_us"), 0));
}

/// The least quota of a group and its parents.
template <class Quota>
int leastUpwards(const std::string &root, std::string group, Quota quota) {
  int least = kMaxThreads;
  for (;;) {
    least = std::min(least, quota(root + group));
    size_t slash = group.rfind('/');
    if (slash == std::string::npos)
      return least;
    group.resize(slash);
  }
}

} // namespace

int tdrt::quotaProcessors(const std::string &root, const std::string &groups) {
  int least = kMaxThreads;
  // Lines are "number:controllers:path"; version 2 has no controllers.
  for (size_t at = 0; at < groups.size();) {
    size_t end = std::min(groups.find('\n', at), groups.size());
    std::string line = groups.substr(at, end - at);
    at = end + 1;
    size_t first = line.find(':');
    size_t second =
        first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/")
      group.clear();
    if (controllers == ",,")
      least = std::min(least, leastUpwards(root, group, quotaV2));
    else if (controllers.find(",cpu,") != std::string::npos)
      least = std::min(least, leastUpwards(root + "/cpu", group, quotaV1));
  }
  return least;
}

int tdrt::availableProcessors() {
  // Larger than any machine's mask; the call fails if the mask is too small.
  constexpr int kMaskProcessors = 8192;
  alignas(cpu_set_t) char mask[CPU_ALLOC_SIZE(kMaskProcessors)];
  cpu_set_t *set = reinterpret_cast<cpu_set_t *>(mask);
  int count = 1;
  if (sched_getaffinity(0, sizeof mask, set) == 0)
    count = CPU_COUNT_S(sizeof mask, set);
  int quota = quotaProcessors("/sys/fs/cgroup", readSmall("/proc/self/cgroup"));
  return std::max(1, std::min({count, quota, kMaxThreads}));
}
