//===- PrintedSeries.h - the curves in the output of a program ------------===//
//
// Lines that have the same words and other numbers form curves, one for each
// number that changes, over the number that counts the lines, such as the
// epoch.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_PLOT_PRINTEDSERIES_H
#define TDC_PLOT_PRINTEDSERIES_H

#include "Plot/PrintedLine.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace tdc {

struct PlotPoint {
  double x, y; ///< y may be infinite or nan
};

struct PlotCurve {
  std::string name; ///< "train loss"; "value" if the program prints no name
  unsigned run = 1; ///< 2 for the second training that counts its epochs from 0
  std::string unit; ///< "%"; may be ""
  std::string axis; ///< the name of x: "epoch", or "line" without a counter
  std::string last; ///< the last value, as printed
  std::vector<PlotPoint> points; ///< x never descends
};

/// The lines that a program has printed so far.
class PrintedSeries {
public:
  /// Adds the text of a print, which may be a part of a line or several lines.
  void add(llvm::StringRef text);

  /// The curves, in the order of their first lines. A number that never
  /// changes, or that only counts, is none.
  std::vector<PlotCurve> getCurves() const;

private:
  /// Lines of one form. Each column has a number of each line.
  struct Form {
    std::vector<PrintedNumber> last; ///< the numbers of the last line
    std::vector<std::vector<double>> columns;
    std::vector<bool> isInteger; ///< of each column
  };
  struct Axis;
  class CurveMaker;

  void addLine(llvm::StringRef line);

  std::string open; ///< the line that has not ended yet
  /// By the names of the numbers, in the order of the first lines.
  llvm::MapVector<std::string, Form, std::map<std::string, unsigned>> forms;
};

} // namespace tdc

#endif // TDC_PLOT_PRINTEDSERIES_H
