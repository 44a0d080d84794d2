//===- Size.h - sizes of tensors as polynomials ---------------------------===//
//
// The size of a dim is an integer polynomial over size variables (`B`, `T`) and
// floor divisions (`(H - 1) // 2`), kept in a normal form: two spellings of a
// size compare equal if their polynomials are equal. There is no solver; a
// comparison that the normal form does not decide is checked when the program
// runs.
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
/// Two variables are equal only if they are the same object.
using SizeAtomRef = std::shared_ptr<const SizeAtom>;

/// `coefficient * factor * factor …`, the factors sorted.
struct SizeTerm {
  int64_t coefficient = 0;
  llvm::SmallVector<SizeAtomRef, 2> factors;
};

/// A polynomial with 64-bit wrapping coefficients. Cheap to copy: a constant
/// allocates no memory; other sizes share their terms, which never change.
class Size {
public:
  Size(int64_t constant = 0) : constant(constant) {}
  explicit Size(SizeAtomRef atom);

  /// A new variable, different from all others whatever their names.
  static Size variable(llvm::StringRef name);

  bool isConstant() const { return !terms; }
  int64_t getConstant() const { return constant; }
  bool isConstant(int64_t value) const { return !terms && constant == value; }
  /// The terms other than the constant.
  llvm::ArrayRef<SizeTerm> getTerms() const;
  /// The atom if this is exactly one variable or division, else null.
  SizeAtomRef getAtom() const;

  friend Size operator+(const Size &lhs, const Size &rhs);
  friend Size operator-(const Size &lhs, const Size &rhs);
  friend Size operator*(const Size &lhs, const Size &rhs);
  /// Division that rounds down; the divisor must not be the constant 0.
  static Size floorDiv(const Size &lhs, const Size &rhs);

  bool operator==(const Size &other) const;
  bool operator!=(const Size &other) const { return !(*this == other); }
  /// A total order of normal forms, without further meaning.
  static int order(const Size &lhs, const Size &rhs);

  /// The value if each variable has the value that `valueOf` returns. Nullopt
  /// if that is missing for a variable, or if a divisor is 0.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(const SizeAtom &)> valueOf)
      const;

  /// The number of factors, including those inside divisions.
  unsigned getWeight() const;

  /// The size as a user would write it: `4*d + 1`, `(H - 1) // 2`.
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

/// Whether two sizes are equal for all values of their variables, different for
/// all, or not decided by the normal form.
SizeRelation compare(const Size &lhs, const Size &rhs);

/// `[B, 10]`.
std::string spelling(llvm::ArrayRef<Size> dims);

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_SIZE_H
