//===- Amount.h - counts of copies and bytes --------------------*- C++ -*-===//

#ifndef TDC_REPORT_AMOUNT_H
#define TDC_REPORT_AMOUNT_H

#include "Conversion/PlannedMemory.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include <map>
#include <optional>
#include <string>

namespace tdc {

/// Copies or bytes: the part that is known and what else there is,
/// "iterations(12)" for the iterations of the loop of line 12 and "size(8, 0)"
/// for the first size of what line 8 makes.
struct Amount {
  int64_t known = 0;
  std::map<std::string, int64_t> rest; ///< products, and how often each
  bool isExact = true;                 ///< else at most

  /// Sums that no int64_t holds keep their summands.
  void add(const std::string &product, int64_t times);
  Amount &operator+=(const Amount &other);
  /// Whether it is less where the symbols stand for large numbers.
  bool isBelow(const Amount &other) const;
  std::string getFormula() const;
  /// None if only a run knows it.
  std::optional<int64_t> getNumber() const {
    return rest.empty() ? std::optional(known) : std::nullopt;
  }
};

Amount getCopies(const td::CopySite &site);
Amount getBytes(const td::CopySite &site);
/// The bytes of one copy.
Amount getBytesOfOne(const td::CopySite &site);
/// Exact if all lies in the arena.
Amount getBytes(const PeakMemory &peak);

struct Total {
  Amount copies, bytes;
};

/// Of a run of the program, and of one call of each of its exports.
struct Totals {
  Total program, exports;
};
Totals sumTotals(llvm::ArrayRef<td::CopySite> sites);

} // namespace tdc

#endif // TDC_REPORT_AMOUNT_H
