//===- Tensors.cpp - tensor operations on checked values ------------------===//
//
// What the language leaves implicit is made explicit here: broadcasts, the
// dtype of host scalars, bool as 0 and 1, sizes as operands.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace tdc;
using namespace tdc::sema;

Tensors::Tensors(Checker &c)
    : typed(
          c.host.sizes, [&c]() -> Emitter & { return c.emit(); },
          [this](const TensorType &type) { return shapeOf(type); }),
      c(c) {}

bool Tensors::prove(ShapeAnswer &answer) {
  return c.host.sizes.prove(answer, c.emit());
}

/// No process can address more; products of sizes below it fit in 64 bits.
static constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// Whether the sizes that are known multiply to more bytes than there can be.
/// Zeros do not count, because strides are products without them, and sizes
/// known only at run time are checked where the tensor is allocated.
static bool isTooLarge(const TensorShape &shape) {
  int64_t bytes = byteSize(shape.dtype);
  return llvm::any_of(shape.dims, [&](int64_t size) {
    return size > 1 &&
           (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxTensorBytes);
  });
}

TensorShape Tensors::shapeOf(const TensorType &type) {
  TensorShape shape;
  shape.dtype = type.dtype;
  for (const Size &size : type.dims)
    shape.dims.push_back(c.host.constantOf(size).value_or(kRunTimeSize));
  // What is computed from such a tensor is too large as well: told once.
  if (isTooLarge(shape) && !(saidTooLarge && c.countReports() != 0)) {
    saidTooLarge = true;
    c.error(DiagCode::TD412, c.here).label("this would be " + typeText(type));
  }
  shape.place = type.place;
  if (type.place.kind == Place::Kind::Symbol)
    c.devices.declareSymbol(type.place.symbol);
  else if (type.place.kind == Place::Kind::Free && c.places.freeIsCpu())
    shape.place.kind = Place::Kind::Cpu;
  return shape;
}

llvm::SmallVector<Value> Tensors::runTimeSizes(DimsRef dims) {
  llvm::SmallVector<Value> sizes;
  for (const Size &size : dims)
    if (!c.host.constantOf(size))
      sizes.push_back(c.host.sizeValue(size));
  return sizes;
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
  if (!val.isError())
    c.error(DiagCode::TD303, val.range.isValid() ? val.range : range,
            c.userFunction(what) + " takes tensors and numbers, not " +
                describe(val));
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
        .label(typeText(type) + " has " + llvm::Twine(type.dims.size()) +
               " dims, counted from 0");
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
  if (rank > kMaxRank)
    c.error(DiagCode::TD411, range, "a tensor has at most 16 dims");
  return rank <= kMaxRank;
}

bool Tensors::accepts(OpKind op, DType dtype, SourceRange range,
                      llvm::StringRef what, const Val &operand) {
  if (getOpInfo(op).accepts(dtype))
    return true;
  Diagnostic &report = c.error(DiagCode::TD304, range,
                               c.userFunction(what) + " is not defined for " +
                                   tdc::spelling(dtype) + " tensors");
  const OpInfo &info = getOpInfo(op);
  if (info.accepts(DType::F32) && dtype != DType::Bool)
    c.offerSuffix(report, operand.range, ".to(f32)", FixIt::Safe);
  else if (info.accepts(DType::I64))
    c.offerSuffix(report, operand.range, ".to(int)");
  return false;
}

//===----------------------------------------------------------------------===//
// Dtypes and broadcasting
//===----------------------------------------------------------------------===//

/// bool < int < float.
static int rankOf(DType dtype) {
  return dtype == DType::Bool ? 0 : isFloat(dtype) ? 2 : 1;
}
static int rankOf(const Val &scalar) {
  return scalar.is(ValKind::Bool) ? 0 : scalar.is(ValKind::Float) ? 2 : 1;
}

static Val castSuggestion(Checker &c, SourceRange range, const Val &wrong,
                          DType right, llvm::StringRef lhs, llvm::StringRef rhs,
                          llvm::StringRef what) {
  Diagnostic &report =
      c.error(DiagCode::TD301, range,
              "no implicit conversion between " + lhs + " and " + rhs);
  // As PyTorch does by itself.
  bool isSafe =
      wrong.is(ValKind::Tensor) && rankOf(typeOf(wrong).dtype) < rankOf(right);
  c.offerSuffix(report, wrong.range, ".to(" + tdc::spelling(right) + ")",
                isSafe ? FixIt::Safe : FixIt::Choice);
  return Val();
}

bool Tensors::unify(llvm::MutableArrayRef<Val> operands, SourceRange range,
                    llvm::StringRef what, TensorType &common) {
  for (const Val &operand : operands)
    if (!isNumeric(operand, range, what))
      return false;
  // The dtype: that of the tensors, which must agree (bool counts as 0 or 1).
  std::optional<DType> dtype;
  const Val *giver = nullptr;
  for (const Val &operand : operands) {
    if (!operand.is(ValKind::Tensor))
      continue;
    DType own = typeOf(operand).dtype;
    if (!dtype || *dtype == DType::Bool) {
      dtype = own;
      giver = &operand;
    } else if (own != *dtype && own != DType::Bool) {
      auto order = [](DType dtype) {
        return std::make_pair(rankOf(dtype), byteSize(dtype));
      };
      const Val *wrong = order(own) <= order(*dtype) ? &operand : giver;
      DType right = wrong == giver ? own : *dtype;
      Diagnostic &report =
          c.error(DiagCode::TD301, range,
                  "no implicit conversion between " + tdc::spelling(*dtype) +
                      " and " + tdc::spelling(own));
      report.label(typeText(typeOf(*giver)) + " " + what + " " +
                   typeText(typeOf(operand)));
      c.offerSuffix(report, wrong->range, ".to(" + tdc::spelling(right) + ")",
                    rankOf(own) != rankOf(*dtype) ? FixIt::Safe
                                                  : FixIt::Choice);
      return false;
    }
  }
  for (const Val &operand : operands)
    if (operand.isHostScalar() && rankOf(operand) > rankOf(*dtype)) {
      castSuggestion(c, range, *giver,
                     operand.is(ValKind::Float) ? DType::F32 : DType::I64,
                     tdc::spelling(*dtype),
                     operand.is(ValKind::Float) ? "a float" : "an int", what);
      return false;
    }
  // The shape.
  llvm::SmallVector<DimsRef, 3> shapes;
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor))
      shapes.push_back(typeOf(operand).dims);
  ShapeAnswer answer = broadcastShapes(shapes);
  if (!answer || !prove(answer)) {
    std::string both;
    for (DimsRef dims : shapes)
      both += (both.empty() ? "" : " and ") + spelling(dims);
    c.error(DiagCode::TD401, range,
            "shapes do not fit: " + what + " of " + both)
        .label(answer.problem);
    return false;
  }
  // `x.unsqueeze(1) + y` says that a table is meant.
  bool isSaid = llvm::any_of(operands, [&](const Val &operand) {
    return operand.range.isValid() &&
           c.text(operand.range).contains(".unsqueeze(");
  });
  if (answer.bothExpanded && !isSaid && !c.isPrelude(c.here.file)) {
    Diagnostic &report =
        c.warning(DiagCode::TD405, range,
                  "both sides grow: " + spelling(shapes[0]) + " and " +
                      spelling(shapes[1]) + " give " + spelling(answer.dims))
            .label("is this meant?");
    for (const Val &operand : operands)
      if (operand.is(ValKind::Tensor) &&
          typeOf(operand).dims.size() + 1 == answer.dims.size())
        c.offerSuffix(report, operand.range, ".unsqueeze(0)");
  }
  std::optional<Place> place = c.places.samePlace(operands, range);
  if (!place)
    return false;
  common = {*dtype, answer.dims, *place};
  SourceRange placed;
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) && !placed.isValid())
      placed = operand.as<TensorInfo>().placed;
  for (Val &operand : operands) {
    SourceRange origin = operand.range;
    if (operand.is(ValKind::Tensor))
      operand = broadcastTo(castTo(operand, *dtype), common.dims);
    else
      operand = fillTensor(operand, common, placed);
    operand.range = origin;
  }
  return true;
}

static SourceRange placedOf(llvm::ArrayRef<Val> operands) {
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) &&
        operand.as<TensorInfo>().placed.isValid())
      return operand.as<TensorInfo>().placed;
  return {};
}

Val Tensors::elementwise(OpKind op, llvm::ArrayRef<Val> operands,
                         SourceRange range, llvm::StringRef what) {
  Vals values(operands.begin(), operands.end());
  if (std::optional<DType> narrow = findNarrowBesideNumber(op, operands)) {
    for (Val &value : values)
      value = widened(value);
    return rounded(elementwise(op, values, range, what), *narrow);
  }
  SourceRange placed = placedOf(operands);
  TensorType common;
  if (!unify(values, range, what, common) ||
      !accepts(op, common.dtype, range, what, operands[0]))
    return c.fail();
  llvm::SmallVector<Value, 2> handles;
  for (const Val &value : values)
    handles.push_back(value.value);
  Value result = c.emit().op(op, handles, {}, {}, shapeOf(common));
  return makeTensor(std::move(common), result, placed);
}

Val Tensors::tensorCompare(td::ComparePredicate predicate, const Val &lhs,
                           const Val &rhs, SourceRange range,
                           llvm::StringRef what) {
  Vals values{lhs, rhs};
  SourceRange placed = placedOf(values);
  TensorType common;
  if (!unify(values, range, what, common))
    return c.fail();
  common.dtype = DType::Bool;
  Value result =
      c.emit().op(OpKind::Compare, {values[0].value, values[1].value},
                  {{"predicate", predicate}}, {}, shapeOf(common));
  return makeTensor(std::move(common), result, placed);
}

Val Tensors::selectTensors(const Val &condition, Val onTrue, Val onFalse,
                           SourceRange range) {
  if (!isTensor(condition, range, "the condition of `where`"))
    return c.fail();
  if (typeOf(condition).dtype != DType::Bool) {
    c.error(DiagCode::TD301, range,
            "the condition must be a bool tensor, not " +
                typeText(typeOf(condition)));
    return c.fail();
  }
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
  std::optional<Place> place = c.places.samePlace(all, range);
  if (!place)
    return c.fail();
  llvm::MutableArrayRef<Val> values = llvm::MutableArrayRef(all).drop_front();
  TensorType common;
  if (!unify(values, range, "`where`", common))
    return c.fail();
  ShapeAnswer answer = broadcastShapes({typeOf(condition).dims, common.dims});
  if (!answer || !prove(answer)) {
    c.error(DiagCode::TD401, range,
            "shapes do not fit: `where` of " +
                spelling(typeOf(condition).dims) + " and " +
                spelling(common.dims))
        .label(answer.problem);
    return c.fail();
  }
  common.dims = answer.dims;
  common.place = *place;
  Value result = c.emit().op(OpKind::Select,
                             {broadcastTo(all[0], common.dims).value,
                              broadcastTo(all[1], common.dims).value,
                              broadcastTo(all[2], common.dims).value},
                             {}, {}, shapeOf(common));
  return makeTensor(common, result, placedOf(all));
}

//===----------------------------------------------------------------------===//
// One tensor in
//===----------------------------------------------------------------------===//

static Val like(const Val &tensor, TensorType type, Value value) {
  Val val = makeTensor(std::move(type), value, tensor.as<TensorInfo>().placed);
  val.range = tensor.range;
  return val;
}

Val Tensors::castTo(const Val &tensor, DType dtype) {
  TensorType type = typeOf(tensor);
  if (type.dtype == dtype)
    return tensor;
  type.dtype = dtype;
  Value value = c.emit().op(OpKind::Cast, tensor.value, {}, {}, shapeOf(type));
  return like(tensor, std::move(type), value);
}

std::pair<int64_t, int64_t> Tensors::limitsOf(DType dtype) {
  if (dtype == DType::U8)
    return {0, 255};
  unsigned unused = 64 - 8 * byteSize(dtype);
  return {INT64_MIN >> unused, INT64_MAX >> unused};
}

void Tensors::checkFits(const Val &number, DType dtype) {
  if (!number.is(ValKind::Int) || !isInteger(dtype))
    return;
  std::optional<int64_t> value = c.host.constantInt(number);
  auto [least, most] = limitsOf(dtype);
  // As in PyTorch, -1 is 255 for u8.
  if (!value || (*value >= std::min(least, -most) && *value <= most))
    return;
  c.error(DiagCode::TD222, number.range.isValid() ? number.range : c.here,
          llvm::Twine(*value) + " does not fit " + tdc::spelling(dtype))
      .label("its numbers are from " + llvm::Twine(least) + " to " +
             llvm::Twine(most));
}

Val Tensors::fillTensor(const Val &scalar, const TensorType &type,
                        SourceRange placed) {
  checkFits(scalar, type.dtype);
  // Int literals in float tensors are float constants from the start.
  Val source = isFloat(type.dtype) && scalar.is(ValKind::Int)
                   ? c.host.toFloat(scalar)
                   : scalar;
  Value value = c.host.materialize(source);
  Value result = c.emit().op(OpKind::Fill, {value}, {}, runTimeSizes(type.dims),
                             shapeOf(type));
  return makeTensor(type, result, placed);
}

Val Tensors::broadcastTo(const Val &unaligned, DimsRef dims) {
  // A size that agrees with one that is known becomes known.
  Dims own = typeOf(unaligned).dims;
  DimsRef target = dims.take_back(own.size());
  for (auto [size, wanted] : llvm::zip(own, target))
    if (!size.isConstant(1) && c.host.constantOf(size).has_value() !=
                                   c.host.constantOf(wanted).has_value())
      size = wanted;
  Val tensor = reshapeTo(unaligned, own);
  TensorType type = typeOf(tensor);
  bool same = type.dims.size() == dims.size();
  for (size_t i = 0; same && i != dims.size(); ++i)
    same = type.dims[i] == dims[i] || !type.dims[i].isConstant(1);
  if (same)
    return tensor;
  type.dims.assign(dims.begin(), dims.end());
  Value value = c.emit().op(OpKind::Broadcast, tensor.value, {},
                            runTimeSizes(dims), shapeOf(type));
  return like(tensor, std::move(type), value);
}

Val Tensors::reshapeTo(const Val &tensor, DimsRef dims) {
  TensorType type = typeOf(tensor);
  if (DimsRef(type.dims) == dims)
    return tensor;
  type.dims.assign(dims.begin(), dims.end());
  Value value = c.emit().op(OpKind::Reshape, tensor.value, {},
                            runTimeSizes(dims), shapeOf(type));
  return like(tensor, std::move(type), value);
}

Val Tensors::permuteTo(const Val &tensor, llvm::ArrayRef<int64_t> permutation) {
  TensorType type = typeOf(tensor);
  Dims dims;
  bool identity = true;
  for (auto [i, from] : llvm::enumerate(permutation)) {
    dims.push_back(type.dims[from]);
    identity &= static_cast<int64_t>(i) == from;
  }
  if (identity)
    return tensor;
  type.dims = dims;
  Value value = c.emit().op(OpKind::Permute, tensor.value,
                            {{"permutation", permutation}}, {}, shapeOf(type));
  return like(tensor, std::move(type), value);
}

Val Tensors::sliceOf(const Val &tensor, const Val &start, unsigned dim,
                     int64_t step, const Size &size) {
  TensorType type = typeOf(tensor);
  if (step == 1 && type.dims[dim] == size && start.size.isConstant(0))
    return tensor;
  type.dims[dim] = size;
  Value value =
      c.emit().op(OpKind::Slice, {tensor.value, c.host.materialize(start)},
                  {{"dim", int64_t(dim)}, {"step", step}},
                  runTimeSizes(type.dims), shapeOf(type));
  return like(tensor, std::move(type), value);
}

Val Tensors::updateSliceOf(const Val &tensor, const Val &update,
                           const Val &start, unsigned dim, int64_t step) {
  Value value =
      c.emit().opLike(OpKind::UpdateSlice,
                      {tensor.value, update.value, c.host.materialize(start)},
                      {{"dim", int64_t(dim)}, {"step", step}});
  return like(tensor, typeOf(tensor), value);
}

Val Tensors::reduceOf(td::ReduceKind kind, const Val &tensor,
                      llvm::ArrayRef<unsigned> dims, bool keepDims) {
  return dims.empty() ? tensor
                      : reduceBy(OpKind::Reduce, {{"kind", kind}}, tensor, dims,
                                 keepDims);
}

Val Tensors::reduceBy(OpKind op, llvm::ArrayRef<OpAttribute> attributes,
                      const Val &tensor, llvm::ArrayRef<unsigned> dims,
                      bool keepDims) {
  TensorType type = typeOf(tensor);
  Dims full = type.dims;
  type.dims = reduceShape(full, dims, false).dims;
  llvm::SmallVector<int64_t, 4> numbers(dims.begin(), dims.end());
  llvm::sort(numbers);
  llvm::SmallVector<OpAttribute, 2> all(attributes);
  all.push_back({"dims", llvm::ArrayRef<int64_t>(numbers)});
  Value value = c.emit().op(op, tensor.value, all, {}, shapeOf(type));
  Val result = like(tensor, std::move(type), value);
  return keepDims ? reshapeTo(result, reduceShape(full, dims, true).dims)
                  : result;
}

Val Tensors::itemOf(const Val &tensor) {
  DType dtype = typeOf(tensor).dtype;
  Value value = c.emit().item(tensor.value);
  if (isFloat(dtype))
    return makeRunTime(ValKind::Float, value);
  if (dtype == DType::Bool)
    return makeRunTime(ValKind::Bool, value);
  return c.host.runTimeInt(value, "item");
}

//===----------------------------------------------------------------------===//
// Several tensors in
//===----------------------------------------------------------------------===//

Val Tensors::concatOf(llvm::ArrayRef<Val> inputs, unsigned dim,
                      SourceRange range) {
  Vals tensors(inputs.begin(), inputs.end());
  llvm::SmallVector<DimsRef, 4> shapes;
  for (const Val &tensor : tensors) {
    shapes.push_back(typeOf(tensor).dims);
    if (typeOf(tensor).dtype != typeOf(tensors[0]).dtype)
      return castSuggestion(c, range, tensor, typeOf(tensors[0]).dtype,
                            tdc::spelling(typeOf(tensors[0]).dtype),
                            tdc::spelling(typeOf(tensor).dtype), "`cat`");
  }
  ShapeAnswer answer = concatShape(shapes, dim);
  if (!answer || !prove(answer)) {
    c.error(DiagCode::TD401, range,
            "shapes do not fit: joining along dim " + llvm::Twine(dim))
        .label(answer.problem);
    return c.fail();
  }
  std::optional<Place> place = c.places.samePlace(tensors, range);
  if (!place)
    return c.fail();
  TensorType type{typeOf(tensors[0]).dtype, answer.dims, *place};
  llvm::SmallVector<Value, 4> handles;
  for (const Val &tensor : tensors)
    handles.push_back(tensor.value);
  Value value = c.emit().op(OpKind::Concat, handles, {{"dim", int64_t(dim)}},
                            {}, shapeOf(type));
  return makeTensor(std::move(type), value, placedOf(tensors));
}

Val Tensors::gatherOf(const Val &tensor, const Val &indices, unsigned dim,
                      SourceRange range) {
  DType dtype = typeOf(indices).dtype;
  if (!isInteger(dtype) || dtype == DType::U8) {
    c.offerSuffix(
        c.error(DiagCode::TD301, range,
                "indices must be i64 or i32, not " + tdc::spelling(dtype)),
        indices.range, ".to(int)");
    return c.fail();
  }
  ShapeAnswer answer =
      gatherShape(typeOf(tensor).dims, typeOf(indices).dims, dim);
  if (!answer) {
    c.error(DiagCode::TD401, range, "shapes do not fit: indexing")
        .label(answer.problem);
    return c.fail();
  }
  Vals both{tensor, indices};
  std::optional<Place> place = c.places.samePlace(both, range);
  if (!place)
    return c.fail();
  TensorType type{typeOf(tensor).dtype, answer.dims, *place};
  Value value = c.emit().op(OpKind::Gather,
                            {both[0].value, castTo(both[1], DType::I64).value},
                            {{"dim", int64_t(dim)}}, {}, shapeOf(type));
  return makeTensor(std::move(type), value, placedOf(both));
}

/// How a layer that was made for other features fits: by its first argument, or
/// by rows that are as long as it wants.
static void offerFeatures(Checker &c, Diagnostic &report, const Dims &input,
                          const Size &needed) {
  SourceRange made = c.layerAround();
  std::string was = needed.str(), is = input.back().str();
  if (!made.isValid() || !input.back().isConstant())
    return;
  Dims rows(input.begin(), input.end());
  if (rows.size() > 2 && numElements(DimsRef(rows).drop_front()) == needed) {
    report.note("`.flatten(1)` makes rows of " + was + " of it");
    return;
  }
  llvm::StringRef code = c.text(made);
  size_t open = code.find('(');
  if (open == llvm::StringRef::npos ||
      code.substr(open + 1).split(',').first.trim() != was)
    return;
  auto begin = static_cast<uint32_t>(made.begin + code.find(was, open));
  SourceRange number = {made.file, begin,
                        begin + static_cast<uint32_t>(was.size())};
  std::string whole = code.str();
  whole.replace(code.find(was, open), was.size(), is);
  report.fix(FixIt::Choice, "`" + whole + "`", {{number, is}});
}

Val Tensors::matmulOf(const Val &lhs, const Val &rhs, SourceRange range) {
  const TensorType &a = typeOf(lhs), &b = typeOf(rhs);
  if (a.dtype != b.dtype)
    return castSuggestion(c, range, rhs, a.dtype, tdc::spelling(a.dtype),
                          tdc::spelling(b.dtype), "`@`");
  if (!accepts(OpKind::Matmul, a.dtype, range, "`@`", lhs))
    return c.fail();
  ShapeAnswer answer = matmulShape(a.dims, b.dims);
  if (!answer || !prove(answer)) {
    Diagnostic &report =
        c.error(DiagCode::TD401, range,
                "shapes do not fit: matmul of " + spelling(a.dims) + " with " +
                    spelling(b.dims));
    bool isLayer = c.isPrelude(range.file) || a.dims.empty() || b.dims.empty();
    report.label(
        isLayer ? answer.problem
                : "the inner sizes differ: " + a.dims.back().str() + " and " +
                      b.dims[b.dims.size() - std::min<size_t>(2, b.dims.size())]
                          .str());
    if (!a.dims.empty() && !b.dims.empty() && c.isPrelude(range.file))
      offerFeatures(c, report, a.dims, b.dims.front());
    return c.fail();
  }
  Vals both{lhs, rhs};
  std::optional<Place> place = c.places.samePlace(both, range);
  if (!place)
    return c.fail();
  // Vectors become matrices; leading dims are made equal.
  Dims left(a.dims), right(b.dims);
  if (left.size() == 1)
    left.insert(left.begin(), Size(1));
  if (right.size() == 1)
    right.push_back(Size(1));
  Val l = reshapeTo(both[0], left), r = reshapeTo(both[1], right);
  size_t dropped = (a.dims.size() == 1) + (b.dims.size() == 1);
  size_t batch = answer.dims.size() - (2 - dropped);
  DimsRef leading = DimsRef(answer.dims).take_front(batch);
  auto full = [&](const Val &tensor) {
    Dims dims(leading.begin(), leading.end());
    const Dims &own = typeOf(tensor).dims;
    dims.append(own.end() - 2, own.end());
    return broadcastTo(tensor, dims);
  };
  // [..., M, K] @ [K, N] is one big matrix product.
  bool flatten = batch > 0 && b.dims.size() <= 2 && left.size() > 2;
  Dims wide(leading.begin(), leading.end());
  wide.push_back(left[left.size() - 2]);
  wide.push_back(right.back());
  TensorType type{a.dtype, wide, *place};
  SourceRange placed = placedOf(both);
  Val result;
  if (flatten) {
    Size rows = numElements(DimsRef(left).drop_back());
    Val flat = reshapeTo(l, {rows, left.back()});
    TensorType flatType{a.dtype, {rows, right.back()}, *place};
    Value value = c.emit().op(OpKind::Matmul, {flat.value, r.value}, {}, {},
                              shapeOf(flatType));
    result = reshapeTo(makeTensor(flatType, value, placed), wide);
  } else {
    l = full(l);
    r = full(r);
    Value value =
        c.emit().op(OpKind::Matmul, {l.value, r.value}, {}, {}, shapeOf(type));
    result = makeTensor(type, value, placed);
  }
  return reshapeTo(result, answer.dims);
}
