//===- Plot.cpp - a picture of curves -------------------------------------===//

#include "Plot/Plot.h"
#include "Markup/Markup.h"
#include "Markup/Style.h"
#include "Scale.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstdio>

using namespace tdc;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

// px
static constexpr int kWidth = 720, kLeft = 56, kPlot = 130, kTitle = 26,
                     kAxis = 34, kMargin = 8, kLetter = 7, kLine = 15,
                     kLabelGap = 12, kAxisGap = 22;
/// The most points that are drawn as dots, too.
static constexpr size_t kMostDots = 60;

static constexpr char kRules[] = R"css(
svg { background: var(--page); max-width: 100%; height: auto; }
text { fill: var(--text); font: 12px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.name { font-weight: 600; font-size: 13px; }
.tick { fill: var(--note); }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--rule); }
.axis { stroke: var(--note); }
.line, .mark { fill: none; stroke: var(--device); }
.dot, .label { fill: var(--device); }
)css";

namespace {

struct Panel {
  std::string title, unit, axis;
  std::vector<const PlotCurve *> curves;
};

class Picture {
public:
  Picture(llvm::raw_ostream &os, ArrayRef<PlotCurve> curves) : out(os) {
    group(curves);
  }

  void write(StringRef title);

private:
  void group(ArrayRef<PlotCurve> curves);
  void writePanel(const Panel &panel);
  void writeGrid(const Panel &panel, const Scale &xs, const Scale &ys);
  void writeCurve(const Panel &panel, unsigned index, const Scale &xs,
                  const Scale &ys);
  void writeLine(const PlotCurve &curve, StringRef colour, const Scale &xs,
                 const Scale &ys);
  void writeMarks(const PlotCurve &curve, StringRef colour, const Scale &xs);
  void writeLabels(const Panel &panel, const Scale &ys);
  void writeText(StringRef kind, double x, double y, StringRef colour,
                 const Twine &text);

  double getX(const Scale &xs, double x) const {
    return kLeft + xs.place(x) * (right - kLeft);
  }
  double getY(const Scale &ys, double y) const {
    return top + (1 - ys.place(y)) * kPlot;
  }

  Markup out;
  std::vector<Panel> panels;
  double right = 0; ///< the right end of all axes
  double top = 0;   ///< of the area of the panel that is written
};

} // namespace

static std::string px(double number) {
  return llvm::formatv("{0:F1}", number).str();
}

static std::string spell(double number) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", number);
  return text;
}

/// "%" follows its number at once, other units after a space.
static std::string withUnit(StringRef number, StringRef unit) {
  return (number + (unit.empty() || unit == "%" ? "" : " ") + unit).str();
}

/// The last word of a name, in lower case: "loss" of "train loss" and of
/// "val_Loss".
static std::string getLastWord(StringRef name) {
  size_t before = name.find_last_of(" _/.-");
  return name.drop_front(before == StringRef::npos ? 0 : before + 1).lower();
}

/// What distinguishes a curve from the others in its panel: "train " of "train
/// loss", "run 2 " of the second training.
static std::string getLabel(const Panel &panel, const PlotCurve &curve) {
  if (panel.curves.size() == 1)
    return "";
  StringRef name = curve.name;
  StringRef first =
      name.drop_back(std::min(panel.title.size(), name.size())).rtrim(" _/.-");
  bool hasRuns = llvm::any_of(
      panel.curves, [](const PlotCurve *one) { return one->run > 1; });
  std::string run = "run " + std::to_string(curve.run) + " ";
  if (first.empty())
    return hasRuns ? run : (name + " ").str();
  return (first + " ").str() + (curve.run > 1 ? run : "");
}

static std::string getLabelWithValue(const Panel &panel,
                                     const PlotCurve &curve) {
  return getLabel(panel, curve) + withUnit(curve.last, curve.unit);
}

static bool areFinite(const PlotPoint &point) { return std::isfinite(point.y); }

void Picture::group(ArrayRef<PlotCurve> curves) {
  size_t longest = 0;
  for (const PlotCurve &curve : curves) {
    std::string last = getLastWord(curve.name);
    auto panel = llvm::find_if(panels, [&](const Panel &panel) {
      return panel.axis == curve.axis && panel.unit == curve.unit &&
             getLastWord(panel.curves.front()->name) == last;
    });
    if (panel == panels.end())
      panel = panels.insert(panel, {"", curve.unit, curve.axis, {}});
    panel->curves.push_back(&curve);
    panel->title = panel->curves.size() == 1 ? curve.name : last;
  }
  for (const Panel &panel : panels) {
    longest = std::max(longest, panel.axis.size() + 1);
    for (const PlotCurve *curve : panel.curves)
      longest = std::max(longest, getLabelWithValue(panel, *curve).size());
  }
  right = std::max(kWidth - kMargin - kLabelGap - double(longest) * kLetter,
                   kWidth / 2.0);
}

/// Writes a text. Programs that know no style sheets take the colour from the
/// attribute.
void Picture::writeText(StringRef kind, double x, double y, StringRef colour,
                        const Twine &text) {
  StringRef anchor = kind.contains("end")      ? "end"
                     : kind.contains("middle") ? "middle"
                                               : "start";
  out.element("text",
              {{"class", kind},
               {"x", px(x)},
               {"y", px(y)},
               {"fill", getLightColour(colour)},
               {"font-size", kind == "name" ? 13 : 12},
               {"font-family", "sans-serif"},
               {"text-anchor", anchor}},
              text);
}

void Picture::writeGrid(const Panel &panel, const Scale &xs, const Scale &ys) {
  auto writePath = [&](StringRef kind, StringRef colour, const Twine &path) {
    out.element(
        "path",
        {{"class", kind}, {"d", path}, {"stroke", getLightColour(colour)}}, "");
  };
  for (double tick : ys.getTicks()) {
    double y = getY(ys, tick);
    writePath("grid", "rule", "M" + px(kLeft) + " " + px(y) + "H" + px(right));
    writeText("tick end y", kLeft - 6, y + 4, "note", ys.spell(tick));
  }
  double bottom = top + kPlot;
  writePath("axis", "note",
            "M" + px(kLeft) + " " + px(bottom) + "H" + px(right));
  for (double tick : xs.getTicks()) {
    double x = getX(xs, tick);
    writePath("axis", "note", "M" + px(x) + " " + px(bottom) + "v4");
    writeText("tick middle x", x, bottom + 17, "note", xs.spell(tick));
  }
  writeText("tick axis-name", right + kAxisGap, bottom + 17, "note",
            panel.axis);
}

/// Of many points in one column of pixels, keeps the first, the last, the least
/// and the largest.
static std::vector<PlotPoint> thinOut(ArrayRef<PlotPoint> points,
                                      llvm::function_ref<double(double)> getX) {
  std::vector<PlotPoint> kept;
  while (!points.empty()) {
    auto column = points.take_while([&](const PlotPoint &point) {
      return std::floor(getX(point.x)) == std::floor(getX(points[0].x));
    });
    points = points.drop_front(column.size());
    auto [least, most] = std::minmax_element(
        column.begin(), column.end(),
        [](PlotPoint one, PlotPoint other) { return one.y < other.y; });
    std::vector<const PlotPoint *> ends = {column.begin(), least, most,
                                           column.end() - 1};
    llvm::sort(ends);
    ends.erase(llvm::unique(ends), ends.end());
    for (const PlotPoint *point : ends)
      kept.push_back(*point);
  }
  return kept;
}

/// Writes the line, with a gap at each number that is not finite.
void Picture::writeLine(const PlotCurve &curve, StringRef colour,
                        const Scale &xs, const Scale &ys) {
  bool isDense = curve.points.size() > 2 * size_t(right - kLeft);
  std::string path;
  for (ArrayRef<PlotPoint> rest(curve.points); !rest.empty();) {
    ArrayRef<PlotPoint> part = rest.take_while(areFinite);
    std::vector<PlotPoint> points =
        isDense ? thinOut(part, [&](double x) { return getX(xs, x); })
                : part.vec();
    for (auto [i, point] : llvm::enumerate(points))
      path += (i == 0 ? "M" : "L") + px(getX(xs, point.x)) + " " +
              px(getY(ys, point.y));
    // A line without length is a dot.
    if (points.size() == 1)
      path += "h0";
    rest = rest.drop_front(part.size()).drop_until(areFinite);
  }
  out.element("path",
              {{"class", "line"},
               {"d", path},
               {"fill", "none"},
               {"stroke", getLightColour(colour)},
               {"stroke-width", isDense ? "1" : "1.75"},
               {"stroke-linecap", "round"},
               {"stroke-linejoin", "round"}},
              "");
  if (curve.points.size() > kMostDots)
    return;
  for (const PlotPoint &point :
       llvm::make_filter_range(curve.points, areFinite))
    out.element("circle",
                {{"class", "dot"},
                 {"cx", px(getX(xs, point.x))},
                 {"cy", px(getY(ys, point.y))},
                 {"r", "2.2"},
                 {"fill", getLightColour(colour)}},
                [&] {
                  out.element("title", {},
                              curve.axis + " " + spell(point.x) + ": " +
                                  withUnit(spell(point.y), curve.unit));
                });
}

/// Writes a cross for each number that is not finite: at the top for inf, at
/// the bottom for -inf and nan; one for those in the same column of pixels.
void Picture::writeMarks(const PlotCurve &curve, StringRef colour,
                         const Scale &xs) {
  double last = -1;
  for (const PlotPoint &point : curve.points) {
    double x = getX(xs, point.x);
    if (areFinite(point) || x < last + 1)
      continue;
    last = x;
    StringRef what = std::isnan(point.y) ? "nan" : point.y > 0 ? "inf" : "-inf";
    double y = what == "inf" ? top : top + kPlot;
    out.element(
        "path",
        {{"class", "mark"},
         {"d", "M" + px(x - 3.5) + " " + px(y - 3.5) + "l7 7m-7 0l7 -7"},
         {"fill", "none"},
         {"stroke", getLightColour(colour)},
         {"stroke-width", "1.75"}},
        [&] {
          out.element("title", {},
                      curve.axis + " " + spell(point.x) + ": " + what);
        });
  }
}

void Picture::writeCurve(const Panel &panel, unsigned index, const Scale &xs,
                         const Scale &ys) {
  const PlotCurve &curve = *panel.curves[index];
  std::string colour = getColour(index + 1);
  std::string name = curve.name;
  if (curve.run > 1)
    name += " (" + std::to_string(curve.run) + ")";
  out.element("g", {{"class", "curve " + colour}}, [&] {
    out.element("title", {},
                name + " over " + curve.axis + ": " +
                    Twine(curve.points.size()) + " points, the last is " +
                    withUnit(curve.last, curve.unit));
    writeLine(curve, colour, xs, ys);
    writeMarks(curve, colour, xs);
  });
}

/// Writes the last value of each curve at its end. Texts that would cover each
/// other are moved down, and all of them up where they would leave the panel.
/// If it has no room for all, the last line says how many are left out.
void Picture::writeLabels(const Panel &panel, const Scale &ys) {
  constexpr size_t kRoom = kPlot / kLine;
  size_t count = panel.curves.size() <= kRoom ? panel.curves.size() : kRoom - 1;
  std::vector<std::pair<double, unsigned>> order;
  for (unsigned i = 0; i < count; ++i) {
    auto finite = llvm::make_filter_range(
        llvm::reverse(panel.curves[i]->points), areFinite);
    order.emplace_back(
        finite.empty() ? top + kPlot : getY(ys, finite.begin()->y), i);
  }
  llvm::sort(order);
  for (size_t i = 1; i < order.size(); ++i)
    order[i].first = std::max(order[i].first, order[i - 1].first + kLine);
  double limit = top + kPlot;
  if (size_t others = panel.curves.size() - count) {
    writeText("label", right + kLabelGap, limit + 4, "note",
              "and " + std::to_string(others) + " others");
    limit -= kLine;
  }
  for (auto &[y, index] : llvm::reverse(order)) {
    y = std::min(y, limit);
    limit = y - kLine;
  }
  for (auto [y, index] : order) {
    std::string colour = getColour(index + 1);
    writeText("label " + colour, right + kLabelGap, y + 4, colour,
              getLabelWithValue(panel, *panel.curves[index]));
  }
}

void Picture::writePanel(const Panel &panel) {
  double least = HUGE_VAL, most = -HUGE_VAL, first = HUGE_VAL, last = -HUGE_VAL;
  double stride = HUGE_VAL; // between the points
  for (const PlotCurve *curve : panel.curves) {
    first = std::min(first, curve->points.front().x);
    last = std::max(last, curve->points.back().x);
    for (size_t i = 1; i < curve->points.size(); ++i)
      stride = std::min(stride, curve->points[i].x - curve->points[i - 1].x);
    for (const PlotPoint &point :
         llvm::make_filter_range(curve->points, areFinite)) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  if (least > most)
    least = 0, most = 1;
  Scale xs(first, last, 8, stride);
  bool isLog = least > 0 && most / least >= 1000;
  Scale ys =
      isLog ? Scale::makeLogarithmic(least, most, 4) : Scale(least, most, 4);
  ys.extendToTicks();
  std::string title = panel.title;
  if (!panel.unit.empty())
    title += ", " + panel.unit;
  writeText("name", kLeft, top - 10, "text",
            title + (isLog ? ", logarithmic" : ""));
  writeGrid(panel, xs, ys);
  for (unsigned i = 0; i != panel.curves.size(); ++i)
    writeCurve(panel, i, xs, ys);
  writeLabels(panel, ys);
}

void Picture::write(StringRef title) {
  int each = kTitle + kPlot + kAxis;
  int height = int(panels.size()) * each + 2 * kMargin;
  out.element("svg",
              {{"xmlns", "http://www.w3.org/2000/svg"},
               {"role", "img"},
               {"aria-label", title},
               {"viewBox", "0 0 " + Twine(kWidth) + " " + Twine(height)},
               {"width", kWidth},
               {"height", height}},
              [&] {
                out.element("title", {}, title);
                out.element("style", {}, [&] {
                  out.raw(kColours);
                  out.raw(kRules);
                });
                for (auto [i, panel] : llvm::enumerate(panels)) {
                  top = kMargin + double(i) * each + kTitle;
                  writePanel(panel);
                }
              });
  out.raw("\n");
}

void tdc::printPlot(llvm::raw_ostream &os, StringRef title,
                    ArrayRef<PlotCurve> curves) {
  Picture(os, curves).write(title);
}
