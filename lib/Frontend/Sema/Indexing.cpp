//===- Indexing.cpp - x[…] and x[…] = v --------------------------------===//

#include "Checker.h"
#include "Frontend/Characters.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace tdc;
using namespace tdc::sema;

void Indexing::checkInRange(const Val &index, const Size &limit, bool inclusive,
                            llvm::function_ref<Value()> message) {
  bool low = c.host.sizes.isNeverNegative(index.size);
  bool high = c.host.sizes.isWithin(index.size, limit, inclusive);
  if (low && high)
    return;
  Value value = c.host.materialize(index), end = c.host.sizeValue(limit);
  Value good;
  if (!low)
    good = c.emit().host(HostOp::Ge, {value, c.emit().constantInt(0)});
  if (!high) {
    Value below =
        c.emit().host(inclusive ? HostOp::Le : HostOp::Lt, {value, end});
    good = good ? c.emit().host(HostOp::And, {good, below}) : below;
  }
  c.emit().assertThat(good, message(), Check::Index);
  c.host.sizes.proveNotNegative(index.size);
  c.host.sizes.proveNotNegative(inclusive ? limit - index.size
                                          : limit - index.size - Size(1));
}

Val Indexing::fromTheFront(const Val &index, const Size &size) {
  if (c.host.sizes.isNeverNegative(index.size))
    return index;
  Val shifted = c.host.binary(ast::BinaryOp::Add, makeInt(size), index, c.here);
  if (c.host.sizes.isNeverNegative(Size(-1) - index.size))
    return shifted;
  Value value = c.host.materialize(index);
  Value isNegative =
      c.emit().host(HostOp::Lt, {value, c.emit().constantInt(0)});
  return c.host.runTimeInt(
      c.emit().hostSelect(isNegative, c.host.materialize(shifted), value),
      "index");
}

static bool isIndex(Checker &c, const Val &index, SourceRange range) {
  if (index.isError() || index.is(ValKind::Int))
    return index.is(ValKind::Int);
  Diagnostic &report = c.error(DiagCode::TD303, range,
                               "an index is an int, not " + describe(index));
  auto isInt = [](const Val &element) { return element.is(ValKind::Int); };
  if (index.is(ValKind::List) && llvm::all_of(elementsOf(index), isInt))
    report.label("several elements are picked by a tensor of ints")
        .fix(FixIt::Safe, "`tensor(" + c.text(c.userRange(range)) + ")`",
             {{range.start(), "tensor("}, {range.finish(), ")"}});
  return false;
}

/// `x[::-1]`, which is an index tensor here.
static void reportNegativeStep(Checker &c, const ast::SubscriptItem &item,
                               const Size &size, int64_t step) {
  Diagnostic &report = c.error(DiagCode::TD404, item.step->range,
                               "the step of a slice must be positive");
  std::optional<int64_t> rows = c.host.constantOf(size);
  bool isWhole = !item.start && !item.stop && step == -1;
  if (rows && isWhole) {
    std::string reversed = "arange(" + std::to_string(*rows - 1) + ", -1, -1)";
    report
        .label("elements from the last to the first are picked by a tensor "
               "of ints")
        .fix(FixIt::Safe, "`" + reversed + "`", {{item.range, reversed}});
  } else if (step < 0) {
    report.note("elements in another order are picked by a tensor of ints: of "
                "n, `arange(n - 1, -1, -1)` goes from the last to the first");
  }
}

std::optional<std::pair<Val, Size>>
Indexing::sliceEnds(const ast::SubscriptItem &item, const Size &size) {
  std::optional<Val> first, last;
  if (item.start)
    first = c.eval(*item.start);
  if (item.stop)
    last = c.eval(*item.stop);
  if ((first && !isIndex(c, *first, item.start->range)) ||
      (last && !isIndex(c, *last, item.stop->range)))
    return std::nullopt;
  auto message = [&] {
    std::string text = "slice ";
    llvm::SmallVector<Value> values;
    if (first)
      c.formatting.appendValue(text, values, *first, "", false);
    text += ":";
    if (last)
      c.formatting.appendValue(text, values, *last, "", false);
    text += " is out of range for size {}";
    values.push_back(c.host.sizeValue(size));
    return c.emit().format(text, values);
  };
  std::optional<int64_t> limit = c.host.constantOf(size);
  auto bounded = [&](const Val &end) {
    std::optional<int64_t> constant = c.host.constantInt(end);
    if (constant && limit)
      return makeInt(std::clamp<int64_t>(
          *constant < 0 ? *constant + *limit : *constant, 0, *limit));
    Val front = fromTheFront(end, size);
    checkInRange(front, size, true, message);
    return front;
  };
  Val start = first ? bounded(*first) : makeInt(0);
  Val stop = makeInt(size);
  // `x[i - 4:i]` has 4 rows: its ends count from the same side.
  std::optional<int64_t> apart =
      first && last && !c.host.constantInt(*first)
          ? c.host.constantOf(last->size - first->size)
          : std::nullopt;
  if (apart) {
    stop = makeInt(start.size + Size(*apart));
    checkInRange(stop, size, true, message);
  } else if (last) {
    stop = bounded(*last);
  }
  Size length = stop.size - start.size;
  if (!c.host.constantOf(length) && !c.host.sizes.isNeverNegative(length))
    checkInRange(start, stop.size, true, message);
  return std::make_pair(start, stop.size);
}

/// `x[none]` is written as `unsqueeze`.
static bool isNone(Checker &c, const Val &index, SourceRange range) {
  if (index.is(ValKind::None))
    c.unsupported(range, "`x[none]` (write `unsqueeze`)");
  return index.is(ValKind::None);
}

bool Indexing::resolveIndex(const ast::SubscriptItem &item, const Size &size,
                            Restriction &restriction) {
  Val index = c.eval(*item.index);
  if (isNone(c, index, item.range))
    return false;
  restriction.size = Size(1);
  if (index.is(ValKind::Tensor)) {
    restriction.indices = index;
    if (typeOf(index).dtype == DType::Bool)
      c.unsupported(item.range, "indexing by a bool tensor",
                    "`where(mask, x, 0.0)` or `x.masked_fill(mask, 0.0)`");
    return typeOf(index).dtype != DType::Bool;
  }
  if (!isIndex(c, index, item.range))
    return false;
  restriction.drop = true;
  std::optional<int64_t> constant = c.host.constantInt(index);
  std::optional<int64_t> limit = c.host.constantOf(size);
  if (constant && limit && (*constant < -*limit || *constant >= *limit)) {
    c.error(DiagCode::TD404, item.range,
            "index " + llvm::Twine(*constant) + " is out of range")
        .label("dim " + llvm::Twine(restriction.dim) + " has " +
               llvm::Twine(*limit));
    return false;
  }
  restriction.start = fromTheFront(index, size);
  if (!constant || !limit)
    checkInRange(restriction.start, size, false, [&] {
      return c.emit().format(
          "index {} is out of range for size {}",
          {c.host.materialize(index), c.host.sizeValue(size)});
    });
  return true;
}

bool Indexing::resolveSlice(const ast::SubscriptItem &item, const Size &size,
                            Restriction &restriction) {
  int64_t &step = restriction.step;
  if (item.step) {
    auto given = c.host.requireInt(c.eval(*item.step), "the step of a slice");
    if (!given)
      return false;
    if (*given < 1) {
      reportNegativeStep(c, item, size, *given);
      return false;
    }
    step = *given;
  }
  auto ends = sliceEnds(item, size);
  if (!ends)
    return false;
  auto [start, stop] = *ends;
  Size length = stop - start.size;
  if (auto known = c.host.constantOf(length))
    length = Size(*known < 0 ? 0 : (*known + step - 1) / step);
  else if (step != 1)
    length = Size::floorDiv(length + Size(step - 1), Size(step));
  restriction.start = start;
  restriction.size = length;
  return true;
}

bool Indexing::hasDims(const TensorType &type,
                       llvm::ArrayRef<ast::SubscriptItem> items, size_t used,
                       SourceRange range) {
  size_t rank = type.dims.size();
  if (used <= rank)
    return true;
  for (const ast::SubscriptItem &item : items)
    if (item.kind == ast::SubscriptItem::Index &&
        isNone(c, c.eval(*item.index), item.range))
      return false;
  c.error(DiagCode::TD403, range,
          llvm::Twine(used) + " indices for " + llvm::Twine(rank) + " dims")
      .label(typeText(type));
  return false;
}

bool Indexing::resolveItems(const TensorType &type,
                            llvm::ArrayRef<ast::SubscriptItem> items,
                            SourceRange range,
                            llvm::SmallVectorImpl<Restriction> &restrictions) {
  using ast::SubscriptItem;
  size_t used = llvm::count_if(items, [](const SubscriptItem &item) {
    return item.kind != SubscriptItem::Ellipsis;
  });
  if (!hasDims(type, items, used, range))
    return false;
  bool sawEllipsis = false, sawTensor = false;
  unsigned dim = 0;
  for (const SubscriptItem &item : items) {
    Restriction restriction;
    switch (item.kind) {
    case SubscriptItem::Ellipsis:
      if (sawEllipsis) {
        c.error(DiagCode::TD403, item.range, "`...` can be used once");
        return false;
      }
      sawEllipsis = true;
      dim += type.dims.size() - used;
      continue;
    case SubscriptItem::Unknown:
      c.error(DiagCode::TD403, item.range, "`?` is for types, not for indices");
      return false;
    case SubscriptItem::Index: {
      restriction.dim = dim;
      if (!resolveIndex(item, type.dims[dim], restriction))
        return false;
      bool isTensor = restriction.indices.is(ValKind::Tensor);
      restrictions.push_back(restriction);
      if (isTensor && sawTensor) {
        bool areNumbers =
            llvm::all_of(restrictions, [](const Restriction &one) {
              return !one.indices.is(ValKind::Tensor) ||
                     typeOf(one.indices).dims.empty();
            });
        c.unsupported(item.range, "indexing by several tensors",
                      areNumbers ? "`.item()` makes an int of a 0-d tensor, as "
                                   "in `x[i.item(), j.item()]`"
                                 : "");
        return false;
      }
      sawTensor |= isTensor;
      break;
    }
    case SubscriptItem::Slice:
      restriction.dim = dim;
      if (!resolveSlice(item, type.dims[dim], restriction))
        return false;
      if (item.start || item.stop || restriction.step != 1)
        restrictions.push_back(restriction);
      break;
    }
    ++dim;
  }
  return true;
}

Val Indexing::indexTensor(const Val &tensor,
                          llvm::ArrayRef<ast::SubscriptItem> items,
                          SourceRange range) {
  llvm::SmallVector<Restriction> restrictions;
  if (!resolveItems(typeOf(tensor), items, range, restrictions))
    return c.fail();
  c.at(range);
  Val result = tensor;
  llvm::SmallVector<unsigned> dropped;
  const Restriction *gather = nullptr;
  for (const Restriction &one : restrictions) {
    if (one.indices.is(ValKind::Tensor)) {
      gather = &one;
      continue;
    }
    result = c.tensors.sliceOf(result, one.start, one.dim, one.step, one.size);
    if (one.drop)
      dropped.push_back(one.dim);
  }
  unsigned gatherDim = gather ? gather->dim : 0;
  for (unsigned dim : dropped)
    gatherDim -= gather && dim < gather->dim;
  if (!dropped.empty())
    result = c.tensors.reshapeTo(
        result, reduceShape(typeOf(result).dims, dropped, false).dims);
  if (gather)
    result = c.tensors.gatherOf(result, gather->indices, gatherDim, range);
  return result;
}

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

Val Indexing::updateTensor(const Val &tensor,
                           llvm::ArrayRef<ast::SubscriptItem> items,
                           const Val &update, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  llvm::SmallVector<Restriction> restrictions;
  if (!resolveItems(type, items, range, restrictions))
    return c.fail();
  Dims part = type.dims;
  llvm::SmallVector<unsigned> dropped;
  for (const Restriction &one : restrictions) {
    if (one.indices.is(ValKind::Tensor))
      return c.unsupported(range, "an update at the places of an index tensor");
    part[one.dim] = one.size;
    if (one.drop)
      dropped.push_back(one.dim);
  }
  c.at(range);
  Dims shown = reduceShape(part, dropped, false).dims;
  TensorType wanted{type.dtype, shown, type.place};
  Val value = update;
  if (value.isHostScalar()) {
    if (!c.tensors.takesFloat(value, type.dtype, range))
      return c.fail();
    value = c.tensors.fillTensor(value, wanted);
  }
  if (!c.tensors.isTensor(value, range, "an update"))
    return c.fail();
  ShapeAnswer answer = broadcastShapes({shown, typeOf(value).dims});
  bool grows = answer && answer.dims.size() != shown.size();
  for (size_t i = 0; answer && !grows && i != shown.size(); ++i)
    grows = shown[i].isConstant(1) && !answer.dims[i].isConstant(1);
  if (!answer || grows || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD401, range,
            "shapes do not fit: " + spelling(typeOf(value).dims) +
                " into a part of shape " + spelling(shown));
    return c.fail();
  }
  if (typeOf(value).dtype != type.dtype) {
    typed::failDTypes(c.tensors.builder, typeOf(value).dtype, type.dtype,
                      /*operand=*/0, type.dtype);
    c.tensors.explainFailure(range, value);
    return c.fail();
  }
  Vals both{tensor, value};
  if (!c.places.samePlace(both, range))
    return c.fail();
  value = c.tensors.reshapeTo(c.tensors.broadcastTo(both[1], shown), part);
  return updateAlong(both[0], restrictions, value);
}

namespace {
/// The elements that an index or a slice picks of a list, tuple or text.
struct Picked {
  int64_t start, step, count;
};
} // namespace

/// Resolves an item by Python's rules. `whole` names the indexed value in
/// messages, `parts` its elements. `index` is the value of an item that is an
/// index.
static std::optional<Picked> picked(Checker &c, const ast::SubscriptItem &item,
                                    const Val &index, int64_t size,
                                    llvm::StringRef whole,
                                    llvm::StringRef parts) {
  auto constant = [&](const Val &val) {
    auto value = c.host.requireInt(val, ("an index of a " + whole).str());
    if (value && *value < 0)
      *value += size;
    return value;
  };
  if (item.kind == ast::SubscriptItem::Index) {
    auto place = constant(index);
    if (!place)
      return std::nullopt;
    if (*place < 0 || *place >= size) {
      c.error(DiagCode::TD404, item.range, "the index is out of range")
          .label("it has " + llvm::Twine(size) + " " + parts);
      return std::nullopt;
    }
    return Picked{*place, 1, 1};
  }
  if (item.kind != ast::SubscriptItem::Slice) {
    c.error(DiagCode::TD403, item.range,
            "`" + c.text(item.range) + "` is no index of a " + whole);
    return std::nullopt;
  }
  int64_t step = 1;
  if (item.step) {
    auto given = c.host.requireInt(c.eval(*item.step), "the step of a slice");
    if (!given)
      return std::nullopt;
    if (*given == 0) {
      c.error(DiagCode::TD404, item.step->range,
              "the step of a slice must not be 0");
      return std::nullopt;
    }
    step = std::clamp(*given, -size - 1, size + 1);
  }
  bool forwards = step > 0;
  auto end = [&](const ast::Expr *expr,
                 int64_t otherwise) -> std::optional<int64_t> {
    if (!expr)
      return otherwise;
    auto value = constant(c.eval(*expr));
    if (!value)
      return std::nullopt;
    return forwards ? std::clamp<int64_t>(*value, 0, size)
                    : std::clamp<int64_t>(*value, -1, size - 1);
  };
  auto start = end(item.start, forwards ? 0 : size - 1);
  auto stop = end(item.stop, forwards ? size : -1);
  if (!start || !stop)
    return std::nullopt;
  int64_t distance = forwards ? *stop - *start : *start - *stop;
  int64_t stride = forwards ? step : -step;
  return Picked{*start, step,
                std::max<int64_t>(0, (distance + stride - 1) / stride)};
}

static Val evalIndex(Checker &c, const ast::SubscriptItem &item) {
  return item.kind == ast::SubscriptItem::Index ? c.eval(*item.index) : Val();
}

/// One of several known texts, by an index that is known only at run time; none
/// for any other index. At run time a text ends with its first NUL.
static std::optional<Val> pickText(Checker &c, const Val &index,
                                   llvm::ArrayRef<llvm::StringRef> texts) {
  auto hasNul = [](llvm::StringRef text) { return text.contains('\0'); };
  if (!index.is(ValKind::Int) || c.host.constantInt(index) || texts.empty() ||
      llvm::any_of(texts, hasNul))
    return std::nullopt;
  auto size = Size(static_cast<int64_t>(texts.size()));
  Val place = c.indexing.fromTheFront(index, size);
  c.indexing.checkInRange(place, size, false, [&] {
    return c.emit().format("index {} is out of range for size {}",
                           {c.host.materialize(index), c.host.sizeValue(size)});
  });
  Value text = c.emit().pickText(c.host.materialize(place), texts);
  return makeText("{}", {text});
}

Val Indexing::indexSequence(const Val &base, const ast::SubscriptItem &item) {
  llvm::ArrayRef<Val> elements = elementsOf(base);
  Val index = evalIndex(c, item);
  auto isText = [](const Val &val) {
    return val.is(ValKind::Str) && val.known;
  };
  if (llvm::all_of(elements, isText))
    if (auto text = pickText(c, index, llvm::map_to_vector(elements, textOf)))
      return *text;
  auto which = picked(c, item, index, static_cast<int64_t>(elements.size()),
                      base.is(ValKind::Tuple) ? "tuple" : "list", "elements");
  if (!which)
    return c.fail();
  if (item.kind == ast::SubscriptItem::Index)
    return elements[which->start];
  Vals part;
  for (int64_t i = 0; i != which->count; ++i)
    part.push_back(elements[which->start + i * which->step]);
  return makeSequence(base.kind, std::move(part));
}

/// A character is a str of one.
static Val indexText(Checker &c, const Val &base,
                     const ast::SubscriptItem &item) {
  auto text = c.host.requireStr(base, "a str that is indexed");
  if (!text)
    return c.fail();
  auto characters = charactersOf(*text);
  Val index = evalIndex(c, item);
  if (auto picked = pickText(c, index, characters))
    return *picked;
  auto which = picked(c, item, index, static_cast<int64_t>(characters.size()),
                      "str", "characters");
  if (!which)
    return c.fail();
  std::string part;
  for (int64_t i = 0; i != which->count; ++i)
    part += characters[which->start + i * which->step];
  return makeStr(part);
}

Val Indexing::evalSubscript(const ast::SubscriptExpr &expr) {
  Val base = c.eval(*expr.base);
  c.at(expr.range);
  switch (base.kind) {
  case ValKind::Error:
    return base;
  case ValKind::Tensor:
    return indexTensor(base, expr.items, expr.range);
  case ValKind::Tuple:
  case ValKind::List:
    if (expr.items.size() == 1)
      return indexSequence(base, expr.items[0]);
    break;
  case ValKind::Str:
    if (expr.items.size() == 1)
      return indexText(c, base, expr.items[0]);
    break;
  case ValKind::Model: {
    auto &model = base.as<ModelInstance>();
    if (model.native == NativeModel::None || expr.items.size() != 1)
      break;
    Vals parts;
    for (auto &member : model.members)
      parts.push_back(member.val);
    return indexSequence(makeSequence(ValKind::List, std::move(parts)),
                         expr.items[0]);
  }
  default:
    break;
  }
  c.error(DiagCode::TD304, expr.range, "cannot index " + describe(base));
  return c.fail();
}
