//===- Lanes.cpp - timelines of two iterations of a loop ------------------===//

#include "Report/Lanes.h"
#include "llvm/ADT/STLExtras.h"
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
