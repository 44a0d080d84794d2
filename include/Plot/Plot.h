//===- Plot.h - a picture of curves ---------------------------------------===//

#ifndef TDC_PLOT_PLOT_H
#define TDC_PLOT_PLOT_H

#include "Plot/PrintedSeries.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc {

/// Prints the curves as SVG, below each other; curves whose names end alike, as
/// "train loss" and "test loss", share a panel.
void printPlot(llvm::raw_ostream &os, llvm::StringRef title,
               llvm::ArrayRef<PlotCurve> curves);

} // namespace tdc

#endif // TDC_PLOT_PLOT_H
