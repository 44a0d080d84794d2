//===- ModelPrinting.cpp - print of a model -------------------------------===//
//
// As PyTorch prints a module: its parts, indented, with the arguments that a
// layer was made with, and in addition the number of parameters.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/OpTable/Template.h"
#include "Formatting.h"
#include "HostScalars.h"
#include "Models.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// A text and the values that its template shows.
struct Shown {
  std::string text;
  llvm::SmallVector<Value> values;
  bool operator==(const Shown &other) const {
    return text == other.text && values == other.values;
  }
  void append(const Shown &other) {
    text += other.text;
    values.append(other.values);
  }
};

class ModelPrinter {
public:
  explicit ModelPrinter(Formatting &formatting) : formatting(formatting) {}
  Shown show(const Val &part);

private:
  void appendArguments(Shown &out, const ModelInstance &model);
  void appendParts(Shown &out,
                   llvm::ArrayRef<std::pair<std::string, Shown>> parts,
                   bool isList);

  Formatting &formatting;
};
} // namespace

/// Whether a part has a line of its own: a model, a list of models, or a
/// function in a `Sequential`.
static bool isPart(const Val &val) {
  if (val.is(ValKind::List) || val.is(ValKind::Tuple))
    return llvm::any_of(elementsOf(val), isPart);
  return val.is(ValKind::Model);
}

/// `inplace=false` and `dtype=f32` are not shown: PyTorch does not show them.
static bool isShown(llvm::StringRef name, const Val &val) {
  if (name == "inplace")
    return !(val.is(ValKind::Bool) && val.known && !val.truth);
  if (name == "dtype")
    return !(val.is(ValKind::DType) && val.as<DTypeInfo>().dtype == DType::F32);
  bool isValue = val.isHostScalar() || val.is(ValKind::Str) ||
                 val.is(ValKind::None) || val.is(ValKind::DType) ||
                 val.is(ValKind::Device);
  bool isSequence = val.is(ValKind::List) || val.is(ValKind::Tuple);
  return isValue ||
         (isSequence && llvm::all_of(elementsOf(val), [&](const Val &element) {
            return isShown("", element);
          }));
}

void ModelPrinter::appendArguments(Shown &out, const ModelInstance &model) {
  bool isFirst = true;
  for (const ast::Param &param : model.decl->params) {
    auto found = model.config.find(param.name.text);
    if (found == model.config.end() || !isShown(param.name.text, found->second))
      continue;
    out.text += (isFirst ? "" : ", ") + param.name.text.str() + "=";
    isFirst = false;
    const Val &val = found->second;
    if (val.is(ValKind::Str)) {
      // In quotes, as an element of a tuple is.
      Shown pair;
      formatting.appendValue(pair.text, pair.values,
                             makeSequence(ValKind::List, {val}), "", false);
      pair.text = llvm::StringRef(pair.text).drop_front().drop_back().str();
      out.append(pair);
    } else {
      formatting.appendValue(out.text, out.values, val, "", false);
    }
  }
}

/// Appends `(name): part` lines. As in PyTorch, equal neighbours in a list are
/// one line.
void ModelPrinter::appendParts(
    Shown &out, llvm::ArrayRef<std::pair<std::string, Shown>> parts,
    bool isList) {
  out.text += "(";
  for (size_t i = 0; i != parts.size();) {
    size_t end = i + 1;
    while (isList && end != parts.size() &&
           parts[end].second == parts[i].second)
      ++end;
    std::string name = parts[i].first, count;
    if (end - i > 1) {
      name += "-" + parts[end - 1].first;
      count = std::to_string(end - i) + " x ";
    }
    Shown line;
    line.append(parts[i].second);
    std::string indented;
    for (char letter : line.text)
      indented += letter == '\n' ? std::string("\n  ") : std::string(1, letter);
    out.text += "\n  (" + name + "): " + count + indented;
    out.values.append(line.values);
    i = end;
  }
  out.text += parts.empty() ? ")" : "\n)";
}

Shown ModelPrinter::show(const Val &val) {
  Shown out;
  std::vector<std::pair<std::string, Shown>> parts;
  if (val.is(ValKind::List) || val.is(ValKind::Tuple)) {
    for (auto [i, element] : llvm::enumerate(elementsOf(val)))
      if (isPart(element))
        parts.emplace_back(std::to_string(i), show(element));
    out.text = val.is(ValKind::List) ? "list" : "tuple";
    appendParts(out, parts, /*isList=*/true);
    return out;
  }
  if (val.is(ValKind::Builtin)) {
    appendLiteral(out.text, val.as<BuiltinInfo>().builtin->name);
    return out;
  }
  if (val.is(ValKind::Function)) {
    appendLiteral(out.text, val.known ? "function"
                                      : val.as<FunctionInfo>().decl->name.text);
    return out;
  }
  auto &model = val.as<ModelInstance>();
  bool isNative = model.native != NativeModel::None;
  for (const auto &member : model.members)
    if (!member.slot && (isNative || isPart(member.val)))
      parts.emplace_back(member.name, show(member.val));
  out.text = model.typeName;
  if (!parts.empty() || isNative) {
    appendParts(out, parts, model.native == NativeModel::ModuleList);
    return out;
  }
  out.text += "(";
  appendArguments(out, model);
  out.text += ")";
  return out;
}

/// Adds up the elements of the parameters, those of a tied one once.
static void countParameters(const Val &val, llvm::DenseSet<const void *> &seen,
                            Size &count) {
  if (val.is(ValKind::List) || val.is(ValKind::Tuple))
    for (const Val &element : elementsOf(val))
      countParameters(element, seen, count);
  if (!val.is(ValKind::Model) || !seen.insert(val.data.get()).second)
    return;
  for (const auto &member : val.as<ModelInstance>().members) {
    if (!member.slot)
      countParameters(member.val, seen, count);
    else if (member.slot->kind == td::SlotKind::Param &&
             seen.insert(member.slot.get()).second)
      count = count + numElements(member.slot->type.dims);
  }
}

void Formatting::appendModel(std::string &out,
                             llvm::SmallVectorImpl<Value> &values,
                             const Val &model) {
  Shown shown = ModelPrinter(*this).show(model);
  llvm::DenseSet<const void *> seen;
  Size count(0);
  countParameters(model, seen, count);
  out += shown.text;
  values.append(shown.values);
  if (count.isConstant(0))
    return;
  out += "\n";
  appendLiteral(out, count.str() +
                         (count.isConstant(1) ? " parameter" : " parameters"));
}
