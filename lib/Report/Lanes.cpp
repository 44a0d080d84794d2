//===- Lanes.cpp - timelines of two iterations of a loop ------------------===//

#include "Report/Lanes.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace tdc;

void Lanes::add(llvm::StringRef device, llvm::StringRef name, LaneWork one) {
  int64_t end = std::min(one.begin + one.length, length);
  if (one.begin >= length || (one.begin < 0 && end <= 0))
    return;
  one.begin = std::max<int64_t>(one.begin, 0);
  one.length = end - one.begin;
  auto row = llvm::find_if(rows, [&](const LaneRow &known) {
    return known.device == device && known.name == name;
  });
  if (row == rows.end())
    row = rows.insert(row, {device.str(), name.str()});
  row->busy += one.length;
  one.lane = row - rows.begin();
  work.push_back(std::move(one));
}

/// The order of lanes from top to bottom: first the host, then each GPU. The
/// last lanes of a GPU are its copies from other GPUs.
static auto getKey(const LaneRow &row) {
  constexpr llvm::StringLiteral order[] = {"cpu", "h2d", "compute", "d2h"};
  return std::tuple(row.device != "cpu", row.device,
                    llvm::find(order, row.name) - std::begin(order), row.name);
}

void Lanes::sort() {
  llvm::sort(work, [&](const LaneWork &a, const LaneWork &b) {
    return std::tuple(getKey(rows[a.lane]), a.begin, a.length, a.what) <
           std::tuple(getKey(rows[b.lane]), b.begin, b.length, b.what);
  });
  std::vector<LaneRow> sorted = rows;
  llvm::sort(sorted, [](const LaneRow &a, const LaneRow &b) {
    return getKey(a) < getKey(b);
  });
  for (LaneWork &one : work)
    one.lane = llvm::find_if(sorted,
                             [&](const LaneRow &row) {
                               return getKey(row) == getKey(rows[one.lane]);
                             }) -
               sorted.begin();
  rows = std::move(sorted);
}

std::optional<PeerUse> Lanes::getPeerUse() const {
  std::map<llvm::StringRef, std::vector<const LaneWork *>> kernels; // by GPU
  for (const LaneRow &row : rows)
    if (row.device != "cpu")
      kernels[row.device];
  int64_t computing = 0, copying = 0, hidden = 0;
  for (const LaneWork &one : work)
    if (rows[one.lane].name == "compute") {
      kernels[rows[one.lane].device].push_back(&one);
      computing += one.length;
    }
  for (const LaneWork &copy : work) {
    const LaneRow &row = rows[copy.lane];
    if (!llvm::StringRef(row.name).starts_with("p2p"))
      continue;
    copying += copy.length;
    for (const LaneWork *kernel : kernels[row.device]) {
      int64_t begin = std::max(kernel->begin, copy.begin),
              end = std::min(kernel->begin + kernel->length,
                             copy.begin + copy.length);
      hidden += std::max<int64_t>(end - begin, 0);
    }
  }
  if (!copying || !length)
    return std::nullopt;
  return PeerUse{double(computing) / double(length * int64_t(kernels.size())),
                 double(hidden) / double(copying)};
}
