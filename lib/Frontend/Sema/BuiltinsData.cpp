//===- BuiltinsData.cpp - data sets, samplers, DataLoader -----------------===//
//
// A data set exists only while compiling: it names tensors and, of a subset,
// the rows. Its rows are read where a loader makes its batches.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Datasets.h"
#include "Frontend/Typed/Constructors.h"
#include <cmath>

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Data sets
//===----------------------------------------------------------------------===//

std::shared_ptr<DatasetInfo> sema::makeDataset(Checker &c,
                                               llvm::ArrayRef<Val> tensors,
                                               llvm::StringRef what,
                                               SourceRange range) {
  auto info = std::make_shared<DatasetInfo>();
  for (const Val &tensor : tensors) {
    if (tensor.is(ValKind::List) || tensor.is(ValKind::Tuple)) {
      c.error(DiagCode::TD303, tensor.range,
              what + " takes tensors one by one, not " + describe(tensor))
          .note("as in " + what.drop_back() + "(x, y)`")
          .fix(FixIt::Safe, "`*" + c.text(tensor.range) + "`",
               {{tensor.range.start(), "*"}});
      return nullptr;
    }
    if (!c.tensors.isTensor(tensor, range, what))
      return nullptr;
    if (typeOf(tensor).dims.empty()) {
      c.error(DiagCode::TD401, tensor.range, "a 0-d tensor has no rows");
      return nullptr;
    }
    info->tensors.push_back(tensor);
  }
  if (tensors.empty()) {
    c.error(DiagCode::TD205, range, what + " needs a tensor");
    return nullptr;
  }
  info->rows = typeOf(tensors[0]).dims[0];
  for (const Val &tensor : tensors) {
    ShapeAnswer answer = sameShape({info->rows}, {typeOf(tensor).dims[0]},
                                   "the numbers of rows differ");
    if (!answer || !c.tensors.prove(answer)) {
      c.error(DiagCode::TD401, tensor.range, "the numbers of rows differ")
          .label(info->rows.str() + " and " + typeOf(tensor).dims[0].str());
      return nullptr;
    }
  }
  return info;
}

static Val makePayload(ValKind kind, std::shared_ptr<Payload> info) {
  Val val = makeVal(kind);
  val.data = std::move(info);
  return val;
}

static Val tensorDataset(Checker &c, const Bound &args) {
  auto info = makeDataset(c, args.rest(), args.what(), args.range());
  return info ? makePayload(ValKind::Dataset, std::move(info)) : c.fail();
}

static bool isDataset(Checker &c, const Val &val, llvm::StringRef what) {
  if (val.is(ValKind::Dataset))
    return true;
  Diagnostic &report =
      c.error(DiagCode::TD303, val.range,
              what + " takes a data set, not " + describe(val));
  if (val.is(ValKind::Tensor))
    report.fix(
        FixIt::Safe, "`TensorDataset(" + c.text(val.range) + ")`",
        {{val.range.start(), "TensorDataset("}, {val.range.finish(), ")"}});
  else
    report.note("as in `TensorDataset(x, y)`");
  return false;
}

/// The rows of `dataset` that `rows` names.
static Val subsetOf(Checker &c, const DatasetInfo &dataset, Val rows,
                    SourceRange range) {
  auto info = std::make_shared<DatasetInfo>();
  info->tensors = dataset.tensors;
  info->chosen = rows;
  if (dataset.indices) {
    rows = c.tensors.gatherOf(*dataset.indices, rows, 0, range);
    if (rows.isError())
      return c.fail();
  }
  info->rows = typeOf(rows).dims[0];
  info->indices = std::move(rows);
  return makePayload(ValKind::Dataset, std::move(info));
}

Val sema::callNamed(Checker &c, llvm::StringRef name, const Bound &args,
                    Vals positional, std::optional<DType> dtype) {
  CallArgs call;
  call.range = call.calleeRange = args.range();
  call.positional = std::move(positional);
  if (dtype)
    call.keywords.push_back({{"dtype", args.range()}, makeDType(*dtype)});
  return c.calls.call(*c.scopes.findGlobal(name), call);
}

/// Row numbers that are known are compared with the number of rows now; others
/// are checked where a row is read.
static bool areRows(Checker &c, const Val &list, const Size &rows) {
  std::optional<int64_t> limit = c.host.constantOf(rows);
  for (const Val &element : elementsOf(list)) {
    auto row = c.host.constantInt(element);
    if (!limit || !row || (*row >= -*limit && *row < *limit))
      continue;
    c.error(DiagCode::TD404, list.range,
            "row " + llvm::Twine(*row) + " is out of range")
        .label("the data set has " + llvm::Twine(*limit) + " rows");
    return false;
  }
  return true;
}

/// An i64[N] of the row numbers in a list, a range or a tensor; an error after
/// a report. `rows`: of the data set, if it is known.
static Val takeRows(Checker &c, const Bound &args, const Val &given,
                    const Size *rows) {
  SourceRange range = given.range.isValid() ? given.range : args.range();
  Val result = given;
  if (given.is(ValKind::Range)) {
    auto &ends = given.as<RangeInfo>();
    result = callNamed(c, "arange", args, {ends.from, ends.to, ends.step});
  } else if (given.is(ValKind::List) || given.is(ValKind::Tuple)) {
    bool areInts = llvm::all_of(elementsOf(given), [](const Val &element) {
      return element.is(ValKind::Int);
    });
    if (areInts && rows && !areRows(c, given, *rows))
      return c.fail();
    if (areInts)
      result = callNamed(c, "tensor", args, {given}, DType::I64);
  }
  if (result.isError())
    return c.fail();
  if (!result.is(ValKind::Tensor) || typeOf(result).dims.size() != 1 ||
      !isInteger(typeOf(result).dtype)) {
    c.error(DiagCode::TD303, range,
            args.what() +
                " takes row numbers in a list, a range or a tensor "
                "of ints with one dim, not " +
                describe(given));
    return c.fail();
  }
  return c.tensors.castTo(result, DType::I64);
}

static Val subset(Checker &c, const Bound &args) {
  if (!isDataset(c, args["dataset"], args.what()))
    return c.fail();
  auto &dataset = args["dataset"].as<DatasetInfo>();
  Val rows = takeRows(c, args, args["indices"], &dataset.rows);
  return rows.isError() ? rows : subsetOf(c, dataset, rows, args.range());
}

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

static Val generator(Checker &c, const Bound &args) {
  auto info = std::make_shared<GeneratorInfo>();
  info->seed = makeInt(0);
  return makePayload(ValKind::Generator, std::move(info));
}

/// Its calls are counted while compiling, so each must happen once.
static bool canCount(Checker &c, SourceRange range) {
  if (c.isInsideRunTimeRegion())
    c.unsupported(range, "a generator in a loop or under a condition of the "
                         "running program");
  return !c.isInsideRunTimeRegion();
}

static Val manualSeed(Checker &c, const Bound &args) {
  const Val &val = args["generator"], &seed = args["seed"];
  if (!seed.is(ValKind::Int)) {
    c.error(DiagCode::TD303, seed.range,
            "a seed is an int, not " + describe(seed));
    return c.fail();
  }
  if (!canCount(c, args.range()))
    return c.fail();
  auto &info = val.as<GeneratorInfo>();
  info.seed = seed;
  info.calls = 0;
  return val;
}

/// The next call of `generator=`, or of the program's random stream without it;
/// none after a report.
static std::optional<RandomCall> takeCall(Checker &c, const Bound &args) {
  const Val *given = args.find("generator");
  if (!given || given->is(ValKind::None))
    return c.emit().nextRandom();
  if (!given->is(ValKind::Generator)) {
    c.error(DiagCode::TD303, given->range,
            "`generator=` takes a generator, not " + describe(*given))
        .note("as in `generator=Generator().manual_seed(42)`");
    return std::nullopt;
  }
  if (!canCount(c, given->range))
    return std::nullopt;
  auto &info = given->as<GeneratorInfo>();
  return RandomCall{c.host.materialize(info.seed),
                    c.emit().constantInt(info.calls++)};
}

//===----------------------------------------------------------------------===//
// random_split
//===----------------------------------------------------------------------===//

/// The sizes of the parts by PyTorch's rule: parts of 1 are rounded down, and
/// the rows that are left go to the first parts, one to each.
static bool takeFractions(Checker &c, const Bound &args,
                          llvm::ArrayRef<Val> given, const Size &rows,
                          Dims &sizes) {
  Val count = makeInt(rows);
  count.range = args["dataset"].range;
  auto total =
      c.host.requireInt(count, "the number of rows that fractions are of");
  if (!total)
    return false;
  int64_t left = *total;
  llvm::SmallVector<int64_t> whole;
  for (const Val &part : given) {
    double fraction = c.host.toFloat(part).number;
    if (!(fraction >= 0 && fraction <= 1)) {
      c.error(DiagCode::TD222, part.range.isValid() ? part.range : args.range(),
              "a fraction is from 0 to 1");
      return false;
    }
    whole.push_back(static_cast<int64_t>(
        std::floor(static_cast<double>(*total) * fraction)));
    left -= whole.back();
  }
  for (size_t i = 0; left > 0; --left, i = (i + 1) % whole.size())
    ++whole[i];
  for (int64_t size : whole)
    sizes.push_back(Size(size));
  return true;
}

/// Whether the lengths are known numbers whose sum is 1.
static bool areFractions(Checker &c, llvm::ArrayRef<Val> given) {
  double sum = 0;
  for (const Val &part : given) {
    Val number = c.host.toFloat(part);
    if (!number.known)
      return false;
    sum += number.number;
  }
  return std::abs(sum - 1) <= 1e-9;
}

static bool takeLengths(Checker &c, const Bound &args,
                        llvm::ArrayRef<Val> given, const Size &rows,
                        Dims &sizes) {
  if (areFractions(c, given))
    return takeFractions(c, args, given, rows, sizes);
  Size sum;
  for (const Val &part : given) {
    SourceRange range = part.range.isValid() ? part.range : args.range();
    if (!part.is(ValKind::Int)) {
      c.error(DiagCode::TD222, args["lengths"].range,
              "the lengths are ints, or fractions whose sum is 1");
      return false;
    }
    if (!c.tensors.requireSize(part.size, range))
      return false;
    sizes.push_back(part.size);
    sum = sum + part.size;
  }
  ShapeAnswer answer = sameShape(
      {sum}, {rows}, "the lengths of a split are not all rows of the data set");
  if (answer && c.tensors.prove(answer))
    return true;
  c.error(DiagCode::TD401, args["lengths"].range,
          "the sum of the lengths is not the number of rows")
      .label(sum.str() + " and " + rows.str());
  return false;
}

static Val randomSplit(Checker &c, const Bound &args) {
  if (!isDataset(c, args["dataset"], args.what()))
    return c.fail();
  auto &dataset = args["dataset"].as<DatasetInfo>();
  const Val &lengths = args["lengths"];
  bool isList = lengths.is(ValKind::List) || lengths.is(ValKind::Tuple);
  bool areNumbers = isList && !elementsOf(lengths).empty() &&
                    llvm::all_of(elementsOf(lengths), [](const Val &part) {
                      return part.is(ValKind::Int) || part.is(ValKind::Float);
                    });
  if (!areNumbers) {
    c.error(DiagCode::TD303, lengths.range,
            args.what() + " takes a list of ints or of fractions, not " +
                describe(lengths))
        .note("as in `random_split(dataset, [0.8, 0.2])`");
    return c.fail();
  }
  Dims sizes;
  if (!takeLengths(c, args, elementsOf(lengths), dataset.rows, sizes))
    return c.fail();
  std::optional<RandomCall> call = takeCall(c, args);
  if (!call)
    return c.fail();
  TensorType type{DType::I64, {dataset.rows}, Place()};
  Val order = c.tensors.fromTyped(typed::random(c.tensors.builder,
                                                td::Distribution::Permutation,
                                                /*bounds=*/{}, type, call),
                                  /*operands=*/{});
  Vals parts;
  Size start;
  for (const Size &size : sizes) {
    Val rows = c.tensors.sliceOf(order, makeInt(start), 0, 1, size);
    parts.push_back(subsetOf(c, dataset, rows, args.range()));
    if (parts.back().isError())
      return c.fail();
    start = start + size;
  }
  return makeSequence(ValKind::List, std::move(parts));
}

//===----------------------------------------------------------------------===//
// Samplers
//===----------------------------------------------------------------------===//

static Val weightedSampler(Checker &c, const Bound &args) {
  auto info = std::make_shared<SamplerInfo>();
  Val weights = args["weights"];
  if (weights.is(ValKind::List) || weights.is(ValKind::Tuple))
    weights = callNamed(c, "tensor", args, {weights}, DType::F64);
  if (weights.isError())
    return c.fail();
  if (!weights.is(ValKind::Tensor) || typeOf(weights).dims.size() != 1 ||
      typeOf(weights).dtype == DType::Bool) {
    c.error(DiagCode::TD303, args["weights"].range,
            "`weights` is a list or a tensor of numbers with one dim, not " +
                describe(args["weights"]));
    return c.fail();
  }
  const Val &count = args["num_samples"];
  if (!count.is(ValKind::Int)) {
    c.error(DiagCode::TD303, count.range,
            "`num_samples` is an int, not " + describe(count));
    return c.fail();
  }
  if (!c.tensors.requireSize(count.size, count.range))
    return c.fail();
  if (const Val *again = args.find("replacement")) {
    auto truth = c.host.requireBool(*again, "`replacement`");
    if (!truth)
      return c.fail();
    info->replacement = *truth;
  }
  auto drawn = c.host.constantOf(count.size),
       rows = c.host.constantOf(typeOf(weights).dims[0]);
  if (!info->replacement && drawn && rows && *drawn > *rows) {
    c.error(DiagCode::TD222, count.range,
            "without `replacement` a row is drawn once")
        .label(llvm::Twine(*drawn) + " of " + llvm::Twine(*rows) + " rows");
    return c.fail();
  }
  info->weights = c.tensors.castTo(weights, DType::F64);
  info->count = count.size;
  return makePayload(ValKind::Sampler, std::move(info));
}

static Val subsetSampler(Checker &c, const Bound &args) {
  auto info = std::make_shared<SamplerInfo>();
  Val rows = takeRows(c, args, args["indices"], nullptr);
  if (rows.isError())
    return c.fail();
  info->count = typeOf(rows).dims[0];
  info->indices = std::move(rows);
  return makePayload(ValKind::Sampler, std::move(info));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static Val dataLoader(Checker &c, const Bound &args) {
  return c.control.buildLoader(args);
}

llvm::ArrayRef<Builtin> sema::getDataBuiltins() {
  static const Builtin table[] = {
      {"DataLoader",
       "*dataset, batch_size=, shuffle=, drop_last=, sampler=, generator=, "
       "num_workers=, pin_memory=",
       dataLoader},
      {"TensorDataset", "*tensors", tensorDataset},
      {"Subset", "dataset, indices", subset},
      {"random_split", "dataset, lengths, generator=", randomSplit},
      {"WeightedRandomSampler",
       "weights, num_samples, replacement=", weightedSampler},
      {"SubsetRandomSampler", "indices", subsetSampler},
      {"Generator", "", generator},
      {"generator.manual_seed", "generator, seed", manualSeed},
  };
  return table;
}
