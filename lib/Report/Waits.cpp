//===- Waits.cpp - where the host waits for a device ----------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Facts.h"
#include "llvm/ADT/SetVector.h"

using namespace tdc;
using td::CopySite;

/// Whether a number decides a branch or the end of a loop.
static bool decides(mlir::Value number) {
  llvm::SetVector<mlir::Value> computed;
  computed.insert(number);
  for (size_t i = 0; i != computed.size(); ++i)
    for (mlir::Operation *user : computed[i].getUsers()) {
      // A yielded condition decides whether a loop continues.
      if (computed[i].getType().isInteger(1) &&
          llvm::isa<mlir::scf::IfOp, mlir::scf::YieldOp>(user))
        return true;
      llvm::StringRef dialect = user->getName().getDialectNamespace();
      if (dialect == "arith" || dialect == "math")
        computed.insert_range(user->getResults());
    }
  return false;
}

static const char *getAdvice(mlir::Operation *reader, llvm::StringRef why) {
  if (td::getUserName(reader) == "`print`")
    return "print in every n-th iteration only: `if step % 100 == 0`";
  bool isNumber = llvm::isa<td::ItemOp>(reader);
  if (isNumber && decides(reader->getResult(0)))
    return "branch on it in every n-th iteration only";
  if (why == td::not_pipelined::kNeeded)
    return isNumber ? "use the tensor instead of `.item()`, so that it stays "
                      "on the device"
                    : "compute this on the device, too";
  if (why == td::not_pipelined::kText)
    return "make the string after the loop, or print it";
  if (llvm::isa<td::SaveOp, td::SaveTensorOp>(reader))
    return "save in every n-th iteration only, or after the loop";
  if (!isNumber)
    return "compute this on the device, too";
  return "keep it on the device: `total += loss` from `var total = zeros()`, "
         "or `losses[i] = loss`; read that after the loop";
}

std::vector<HostWait> tdc::findWaits(const Report &report) {
  std::vector<HostWait> waits;
  for (const CopySite &site : report.sites) {
    if (!site.reader || !site.loop || site.to != getCpu())
      continue;
    bool isEachIteration = site.ops.front()->getParentOp() == site.loop;
    bool isInner = !site.loop
                        ->walk([&](mlir::Operation *op) {
                          return op != site.loop && td::CarryingLoop(op)
                                     ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
                        })
                        .wasInterrupted();
    std::optional<CopyTime> time = report.getTime(site);
    bool isLate = time && time->when == CopyTime::Late;
    if (isEachIteration && isInner && !isLate)
      waits.push_back({&site, getAdvice(site.reader, time ? time->why : "")});
  }
  return waits;
}
