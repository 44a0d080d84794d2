//===- BuiltinsMovement.cpp - reshape, permute, cat … ---------------------===//

#include "BuiltinArguments.h"

using namespace tdc;
using namespace tdc::sema;

static bool tensorInput(Checker &c, const Bound &args, llvm::StringRef what) {
  return c.tensors.isTensor(args["input"], args.range(), what);
}

static Val reshape(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`reshape`"))
    return c.fail();
  Dims wanted;
  for (const Val &size : listOf(args.rest())) {
    if (!size.is(ValKind::Int)) {
      c.error(DiagCode::TD303, size.range,
              "a size is an int, not " + describe(size));
      return c.fail();
    }
    wanted.push_back(size.size);
  }
  if (!c.tensors.isWithinRank(wanted.size(), args.range()))
    return c.fail();
  const TensorType &type = typeOf(args["input"]);
  ShapeAnswer answer = reshapeShape(type.dims, wanted);
  if (!answer || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD406, args.range(),
            "cannot reshape " + spelling(type.dims) + " to " + spelling(wanted))
        .label(answer.problem);
    return c.fail();
  }
  for (const Size &size : answer.dims)
    if (!c.tensors.requireSize(size, args.range()))
      return c.fail();
  return c.tensors.reshapeTo(args["input"], answer.dims);
}

static Val flatten(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`flatten`"))
    return c.fail();
  const TensorType &type = typeOf(args["input"]);
  size_t rank = type.dims.size();
  if (rank == 0)
    return c.tensors.reshapeTo(args["input"], {Size(1)});
  const Val *first = args.find("start_dim"), *last = args.find("end_dim");
  auto from =
      c.tensors.takeDim(first ? *first : makeInt(0), type, args.range());
  auto to = c.tensors.takeDim(last ? *last : makeInt(-1), type, args.range());
  if (!from || !to)
    return c.fail();
  Dims dims(type.dims.begin(), type.dims.begin() + *from);
  if (*to >= *from)
    dims.push_back(
        numElements(DimsRef(type.dims).slice(*from, *to - *from + 1)));
  dims.append(type.dims.begin() + std::max(*to + 1, *from), type.dims.end());
  return c.tensors.reshapeTo(args["input"], dims);
}

static Val permute(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`permute`"))
    return c.fail();
  llvm::SmallVector<int64_t> permutation;
  for (const Val &dim : listOf(args.rest())) {
    auto number = c.host.requireInt(dim, "a dim");
    if (!number)
      return c.fail();
    permutation.push_back(*number);
  }
  const TensorType &type = typeOf(args["input"]);
  ShapeAnswer answer = permuteShape(type.dims, permutation);
  if (!answer) {
    c.error(DiagCode::TD403, args.range(), "not a permutation of the dims")
        .label(answer.problem);
    return c.fail();
  }
  for (int64_t &dim : permutation)
    dim = *normalizeDim(dim, type.dims.size());
  return c.tensors.permuteTo(args["input"], permutation);
}

static Val transpose(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`transpose`"))
    return c.fail();
  const TensorType &type = typeOf(args["input"]);
  auto a = c.tensors.takeDim(args["dim0"], type, args.range());
  auto b = c.tensors.takeDim(args["dim1"], type, args.range());
  if (!a || !b)
    return c.fail();
  llvm::SmallVector<int64_t> permutation;
  for (size_t i = 0; i != type.dims.size(); ++i)
    permutation.push_back(i);
  std::swap(permutation[*a], permutation[*b]);
  return c.tensors.permuteTo(args["input"], permutation);
}

static Val unsqueeze(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`unsqueeze`"))
    return c.fail();
  Dims dims = typeOf(args["input"]).dims;
  auto index = c.tensors.takeDim(args["dim"], typeOf(args["input"]),
                                 args.range(), /*added=*/1);
  if (!index)
    return c.fail();
  if (!c.tensors.isWithinRank(dims.size() + 1, args.range()))
    return c.fail();
  dims.insert(dims.begin() + *index, Size(1));
  return c.tensors.reshapeTo(args["input"], dims);
}

static Val squeeze(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`squeeze`"))
    return c.fail();
  const Dims &dims = typeOf(args["input"]).dims;
  Dims kept;
  if (const Val *given = args.find("dim")) {
    llvm::SmallVector<unsigned> named;
    for (const Val &dim : listOf(*given)) {
      auto index = c.tensors.takeDim(dim, typeOf(args["input"]), args.range());
      if (!index)
        return c.fail();
      named.push_back(*index);
    }
    // A dim of another size than 1 stays, as in PyTorch.
    for (unsigned i = 0; i != dims.size(); ++i)
      if (!llvm::is_contained(named, i) ||
          c.host.constantOf(dims[i]) != std::optional<int64_t>(1))
        kept.push_back(dims[i]);
  } else {
    for (const Size &size : dims)
      if (!size.isConstant(1))
        kept.push_back(size);
  }
  return c.tensors.reshapeTo(args["input"], kept);
}

static Val expandTo(Checker &c, const Bound &args, const Dims &wanted) {
  const Dims &own = typeOf(args["input"]).dims;
  ShapeAnswer answer = broadcastShapes({own, wanted});
  bool grows = answer && (answer.dims.size() != wanted.size() ||
                          !sameShape(answer.dims, wanted, ""));
  if (!answer || grows || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD401, args.range(),
            "cannot expand " + spelling(own) + " to " + spelling(wanted));
    return c.fail();
  }
  return c.tensors.broadcastTo(args["input"], wanted);
}

static Val expand(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`expand`"))
    return c.fail();
  const Dims &own = typeOf(args["input"]).dims;
  Dims wanted;
  Vals sizes = listOf(args.rest());
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!size.is(ValKind::Int)) {
      c.error(DiagCode::TD303, size.range, "a size is an int");
      return c.fail();
    }
    size_t added = sizes.size() - std::min(sizes.size(), own.size());
    bool keep = size.size.isConstant(-1) && i >= added;
    if (!keep && !c.tensors.requireSize(size.size, size.range))
      return c.fail();
    wanted.push_back(keep ? own[i - added] : size.size);
  }
  return expandTo(c, args, wanted);
}

static Val expandAs(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`expand_as`") ||
      !c.tensors.isTensor(args["other"], args.range(), "`expand_as`"))
    return c.fail();
  return expandTo(c, args, typeOf(args["other"]).dims);
}

static bool tensorsOf(Checker &c, const Bound &args, Vals &tensors) {
  const Val &list = args["tensors"];
  SourceRange range = args.range();
  if (!list.is(ValKind::List) && !list.is(ValKind::Tuple)) {
    c.error(DiagCode::TD303, list.range,
            "a list of tensors is needed, not " + describe(list));
    return false;
  }
  tensors.assign(elementsOf(list).begin(), elementsOf(list).end());
  if (tensors.empty()) {
    c.error(DiagCode::TD222, range, "there is nothing to join");
    return false;
  }
  return llvm::all_of(tensors, [&](const Val &tensor) {
    return c.tensors.isTensor(tensor, range, args.what());
  });
}

static Val cat(Checker &c, const Bound &args) {
  Vals tensors;
  if (!tensorsOf(c, args, tensors))
    return c.fail();
  // As in PyTorch, an empty vector fits tensors of any number of dims.
  auto isVector = [](const Val &val) { return typeOf(val).dims.size() == 1; };
  if (!llvm::all_of(tensors, isVector))
    llvm::erase_if(tensors, [&](const Val &val) {
      return isVector(val) && typeOf(val).dims[0].isConstant(0);
    });
  const Val *dim = args.find("dim");
  auto index = c.tensors.takeDim(dim ? *dim : makeInt(0), typeOf(tensors[0]),
                                 args.range());
  return index ? c.tensors.concatOf(tensors, *index, args.range()) : c.fail();
}

static Val stack(Checker &c, const Bound &args) {
  Vals tensors;
  const Val &list = args["tensors"];
  bool isList = list.is(ValKind::List) || list.is(ValKind::Tuple);
  if (isList && !elementsOf(list).empty() &&
      llvm::all_of(elementsOf(list),
                   [](const Val &val) { return val.isHostScalar(); })) {
    Diagnostic &report = c.error(
        DiagCode::TD303, list.range.isValid() ? list.range : args.range(),
        "`stack` takes tensors, and these are numbers");
    if (!args.has("dim"))
      report.fix(FixIt::Safe, "`tensor(…)`",
                 {{args.call.calleeRange, "tensor"}});
    return c.fail();
  }
  if (!tensorsOf(c, args, tensors))
    return c.fail();
  const Val *dim = args.find("dim");
  auto index = c.tensors.takeDim(dim ? *dim : makeInt(0), typeOf(tensors[0]),
                                 args.range(), /*added=*/1);
  if (!index)
    return c.fail();
  Vals raised;
  for (const Val &tensor : tensors) {
    Dims dims = typeOf(tensor).dims;
    ShapeAnswer answer =
        sameShape(typeOf(tensors[0]).dims, dims, "the shapes differ");
    if (!answer || !c.tensors.prove(answer)) {
      c.error(DiagCode::TD401, args.range(), "shapes do not fit: `stack`")
          .label(answer.problem);
      return c.fail();
    }
    dims.insert(dims.begin() + *index, Size(1));
    raised.push_back(c.tensors.reshapeTo(tensor, dims));
  }
  return c.tensors.concatOf(raised, *index, args.range());
}

/// Parts of known sizes along a dim.
static Val partsOf(Checker &c, const Val &input, unsigned dim,
                   llvm::ArrayRef<int64_t> sizes) {
  Vals parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    Val part = c.tensors.sliceOf(input, makeInt(start), dim, 1, Size(size));
    part.range = input.range;
    parts.push_back(part);
    start += size;
  }
  return makeSequence(ValKind::Tuple, std::move(parts));
}

static Val chunk(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`chunk`"))
    return c.fail();
  const TensorType &type = typeOf(args["input"]);
  const Val *dim = args.find("dim");
  auto index = c.tensors.takeDim(dim ? *dim : makeInt(0), type, args.range());
  auto chunks = c.host.requireInt(args["chunks"], "`chunks`");
  if (!index || !chunks)
    return c.fail();
  auto total =
      c.host.requireInt(makeInt(type.dims[*index]), "the size of the dim");
  if (!total)
    return c.fail();
  if (*chunks < 1 || *chunks > 100000) {
    c.error(DiagCode::TD222, args.range(), "`chunks` must be positive");
    return c.fail();
  }
  int64_t each = std::max<int64_t>(1, (*total + *chunks - 1) / *chunks);
  llvm::SmallVector<int64_t> sizes;
  for (int64_t start = 0; start < *total; start += each)
    sizes.push_back(std::min(each, *total - start));
  return partsOf(c, args["input"], *index, sizes);
}

static Val split(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`split`"))
    return c.fail();
  const TensorType &type = typeOf(args["input"]);
  const Val *dim = args.find("dim");
  auto index = c.tensors.takeDim(dim ? *dim : makeInt(0), type, args.range());
  if (!index)
    return c.fail();
  auto total =
      c.host.requireInt(makeInt(type.dims[*index]), "the size of the dim");
  if (!total)
    return c.fail();
  llvm::SmallVector<int64_t> sizes;
  const Val &wanted = args["split_size"];
  if (wanted.is(ValKind::Int)) {
    auto each = c.host.requireInt(wanted, "`split_size`");
    if (!each)
      return c.fail();
    if (*each < 1 || *total / *each > 100000) {
      c.error(DiagCode::TD222, args.range(), "`split_size` must be positive");
      return c.fail();
    }
    for (int64_t start = 0; start < *total; start += *each)
      sizes.push_back(std::min(*each, *total - start));
  } else {
    Vals list;
    if (!c.control.elementsOfIterable(wanted, args.range(), list))
      return c.fail();
    int64_t sum = 0;
    for (const Val &size : list) {
      auto number = c.host.requireInt(size, "a size");
      if (!number)
        return c.fail();
      sizes.push_back(*number);
      sum += *number;
    }
    if (sum != *total ||
        llvm::any_of(sizes, [](int64_t size) { return size < 0; })) {
      c.error(DiagCode::TD401, args.range(),
              "the parts do not add up to " + llvm::Twine(*total));
      return c.fail();
    }
  }
  return partsOf(c, args["input"], *index, sizes);
}

static Val numel(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`numel`"))
    return c.fail();
  return makeInt(numElements(typeOf(args["input"]).dims));
}

static Val sizeOf(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`size`"))
    return c.fail();
  const Dims &dims = typeOf(args["input"]).dims;
  if (const Val *dim = args.find("dim")) {
    auto index = c.tensors.takeDim(*dim, typeOf(args["input"]), args.range());
    return index ? makeInt(dims[*index]) : c.fail();
  }
  Vals sizes;
  for (const Size &size : dims)
    sizes.push_back(makeInt(size));
  return makeSequence(ValKind::Tuple, std::move(sizes));
}

static Val rankOf(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`dim`"))
    return c.fail();
  return makeInt(static_cast<int64_t>(typeOf(args["input"]).dims.size()));
}

static Val contiguous(Checker &c, const Bound &args) {
  if (!tensorInput(c, args, "`contiguous`"))
    return c.fail();
  Val result = args["input"];
  if (c.sharing.isScattered(result))
    result.shareId = 0;
  return result;
}

/// The last dims of a normalised shape, as negative numbers; for the prelude.
static Val trailingDims(Checker &c, const Bound &args) {
  Vals shape = listOf({args["shape"]});
  Vals dims;
  for (size_t i = 0; i != shape.size(); ++i)
    dims.push_back(
        makeInt(static_cast<int64_t>(i) - static_cast<int64_t>(shape.size())));
  return makeSequence(ValKind::Tuple, std::move(dims));
}

llvm::ArrayRef<Builtin> sema::getMovementBuiltins() {
  static const Builtin table[] = {
      {"reshape", "input, *shape=", reshape, Shares::Kept},
      {"view", "input, *shape=", reshape, Shares::Kept},
      {"flatten", "input, start_dim=, end_dim=", flatten, Shares::Kept},
      {"permute", "input, *dims=", permute, Shares::Kept},
      {"transpose", "input, dim0, dim1", ofAnyRank<transpose>, Shares::Kept},
      {"unsqueeze", "input, dim", unsqueeze, Shares::Kept},
      {"squeeze", "input, dim=", ofAnyRank<squeeze>, Shares::Kept},
      {"expand", "input, *sizes", expand, Shares::Kept},
      {"expand_as", "input, other", expandAs, Shares::Kept},
      {"cat", "tensors, dim=", cat},
      {"stack", "tensors, dim=", stack},
      {"chunk", "input, chunks, dim=", chunk, Shares::Kept},
      {"split", "input, split_size, dim=", split, Shares::Kept},
      {"numel", "input", numel, Shares::Type, Takes::Names},
      {"size", "input, dim=", sizeOf, Shares::Type, Takes::Names},
      {"dim", "input", rankOf, Shares::Type, Takes::Names},
      {"contiguous", "input", contiguous, Shares::Kept},
      {"trailing_dims", "shape", trailingDims},
  };
  return table;
}
