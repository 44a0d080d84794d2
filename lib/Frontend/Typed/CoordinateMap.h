//===- CoordinateMap.h - builds the maps of ops that read at sums ---------===//

#ifndef TDC_LIB_FRONTEND_TYPED_COORDINATEMAP_H
#define TDC_LIB_FRONTEND_TYPED_COORDINATEMAP_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc {

/// A map of `dims` dims, built coordinate by coordinate.
class CoordinateMap {
public:
  explicit CoordinateMap(unsigned dims) : dims(dims) {}

  using Term = std::pair<unsigned, int64_t>; ///< a dim and its factor

  /// Adds the next coordinate: a dim alone, or a sum.
  void add(unsigned dim) { add({{dim, 1}}, 0); }
  void add(llvm::ArrayRef<Term> terms, int64_t constant,
           std::optional<Value> offset = std::nullopt) {
    rows.push_back({llvm::to_vector(terms), constant, int(offsets.size())});
    if (offset)
      offsets.push_back(*offset);
    else
      rows.back().offset = -1;
  }

  /// The attribute; it lives as long as the map, which must be complete.
  CoordinateSums get() {
    numbers.clear();
    size_t each = dims + offsets.size() + 1;
    for (const Row &row : rows) {
      size_t first = numbers.size();
      numbers.resize(first + each);
      for (auto [dim, factor] : row.terms)
        numbers[first + dim] += factor;
      if (row.offset >= 0)
        numbers[first + dims + row.offset] = 1;
      numbers.back() = row.constant;
    }
    return {dims, unsigned(offsets.size()), numbers};
  }

  llvm::SmallVector<Value> offsets;

private:
  struct Row {
    llvm::SmallVector<Term> terms;
    int64_t constant;
    int offset; ///< or -1
  };
  unsigned dims;
  llvm::SmallVector<Row> rows;
  llvm::SmallVector<int64_t> numbers;
};

} // namespace tdc

#endif // TDC_LIB_FRONTEND_TYPED_COORDINATEMAP_H
