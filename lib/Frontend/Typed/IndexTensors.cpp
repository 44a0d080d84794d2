//===- IndexTensors.cpp - several index tensors at once -------------------===//
//
// The picked dims are moved to the front and become one, whose indices are
// computed from those of the dims. A td.gather from the positions of a dim
// gives the index itself, counted from the front and checked.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Movement.h"

namespace tdc::typed {

namespace {

/// An input whose picked dims are one dim, the first.
class Flattened {
public:
  Flattened(TypedBuilder &b, const Typed &input, llvm::ArrayRef<Pick> picks)
      : b(b), picks(picks) {
    unsigned rank = input.type.dims.size();
    for (const Pick &pick : picks)
      order.push_back(pick.dim);
    for (unsigned dim = 0; dim != rank; ++dim)
      if (!llvm::is_contained(order, dim))
        order.push_back(dim);
    moved = permute(b, input, order);
    Size count = 1;
    for (const Pick &pick : picks)
      count = count * input.type.dims[pick.dim];
    Dims dims{count};
    dims.append(moved->type.dims.begin() + picks.size(),
                moved->type.dims.end());
    rows = reshape(b, *moved, dims);
  }

  /// Computes `indices`; fails if the shapes of the index tensors do not agree.
  bool flattenIndices(const Typed &input) {
    if (picks.size() == 1) {
      indices = toIndices(b, picks[0].indices);
      return indices.has_value();
    }
    llvm::SmallVector<Dims> shapes;
    for (const Pick &pick : picks)
      shapes.push_back(pick.indices.type.dims);
    ShapeAnswer answer = broadcastShapes(
        llvm::SmallVector<DimsRef>(shapes.begin(), shapes.end()));
    if (!answer || !b.prove(answer)) {
      b.fail(DiagCode::TD401, "shapes do not fit: index tensors",
             answer.problem);
      return false;
    }
    for (const Pick &pick : picks) {
      const Size &size = input.type.dims[pick.dim];
      TensorType type{DType::I64, {size}, pick.indices.type.place};
      Typed positions = iota(b, b.emit().constantInt(0),
                             b.emit().constantInt(1), std::move(type));
      MaybeTyped checked = gather(b, positions, pick.indices, 0);
      if (!checked)
        return false;
      Typed own = broadcast(b, *checked, answer.dims);
      if (!indices) {
        indices = own;
        continue;
      }
      Typed factor = fill(b, b.valueOf(size), own.type);
      Typed scaled =
          b.make(OpKind::Mul, {indices->value, factor.value}, {}, own.type);
      indices = b.make(OpKind::Add, {scaled.value, own.value}, {}, own.type);
    }
    return true;
  }

  /// The position of the index tensors' dims among those that are not picked:
  /// that of the picked ones if these are adjacent, else the first. An index
  /// tensor without dims counts as an int, as in PyTorch: its dim is gone.
  unsigned positionOfOwn() const {
    auto isInt = [](const Pick &pick) {
      return pick.indices.type.dims.empty();
    };
    std::optional<unsigned> first, next;
    for (const Pick &pick : picks) {
      if (isInt(pick))
        continue;
      unsigned dim = pick.dim - llvm::count_if(picks, [&](const Pick &other) {
                       return isInt(other) && other.dim < pick.dim;
                     });
      if (next && dim != *next)
        return 0;
      if (!first)
        first = dim;
      next = dim + 1;
    }
    return first.value_or(0);
  }

  /// From the order of dims of a td.gather from `rows` to that of x[…].
  llvm::SmallVector<int64_t> orderOfResult() const {
    unsigned own = indices->type.dims.size();
    unsigned rest = rows->type.dims.size() - 1, before = positionOfOwn();
    llvm::SmallVector<int64_t> result;
    for (unsigned i = 0; i != before; ++i)
      result.push_back(own + i);
    for (unsigned i = 0; i != own; ++i)
      result.push_back(i);
    for (unsigned i = before; i != rest; ++i)
      result.push_back(own + i);
    return result;
  }

  /// A tensor like `rows` with the dims of the input.
  Typed restore(const Typed &like) const {
    return permute(b, reshape(b, like, moved->type.dims), inverse(order));
  }

  static llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> order) {
    llvm::SmallVector<int64_t> result(order.size());
    for (auto [to, from] : llvm::enumerate(order))
      result[from] = to;
    return result;
  }

  MaybeTyped rows, indices;

private:
  TypedBuilder &b;
  llvm::ArrayRef<Pick> picks;
  llvm::SmallVector<int64_t> order;
  MaybeTyped moved;
};

} // namespace

MaybeTyped gatherAt(TypedBuilder &b, const Typed &input,
                    llvm::ArrayRef<Pick> picks) {
  if (picks.size() == 1)
    return gather(b, input, picks[0].indices, picks[0].dim);
  Flattened flat(b, input, picks);
  if (!flat.flattenIndices(input))
    return std::nullopt;
  MaybeTyped picked = gather(b, *flat.rows, *flat.indices, 0);
  return picked ? MaybeTyped(permute(b, *picked, flat.orderOfResult()))
                : std::nullopt;
}

MaybeTyped scatterAt(TypedBuilder &b, const Typed &input,
                     llvm::ArrayRef<Pick> picks, const Typed &updates,
                     std::optional<td::ReduceKind> combine) {
  Flattened flat(b, input, picks);
  if (!flat.flattenIndices(input))
    return std::nullopt;
  // The shape of x[…], and from it that of a td.gather from the rows.
  Dims shape = flat.indices->type.dims;
  shape.append(flat.rows->type.dims.begin() + 1, flat.rows->type.dims.end());
  llvm::SmallVector<int64_t> order = flat.orderOfResult();
  Dims shown = permuteShape(shape, order).dims;
  MaybeTyped whole = broadcastToPart(b, updates, shown);
  if (!whole)
    return std::nullopt;
  if (updates.type.dtype != input.type.dtype)
    return failDTypes(b, updates.type.dtype, input.type.dtype, /*operand=*/0,
                      input.type.dtype);
  Typed rows = permute(b, *whole, Flattened::inverse(order));
  llvm::SmallVector<OpAttribute> attributes{{"dim", int64_t(0)}};
  if (combine)
    attributes.push_back(
        {"combine", combinationOf(*combine, input.type.dtype)});
  return flat.restore(b.make(
      OpKind::Scatter, {flat.rows->value, flat.indices->value, rows.value},
      attributes, flat.rows->type));
}

} // namespace tdc::typed
