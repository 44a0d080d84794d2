//===- PrintedLine.h - the numbers in a line of output --------------------===//

#ifndef TDC_PLOT_PRINTEDLINE_H
#define TDC_PLOT_PRINTEDLINE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace tdc {

/// A number that a program printed, "12.5" of `val: mean time 12.5 ms`.
struct PrintedNumber {
  std::string group; ///< words with a colon before the name, "val"; may be ""
  std::string name;  ///< the words before or else after it, "mean time"; or ""
  std::string unit;  ///< "ms"; may be ""
  std::string text;  ///< as printed, "12.5"
  double value = 0;  ///< may be infinite or nan
  bool isInteger = false; ///< without a point and an exponent
  bool isInList = false;  ///< without a name, in square brackets

  /// The name with the group, "val mean time".
  std::string getFullName() const {
    return group + (group.empty() || name.empty() ? "" : " ") + name;
  }
};

/// The numbers of a line, from left to right; `10` of `3/10` is none of them.
/// A line with very many numbers, such as a row of a tensor, has none.
std::vector<PrintedNumber> parsePrintedLine(llvm::StringRef line);

} // namespace tdc

#endif // TDC_PLOT_PRINTEDLINE_H
