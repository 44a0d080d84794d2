//===- Size.h - sizes of tensors as polynomials ---------------------------===//
//
// The size of a dim is an integer polynomial over size variables (`B`, `T`) and
// floor divisions (`(H - 1) // 2`), kept in one normal form, so that two ways
// to write a size are equal when their polynomials are. There is no solver:
// what the normal form does not decide is checked when the program runs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_SIZE_H
#define TDC_DIALECT_TD_OPTABLE_SIZE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tdc {

class SizeAtom;
/// Variables are equal when they are one object.
using SizeAtomRef = std::shared_ptr<const SizeAtom>;

/// `coefficient * factor * factor …`, the factors sorted.
struct SizeTerm {
  int64_t coefficient = 0;
  llvm::SmallVector<SizeAtomRef, 2> factors;
};

/// A polynomial with 64-bit wrapping coefficients. Cheap to copy: a constant
/// holds no memory, and the terms of others are shared and never change.
class Size {
public:
  Size(int64_t constant = 0) : constant(constant) {}
  explicit Size(SizeAtomRef atom);

  /// A new variable, different from all others whatever their names.
  static Size variable(llvm::StringRef name);

  bool isConstant() const { return !terms; }
  int64_t getConstant() const { return constant; }
  bool isConstant(int64_t value) const { return !terms && constant == value; }
  /// The terms beyond the constant one.
  llvm::ArrayRef<SizeTerm> getTerms() const;
  /// The atom if this is exactly one variable or division, else null.
  SizeAtomRef getAtom() const;

  friend Size operator+(const Size &lhs, const Size &rhs);
  friend Size operator-(const Size &lhs, const Size &rhs);
  friend Size operator*(const Size &lhs, const Size &rhs);
  /// Floors; the divisor must not be the constant 0.
  static Size floorDiv(const Size &lhs, const Size &rhs);

  bool operator==(const Size &other) const;
  bool operator!=(const Size &other) const { return !(*this == other); }
  /// A total order of normal forms, without further meaning.
  static int order(const Size &lhs, const Size &rhs);

  /// The value when each variable has the value that `valueOf` gives.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(const SizeAtom &)> valueOf)
      const;

  /// How many factors it has, those inside divisions included.
  unsigned getWeight() const;

  /// As a user would write it: `4*d + 1`, `(H - 1) // 2`.
  std::string str() const;

private:
  static Size make(std::vector<SizeTerm> terms, int64_t constant);

  int64_t constant = 0;
  std::shared_ptr<const std::vector<SizeTerm>> terms;
};

/// A variable, or the floor of a division of two sizes.
class SizeAtom {
public:
  explicit SizeAtom(llvm::StringRef name);
  SizeAtom(Size numerator, Size denominator);

  bool isVariable() const { return !name.empty(); }
  llvm::StringRef getName() const { return name; }
  const Size &getNumerator() const { return numerator; }
  const Size &getDenominator() const { return denominator; }
  unsigned getWeight() const { return weight; }

  static int order(const SizeAtom &lhs, const SizeAtom &rhs);

private:
  uint64_t id = 0; ///< of a variable; increases in order of creation
  unsigned weight = 1;
  std::string name;
  Size numerator, denominator;
};

enum class SizeRelation : uint8_t { Equal, Different, Undecided };

/// Whether two sizes agree for all values of their variables, for none, or for
/// some.
SizeRelation compare(const Size &lhs, const Size &rhs);

/// `[B, 10]`.
std::string spelling(llvm::ArrayRef<Size> dims);

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_SIZE_H
