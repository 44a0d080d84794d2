//===- Amount.h - counts of copies and bytes ------------------------------===//

#ifndef TDC_REPORT_AMOUNT_H
#define TDC_REPORT_AMOUNT_H

#include "Conversion/PlannedMemory.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include <map>
#include <optional>
#include <string>

namespace tdc {

/// A number of copies or bytes: a known part and a sum of products of symbols.
/// The symbol "iterations(12)" is the trip count of the loop of line 12;
/// "size(8, 0)" is the first size of the tensor that line 8 makes.
struct Amount {
  int64_t known = 0;
  std::map<std::string, int64_t> rest; ///< coefficients by product
  bool isExact = true;                 ///< false: an upper bound

  /// Adds `times` times the product. Keeps the summands of a sum that overflows
  /// int64_t.
  void add(const std::string &product, int64_t times);
  Amount &operator+=(const Amount &other);
  /// Whether it is less than `other` when all symbols are large numbers.
  bool isBelow(const Amount &other) const;
  std::string getFormula() const;
  /// The number; nullopt if only a run knows it.
  std::optional<int64_t> getNumber() const {
    return rest.empty() ? std::optional(known) : std::nullopt;
  }
};

Amount getCopies(const td::CopySite &site);
Amount getBytes(const td::CopySite &site);
/// The bytes of one copy.
Amount getBytesOfOne(const td::CopySite &site);
/// The peak memory of a device; exact if all buffers are in the arena.
Amount getBytes(const PeakMemory &peak);

struct Total {
  Amount copies, bytes;
};

/// The totals of a run of the program, and of one call of each of its exports.
struct Totals {
  Total program, exports;
};
Totals sumTotals(llvm::ArrayRef<td::CopySite> sites);

} // namespace tdc

#endif // TDC_REPORT_AMOUNT_H
