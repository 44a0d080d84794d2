//===- PrintedSeries.cpp - the curves in the output of a program ----------===//

#include "Plot/PrintedSeries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstdio>
#include <set>

using namespace tdc;
using llvm::ArrayRef;
using llvm::StringRef;

/// A program that prints ever new texts must not fill the memory.
static constexpr size_t kMostForms = 1000;

void PrintedSeries::add(StringRef text) {
  while (!text.empty()) {
    size_t end = text.find_first_of("\n\r");
    open += text.take_front(end);
    if (end == StringRef::npos)
      return;
    addLine(open);
    open.clear();
    text = text.drop_front(end + 1);
  }
}

void PrintedSeries::addLine(StringRef line) {
  std::vector<PrintedNumber> numbers = parsePrintedLine(line);
  if (numbers.empty())
    return;
  std::string key;
  for (const PrintedNumber &number : numbers)
    key += number.getFullName() + "\t" + number.unit + "\n";
  if (forms.size() >= kMostForms && !forms.count(key)) {
    forms.remove_if([](const auto &entry) {
      return entry.second.columns.front().size() == 1;
    });
    if (forms.size() >= kMostForms)
      return;
  }
  Form &form = forms[key];
  form.columns.resize(numbers.size());
  form.isInteger.resize(numbers.size(), true);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    form.columns[i].push_back(number.value);
    form.isInteger[i] = form.isInteger[i] && number.isInteger;
  }
  form.last = std::move(numbers);
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// Whether numbers count: they ascend by a constant step. Lines of another form
/// may be between them, so that some steps are multiples, and the first or the
/// last step may be irregular: 1, 100, 200, 250.
static bool countsUp(ArrayRef<double> numbers) {
  std::vector<double> steps;
  for (size_t i = 1; i < numbers.size(); ++i)
    steps.push_back(numbers[i] - numbers[i - 1]);
  if (llvm::any_of(steps, [](double step) { return !(step > 0); }))
    return false;
  if (steps.size() < 2)
    return steps.empty() || numbers[0] == 0 || steps[0] == 1 ||
           steps[0] == numbers[0];
  ArrayRef<double> inner(steps);
  if (steps.size() > 2)
    inner = inner.drop_front().drop_back();
  double step = *llvm::min_element(inner);
  return llvm::all_of(inner,
                      [&](double one) { return std::fmod(one, step) == 0; }) &&
         2 * llvm::count(inner, step) >= ptrdiff_t(inner.size());
}

/// The parts of numbers that ascend, if all begin with the same number and
/// count; else none.
static std::vector<ArrayRef<double>> splitRuns(ArrayRef<double> numbers) {
  std::vector<ArrayRef<double>> runs;
  for (size_t begin = 0, i = 1; i <= numbers.size(); ++i)
    if (i == numbers.size() || !(numbers[i] > numbers[i - 1])) {
      runs.push_back(numbers.slice(begin, i - begin));
      begin = i;
    }
  bool areAlike = llvm::all_of(runs, [&](ArrayRef<double> run) {
    return run.front() == numbers.front() && countsUp(run);
  });
  return areAlike && runs.front().size() > 1 ? runs
                                             : std::vector<ArrayRef<double>>();
}

/// Whether numbers are constant in each run and ascend from run to run by a
/// constant step.
static bool countsRuns(ArrayRef<double> numbers,
                       ArrayRef<ArrayRef<double>> runs) {
  std::vector<double> firsts;
  for (ArrayRef<double> run : runs) {
    ArrayRef<double> part = numbers.take_front(run.size());
    numbers = numbers.drop_front(run.size());
    if (!llvm::all_equal(part))
      return false;
    firsts.push_back(part.front());
  }
  return countsUp(firsts);
}

//===----------------------------------------------------------------------===//
// Curves
//===----------------------------------------------------------------------===//

/// The x of each line of a form.
struct PrintedSeries::Axis {
  std::string name;
  std::vector<double> x;
  std::vector<unsigned> run; ///< of each line, from 1 on
  std::set<size_t> counters; ///< the columns that count
};

class PrintedSeries::CurveMaker {
public:
  explicit CurveMaker(const PrintedSeries &series) : series(series) {}

  std::vector<PlotCurve> make();

private:
  static std::optional<Axis> findAxis(const Form &form);
  std::optional<Axis> findKnownAxis(const Form &form) const;
  static Axis countLines(const Form &form);
  void addCurves(const Form &form, const Axis &axis);
  void addCurve(PlotCurve curve);

  const PrintedSeries &series;
  std::set<std::string> axisNames; ///< of counters
  std::vector<PlotCurve> curves;
};

static std::string getAxisName(const PrintedNumber &number) {
  return !number.name.empty() ? number.name : "count";
}

/// The axis of the first number that counts the lines. A number that begins
/// again is the step in an epoch that another number counts, or an epoch of a
/// second training; or else it is counted on.
std::optional<PrintedSeries::Axis>
PrintedSeries::CurveMaker::findAxis(const Form &form) {
  size_t lines = form.columns.front().size();
  if (lines < 2)
    return std::nullopt;
  for (auto [i, column] : llvm::enumerate(form.columns)) {
    if (!form.isInteger[i] || !countsUp(column))
      continue;
    Axis axis{getAxisName(form.last[i]),
              column,
              std::vector<unsigned>(lines, 1),
              {i}};
    // The epochs of the steps.
    for (size_t before = 0; before != i; ++before)
      if (form.isInteger[before] && llvm::is_sorted(form.columns[before]))
        axis.counters.insert(before);
    return axis;
  }
  for (auto [i, column] : llvm::enumerate(form.columns)) {
    if (!form.isInteger[i])
      continue;
    std::vector<ArrayRef<double>> runs = splitRuns(column);
    if (runs.empty())
      continue;
    Axis axis{getAxisName(form.last[i]), {}, {}, {i}};
    size_t outer = 0;
    while (outer != form.columns.size() &&
           !(form.isInteger[outer] && countsRuns(form.columns[outer], runs)))
      ++outer;
    bool isNested = outer != form.columns.size();
    bool isRepeated =
        !isNested && StringRef(axis.name).ends_with_insensitive("epoch");
    double step = column[1] - column[0], length = 0;
    for (ArrayRef<double> run : runs)
      length = std::max(length, run.back() - run.front() + step);
    if (isNested) {
      axis.name = getAxisName(form.last[outer]);
      axis.counters.insert(outer);
    }
    for (auto [k, run] : llvm::enumerate(runs))
      for (auto [at, value] : llvm::enumerate(run)) {
        size_t line = axis.x.size();
        double x = isNested
                       ? form.columns[outer][line] + (value - run[0]) / length
                   : isRepeated ? value
                                : value + double(k) * length;
        axis.x.push_back(x);
        axis.run.push_back(isRepeated ? unsigned(k) + 1 : 1);
      }
    return axis;
  }
  return std::nullopt;
}

/// The axis of a number that counts the lines of another form: "accuracy" may
/// be printed in some epochs only.
std::optional<PrintedSeries::Axis>
PrintedSeries::CurveMaker::findKnownAxis(const Form &form) const {
  for (auto [i, column] : llvm::enumerate(form.columns)) {
    std::string name = getAxisName(form.last[i]);
    if (form.isInteger[i] && axisNames.count(name) && llvm::is_sorted(column))
      return Axis{name, column, std::vector<unsigned>(column.size(), 1), {i}};
  }
  return std::nullopt;
}

PrintedSeries::Axis PrintedSeries::CurveMaker::countLines(const Form &form) {
  size_t lines = form.columns.front().size();
  Axis axis{"line", {}, std::vector<unsigned>(lines, 1), {}};
  for (size_t line = 1; line <= lines; ++line)
    axis.x.push_back(double(line));
  return axis;
}

/// A value with as many digits as a text that the program has printed.
static std::string printLike(double value, StringRef text) {
  bool hasExponent = text.contains_insensitive("e");
  size_t decimals =
      text.split('.')
          .second.take_while([](char c) { return llvm::isDigit(c); })
          .size();
  char buffer[400];
  snprintf(buffer, sizeof buffer, hasExponent ? "%.*e" : "%.*f",
           int(std::min<size_t>(decimals, 20)), value);
  return buffer;
}

void PrintedSeries::CurveMaker::addCurves(const Form &form, const Axis &axis) {
  auto isNameless = [](const PrintedNumber &number) {
    return number.getFullName().empty() && !number.isInList;
  };
  bool areMany =
      llvm::count_if(llvm::enumerate(form.last), [&](auto entry) {
        return isNameless(entry.value()) && !axis.counters.count(entry.index());
      }) > 1;
  unsigned numNameless = 0;
  for (auto [i, number] : llvm::enumerate(form.last)) {
    const std::vector<double> &column = form.columns[i];
    if (number.isInList || axis.counters.count(i) ||
        (form.isInteger[i] && !axis.counters.empty() && column.size() > 1 &&
         countsUp(column)))
      continue;
    std::string name = number.getFullName();
    if (isNameless(number))
      name = areMany ? "value " + std::to_string(++numNameless) : "value";
    PlotCurve curve{name, 1, number.unit, axis.name, {}, {}};
    for (auto [x, y, run] : llvm::zip(axis.x, column, axis.run)) {
      if (run != curve.run) {
        curve.last = printLike(curve.points.back().y, number.text);
        addCurve(std::move(curve));
        curve = {name, run, number.unit, axis.name, {}, {}};
      }
      curve.points.push_back({x, y});
    }
    curve.last = number.text;
    addCurve(std::move(curve));
  }
}

/// Adds the points to those of the same name from lines of another form, or
/// adds a curve if these have the same x.
void PrintedSeries::CurveMaker::addCurve(PlotCurve curve) {
  auto getX = [](const PlotPoint &point) { return point.x; };
  for (PlotCurve &known : curves) {
    if (known.name != curve.name || known.run != curve.run ||
        known.unit != curve.unit || known.axis != curve.axis)
      continue;
    std::set<double> xs;
    for (const std::vector<PlotPoint> *points : {&known.points, &curve.points})
      xs.insert(llvm::map_iterator(points->begin(), getX),
                llvm::map_iterator(points->end(), getX));
    if (xs.size() != known.points.size() + curve.points.size())
      continue;
    if (curve.points.back().x > known.points.back().x)
      known.last = curve.last;
    std::vector<PlotPoint> all;
    std::merge(known.points.begin(), known.points.end(), curve.points.begin(),
               curve.points.end(), std::back_inserter(all),
               [](PlotPoint one, PlotPoint other) { return one.x < other.x; });
    known.points = std::move(all);
    return;
  }
  curves.push_back(std::move(curve));
}

static bool changes(const PlotCurve &curve) {
  double first = curve.points.front().y;
  return llvm::any_of(curve.points, [&](PlotPoint point) {
    return point.y != first && !(std::isnan(point.y) && std::isnan(first));
  });
}

std::vector<PlotCurve> PrintedSeries::CurveMaker::make() {
  std::vector<std::optional<Axis>> axes;
  for (const auto &[key, form] : series.forms) {
    axes.push_back(findAxis(form));
    if (axes.back())
      axisNames.insert(axes.back()->name);
  }
  for (auto [entry, axis] : llvm::zip(series.forms, axes)) {
    const Form &form = entry.second;
    if (!axis)
      axis = findKnownAxis(form);
    addCurves(form, axis ? *axis : countLines(form));
  }
  llvm::erase_if(curves,
                 [](const PlotCurve &curve) { return !changes(curve); });
  return std::move(curves);
}

std::vector<PlotCurve> PrintedSeries::getCurves() const {
  return CurveMaker(*this).make();
}
