//===- Loaders.cpp - DataLoader -------------------------------------------===//
//
// A loader is a loop over full batches of a static size, and the body once more
// for the remaining rows. An epoch has an order of the rows if they are
// shuffled, sampled or those of a subset: a tensor whose slices are gathered.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Datasets.h"
#include "Frontend/Typed/Constructors.h"

using namespace tdc;
using namespace tdc::sema;

/// The data set of the first argument, or of the tensors that are given one by
/// one; null after a report.
static std::shared_ptr<DatasetInfo> takeDataset(Checker &c, const Bound &args) {
  llvm::ArrayRef<Val> given = args.rest();
  for (const Val &val : given.drop_front(!given.empty())) {
    // PyTorch's second and third parameter, after the data set.
    if (!val.is(ValKind::Int) && !val.is(ValKind::Bool))
      continue;
    std::string name = val.is(ValKind::Int) ? "batch_size" : "shuffle";
    c.error(DiagCode::TD205, val.range,
            "`" + name + "` of `DataLoader` is given by name")
        .fix(FixIt::Safe, "`" + name + "=" + c.text(val.range) + "`",
             {{val.range.start(), name + "="}});
    return nullptr;
  }
  auto isSet = [](const Val &val) { return val.is(ValKind::Dataset); };
  if (llvm::none_of(given, isSet))
    return makeDataset(c, given, "`DataLoader`", args.range());
  if (given.size() == 1)
    return given[0].share<DatasetInfo>();
  c.error(DiagCode::TD205, given[1].range,
          "`DataLoader` takes one data set, or tensors");
  return nullptr;
}

/// Where a loader reads the rows of a tensor. A free tensor is on the cpu: it
/// was brought there, or is there by the rule of `strict`.
static Val deviceOf(Checker &c, const Val &tensor) {
  const Place &place = typeOf(tensor).place;
  return makeDevice(place.kind == Place::Kind::Free ? getCpu() : place, c.here);
}

/// The sampler of `sampler=`; false after a report.
static bool takeSampler(Checker &c, const Bound &args, LoaderInfo &info) {
  const Val *given = args.find("sampler");
  if (!given || given->is(ValKind::None))
    return true;
  if (!given->is(ValKind::Sampler)) {
    c.error(DiagCode::TD303, given->range,
            "`sampler=` takes a sampler, not " + describe(*given))
        .note("as in `WeightedRandomSampler(weights, 1000)`");
    return false;
  }
  if (info.shuffle) {
    c.error(DiagCode::TD205, args["shuffle"].range,
            "a loader with a `sampler` is not shuffled")
        .label("the sampler decides the order");
    return false;
  }
  info.sampler = std::make_shared<SamplerInfo>(given->as<SamplerInfo>());
  for (std::optional<Val> *tensor :
       {&info.sampler->weights, &info.sampler->indices})
    if (*tensor)
      *tensor = c.places.moveTensor(c.places.bringHome(**tensor),
                                    makeDevice(getCpu(), c.here), c.here);
  info.rows = info.sampler->count;
  return true;
}

Val ControlFlow::buildLoader(const Bound &args) {
  auto info = std::make_shared<LoaderInfo>();
  std::shared_ptr<DatasetInfo> dataset = takeDataset(c, args);
  if (!dataset)
    return c.fail();
  // Free tensors and their batches have the cpu as their home here.
  for (const Val &tensor : dataset->tensors) {
    info->isFree.push_back(typeOf(tensor).place.kind == Place::Kind::Free);
    info->tensors.push_back(c.places.bringHome(tensor));
  }
  if (dataset->indices)
    info->indices = c.places.moveTensor(c.places.bringHome(*dataset->indices),
                                        deviceOf(c, info->tensors[0]), c.here);
  info->dataset = dataset;
  info->rows = dataset->rows;
  if (const Val *size = args.find("batch_size")) {
    std::optional<int64_t> batch = c.host.requireInt(*size, "`batch_size`");
    if (!batch)
      return c.fail();
    if (*batch < 1) {
      c.error(DiagCode::TD222, size->range, "`batch_size` must be at least 1")
          .label("it is " + llvm::Twine(*batch));
      return c.fail();
    }
    info->batchSize = *batch;
    c.options.foundBatchSize({size->range, size->written, *batch});
  }
  auto flag = [&](llvm::StringRef name, bool &out) {
    const Val *val = args.find(name);
    std::optional<bool> truth = val ? c.host.requireBool(*val, name) : out;
    if (truth)
      out = *truth;
    return bool(truth);
  };
  if (!flag("shuffle", info->shuffle) || !flag("drop_last", info->dropLast) ||
      !takeSampler(c, args, *info))
    return c.fail();
  if (args.has("generator"))
    return c.unsupported(args["generator"].range, "`generator=`");
  if (!keepPosition(*info, args.range()))
    return c.fail();
  Val val = makeVal(ValKind::Loader);
  val.data = std::move(info);
  return val;
}

Val ControlFlow::loaderBatch(const LoaderInfo &loader,
                             llvm::ArrayRef<Val> orders, const Val &start,
                             const Size &size) {
  Vals parts;
  for (auto [i, tensor] : llvm::enumerate(loader.tensors)) {
    c.sharing.use(tensor, c.userRange(c.here));
    Val part;
    if (orders.empty())
      part = c.tensors.sliceOf(tensor, start, 0, 1, size);
    else
      part = c.tensors.gatherOf(
          tensor, c.tensors.sliceOf(orders[i], start, 0, 1, size), 0, c.here);
    part = c.places.pin(part, typeOf(part).place, c.here);
    if (loader.isFree[i])
      part = c.places.freed(part, Transfer::Home);
    part.range = {};
    Sharing::forget(part); // a batch is a copy
    parts.push_back(part);
  }
  return makeSequence(ValKind::Tuple, std::move(parts));
}

std::optional<Val> ControlFlow::drawRows(const LoaderInfo &loader,
                                         std::optional<RandomCall> call) {
  if (!loader.draws())
    return std::nullopt;
  const SamplerInfo *sampler = loader.sampler.get();
  bool isPermutation = !sampler || sampler->indices;
  const Size &rows = isPermutation || sampler->replacement
                         ? loader.rows
                         : typeOf(*sampler->weights).dims[0];
  TensorType type{isPermutation ? DType::I64 : DType::F64,
                  {rows},
                  sampler ? getCpu() : typeOf(loader.tensors[0]).place};
  Val drawn = c.tensors.fromTyped(
      typed::random(c.tensors.builder,
                    isPermutation ? td::Distribution::Permutation
                                  : td::Distribution::Uniform,
                    /*bounds=*/{}, type, call),
      /*operands=*/{});
  if (!sampler)
    return drawn;
  if (sampler->indices)
    return c.tensors.gatherOf(*sampler->indices, drawn, 0, c.here);
  CallArgs args;
  args.range = args.calleeRange = c.here;
  args.positional = {*sampler->weights, drawn, makeInt(sampler->count)};
  return c.calls.callPrelude(sampler->replacement ? "rows_by_weight"
                                                  : "distinct_rows_by_weight",
                             args);
}

ControlFlow::Epoch ControlFlow::startEpoch(const LoaderInfo &loader) {
  Epoch epoch{{}, makeInt(0)};
  std::optional<RandomCall> call;
  if (loader.keepsPosition())
    std::tie(epoch.first, call) = takePosition(loader);
  std::optional<Val> order = drawRows(loader, call);
  // Orders are in the place of the first tensor, and copied to others.
  if (order && !order->isError())
    order = c.places.moveTensor(*order, deviceOf(c, loader.tensors[0]), c.here);
  if (loader.indices)
    order = order ? c.tensors.gatherOf(*loader.indices, *order, 0, c.here)
                  : *loader.indices;
  if (!order || order->isError())
    return epoch;
  for (const Val &tensor : loader.tensors)
    epoch.orders.push_back(
        c.places.moveTensor(*order, deviceOf(c, tensor), c.here));
  return epoch;
}

bool ControlFlow::batchesOf(const LoaderInfo &loader, SourceRange range,
                            Vals &out) {
  if (loader.keepsPosition()) {
    c.unsupported(range, "a list of the batches of a loader of a checkpoint",
                  "`for` over the loader");
    return false;
  }
  Val count = makeInt(loader.rows);
  count.range = range;
  auto rows =
      c.host.requireInt(count, "the number of rows in a list of batches");
  if (!rows)
    return false;
  int64_t size = loader.batchSize, full = *rows / size, left = *rows % size;
  int64_t batches = full + (left && !loader.dropLast);
  if (!canUnroll(batches, range, "too many batches for a list"))
    return false;
  Epoch epoch = startEpoch(loader);
  for (int64_t i = 0; i != batches; ++i) {
    Size taken(i == full ? left : size);
    out.push_back(loaderBatch(loader, epoch.orders, makeInt(i * size), taken));
  }
  return true;
}

void ControlFlow::forLoader(const ast::ForStmt &stmt, const Val &val,
                            std::optional<int64_t> enumerateFrom) {
  auto &loader = val.as<LoaderInfo>();
  if (loader.keepsPosition() && loader.isLooped) {
    c.unsupported(stmt.range, "a loop over a loader of a checkpoint in a loop "
                              "over it");
    return;
  }
  Restore<bool> savedLooped(loader.isLooped, true);
  std::optional<size_t> recorded = c.lints.loopsOver(val, stmt);
  Size size(loader.batchSize);
  Epoch epoch = startEpoch(loader);
  Size batches = Size::floorDiv(loader.rows, size);
  std::optional<int64_t> full = c.host.constantOf(batches);
  auto iteration = [&](const Val &index, const Size &rows) {
    using ast::BinaryOp;
    loops.back().readsLoader = true;
    loops.back().rows = recorded;
    Val start = c.host.binary(BinaryOp::Mul, index, makeInt(size), c.here);
    Val batch = loaderBatch(loader, epoch.orders, start, rows);
    if (loader.keepsPosition())
      writePosition(loader,
                    c.host.binary(BinaryOp::Add, index, makeInt(1), c.here));
    // As in Python, the first batch of a resumed loop has number 0.
    if (enumerateFrom)
      batch = makeSequence(ValKind::Tuple,
                           {c.host.binary(BinaryOp::Add,
                                          c.host.binary(BinaryOp::Sub, index,
                                                        epoch.first, c.here),
                                          makeInt(*enumerateFrom), c.here),
                            batch});
    c.bindTarget(*stmt.target, batch);
    execStatements(stmt.body->stmts);
  };
  if (!full || *full > 0)
    runTimeLoop(
        stmt, epoch.first,
        full ? makeInt(*full) : makeInt(batches, c.host.sizeValue(batches)),
        makeInt(1), [&](const Val &index) { iteration(index, size); },
        /*hasTail=*/!loader.dropLast || loader.keepsPosition());
  if (!loader.dropLast)
    walkTail(stmt, loader, epoch.first, iteration);
  if (loader.keepsPosition())
    unless(isLoopOver(), stmt.range, {}, [&] {
      writePosition(loader, makeInt(0));
      return Flow::Next;
    });
}

void ControlFlow::walkTail(
    const ast::ForStmt &stmt, const LoaderInfo &loader, const Val &first,
    llvm::function_ref<void(const Val &index, const Size &rows)> iteration) {
  Size size(loader.batchSize), batches = Size::floorDiv(loader.rows, size);
  Size left = loader.rows - batches * size;
  std::optional<int64_t> known = c.host.constantOf(left);
  if (known && *known == 0)
    return;
  std::optional<int64_t> full = c.host.constantOf(batches);
  Val index =
      full ? makeInt(*full) : makeInt(batches, c.host.sizeValue(batches));
  auto tail = [&](const Size &rows) {
    beginIteration();
    iteration(index, rows);
    endIteration();
    return Flow::Next;
  };
  c.at(stmt.range);
  llvm::StringSet<> assigned = assignedNames(stmt.body);
  unless(isLoopOver(), stmt.range, assigned, [&] {
    if (known && !loader.keepsPosition())
      return tail(Size(*known));
    Value rest = c.host.sizeValue(left);
    Value some = c.emit().host(HostOp::Gt, {rest, c.emit().constantInt(0)});
    // A checkpoint may be of an epoch whose tail was taken.
    if (loader.keepsPosition())
      some = c.emit().host(
          HostOp::And,
          {some, c.emit().host(HostOp::Le, {c.host.materialize(first),
                                            c.host.materialize(index)})});
    return branch(
        makeRunTime(ValKind::Bool, some), stmt.range, assigned,
        [&] {
          return tail(known ? Size(*known) : c.host.sizes.add("tail", rest));
        },
        [&] { return Flow::Next; });
  });
}
