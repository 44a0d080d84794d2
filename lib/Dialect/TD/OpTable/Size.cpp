//===- Size.cpp - arithmetic on sizes in normal form ----------------------===//
//
// Normal form: terms sorted by their factors, no zero coefficients, factors of
// a term sorted. The atom of a division has only the terms that do not divide
// evenly.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/OpTable/Size.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <atomic>

using namespace tdc;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

SizeAtom::SizeAtom(llvm::StringRef name) : name(name.empty() ? "?" : name) {
  static std::atomic<uint64_t> next{1};
  id = next++;
}

SizeAtom::SizeAtom(Size numerator, Size denominator)
    : numerator(std::move(numerator)), denominator(std::move(denominator)) {
  weight = 1 + this->numerator.getWeight() + this->denominator.getWeight();
}

unsigned Size::getWeight() const {
  unsigned weight = 0;
  for (const SizeTerm &term : getTerms())
    for (const SizeAtomRef &factor : term.factors)
      weight += factor->getWeight();
  return weight;
}

int SizeAtom::order(const SizeAtom &lhs, const SizeAtom &rhs) {
  if (&lhs == &rhs)
    return 0;
  if (lhs.isVariable() != rhs.isVariable())
    return lhs.isVariable() ? -1 : 1;
  if (lhs.isVariable())
    return lhs.id < rhs.id ? -1 : lhs.id > rhs.id ? 1 : 0;
  if (int result = Size::order(lhs.numerator, rhs.numerator))
    return result;
  return Size::order(lhs.denominator, rhs.denominator);
}

/// Longer products first, so that a polynomial prints its highest term first.
static int orderFactors(llvm::ArrayRef<SizeAtomRef> lhs,
                        llvm::ArrayRef<SizeAtomRef> rhs) {
  if (lhs.size() != rhs.size())
    return lhs.size() > rhs.size() ? -1 : 1;
  for (auto [a, b] : llvm::zip(lhs, rhs))
    if (int result = SizeAtom::order(*a, *b))
      return result;
  return 0;
}

int Size::order(const Size &lhs, const Size &rhs) {
  llvm::ArrayRef<SizeTerm> a = lhs.getTerms(), b = rhs.getTerms();
  if (a.size() != b.size())
    return a.size() < b.size() ? -1 : 1;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (int result = orderFactors(x.factors, y.factors))
      return result;
    if (x.coefficient != y.coefficient)
      return x.coefficient < y.coefficient ? -1 : 1;
  }
  return lhs.constant < rhs.constant ? -1 : lhs.constant > rhs.constant;
}

bool Size::operator==(const Size &other) const {
  return constant == other.constant &&
         (terms == other.terms || order(*this, other) == 0);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}
/// Division that rounds down. INT64_MIN / -1 wraps.
static int64_t floorDivide(int64_t a, int64_t b) {
  if (b == -1)
    return wrapMul(a, -1);
  int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

Size Size::make(std::vector<SizeTerm> terms, int64_t constant) {
  llvm::sort(terms, [](const SizeTerm &a, const SizeTerm &b) {
    return orderFactors(a.factors, b.factors) < 0;
  });
  std::vector<SizeTerm> merged;
  for (SizeTerm &term : terms) {
    if (!merged.empty() &&
        orderFactors(merged.back().factors, term.factors) == 0)
      merged.back().coefficient =
          wrapAdd(merged.back().coefficient, term.coefficient);
    else
      merged.push_back(std::move(term));
  }
  llvm::erase_if(merged, [](const SizeTerm &t) { return t.coefficient == 0; });
  Size result(constant);
  if (!merged.empty())
    result.terms =
        std::make_shared<const std::vector<SizeTerm>>(std::move(merged));
  return result;
}

llvm::ArrayRef<SizeTerm> Size::getTerms() const {
  return terms ? llvm::ArrayRef<SizeTerm>(*terms) : llvm::ArrayRef<SizeTerm>();
}

SizeAtomRef Size::getAtom() const {
  if (!terms || constant != 0 || terms->size() != 1)
    return nullptr;
  const SizeTerm &term = terms->front();
  return term.coefficient == 1 && term.factors.size() == 1 ? term.factors[0]
                                                           : nullptr;
}

static SizeTerm termOf(SizeAtomRef atom) {
  SizeTerm term;
  term.coefficient = 1;
  term.factors.push_back(std::move(atom));
  return term;
}

Size::Size(SizeAtomRef atom) : Size(make({termOf(std::move(atom))}, 0)) {}

Size Size::variable(llvm::StringRef name) {
  return Size(std::make_shared<const SizeAtom>(name));
}

Size tdc::operator+(const Size &lhs, const Size &rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return Size(wrapAdd(lhs.constant, rhs.constant));
  std::vector<SizeTerm> terms(lhs.getTerms().begin(), lhs.getTerms().end());
  llvm::append_range(terms, rhs.getTerms());
  return Size::make(std::move(terms), wrapAdd(lhs.constant, rhs.constant));
}

Size tdc::operator-(const Size &lhs, const Size &rhs) {
  return lhs + rhs * Size(-1);
}

Size tdc::operator*(const Size &lhs, const Size &rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return Size(wrapMul(lhs.constant, rhs.constant));
  std::vector<SizeTerm> terms;
  for (const SizeTerm &a : lhs.getTerms())
    for (const SizeTerm &b : rhs.getTerms()) {
      SizeTerm product = a;
      product.coefficient = wrapMul(a.coefficient, b.coefficient);
      product.factors.append(b.factors);
      llvm::sort(product.factors, [](const auto &x, const auto &y) {
        return SizeAtom::order(*x, *y) < 0;
      });
      terms.push_back(std::move(product));
    }
  auto scale = [&](const Size &size, int64_t by) {
    for (SizeTerm term : size.getTerms()) {
      term.coefficient = wrapMul(term.coefficient, by);
      terms.push_back(std::move(term));
    }
  };
  scale(lhs, rhs.constant);
  scale(rhs, lhs.constant);
  return Size::make(std::move(terms), wrapMul(lhs.constant, rhs.constant));
}

/// Divides a term by a product of atoms; false if it does not contain the
/// product.
static bool divideTerm(SizeTerm &term, const SizeTerm &by) {
  if (by.coefficient == 0 ||
      (by.coefficient != -1 && term.coefficient % by.coefficient != 0))
    return false;
  for (const SizeAtomRef &factor : by.factors) {
    auto *found = llvm::find_if(term.factors, [&](const SizeAtomRef &atom) {
      return SizeAtom::order(*atom, *factor) == 0;
    });
    if (found == term.factors.end())
      return false;
    term.factors.erase(found);
  }
  term.coefficient = floorDivide(term.coefficient, by.coefficient);
  return true;
}

Size Size::floorDiv(const Size &lhs, const Size &rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return Size(floorDivide(lhs.constant, rhs.constant));
  if (rhs.isConstant(1))
    return lhs;
  // Only a divisor of one term is divided out: N*H // H, (4*d + 3) // 4.
  SizeTerm divisor;
  if (rhs.isConstant())
    divisor.coefficient = rhs.constant;
  else if (rhs.getTerms().size() == 1 && rhs.constant == 0)
    divisor = rhs.getTerms().front();
  std::vector<SizeTerm> whole, rest;
  int64_t wholeConstant = 0, restConstant = lhs.constant;
  if (divisor.coefficient != 0) {
    for (const SizeTerm &term : lhs.getTerms()) {
      SizeTerm quotient = term;
      if (!divideTerm(quotient, divisor))
        rest.push_back(term);
      else if (quotient.factors.empty())
        wholeConstant = wrapAdd(wholeConstant, quotient.coefficient);
      else
        whole.push_back(std::move(quotient));
    }
    if (rhs.isConstant()) {
      int64_t quotient = floorDivide(restConstant, rhs.constant);
      wholeConstant = wrapAdd(wholeConstant, quotient);
      restConstant =
          wrapAdd(restConstant, wrapMul(-1, wrapMul(quotient, rhs.constant)));
    }
  } else {
    rest.assign(lhs.getTerms().begin(), lhs.getTerms().end());
  }
  bool nothingLeft = rest.empty() && (restConstant == 0 || rhs.isConstant());
  if (!nothingLeft)
    whole.push_back(termOf(std::make_shared<const SizeAtom>(
        make(std::move(rest), restConstant), rhs)));
  return make(std::move(whole), wholeConstant);
}

SizeRelation tdc::compare(const Size &lhs, const Size &rhs) {
  Size difference = lhs - rhs;
  if (!difference.isConstant())
    return SizeRelation::Undecided;
  return difference.getConstant() == 0 ? SizeRelation::Equal
                                       : SizeRelation::Different;
}

std::optional<int64_t> Size::evaluate(
    llvm::function_ref<std::optional<int64_t>(const SizeAtom &)> valueOf)
    const {
  int64_t sum = constant;
  for (const SizeTerm &term : getTerms()) {
    int64_t product = term.coefficient;
    for (const SizeAtomRef &atom : term.factors) {
      std::optional<int64_t> value;
      if (atom->isVariable()) {
        value = valueOf(*atom);
      } else {
        auto numerator = atom->getNumerator().evaluate(valueOf);
        auto denominator = atom->getDenominator().evaluate(valueOf);
        if (numerator && denominator && *denominator != 0)
          value = floorDivide(*numerator, *denominator);
      }
      if (!value)
        return std::nullopt;
      product = wrapMul(product, *value);
    }
    sum = wrapAdd(sum, product);
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Spelling
//===----------------------------------------------------------------------===//

/// The text of an operand of `//`, in parentheses unless it is one word.
static std::string operandText(const Size &size) {
  std::string text = size.str();
  return llvm::StringRef(text).contains(' ') ? "(" + text + ")" : text;
}

static std::string termText(const SizeTerm &term, bool absolute) {
  std::string text;
  uint64_t magnitude = static_cast<uint64_t>(term.coefficient);
  bool negative = term.coefficient < 0;
  if (negative)
    magnitude = 0 - magnitude;
  if (negative && !absolute)
    text += '-';
  if (magnitude != 1)
    text += std::to_string(magnitude) + "*";
  bool first = true;
  for (const SizeAtomRef &atom : term.factors) {
    if (!first)
      text += '*';
    if (atom->isVariable()) {
      text += atom->getName();
    } else {
      std::string division = operandText(atom->getNumerator()) + " // " +
                             operandText(atom->getDenominator());
      bool alone = term.factors.size() == 1 && term.coefficient == 1;
      text += alone ? division : "(" + division + ")";
    }
    first = false;
  }
  return text;
}

std::string Size::str() const {
  if (!terms)
    return std::to_string(constant);
  std::string text;
  for (const SizeTerm &term : getTerms()) {
    if (!text.empty())
      text += term.coefficient < 0 ? " - " : " + ";
    text += termText(term, !text.empty());
  }
  if (constant > 0)
    text += " + " + std::to_string(constant);
  else if (constant < 0)
    text += " - " + std::to_string(0 - static_cast<uint64_t>(constant));
  return text;
}

std::string tdc::spelling(llvm::ArrayRef<Size> dims) {
  std::string text = "[";
  llvm::interleave(
      dims, [&](const Size &size) { text += size.str(); },
      [&] { text += ", "; });
  return text + "]";
}
