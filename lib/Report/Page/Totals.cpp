//===- Totals.cpp - the figures of a report, and its bars -----------------===//

#include "Page.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tdc;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

static void writeFigure(Page &page, llvm::StringRef name,
                        Markup::Contents contents) {
  page.out.element("div", {}, [&] {
    page.out.element("dt", {}, name);
    page.out.element("dd", {}, contents);
  });
}

static void writeNote(Page &page, const Twine &text) {
  page.out.text(" ");
  page.out.element("span", {{"class", "note"}}, text);
}

static void writeBound(Page &page) {
  const Report &report = page.report;
  if (!report.isBoundKnown) {
    page.out.text(kNotCounted);
    return;
  }
  page.total("bound", report.least);
  if (page.words.hasExports()) {
    page.out.text("; exports ");
    page.total("boundOfExports", report.leastOfExports);
  }
  if (std::string trial = page.words.getTrial(); !trial.empty())
    writeNote(page, trial);
}

static void writeGap(Page &page) {
  td::CopyCount gap = page.report.getGap();
  page.total("gap", gap);
  if (!(gap == td::CopyCount()))
    writeNote(page, page.report.getCauseOfGap().why);
}

/// Explains the symbols of formulas, if there are any.
static void writeSymbols(Page &page) {
  bool hasFormula =
      llvm::any_of(page.report.sites,
                   [](const td::CopySite &site) {
                     return !getCopies(site).getNumber() ||
                            !getBytes(site).getNumber();
                   }) ||
      llvm::any_of(page.report.memory.peaks, [](const PeakMemory &peak) {
        return !getBytes(peak).getNumber();
      });
  if (hasFormula)
    page.out.element(
        "p", {{"class", "note"}},
        "iterations(12) is the trip count of the loop of line 12, and "
        "size(8, 0) is the first size of the tensor that line 8 makes: both "
        "are known only at run time.");
}

/// Lists the sizes that were read from data files.
static void writeSizes(Page &page) {
  if (page.report.sizes.empty())
    return;
  page.out.element("p", {{"class", "note"}}, [&] {
    page.out.text("From files: " + page.words.getSizes() + ".");
  });
}

void tdc::writeFigures(Page &page) {
  const Report &report = page.report;
  if (report.sites.empty())
    page.out.element("p", {}, "Nothing is copied between devices.");
  page.out.element("dl", {{"class", "figures"}}, [&] {
    writeFigure(page, "copied in a run",
                [&] { page.total("placed", report.placed); });
    if (page.words.hasExports())
      writeFigure(page, "when each export is called once",
                  [&] { page.total("exports", report.exports); });
    writeFigure(page, "least possible", [&] { writeBound(page); });
    if (report.isBoundKnown)
      writeFigure(page, "gap", [&] { writeGap(page); });
    for (auto [i, peak] : llvm::enumerate(report.memory.peaks))
      writeFigure(page, "memory of " + spelling(peak.device),
                  [&, i = i, &peak = peak] { page.peak(i, peak); });
    if (report.memory.pinnedBytes)
      writeFigure(page, "cpu memory pinned for copies", [&] {
        page.number("pinned", Twine(report.memory.pinnedBytes));
        page.out.text(" B");
      });
  });
  writeSizes(page);
  writeSymbols(page);
}

//===----------------------------------------------------------------------===//
// Copies per step
//===----------------------------------------------------------------------===//

static void writeSome(Page &page, const Twine &path, const Total &total) {
  if (total.copies.getFormula() == "0")
    page.out.text("none");
  else
    page.total(path, total);
}

static void writeCauses(Page &page, const CopyStep &step) {
  llvm::MapVector<mlir::Attribute, mlir::FileLineColLoc> lines;
  for (const td::CopySite *site : step.sites) {
    mlir::FileLineColLoc location = page.getLineOf(*site);
    if (location)
      lines.try_emplace(mlir::FileLineColLoc::get(location.getFilename(),
                                                  location.getLine(), 0),
                        location);
  }
  bool isFirst = true;
  for (auto &[line, location] : lines) {
    page.out.text(isFirst ? "" : ", ");
    page.line(location);
    isFirst = false;
  }
}

void tdc::writeSteps(Page &page) {
  if (page.report.steps.empty())
    return;
  section(page, "Copies per step", [&] {
    page.out.element("table", {}, [&] {
      writeHeads(page, {"step", "always", "sometimes", "needed on"});
      for (auto [i, step] : llvm::enumerate(page.report.steps)) {
        std::string path = "steps." + std::to_string(i);
        page.out.element("tr", {}, [&, &step = step] {
          page.out.element("th", {{"scope", "row"}},
                           page.words.getRepeated(step));
          page.out.element("td", {}, [&] {
            writeSome(page, path + ".always", step.always);
          });
          page.out.element("td", {}, [&] {
            writeSome(page, path + ".sometimes", step.sometimes);
          });
          page.out.element("td", {}, [&] { writeCauses(page, step); });
        });
      }
    });
    for (const CopyStep &step : page.report.steps)
      if (std::string exchange = page.words.getExchange(step);
          !exchange.empty())
        page.out.element("p", {}, "On several GPUs, " + exchange + ".");
  });
}

//===----------------------------------------------------------------------===//
// Bars
//===----------------------------------------------------------------------===//

namespace {

/// A named number of copies or bytes. A number that only a run knows has no
/// bar.
struct Bar {
  std::string name, path, text;
  bool isExact = true;
  std::optional<int64_t> number;
};

} // namespace

static std::vector<Bar> getBars(const Report &report, bool isOfBytes) {
  std::string field = isOfBytes ? ".bytes" : ".copies";
  std::vector<Bar> bars;
  auto add = [&](const char *name, const char *path, const Total &total) {
    const Amount &amount = isOfBytes ? total.bytes : total.copies;
    bars.push_back({name, path + field, amount.getFormula(), amount.isExact,
                    amount.getNumber()});
  };
  auto addCount = [&](const char *name, const char *path, td::CopyCount count) {
    int64_t number = isOfBytes ? count.bytes : count.copies;
    bars.push_back({name, path + field, std::to_string(number), true, number});
  };
  if (report.asWritten && !report.isWrittenForCpu)
    add("as written", "asWritten", *report.asWritten);
  add("placed", "placed", report.placed);
  if (!report.isBoundKnown)
    return bars;
  if (report.trialIterations || !report.isBoundExact)
    addCount("placed, trial run", "made", report.made);
  addCount(report.trialIterations || !report.isBoundExact
               ? "least possible, trial run"
               : "least possible",
           "bound", report.least);
  return bars;
}

static void writeBars(Page &page, llvm::StringRef unit,
                      llvm::ArrayRef<Bar> bars) {
  int64_t most = 1;
  for (const Bar &bar : bars)
    most = std::max(most, bar.number.value_or(0));
  page.out.element("table", {{"class", "bars"}}, [&] {
    page.out.element("caption", {}, unit);
    for (const Bar &bar : bars)
      page.out.element("tr", {}, [&] {
        page.out.element("th", {{"scope", "row"}}, bar.name);
        page.out.element("td", {{"class", "bar"}}, [&] {
          if (!bar.number)
            return page.out.element("span", {{"class", "note"}},
                                    "known only at run time");
          std::string width =
              llvm::formatv("{0:F2}%", 100.0 * *bar.number / most).str();
          page.out.element(
              "svg", {{"role", "img"}, {"aria-label", bar.name}}, [&] {
                page.out.element("title", {},
                                 bar.name + ": " + bar.text + " " + unit);
                page.out.element("rect",
                                 {{"width", width},
                                  {"height", "100%"},
                                  {"data-json", bar.path},
                                  {"data-value", *bar.number}},
                                 "");
              });
        });
        page.out.element("td", {{"class", "value"}}, [&] {
          page.out.text(bar.isExact ? "" : "at most ");
          page.number(bar.path, bar.text);
        });
      });
  });
}

void tdc::writeBars(Page &page) {
  const Report &report = page.report;
  if (report.sites.empty())
    return;
  section(page, "As written, placed, and least possible", [&] {
    if (!report.asWritten || report.isWrittenForCpu)
      page.out.element("p", {}, "As written: " + page.words.getAsWritten());
    for (bool isOfBytes : {false, true})
      ::writeBars(page, isOfBytes ? "bytes" : "copies",
                  getBars(report, isOfBytes));
    for (auto [i, removed] : llvm::enumerate(report.removed)) {
      std::string path = "removed." + std::to_string(i);
      page.out.element("p", {}, [&, &removed = removed] {
        page.out.text("Written on " +
                      page.words.spell(removed.file, removed.line) + ": ");
        page.copies(path + ".before", removed.before);
        page.out.text(", placed ");
        page.copies(path + ".after", removed.after);
      });
    }
  });
}
