//===- Lanes.cpp - timelines of two iterations, as a picture --------------===//

#include "Page.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tdc;
using llvm::Twine;

// px
static constexpr int kWidth = 1000, kLeft = 150, kRight = kWidth - 120;
static constexpr int kRow = 28, kBar = 20, kLetter = 8;

static std::string px(double number) {
  return llvm::formatv("{0:F1}", number).str();
}

/// The horizontal position of a time.
static double getX(const Lanes &lanes, int64_t time) {
  return kLeft + double(kRight - kLeft) * double(time) /
                     double(std::max<int64_t>(lanes.length, 1));
}

static std::string describe(Page &page, const LaneWork &work) {
  std::string text = work.what;
  if (work.line)
    text += ", " + page.words.spell(work.file, work.line);
  text += ": " + Words::spellTime(work.length);
  return work.bytes ? text + ", " + std::to_string(work.bytes) + " B" : text;
}

static void writeWork(Page &page, const Lanes &lanes, llvm::StringRef path) {
  for (auto [i, work] : llvm::enumerate(lanes.work)) {
    const LaneRow &row = lanes.rows[work.lane];
    double x = getX(lanes, work.begin),
           width = getX(lanes, work.begin + work.length) - x;
    double y = double(work.lane) * kRow;
    auto device = llvm::find_if(page.report.devices, [&](const Place &place) {
      return spelling(place) == row.device;
    });
    page.out.element(
        "rect",
        {{"class", "fill " + getColour(device - page.report.devices.begin())},
         {"x", px(x)},
         {"y", px(y)},
         {"width", llvm::formatv("{0:F3}", width).str()},
         {"height", kBar},
         {"data-json", path + ".work." + Twine(i) + ".length"},
         {"data-value", work.length}},
        [&, &work = work] {
          page.out.element("title", {}, describe(page, work));
        });
    if (double(work.what.size()) * kLetter + 8 < width)
      page.out.element(
          "text",
          {{"class", "on"}, {"x", px(x + width / 2)}, {"y", px(y + kBar - 6)}},
          work.what);
  }
}

/// Writes a time at the end of a row.
static void writeBusy(Page &page, int y, const Twine &path, int64_t time) {
  page.out.element("text", {{"class", "end"}, {"x", kWidth}, {"y", y}}, [&] {
    page.out.element("tspan", {{"data-json", path}}, Twine(time));
    page.out.text(" ns");
  });
}

static void writePicture(Page &page, const Lanes &lanes, llvm::StringRef path) {
  int height = int(lanes.rows.size()) * kRow + 18;
  std::string description = "two iterations of " +
                            page.words.spell(lanes.file, lanes.line) + ", " +
                            (lanes.isMeasured ? "measured" : "estimated");
  page.out.element(
      "svg",
      {{"class", "times"},
       {"role", "img"},
       {"aria-label", description},
       {"viewBox", "0 0 " + Twine(kWidth) + " " + Twine(height)},
       {"width", kWidth}},
      [&] {
        page.out.element("title", {}, description);
        for (auto [i, row] : llvm::enumerate(lanes.rows)) {
          int y = int(i) * kRow + kBar - 6;
          page.out.element(
              "text", {{"x", 0}, {"y", y}},
              row.device == row.name ? row.name : row.device + " " + row.name);
          writeBusy(page, y, path + ".rows." + Twine(i) + ".busy", row.busy);
        }
        writeWork(page, lanes, path);
        int axis = int(lanes.rows.size()) * kRow;
        page.out.element(
            "path",
            {{"class", "axis"},
             {"d", "M" + px(kLeft) + " " + px(axis) + "H" + px(kRight)}},
            "");
        page.out.element("text", {{"x", kLeft}, {"y", axis + 14}}, "0");
        page.out.element("text",
                         {{"class", "end"}, {"x", kRight}, {"y", axis + 14}},
                         Words::spellTime(lanes.length));
        writeBusy(page, axis + 14, path + ".length", lanes.length);
      });
}

void tdc::writeLanes(Page &page) {
  if (page.report.lanes.empty() && page.report.notMeasured.empty())
    return;
  section(page, "Timeline", [&] {
    for (auto [i, lanes] : llvm::enumerate(page.report.lanes)) {
      std::string path = "lanes." + std::to_string(i);
      page.out.element("h3", {}, [&, &lanes = lanes] {
        page.out.text("Two iterations of " +
                      page.words.spell(lanes.file, lanes.line) +
                      (lanes.isMeasured ? ", measured" : ", estimated"));
      });
      page.out.element(
          "p", {{"class", "note"}},
          lanes.isMeasured
              ? "Measured: two iterations of median length from the trace of a "
                "run. The busy time of each row is at its end."
              : "Estimated times, from the schedule, after the first "
                "iterations. "
                "Branches of the program are left out. The busy time of each "
                "row is at its end.");
      if (std::string use = page.words.getPeerUse(lanes); !use.empty())
        page.out.element("p", {}, use + ".");
      writePicture(page, lanes, path);
    }
    if (!page.report.notMeasured.empty())
      page.out.element("p", {{"class", "note"}},
                       "Not measured: " + page.report.notMeasured + ".");
  });
}
