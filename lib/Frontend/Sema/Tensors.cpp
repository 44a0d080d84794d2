//===- Tensors.cpp - ops on tensors of a program --------------------------===//
//
// Makes explicit what the language leaves implicit: broadcasts, the dtype of
// host scalars, bool as 0 and 1, sizes as operands.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Movement.h"
#include "Frontend/Typed/Products.h"
#include "Frontend/Typed/Reductions.h"
#include "tdc_text.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace tdc;
using namespace tdc::sema;

Tensors::Tensors(Checker &c)
    : builder(
          c.host.sizes, [&c]() -> Emitter & { return c.emit(); },
          [this](const TypeFailure &failure) { reportTooLarge(failure); },
          [&c](const Place &place) {
            if (place.kind == Place::Kind::Symbol)
              c.devices.declareSymbol(place.symbol);
            bool isCpu =
                place.kind == Place::Kind::Free && c.places.freeIsCpu();
            return isCpu ? getCpu() : place;
          }),
      c(c) {}

void Tensors::reportTooLarge(const TypeFailure &failure) {
  // Results computed from such a tensor are too large as well: reported once.
  if (saidTooLarge && c.countReports() != 0)
    return;
  saidTooLarge = true;
  c.error(failure.code, c.here, failure.title).label(failure.label);
}

static SourceRange placedOf(llvm::ArrayRef<Val> operands) {
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) &&
        operand.as<TensorInfo>().placed.isValid())
      return operand.as<TensorInfo>().placed;
  return {};
}

Val Tensors::fromTyped(const Typed &tensor, llvm::ArrayRef<Val> operands) {
  return makeTensor(tensor.type, tensor.value, placedOf(operands));
}

Val Tensors::like(const Val &tensor, const Typed &result) {
  if (result.value == tensor.value)
    return tensor; // nothing was made
  Val val = fromTyped(result, tensor);
  val.range = tensor.range;
  return val;
}

Diagnostic &Tensors::explainFailure(SourceRange range,
                                    llvm::ArrayRef<Val> operands) {
  const TypeFailure &failure = builder.failure;
  Diagnostic &report = c.error(failure.code, range, failure.title);
  if (!failure.label.empty())
    report.label(failure.label);
  if (const auto &conversion = failure.conversion)
    c.offerSuffix(report, operands[conversion->operand].range,
                  ".to(" + conversion->dtype + ")",
                  conversion->isPromotion ? FixIt::Safe : FixIt::Choice);
  // A layer's tensors have its dtype: the argument is what does not fit.
  auto isOfFloats = [](const Val &val) {
    return val.is(ValKind::Tensor) && isFloat(typeOf(val).dtype);
  };
  if (failure.code == DiagCode::TD301 && c.isPrelude(range.file) &&
      report.fixes.empty() && operands.size() > 1 && isOfFloats(operands[0]) &&
      isOfFloats(operands[1]))
    c.offerSuffixThere(report, operands[0].range,
                       ".to(" + tdc::spelling(typeOf(operands[1]).dtype) + ")");
  return report;
}

Diagnostic &Tensors::explainFailureOf(llvm::StringRef what, SourceRange range,
                                      llvm::ArrayRef<Val> operands) {
  builder.failure.title = c.userFunction(what) + ": " + builder.failure.title;
  return explainFailure(range, operands);
}

Val Tensors::reportFailure(SourceRange range, llvm::StringRef what,
                           llvm::ArrayRef<Val> operands) {
  explainFailureOf(what, range, operands);
  return c.fail();
}

Val Tensors::finish(const MaybeTyped &result, llvm::ArrayRef<Val> operands,
                    SourceRange range) {
  if (result)
    return fromTyped(*result, operands);
  explainFailure(range, operands);
  return c.fail();
}

bool Tensors::isSameType(const TensorType &type, const TensorType &other,
                         llvm::StringRef reason) {
  ShapeAnswer answer = sameShape(type.dims, other.dims, reason);
  return type.dtype == other.dtype && answer && prove(answer);
}

bool Tensors::isTensor(const Val &val, SourceRange range,
                       llvm::StringRef what) {
  if (val.is(ValKind::Tensor))
    return true;
  if (!val.isError())
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : range,
            c.userFunction(what) + " takes a tensor, not " + describe(val));
  return false;
}

bool Tensors::isNumeric(const Val &val, SourceRange range,
                        llvm::StringRef what) {
  if (val.is(ValKind::Tensor) || val.isHostScalar())
    return true;
  if (val.isError())
    return false;
  Diagnostic &report =
      c.error(DiagCode::TD303, val.range.isValid() ? val.range : range,
              c.userFunction(what) + " takes tensors and numbers, not " +
                  describe(val));
  // A batch of a loader that was not taken apart.
  if (val.is(ValKind::Tuple) && !elementsOf(val).empty() &&
      elementsOf(val)[0].is(ValKind::Tensor))
    c.offerSuffix(report, val.range, "[0]");
  return false;
}

std::optional<unsigned> Tensors::takeDim(const Val &dim, const TensorType &type,
                                         SourceRange range, unsigned added) {
  std::optional<int64_t> number = c.host.requireInt(dim, "`dim`");
  if (!number)
    return std::nullopt;
  std::optional<unsigned> index =
      normalizeDim(*number, type.dims.size() + added);
  if (!index)
    c.error(DiagCode::TD403, dim.range.isValid() ? dim.range : range,
            "there is no dim " + llvm::Twine(*number))
        .label(typeText(type) + " has " + countOf(type.dims.size(), "dim") +
               ", counted from 0");
  return index;
}

bool Tensors::requireSize(const Size &size, SourceRange range) {
  auto message = [&](Value value) {
    return c.emit().format("a size is negative: {}", {value});
  };
  if (c.host.sizes.requireNotNegative(size, c.emit(), message))
    return true;
  c.error(DiagCode::TD401, range,
          "a size cannot be " + llvm::Twine(*c.host.constantOf(size)));
  return false;
}

bool Tensors::isWithinRank(size_t rank, SourceRange range) {
  if (builder.allowsRank(rank))
    return true;
  explainFailure(range, {});
  return false;
}

bool Tensors::accepts(OpKind op, DType dtype, SourceRange range,
                      llvm::StringRef what, const Val &operand) {
  if (typed::accepts(builder, op, dtype, c.userFunction(what)))
    return true;
  explainFailure(range, operand);
  return false;
}

//===----------------------------------------------------------------------===//
// Dtypes and broadcasting
//===----------------------------------------------------------------------===//

static int categoryOf(const Val &scalar) {
  return typed::categoryOf(scalar.is(ValKind::Bool)    ? DType::Bool
                           : scalar.is(ValKind::Float) ? DType::F64
                                                       : DType::I64);
}

bool Tensors::takesNumbers(llvm::ArrayRef<Val> operands, const Val &giver,
                           DType dtype, SourceRange range) {
  for (const Val &operand : operands) {
    if (!operand.isHostScalar() ||
        categoryOf(operand) <= typed::categoryOf(dtype))
      continue;
    bool isFloat = operand.is(ValKind::Float);
    Diagnostic &report =
        c.error(DiagCode::TD301, range,
                "no implicit conversion between " + tdc::spelling(dtype) +
                    " and " + (isFloat ? "a float" : "an int"));
    c.offerSuffix(report, giver.range, isFloat ? ".to(f32)" : ".to(i64)",
                  FixIt::Safe);
    return false;
  }
  return true;
}

bool Tensors::takesFloat(const Val &number, DType dtype, SourceRange range) {
  if (!number.is(ValKind::Float) || isFloat(dtype))
    return true;
  c.error(DiagCode::TD301, range,
          "no implicit conversion between a float and " + tdc::spelling(dtype));
  return false;
}

void Tensors::warnIfBothGrow(const typed::CommonType &common,
                             llvm::ArrayRef<Val> tensors, SourceRange range) {
  // `x.unsqueeze(1) + y` shows that a table is meant.
  bool isSaid = llvm::any_of(tensors, [&](const Val &tensor) {
    return tensor.range.isValid() &&
           c.text(tensor.range).contains(".unsqueeze(");
  });
  if (!common.bothGrow || isSaid || c.isPrelude(c.here.file))
    return;
  const Dims &dims = common.type.dims;
  Diagnostic &report =
      c.warning(DiagCode::TD405, range,
                "both sides grow: " + spelling(typeOf(tensors[0]).dims) +
                    " and " + spelling(typeOf(tensors[1]).dims) + " give " +
                    spelling(dims))
          .label("is this meant?");
  // A model with one output gives [64, 1], and the data has [64].
  for (const auto &[column, row] :
       {std::pair(tensors[0], tensors[1]), std::pair(tensors[1], tensors[0])}) {
    DimsRef all = typeOf(column).dims, some = typeOf(row).dims;
    if (all.size() == some.size() + 1 && all.drop_back() == some &&
        all.back().isConstant(1))
      c.offerSuffix(report, row.range,
                    ".unsqueeze(" + llvm::Twine(some.size()) + ")");
  }
  for (const Val &tensor : tensors)
    if (typeOf(tensor).dims.size() + 1 == dims.size())
      c.offerSuffix(report, tensor.range, ".unsqueeze(0)");
}

/// `x - x.mean(1)`, where a dim of 1 in the smaller one makes the shapes fit.
static void offerDim(Checker &c, Diagnostic &report, const Val &a,
                     const Val &b) {
  const Dims &large = typeOf(a).dims, &small = typeOf(b).dims;
  if (large.size() != small.size() + 1 || !c.isWritten(b.range))
    return;
  for (size_t dim = 0; dim != large.size(); ++dim) {
    Dims grown = small;
    grown.insert(grown.begin() + dim, Size(1));
    bool fits = llvm::all_of(llvm::zip(large, grown), [](const auto &pair) {
      auto &[x, y] = pair;
      return x == y || y.isConstant(1);
    });
    if (!fits)
      continue;
    report.note("a reduction keeps its dim with `keepdim=true`");
    c.offerSuffixThere(report, b.range, ".unsqueeze(" + llvm::Twine(dim) + ")");
    return;
  }
}

std::optional<llvm::SmallVector<Typed>>
Tensors::unify(llvm::MutableArrayRef<Val> operands, SourceRange range,
               llvm::StringRef what) {
  Vals tensors;
  for (const Val &operand : operands) {
    if (!isNumeric(operand, range, what))
      return std::nullopt;
    if (operand.is(ValKind::Tensor))
      tensors.push_back(operand);
  }
  auto types = llvm::map_to_vector(tensors, typedOf);
  std::optional<typed::CommonType> common =
      typed::commonType(builder, types, what);
  if (!common) {
    Diagnostic &report = explainFailure(range, tensors);
    if (tensors.size() == 2 && builder.failure.code == DiagCode::TD401) {
      offerDim(c, report, tensors[0], tensors[1]);
      offerDim(c, report, tensors[1], tensors[0]);
    }
    return std::nullopt;
  }
  if (!takesNumbers(operands, tensors[0], common->type.dtype, range))
    return std::nullopt;
  warnIfBothGrow(*common, tensors, range);
  std::optional<Place> place = c.places.samePlace(operands, range);
  if (!place)
    return std::nullopt;
  common->type.place = *place; // where numbers are made
  llvm::SmallVector<Typed> unified;
  for (const Val &operand : operands)
    unified.push_back(
        operand.is(ValKind::Tensor)
            ? typed::fit(builder, typedOf(operand), common->type)
            : Typed{fillValue(operand, common->type), common->type});
  return unified;
}

Val Tensors::elementwise(OpKind op, llvm::ArrayRef<Val> operands,
                         SourceRange range, llvm::StringRef what) {
  Vals values(operands);
  if (std::optional<DType> narrow = findNarrowWithNumber(op, operands)) {
    for (Val &value : values)
      value = widened(value);
    return rounded(elementwise(op, values, range, what), *narrow);
  }
  auto unified = unify(values, range, what);
  return unified ? finish(typed::elementwise(builder, op, *unified,
                                             c.userFunction(what)),
                          operands, range)
                 : c.fail();
}

Val Tensors::tensorCompare(td::ComparePredicate predicate, const Val &lhs,
                           const Val &rhs, SourceRange range,
                           llvm::StringRef what) {
  Vals operands{lhs, rhs};
  auto unified = unify(operands, range, what);
  return unified ? finish(typed::compare(builder, predicate, unified->front(),
                                         unified->back(), what),
                          {lhs, rhs}, range)
                 : c.fail();
}

Val Tensors::selectTensors(const Val &condition, Val onTrue, Val onFalse,
                           SourceRange range) {
  if (!isTensor(condition, range, "the condition of `where`"))
    return c.fail();
  for (const Val *side : {&onTrue, &onFalse})
    if (!isNumeric(*side, range, "`where`"))
      return c.fail();
  // Two host scalars: f32, as PyTorch's default; ints stay i64.
  if (!onTrue.is(ValKind::Tensor) && !onFalse.is(ValKind::Tensor)) {
    TensorType scalar;
    scalar.dtype = onTrue.is(ValKind::Float) || onFalse.is(ValKind::Float)
                       ? DType::F32
                       : DType::I64;
    scalar.place = typeOf(condition).place;
    onTrue = fillTensor(onTrue, scalar);
  }
  Vals all{condition, onTrue, onFalse};
  if (!c.places.samePlace(all, range))
    return c.fail();
  auto sides = unify(llvm::MutableArrayRef(all).drop_front(), range, "`where`");
  return sides ? finish(typed::select(builder, typedOf(all[0]), sides->front(),
                                      sides->back()),
                        all, range)
               : c.fail();
}

//===----------------------------------------------------------------------===//
// One tensor in
//===----------------------------------------------------------------------===//

Val Tensors::castTo(const Val &tensor, DType dtype) {
  return like(tensor, typed::cast(builder, typedOf(tensor), dtype));
}

std::pair<int64_t, int64_t> Tensors::limitsOf(DType dtype) {
  unsigned unused = 64 - 8 * byteSize(dtype);
  if (isUnsigned(dtype)) // of u64 an int holds the lower half
    return {0, static_cast<int64_t>(
                   std::min(UINT64_MAX >> unused, uint64_t(INT64_MAX)))};
  return {INT64_MIN >> unused, INT64_MAX >> unused};
}

void Tensors::checkFits(const Val &number, DType dtype) {
  if (!number.is(ValKind::Int) || !isInteger(dtype))
    return;
  std::optional<int64_t> value = c.host.constantInt(number);
  auto [least, most] = limitsOf(dtype);
  // As in PyTorch, -1 is 255 for u8, and every int is a u64.
  if (!value || dtype == DType::U64 ||
      (*value >= std::min(least, -most) && *value <= most))
    return;
  c.error(DiagCode::TD222, number.range.isValid() ? number.range : c.here,
          llvm::Twine(*value) + " does not fit " + tdc::spelling(dtype))
      .label("its numbers are from " + llvm::Twine(least) + " to " +
             llvm::Twine(most));
}

Value Tensors::fillValue(const Val &scalar, const TensorType &type) {
  checkFits(scalar, type.dtype);
  // Int literals in float tensors are float constants from the start.
  Val source = isFloat(type.dtype) && scalar.is(ValKind::Int)
                   ? c.host.toFloat(scalar)
                   : scalar;
  return typed::fill(builder, c.host.materialize(source), type).value;
}

Val Tensors::fillTensor(const Val &scalar, const TensorType &type,
                        SourceRange placed) {
  return makeTensor(type, fillValue(scalar, type), placed);
}

Val Tensors::broadcastTo(const Val &tensor, DimsRef dims) {
  Val result = like(tensor, typed::broadcast(builder, typedOf(tensor), dims));
  c.sharing.viewAs(tensor, result);
  return result;
}

Val Tensors::reshapeTo(const Val &tensor, DimsRef dims) {
  Val result = like(tensor, typed::reshape(builder, typedOf(tensor), dims));
  c.sharing.reshape(tensor, result);
  return result;
}

Val Tensors::permuteTo(const Val &tensor, llvm::ArrayRef<int64_t> permutation) {
  Val result =
      like(tensor, typed::permute(builder, typedOf(tensor), permutation));
  c.sharing.permute(tensor, result, permutation);
  return result;
}

/// An int as the builder takes it.
static TypedInt typedInt(const Val &number) {
  return {number.size, number.value};
}

Val Tensors::sliceOf(const Val &tensor, const Val &start, unsigned dim,
                     int64_t step, const Size &size) {
  Val result = like(tensor, typed::slice(builder, typedOf(tensor), dim,
                                         typedInt(start), size, step));
  c.sharing.slice(tensor, result, dim, start, step);
  return result;
}

Val Tensors::updateSliceOf(const Val &tensor, const Val &update,
                           const Val &start, unsigned dim, int64_t step) {
  return like(tensor,
              typed::updateSlice(builder, typedOf(tensor), typedOf(update), dim,
                                 typedInt(start), step));
}

Val Tensors::reduceOf(td::ReduceKind kind, const Val &tensor,
                      llvm::ArrayRef<unsigned> dims, bool keepDims) {
  return like(tensor,
              typed::reduce(builder, kind, typedOf(tensor), dims, keepDims));
}

Val Tensors::itemOf(const Val &tensor) {
  DType dtype = typeOf(tensor).dtype;
  Value value = c.emit().item(tensor.value);
  if (isFloat(dtype))
    return makeRunTime(ValKind::Float, value);
  if (dtype == DType::Bool)
    return makeRunTime(ValKind::Bool, value);
  Val item = c.host.runTimeInt(value, "item");
  if (dtype == DType::U64)
    c.emit().assertThat(
        c.emit().host(HostOp::Ge, {value, c.emit().constantInt(0)}),
        c.emit().constantString("the number of a u64 tensor does not fit an "
                                "int: it is 2^63 or more"),
        Check::Int);
  return item;
}

//===----------------------------------------------------------------------===//
// Several tensors in
//===----------------------------------------------------------------------===//

Val Tensors::concatOf(llvm::ArrayRef<Val> inputs, unsigned dim,
                      SourceRange range) {
  Vals tensors(inputs);
  if (!c.places.samePlace(tensors, range))
    return c.fail();
  auto parts = llvm::map_to_vector(tensors, typedOf);
  return finish(typed::concat(builder, parts, dim), tensors, range);
}

Val Tensors::gatherOf(const Val &tensor, const Val &indices, unsigned dim,
                      SourceRange range) {
  Vals both{tensor, indices};
  if (!c.places.samePlace(both, range))
    return c.fail();
  return finish(typed::gather(builder, typedOf(both[0]), typedOf(both[1]), dim),
                both, range);
}

/// Of a program's `8 * 28 * 28`; none for other code.
static std::optional<int64_t> productOf(llvm::StringRef code) {
  int64_t product = 1;
  do {
    int64_t factor = 0;
    llvm::StringRef number;
    std::tie(number, code) = code.split('*');
    if (number.trim().getAsInteger(10, factor) ||
        llvm::MulOverflow(product, factor, product))
      return std::nullopt;
  } while (!code.empty());
  return product;
}

/// How to fix a layer that was made for other features: by its first argument,
/// or by rows of the length that it needs.
static void offerFeatures(Checker &c, Diagnostic &report, const Val &tensor,
                          const Size &needed) {
  const Dims &input = typeOf(tensor).dims;
  SourceRange made = c.layerAround();
  std::string was = needed.str(), is = input.back().str();
  if (!made.isValid() || !input.back().isConstant())
    return;
  Dims rows(input.begin(), input.end());
  if (rows.size() > 2 && numElements(DimsRef(rows).drop_front()) == needed) {
    report.note("`.flatten(1)` makes rows of " + was + " of it");
    c.offerSuffixThere(report, tensor.range, ".flatten(1)");
    return;
  }
  llvm::StringRef code = c.text(made);
  llvm::StringRef first = code.split('(').second.split(',').first.trim();
  std::optional<int64_t> product = productOf(first);
  if (!product || !needed.isConstant(*product))
    return;
  auto offset = static_cast<uint32_t>(first.begin() - code.begin());
  uint32_t begin = made.begin + offset;
  SourceRange number = {made.file, begin,
                        begin + static_cast<uint32_t>(first.size())};
  std::string whole = code.str();
  whole.replace(offset, first.size(), is);
  report.fix(FixIt::Choice, "`" + whole + "`", {{number, is}});
}

/// Why matrices of these sizes, or stacks of them, have no product.
static std::string explainMisfit(const Dims &a, const Dims &b) {
  std::string left = a.back().str(),
              right = b[b.size() - std::min<size_t>(2, b.size())].str();
  if (left != right)
    return "the inner sizes differ: " + left + " and " + right;
  auto countsOf = [](const Dims &dims) {
    std::string text;
    for (const Size &dim : llvm::ArrayRef(dims).drop_back(2))
      text += (text.empty() ? "" : ", ") + dim.str();
    return "[" + text + "]";
  };
  return "the numbers of matrices differ: " + countsOf(a) + " and " +
         countsOf(b);
}

Val Tensors::matmulOf(const Val &lhs, const Val &rhs, SourceRange range) {
  Vals both{lhs, rhs};
  if (!c.places.samePlace(both, range))
    return c.fail();
  MaybeTyped product =
      typed::matmul(builder, typedOf(both[0]), typedOf(both[1]));
  if (product)
    return fromTyped(*product, both);
  const Dims &a = typeOf(lhs).dims, &b = typeOf(rhs).dims;
  bool isMisfit = builder.failure.code == DiagCode::TD401,
       isMatrix = !a.empty() && !b.empty(), isLayer = c.isPrelude(range.file);
  if (isMisfit && isMatrix && !isLayer)
    builder.failure.label = explainMisfit(a, b);
  Diagnostic &report = explainFailure(range, both);
  if (isMisfit && isMatrix && isLayer)
    offerFeatures(c, report, lhs, b.front());
  return c.fail();
}
