//===- ReportText.cpp - a report of transfers for people ------------------===//

#include "Dialect/TD/IR/Locations.h"
#include "Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;
using llvm::Twine;

namespace tdc {

using td::CopySite;
using td::RunFactor;

namespace {

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Report &report)
      : os(os), report(report) {}

  void write() {
    StringRef name = StringRef(report.file).rsplit('/').second;
    os << (name.empty() ? StringRef(report.file) : name) << ": "
       << llvm::join(llvm::map_range(report.peaks,
                                     [](const td::PeakMemory &peak) {
                                       return spelling(peak.device);
                                     }),
                     ", ");
    if (report.sites.empty()) {
      os << "; nothing is copied between devices\n";
      return;
    }
    os << "\n\n";
    for (const Group &group : getGroups())
      write(group);
    writeWaits();
    writeTotals();
  }

private:
  //===--- Places ---------------------------------------------------------===//

  /// "line 12", with the file if it is not that of the program.
  std::string spell(mlir::FileLineColLoc place) const {
    if (!place)
      return "the program's start";
    return spell(place.getFilename(), place.getLine());
  }
  std::string spell(StringRef file, unsigned line) const {
    std::string text = "line " + std::to_string(line);
    return file == report.file ? text : file.str() + ", " + text;
  }
  std::string spell(mlir::Operation *op) const {
    return spell(td::getUserPlace(op->getLoc()));
  }

  /// The text of a line, shortened.
  std::string quote(mlir::FileLineColLoc place) const {
    for (FileId id = 1; place && id <= report.sources.getNumFiles(); ++id) {
      if (report.sources.getName(id) != place.getFilename().getValue())
        continue;
      StringRef text =
          report.sources.getText(report.sources.getLine(id, place.getLine()))
              .trim();
      constexpr size_t most = 50;
      if (text.size() <= most)
        return ": " + text.str();
      return (": " + text.take_front(most).rsplit(' ').first + " ...").str();
    }
    return "";
  }

  //===--- Amounts --------------------------------------------------------===//

  static std::string spellCopies(const Amount &amount) {
    std::string number = amount.getFormula();
    return (amount.isExact ? "" : "at most ") + number +
           (number == "1" ? " copy" : " copies");
  }

  static std::string spellTotal(const Amount &copies, const Amount &bytes) {
    return spellCopies(copies) + ", " + bytes.getFormula() + " B";
  }

  /// "15 turns of line 10", or "" for what says nothing.
  std::string spell(const RunFactor &factor) const {
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
        return std::to_string(factor.inner / factor.outer) + " turns of " +
               line;
      if (factor.isKnown)
        return std::to_string(factor.inner) + " turns of " + line + " in all";
      if (factor.most)
        return "at most " + std::to_string(*factor.most) + " turns of " + line;
      return "the turns of " + line;
    }
    llvm_unreachable("an unknown kind of factor");
  }

  //===--- Copies ---------------------------------------------------------===//

  /// Copies that are told as one: a parameter each, all made at one point.
  using Group = std::vector<const CopySite *>;

  std::vector<Group> getGroups() const {
    std::vector<Group> groups;
    auto isOneOf = [](const CopySite &site, const CopySite &first) {
      return site.isState && first.isState &&
             getModel(site) == getModel(first) && site.from == first.from &&
             site.to == first.to && site.kind == first.kind &&
             site.isImplied == first.isImplied &&
             site.isForHost == first.isForHost &&
             site.blocked == first.blocked &&
             site.ops.front()->getBlock() == first.ops.front()->getBlock();
    };
    for (const CopySite &site : report.sites) {
      auto group = llvm::find_if(groups, [&](const Group &other) {
        return isOneOf(site, *other.front());
      });
      if (group == groups.end())
        groups.emplace_back(1, &site);
      else
        group->push_back(&site);
    }
    return groups;
  }

  static StringRef getModel(const CopySite &site) {
    return StringRef(site.what).split('.').first;
  }

  void write(const Group &group) {
    const CopySite &site = *group.front();
    os << llvm::formatv("{0,3}  ", ++numGroups);
    if (group.size() == 1)
      os << site.what;
    else
      os << getModel(site) << ", " << group.size() << " tensors";
    os << ": " << spelling(site.from) << " -> " << spelling(site.to) << ", ";
    Total total;
    for (const CopySite *one : group) {
      total.copies += getCopies(*one);
      total.bytes += getBytes(*one);
    }
    os << spellCopies(total.copies);
    if (group.size() == 1 && total.copies.getFormula() != "1")
      os << " of " << getBytesOfOne(site).getFormula() << " B = ";
    else
      os << ", ";
    os << total.bytes.getFormula() << " B\n";
    if (group.size() == 1)
      os << "     made on " << spell(site.place) << quote(site.place) << "\n";
    writeReader(site);
    writeRuns(site);
  }

  void writeReader(const CopySite &site) {
    if (site.reader)
      os << "     for " << td::getUserName(site.reader) << " on "
         << spelling(site.to) << ", " << spell(site.reader)
         << (site.isImplied ? "; the program does not write it\n" : "\n");
  }

  void writeRuns(const CopySite &site) {
    llvm::SmallVector<std::string> parts;
    for (const RunFactor &factor : site.factors)
      // What asks whether a loop has a turn says nothing inside the loop.
      if (std::string part = spell(factor); !factor.isOfNext && !part.empty())
        parts.push_back(part);
    std::string why = getReasonToStay(site);
    if (site.kind == CopySite::OnDemand)
      os << "     copied when it is first asked for"
         << (parts.empty() ? "" : ": ");
    else if (!parts.empty() || !why.empty())
      os << "     ";
    else
      return;
    os << llvm::join(parts, " x ");
    if (!why.empty())
      os << (parts.empty() && site.kind == CopySite::Static ? "" : "; ") << why;
    os << "\n";
  }

  /// Why it cannot be in front of the loop.
  std::string getReasonToStay(const CopySite &site) const {
    switch (site.blocked) {
    case CopySite::Nothing:
      return "";
    case CopySite::DefinedInLoop:
      return spell(site.definedAt) + " makes a new one in each turn";
    case CopySite::ConditionalDemand:
      return "not every run needs it";
    case CopySite::MixedHome:
      return "it comes from several devices";
    }
    llvm_unreachable("an unknown reason");
  }

  //===--- Behind the transfers -------------------------------------------===//

  void writeWaits() {
    if (report.waits.empty())
      return;
    os << "\nthe host waits for the device\n";
    for (const HostWait &wait : report.waits)
      os << "     " << spell(wait.site->reader) << ": "
         << td::getUserName(wait.site->reader) << " in every turn of "
         << spell(wait.site->loop) << ", " << getCopies(*wait.site).getFormula()
         << " times\n     " << wait.advice << "\n";
  }

  void row(StringRef name, const Twine &text) {
    os << llvm::formatv("{0,-15}", name) << text << "\n";
  }

  static std::string spell(const Total &total) {
    return spellTotal(total.copies, total.bytes);
  }

  bool hasExports() const {
    return llvm::any_of(report.sites,
                        [](const CopySite &site) { return site.isOfExport(); });
  }

  void writeTotals() {
    os << "\n";
    if (!report.asWritten)
      row("as written", "refused, " + report.refusal);
    else if (report.isWrittenForCpu)
      row("as written", "all on the cpu");
    else
      row("as written", spellWritten(*report.asWritten));
    row("placed", spell(report.placed));
    if (hasExports())
      row("exports", spell(report.exports) + " when each is called once");
    for (const Removed &one : report.removed)
      row("removed", spell(one.file, one.line) + ": " +
                         one.before.getFormula() + " -> " +
                         spellCopies(one.after));
    writeBound();
    writePeaks();
  }

  /// Where a run decides, it is no bound: files are written by a guess.
  static std::string spellWritten(const Total &total) {
    std::string text = spell(total);
    StringRef rest = text;
    return rest.consume_front("at most ") ? ("about " + rest).str() : text;
  }

  static std::string spell(td::CopyCount count) {
    return std::to_string(count.copies) +
           (count.copies == 1 ? " copy, " : " copies, ") +
           std::to_string(count.bytes) + " B";
  }

  void writeBound() {
    if (!report.isBoundKnown)
      return row("least possible",
                 "not counted, the program has too many turns");
    td::CopyCount gap = report.getGap();
    bool hasGap = !(gap == td::CopyCount());
    std::string trial;
    if (report.trialTurns)
      trial = " in a trial of " + std::to_string(report.trialTurns) +
              " turns of each loop";
    else if (!report.isBoundExact)
      trial = " in a trial with assumed turns and branches";
    std::string exports =
        hasExports() ? ", exports " + spell(report.leastOfExports) : "";
    row("least possible",
        spell(report.least) + exports + trial +
            (trial.empty() || hasGap ? "" : ", which makes as many") +
            "; gap " +
            (hasGap ? spell(gap) + ": " + report.getCauseOfGap() : "0"));
  }

  void writePeaks() {
    if (!report.hasPeaks())
      return;
    llvm::SmallVector<std::string> parts;
    for (const td::PeakMemory &peak : report.peaks)
      parts.push_back(spelling(peak.device) +
                      (peak.isEstimate ? " about " : " ") +
                      std::to_string(peak.bytes) + " B at " +
                      spell(td::getUserPlace(peak.at)));
    row("memory at most", llvm::join(parts, ", "));
  }

  llvm::raw_ostream &os;
  const Report &report;
  size_t numGroups = 0;
};

} // namespace

void printText(llvm::raw_ostream &os, const Report &report) {
  Writer(os, report).write();
}

} // namespace tdc
