//===- Movement.cpp - one tensor in, its elements elsewhere ---------------===//

#include "CoordinateMap.h"
#include "llvm/ADT/STLExtras.h"

namespace tdc {

Typed TypedBuilder::reshape(const Typed &input, DimsRef dims) {
  if (DimsRef(input.type.dims) == dims)
    return input;
  TensorType type = input.type;
  type.dims.assign(dims.begin(), dims.end());
  return make(OpKind::Reshape, input.value, {}, std::move(type));
}

Typed TypedBuilder::broadcast(const Typed &input, DimsRef dims) {
  if (DimsRef(input.type.dims) == dims)
    return input;
  TensorType type = input.type;
  type.dims.assign(dims.begin(), dims.end());
  return make(OpKind::Broadcast, input.value, {}, std::move(type));
}

Typed TypedBuilder::permute(const Typed &input,
                            llvm::ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return input;
  TensorType type = input.type;
  for (auto [size, from] : llvm::zip(type.dims, permutation))
    size = input.type.dims[from];
  return make(OpKind::Permute, input.value, {{"permutation", permutation}},
              std::move(type), /*takesSizes=*/false);
}

Typed TypedBuilder::slice(const Typed &input, unsigned dim, const Size &start,
                          const Size &size, int64_t step) {
  if (step == 1 && input.type.dims[dim] == size && start.isConstant(0))
    return input;
  TensorType type = input.type;
  type.dims[dim] = size;
  return make(OpKind::Slice, {input.value, valueOf(start)},
              {{"dim", int64_t(dim)}, {"step", step}}, std::move(type));
}

Typed TypedBuilder::flip(const Typed &input, llvm::ArrayRef<unsigned> dims) {
  CoordinateMap map(input.type.dims.size());
  for (auto [i, size] : llvm::enumerate(input.type.dims)) {
    unsigned dim = i;
    Size last = size - Size(1);
    if (!llvm::is_contained(dims, dim) || sizes.constantOf(last) == 0)
      map.add(dim);
    else if (std::optional<int64_t> known = sizes.constantOf(last))
      map.add({{dim, -1}}, *known);
    else
      map.add({{dim, -1}}, 0, valueOf(last));
  }
  llvm::SmallVector<Value> operands{input.value};
  llvm::append_range(operands, map.offsets);
  return make(OpKind::Window, operands, {{"map", map.get()}}, input.type);
}

MaybeTyped TypedBuilder::repeat(const Typed &input, unsigned dim,
                                const Size &count) {
  if (count.isConstant(1))
    return input;
  if (!require(count, "a number of repetitions is at least 0"))
    return std::nullopt;
  Dims one = input.type.dims, all = one;
  one.insert(one.begin() + dim, Size(1));
  Dims many = one;
  many[dim] = count;
  all[dim] = all[dim] * count;
  return reshape(broadcast(reshape(input, one), many), all);
}

MaybeTyped TypedBuilder::repeatElements(const Typed &input, unsigned dim,
                                        const Size &count) {
  if (!require(count, "a number of repetitions is at least 0"))
    return std::nullopt;
  Dims one = input.type.dims, all = one;
  one.insert(one.begin() + dim + 1, Size(1));
  Dims many = one;
  many[dim + 1] = count;
  all[dim] = all[dim] * count;
  return reshape(broadcast(reshape(input, one), many), all);
}

MaybeTyped TypedBuilder::roll(const Typed &input, unsigned dim, int64_t shift) {
  const Size &size = input.type.dims[dim];
  Size start(-shift);
  if (std::optional<int64_t> known = sizes.constantOf(size)) {
    if (*known == 0)
      return input;
    start = Size(((-shift) % *known + *known) % *known);
  } else {
    if (!require(size - Size(1), "a dim of no elements is rolled"))
      return std::nullopt;
    start = start - Size::floorDiv(start, size) * size;
  }
  if (start.isConstant(0))
    return input;
  return concat({slice(input, dim, start, size - start),
                 slice(input, dim, Size(0), start)},
                dim);
}

MaybeTyped TypedBuilder::narrow(const Typed &input, unsigned dim,
                                const Size &start, const Size &length) {
  const Size &size = input.type.dims[dim];
  std::string what = length.str() + " elements from " + start.str() +
                     " on are not within dim " + std::to_string(dim) +
                     " of size " + size.str();
  if (!require(start, what) || !require(length, what) ||
      !require(size - start - length, what))
    return std::nullopt;
  return slice(input, dim, start, length);
}

MaybeTyped TypedBuilder::diagonal(const Typed &input, int64_t offset,
                                  unsigned dim1, unsigned dim2) {
  const Size &rows = input.type.dims[dim1], &columns = input.type.dims[dim2];
  int64_t row = std::max<int64_t>(-offset, 0),
          column = std::max<int64_t>(offset, 0);
  std::optional<int64_t> height = sizes.constantOf(rows),
                         width = sizes.constantOf(columns);
  Size length;
  if (height && width) {
    length =
        Size(std::max<int64_t>(std::min(*height - row, *width - column), 0));
  } else if (rows == columns) {
    length = rows - Size(row + column);
    if (!require(length, "the matrix has no diagonal of this offset"))
      return std::nullopt;
  } else {
    return fail(DiagCode::TD401,
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
  return make(OpKind::Diagonal,
              {permute(input, order).value, emit().constantInt(row),
               emit().constantInt(column)},
              {}, std::move(type));
}

Typed TypedBuilder::concat(llvm::ArrayRef<Typed> inputs, unsigned dim) {
  TensorType type = inputs.front().type;
  llvm::SmallVector<Value> values{inputs.front().value};
  for (const Typed &input : inputs.drop_front()) {
    values.push_back(input.value);
    type.dims[dim] = type.dims[dim] + input.type.dims[dim];
  }
  return make(OpKind::Concat, values, {{"dim", int64_t(dim)}}, std::move(type),
              /*takesSizes=*/false);
}

Typed TypedBuilder::cast(const Typed &input, DType dtype) {
  if (input.type.dtype == dtype)
    return input;
  TensorType type = input.type;
  type.dtype = dtype;
  return make(OpKind::Cast, input.value, {}, std::move(type),
              /*takesSizes=*/false);
}

Typed TypedBuilder::reduce(td::ReduceKind kind, const Typed &input,
                           llvm::ArrayRef<int64_t> dims, bool first) {
  TensorType type = input.type;
  llvm::SmallVector<unsigned> reduced(dims.begin(), dims.end());
  type.dims = reduceShape(input.type.dims, reduced, /*keepDims=*/false).dims;
  return make(OpKind::Reduce, input.value,
              {{"kind", kind}, {"first", first}, {"dims", dims}},
              std::move(type), /*takesSizes=*/false);
}

Typed TypedBuilder::scan(td::ReduceKind kind, const Typed &input,
                         unsigned dim) {
  Typed wide = isFloat(input.type.dtype) ? input : cast(input, DType::I64);
  return make(OpKind::Scan, wide.value, {{"kind", kind}, {"dim", int64_t(dim)}},
              wide.type, /*takesSizes=*/false);
}

Typed TypedBuilder::fill(double number, TensorType type) {
  Value scalar = isFloat(type.dtype) ? emit().constantFloat(number)
                 : type.dtype == DType::Bool
                     ? emit().constantBool(number != 0)
                     : emit().constantInt(static_cast<int64_t>(number));
  return make(OpKind::Fill, scalar, {}, std::move(type));
}

Typed TypedBuilder::constant(llvm::ArrayRef<char> bytes, TensorType type) {
  return {emit().tensorConstant(bytes, shapeOf(type)), std::move(type)};
}

Typed TypedBuilder::gather(const Typed &input, unsigned dim,
                           llvm::ArrayRef<int64_t> indices, DimsRef shape) {
  TensorType table{DType::I64, Dims(shape), input.type.place};
  Typed index = constant({reinterpret_cast<const char *>(indices.data()),
                          indices.size() * sizeof(int64_t)},
                         std::move(table));
  TensorType type = input.type;
  type.dims.erase(type.dims.begin() + dim);
  type.dims.insert(type.dims.begin() + dim, shape.begin(), shape.end());
  return make(OpKind::Gather, {input.value, index.value},
              {{"dim", int64_t(dim)}}, std::move(type), /*takesSizes=*/false);
}

Typed TypedBuilder::inset(double number, TensorType type, const Typed &input,
                          llvm::ArrayRef<int64_t> low,
                          llvm::ArrayRef<int64_t> step) {
  llvm::SmallVector<Value> operands{fill(number, type).value, input.value};
  for (int64_t one : low)
    operands.push_back(emit().constantInt(one));
  return make(OpKind::Inset, operands, {{"step", step}}, std::move(type),
              /*takesSizes=*/false);
}

} // namespace tdc
