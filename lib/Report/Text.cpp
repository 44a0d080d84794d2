//===- Text.cpp - prints a report as text ---------------------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;
using llvm::Twine;

namespace tdc {

using td::CopySite;

namespace {

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Report &report)
      : os(os), report(report), words(report) {}

  void write() {
    os << words.getProgram() << ": " << words.getSummary() << "\n\n";
    row("devices", llvm::join(llvm::map_range(report.devices,
                                              [](const Place &place) {
                                                return spelling(place);
                                              }),
                              ", "));
    if (report.sites.empty()) {
      writeSizes();
      writePeaks();
      writeTimes();
      return;
    }
    os << "\n";
    for (auto [i, group] : llvm::enumerate(words.getGroups()))
      write(i + 1, group);
    writeWaits();
    writeTotals();
  }

private:
  /// Writes an indented line, unless the text is empty.
  void say(const Twine &text) {
    if (std::string line = text.str(); !line.empty())
      os << "     " << line << "\n";
  }

  void write(size_t number, const CopyGroup &group) {
    const CopySite &site = group.first();
    bool isOne = group.sites.size() == 1;
    os << llvm::formatv("{0,3}  ", number) << words.getSubject(group) << ": "
       << spelling(site.from) << " -> " << spelling(site.to) << ", "
       << words.spellCopies(group.total.copies);
    if (isOne && group.total.copies.getFormula() != "1")
      os << " of " << getBytesOfOne(site).getFormula() << " B = ";
    else
      os << ", ";
    os << group.total.bytes.getFormula() << " B\n";
    if (isOne) {
      std::string quoted = words.quote(site.location);
      say("made on " + words.spell(site.location) +
          (quoted.empty() ? "" : ": ") + quoted);
    }
    say(words.getReader(site));
    say(words.getRuns(site));
    say(words.getTime(site));
  }

  void writeWaits() {
    if (report.waits.empty())
      return;
    os << "\nthe host waits for the device\n";
    for (const HostWait &wait : report.waits) {
      Amount times = getCopies(*wait.site);
      say(words.spell(wait.site->reader) + ": " +
          td::getUserName(wait.site->reader) + " in every iteration of " +
          words.spell(wait.site->loop) + (times.isExact ? ", " : ", at most ") +
          times.getFormula() + " times");
      say(wait.advice);
    }
  }

  void writeExchanges() {
    for (const CopyStep &step : report.steps)
      if (std::string exchange = words.getExchange(step); !exchange.empty())
        row("several GPUs", exchange);
  }

  void row(StringRef name, const Twine &text) {
    os << llvm::formatv("{0,-15}", name) << text << "\n";
  }

  void writeSizes() {
    if (std::string sizes = words.getSizes(); !sizes.empty())
      row("from files", sizes);
  }

  void writeTimes() {
    for (const Lanes &lanes : report.lanes) {
      std::string peers = words.getPeerUse(lanes);
      if (lanes.isMeasured)
        row("measured", words.getIterations(lanes));
      if (!peers.empty())
        row(lanes.isMeasured ? "" : "estimated", peers);
    }
    if (!report.notMeasured.empty())
      row("not measured", report.notMeasured);
  }

  void writeTotals() {
    os << "\n";
    writeSizes();
    row("as written", words.getAsWritten());
    row("placed", words.spell(report.placed));
    if (words.hasExports())
      row("exports", words.spell(report.exports) + " when each is called once");
    for (const Removed &one : report.removed)
      row("removed", words.spell(one.file, one.line) + ": " +
                         one.before.getFormula() + " -> " +
                         words.spellCopies(one.after));
    writeBound();
    writeExchanges();
    writePeaks();
    writeTimes();
  }

  void writeBound() {
    if (!report.isBoundKnown)
      return row("least possible", kNotCounted);
    std::string trial = words.getTrial();
    if (!trial.empty())
      trial = " " + trial;
    std::string exports =
        words.hasExports() ? ", exports " + words.spell(report.leastOfExports)
                           : "";
    bool hasGap = !(report.getGap() == td::CopyCount());
    row("least possible",
        words.spell(report.least) + exports + trial +
            (trial.empty() || hasGap ? "" : ", which makes no more") +
            "; gap " + words.getGap());
  }

  void writePeaks() {
    llvm::SmallVector<std::string> parts;
    for (const PeakMemory &peak : report.memory.peaks)
      parts.push_back(words.getPeak(peak));
    if (report.memory.pinnedBytes)
      parts.push_back("pinned on the cpu " +
                      std::to_string(report.memory.pinnedBytes) + " B");
    row("memory", llvm::join(parts, ", "));
    for (const PeakMemory &peak : report.memory.peaks)
      if (!peak.holders.empty())
        row("  of " + spelling(peak.device), getHolders(peak));
  }

  /// "x (line 14) 25600 B, 7 others 512 B".
  std::string getHolders(const PeakMemory &peak) {
    llvm::SmallVector<std::string> parts;
    for (const MemoryHolder &holder : words.getLargestHolders(peak, 3))
      parts.push_back(words.getHolder(holder) + " " +
                      std::to_string(holder.bytes) + " B");
    return llvm::join(parts, ", ");
  }

  llvm::raw_ostream &os;
  const Report &report;
  Words words;
};

} // namespace

void printText(llvm::raw_ostream &os, const Report &report) {
  Writer(os, report).write();
}

} // namespace tdc
