//===- Memory.cpp - the memory of each device, line by line ---------------===//

#include "Dialect/TD/IR/Locations.h"
#include "Page.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tdc;
using llvm::Twine;

// px
static constexpr int kWidth = 700, kHeight = 130;
static constexpr int kLeft = 40, kRight = kWidth - 10;
static constexpr int kTop = 24, kBottom = kHeight - 22;

namespace {

/// The scale of a profile: points from left to right, bytes from bottom to top.
struct Scale {
  size_t points;
  int64_t most;
  double x(size_t point) const {
    return kLeft + double(kRight - kLeft) * point / points;
  }
  double centre(size_t point) const { return (x(point) + x(point + 1)) / 2; }
  double y(int64_t bytes) const {
    return kBottom - double(kBottom - kTop) * bytes / most;
  }
};

} // namespace

static std::string px(double number) {
  return llvm::formatv("{0:F1}", number).str();
}

/// Writes line numbers, as many as fit next to each other.
static void writeLineNumbers(Page &page, const Scale &scale) {
  constexpr int ofDigit = 9, gap = 10;
  page.out.element("text", {{"x", 0}, {"y", kHeight - 6}}, "line");
  double end = kLeft;
  for (auto [i, point] : llvm::enumerate(page.report.memory.points)) {
    if (!point.location)
      continue;
    std::string number = std::to_string(point.location.getLine());
    double half = double(number.size()) * ofDigit / 2;
    double centre = scale.centre(i);
    if (centre - half < end || centre + half > kWidth)
      continue;
    page.out.element(
        "text", {{"class", "middle"}, {"x", px(centre)}, {"y", kHeight - 6}},
        number);
    end = centre + half + gap;
  }
}

static void writePoints(Page &page, unsigned device, const Scale &scale) {
  for (auto [i, point] : llvm::enumerate(page.report.memory.points)) {
    int64_t bytes = point.bytes[device];
    page.out.element(
        "rect",
        {{"class", "fill " + getColour(device)},
         {"x", px(scale.x(i))},
         {"y", px(scale.y(bytes))},
         {"width", px(scale.x(i + 1) - scale.x(i))},
         {"height", px(kBottom - scale.y(bytes))},
         {"data-json", "memory." + Twine(i) + ".bytes." + Twine(device)},
         {"data-value", bytes}},
        [&, &point = point] {
          page.out.element("title", {},
                           page.words.spell(point.location) + ": " +
                               Twine(bytes) + " B");
        });
  }
}

/// Marks the peak with a vertical line, and writes its bytes and its line.
static void writePeakMark(Page &page, unsigned device, const Scale &scale) {
  const std::vector<MemoryPoint> &points = page.report.memory.points;
  auto highest = llvm::max_element(
      points, [&](const MemoryPoint &one, const MemoryPoint &other) {
        return one.bytes[device] < other.bytes[device];
      });
  if (highest == points.end())
    return;
  double x = scale.centre(highest - points.begin());
  page.out.element(
      "path",
      {{"class", "peak"},
       {"d", "M" + px(x) + " " + px(kTop - 6) + "V" + px(kBottom)}},
      "");
  bool isRight = x > kWidth / 2.0;
  page.out.element(
      "text",
      {{"class", isRight ? "end" : ""},
       {"x", px(isRight ? x + 6 : std::max(x - 6, double(kLeft)))},
       {"y", kTop - 10}},
      "peak: " + Twine(scale.most) + " B" +
          (highest->location
               ? ", line " + std::to_string(highest->location.getLine())
               : ""));
}

static void writeChart(Page &page, unsigned device, const PeakMemory &peak) {
  Scale scale{page.report.memory.points.size(),
              std::max<int64_t>(peak.bytes, 1)};
  std::string description = "bytes on " + spelling(peak.device) +
                            ", line by line; peak " +
                            std::to_string(peak.bytes);
  page.out.element(
      "svg",
      {{"class", "memory"},
       {"role", "img"},
       {"aria-label", description},
       {"viewBox", "0 0 " + Twine(kWidth) + " " + Twine(kHeight)},
       {"width", kWidth}},
      [&] {
        page.out.element("title", {}, description);
        writePoints(page, device, scale);
        writePeakMark(page, device, scale);
        page.out.element(
            "path",
            {{"class", "axis"},
             {"d", "M" + px(kLeft) + " " + px(kBottom) + "H" + px(kRight)}},
            "");
        writeLineNumbers(page, scale);
      });
}

static void writeHolders(Page &page, unsigned device, const PeakMemory &peak) {
  std::vector<MemoryHolder> largest = page.words.getLargestHolders(peak, 5);
  std::string path = "peaks." + std::to_string(device) + ".holders.";
  page.out.element("table", {{"class", "holders"}}, [&] {
    page.out.element("caption", {}, "largest tensors at the peak");
    for (auto [i, holder] : llvm::enumerate(largest)) {
      // The holder without a name is the sum of the others.
      std::string paths = path + std::to_string(i) + ".bytes";
      if (holder.what.empty())
        for (size_t other = i + 1; other != peak.holders.size(); ++other)
          paths += " " + path + std::to_string(other) + ".bytes";
      page.out.element("tr", {}, [&, &holder = holder] {
        page.out.element("td", {}, page.words.getHolder(holder));
        page.out.element("td", {{"class", "value"}}, [&] {
          page.number(paths, Twine(holder.bytes));
          page.out.text(" B");
        });
      });
    }
  });
}

void tdc::writeMemory(Page &page) {
  section(page, "Memory", [&] {
    page.out.element(
        "p", {{"class", "note"}},
        page.words.hasExports()
            ? "In program order, with one iteration of each loop; then one "
              "call of each export."
            : "In program order, with one iteration of each loop.");
    for (auto [i, peak] : llvm::enumerate(page.report.memory.peaks)) {
      page.out.element("h3", {}, [&, i = i, &peak = peak] {
        page.out.element("span", {{"class", "badge " + getColour(i)}},
                         page.getLetter(i));
        page.out.text(" " + spelling(peak.device) + ": ");
        page.peak(i, peak);
        if (peak.location) {
          page.out.text(", at ");
          page.line(peak.location);
        }
      });
      page.out.element("div", {{"class", "device-memory"}},
                       [&, i = i, &peak = peak] {
                         writeChart(page, i, peak);
                         writeHolders(page, i, peak);
                       });
    }
  });
}
