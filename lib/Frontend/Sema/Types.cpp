//===- Types.cpp - types from annotations ---------------------------------===//

#include "Checker.h"
#include "Frontend/Parser.h"
#include "tdc_text.h"

using namespace tdc;
using namespace tdc::sema;
using ast::SubscriptItem;

std::optional<DType> Types::dtypeFromName(llvm::StringRef name) {
  if (name == "int")
    return DType::I64;
  if (name == "float")
    return DType::F64;
  return parseDType(name);
}

std::optional<DType> Types::asDType(const Val &val) {
  if (val.is(ValKind::DType))
    return val.as<DTypeInfo>().dtype;
  if (val.is(ValKind::Builtin)) // `int`, `float` and `bool` are functions too
    return dtypeFromName(val.as<BuiltinInfo>().builtin->name);
  return std::nullopt;
}

bool Types::isTensorType(const ast::TypeExpr &type) {
  auto *named = llvm::dyn_cast<ast::NamedType>(&type);
  return named && named->hasBrackets && named->name.text != "list";
}

std::optional<Place> Types::placeFromType(const ast::Place &place) {
  Place result;
  if (place.ordinal) {
    result.kind = Place::Kind::Cuda;
    result.ordinal = *place.ordinal;
    return result;
  }
  if (place.name == "cuda")
    return c.devices.wordCuda();
  if (place.name == "cpu") {
    result.kind = Place::Kind::Cpu;
    return result;
  }
  Binding *binding = c.scopes.lookup(place.name);
  if (binding)
    binding->used = true;
  if (binding && binding->val.is(ValKind::Device) && binding->isVar) {
    c.error(DiagCode::TD509, place.range,
            "`" + place.name + "` is a `var`, which cannot be a place")
        .note("declare it with `let`", binding->declared);
    return std::nullopt;
  }
  if (binding && binding->val.is(ValKind::Device))
    return c.devices.asDevice(binding->val)->as<DeviceInfo>().place;
  if (!binding || !binding->val.isError())
    c.error(DiagCode::TD509, place.range,
            "`" + place.name + "` is not a device")
        .label("a place is cpu, cuda, cuda:N or the name of a device value");
  return std::nullopt;
}

bool Types::introducesSize(llvm::StringRef name) {
  Binding *binding = c.scopes.lookup(name);
  if (!binding)
    return true;
  bool inFunction = !c.frames.empty() || c.isWalkedAside() || c.calls.exporting;
  auto &names = c.scopes.file->scope.names;
  return inFunction && binding->isSize && names.count(name) &&
         &names[name] == binding;
}

void Types::bindSize(const ast::NameExpr &name, const Size &size) {
  c.scopes.bind(name.name, name.range, makeInt(size), false);
  if (name.name != "_")
    c.scopes.scope->names[name.name].isSize = true;
}

void sema::reportSize(Checker &c, const Val &size, SourceRange range) {
  if (size.isError())
    return;
  Diagnostic &report = c.error(DiagCode::TD303, range,
                               "a size is an int, not " + describe(size));
  if (size.is(ValKind::Float) && !c.isPrelude(range.file)) {
    std::string whole = ("int(" + c.text(range) + ")").str();
    report.fix(FixIt::Safe, "`" + whole + "`", {{range, whole}});
  }
  // `zeros(2, cuda)`
  llvm::StringRef keyword = size.is(ValKind::Device)  ? "device="
                            : size.is(ValKind::DType) ? "dtype="
                                                      : "";
  if (!keyword.empty() && !c.isPrelude(range.file))
    report.fix(FixIt::Safe, "`" + keyword + c.text(range) + "`",
               {{range.start(), keyword.str()}});
}

std::optional<Val> Types::evalDim(const ast::Expr &expr) {
  Val val = c.eval(expr);
  if (val.isError())
    return std::nullopt;
  if (!val.is(ValKind::Int)) {
    reportSize(c, val, expr.range);
    return std::nullopt;
  }
  if (auto constant = c.host.constantInt(val); constant && *constant < 0) {
    c.error(DiagCode::TD401, expr.range,
            "a size cannot be " + llvm::Twine(*constant));
    return std::nullopt;
  }
  return val;
}

/// The dtype that a tensor type names, directly or through a variable.
static std::optional<DType> elementType(Checker &c,
                                        const ast::NamedType &type) {
  if (auto dtype = Types::dtypeFromName(type.name.text))
    return dtype;
  if (Binding *binding = c.scopes.lookup(type.name.text)) {
    binding->used = true;
    if (auto dtype = Types::asDType(binding->val))
      return dtype;
  }
  return std::nullopt;
}

static const ast::NameExpr *plainName(const SubscriptItem &item) {
  return item.kind == SubscriptItem::Index
             ? llvm::dyn_cast<ast::NameExpr>(item.index)
             : nullptr;
}

std::optional<TensorType> Types::tensorFromType(const ast::TypeExpr &type,
                                                bool fresh) {
  auto *named = llvm::dyn_cast<ast::NamedType>(&type);
  if (!named || !isTensorType(type)) {
    c.error(DiagCode::TD213, type.range, "a tensor type is needed here")
        .note("for example `f32[B, 10]`");
    return std::nullopt;
  }
  TensorType result;
  std::optional<DType> dtype = elementType(c, *named);
  if (!dtype) {
    c.error(DiagCode::TD213, named->name.range,
            "unknown dtype `" + named->name.text + "`");
    return std::nullopt;
  }
  result.dtype = *dtype;
  llvm::StringMap<Size> introduced;
  for (const SubscriptItem &item : named->dims) {
    const ast::NameExpr *name = plainName(item);
    if (item.kind == SubscriptItem::Unknown && fresh) {
      result.dims.push_back(c.host.sizes.add("?", Value()));
    } else if (item.kind != SubscriptItem::Index) {
      c.error(DiagCode::TD213, item.range, "a size is needed here");
      return std::nullopt;
    } else if (name && fresh && introducesSize(name->name)) {
      auto [entry, isNew] = introduced.try_emplace(name->name, Size(0));
      if (isNew)
        entry->second = c.host.sizes.add(name->name, Value());
      result.dims.push_back(entry->second);
    } else {
      std::optional<Val> size = evalDim(*item.index);
      if (!size)
        return std::nullopt;
      result.dims.push_back(size->size);
    }
  }
  if (!c.tensors.isWithinRank(result.dims.size(), type.range))
    return std::nullopt;
  if (type.place) {
    std::optional<Place> place = placeFromType(*type.place);
    if (!place)
      return std::nullopt;
    result.place = *place;
  }
  return result;
}

Diagnostic &Types::reportMismatch(const Annotated &given,
                                  const llvm::Twine &why) {
  const ast::NamedType &type = given.type;
  Diagnostic &report = c.error(given.code, given.range,
                               given.role + " does not have the declared type");
  report.label(describe(given.val) + ": " + why);
  std::string declared = "declared as " + c.text(type.range).str();
  if (c.isPrelude(type.range.file))
    report.note(declared);
  else
    report.note(declared, type.range);
  return report;
}

/// Among the language's functions, only losses take whole numbers: labels.
static bool takesLabels(Checker &c, const ast::NamedType &type) {
  return c.isPrelude(type.range.file) && elementType(c, type) == DType::I64;
}

bool Types::matchDType(const Annotated &given) {
  const ast::NamedType &type = given.type;
  DType actual = typeOf(given.val).dtype;
  std::optional<DType> dtype = elementType(c, type);
  if (dtype == actual)
    return true;
  if (dtype) {
    bool isLabel = takesLabels(c, type) && isFloat(actual);
    Diagnostic &report = reportMismatch(given, "the dtypes differ");
    if (isLabel)
      report.note("class labels are whole numbers from 0 on");
    c.offerSuffix(report, given.range, ".to(" + tdc::spelling(*dtype) + ")",
                  isLabel ? FixIt::Safe : FixIt::Choice);
    return false;
  }
  if (c.frames.empty() || c.scopes.lookup(type.name.text)) {
    Diagnostic &report = c.error(DiagCode::TD213, type.name.range,
                                 "unknown dtype `" + type.name.text + "`");
    if (llvm::StringRef own = getDtypeOfPyTorch(type.name.text); !own.empty())
      report.fix(FixIt::Safe, "`" + own + "`", {{type.name.range, own.str()}});
    return false;
  }
  c.scopes.bind(type.name.text, type.name.range, makeDType(actual), false);
  return true;
}

bool Types::matchRest(const Annotated &given,
                      llvm::SmallVectorImpl<SubscriptItem> &items, Dims &dims) {
  // `...` matches any dims, the same ones throughout a signature.
  auto *rest = llvm::find_if(items, [](const SubscriptItem &item) {
    return item.kind == SubscriptItem::Ellipsis;
  });
  bool hasRest = rest != items.end();
  std::optional<Dims> *known =
      hasRest && !c.frames.empty() ? &c.frames.back().rest : nullptr;
  bool isKnown = known && *known;
  size_t named = items.size() - hasRest;
  size_t rank = !hasRest  ? named
                : isKnown ? named + (*known)->size()
                          : std::max(named, dims.size());
  if (dims.size() != rank) {
    bool isLeast = hasRest && !isKnown;
    Diagnostic &report = reportMismatch(
        given, "it has " + countOf(dims.size(), "dim") + ", not " +
                   (isLeast ? "at least " : "") + llvm::Twine(rank));
    if (dims.size() == rank + 1 && dims.back().isConstant(1))
      c.offerSuffix(report, given.range, ".squeeze(-1)");
    return false;
  }
  if (!hasRest)
    return true;
  auto *first = dims.begin() + (rest - items.begin());
  auto *last = first + (rank - named);
  Dims covered(first, last);
  items.erase(rest);
  dims.erase(first, last);
  if (isKnown) {
    ShapeAnswer answer = sameShape(**known, covered, "the sizes differ");
    if (!c.tensors.prove(answer)) {
      Diagnostic &report =
          reportMismatch(given, llvm::Twine("`...` is ") + spelling(**known) +
                                    ", here it would be " + spelling(covered));
      if (takesLabels(c, given.type))
        report.note("the classes are dim 1 of the input: where they are its "
                    "last dim, give `x.view(-1, " +
                    (*known)->back().str() + ")` and `labels.view(-1)`");
      return false;
    }
  } else if (known) {
    *known = covered;
  }
  return true;
}

bool Types::matchSizes(const Annotated &given,
                       llvm::ArrayRef<SubscriptItem> items, DimsRef dims) {
  for (auto [item, size] : llvm::zip(items, dims))
    if (const ast::NameExpr *name = plainName(item);
        name && introducesSize(name->name))
      bindSize(*name, size);
  for (auto [item, size] : llvm::zip(items, dims)) {
    if (item.kind == SubscriptItem::Unknown)
      continue;
    if (item.kind != SubscriptItem::Index) {
      c.error(DiagCode::TD213, item.range, "a size is needed here");
      return false;
    }
    std::optional<Val> wanted = evalDim(*item.index);
    if (!wanted)
      return false;
    ShapeAnswer answer = sameShape({size}, {wanted->size}, "the sizes differ");
    if (!c.tensors.prove(answer)) {
      std::string declared = c.text(item.range).str(), is = wanted->size.str();
      std::string other = "the size is " + size.str();
      if (declared == is)
        reportMismatch(given, llvm::Twine(other) + ", not " + is);
      else
        reportMismatch(given, "`" + llvm::Twine(declared) + "` is " + is +
                                  ", " + other);
      return false;
    }
  }
  return true;
}

bool Types::matchPlace(const Annotated &given) {
  const ast::NamedType &type = given.type;
  if (!type.place)
    return true;
  std::optional<Place> place = placeFromType(*type.place);
  if (!place)
    return false;
  const TensorType &actual = typeOf(given.val);
  if (!c.places.agree(*place, actual.place)) {
    c.offerSuffix(
        c.error(DiagCode::TD501, given.range,
                given.role + " is on another device")
            .label(typeText(actual) + ", declared @" + placeText(*place)),
        given.range, ".to(" + placeText(*place) + ")");
    return false;
  }
  given.val = c.places.pin(given.val, *place, type.range);
  return true;
}

bool Types::matchTensor(const Annotated &given) {
  if (!given.val.is(ValKind::Tensor)) {
    reportMismatch(given, "a tensor is needed");
    return false;
  }
  llvm::SmallVector<SubscriptItem> items(given.type.dims);
  Dims dims = typeOf(given.val).dims;
  return matchDType(given) && matchRest(given, items, dims) &&
         matchSizes(given, items, dims) && matchPlace(given);
}

Val Types::loosen(const Val &val, const ast::TypeExpr &annotation) {
  if (auto *tuple = llvm::dyn_cast<ast::TupleType>(&annotation);
      tuple && val.is(ValKind::Tuple)) {
    Vals elements;
    for (auto [type, element] : llvm::zip(tuple->elements, elementsOf(val)))
      elements.push_back(loosen(element, *type));
    Val result = makeSequence(ValKind::Tuple, std::move(elements));
    result.range = val.range;
    return result;
  }
  auto *type = llvm::dyn_cast<ast::NamedType>(&annotation);
  if (!val.is(ValKind::Tensor) || !type ||
      type->dims.size() != typeOf(val).dims.size())
    return val;
  Dims dims = typeOf(val).dims;
  for (auto [item, size] : llvm::zip(type->dims, dims))
    if (item.kind == SubscriptItem::Unknown && c.host.constantOf(size))
      size = c.host.sizes.add("?", c.host.sizeValue(size));
  return c.tensors.reshapeTo(val, dims);
}

bool Types::matchType(const ast::TypeExpr &type, Val &val, SourceRange range,
                      const llvm::Twine &role, DiagCode code) {
  if (val.isError())
    return false;
  auto mismatch = [&] {
    Diagnostic &report =
        c.error(code == DiagCode::TD407 ? DiagCode::TD303 : code, range,
                role + " is " + describe(val) + ", not " + c.text(type.range));
    // A number in quotes.
    double number;
    llvm::StringRef written = c.text(range), digits = written.trim("\"'");
    if (val.is(ValKind::Str) && written.size() == digits.size() + 2 &&
        !digits.getAsDouble(number))
      report.fix(FixIt::Safe, "`" + digits + "`", {{range, digits.str()}});
    return false;
  };
  if (auto *tuple = llvm::dyn_cast<ast::TupleType>(&type)) {
    if (!val.is(ValKind::Tuple) ||
        elementsOf(val).size() != tuple->elements.size())
      return mismatch();
    Vals elements(elementsOf(val).begin(), elementsOf(val).end());
    for (auto [element, part] : llvm::zip(tuple->elements, elements))
      if (!matchType(*element, part, range, role, code))
        return false;
    SourceRange origin = val.range;
    val = makeSequence(ValKind::Tuple, std::move(elements));
    val.range = origin;
    return true;
  }
  const auto &named = llvm::cast<ast::NamedType>(type);
  llvm::StringRef word = named.name.text;
  if (isTensorType(type))
    return matchTensor({named, val, range, role, code});
  static const std::pair<llvm::StringLiteral, ValKind> hostTypes[] = {
      {"int", ValKind::Int},    {"bool", ValKind::Bool},
      {"str", ValKind::Str},    {"float", ValKind::Float},
      {"list", ValKind::List},  {"device", ValKind::Device},
      {"dtype", ValKind::DType}};
  for (auto &[name, kind] : hostTypes) {
    if (word != name)
      continue;
    SourceRange origin = val.range;
    if (kind == ValKind::Float && val.is(ValKind::Int))
      val = c.host.toFloat(val);
    else if (kind == ValKind::Device && val.is(ValKind::Str))
      val = c.devices.asDevice(val).value_or(val);
    else if (kind == ValKind::DType && val.is(ValKind::Builtin))
      if (auto dtype = asDType(val))
        val = makeDType(*dtype);
    val.range = origin;
    return val.is(kind) || mismatch();
  }
  if (val.is(ValKind::Model) && val.as<ModelInstance>().typeName == word)
    return true;
  if (parseDType(word)) {
    c.error(DiagCode::TD213, named.name.range,
            "`" + word + "` alone is not a type")
        .note("a host number is `float` or `int`, a 0-d tensor `" + word +
              "[]`");
    return false;
  }
  Binding *declared = c.scopes.lookup(word);
  if (!declared || !declared->val.is(ValKind::Class)) {
    std::optional<Val> global = c.scopes.findGlobal(word);
    if (!global || !global->is(ValKind::Class)) {
      c.error(DiagCode::TD213, named.name.range, "unknown type `" + word + "`");
      return false;
    }
  }
  return mismatch();
}
