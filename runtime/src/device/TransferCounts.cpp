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

void TransferCounts::write(JsonWriter &json) const {
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
  auto writeLink = [&](int32_t from, int32_t to) {
    json.member("src", deviceText(from)).member("dst", deviceText(to));
  };
  json.key("copies").open('[');
  for (auto &[link, count] : links) {
    json.open('{');
    writeLink(link.first, link.second);
    json.member("logical", count.logical)
        .member("physical", count.physical)
        .member("bytes", count.bytes)
        .member("implicit", count.implicit)
        .close('}');
  }
  json.close(']').key("sites").open('[');
  for (auto &[site, count] : sites) {
    auto [line, from, to] = site;
    json.open('{').member("line", line);
    writeLink(from, to);
    json.member("executed", count.logical)
        .member("bytes", count.bytes)
        .close('}');
  }
  json.close(']');
}
