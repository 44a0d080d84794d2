//===- Summary.cpp - the sentence that a report begins with ---------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Words.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using llvm::StringRef;
using llvm::Twine;

namespace tdc {

using td::CarryingLoop;
using td::CopySite;

/// The part of the time from which on a GPU is called busy.
static constexpr double kBusy = 0.8;

/// Rounds down, so that 100% is all.
static std::string spellShare(double part) {
  return llvm::formatv("an estimated {0}%", int(100 * part)).str();
}

/// "line 17, `loss.item()`"
static std::string spellPlace(const Words &words,
                              mlir::FileLineColLoc location) {
  std::string text = words.quoteExpression(location);
  return words.spell(location) + (text.empty() ? "" : ", `" + text + "`");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The loop whose iterations are the steps of the program: that of the
/// timeline, else the innermost one that copies; null if there is none.
static mlir::Operation *findLoop(const Report &report) {
  mlir::Operation *found = nullptr;
  mlir::ModuleOp module = report.module;
  if (!report.lanes.empty())
    module.walk([&](mlir::Operation *op) {
      if (CarryingLoop(op) && op->getLoc() == report.lanes.front().loop)
        found = op;
    });
  if (!found)
    for (const CopyStep &step : report.steps)
      if (CarryingLoop(step.op) &&
          td::getLoopDepth(step.op) > td::getLoopDepth(found))
        found = step.op;
  return found;
}

/// "3 copies a step of line 14 (25.8 KiB) and at most 1 more on first use"
static std::string spellStep(const CopyStep &step, const Twine &where) {
  std::string always = step.always.copies.getFormula(),
              sometimes = step.sometimes.copies.getFormula();
  auto onDemand = llvm::count_if(step.sites, [](const CopySite *site) {
    return site->kind == CopySite::OnDemand;
  });
  const char *when =
      sometimes == std::to_string(onDemand) ? " on first use" : "";
  const Total &first = always == "0" ? step.sometimes : step.always;
  std::string text = Words::spellCopies(first.copies) + " " + where.str() +
                     " (" + Words::spellBytes(first.bytes) + ")";
  if (always == "0")
    return text + when;
  return sometimes == "0" ? text
                          : text + " and at most " + sometimes + " more" + when;
}

static std::string getAvoidable(const Report &report) {
  if (!report.isBoundKnown)
    return "the least possible is " + std::string(kNotCounted);
  td::CopyCount gap = report.getGap();
  if (gap == td::CopyCount())
    return report.isBoundExact && !report.trialIterations
               ? "none avoidable on these devices"
               : "none avoidable in a trial run";
  return llvm::formatv("{0} of {1} avoidable: {2}", gap.copies,
                       report.made.copies + report.madeByExports.copies,
                       report.getCauseOfGap().advice)
      .str();
}

/// The copies of a step, of an iteration of each loop around it, and of other
/// loops; if there are none, those of a run, or of a call of each export.
static std::string getCopies(const Words &words, const Report &report) {
  std::vector<std::string> parts;
  auto add = [&](mlir::Operation *op, const Twine &where) {
    for (const CopyStep &step : report.steps)
      if (step.op == op)
        parts.push_back(spellStep(step, where));
  };
  mlir::Operation *loop = findLoop(report);
  if (loop)
    add(loop, "a step of " + words.spell(loop));
  bool isSilent = parts.empty();
  for (mlir::Operation *op = loop; op; op = op->getParentOp())
    if (op != loop && CarryingLoop(op))
      add(op, "an iteration of " + words.spell(op));
  std::vector<mlir::Operation *> others;
  for (const CopyStep &step : report.steps)
    if (CarryingLoop(step.op) && !step.op->isAncestor(loop))
      others.push_back(step.op);
  constexpr size_t kMostOthers = 2; // a sentence is read in ten seconds
  for (mlir::Operation *op : llvm::ArrayRef(others).take_front(kMostOthers))
    add(op, "an iteration of " + words.spell(op));
  if (others.size() > kMostOthers)
    parts.push_back("copies in " + std::to_string(others.size() - kMostOthers) +
                    " more loops");
  if (parts.empty() && report.placed.copies.getFormula() != "0")
    parts.push_back(words.spellCopies(report.placed.copies) + " in a run (" +
                    Words::spellBytes(report.placed.bytes) + ")");
  if (parts.empty())
    for (const CopyStep &step : report.steps)
      if (llvm::isa_and_nonnull<mlir::func::FuncOp>(step.op))
        parts.push_back(spellStep(step, words.getRepeated(step)));
  if (loop && isSilent)
    parts.insert(parts.begin(), "no copies a step of " + words.spell(loop));
  parts.push_back(getAvoidable(report));
  return llvm::join(parts, ", ");
}

//===----------------------------------------------------------------------===//
// The use of the devices
//===----------------------------------------------------------------------===//

namespace {

/// What keeps a GPU from computing, and for how many nanoseconds of two
/// iterations at most.
struct Bottleneck {
  const char *what, *advice;
  int64_t time = 0;
};

} // namespace

static Bottleneck findBottleneck(const Lanes &lanes) {
  Bottleneck all[] = {
      {"launches", "use larger batches"},
      {"the cpu's part of the computation", "compute it on the GPU, too"},
      {"copies between the cpu and GPUs",
       "copy the data before the loop, or in smaller dtypes"},
      {"copies between GPUs", "use larger batches"}};
  auto &[launches, cpu, host, peers] = all;
  for (const LaneWork &work : lanes.work) {
    StringRef lane = lanes.rows[work.lane].name;
    if (lane == "h2d" || lane == "d2h")
      host.time += work.length;
    else if (lane.starts_with("p2p"))
      peers.time += work.length;
    else if (lane == "cpu" && (work.what == "launch" || work.what == "copy"))
      launches.time += work.length;
    else if (lane == "cpu" && work.what != "wait")
      cpu.time += work.length;
  }
  return *std::max_element(
      std::begin(all), std::end(all),
      [](const auto &a, const auto &b) { return a.time < b.time; });
}

/// The parts of the time of all GPUs in which they compute, and in which their
/// memory determines the time.
static std::pair<double, double> getBusy(const Lanes &lanes) {
  int64_t computing = 0, memory = 0;
  std::set<StringRef> gpus;
  for (const LaneRow &row : lanes.rows)
    if (row.device != "cpu")
      gpus.insert(row.device);
  for (const LaneWork &work : lanes.work)
    if (lanes.rows[work.lane].name == "compute") {
      computing += work.length;
      memory += work.isMemoryBound ? work.length : 0;
    }
  double time = double(lanes.length) * double(gpus.size());
  return time == 0 ? std::pair(1.0, 0.0)
                   : std::pair(double(computing) / time, double(memory) / time);
}

static std::string getUse(const Words &words, const Report &report) {
  std::string wait;
  if (!report.waits.empty()) {
    const HostWait &first = report.waits.front();
    wait =
        "the host waits for a GPU in every iteration of " +
        words.spell(first.site->loop) + " at " +
        spellPlace(words, td::getUserLocation(first.site->reader->getLoc())) +
        ": " + first.advice;
  }
  if (report.lanes.empty())
    return wait;
  const Lanes &lanes = report.lanes.front();
  auto [computing, memory] = getBusy(lanes);
  bool areSeveral = lanes.getPeerUse().has_value();
  std::string gpu = areSeveral ? "the GPUs " : "the GPU ";
  if (computing >= kBusy) {
    std::string text = gpu + (areSeveral ? "compute " : "computes ") +
                       spellShare(computing) + " of a step";
    if (memory >= computing / 2)
      text += ", mostly at the speed of " +
              std::string(areSeveral ? "their" : "its") +
              " memory: use smaller dtypes";
    return text;
  }
  std::string text = gpu + (areSeveral ? "wait " : "waits ") +
                     spellShare(1 - computing) + " of a step";
  if (!wait.empty())
    return text + "; " + wait;
  Bottleneck bottleneck = findBottleneck(lanes);
  return text + ", mostly for " + bottleneck.what + ": " + bottleneck.advice;
}

/// The line with most of the arithmetic.
static std::string getArithmetic(const Words &words, const Report &report) {
  double all = 0;
  for (const LineArithmetic &line : report.arithmetic)
    all += line.operations;
  if (all == 0)
    return "";
  const LineArithmetic &most = report.arithmetic.front();
  return spellShare(most.operations / all) + " of the arithmetic is on " +
         spellPlace(words, most.location);
}

//===----------------------------------------------------------------------===//
// The sentence
//===----------------------------------------------------------------------===//

std::string Words::getSummary() const {
  std::vector<std::string> parts;
  if (!report.sites.empty())
    parts.push_back(getCopies(*this, report));
  else if (report.devices.size() == 1)
    parts.push_back(report.devices.front() == getCpu()
                        ? "all on the cpu"
                        : "all on " + spelling(report.devices.front()));
  else
    parts.push_back("nothing is copied between devices");
  for (const std::string &part :
       {getUse(*this, report), getArithmetic(*this, report)})
    if (!part.empty())
      parts.push_back(part);
  return llvm::join(parts, "; ");
}

} // namespace tdc
