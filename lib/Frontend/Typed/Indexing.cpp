//===- Indexing.cpp - elements that tensors of indices name ---------------===//

#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"

namespace tdc::typed {

td::ReduceKind combinationOf(td::ReduceKind kind, DType dtype) {
  if (dtype != DType::Bool)
    return kind;
  bool isAny = kind == td::ReduceKind::Sum || kind == td::ReduceKind::Max;
  return isAny ? td::ReduceKind::Any : td::ReduceKind::All;
}

MaybeTyped toIndices(TypedBuilder &b, const Typed &indices) {
  DType dtype = indices.type.dtype;
  // PyTorch reads u8 as a mask, and takes no other unsigned indices.
  if (isInteger(dtype) && !isUnsigned(dtype))
    return cast(b, indices, DType::I64);
  b.fail(DiagCode::TD301, "indices must be i64 or i32, not " + spelling(dtype));
  b.failure.conversion = {1, "int", /*isPromotion=*/false};
  return std::nullopt;
}

MaybeTyped gather(TypedBuilder &b, const Typed &input, const Typed &given,
                  unsigned dim) {
  MaybeTyped wide = toIndices(b, given);
  if (!wide)
    return std::nullopt;
  const Typed &indices = *wide;
  ShapeAnswer answer = gatherShape(input.type.dims, indices.type.dims, dim);
  if (!answer)
    return b.fail(DiagCode::TD401, "shapes do not fit: indexing",
                  answer.problem);
  TensorType type{input.type.dtype, answer.dims, sharedPlace({input, indices})};
  return b.make(OpKind::Gather, {input.value, indices.value},
                {{"dim", int64_t(dim)}}, std::move(type));
}

Typed gather(TypedBuilder &b, const Typed &input, unsigned dim,
             llvm::ArrayRef<int64_t> indices, DimsRef shape) {
  assert(indices.size() <= kLargestTable && "a table too large");
  TensorType table{DType::I64, Dims(shape), input.type.place};
  Typed index = constant(b,
                         {reinterpret_cast<const char *>(indices.data()),
                          indices.size() * sizeof(int64_t)},
                         std::move(table));
  return *gather(b, input, index, dim);
}

namespace {

/// The part of `tensor` for which `index` has elements. As in PyTorch it may be
/// smaller than the tensor, except along `dim`, where `index` picks.
class IndexedPart {
public:
  IndexedPart(TypedBuilder &b, const Typed &tensor) : b(b), taken({tensor}) {}

  /// False, with the failure set, if `index` is larger. `name` is the tensor's
  /// in messages.
  bool take(llvm::StringRef name, const Typed &index,
            std::optional<unsigned> dim, llvm::StringRef what) {
    const Dims sizes = get().type.dims;
    DimsRef wanted = index.type.dims;
    auto fail = [&](const llvm::Twine &problem) {
      b.fail(DiagCode::TD401, "shapes do not fit: " + what, problem);
      return false;
    };
    if (sizes.size() != wanted.size())
      return fail("the numbers of dims differ: " + spelling(sizes) + " and " +
                  spelling(wanted));
    for (unsigned i = 0; i != sizes.size(); ++i) {
      if (i == dim || sizes[i] == wanted[i])
        continue;
      std::string problem =
          ("dim " + llvm::Twine(i) + " of `index` is larger than that of `" +
           name + "`")
              .str();
      Size room = sizes[i] - wanted[i];
      std::optional<int64_t> known = b.sizes.constantOf(room);
      if (known == std::optional<int64_t>(0))
        continue;
      if (known && *known < 0)
        return fail(problem + ": " + wanted[i].str() + " and " +
                    sizes[i].str());
      if (!b.require(room, what + ": " + problem))
        return false;
      dims.push_back(i);
      taken.push_back(slice(b, get(), i, Size(0), wanted[i]));
    }
    return true;
  }

  const Typed &get() const { return taken.back(); }

  /// The tensor with `update` in place of the part.
  Typed replace(Typed update) const {
    for (size_t i = dims.size(); i-- > 0;)
      update = updateSlice(b, taken[i], update, dims[i], Size(0));
    return update;
  }

private:
  TypedBuilder &b;
  llvm::SmallVector<unsigned> dims; ///< that are smaller
  /// The tensor, and the part after each of `dims`.
  llvm::SmallVector<Typed> taken;
};

} // namespace

MaybeTyped gatherAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                       unsigned dim, llvm::StringRef what) {
  IndexedPart part(b, input);
  if (!part.take("input", index, dim, what))
    return std::nullopt;
  TensorType type{input.type.dtype, index.type.dims,
                  sharedPlace({input, index})};
  return b.make(OpKind::GatherAlong, {part.get().value, index.value},
                {{"dim", int64_t(dim)}}, std::move(type));
}

MaybeTyped scatterAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                        const Typed &source, unsigned dim,
                        std::optional<td::ReduceKind> combine,
                        llvm::StringRef what) {
  if (source.type.dtype != input.type.dtype)
    return failDTypes(b, input.type.dtype, source.type.dtype, /*operand=*/2,
                      input.type.dtype);
  IndexedPart part(b, input), added(b, source);
  if (!part.take("input", index, dim, what) ||
      !added.take("src", index, std::nullopt, what))
    return std::nullopt;
  llvm::SmallVector<OpAttribute> attributes{{"dim", int64_t(dim)}};
  if (combine)
    attributes.push_back(
        {"combine", combinationOf(*combine, input.type.dtype)});
  return part.replace(b.make(OpKind::ScatterAlong,
                             {part.get().value, index.value, added.get().value},
                             attributes, part.get().type));
}

} // namespace tdc::typed
