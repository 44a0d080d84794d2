//===- PlotFile.h - the picture of tdc run --plot -------------------------===//

#ifndef TDC_TOOLS_TDC_PLOTFILE_H
#define TDC_TOOLS_TDC_PLOTFILE_H

#include "Options.h"
#include "Plot/PrintedSeries.h"
#include <chrono>

namespace tdc {

/// Draws what the running program prints. The picture is replaced while the
/// program runs, so that it can be watched, and remains if the program is
/// killed.
class PlotFile {
public:
  /// `options` must outlive the object.
  explicit PlotFile(const Options &options) : options(options) {}

  /// Begins to collect the prints of this process. Reports an error if the file
  /// cannot be written; returns ExitOk or ExitRunTime.
  int begin();
  /// Writes the picture, or reports that there is none because no number
  /// changes. Returns ExitOk or, if the file cannot be written, ExitRunTime.
  int finish();

private:
  using Clock = std::chrono::steady_clock;

  void add(llvm::StringRef text);
  std::string draw(llvm::ArrayRef<PlotCurve> curves) const;

  const Options &options;
  PrintedSeries series;
  Clock::time_point next; ///< when the picture is replaced
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_PLOTFILE_H
