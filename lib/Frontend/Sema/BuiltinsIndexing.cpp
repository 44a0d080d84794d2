//===- BuiltinsIndexing.cpp - gather, scatter_add, index_select -----------===//

#include "Checker.h"
#include "Frontend/Typed/Indexing.h"

using namespace tdc;
using namespace tdc::sema;

/// Index tensors are i64.
static bool isIndex(Checker &c, const Val &index, SourceRange range) {
  if (!c.tensors.isTensor(index, range, "`index`"))
    return false;
  if (typeOf(index).dtype == DType::I64)
    return true;
  Diagnostic &report = c.error(DiagCode::TD301, range,
                               "no implicit conversion between i64 and " +
                                   tdc::spelling(typeOf(index).dtype))
                           .label("indices are i64");
  c.offerSuffix(report, index.range, ".to(int)");
  return false;
}

using Part = llvm::SmallVector<Indexing::Restriction>;

/// The part of a tensor for which `index` has elements. As in PyTorch the part
/// may be smaller than the tensor, except along `dim`, where `index` picks.
static std::optional<Part> findPart(Checker &c, const Bound &args,
                                    llvm::StringRef name,
                                    std::optional<unsigned> dim) {
  DimsRef sizes = typeOf(args[name]).dims, wanted = typeOf(args["index"]).dims;
  auto refuse = [&](const llvm::Twine &problem) {
    c.error(DiagCode::TD401, args.range(), "shapes do not fit: " + args.what())
        .label(problem);
    return std::nullopt;
  };
  if (sizes.size() != wanted.size())
    return refuse("the numbers of dims differ: " + spelling(sizes) + " and " +
                  spelling(wanted));
  Part part;
  for (unsigned i = 0; i != sizes.size(); ++i) {
    if (i == dim || sizes[i] == wanted[i])
      continue;
    std::string problem = "dim " + std::to_string(i) +
                          " of `index` is larger than that of `" + name.str() +
                          "`";
    Size room = sizes[i] - wanted[i];
    std::optional<int64_t> known = c.host.constantOf(room);
    if (known == std::optional<int64_t>(0))
      continue;
    if (known && *known < 0)
      return refuse(problem + ": " + wanted[i].str() + " and " +
                    sizes[i].str());
    c.host.sizes.requireNotNegative(room, c.emit(), [&](Value) {
      return c.host.materialize(makeStr(args.what() + ": " + problem));
    });
    part.push_back({i, makeInt(0), wanted[i], 1, false, Val()});
  }
  return part;
}

static Val take(Checker &c, const Val &tensor, const Part &part) {
  Val result = tensor;
  for (const Indexing::Restriction &one : part)
    result = c.tensors.sliceOf(result, one.start, one.dim, one.step, one.size);
  return result;
}

static Val gather(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"];
  if (!c.tensors.isTensor(input, args.range(), "`gather`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  std::optional<Part> part = findPart(c, args, "input", dim);
  if (!part)
    return c.fail();
  Vals both{input, index};
  if (!c.places.samePlace(both, args.range()))
    return c.fail();
  return c.tensors.fromTyped(
      typed::gatherAlong(c.tensors.builder, typedOf(take(c, both[0], *part)),
                         typedOf(both[1]), *dim),
      both);
}

static Val scatterAdd(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"], &src = args["src"];
  if (!c.tensors.isTensor(input, args.range(), "`scatter_add`") ||
      !c.tensors.isTensor(src, args.range(), "`scatter_add`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  if (typeOf(src).dtype != typeOf(input).dtype) {
    c.error(DiagCode::TD301, args.range(),
            "no implicit conversion between " +
                tdc::spelling(typeOf(input).dtype) + " and " +
                tdc::spelling(typeOf(src).dtype));
    return c.fail();
  }
  std::optional<Part> part = findPart(c, args, "input", dim);
  std::optional<Part> added =
      part ? findPart(c, args, "src", std::nullopt) : std::nullopt;
  if (!added)
    return c.fail();
  Vals all{input, index, src};
  if (!c.places.samePlace(all, args.range()))
    return c.fail();
  Val reached = take(c, all[0], *part);
  Val sums = c.tensors.fromTyped(
      typed::scatterAddAlong(c.tensors.builder, typedOf(reached),
                             typedOf(all[1]), typedOf(take(c, all[2], *added)),
                             *dim),
      all);
  return c.indexing.updateAlong(all[0], *part, sums);
}

static Val indexSelect(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"];
  if (!c.tensors.isTensor(input, args.range(), "`index_select`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  return dim ? c.tensors.gatherOf(input, index, *dim, args.range()) : c.fail();
}

llvm::ArrayRef<Builtin> sema::getIndexingBuiltins() {
  static const Builtin table[] = {
      {"gather", "input, dim, index", gather},
      {"scatter_add", "input, dim, index, src", scatterAdd},
      {"index_select", "input, dim, index", indexSelect},
  };
  return table;
}
