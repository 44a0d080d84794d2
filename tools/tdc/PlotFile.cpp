//===- PlotFile.cpp - the picture of tdc run --plot -----------------------===//

#include "PlotFile.h"
#include "Frontend/Diagnostics.h"
#include "OutputFile.h"
#include "Plot/Plot.h"
#include "tdc_files.h"
#include "tdc_prints.h"
#include "tdc_text.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

static constexpr std::chrono::seconds kInterval(1);
/// A picture may take this part of the run.
static constexpr int kShare = 20;

/// Gets the prints: the runtime calls a function without an object.
static std::function<void(llvm::StringRef)> collector;

int PlotFile::begin() {
  if (int exitCode = reportFault(options, options.plot,
                                 tdrt::checkWritable(options.plot.c_str())))
    return exitCode;
  next = Clock::now() + kInterval;
  collector = [this](llvm::StringRef text) { add(text); };
  tdrt::watchPrints([](std::string_view text) { collector(text); });
  return ExitOk;
}

std::string PlotFile::draw(llvm::ArrayRef<PlotCurve> curves) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printPlot(os, llvm::sys::path::filename(options.file), curves);
  return text;
}

void PlotFile::add(llvm::StringRef text) {
  series.add(text);
  Clock::time_point begin = Clock::now();
  if (begin < next)
    return;
  // A fault is reported at the end, if it is still there.
  if (std::vector<PlotCurve> curves = series.getCurves(); !curves.empty()) {
    std::string picture = draw(curves);
    (void)tdrt::writeFile(options.plot.c_str(), picture.data(), picture.size());
  }
  Clock::time_point end = Clock::now();
  next = end + std::max<Clock::duration>(kInterval, kShare * (end - begin));
}

int PlotFile::finish() {
  tdrt::watchPrints(nullptr);
  series.add("\n"); // the last line may be open
  std::vector<PlotCurve> curves = series.getCurves();
  if (!curves.empty()) {
    std::string picture = draw(curves);
    return writeFile(options, options.plot, picture);
  }
  std::string text = "nothing to plot: no two lines of the output differ in "
                     "their numbers only",
              note = "a program prints such lines in a loop, as `epoch 1: loss "
                     "0.5`; `" +
                     options.plot + "` is not written";
  if (options.json)
    printJSON(llvm::errs(), Severity::Warning, "", text, "", {}, note);
  else
    llvm::errs() << "warning: " << text << "\n  note: " << printable(note)
                 << "\n";
  return ExitOk;
}
