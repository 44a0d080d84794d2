//===- Indexing.h - x[…] and x[…] = v ----------------------------------===//
//
// Indices and slices become td.slice along one dim at a time; an index then
// removes its dim. Constant ends are clipped to the dim as in Python. Ends
// known only at run time are not clipped, because the result's size would then
// depend on values: they are checked once.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_INDEXING_H
#define TDC_LIB_FRONTEND_SEMA_INDEXING_H

#include "Frontend/Typed/Indexing.h"
#include "Values.h"
#include "llvm/ADT/DenseMap.h"

namespace tdc::sema {

class Checker;

class Indexing {
public:
  explicit Indexing(Checker &c) : c(c) {}

  /// One item of `x[…]`, resolved against a dim.
  struct Restriction {
    unsigned dim = 0;
    Val start;
    Size size;
    int64_t step = 1;
    bool drop = false; ///< an index: the dim is removed
    Val indices;       ///< an integer tensor in place of the above
  };

  /// All items of `x[…]`.
  struct Resolved {
    llvm::SmallVector<Restriction> restrictions;
    /// Dims of the tensor before which a `none` adds a dim of size 1.
    llvm::SmallVector<unsigned> added;
  };

  /// The values of the indices in the target of the statement that runs:
  /// `x[i()] += 1` reads and writes one element.
  struct TargetIndices {
    llvm::DenseMap<const ast::Expr *, std::optional<Val>> values;
    size_t frame = 0; ///< of the statement
  };
  TargetIndices target;
  /// Keeps those of a target while it is read and written. Of
  /// `x[i()].add_(1).mul_(2)`, the outer call keeps them for the inner one.
  class KeptIndices {
  public:
    KeptIndices(Indexing &indexing, const ast::Expr &target);

  private:
    std::optional<Restore<TargetIndices>> saved;
  };

  Val evalSubscript(const ast::SubscriptExpr &expr);
  /// `group["lr"]`.
  Val reportKey(const Val &group, const ast::SubscriptExpr &expr);
  /// The number of the element that an item of `xs[…]` names; none after a
  /// report.
  std::optional<int64_t> elementNumber(const ast::SubscriptItem &item,
                                       size_t size);
  struct Updated {
    Val tensor;
    unsigned share = 0; ///< of the part that has other values, if it has one
  };
  Updated updateTensor(const Val &tensor,
                       llvm::ArrayRef<ast::SubscriptItem> items,
                       const Val &update, SourceRange range);
  Val updateAlong(const Val &tensor, llvm::ArrayRef<Restriction> restrictions,
                  const Val &update);
  /// The index with the size added if it is negative.
  Val fromTheFront(const Val &index, const Size &size);
  /// Stops the program when it runs unless 0 <= index < limit (<= if
  /// `inclusive`).
  void checkInRange(const Val &index, const Size &limit, bool inclusive,
                    llvm::function_ref<Value()> message);

  /// An index, or an end of a slice.
  Val evalIndex(const ast::Expr &expr);

private:
  /// An index or slice of a dim of this size; false after a report.
  bool resolveIndex(const ast::SubscriptItem &item, const Val &index,
                    const Size &size, Restriction &restriction);
  bool resolveSlice(const ast::SubscriptItem &item, const Size &size,
                    Restriction &restriction);
  /// The items, with the values of those that are indices.
  using Items =
      llvm::SmallVector<std::pair<const ast::SubscriptItem *, Val>, 4>;
  Items evalItems(llvm::ArrayRef<ast::SubscriptItem> items);
  std::optional<Resolved> resolveItems(const TensorType &type,
                                       const Items &items, SourceRange range);
  static Dims sizesOf(DimsRef dims, const Resolved &resolved);
  /// The index tensors of the items, brought to the place of `tensor`, by the
  /// dims of the tensor after all slices and indices. None after a report.
  std::optional<llvm::SmallVector<typed::Pick>>
  takePicks(Val &tensor, const Resolved &resolved, SourceRange range);
  Val indexTensor(const Val &tensor, const Items &items, SourceRange range);
  /// The tensors of a row, or of several.
  Val indexDataset(const DatasetInfo &dataset, const Items &items,
                   SourceRange range);
  /// The tensor with a value in place of what the items name, without or with
  /// index tensors among them.
  Val updatePart(const Val &tensor, const Resolved &resolved, const Val &value,
                 SourceRange range);
  Val updatePicked(const Val &tensor, const Resolved &resolved,
                   const Val &value, SourceRange range);
  Val indexSequence(const Val &base, const ast::SubscriptItem &item);
  /// Where a slice starts and stops, both counted from the front.
  std::optional<std::pair<Val, Size>> sliceEnds(const ast::SubscriptItem &item,
                                                const Size &size);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_INDEXING_H
