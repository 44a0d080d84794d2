//===- Words.cpp - the wording of a report --------------------------------===//

#include "Words.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/Locations.h"
#include "Frontend/Characters.h"
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

/// Whether both copy tensors of one model, or gradients.
static bool areAlike(const CopySite &site, const CopySite &first) {
  if (site.role == td::CopyRole::Gradient)
    return first.role == site.role;
  return site.isState && first.isState && getModel(site) == getModel(first);
}

static bool isToldWith(const CopySite &site, const CopySite &first) {
  return areAlike(site, first) && site.from == first.from &&
         site.to == first.to && site.kind == first.kind &&
         site.isImplied == first.isImplied &&
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
  if (group.first().role == td::CopyRole::Gradient)
    return "gradients";
  if (group.sites.size() == 1)
    return group.first().what;
  return (getModel(group.first()) + ", " + llvm::Twine(group.sites.size()) +
          " tensors")
      .str();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::string Words::spell(mlir::FileLineColLoc location) const {
  if (!location)
    return "the program's start";
  return spell(location.getFilename(), location.getLine());
}

std::string Words::spell(StringRef file, unsigned line) const {
  std::string text = "line " + std::to_string(line);
  return file == report.file ? text : printable(file) + ", " + text;
}

std::string Words::spell(mlir::Operation *op) const {
  return spell(td::getUserLocation(op->getLoc()));
}

/// Texts of the program are shortened to this number of characters.
static constexpr size_t kLongest = 50;

StringRef Words::getLine(mlir::FileLineColLoc location) const {
  for (FileId id = 1; location && id <= report.sources.getNumFiles(); ++id)
    if (report.sources.getName(id) == location.getFilename().getValue())
      return report.sources.getText(
          report.sources.getLine(id, location.getLine()));
  return "";
}

static std::string shorten(StringRef text) {
  text = text.trim();
  llvm::SmallVector<StringRef> characters = charactersOf(text);
  if (characters.size() <= kLongest)
    return text.str();
  text = text.take_front(characters[kLongest].begin() - text.begin());
  return (text.rsplit(' ').first + " ...").str();
}

std::string Words::quote(mlir::FileLineColLoc location) const {
  return shorten(getLine(location));
}

std::string Words::quoteExpression(mlir::FileLineColLoc location) const {
  StringRef text = getLine(location);
  if (text.empty())
    return "";
  auto characters = charactersOf(text);
  size_t column = location.getColumn() - 1;
  if (column >= characters.size())
    return "";
  text = text.substr(characters[column].begin() - text.begin());
  size_t length = 0;
  for (unsigned depth = 0; length != text.size(); ++length) {
    char byte = text[length];
    if (byte == '"')
      length = std::min(text.find('"', length + 1), text.size() - 1);
    else if (StringRef("([{").contains(byte) && (depth || byte != '{'))
      ++depth;
    else if (depth && StringRef(")]}").contains(byte))
      --depth;
    else if (!depth && StringRef("{)]},:#").contains(byte))
      break;
  }
  return shorten(text.take_front(length));
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

std::string Words::spellBytes(const Amount &bytes) {
  std::optional<int64_t> number = bytes.getNumber();
  if (!number || *number < 1024)
    return bytes.getFormula() + " B";
  constexpr llvm::StringLiteral units[] = {"KiB", "MiB", "GiB", "TiB"};
  double count = double(*number) / 1024;
  size_t unit = 0;
  for (; count >= 1024 && unit + 1 != std::size(units); ++unit)
    count /= 1024;
  return llvm::formatv("{0:F1} {1}", count, units[unit]).str();
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
         (site.isImplied ? "; not written in the program" : "");
}

/// "15 iterations of line 10"; "" for a factor that is not worth a mention.
std::string Words::spell(const RunFactor &factor) const {
  std::string line = spell(factor.op);
  switch (factor.kind) {
  case RunFactor::Calls:
    return ("each call of " +
            llvm::cast<mlir::func::FuncOp>(factor.op).getSymName())
        .str();
  case RunFactor::Guard:
    return factor.isKnown ? "" : "if the loop of " + line + " has an iteration";
  case RunFactor::Branch: {
    if (factor.isKnown && factor.inner == factor.outer)
      return "";
    if (factor.isKnown)
      return llvm::formatv("{0} of {1} times at {2}", factor.inner,
                           factor.outer, line);
    return "if the condition of " + line +
           (factor.isElse ? " is false" : " is true");
  }
  case RunFactor::Loop:
    if (factor.isKnown && factor.outer && factor.inner % factor.outer == 0)
      return std::to_string(factor.inner / factor.outer) + " iterations of " +
             line;
    if (factor.isKnown)
      return std::to_string(factor.inner) + " iterations of " + line +
             " in all";
    if (factor.most)
      return "at most " + std::to_string(*factor.most) + " iterations of " +
             line;
    return "the iterations of " + line;
  }
  llvm_unreachable("an unknown kind of factor");
}

std::string Words::getRuns(const CopySite &site) const {
  llvm::SmallVector<std::string> parts;
  for (const RunFactor &factor : site.factors)
    // Inside a loop, the check that it has an iteration is not worth a mention.
    if (std::string part = spell(factor); !factor.isOfNext && !part.empty())
      parts.push_back(part);
  std::string product = llvm::join(parts, " x ");
  std::string why = getReasonToStay(site);
  if (site.kind == CopySite::OnDemand)
    product = "copied on first use" + (parts.empty() ? "" : ": " + product);
  return product + (product.empty() || why.empty() ? "" : "; ") + why;
}

std::string Words::getReasonToStay(const CopySite &site) const {
  switch (site.blocked) {
  case CopySite::Nothing:
    return "";
  case CopySite::DefinedInLoop:
    return spell(site.definedAt) + " makes a new value in each iteration";
  case CopySite::ConditionalDemand:
    return "not every run needs it";
  case CopySite::MixedHome:
    return "it comes from several devices";
  case CopySite::NoRoom:
    return spelling(site.to) + " has no memory to keep it across iterations";
  case CopySite::AsWritten:
    return "--placement=off keeps copies as written";
  }
  llvm_unreachable("an unknown reason");
}

/// The sentence about a reason of td::not_pipelined.
static StringRef explain(StringRef why) {
  return llvm::StringSwitch<StringRef>(why)
#define NOT_PIPELINED(NAME, SPELLING, SENTENCE) .Case(SPELLING, SENTENCE)
#include "Dialect/TD/Transforms/NotPipelined.def"
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
    return "pipelined: copied one iteration ahead, while kernels run";
  if (time->when == CopyTime::Overlapped && site.to == getCpu())
    return "overlaps kernels, and the host waits for it after them" +
           getReason(*time);
  if (time->when == CopyTime::Late)
    return "pipelined: overlaps kernels, and the host reads it one iteration "
           "later";
  if (time->when == CopyTime::Overlapped)
    return "overlaps kernels that do not need it";
  StringRef waiting = site.to == getCpu() ? "host waits" : "kernels wait";
  return ("not pipelined, the " + waiting + " for it").str() + getReason(*time);
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
  // An inexact number is no upper bound here: the copies of files are a guess.
  std::string text = spell(*report.asWritten);
  StringRef rest = text;
  return rest.consume_front("at most ") ? ("about " + rest).str() : text;
}

std::string Words::getIterations(const Lanes &lanes) const {
  llvm::SmallVector<std::string> parts;
  for (const LaneRow &row : lanes.rows)
    parts.push_back(row.device +
                    (row.device == row.name ? "" : " " + row.name) + " " +
                    spellTime(row.busy));
  return "two iterations of " + spell(lanes.file, lanes.line) + " in " +
         spellTime(lanes.length) + ": " + llvm::join(parts, ", ");
}

std::string Words::getPeerUse(const Lanes &lanes) const {
  std::optional<PeerUse> use = lanes.getPeerUse();
  if (!use)
    return "";
  return llvm::formatv("two iterations of {0} in {1}: the GPUs compute {2:F0}% "
                       "of the time, and receive {3:F0}% of the copies of "
                       "other GPUs while they compute",
                       spell(lanes.file, lanes.line), spellTime(lanes.length),
                       100 * use->computing, 100 * use->hidden);
}

std::string Words::getTrial() const {
  if (report.trialIterations)
    return "in a trial run with " + std::to_string(report.trialIterations) +
           " iterations of each loop";
  return report.isBoundExact
             ? ""
             : "in a trial run with assumed trip counts and branches";
}

std::string Words::getGap() const {
  td::CopyCount gap = report.getGap();
  if (gap == td::CopyCount())
    return "0";
  return spell(gap) + ": " + report.getCauseOfGap().why;
}

std::string Words::getRepeated(const CopyStep &step) const {
  if (!step.op)
    return "once";
  if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(step.op))
    return ("a call of " + function.getSymName()).str();
  return "an iteration of " + spell(step.op);
}

std::string Words::getExchange(const CopyStep &step) const {
  Amount rows, gradients, state;
  bool isParallel = false;
  for (const CopySite *site : step.sites) {
    isParallel |= site->role.has_value();
    // What a slot of the model has is copied to a replica on demand, where the
    // compiler cannot tell what the replica has.
    bool isOnDemand = site->kind == CopySite::OnDemand &&
                      site->from.kind == Place::Kind::Cuda &&
                      site->to.kind == Place::Kind::Cuda;
    if (!site->role && !isOnDemand)
      continue;
    Amount &bytes = site->role == td::CopyRole::Rows       ? rows
                    : site->role == td::CopyRole::Gradient ? gradients
                                                           : state;
    bytes += getBytesOfOne(*site);
  }
  if (!isParallel || !step.op)
    return "";
  std::string text = getRepeated(step) + " copies " + rows.getFormula() +
                     " B of rows of arguments and results, " +
                     gradients.getFormula() + " B of gradients and " +
                     state.getFormula() + " B of the model's state";
  if (report.replicaBytes && gradients.getFormula() != "0" &&
      state.getFormula() == "0")
    text += "; each GPU repeats the step, for sending the parameters would "
            "copy " +
            std::to_string(report.replicaBytes) + " B";
  return text;
}

StringRef Words::getCertainty(const PeakMemory &peak) {
  Amount bytes = getBytes(peak);
  if (bytes.isExact)
    return "";
  // With other sizes another line may have the peak.
  return bytes.rest.empty() ? "at most " : "about ";
}

std::string Words::getPeak(const PeakMemory &peak) const {
  return (spelling(peak.device) + " " + getCertainty(peak) +
          getBytes(peak).getFormula() + " B")
             .str() +
         (peak.location ? " at " + spell(peak.location) : "");
}

std::string Words::getHolder(const MemoryHolder &holder) const {
  if (holder.what.empty())
    return std::to_string(holder.tensors) +
           (holder.tensors == 1 ? " other" : " others");
  llvm::SmallVector<std::string, 2> parts;
  if (holder.location)
    parts.push_back(spell(holder.location));
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
