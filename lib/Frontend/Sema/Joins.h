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

/// What does in a running program what a list does not.
inline constexpr llvm::StringLiteral kInsteadOfList =
    "a list is made while compiling; collect numbers in a tensor: `var losses "
    "= zeros(n)`, and `losses[i] = …` in the loop";

/// Whether the value can be passed through a region.
bool hasLeaves(const Val &val);

/// Emits what is not emitted yet and appends the leaves.
void appendLeaves(Checker &checker, const Val &val,
                  llvm::SmallVectorImpl<Value> &leaves);

/// Whether nothing happened to a value.
bool isSame(const Val &lhs, const Val &rhs);

/// Where paths join: behind a branch, at the start of a loop's next turn, or
/// where a function ends.
enum class Join : uint8_t { Branch, Loop, Result };

/// Whether two values can meet where paths join; reports why not. `name` says
/// which variable it is.
bool canMeet(Checker &checker, const Val &lhs, const Val &rhs,
             SourceRange range, const llvm::Twine &name, Join join);

/// The value after a join, from the region's results.
Val rebuild(Checker &checker, const Val &lhs, const Val &rhs,
            llvm::ArrayRef<Value> &results, llvm::StringRef name);

/// A value whose free tensors are brought to the places of the other's.
Val goesTo(Checker &checker, const Val &val, const Val &other);

/// A value of the type, of which nothing is known.
Val unknownLike(Checker &checker, const Val &val);
/// A point of the walk, to tell the sizes that were known there from later
/// ones.
class SizeMark {
public:
  bool isBehind(const Size &size) const;

private:
  Size mark = Size::variable("mark");
};

/// The value outside of a region that is left with it on one way only. The
/// sizes that are known only inside of it, behind `start`, are read from the
/// result.
Val rebuildOutside(Checker &checker, const Val &val, const SizeMark &start,
                   llvm::ArrayRef<Value> &results, llvm::StringRef name);

std::vector<ModelState> saveModels(const Checker &checker);
void restoreModels(Checker &checker, llvm::ArrayRef<ModelState> states);
/// Takes models that are free here to where another path has taken them.
void bringModels(Checker &checker, llvm::ArrayRef<ModelState> other);
/// Joins the current states with those of another path.
void joinModels(Checker &checker, llvm::ArrayRef<ModelState> other);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_JOINS_H
