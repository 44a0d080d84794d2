//===- Loaders.cpp - DataLoader -------------------------------------------===//
//
// A loader is a loop over full batches of a static size, and the body once more
// for the remaining rows. Shuffling is a new permutation per epoch.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/Typed/Constructors.h"

using namespace tdc;
using namespace tdc::sema;

Val ControlFlow::buildLoader(const Bound &args) {
  auto info = std::make_shared<LoaderInfo>();
  for (const Val &tensor : args.rest()) {
    // PyTorch's second and third parameter, after the data set.
    bool isOption = tensor.is(ValKind::Int) || tensor.is(ValKind::Bool);
    if (isOption && !info->tensors.empty()) {
      std::string name = tensor.is(ValKind::Int) ? "batch_size" : "shuffle";
      c.error(DiagCode::TD205, tensor.range,
              "`" + name + "` of `DataLoader` is given by name")
          .fix(FixIt::Safe, "`" + name + "=" + c.text(tensor.range) + "`",
               {{tensor.range.start(), name + "="}});
      return c.fail();
    }
    if (tensor.is(ValKind::List) || tensor.is(ValKind::Tuple)) {
      c.error(DiagCode::TD303, tensor.range,
              "`DataLoader` takes tensors one by one, not " + describe(tensor))
          .note("as in `DataLoader(x, y, batch_size=32)`")
          .fix(FixIt::Safe, "`*" + c.text(tensor.range) + "`",
               {{tensor.range.start(), "*"}});
      return c.fail();
    }
    if (!c.tensors.isTensor(tensor, args.range(), "`DataLoader`"))
      return c.fail();
    if (typeOf(tensor).dims.empty()) {
      c.error(DiagCode::TD401, tensor.range, "a 0-d tensor has no rows");
      return c.fail();
    }
    // Free tensors and their batches have the cpu as their home here.
    info->isFree.push_back(typeOf(tensor).place.kind == Place::Kind::Free);
    info->tensors.push_back(c.places.bringHome(tensor));
  }
  if (info->tensors.empty()) {
    c.error(DiagCode::TD205, args.range(), "`DataLoader` needs a tensor");
    return c.fail();
  }
  info->rows = typeOf(info->tensors[0]).dims[0];
  for (const Val &tensor : info->tensors) {
    ShapeAnswer answer = sameShape({info->rows}, {typeOf(tensor).dims[0]},
                                   "the numbers of rows differ");
    if (!answer || !c.tensors.prove(answer)) {
      c.error(DiagCode::TD401, tensor.range, "the numbers of rows differ")
          .label(info->rows.str() + " and " + typeOf(tensor).dims[0].str());
      return c.fail();
    }
  }
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
  if (!flag("shuffle", info->shuffle) || !flag("drop_last", info->dropLast))
    return c.fail();
  if (args.has("generator"))
    return c.unsupported(args["generator"].range, "`generator=`");
  Val val = makeVal(ValKind::Loader);
  val.data = std::move(info);
  return val;
}

Val ControlFlow::loaderBatch(const LoaderInfo &loader,
                             llvm::ArrayRef<Val> orders, const Val &start,
                             const Size &size) {
  Vals parts;
  for (auto [i, tensor] : llvm::enumerate(loader.tensors)) {
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
    parts.push_back(part);
  }
  return makeSequence(ValKind::Tuple, std::move(parts));
}

/// One permutation of the rows per tensor, on the tensor's device; all are
/// copies of the first.
static Vals shuffledOrders(Checker &c, const LoaderInfo &loader) {
  Vals orders;
  for (const Val &tensor : loader.tensors) {
    TensorType type{DType::I64, {loader.rows}, typeOf(tensor).place};
    if (orders.empty()) {
      orders.push_back(c.tensors.fromTyped(
          typed::random(c.tensors.builder, td::Distribution::Permutation,
                        /*bounds=*/{}, type),
          /*operands=*/{}));
      continue;
    }
    orders.push_back(
        c.places.moveTensor(orders[0], makeDevice(type.place, c.here), c.here));
  }
  return orders;
}

bool ControlFlow::batchesOf(const LoaderInfo &loader, SourceRange range,
                            Vals &out) {
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
  Vals orders;
  if (loader.shuffle)
    orders = shuffledOrders(c, loader);
  for (int64_t i = 0; i != batches; ++i) {
    Size taken(i == full ? left : size);
    out.push_back(loaderBatch(loader, orders, makeInt(i * size), taken));
  }
  return true;
}

void ControlFlow::forLoader(const ast::ForStmt &stmt, const Val &val,
                            std::optional<int64_t> enumerateFrom) {
  auto &loader = val.as<LoaderInfo>();
  Size size(loader.batchSize);
  Vals orders;
  if (loader.shuffle)
    orders = shuffledOrders(c, loader);
  Size batches = Size::floorDiv(loader.rows, size);
  std::optional<int64_t> full = c.host.constantOf(batches);
  auto iteration = [&](const Val &index, const Size &rows) {
    Val start = c.host.binary(ast::BinaryOp::Mul, index, makeInt(size), c.here);
    Val batch = loaderBatch(loader, orders, start, rows);
    if (enumerateFrom)
      batch = makeSequence(ValKind::Tuple,
                           {c.host.binary(ast::BinaryOp::Add, index,
                                          makeInt(*enumerateFrom), c.here),
                            batch});
    c.bindTarget(*stmt.target, batch);
    execStatements(stmt.body->stmts);
  };
  if (!full || *full > 0)
    runTimeLoop(
        stmt, makeInt(0),
        full ? makeInt(*full) : makeInt(batches, c.host.sizeValue(batches)),
        makeInt(1), [&](const Val &index) { iteration(index, size); },
        /*hasTail=*/!loader.dropLast);
  if (loader.dropLast)
    return;

  // The tail: fewer rows than a batch.
  Size left = loader.rows - batches * size;
  std::optional<int64_t> known = c.host.constantOf(left);
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
    if (known)
      return *known > 0 ? tail(Size(*known)) : Flow::Next;
    Value rest = c.host.sizeValue(left);
    Val some =
        makeRunTime(ValKind::Bool,
                    c.emit().host(HostOp::Gt, {rest, c.emit().constantInt(0)}));
    return branch(
        some, stmt.range, assigned,
        [&] { return tail(c.host.sizes.add("tail", rest)); },
        [&] { return Flow::Next; });
  });
}
