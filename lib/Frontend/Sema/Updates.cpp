//===- Updates.cpp - x[…] = v -------------------------------------------===//

#include "Checker.h"
#include "Frontend/Typed/Movement.h"

using namespace tdc;
using namespace tdc::sema;

Val Indexing::updateAlong(const Val &tensor,
                          llvm::ArrayRef<Restriction> restrictions,
                          const Val &update) {
  if (restrictions.empty())
    return update;
  const Restriction &one = restrictions.front();
  if (restrictions.size() == 1)
    return c.tensors.updateSliceOf(tensor, update, one.start, one.dim,
                                   one.step);
  // The part along the first dim is taken out, updated and put back.
  Val part = c.tensors.sliceOf(tensor, one.start, one.dim, one.step, one.size);
  Val updated = updateAlong(part, restrictions.drop_front(), update);
  return c.tensors.updateSliceOf(tensor, updated, one.start, one.dim, one.step);
}

/// `x[mask] = v`: where the mask is true.
static Val updateWhere(Checker &c, const Val &tensor, const Val &mask,
                       const Val &value, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  Dims dims = typeOf(mask).dims;
  bool isNumber = value.isHostScalar() ||
                  (value.is(ValKind::Tensor) && typeOf(value).dims.empty());
  if (!isNumber)
    return c.unsupported(range, "a mask with a tensor of updates",
                         "`x = where(mask, y, x)`");
  ShapeAnswer answer;
  if (dims.size() > type.dims.size())
    answer.problem = "the mask has more dims than the tensor";
  for (size_t i = 0; answer && i != dims.size(); ++i)
    if (dims[i] != type.dims[i])
      answer.facts.push_back({dims[i], type.dims[i], "the mask's size"});
  if (!answer || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD401, range, "shapes do not fit: a mask")
        .label(answer.problem);
    return c.fail();
  }
  dims.resize(type.dims.size(), Size(1));
  return c.tensors.selectTensors(c.tensors.reshapeTo(mask, dims), value, tensor,
                                 range);
}

Val Indexing::updatePart(const Val &tensor, const Resolved &resolved,
                         const Val &update, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  Dims part = type.dims, shown = sizesOf(type.dims, resolved);
  if (!c.tensors.isWithinRank(shown.size(), range))
    return c.fail();
  Val value =
      update.isHostScalar()
          ? c.tensors.fillTensor(update, {type.dtype, shown, type.place})
          : update;
  for (const Restriction &one : resolved.restrictions)
    part[one.dim] = one.size;
  Val whole = c.tensors.finish(
      typed::broadcastToPart(c.tensors.builder, typedOf(value), shown), value,
      range);
  if (whole.isError())
    return whole;
  whole = c.tensors.reshapeTo(whole, part);
  return updateAlong(tensor, resolved.restrictions, whole);
}

/// The share of the part of slices and indices.
static unsigned partOf(Checker &c, const Val &tensor,
                       const Indexing::Resolved &resolved) {
  unsigned part = tensor.shareId;
  for (const Indexing::Restriction &one : resolved.restrictions)
    part = c.sharing.partOf(part, typeOf(tensor).dims, one.dim, one.start,
                            one.size, one.step);
  return part;
}

Indexing::Updated
Indexing::updateTensor(const Val &tensor,
                       llvm::ArrayRef<ast::SubscriptItem> items,
                       const Val &update, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  Items given = evalItems(items);
  if (!c.tensors.isNumeric(update, range, "an update"))
    return {c.fail()};
  const Val *mask = given.size() == 1 ? &given[0].second : nullptr;
  bool isMask =
      mask && mask->is(ValKind::Tensor) && typeOf(*mask).dtype == DType::Bool;
  std::optional<Resolved> resolved;
  if (!isMask) {
    resolved = resolveItems(type, given, range);
    if (!resolved)
      return {c.fail()};
  }
  c.at(range);
  if (update.isHostScalar() && !c.tensors.takesFloat(update, type.dtype, range))
    return {c.fail()};
  if (update.is(ValKind::Tensor) && typeOf(update).dtype != type.dtype) {
    typed::failDTypes(c.tensors.builder, typeOf(update).dtype, type.dtype,
                      /*operand=*/0, type.dtype);
    c.tensors.explainFailure(range, update);
    return {c.fail()};
  }
  if (isMask)
    return {updateWhere(c, tensor, *mask, update, range)};
  Vals both{tensor, update};
  if (!c.places.samePlace(both, range))
    return {c.fail()};
  bool picks = llvm::any_of(resolved->restrictions, [](const Restriction &one) {
    return one.indices.is(ValKind::Tensor);
  });
  if (picks)
    return {updatePicked(both[0], *resolved, both[1], range)};
  return {updatePart(both[0], *resolved, both[1], range),
          partOf(c, tensor, *resolved)};
}

/// The part of slices and indices is taken out, updated and put back.
Val Indexing::updatePicked(const Val &tensor, const Resolved &resolved,
                           const Val &update, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  Val value = update.isHostScalar()
                  ? c.tensors.fillTensor(update, {type.dtype, {}, type.place})
                  : update;
  Resolved sliced = resolved;
  llvm::erase_if(sliced.restrictions, [](const Restriction &one) {
    return one.indices.is(ValKind::Tensor);
  });
  Dims shown = sizesOf(type.dims, resolved);
  if (!c.tensors.isWithinRank(shown.size(), range))
    return c.fail();
  Val part = tensor;
  for (const Restriction &one : sliced.restrictions)
    part = c.tensors.sliceOf(part, one.start, one.dim, one.step, one.size);
  part = c.tensors.reshapeTo(part, shown);
  auto picks = takePicks(part, resolved, range);
  if (!picks)
    return c.fail();
  Vals operands{part, value};
  Val updated =
      c.tensors.finish(typed::scatterAt(c.tensors.builder, typedOf(part),
                                        *picks, typedOf(value), std::nullopt),
                       operands, range);
  if (updated.isError())
    return updated;
  return sliced.restrictions.empty()
             ? c.tensors.reshapeTo(updated, type.dims)
             : updatePart(tensor, sliced, updated, range);
}
