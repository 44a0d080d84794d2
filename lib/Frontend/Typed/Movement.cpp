//===- Movement.cpp - ops that move elements ------------------------------===//

#include "Frontend/Typed/Movement.h"
#include "CoordinateMap.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc::typed {

Typed reshape(TypedBuilder &b, const Typed &input, DimsRef dims) {
  if (DimsRef(input.type.dims) == dims)
    return input;
  TensorType type = input.type;
  type.dims.assign(dims.begin(), dims.end());
  return b.make(OpKind::Reshape, input.value, {}, std::move(type));
}

Typed broadcast(TypedBuilder &b, const Typed &input, DimsRef dims) {
  // A size that agrees with a known size becomes known.
  Dims own = input.type.dims;
  for (auto [size, wanted] : llvm::zip(own, dims.take_back(own.size())))
    if (!size.isConstant(1) && b.sizes.constantOf(size).has_value() !=
                                   b.sizes.constantOf(wanted).has_value())
      size = wanted;
  Typed tensor = reshape(b, input, own);
  TensorType type = tensor.type;
  bool grows = own.size() != dims.size();
  for (auto [size, wanted] : llvm::zip(own, dims))
    grows = grows || (size != wanted && size.isConstant(1));
  if (!grows)
    return tensor;
  type.dims.assign(dims.begin(), dims.end());
  return b.make(OpKind::Broadcast, tensor.value, {}, std::move(type));
}

MaybeTyped broadcastToPart(TypedBuilder &b, const Typed &update, DimsRef part) {
  ShapeAnswer answer = broadcastShapes({part, update.type.dims});
  bool grows = answer && answer.dims.size() != part.size();
  for (size_t i = 0; answer && !grows && i != part.size(); ++i)
    grows = part[i].isConstant(1) && !answer.dims[i].isConstant(1);
  if (!answer || grows || !b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "shapes do not fit: " + spelling(update.type.dims) +
                      " into a part of shape " + spelling(part));
  return broadcast(b, update, part);
}

Typed permute(TypedBuilder &b, const Typed &input,
              llvm::ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return input;
  TensorType type = input.type;
  for (auto [size, from] : llvm::zip(type.dims, permutation))
    size = input.type.dims[from];
  return b.make(OpKind::Permute, input.value, {{"permutation", permutation}},
                std::move(type));
}

Typed slice(TypedBuilder &b, const Typed &input, unsigned dim,
            const TypedInt &start, const Size &size, int64_t step) {
  if (step == 1 && input.type.dims[dim] == size && start.size.isConstant(0))
    return input;
  TensorType type = input.type;
  type.dims[dim] = size;
  return b.make(OpKind::Slice, {input.value, b.valueOf(start)},
                {{"dim", int64_t(dim)}, {"step", step}}, std::move(type));
}

Typed updateSlice(TypedBuilder &b, const Typed &input, const Typed &update,
                  unsigned dim, const TypedInt &start, int64_t step) {
  return b.make(OpKind::UpdateSlice,
                {input.value, update.value, b.valueOf(start)},
                {{"dim", int64_t(dim)}, {"step", step}}, input.type);
}

Typed flip(TypedBuilder &b, const Typed &input, llvm::ArrayRef<unsigned> dims) {
  CoordinateMap map(input.type.dims.size());
  for (auto [i, size] : llvm::enumerate(input.type.dims)) {
    unsigned dim = i;
    Size last = size - Size(1);
    if (!llvm::is_contained(dims, dim) || b.sizes.constantOf(last) == 0)
      map.add(dim);
    else if (std::optional<int64_t> known = b.sizes.constantOf(last))
      map.add({{dim, -1}}, *known);
    else
      map.add({{dim, -1}}, 0, b.valueOf(last));
  }
  llvm::SmallVector<Value> operands{input.value};
  llvm::append_range(operands, map.offsets);
  return b.make(OpKind::Window, operands, {{"map", map.get()}}, input.type);
}

MaybeTyped repeat(TypedBuilder &b, const Typed &input, unsigned dim,
                  const Size &count) {
  if (count.isConstant(1))
    return input;
  if (!b.require(count, "a number of repetitions is at least 0"))
    return std::nullopt;
  Dims one = input.type.dims, all = one;
  one.insert(one.begin() + dim, Size(1));
  Dims many = one;
  many[dim] = count;
  all[dim] = all[dim] * count;
  return reshape(b, broadcast(b, reshape(b, input, one), many), all);
}

MaybeTyped repeatElements(TypedBuilder &b, const Typed &input, unsigned dim,
                          const Size &count) {
  if (!b.require(count, "a number of repetitions is at least 0"))
    return std::nullopt;
  Dims one = input.type.dims, all = one;
  one.insert(one.begin() + dim + 1, Size(1));
  Dims many = one;
  many[dim + 1] = count;
  all[dim] = all[dim] * count;
  return reshape(b, broadcast(b, reshape(b, input, one), many), all);
}

MaybeTyped roll(TypedBuilder &b, const Typed &input, unsigned dim,
                int64_t shift) {
  const Size &size = input.type.dims[dim];
  Size start(-shift);
  if (std::optional<int64_t> known = b.sizes.constantOf(size)) {
    if (*known == 0)
      return input;
    start = Size(((-shift) % *known + *known) % *known);
  } else {
    if (!b.require(size - Size(1), "cannot roll a dim without elements"))
      return std::nullopt;
    start = start - Size::floorDiv(start, size) * size;
  }
  if (start.isConstant(0))
    return input;
  return concat(b,
                {slice(b, input, dim, start, size - start),
                 slice(b, input, dim, Size(0), start)},
                dim);
}

MaybeTyped narrow(TypedBuilder &b, const Typed &input, unsigned dim,
                  const Size &start, const Size &length) {
  const Size &size = input.type.dims[dim];
  std::string what = length.str() + " elements from " + start.str() +
                     " on are not within dim " + std::to_string(dim) +
                     " of size " + size.str();
  if (!b.require(start, what) || !b.require(length, what) ||
      !b.require(size - start - length, what))
    return std::nullopt;
  return slice(b, input, dim, start, length);
}

MaybeTyped diagonal(TypedBuilder &b, const Typed &input, int64_t offset,
                    unsigned dim1, unsigned dim2) {
  const Size &rows = input.type.dims[dim1], &columns = input.type.dims[dim2];
  int64_t row = std::max<int64_t>(-offset, 0),
          column = std::max<int64_t>(offset, 0);
  std::optional<int64_t> height = b.sizes.constantOf(rows),
                         width = b.sizes.constantOf(columns);
  Size length;
  if (height && width) {
    length =
        Size(std::max<int64_t>(std::min(*height - row, *width - column), 0));
  } else if (rows == columns) {
    length = rows - Size(row + column);
    if (!b.require(length, "the matrix has no diagonal of this offset"))
      return std::nullopt;
  } else {
    return b.fail(DiagCode::TD401,
                  "the sizes of a diagonal's dims must be equal, or known when "
                  "the program is compiled",
                  "these are " + spelling(input.type.dims));
  }
  llvm::SmallVector<int64_t> order;
  TensorType type = input.type;
  type.dims.clear();
  for (auto [dim, size] : llvm::enumerate(input.type.dims))
    if (dim != dim1 && dim != dim2) {
      order.push_back(dim);
      type.dims.push_back(size);
    }
  order.push_back(dim1);
  order.push_back(dim2);
  type.dims.push_back(length);
  return b.make(OpKind::Diagonal,
                {permute(b, input, order).value, b.emit().constantInt(row),
                 b.emit().constantInt(column)},
                {}, std::move(type));
}

MaybeTyped concat(TypedBuilder &b, llvm::ArrayRef<Typed> inputs, unsigned dim) {
  TensorType type = inputs.front().type;
  llvm::SmallVector<DimsRef, 4> shapes;
  llvm::SmallVector<Value> values;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (input.type.dtype != type.dtype)
      return failDTypes(b, type.dtype, input.type.dtype, i, type.dtype);
    shapes.push_back(input.type.dims);
    values.push_back(input.value);
  }
  ShapeAnswer answer = concatShape(shapes, dim);
  if (!b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "shapes do not fit: joining along dim " + llvm::Twine(dim),
                  answer.problem);
  type.dims = answer.dims;
  type.place = sharedPlace(inputs);
  return b.make(OpKind::Concat, values, {{"dim", int64_t(dim)}},
                std::move(type));
}

Typed inset(TypedBuilder &b, double number, TensorType type, const Typed &input,
            llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> step) {
  llvm::SmallVector<Value> operands{fill(b, number, type).value, input.value};
  for (int64_t one : low)
    operands.push_back(b.emit().constantInt(one));
  return b.make(OpKind::Inset, operands, {{"step", step}}, std::move(type));
}

} // namespace tdc::typed
