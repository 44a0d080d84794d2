//===- Rows.cpp - loops over the rows of tensors --------------------------===//
//
// A tensor is iterated over its dim 0, also in `enumerate` and `zip`. The
// running program counts the rows, as in a loop over a range, and picks each;
// where the rows must exist while compiling, their number must be known.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

bool ControlFlow::hasRows(const Val &iterable) {
  if (iterable.is(ValKind::Enumerate))
    return hasRows(iterable.as<EnumerateInfo>().inner);
  return iterable.is(ValKind::Tensor) || iterable.is(ValKind::Zip);
}

static bool isRowless(Checker &c, const Val &tensor, SourceRange range) {
  if (!typeOf(tensor).dims.empty())
    return false;
  c.error(DiagCode::TD206, range, "cannot loop over a 0-d tensor")
      .label("it has no dim whose elements a loop could take");
  return true;
}

std::optional<Val> ControlFlow::lengthOfRows(const Val &iterable,
                                             SourceRange range) {
  if (iterable.is(ValKind::Enumerate))
    return lengthOfRows(iterable.as<EnumerateInfo>().inner, range);
  if (iterable.is(ValKind::Tensor)) {
    if (typeOf(iterable).dims.empty())
      return std::nullopt;
    return makeInt(typeOf(iterable).dims[0]);
  }
  if (!iterable.is(ValKind::Zip))
    return std::nullopt;
  std::optional<Val> shortest;
  for (const Val &one : iterable.as<ZipInfo>().iterables) {
    std::optional<Val> length = lengthOfRows(one, range);
    if (!length)
      return std::nullopt;
    if (!shortest) {
      shortest = length;
      continue;
    }
    Val isShorter =
        c.host.compare(ast::CompareOp::Lt, *length, *shortest, range);
    if (isShorter.known && isShorter.truth)
      shortest = length;
    else if (!isShorter.known)
      shortest = c.host.runTimeInt(
          c.emit().host(HostOp::Min, {c.host.materialize(*length),
                                      c.host.materialize(*shortest)}),
          "rows");
  }
  return shortest;
}

Val ControlFlow::rowAt(const Val &iterable, const Val &index) {
  switch (iterable.kind) {
  case ValKind::Enumerate: {
    auto &info = iterable.as<EnumerateInfo>();
    Val number = makeInt(index.size + Size(info.start),
                         info.start ? Value() : index.value);
    return makeSequence(ValKind::Tuple, {number, rowAt(info.inner, index)});
  }
  case ValKind::Zip: {
    Vals row;
    for (const Val &one : iterable.as<ZipInfo>().iterables)
      row.push_back(rowAt(one, index));
    return makeSequence(ValKind::Tuple, std::move(row));
  }
  default: {
    Val row = c.tensors.sliceOf(iterable, index, 0, 1, 1);
    Val part =
        c.tensors.reshapeTo(row, DimsRef(typeOf(iterable).dims).drop_front());
    part.range = iterable.range;
    return part;
  }
  }
}

bool ControlFlow::rowsOf(const Val &tensor, SourceRange range, Vals &out) {
  if (isRowless(c, tensor, range))
    return false;
  auto count = c.host.requireInt(makeInt(typeOf(tensor).dims[0]),
                                 "the number of rows that are taken here");
  if (!count || !canUnroll(*count, range, "the tensor has too many rows"))
    return false;
  for (int64_t i = 0; i != *count; ++i)
    out.push_back(rowAt(tensor, makeInt(i)));
  return true;
}

void ControlFlow::forRows(const ast::ForStmt &stmt, const Val &iterable) {
  auto info = std::make_shared<RangeInfo>();
  info->from = makeInt(0);
  info->to = *lengthOfRows(iterable, stmt.iterable->range);
  info->to.range = stmt.iterable->range;
  info->step = makeInt(1);
  Val range = makeVal(ValKind::Range);
  range.data = std::move(info);
  const ast::Target &target = *stmt.target;
  bool isCounted = iterable.is(ValKind::Enumerate) && target.isTuple() &&
                   !target.elements[0]->isTuple();
  forIndices(stmt, range, isCounted ? target.elements[0]->name : "",
             [&](const Val &index) { return rowAt(iterable, index); });
}
