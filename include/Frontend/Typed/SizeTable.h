//===- SizeTable.h - the sizes of a program and the facts about them ------===//
//
// Size variables with their run-time values, and the facts about them that
// checks have proved on the path to a point of the program. A condition that no
// fact decides is checked at run time, once. It needs no AST: every front end
// can use it.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_TYPED_SIZETABLE_H
#define TDC_FRONTEND_TYPED_SIZETABLE_H

#include "Dialect/TD/OpTable/ShapeRules.h"
#include "Frontend/Emitter.h"
#include "llvm/ADT/DenseMap.h"

namespace tdc {

class SizeTable {
public:
  struct Variable {
    Value value; ///< null until it has one
    std::optional<int64_t> known;
    /// Its value on the machine that is compiled for; types must not depend on
    /// it.
    std::optional<int64_t> onThisMachine;
    std::optional<Size> limit; ///< 0 <= variable < limit
    bool nonNegative = false;
  };

  /// A new variable.
  Size add(llvm::StringRef name, Value value,
           std::optional<int64_t> known = std::nullopt);
  /// The record of a variable, which is empty at first.
  Variable &operator[](const SizeAtomRef &variable);

  std::optional<int64_t> constantOf(const Size &size) const;
  std::optional<int64_t> onThisMachine(const Size &size) const;
  /// The size as an int of the emitter.
  Value valueOf(const Size &size, Emitter &emitter) const;

  bool isNeverNegative(const Size &size) const;
  /// Whether `size` is below `limit`, or, if `inclusive`, not above it.
  bool isWithin(const Size &size, const Size &limit, bool inclusive) const;

  /// Records that a run-time check has proved that the size is not negative.
  void proveNotNegative(Size size) {
    facts.push_back({std::move(size), false});
  }
  /// The number of facts; `forgetSince` drops the later ones at the end of a
  /// path.
  size_t mark() const { return facts.size(); }
  void forgetSince(size_t mark) { facts.resize(mark); }

  /// Emits a check that the size is not negative, unless that is known. The
  /// check fails with the text that `message` makes from the size's value.
  /// False if the size is known to be negative.
  bool requireNotNegative(const Size &size, Emitter &emitter,
                          llvm::function_ref<Value(Value size)> message);
  /// Emits a run-time check for each undecided fact of `answer`. If known sizes
  /// contradict a fact, returns false and sets `answer.problem`.
  bool prove(ShapeAnswer &answer, Emitter &emitter);

private:
  struct Fact {
    Size size;
    bool isZero; ///< else not negative
  };

  /// The record of a variable; null if it has none.
  const Variable *find(const SizeAtom &atom) const;
  Value valueOf(const SizeAtom &atom, Emitter &emitter) const;

  llvm::DenseMap<const SizeAtom *, Variable> variables;
  /// Keeps the keys of `variables` alive.
  std::vector<SizeAtomRef> atoms;
  std::vector<Fact> facts;
};

} // namespace tdc

#endif // TDC_FRONTEND_TYPED_SIZETABLE_H
