//===- TransferCounts.cpp - counts of copies between devices --------------===//

#include "device/TransferCounts.h"
#include "base/Failure.h"
#include <map>
#include <tuple>

using namespace tdrt;

void TransferCounts::Count::add(const Count &other) {
  logical += other.logical;
  physical += other.physical;
  bytes += other.bytes;
  implicit += other.implicit;
}

TransferCounts::TransferCounts(const tdrt_program &program)
    : program(program), devices(1 + program.gpu->num_devices),
      counts(static_cast<size_t>(program.gpu->num_transfers) * devices) {}

void TransferCounts::add(int32_t transfer, int32_t from, int64_t pieces,
                         int64_t bytes) {
  counts[transfer * devices + from].add(
      {1, pieces, bytes, program.gpu->transfers[transfer].implied});
}

std::string TransferCounts::getJson() const {
  std::map<std::pair<int32_t, int32_t>, Count> links;
  std::map<std::tuple<int32_t, int32_t, int32_t>, Count> sites;
  for (size_t i = 0; i < counts.size(); ++i) {
    const tdrt_transfer_site &row = program.gpu->transfers[i / devices];
    int32_t from = i % devices;
    if (counts[i].logical == 0)
      continue;
    int32_t line = row.site < 0 ? 0 : program.sites[row.site].line;
    links[{from, row.to}].add(counts[i]);
    sites[{line, from, row.to}].add(counts[i]);
  }
  auto pair = [](int32_t from, int32_t to) {
    return "\"src\":\"" + deviceText(from) + "\",\"dst\":\"" + deviceText(to) +
           "\"";
  };
  auto number = [](const char *name, int64_t value) {
    return ",\"" + std::string(name) + "\":" + std::to_string(value);
  };
  std::string text = "\"copies\":[";
  const char *separator = "";
  for (auto &[link, count] : links) {
    text += separator + ("{" + pair(link.first, link.second)) +
            number("logical", count.logical) +
            number("physical", count.physical) + number("bytes", count.bytes) +
            number("implicit", count.implicit) + "}";
    separator = ",";
  }
  text += "],\"sites\":[";
  separator = "";
  for (auto &[site, count] : sites) {
    auto [line, from, to] = site;
    text += separator + ("{\"line\":" + std::to_string(line)) + "," +
            pair(from, to) + number("executed", count.logical) +
            number("bytes", count.bytes) + "}";
    separator = ",";
  }
  return text + "]";
}
