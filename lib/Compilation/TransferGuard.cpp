//===- TransferGuard.cpp - copies in loops that a program does not write --===//

#include "Compilation/Compilation.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"

using namespace tdc;

static const char *getDirection(const td::CopySite &site) {
  bool fromHost = site.from == getCpu(), toHost = site.to == getCpu();
  return fromHost ? "h2d" : toHost ? "d2h" : "d2d";
}

/// The copied value: a variable in quotes, or a description.
static std::string getSubject(const td::CopySite &site) {
  bool isName = site.what.find_first_of(" `") == std::string::npos;
  return isName ? "`" + site.what + "`" : site.what;
}

/// Reports a guarded copy: at the read if the host reads it, else where the
/// value is made.
void Compilation::guardTransfers() {
  DiagCode code = options.guard.mode == TransferGuard::Log ? DiagCode::TD510
                                                           : DiagCode::TD511;
  td::DryRun run(*module);
  for (const td::CopySite &site : td::collectTransfers(*module, run)) {
    bool isGuarded = options.guard.direction.empty() ||
                     options.guard.direction == getDirection(site);
    if (!site.isImplied || !site.loop || !isGuarded)
      continue;
    mlir::Operation *copy = site.ops.front();
    mlir::Operation *at = site.isForHost ? site.reader : copy;
    std::string way =
        "from " + spelling(site.from) + " to " + spelling(site.to);
    Diagnostic &report = diags.report(
        code, getRange(at->getLoc()),
        site.isForHost ? td::getUserName(site.reader) + " copies " +
                             getSubject(site) + " " + way + " in a loop"
                       : getSubject(site) + " is copied " + way + " in a loop");
    if (site.isForHost)
      report.note("it is made here", getRange(copy->getLoc()));
    else if (site.reader)
      report.note(td::getUserName(site.reader) + " needs it there",
                  getRange(site.reader->getLoc()));
    report.note("the loop is here", getRange(site.loop->getLoc()));
  }
}
