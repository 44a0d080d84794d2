//===- Words.cpp - what a report says in words ----------------------------===//

#include "Words.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/Transforms/InLine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tdc_text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace tdc {

using td::CopySite;
using td::RunFactor;

StringRef Words::getProgram() const {
  StringRef name = StringRef(report.file).rsplit('/').second;
  return name.empty() ? StringRef(report.file) : name;
}

static StringRef getModel(const CopySite &site) {
  return StringRef(site.what).split('.').first;
}

static bool isToldWith(const CopySite &site, const CopySite &first) {
  return site.isState && first.isState && getModel(site) == getModel(first) &&
         site.from == first.from && site.to == first.to &&
         site.kind == first.kind && site.isImplied == first.isImplied &&
         site.isForHost == first.isForHost && site.blocked == first.blocked &&
         site.ops.front()->getBlock() == first.ops.front()->getBlock();
}

std::vector<CopyGroup> Words::getGroups() const {
  std::vector<CopyGroup> groups;
  for (const CopySite &site : report.sites) {
    auto group = llvm::find_if(groups, [&](const CopyGroup &other) {
      return isToldWith(site, other.first()) &&
             getTime(site) == getTime(other.first());
    });
    if (group == groups.end())
      group = groups.emplace(group);
    group->sites.push_back(&site);
    group->total.copies += getCopies(site);
    group->total.bytes += getBytes(site);
  }
  return groups;
}

std::string Words::getSubject(const CopyGroup &group) {
  if (group.sites.size() == 1)
    return group.first().what;
  return (getModel(group.first()) + ", " + llvm::Twine(group.sites.size()) +
          " tensors")
      .str();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::string Words::spell(mlir::FileLineColLoc place) const {
  if (!place)
    return "the program's start";
  return spell(place.getFilename(), place.getLine());
}

std::string Words::spell(StringRef file, unsigned line) const {
  std::string text = "line " + std::to_string(line);
  return file == report.file ? text : printable(file) + ", " + text;
}

std::string Words::spell(mlir::Operation *op) const {
  return spell(td::getUserPlace(op->getLoc()));
}

std::string Words::quote(mlir::FileLineColLoc place) const {
  for (FileId id = 1; place && id <= report.sources.getNumFiles(); ++id) {
    if (report.sources.getName(id) != place.getFilename().getValue())
      continue;
    StringRef text =
        report.sources.getText(report.sources.getLine(id, place.getLine()))
            .trim();
    constexpr size_t most = 50;
    if (text.size() <= most)
      return text.str();
    return (text.take_front(most).rsplit(' ').first + " ...").str();
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Amounts
//===----------------------------------------------------------------------===//

std::string Words::spellCopies(const Amount &amount) {
  std::string number = amount.getFormula();
  return (amount.isExact ? "" : "at most ") + number +
         (number == "1" ? " copy" : " copies");
}

std::string Words::spell(const Total &total) {
  return spellCopies(total.copies) + ", " + total.bytes.getFormula() + " B";
}

std::string Words::spellTime(int64_t nanoseconds) {
  if (nanoseconds < 1000000)
    return llvm::formatv("{0:F1} µs", double(nanoseconds) / 1e3).str();
  return llvm::formatv("{0:F1} ms", double(nanoseconds) / 1e6).str();
}

std::string Words::spell(td::CopyCount count) {
  return std::to_string(count.copies) +
         (count.copies == 1 ? " copy, " : " copies, ") +
         std::to_string(count.bytes) + " B";
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

std::string Words::getReader(const CopySite &site) const {
  if (!site.reader)
    return "";
  return "for " + td::getUserName(site.reader) + " on " + spelling(site.to) +
         ", " + spell(site.reader) +
         (site.isImplied ? "; the program does not write it" : "");
}

/// "15 turns of line 10", or "" for what says nothing.
std::string Words::spell(const RunFactor &factor) const {
  std::string line = spell(factor.op);
  switch (factor.kind) {
  case RunFactor::Calls:
    return ("each call of " +
            llvm::cast<mlir::func::FuncOp>(factor.op).getSymName())
        .str();
  case RunFactor::Guard:
    return factor.isKnown ? "" : "if the loop of " + line + " has a turn";
  case RunFactor::Branch: {
    if (factor.isKnown && factor.inner == factor.outer)
      return "";
    if (factor.isKnown)
      return llvm::formatv("{0} of {1} times at {2}", factor.inner,
                           factor.outer, line);
    return "if " + line + (factor.isElse ? " does not hold" : " holds");
  }
  case RunFactor::Loop:
    if (factor.isKnown && factor.outer && factor.inner % factor.outer == 0)
      return std::to_string(factor.inner / factor.outer) + " turns of " + line;
    if (factor.isKnown)
      return std::to_string(factor.inner) + " turns of " + line + " in all";
    if (factor.most)
      return "at most " + std::to_string(*factor.most) + " turns of " + line;
    return "the turns of " + line;
  }
  llvm_unreachable("an unknown kind of factor");
}

std::string Words::getRuns(const CopySite &site) const {
  llvm::SmallVector<std::string> parts;
  for (const RunFactor &factor : site.factors)
    // What asks whether a loop has a turn says nothing inside the loop.
    if (std::string part = spell(factor); !factor.isOfNext && !part.empty())
      parts.push_back(part);
  std::string product = llvm::join(parts, " x ");
  std::string why = getReasonToStay(site);
  if (site.kind == CopySite::OnDemand)
    product = "copied when it is first asked for" +
              (parts.empty() ? "" : ": " + product);
  return product + (product.empty() || why.empty() ? "" : "; ") + why;
}

std::string Words::getReasonToStay(const CopySite &site) const {
  switch (site.blocked) {
  case CopySite::Nothing:
    return "";
  case CopySite::DefinedInLoop:
    return spell(site.definedAt) + " makes a new one in each turn";
  case CopySite::ConditionalDemand:
    return "not every run needs it";
  case CopySite::MixedHome:
    return "it comes from several devices";
  case CopySite::NoRoom:
    return spelling(site.to) + " has no room to keep it from turn to turn";
  case CopySite::AsWritten:
    return "--placement=off copies where it is written";
  }
  llvm_unreachable("an unknown reason");
}

/// A sentence for each name of td::in_line.
static StringRef explain(StringRef why) {
  namespace in_line = td::in_line;
  return llvm::StringSwitch<StringRef>(why)
      .Case(in_line::kTurnBefore, "what is copied depends on the turn before")
      .Case(in_line::kGPUResult,
            "it is made from what a GPU computes in the same turn")
      .Case(in_line::kCheck,
            "it takes rows by indices, or of a tensor of run-time size, that "
            "are checked before")
      .Case(in_line::kFile, "it is read from a file")
      .Case(in_line::kBranch,
            "a branch or an inner loop decides whether it is made, or of what")
      .Case(in_line::kSize, "its size is known only at run time")
      .Case(in_line::kPassedOn,
            "a branch or the loop hands the copy on, to be used behind it")
      .Case(in_line::kUsedByHost, "the cpu uses it as well")
      .Case(in_line::kEffect,
            "what makes it may end the program, or be seen from outside")
      .Case(in_line::kRandom,
            "what makes it draws random numbers, in the order of the program")
      .Case(in_line::kRoom, "there is no room for second buffers of the loop")
      .Case(in_line::kNoKernels,
            "no kernels of the loop itself could run beside it")
      .Case(in_line::kEnd,
            "any turn may be the last one (`while`, `break` and the like)")
      .Case(in_line::kAsWritten, "--placement=off copies where it is written")
      .Case(in_line::kNeeded,
            "a GPU needs what the cpu makes of it, in this turn or in the next")
      .Case(in_line::kOrder,
            "what is seen from outside, or may end the program, keeps its "
            "order")
      .Case(in_line::kOtherRead, "another read of the turn cannot come later")
      .Case(in_line::kOnDemand,
            "something is copied when the turn first asks for it")
      .Case(in_line::kText, "a string made of it is handed to the next turn")
      .Case(in_line::kTensors,
            "it is used with other tensors of the same turn on the cpu")
      .Case(in_line::kInnerLoop,
            "an inner loop would have to run before it is seen")
      .Default("");
}

std::string Words::getReason(const CopyTime &time) const {
  if (time.why.empty())
    return "";
  std::string line = time.by ? " (" + spell(time.by) + ")" : "";
  return ": " + explain(time.why).str() + line;
}

std::string Words::getTime(const CopySite &site) const {
  std::optional<CopyTime> time = report.getTime(site);
  if (!time)
    return "";
  if (time->when == CopyTime::Ahead)
    return "made one turn ahead, beside the kernels";
  if (time->when == CopyTime::Beside && site.to == getCpu())
    return "runs beside kernels, and the host waits for it behind them" +
           getReason(*time);
  if (time->when == CopyTime::Late)
    return "runs beside kernels, and the host reads it one turn later";
  if (time->when == CopyTime::Beside)
    return "runs beside kernels that do not need it";
  StringRef who = site.to == getCpu() ? "host waits" : "kernels wait";
  return ("the " + who + " for it").str() + getReason(*time);
}

std::string Words::getSizes() const {
  llvm::SmallVector<std::string> parts;
  for (const FileSize &one : report.sizes) {
    unsigned line = report.sources.getLineColumn(one.range).line;
    parts.push_back(one.name + " = " + std::to_string(one.size) + " of " +
                    one.file + " (" +
                    spell(report.sources.getName(one.range.file), line) + ")");
  }
  return llvm::join(parts, ", ");
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

bool Words::hasExports() const {
  return llvm::any_of(report.sites,
                      [](const CopySite &site) { return site.isOfExport(); });
}

std::string Words::getAsWritten() const {
  if (!report.asWritten)
    return "refused, " + report.refusal;
  if (report.isWrittenForCpu)
    return "all on the cpu";
  // Where a run decides, it is no bound: files are written by a guess.
  std::string text = spell(*report.asWritten);
  StringRef rest = text;
  return rest.consume_front("at most ") ? ("about " + rest).str() : text;
}

std::string Words::getTurns(const Lanes &lanes) const {
  llvm::SmallVector<std::string> parts;
  for (const LaneRow &row : lanes.rows)
    parts.push_back(row.device +
                    (row.device == row.name ? "" : " " + row.name) + " " +
                    spellTime(row.busy));
  return "two turns of " + spell(lanes.file, lanes.line) + " in " +
         spellTime(lanes.length) + ": " + llvm::join(parts, ", ");
}

std::string Words::getTrial() const {
  if (report.trialTurns)
    return "in a trial of " + std::to_string(report.trialTurns) +
           " turns of each loop";
  return report.isBoundExact ? ""
                             : "in a trial with assumed turns and branches";
}

std::string Words::getGap() const {
  td::CopyCount gap = report.getGap();
  if (gap == td::CopyCount())
    return "0";
  return spell(gap) + ": " + report.getCauseOfGap();
}

std::string Words::getRepeated(const CopyStep &step) const {
  if (!step.op)
    return "once";
  if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(step.op))
    return ("a call of " + function.getSymName()).str();
  return "a turn of " + spell(step.op);
}

std::string Words::getBytesOfPeak(const PeakMemory &peak) {
  Amount bytes = getBytes(peak);
  return (bytes.isExact ? "" : "at most ") + bytes.getFormula();
}

std::string Words::getPeak(const PeakMemory &peak) const {
  return spelling(peak.device) + " " + getBytesOfPeak(peak) + " B" +
         (peak.place ? " at " + spell(peak.place) : "");
}

std::string Words::getHolder(const MemoryHolder &holder) const {
  if (holder.what.empty())
    return std::to_string(holder.tensors) +
           (holder.tensors == 1 ? " other" : " others");
  llvm::SmallVector<std::string, 2> parts;
  if (holder.place)
    parts.push_back(spell(holder.place));
  if (holder.tensors > 1)
    parts.push_back(std::to_string(holder.tensors) + " tensors");
  return parts.empty() ? holder.what
                       : holder.what + " (" + llvm::join(parts, ", ") + ")";
}

std::vector<MemoryHolder> Words::getLargestHolders(const PeakMemory &peak,
                                                   size_t most) {
  std::vector<MemoryHolder> largest = peak.holders;
  if (largest.size() <= most + 1)
    return largest;
  MemoryHolder others;
  for (const MemoryHolder &holder : llvm::ArrayRef(largest).drop_front(most)) {
    others.tensors += holder.tensors;
    others.bytes += holder.bytes;
  }
  largest.resize(most);
  largest.push_back(others);
  return largest;
}

} // namespace tdc
