//===- Report.cpp - tdc report --------------------------------------------===//
//
// Compiles a program until its transfers are placed, and on until its memory is
// planned, and once more with every copy as it is written, and says what is
// copied and what is held.
//
//===----------------------------------------------------------------------===//

#include "Report/Report.h"
#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Dialect/TD/Analysis/UserNames.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/Transforms/InLine.h"
#include "OutputFile.h"
#include "Report/Words.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace tdc {

using td::CopySite;
using td::RunFactor;

static constexpr const char *kBug = "this is a bug in tdc";

//===----------------------------------------------------------------------===//
// Amounts
//===----------------------------------------------------------------------===//

/// "8 x turns(3)"; without a product the number alone.
static std::string spell(int64_t times, const std::string &product) {
  if (product.empty())
    return std::to_string(times);
  return (times == 1 ? "" : std::to_string(times) + " x ") + product;
}

void Amount::add(const std::string &product, int64_t times) {
  int64_t &all = product.empty() ? known : rest[product];
  if (std::optional<int64_t> sum = llvm::checkedAdd(all, times))
    all = *sum;
  else
    ++rest[spell(times, product)];
}

Amount &Amount::operator+=(const Amount &other) {
  add("", other.known);
  for (auto &[product, times] : other.rest)
    add(product, times);
  isExact &= other.isExact;
  return *this;
}

bool Amount::isBelow(const Amount &other) const {
  for (auto &[product, times] : rest) {
    auto found = other.rest.find(product);
    if (found == other.rest.end() || found->second < times)
      return false;
  }
  return rest != other.rest || known < other.known;
}

std::string Amount::getFormula() const {
  llvm::SmallVector<std::string> summands;
  if (known || rest.empty())
    summands.push_back(std::to_string(known));
  for (auto &[product, times] : rest)
    summands.push_back(spell(times, product));
  return llvm::join(summands, " + ");
}

namespace {

/// A number times symbols. A factor that makes the number too large leaves what
/// it was before as a symbol.
struct Product {
  int64_t number = 1;
  std::vector<std::string> symbols;

  void multiply(int64_t factor) {
    if (std::optional<int64_t> all = llvm::checkedMul(number, factor)) {
      number = *all;
      return;
    }
    symbols.push_back(std::to_string(number));
    number = factor;
  }

  Amount getAmount(bool isExact) const {
    Amount amount;
    amount.isExact = isExact;
    if (number)
      amount.add(llvm::join(symbols, " x "), number);
    return amount;
  }
};

} // namespace

/// The loops around it, those of unknown length as symbols, and of branches the
/// part that is known.
static void multiplyTurns(const CopySite &site, Product &product) {
  for (const RunFactor &factor : site.factors) {
    // The turns that a branch is counted in are a factor by now.
    if (factor.kind == RunFactor::Branch && factor.isKnown && factor.outer)
      product.number = product.number / factor.outer * factor.inner;
    if (factor.kind != RunFactor::Loop)
      continue;
    mlir::FileLineColLoc place = td::getUserPlace(factor.op->getLoc());
    if (factor.isKnown && factor.outer && factor.inner % factor.outer == 0)
      product.multiply(factor.inner / factor.outer);
    else if (factor.most)
      product.multiply(*factor.most);
    else
      product.symbols.push_back(
          "turns(" + std::to_string(place ? place.getLine() : 0) + ")");
  }
}

/// The number and the unknown sizes that multiply to the bytes of a tensor.
static void multiplySizes(mlir::RankedTensorType type,
                          mlir::FileLineColLoc place, Product &product) {
  if (!type)
    return;
  product.multiply(byteSize(td::getDType(type.getElementType())));
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!mlir::ShapedType::isDynamic(size)) {
      product.multiply(size);
      continue;
    }
    unsigned line = place ? place.getLine() : 0;
    product.symbols.push_back("size(" + std::to_string(line) + ", " +
                              std::to_string(dim) + ")");
  }
}

Amount getCopies(const CopySite &site) {
  Product product;
  if (site.copies)
    product.multiply(*site.copies);
  else
    multiplyTurns(site, product);
  return product.getAmount(site.isExact);
}

Amount getBytesOfOne(const CopySite &site) {
  bool isEven = site.bytes && site.copies.value_or(0) > 0 &&
                *site.bytes % *site.copies == 0;
  Product product;
  if (isEven)
    product.multiply(*site.bytes / *site.copies);
  else
    multiplySizes(site.type, site.place, product);
  return product.getAmount(/*isExact=*/true);
}

Amount getBytes(const CopySite &site) {
  Product product;
  if (site.bytes) {
    product.multiply(*site.bytes);
  } else {
    multiplySizes(site.type, site.place, product);
    if (site.copies)
      product.multiply(*site.copies);
    else
      multiplyTurns(site, product);
  }
  return product.getAmount(site.isExact);
}

Amount getBytes(const PeakMemory &peak) {
  Amount amount;
  amount.known = peak.arenaBytes;
  for (const AllocatedTensor &tensor : peak.allocated) {
    Product product;
    multiplySizes(tensor.type, tensor.place, product);
    amount += product.getAmount(/*isExact=*/false);
  }
  return amount;
}

//===----------------------------------------------------------------------===//
// What a program would do as it is written
//===----------------------------------------------------------------------===//

/// What a site copies and where to, comparable between two compilations of one
/// program. What a loop or branch passes on may come from many places.
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
    std::string place;
    llvm::raw_string_ostream(place) << td::getVariableName(content.getLoc())
                                    << td::getUserPlace(content.getLoc());
    add(place);
  }
  return keys;
}

/// The lines with fewer copies in the placed program than are written there.
static void findRemoved(llvm::ArrayRef<CopySite> written, Report &report) {
  std::map<std::string, Amount> placed;
  for (const CopySite &site : report.sites)
    for (const std::string &key : getKeys(site))
      placed[key] += getCopies(site);
  // Several lines may write what one copy brings: the first has it.
  using Line = std::pair<mlir::StringAttr, unsigned>;
  llvm::MapVector<Line, Removed> lines;
  std::map<std::string, Line> lineOf;
  for (const CopySite &site : written) {
    std::set<std::string> keys = getKeys(site);
    if (keys.empty() || !site.place)
      continue;
    auto [known, isNew] = lineOf.try_emplace(
        *keys.begin(), site.place.getFilename(), site.place.getLine());
    Removed &line = lines[known->second];
    line.file = known->second.first.str();
    line.line = known->second.second;
    line.before += getCopies(site);
    if (isNew)
      line.after += placed[*keys.begin()];
  }
  for (auto &[place, line] : lines)
    if (line.after.isBelow(line.before))
      report.removed.push_back(line);
}

/// Of a run of the program, and of one call of each of its exports.
static void sum(llvm::ArrayRef<CopySite> sites, Total &program,
                Total &exports) {
  for (const CopySite &site : sites) {
    Total &total = site.isOfExport() ? exports : program;
    total.copies += getCopies(site);
    total.bytes += getBytes(site);
  }
}

/// Compiles the program once more, with every copy where it is written.
static void compareWithWritten(const Options &options, Report &report) {
  Options asWritten = options;
  asWritten.placement = Placement::Off;
  Silence silence;
  Compilation compilation(asWritten, silence);
  if (!compilation.generate() || !compilation.lower(Phase::Placed)) {
    std::string error = compilation.getFirstError();
    report.refusal = error.empty() ? kBug : error;
    return;
  }
  td::DryRun run(compilation.getModule());
  std::vector<CopySite> written =
      td::collectTransfers(compilation.getModule(), run);
  Total exports;
  sum(written, report.asWritten.emplace(), exports);
  report.isWrittenForCpu = td::getDevices(compilation.getModule()).size() == 1;
  findRemoved(written, report);
}

//===----------------------------------------------------------------------===//
// The rest of a report
//===----------------------------------------------------------------------===//

/// Whether the program goes one way or another by a number.
static bool decides(mlir::Value number) {
  llvm::SetVector<mlir::Value> computed;
  computed.insert(number);
  for (size_t i = 0; i != computed.size(); ++i)
    for (mlir::Operation *user : computed[i].getUsers()) {
      // A loop goes on as the turn before says.
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
    return "print in every n-th turn only: `if step % 100 == 0`";
  bool isNumber = llvm::isa<td::ItemOp>(reader);
  if (isNumber && decides(reader->getResult(0)))
    return "decide by it in every n-th turn only";
  if (why == td::in_line::kNeeded)
    return isNumber ? "leave `.item()` out where a tensor will do, which stays "
                      "on the device"
                    : "compute this on the device as well";
  if (why == td::in_line::kText)
    return "make the string behind the loop, or print it";
  if (llvm::isa<td::SaveOp, td::SaveTensorOp>(reader))
    return "collect the values and save them behind the loop";
  if (!isNumber)
    return "compute this on the device as well";
  return "add up on the device, from `var total = zeros()`, and read the sum "
         "behind the loop";
}

/// Reads of the host that make it wait in every turn of a loop without others.
static void findWaits(Report &report) {
  for (const CopySite &site : report.sites) {
    if (!site.reader || !site.loop || site.to != getCpu())
      continue;
    bool isEachTurn = site.ops.front()->getParentOp() == site.loop;
    bool isInner = !site.loop
                        ->walk([&](mlir::Operation *op) {
                          return op != site.loop && td::CarryingLoop(op)
                                     ? mlir::WalkResult::interrupt()
                                     : mlir::WalkResult::advance();
                        })
                        .wasInterrupted();
    std::optional<CopyTime> time = report.getTime(site);
    bool isLate = time && time->when == CopyTime::Late;
    if (isEachTurn && isInner && !isLate)
      report.waits.push_back(
          {&site, getAdvice(site.reader, time ? time->why : "")});
  }
}

td::CopyCount Report::getGap() const {
  td::CopyCount gap = made;
  gap += madeByExports;
  gap.copies -= least.copies + leastOfExports.copies;
  gap.bytes -= least.bytes + leastOfExports.bytes;
  return gap;
}

const char *Report::getCauseOfGap() const {
  mlir::ModuleOp placed = module;
  if (placed->hasAttr(td::kAsWrittenAttr))
    return "--placement=off leaves copies where they are written";
  if (getGap() == constructed)
    return "only a run knows who needs what zeros(), arange() and the like "
           "make, so it is copied there";
  if (placed->hasAttr(td::kWorkingSetAttr))
    return "what does not fit leaves its device and comes back";
  return kBug;
}

/// The least copies for the ops as they will run, and those that are made.
static void compareWithBound(mlir::ModuleOp chosen, const td::DryRun &placed,
                             Report &report) {
  td::DryRun bound(chosen);
  report.isBoundExact = bound.isExact() && placed.isExact();
  if (bound.isComplete() && placed.isComplete()) {
    report.compare(bound, placed);
    return;
  }
  constexpr int64_t fewTurns = 4;
  report.trialTurns = fewTurns;
  report.compare(td::DryRun(chosen, fewTurns),
                 td::DryRun(report.module, fewTurns));
}

void Report::compare(const td::DryRun &bound, const td::DryRun &placed) {
  // Where copies are placed, ops go that only give what no slot is read for
  // again.
  auto lower = [](td::CopyCount one, td::CopyCount other) {
    return td::CopyCount{std::min(one.copies, other.copies),
                         std::min(one.bytes, other.bytes)};
  };
  least = lower(bound.getLeast(), placed.getLeast());
  leastOfExports = lower(bound.getLeastOfExports(), placed.getLeastOfExports());
  made = placed.getMade();
  madeByExports = placed.getMadeByExports();
  constructed = placed.getConstructed();
  isBoundKnown = bound.isComplete() && placed.isComplete();
}

std::optional<CopyTime> Report::getTime(const CopySite &site) const {
  if (!site.loop || site.kind == CopySite::OnDemand)
    return site.loop ? std::optional(CopyTime()) : std::nullopt;
  auto known = times.find(getNumber(site.ops.front()));
  return known != times.end() ? std::optional(known->second) : std::nullopt;
}

/// Adds the times of a run to those of the schedule. False if they cannot be
/// read.
static bool measureLanes(const Options &options, Terminal &terminal,
                         Report &report) {
  if (options.trace.empty())
    return true;
  if (report.lanes.empty()) {
    report.notMeasured = "no loop has work for a GPU in all of its turns";
    return true;
  }
  const Lanes &estimated = report.lanes.front();
  auto measured = readLanes(options.trace, estimated);
  if (!measured) {
    terminal.failed(ExitRunTime, llvm::toString(measured.takeError()),
                    "`TDC_TRACE=FILE tdc run` of the same program writes one");
    return false;
  }
  if (*measured)
    report.lanes.push_back(**measured);
  else
    report.notMeasured = "`" + options.trace +
                         "` shows no three turns of the loop of " +
                         Words(report).spell(estimated.file, estimated.line);
  return true;
}

static int print(const Options &options, const Report &report) {
  if (options.reportsJSON)
    printJSON(llvm::outs(), report);
  if (options.reportPage.empty()) {
    if (!options.reportsJSON)
      printText(llvm::outs(), report);
    return ExitOk;
  }
  llvm::SmallString<0> page;
  llvm::raw_svector_ostream os(page);
  printHTML(os, report);
  return writeFile(options.reportPage, page);
}

int reportVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    Terminal terminal(options);
    Compilation compilation(options, terminal);
    Report report(options.file, compilation.getSources());
    if (!compilation.generate() || !compilation.lower(Phase::Resolved)) {
      exitCode = compilation.getExitCode();
      return;
    }
    mlir::OwningOpRef<mlir::ModuleOp> chosen = compilation.getModule().clone();
    if (!compilation.lower(Phase::Placed)) {
      exitCode = compilation.getExitCode();
      return;
    }
    numberCopies(compilation.getModule());
    mlir::OwningOpRef<mlir::ModuleOp> placed = compilation.getModule().clone();
    report.module = *placed;
    report.sizes = compilation.getFileSizes();
    td::DryRun run(report.module);
    if (chooseDevices(*chosen))
      compareWithBound(*chosen, run, report);
    report.sites = td::collectTransfers(report.module, run);
    sum(report.sites, report.placed, report.exports);
    report.steps = getSteps(report.sites);
    report.devices = td::getDevices(report.module);
    report.lines = getDevicesOfLines(report.module, report.devices);
    if (!compilation.lower(Phase::Scheduled)) {
      exitCode = compilation.getExitCode();
      return;
    }
    report.times = getCopyTimes(compilation.getModule());
    findWaits(report);
    if (std::optional<Lanes> lanes = estimateLanes(compilation.getModule()))
      report.lanes.push_back(*lanes);
    if (!compilation.lower(Phase::NVVM)) {
      exitCode = compilation.getExitCode();
      return;
    }
    if (!report.lanes.empty())
      findKernels(compilation.getModule(), report.lanes.front());
    report.memory = planMemory(compilation.getModule(), report.devices);
    compareWithWritten(options, report);
    exitCode = measureLanes(options, terminal, report) ? print(options, report)
                                                       : ExitRunTime;
  });
  return exitCode;
}

} // namespace tdc
