//===- Indexing.cpp - x[…] ----------------------------------------------===//

#include "Checker.h"
#include "Frontend/Characters.h"
#include "Frontend/Typed/Constructors.h"
#include "tdc_text.h"
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
  if (!index.isError() && !index.is(ValKind::Int))
    c.error(DiagCode::TD303, range,
            "an index is an int, not " + describe(index));
  return index.is(ValKind::Int);
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
    first = evalIndex(*item.start);
  if (item.stop)
    last = evalIndex(*item.stop);
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

/// Adds the numbers of nested lists of one shape to `numbers`; false after a
/// report.
static bool flattenList(Checker &c, const Val &list, unsigned depth, Dims &dims,
                        std::vector<int64_t> &numbers, SourceRange range) {
  auto differ = [&] {
    c.error(DiagCode::TD401, range, "the lists of an index differ in length");
    return false;
  };
  if (!list.is(ValKind::List) && !list.is(ValKind::Tuple)) {
    if (depth != dims.size())
      return differ();
    std::optional<int64_t> number =
        isIndex(c, list, range) ? c.host.requireInt(list, "an index in a list")
                                : std::nullopt;
    if (number)
      numbers.push_back(*number);
    return number.has_value();
  }
  Size size(static_cast<int64_t>(elementsOf(list).size()));
  if (depth == dims.size() && numbers.empty())
    dims.push_back(size);
  if (depth >= dims.size() || dims[depth] != size)
    return differ();
  return llvm::all_of(elementsOf(list), [&](const Val &element) {
    return flattenList(c, element, depth + 1, dims, numbers, range);
  });
}

/// The index tensor of `x[[0, 2]]`.
static std::optional<Val> tensorOfList(Checker &c, const Val &list,
                                       const Place &place, SourceRange range) {
  TensorType type{DType::I64, {}, place};
  std::vector<int64_t> numbers;
  if (!flattenList(c, list, 0, type.dims, numbers, range))
    return std::nullopt;
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(numbers.data()),
                             numbers.size() * sizeof(int64_t));
  return makeTensor(type, typed::constant(c.tensors.builder, bytes, type).value,
                    range);
}

bool Indexing::resolveIndex(const ast::SubscriptItem &item, const Val &index,
                            const Size &size, Restriction &restriction) {
  restriction.size = Size(1);
  if (index.is(ValKind::Tensor)) {
    restriction.indices = index;
    DType dtype = typeOf(index).dtype;
    if (dtype == DType::Bool)
      c.unsupported(item.range, "indexing by a bool tensor",
                    "`where(mask, x, 0.0)` or `x.masked_fill(mask, 0.0)`");
    else if (!isInteger(dtype) || isUnsigned(dtype))
      c.offerSuffix(
          c.error(DiagCode::TD301, item.range,
                  "indices must be i64 or i32, not " + tdc::spelling(dtype)),
          // of u8, PyTorch takes it for a mask
          index.range, dtype == DType::U8 ? ".to(bool)" : ".to(int)");
    else
      return true;
    return false;
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
    auto given =
        c.host.requireInt(evalIndex(*item.step), "the step of a slice");
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

static void collectIndices(const ast::Expr &target,
                           Indexing::TargetIndices &indices) {
  if (auto *call = llvm::dyn_cast<ast::CallExpr>(&target)) {
    auto *method = llvm::dyn_cast<ast::MemberExpr>(call->callee);
    if (method && isInPlaceName(method->member.text))
      collectIndices(*method->base, indices);
    return;
  }
  auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target);
  if (!part)
    return;
  collectIndices(*part->base, indices);
  for (const ast::SubscriptItem &item : part->items)
    for (const ast::Expr *expr : {item.index, item.start, item.stop, item.step})
      if (expr)
        indices.values[expr] = std::nullopt;
}

Indexing::KeptIndices::KeptIndices(Indexing &indexing,
                                   const ast::Expr &target) {
  const TargetIndices &kept = indexing.target;
  TargetIndices indices;
  indices.frame = indexing.c.frames.size();
  collectIndices(target, indices);
  bool isKept = kept.frame == indices.frame &&
                llvm::all_of(indices.values, [&](const auto &one) {
                  return kept.values.contains(one.first);
                });
  if (!isKept)
    saved.emplace(indexing.target, std::move(indices));
}

Val Indexing::evalIndex(const ast::Expr &expr) {
  auto found = target.values.find(&expr);
  if (found == target.values.end() || target.frame != c.frames.size())
    return c.eval(expr);
  if (!found->second) {
    Val val = c.eval(expr);
    target.values[&expr] = val;
    return val;
  }
  return *found->second;
}

Indexing::Items Indexing::evalItems(llvm::ArrayRef<ast::SubscriptItem> items) {
  Items result;
  for (const ast::SubscriptItem &item : items) {
    Val index =
        item.kind == ast::SubscriptItem::Index ? evalIndex(*item.index) : Val();
    if (item.index)
      c.sharing.use(index, item.index->range);
    // As in Python, `x[(i, j)]` is `x[i, j]`.
    Vals parts{index};
    if (items.size() == 1 && index.is(ValKind::Tuple))
      parts.assign(elementsOf(index).begin(), elementsOf(index).end());
    for (Val &part : parts)
      result.push_back({&item, std::move(part)});
  }
  return result;
}

std::optional<Indexing::Resolved> Indexing::resolveItems(const TensorType &type,
                                                         const Items &items,
                                                         SourceRange range) {
  using ast::SubscriptItem;
  size_t rank = type.dims.size(), used = 0;
  for (const auto &[item, index] : items)
    used += item->kind != SubscriptItem::Ellipsis && !index.is(ValKind::None);
  if (used > rank) {
    c.error(DiagCode::TD403, range,
            llvm::Twine(used) + " indices for " + countOf(rank, "dim"))
        .label(typeText(type));
    return std::nullopt;
  }
  Resolved resolved;
  bool sawEllipsis = false;
  unsigned dim = 0;
  for (const auto &[each, index] : items) {
    const SubscriptItem &item = *each;
    Restriction restriction;
    restriction.dim = dim;
    switch (item.kind) {
    case SubscriptItem::Ellipsis:
      if (sawEllipsis) {
        c.error(DiagCode::TD403, item.range, "`...` can be used once");
        return std::nullopt;
      }
      sawEllipsis = true;
      dim += rank - used;
      continue;
    case SubscriptItem::Unknown:
      c.error(DiagCode::TD403, item.range, "`?` is for types, not for indices");
      return std::nullopt;
    case SubscriptItem::Index: {
      if (index.is(ValKind::None)) {
        resolved.added.push_back(dim);
        continue;
      }
      Val own = index;
      if (index.is(ValKind::List) || index.is(ValKind::Tuple)) {
        auto tensor = tensorOfList(c, index, type.place, item.range);
        if (!tensor)
          return std::nullopt;
        own = *tensor;
      }
      if (!resolveIndex(item, own, type.dims[dim], restriction))
        return std::nullopt;
      resolved.restrictions.push_back(restriction);
      break;
    }
    case SubscriptItem::Slice:
      if (!resolveSlice(item, type.dims[dim], restriction))
        return std::nullopt;
      if (item.start || item.stop || restriction.step != 1)
        resolved.restrictions.push_back(restriction);
      break;
    }
    ++dim;
  }
  return resolved;
}

/// The sizes after slices and indices.
Dims Indexing::sizesOf(DimsRef dims, const Resolved &resolved) {
  Dims sizes;
  for (size_t dim = 0; dim <= dims.size(); ++dim) {
    sizes.append(llvm::count(resolved.added, dim), Size(1));
    if (dim == dims.size())
      break;
    const Restriction *own =
        llvm::find_if(resolved.restrictions,
                      [&](const Restriction &one) { return one.dim == dim; });
    if (own == resolved.restrictions.end() || own->indices.is(ValKind::Tensor))
      sizes.push_back(dims[dim]);
    else if (!own->drop)
      sizes.push_back(own->size);
  }
  return sizes;
}

std::optional<llvm::SmallVector<typed::Pick>>
Indexing::takePicks(Val &tensor, const Resolved &resolved, SourceRange range) {
  Vals all{tensor};
  for (const Restriction &one : resolved.restrictions)
    if (one.indices.is(ValKind::Tensor))
      all.push_back(one.indices);
  if (!c.places.samePlace(all, range))
    return std::nullopt;
  tensor = all.front();
  llvm::SmallVector<typed::Pick> picks;
  for (const Restriction &one : resolved.restrictions) {
    if (!one.indices.is(ValKind::Tensor))
      continue;
    unsigned dim = one.dim + llvm::count_if(resolved.added, [&](unsigned at) {
                     return at <= one.dim;
                   });
    for (const Restriction &other : resolved.restrictions)
      dim -= other.drop && other.dim < one.dim;
    picks.push_back({dim, typedOf(all[picks.size() + 1])});
  }
  return picks;
}

Val Indexing::indexTensor(const Val &tensor, const Items &items,
                          SourceRange range) {
  auto resolved = resolveItems(typeOf(tensor), items, range);
  if (!resolved)
    return c.fail();
  c.at(range);
  Val result = tensor;
  for (const Restriction &one : resolved->restrictions)
    if (!one.indices.is(ValKind::Tensor))
      result =
          c.tensors.sliceOf(result, one.start, one.dim, one.step, one.size);
  Dims sizes = sizesOf(typeOf(tensor).dims, *resolved);
  if (!c.tensors.isWithinRank(sizes.size(), range))
    return c.fail();
  result = c.tensors.reshapeTo(result, sizes);
  auto picks = takePicks(result, *resolved, range);
  if (!picks || picks->empty())
    return picks ? result : c.fail();
  Vals operands{result};
  return c.tensors.finish(
      typed::gatherAt(c.tensors.builder, typedOf(result), *picks), operands,
      range);
}

Val Indexing::indexDataset(const DatasetInfo &dataset, const Items &items,
                           SourceRange range) {
  bool isIndex =
      items.size() == 1 && items[0].first->kind == ast::SubscriptItem::Index;
  if (items.size() != 1 || (dataset.indices && !isIndex)) {
    c.error(DiagCode::TD304, range, "a data set is indexed by one int");
    return c.fail();
  }
  Items rows = items;
  if (dataset.indices) {
    rows[0].second = indexTensor(*dataset.indices, items, range);
    if (rows[0].second.isError())
      return c.fail();
  }
  Vals parts;
  for (const Val &tensor : dataset.tensors) {
    parts.push_back(indexTensor(tensor, rows, range));
    if (parts.back().isError())
      return c.fail();
  }
  return makeSequence(ValKind::Tuple, std::move(parts));
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
    auto given = c.host.requireInt(c.indexing.evalIndex(*item.step),
                                   "the step of a slice");
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
    auto value = constant(c.indexing.evalIndex(*expr));
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

static Val evalItem(Checker &c, const ast::SubscriptItem &item) {
  return item.kind == ast::SubscriptItem::Index
             ? c.indexing.evalIndex(*item.index)
             : Val();
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
  Val index = evalItem(c, item);
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

std::optional<int64_t> Indexing::elementNumber(const ast::SubscriptItem &item,
                                               size_t size) {
  if (item.kind == ast::SubscriptItem::Slice) {
    c.unsupported(item.range, "assignment to a slice of a list",
                  "a new list, as in `xs = xs[:1] + [value] + xs[2:]`");
    return std::nullopt;
  }
  auto which = picked(c, item, evalItem(c, item), static_cast<int64_t>(size),
                      "list", "elements");
  return which ? std::optional<int64_t>(which->start) : std::nullopt;
}

/// A character is a str of one.
static Val indexText(Checker &c, const Val &base,
                     const ast::SubscriptItem &item) {
  auto text = c.host.requireStr(base, "a str that is indexed");
  if (!text)
    return c.fail();
  auto characters = charactersOf(*text);
  Val index = evalItem(c, item);
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
  case ValKind::Tensor: {
    Items items = evalItems(expr.items);
    Val part = onScaleOf(base, indexTensor(base, items, expr.range));
    if (part.shareId || c.isPrelude(expr.range.file))
      return part;
    // Elements that a tensor picks are a copy, unless it has no dims.
    bool isView = llvm::all_of(items, [](const auto &item) {
      const Val &index = item.second;
      return !index.is(ValKind::List) &&
             !(index.is(ValKind::Tensor) && (!typeOf(index).dims.empty() ||
                                             !isInteger(typeOf(index).dtype)));
    });
    if (isView)
      c.sharing.viewAs(base, part);
    else
      c.sharing.use(base, expr.base->range);
    return part;
  }
  case ValKind::Dataset:
    return indexDataset(base.as<DatasetInfo>(), evalItems(expr.items),
                        expr.range);
  case ValKind::Tuple:
  case ValKind::List:
    c.sharing.useSelf(base, expr.base->range);
    if (expr.items.size() == 1)
      return indexSequence(base, expr.items[0]);
    break;
  case ValKind::Str:
    if (expr.items.size() == 1)
      return indexText(c, base, expr.items[0]);
    break;
  case ValKind::Model: {
    auto &model = base.as<ModelInstance>();
    if (!model.isList() || expr.items.size() != 1)
      break;
    Vals parts;
    for (auto &member : model.members)
      parts.push_back(member.val);
    return indexSequence(makeSequence(ValKind::List, std::move(parts)),
                         expr.items[0]);
  }
  case ValKind::ParameterGroup:
    return reportKey(base, expr);
  default:
    break;
  }
  c.error(DiagCode::TD304, expr.range, "cannot index " + describe(base));
  return c.fail();
}

Val Indexing::reportKey(const Val &group, const ast::SubscriptExpr &expr) {
  Val key = expr.items.size() == 1 && expr.items[0].index
                ? c.eval(*expr.items[0].index)
                : Val();
  Diagnostic &report = c.error(DiagCode::TD102, expr.range, "Python syntax");
  report.label("the settings of " + describe(group) + " are its fields");
  if (key.is(ValKind::Str) && key.known) {
    std::string field = "." + textOf(key).str();
    report.fix(FixIt::Safe, "`" + field + "`",
               {{expr.base->range.finish().to(expr.range.finish()), field}});
  }
  return c.fail();
}
