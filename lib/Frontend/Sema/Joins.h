//===- Joins.h - values that come out of branches and loops ---------------===//
//
// A region passes emitter values in and out. A Val that is a host scalar, a
// tensor, or a tuple of these has such values as leaves; anything else exists
// only while compiling and must not change in a region.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_JOINS_H
#define TDC_LIB_FRONTEND_SEMA_JOINS_H

#include "Checker.h"

namespace tdc::sema {

/// Whether the value can be passed through a region.
bool hasLeaves(const Val &val);

/// Emits what is not emitted yet and appends the leaves.
void appendLeaves(Checker &checker, const Val &val,
                  llvm::SmallVectorImpl<Value> &leaves);

/// Whether two values of a variable are the same, so that they need no join.
bool isSame(const Val &lhs, const Val &rhs);

/// A point where two paths join: the sides of a branch, the code before a loop
/// and the end of an iteration, or two results of a function.
struct Join {
  SourceRange range;
  enum Kind : uint8_t { Branch, Loop, Result } kind;
  /// Which path is taken; null for a loop.
  const Val *condition = nullptr;
  /// The iterations of a loop, if fewer would be unrolled where one gives a
  /// tensor another size.
  std::optional<int64_t> tooMany = std::nullopt;

  void noteTooMany(Diagnostic &report) const;
};

/// Whether two values can meet where paths join; reports why not. `name` is the
/// variable.
bool canMeet(Checker &checker, const Val &lhs, const Val &rhs, const Join &join,
             const llvm::Twine &name);

/// The place after a join, if there is one. If the machine decides which path
/// is taken, it is a symbol for the two places.
std::optional<Place> meetingPlace(Checker &checker, const Place &lhs,
                                  const Place &rhs, const Join &join);

/// The value after a join, from the region's results.
Val rebuild(Checker &checker, const Val &lhs, const Val &rhs,
            llvm::ArrayRef<Value> &results, llvm::StringRef name);

/// A value of the second path with its tensors brought to the places where they
/// meet those of the first.
Val goesTo(Checker &checker, const Val &val, const Val &other,
           const Join &join);

/// A value of the same type, of which nothing is known.
Val unknownLike(Checker &checker, const Val &val);

/// A point of the walk, to tell the sizes that were known there from later
/// ones.
class SizeMark {
public:
  bool isAfter(const Size &size) const;

private:
  Size mark = Size::variable("mark");
};

/// The value outside of a region that yields it on one path only. Sizes that
/// became known inside the region, after `start`, are read from the result.
Val rebuildOutside(Checker &checker, const Val &val, const SizeMark &start,
                   llvm::ArrayRef<Value> &results, llvm::StringRef name);

ModelStates saveModels(const Checker &checker);
void restoreModels(Checker &checker, const ModelStates &states);
/// At the end of the second path: moves models to the places where they meet
/// those of the first, if both paths continue.
void bringModels(Checker &checker, const ModelStates &other, const Join &join);
/// Joins the models' states of both paths; if only one path reaches the join,
/// takes its states.
void joinModels(Checker &checker, const ModelStates &other, const Join &join);
/// Ends a branch of the running program after its second side: gives the values
/// of the side taken, and forgets the facts of sizes since `knownFacts`.
llvm::SmallVector<Value>
endBranch(Checker &checker, const ModelStates &afterThen, const Join &join,
          llvm::ArrayRef<Value> thenValues, llvm::ArrayRef<Value> elseValues,
          size_t knownFacts);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_JOINS_H
