//===- Failure.cpp - pieces of error messages -----------------------------===//

#include "base/Failure.h"
#include "tdc_text.h"
#include <cstring>

using namespace tdrt;

std::string tdrt::inQuotes(const std::string &text) {
  return "`" + tdc::printable(text) + "`";
}

std::string tdrt::byteText(uint64_t bytes) {
  static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000)
    return std::to_string(bytes) + " bytes";
  // One decimal, rounded down, in steps of 1000 as disks and tools count.
  unsigned unit = 0;
  uint64_t tenths = bytes;
  do {
    tenths = unit == 0 ? tenths / 100 : tenths / 1000;
    ++unit;
  } while (tenths >= 10000 && unit < 5);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " +
         units[unit];
}

std::string tdrt::systemText(int error) {
  const char *text = strerrordesc_np(error);
  return text ? text : "error " + std::to_string(error);
}

std::string tdrt::deviceText(int32_t device) {
  return device ? "cuda:" + std::to_string(device - 1) : "cpu";
}
