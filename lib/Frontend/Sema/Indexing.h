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

#include "Values.h"

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

  Val evalSubscript(const ast::SubscriptExpr &expr);
  Val updateTensor(const Val &tensor, llvm::ArrayRef<ast::SubscriptItem> items,
                   const Val &update, SourceRange range);
  Val updateAlong(const Val &tensor, llvm::ArrayRef<Restriction> restrictions,
                  const Val &update);
  /// The index with the size added if it is negative.
  Val fromTheFront(const Val &index, const Size &size);
  /// Stops the program when it runs unless 0 <= index < limit (<= if
  /// `inclusive`).
  void checkInRange(const Val &index, const Size &limit, bool inclusive,
                    llvm::function_ref<Value()> message);

private:
  /// An index or slice of a dim of this size; false after a report.
  bool resolveIndex(const ast::SubscriptItem &item, const Size &size,
                    Restriction &restriction);
  bool resolveSlice(const ast::SubscriptItem &item, const Size &size,
                    Restriction &restriction);
  /// Whether the tensor has the `used` dims that the items take; reports if
  /// not.
  bool hasDims(const TensorType &type, llvm::ArrayRef<ast::SubscriptItem> items,
               size_t used, SourceRange range);
  bool resolveItems(const TensorType &type,
                    llvm::ArrayRef<ast::SubscriptItem> items, SourceRange range,
                    llvm::SmallVectorImpl<Restriction> &restrictions);
  Val indexTensor(const Val &tensor, llvm::ArrayRef<ast::SubscriptItem> items,
                  SourceRange range);
  Val indexSequence(const Val &base, const ast::SubscriptItem &item);
  /// Where a slice starts and stops, both counted from the front.
  std::optional<std::pair<Val, Size>> sliceEnds(const ast::SubscriptItem &item,
                                                const Size &size);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_INDEXING_H
