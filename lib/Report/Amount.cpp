//===- Amount.cpp - counts of copies and bytes ----------------------------===//

#include "Report/Amount.h"
#include "Dialect/TD/IR/Locations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace tdc {

using td::CopySite;
using td::RunFactor;

/// "8 x iterations(3)"; without a product the number alone.
static std::string spell(int64_t times, const std::string &product) {
  if (product.empty())
    return std::to_string(times);
  return (times == 1 ? "" : std::to_string(times) + " x ") + product;
}

void Amount::add(const std::string &product, int64_t times) {
  int64_t &all = product.empty() ? known : rest[product];
  if (std::optional<int64_t> sum = llvm::checkedAdd(all, times))
    all = *sum;
  else
    ++rest[spell(times, product)];
}

Amount &Amount::operator+=(const Amount &other) {
  add("", other.known);
  for (auto &[product, times] : other.rest)
    add(product, times);
  isExact &= other.isExact;
  return *this;
}

bool Amount::isBelow(const Amount &other) const {
  for (auto &[product, times] : rest) {
    auto found = other.rest.find(product);
    if (found == other.rest.end() || found->second < times)
      return false;
  }
  return rest != other.rest || known < other.known;
}

std::string Amount::getFormula() const {
  llvm::SmallVector<std::string> summands;
  if (known || rest.empty())
    summands.push_back(std::to_string(known));
  for (auto &[product, times] : rest)
    summands.push_back(spell(times, product));
  return llvm::join(summands, " + ");
}

namespace {

/// A number times symbols. If multiplying would overflow the number, its old
/// value becomes a symbol.
struct Product {
  int64_t number = 1;
  std::vector<std::string> symbols;

  void multiply(int64_t factor) {
    if (std::optional<int64_t> all = llvm::checkedMul(number, factor)) {
      number = *all;
      return;
    }
    symbols.push_back(std::to_string(number));
    number = factor;
  }

  Amount getAmount(bool isExact) const {
    Amount amount;
    amount.isExact = isExact;
    if (number)
      amount.add(llvm::join(symbols, " x "), number);
    return amount;
  }
};

} // namespace

/// Multiplies by the trip counts of the loops around a copy, unknown ones as
/// symbols, and by the known fractions of branches.
static void multiplyIterations(llvm::ArrayRef<RunFactor> factors,
                               Product &product) {
  for (const RunFactor &factor : factors) {
    // The iterations in which the branch was counted are already a factor.
    if (factor.kind == RunFactor::Branch && factor.isKnown && factor.outer)
      product.number = product.number / factor.outer * factor.inner;
    if (factor.kind != RunFactor::Loop)
      continue;
    mlir::FileLineColLoc location = td::getUserLocation(factor.op->getLoc());
    if (factor.isKnown && factor.outer && factor.inner % factor.outer == 0)
      product.multiply(factor.inner / factor.outer);
    else if (factor.most)
      product.multiply(*factor.most);
    else
      product.symbols.push_back(
          "iterations(" + std::to_string(location ? location.getLine() : 0) +
          ")");
  }
}

/// Multiplies by the bytes of a tensor: the known sizes, and unknown sizes as
/// symbols.
static void multiplySizes(mlir::RankedTensorType type,
                          mlir::FileLineColLoc location, Product &product) {
  if (!type)
    return;
  product.multiply(byteSize(td::getDType(type.getElementType())));
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!mlir::ShapedType::isDynamic(size)) {
      product.multiply(size);
      continue;
    }
    unsigned line = location ? location.getLine() : 0;
    product.symbols.push_back("size(" + std::to_string(line) + ", " +
                              std::to_string(dim) + ")");
  }
}

/// `each` times the number of copies.
static Amount multiplyCopies(const CopySite &site, const Product &each) {
  Product product = each;
  if (site.copies)
    product.multiply(*site.copies);
  else
    multiplyIterations(site.factors, product);
  Amount amount = product.getAmount(site.isExact);
  if (!site.copies)
    for (llvm::ArrayRef<RunFactor> factors : site.otherFactors) {
      Product other = each;
      multiplyIterations(factors, other);
      amount += other.getAmount(site.isExact);
    }
  return amount;
}

Amount getCopies(const CopySite &site) {
  return multiplyCopies(site, Product());
}

Amount getBytesOfOne(const CopySite &site) {
  bool isEven = site.bytes && site.copies.value_or(0) > 0 &&
                *site.bytes % *site.copies == 0;
  Product product;
  if (isEven)
    product.multiply(*site.bytes / *site.copies);
  else
    multiplySizes(site.type, site.location, product);
  return product.getAmount(/*isExact=*/true);
}

Amount getBytes(const CopySite &site) {
  Product product;
  if (site.bytes) {
    product.multiply(*site.bytes);
    return product.getAmount(site.isExact);
  }
  multiplySizes(site.type, site.location, product);
  return multiplyCopies(site, product);
}

Amount getBytes(const PeakMemory &peak) {
  Amount amount;
  amount.known = peak.arenaBytes;
  for (const AllocatedTensor &tensor : peak.allocated) {
    Product product;
    multiplySizes(tensor.type, tensor.location, product);
    amount += product.getAmount(/*isExact=*/false);
  }
  return amount;
}

Totals sumTotals(llvm::ArrayRef<CopySite> sites) {
  Totals totals;
  for (const CopySite &site : sites) {
    Total &total = site.isOfExport() ? totals.exports : totals.program;
    total.copies += getCopies(site);
    total.bytes += getBytes(site);
  }
  return totals;
}

} // namespace tdc
