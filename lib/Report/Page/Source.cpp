//===- Source.cpp - a program with its devices and copies -----------------===//
//
// A line has a lane for each device, with a badge in the lanes of the devices
// that compute it. Below the line are the copies that it needs, one per row: an
// arrow from lane to lane, as wide as the logarithm of the bytes, and a
// description.
//
//===----------------------------------------------------------------------===//

#include "Page.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace tdc;
using llvm::Twine;

// px: all lanes together leave room for the text of the lines; a lane of at
// least kLetters has room for a letter
static constexpr double kLanes = 432, kWidestLane = 36, kLetters = 30;
static constexpr int kRow = 20;

static std::string px(double number) {
  return llvm::formatv("{0:F1}", number).str();
}

static double getLane(const Page &page) {
  return std::min(kWidestLane, kLanes / double(page.report.devices.size()));
}

static double getCentre(const Page &page, unsigned device) {
  return (device + 0.5) * getLane(page);
}

static void writeLanes(Page &page, const Twine &description,
                       Markup::Contents marks) {
  page.out.element("td", {{"class", "lanes"}}, [&] {
    page.out.element("svg",
                     {{"role", "img"},
                      {"aria-label", description},
                      {"width", px(page.report.devices.size() * getLane(page))},
                      {"height", kRow}},
                     [&] {
                       page.out.element("title", {}, description);
                       marks();
                     });
  });
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static void writeBadges(Page &page, const LineDevices &line) {
  std::string names;
  for (unsigned device : line.devices)
    names +=
        (names.empty() ? "" : " and ") + spelling(page.report.devices[device]);
  double lane = getLane(page), gap = lane / 18;
  writeLanes(page, "runs on " + names, [&] {
    for (unsigned device : line.devices) {
      double centre = getCentre(page, device);
      page.out.element("rect",
                       {{"class", "fill " + getColour(device)},
                        {"x", px(centre - lane / 2 + gap)},
                        {"y", 1},
                        {"width", px(lane - 2 * gap)},
                        {"height", kRow - 2},
                        {"rx", 4}},
                       "");
      if (lane >= kLetters)
        page.out.element("text",
                         {{"class", "on"}, {"x", px(centre)}, {"y", 15}},
                         page.getLetter(device));
    }
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The width of an arrow: by the bytes of all copies, or of one copy if their
/// number is known only at run time.
static double getWidth(const CopyGroup &group) {
  std::optional<int64_t> bytes = group.total.bytes.getNumber();
  if (!bytes)
    bytes = getBytesOfOne(group.first()).getNumber();
  return std::min(
      1 + std::log10(double(std::max<int64_t>(bytes.value_or(1), 1))), 10.0);
}

static void writeArrow(Page &page, const CopyGroup &group) {
  unsigned from = page.getIndex(group.first().from);
  unsigned to = page.getIndex(group.first().to);
  int sign = to > from ? 1 : -1;
  double width = getWidth(group), head = 5 + width / 2;
  double start = getCentre(page, from), end = getCentre(page, to),
         middle = kRow / 2.0;
  double neck = end - sign * getLane(page) / 3;
  std::string path =
      llvm::formatv("M{0} {1}H{2}V{3}L{4} {5}L{2} {6}V{7}H{0}Z", start,
                    middle - width / 2, neck, middle - head, end, middle,
                    middle + head, middle + width / 2)
          .str();
  writeLanes(page,
             "a copy from " + spelling(group.first().from) + " to " +
                 spelling(group.first().to),
             [&] {
               page.out.element(
                   "path",
                   {{"class", "fill " + getColour(from)},
                    {"d", path},
                    {"data-json", page.getPath(group, "bytes")},
                    {"data-value", group.total.bytes.getFormula()}},
                   "");
             });
}

static void writeLabel(Page &page, size_t number, const CopyGroup &group) {
  const td::CopySite &site = group.first();
  page.out.element("td", {{"class", "label"}}, [&] {
    page.out.element("a", {{"href", "#copy-" + Twine(number)}},
                     "#" + Twine(number));
    page.out.text(" " + page.words.getSubject(group) + " ");
    page.out.element("b", {}, [&] {
      if (!group.total.copies.isExact)
        page.out.text("at most ");
      page.number(page.getPath(group, "copies"),
                  group.total.copies.getFormula());
      if (group.sites.size() == 1) {
        page.out.text(" \u00d7 ");
        page.number(page.getPath(group, "bytesOfOne"),
                    getBytesOfOne(site).getFormula());
        page.out.text(" B");
      } else {
        page.out.text(" copies, ");
        page.bytes(page.getPath(group, "bytes"), group.total.bytes);
      }
    });
    page.out.text(" " + spelling(site.from) + " \u2192 " + spelling(site.to));
    if (std::string runs = page.words.getRuns(site); !runs.empty())
      page.out.element("span", {{"class", "note"}}, "; " + runs);
  });
}

//===----------------------------------------------------------------------===//
// The listing
//===----------------------------------------------------------------------===//

namespace {

/// The devices and the copies at the lines of one file.
struct Notes {
  std::map<unsigned, const LineDevices *> devices;
  std::map<unsigned, std::vector<size_t>> groups;
};

} // namespace

static void writeFile(Page &page, FileId file, const Notes &notes,
                      llvm::ArrayRef<CopyGroup> groups) {
  const SourceManager &sources = page.report.sources;
  unsigned lines = sources.getText(file).rtrim('\n').count('\n') + 1;
  page.out.element("table", {{"class", "source"}}, [&] {
    for (unsigned line = 1; line <= lines; ++line) {
      page.out.element(
          "tr", {{"id", "file-" + Twine(file) + "-line-" + Twine(line)}}, [&] {
            page.out.element("td", {{"class", "line"}}, Twine(line));
            if (auto known = notes.devices.find(line);
                known != notes.devices.end())
              writeBadges(page, *known->second);
            else
              page.out.element("td", {}, "");
            page.out.element("td", {{"class", "code"}},
                             sources.getText(sources.getLine(file, line)));
          });
      auto known = notes.groups.find(line);
      if (known == notes.groups.end())
        continue;
      for (size_t group : known->second)
        page.out.element("tr", {{"class", "copy"}}, [&] {
          page.out.element("td", {}, "");
          writeArrow(page, groups[group]);
          writeLabel(page, group + 1, groups[group]);
        });
    }
  });
}

void tdc::writeSource(Page &page) {
  const Report &report = page.report;
  std::map<std::string, Notes> notes;
  notes[report.file];
  for (const LineDevices &line : report.lines)
    notes[line.location.getFilename().str()].devices[line.location.getLine()] =
        &line;
  std::vector<CopyGroup> groups = page.words.getGroups();
  for (auto [i, group] : llvm::enumerate(groups))
    if (mlir::FileLineColLoc location = page.getLineOf(group.first()))
      notes[location.getFilename().str()].groups[location.getLine()].push_back(
          i);
  section(page, "Devices and copies of each line", [&] {
    if (!groups.empty())
      page.out.element("p", {{"class", "note"}},
                       "A copy is below the line that needs it. Its arrow "
                       "leads from source to destination, and is as wide as "
                       "the logarithm of the bytes.");
    const SourceManager &sources = report.sources;
    for (FileId file = 1; file <= sources.getNumFiles(); ++file) {
      auto known = notes.find(sources.getName(file).str());
      if (known == notes.end())
        continue;
      if (known->first != report.file)
        page.out.element("h3", {}, known->first);
      page.out.element("div", {{"class", "listing"}},
                       [&] { ::writeFile(page, file, known->second, groups); });
    }
  });
}
