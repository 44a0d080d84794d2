//===- Written.cpp - the copies of the program as it is written -----------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/Locations.h"
#include "Report/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace tdc;
using td::CopySite;

/// The values that a site copies and their destination, as keys that are
/// comparable between two compilations of one program. A value that a loop or
/// branch passes on may come from many lines, so it has no key.
static std::set<std::string> getKeys(const CopySite &site) {
  std::set<std::string> keys;
  auto add = [&](const llvm::Twine &what) {
    keys.insert((what + " " + spelling(site.to)).str());
  };
  if (site.isState) {
    add(site.what);
    return keys;
  }
  for (mlir::Value content : site.contents) {
    mlir::Operation *maker = content.getDefiningOp();
    if (!maker || maker->getNumRegions())
      continue;
    std::string key;
    llvm::raw_string_ostream(key) << td::getVariableName(content.getLoc())
                                  << td::getUserLocation(content.getLoc());
    add(key);
  }
  return keys;
}

/// Finds the lines that copy more in the program as written than in the placed
/// one.
static void findRemoved(llvm::ArrayRef<CopySite> written, Report &report) {
  std::map<std::string, Amount> placed;
  for (const CopySite &site : report.sites)
    for (const std::string &key : getKeys(site))
      placed[key] += getCopies(site);
  // Several lines may write a copy that the placed program makes once: it
  // counts for the first of them.
  using Line = std::pair<mlir::StringAttr, unsigned>;
  llvm::MapVector<Line, Removed> lines;
  std::map<std::string, Line> lineOf;
  for (const CopySite &site : written) {
    std::set<std::string> keys = getKeys(site);
    if (keys.empty() || !site.location)
      continue;
    auto [known, isNew] = lineOf.try_emplace(
        *keys.begin(), site.location.getFilename(), site.location.getLine());
    Removed &line = lines[known->second];
    line.file = known->second.first.str();
    line.line = known->second.second;
    line.before += getCopies(site);
    if (isNew)
      line.after += placed[*keys.begin()];
  }
  for (auto &[location, line] : lines)
    if (line.after.isBelow(line.before))
      report.removed.push_back(line);
}

void Report::addWritten(mlir::ModuleOp written) {
  td::DryRun run(written);
  std::vector<CopySite> sites = td::collectTransfers(written, run);
  asWritten = sumTotals(sites).program;
  isWrittenForCpu = td::getDevices(written).size() == 1;
  findRemoved(sites, *this);
}
