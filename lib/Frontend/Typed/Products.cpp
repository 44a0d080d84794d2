//===- Products.cpp - matrix products -------------------------------------===//

#include "Frontend/Typed/Products.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"

namespace tdc::typed {

MaybeTyped matmul(TypedBuilder &b, const Typed &lhs, const Typed &rhs) {
  const TensorType &x = lhs.type, &y = rhs.type;
  if (x.dtype != y.dtype)
    return failDTypes(b, x.dtype, y.dtype, /*operand=*/1, x.dtype);
  if (!accepts(b, OpKind::Matmul, x.dtype, "`@`"))
    return std::nullopt;
  ShapeAnswer answer = matmulShape(x.dims, y.dims);
  if (!b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "shapes do not fit: matmul of " + spelling(x.dims) +
                      " with " + spelling(y.dims),
                  answer.problem);
  // Vectors become matrices; leading dims are made equal.
  Dims left(x.dims), right(y.dims);
  if (left.size() == 1)
    left.insert(left.begin(), Size(1));
  if (right.size() == 1)
    right.push_back(Size(1));
  Typed l = reshape(b, lhs, left), r = reshape(b, rhs, right);
  size_t dropped = (x.dims.size() == 1) + (y.dims.size() == 1);
  size_t batch = answer.dims.size() - (2 - dropped);
  DimsRef leading = DimsRef(answer.dims).take_front(batch);
  auto withLeading = [&](DimsRef dims) {
    Dims all(leading);
    llvm::append_range(all, dims);
    return all;
  };
  const Size &rows = left[left.size() - 2], &columns = right.back();
  Place place = sharedPlace({lhs, rhs});
  TensorType type{x.dtype, withLeading({rows, columns}), place};
  // [..., M, K] @ [K, N] is one big matrix product.
  if (batch > 0 && y.dims.size() <= 2 && left.size() > 2) {
    Size all = numElements(DimsRef(left).drop_back());
    Typed flat = reshape(b, l, {all, left.back()});
    Typed product = b.make(OpKind::Matmul, {flat.value, r.value}, {},
                           {x.dtype, {all, columns}, place});
    return reshape(b, reshape(b, product, type.dims), answer.dims);
  }
  l = broadcast(b, l, withLeading(DimsRef(left).take_back(2)));
  r = broadcast(b, r, withLeading(DimsRef(right).take_back(2)));
  return reshape(b, b.make(OpKind::Matmul, {l.value, r.value}, {}, type),
                 answer.dims);
}

bool requireRank(TypedBuilder &b, const Typed &operand, size_t rank) {
  if (operand.type.dims.size() == rank)
    return true;
  b.fail(DiagCode::TD401, "needs tensors of " + llvm::Twine(rank) + " dims",
         typeText(operand.type));
  return false;
}

} // namespace tdc::typed
