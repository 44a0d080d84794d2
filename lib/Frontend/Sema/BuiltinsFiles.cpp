//===- BuiltinsFiles.cpp - load, save, restore, exists, env ---------------===//
//
// The annotation of a `let` is the contract of a `load`. If the file is there
// while compiling, its header is checked at once; the same check runs again
// when the program loads it. Without an annotation the header that is read
// while compiling is the contract.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "FileFormats.h"

using namespace tdc;
using namespace tdc::sema;

/// Whether a value is a str, known or not; reports if not.
static bool isText(Checker &c, const Val &val, llvm::StringRef what) {
  if (val.is(ValKind::Str))
    return true;
  c.error(DiagCode::TD303, val.range.isValid() ? val.range : c.here,
          what + " is a str, not " + describe(val));
  return false;
}

/// Reports that the header contradicts the annotation.
static void reportHeader(Checker &c, const Bound &args, DType dtype,
                         llvm::ArrayRef<int64_t> dims, llvm::StringRef shown) {
  const ast::TypeExpr *expected = args.call.expected;
  Diagnostic &report = c.error(DiagCode::TD701, expected->range,
                               "the file does not have the declared type");
  report.label("the header says " + shown);
  report.note("the file is read while compiling; if it does not exist then, "
              "the program checks it when it loads it");
  // The fix keeps the names of sizes.
  auto *type = llvm::cast<ast::NamedType>(expected);
  std::string text = tdc::spelling(dtype).str() + "[";
  for (auto [i, size] : llvm::enumerate(dims)) {
    text += i ? ", " : "";
    bool keep = type->dims.size() == dims.size() && type->dims[i].index &&
                type->dims[i].index->kind == ast::ExprKind::Name;
    text += keep ? c.text(type->dims[i].range).str() : std::to_string(size);
  }
  text += "]";
  report.fix(FixIt::Choice, "`" + text + "`", {{expected->range, text}});
}

/// Sizes that the annotation left open are taken from the file's header.
static void takeSizes(Checker &c, const Bound &args, const TensorType &type,
                      const FileHeader &header) {
  auto *declared = llvm::cast<ast::NamedType>(args.call.expected);
  for (auto [i, size] : llvm::enumerate(type.dims)) {
    auto atom = size.getAtom();
    if (!atom || c.host.constantOf(size) || c.host.sizes[atom].value)
      continue;
    c.host.sizes[atom].known = header.dims[i];
    SourceRange range = declared->dims[i].range;
    c.options.foundSize({c.text(range).str(), textOf(args["path"]).str(),
                         header.dims[i], range});
  }
}

/// Compares a header with the expected type; takes over sizes that were open.
static bool checkHeader(Checker &c, const Bound &args, TensorType &type,
                        llvm::StringRef key) {
  const Val &path = args["path"];
  if (!c.options.readHeader || !path.known)
    return true;
  std::optional<FileHeader> header = c.options.readHeader(textOf(path), key);
  if (!header)
    return true;
  TensorType actual;
  actual.dtype = header->dtype.value_or(type.dtype);
  for (int64_t size : header->dims)
    actual.dims.push_back(Size(size));
  bool fits =
      actual.dtype == type.dtype && header->dims.size() == type.dims.size();
  llvm::DenseMap<const SizeAtom *, int64_t> seen;
  for (size_t i = 0; fits && i != type.dims.size(); ++i) {
    auto known = c.host.constantOf(type.dims[i]);
    auto atom = type.dims[i].getAtom();
    if (known)
      fits = *known == header->dims[i];
    else if (atom)
      fits = seen.try_emplace(atom.get(), header->dims[i]).first->second ==
             header->dims[i];
  }
  if (!fits) {
    reportHeader(c, args, actual.dtype, header->dims, typeText(actual));
    return false;
  }
  if (c.options.headersAreFinal)
    takeSizes(c, args, type, *header);
  return true;
}

/// The type of a file that is there while compiling; nothing after a report.
static std::optional<TensorType> typeOfFile(Checker &c, const Bound &args,
                                            llvm::StringRef key) {
  const Val &path = args["path"];
  std::optional<FileHeader> header;
  if (c.options.readHeader && path.known)
    header = c.options.readHeader(textOf(path), key);
  if (header && header->dtype) {
    TensorType type;
    type.dtype = *header->dtype;
    for (int64_t size : header->dims)
      type.dims.push_back(Size(size));
    return type;
  }
  c.error(DiagCode::TD702, args.range(),
          "`load` needs to be told what the file holds")
      .note("as in `let x: f32[N, 10] = load(…)`")
      .note(header       ? "a text file does not say the dtype of its numbers"
            : path.known ? "without a type, the file must be there while "
                           "compiling; `" +
                               c.formatting.constantText(path).value_or("") +
                               "` is not, or cannot be read"
                         : "without a type, the path must be known while "
                           "compiling");
  return std::nullopt;
}

static Val load(Checker &c, const Bound &args) {
  const Val &path = args["path"];
  if (!isText(c, path, "a path"))
    return c.fail();
  llvm::StringRef key;
  if (const Val *given = args.find("key")) {
    auto text = c.host.requireStr(*given, "`key`");
    if (!text)
      return c.fail();
    key = *text;
  }
  if (!canRead(c, path, FileContents::Tensor))
    return c.fail();
  const ast::TypeExpr *declared = args.call.expected;
  bool isTyped = declared && c.types.isTensorType(*declared);
  std::optional<TensorType> type = isTyped
                                       ? c.types.tensorFromType(*declared, true)
                                       : typeOfFile(c, args, key);
  if (!type)
    return c.fail();
  // A file is read on the cpu; the annotation or `.to` moves the tensor.
  type->place = Place();
  type->place.kind = Place::Kind::Cpu;
  if (isTyped && !checkHeader(c, args, *type, key))
    return c.fail();
  Value value =
      c.emit().load(c.host.materialize(path), key, c.tensors.shapeOf(*type));
  // Names that occur here first are read from the tensor; others must agree.
  for (auto [i, size] : llvm::enumerate(type->dims)) {
    auto atom = size.getAtom();
    if (c.host.constantOf(size))
      continue;
    Value actual = c.emit().dim(value, i);
    if (atom && !c.host.sizes[atom].value) {
      c.host.sizes[atom].value = actual;
      c.host.sizes[atom].nonNegative = true;
    } else {
      c.emit().checkDim(actual, c.host.sizeValue(size),
                        "the sizes of a file differ");
    }
  }
  auto [place, placed] =
      c.places.factoryPlace(args.find("device"), args.range());
  Val val = makeTensor(*type, value);
  if (place.kind == Place::Kind::Free)
    return c.places.freed(val, Transfer::Home);
  return c.places.moveTensor(val, makeDevice(place, placed), args.range());
}

/// Slots of `model=` and `opt=` keywords, and other scalars.
static bool fillCheckpoint(Checker &c, const Bound &args,
                           Emitter::Checkpoint &checkpoint, bool saves) {
  size_t modelCount = 0;
  for (const auto &keyword : args.call.keywords)
    modelCount += keyword.val.is(ValKind::Model);
  // Slots that models share are in the file once, under the name of the first.
  std::vector<NamedSlot> slots;
  llvm::SmallVector<size_t> ends{0};
  for (const auto &keyword : args.call.keywords)
    if (keyword.val.is(ValKind::Model)) {
      c.models.collectSlots(
          keyword.val, modelCount > 1 ? keyword.name.text : llvm::StringRef(),
          slots);
      ends.push_back(slots.size());
    }
  size_t model = 0;
  for (const auto &keyword : args.call.keywords) {
    const Val &val = keyword.val;
    std::string name = keyword.name.text.str();
    if (val.isError())
      return false;
    if (!saves && (name == "key" || name == "strict" || name == "cast"))
      continue;
    if (val.is(ValKind::Model)) {
      size_t begin = ends[model++];
      c.models.addToCheckpoint(
          checkpoint, llvm::ArrayRef(slots).slice(begin, ends[model] - begin),
          saves ? "saved" : "loaded");
    } else if (val.is(ValKind::Optimizer)) {
      c.training.addToCheckpoint(checkpoint, val.as<OptimizerInfo>(), name);
    } else if (val.is(ValKind::Loader)) {
      if (!c.control.addLoader(checkpoint, val, keyword.name, saves))
        return false;
    } else if (saves && val.isHostScalar()) {
      checkpoint.names.push_back(name);
      checkpoint.values.push_back(c.host.materialize(val));
    } else {
      c.error(DiagCode::TD303, keyword.name.range,
              describe(val) + " cannot be part of a checkpoint")
          .label("models, optimizers, loaders and host numbers can");
      return false;
    }
  }
  checkpoint.full = true;
  return true;
}

/// `save(x, path)`, in PyTorch's order.
static bool reportSwapped(Checker &c, const CallArgs &args) {
  if (args.positional.size() != 2 || !args.keywords.empty() ||
      !args.positional[1].is(ValKind::Str))
    return false;
  SourceRange value = args.positional[0].range, path = args.positional[1].range;
  bool isModel = args.positional[0].is(ValKind::Model);
  if (!isModel && !args.positional[0].is(ValKind::Tensor))
    return false;
  Diagnostic &report =
      c.error(DiagCode::TD303, value,
              "a path is a str, not " + describe(args.positional[0]));
  std::string written =
      (isModel ? c.asOperand(value) + ".save(" + c.text(path)
               : "save(" + c.text(path) + ", " + c.text(value))
          .str() +
      ")";
  report
      .label(isModel ? "a model saves itself"
                     : "the path comes first, then what is saved")
      .fix(FixIt::Safe, "`" + written + "`", {{args.range, written}});
  return true;
}

static Val save(Checker &c, const Bound &bound) {
  const CallArgs &args = bound.call;
  if (reportSwapped(c, args))
    return c.fail();
  if (!args.positional.empty() && !isText(c, args.positional[0], "a path"))
    return c.fail();
  if (args.positional.size() == 2 && args.keywords.empty()) {
    if (args.positional[1].is(ValKind::State)) {
      // torch.save(net.state_dict(), path), as `net.save(path)`
      Val model = args.positional[1];
      model.kind = ValKind::Model;
      CallArgs path;
      path.positional.push_back(args.positional[0]);
      path.range = args.range;
      path.calleeRange = args.calleeRange;
      return c.models.callModelMethod(model, "save", path);
    }
    if (!c.tensors.isTensor(args.positional[1], args.range, "`save`") ||
        !canWrite(c, args.positional[0], FileContents::Tensor))
      return c.fail();
    c.emit().saveTensor(c.host.materialize(args.positional[0]),
                        args.positional[1].value);
    return makeVal(ValKind::None);
  }
  if (args.positional.size() != 1 || args.keywords.empty()) {
    c.error(DiagCode::TD205, args.range,
            "`save` takes a path and a tensor, or a path and `model=`, `opt=` "
            "and numbers by name");
    return c.fail();
  }
  const Val &path = args.positional[0];
  Emitter::Checkpoint checkpoint;
  if (!canWrite(c, path, FileContents::State) ||
      !fillCheckpoint(c, bound, checkpoint, true))
    return c.fail();
  c.lints.saves(path, args.keywords);
  c.emit().save(c.host.materialize(path), checkpoint);
  return makeVal(ValKind::None);
}

/// Tells the lints which models a checkpoint is read into.
static void tellRestored(Checker &c, const CallArgs &call) {
  llvm::SmallVector<const Val *> models;
  bool hasOptimizer = false;
  for (const auto &keyword : call.keywords) {
    if (keyword.val.is(ValKind::Model))
      models.push_back(&keyword.val);
    hasOptimizer |= keyword.val.is(ValKind::Optimizer);
  }
  c.lints.restores(c.userRange(call.range), call.positional[0], models,
                   hasOptimizer);
}

static Val restore(Checker &c, const Bound &args) {
  const CallArgs &call = args.call;
  if (call.positional.size() != 1) {
    c.error(DiagCode::TD205, args.range(),
            "`restore` takes a path, and by keyword what to restore")
        .note("as in `restore(\"c.safetensors\", model=m, opt=o)`");
    return c.fail();
  }
  if (!isText(c, call.positional[0], "a path") ||
      !canRead(c, call.positional[0], FileContents::State))
    return c.fail();
  Value path = c.host.materialize(call.positional[0]);
  Emitter::Checkpoint checkpoint;
  if (!fillCheckpoint(c, args, checkpoint, false))
    return c.fail();
  Emitter::Tolerance tolerance;
  std::optional<llvm::StringRef> key;
  for (const auto &keyword : call.keywords) {
    if (!readTolerance(c, keyword, tolerance))
      return c.fail();
    if (keyword.name.text == "key") {
      key = c.host.requireStr(keyword.val, "`key`");
      if (!key)
        return c.fail();
    }
  }
  if (!checkpoint.slots.empty()) {
    for (const auto &keyword : call.keywords)
      if (keyword.val.is(ValKind::Loader))
        c.control.forgetPosition(keyword.val.as<LoaderInfo>());
    c.emit().restore(path, checkpoint, tolerance);
    c.models.forgetReads();
    tellRestored(c, call);
    for (const auto &keyword : call.keywords)
      if (keyword.val.is(ValKind::Loader))
        c.control.resumeAt(keyword.val.as<LoaderInfo>());
  }
  if (!key)
    return makeVal(ValKind::None);
  auto *type = llvm::dyn_cast_or_null<ast::NamedType>(call.expected);
  llvm::StringRef word = type ? type->name.text : "";
  if (word != "int" && word != "float" && word != "bool") {
    c.error(DiagCode::TD702, call.range,
            "`restore` needs to be told the type of `" + *key + "`")
        .note("as in `let " + *key + ": int = restore(…)`");
    return c.fail();
  }
  HostType host = word == "int"     ? HostType::Int
                  : word == "float" ? HostType::Float
                                    : HostType::Bool;
  Value value = c.emit().restoreScalar(path, *key, host);
  if (host == HostType::Int)
    return c.host.runTimeInt(value, *key);
  return makeRunTime(host == HostType::Float ? ValKind::Float : ValKind::Bool,
                     value);
}

static Val exists(Checker &c, const Bound &args) {
  if (!isText(c, args["path"], "a path"))
    return c.fail();
  return makeRunTime(ValKind::Bool,
                     c.emit().exists(c.host.materialize(args["path"])));
}

static Val env(Checker &c, const Bound &args) {
  const Val *otherwise = args.find("default");
  Val fallback = otherwise ? *otherwise : makeStr("");
  if (!isText(c, args["name"], "a variable's name") ||
      !isText(c, fallback, "the default"))
    return c.fail();
  return makeRunTime(ValKind::Str,
                     c.emit().environment(c.host.materialize(args["name"]),
                                          c.host.materialize(fallback)));
}

llvm::ArrayRef<Builtin> sema::getFileBuiltins() {
  static const Builtin table[] = {
      {"load", "path, key=, device=", load},
      {"save", "**", save},
      {"restore", "**", restore},
      {"exists", "path", exists},
      {"env", "name, default=", env},
  };
  return table;
}
