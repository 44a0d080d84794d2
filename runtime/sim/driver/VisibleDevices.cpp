//===- VisibleDevices.cpp - CUDA_VISIBLE_DEVICES --------------------------===//

#include "driver/VisibleDevices.h"
#include <algorithm>
#include <cstdio>
#include <string_view>

using namespace tdc::sim;

namespace {

/// The device of an entry, or -1.
int findOrdinal(std::string_view entry, int devices) {
  int ordinal = -1;
  for (char c : entry) {
    if (c < '0' || c > '9')
      break;
    ordinal = std::max(ordinal, 0) * 10 + (c - '0');
    if (ordinal >= devices)
      return -1;
  }
  return ordinal;
}

int findUuid(std::string_view entry, int devices) {
  int found = -1;
  for (int device = 0; device < devices; ++device) {
    if (getUuid(device).compare(0, entry.size(), entry) != 0)
      continue;
    if (found >= 0)
      return -1; // not unique
    found = device;
  }
  return found;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

bool isUuid(std::string_view entry) { return entry.substr(0, 4) == "GPU-"; }

} // namespace

std::string tdc::sim::getUuid(int device) {
  char text[48];
  // The device number comes first, so that a short prefix identifies the
  // device.
  snprintf(text, sizeof text, "GPU-%02x7dc510-0000-4000-8000-0000000000%02x",
           device, device);
  return text;
}

std::vector<int> tdc::sim::getVisibleDevices(const char *value, int devices) {
  std::vector<int> visible;
  if (!value) {
    for (int device = 0; device < devices; ++device)
      visible.push_back(device);
    return visible;
  }
  std::string_view rest = value;
  bool byUuid = isUuid(trim(rest));
  while (!rest.empty()) {
    size_t length = std::min(rest.find(','), rest.size());
    std::string_view entry = trim(rest.substr(0, length));
    rest.remove_prefix(std::min(length + 1, rest.size()));
    int device = -1;
    if (isUuid(entry) == byUuid)
      device = byUuid ? findUuid(entry, devices) : findOrdinal(entry, devices);
    if (device < 0)
      break;
    if (std::count(visible.begin(), visible.end(), device))
      return {};
    visible.push_back(device);
  }
  return visible;
}
