//===- Observation.cpp - what an editor shows -----------------------------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tdc;
using namespace tdc::sema;

/// As many elements of a tuple are shown.
static constexpr size_t kMostElements = 4;
static constexpr size_t kMostCharacters = 60;

static std::string textFor(Checker &c, const Val &val, unsigned depth = 0);

static std::string elementsText(Checker &c, const Val &val, unsigned depth) {
  llvm::ArrayRef<Val> elements = elementsOf(val);
  bool isTuple = val.is(ValKind::Tuple);
  if (depth > 1 || (!isTuple && elements.size() > kMostElements))
    return describe(val);
  std::string text = isTuple ? "(" : "[";
  for (const Val &element : elements.take_front(kMostElements))
    text += (text.size() == 1 ? "" : ", ") + textFor(c, element, depth + 1);
  if (elements.size() > kMostElements)
    text += ", …";
  return text + (isTuple ? ")" : "]");
}

static std::string textFor(Checker &c, const Val &val, unsigned depth) {
  switch (val.kind) {
  case ValKind::Int:
    return "int" +
           (val.size.isConstant() ? " = " + val.size.str() : std::string());
  case ValKind::Float:
    return val.known
               ? llvm::formatv("float = {0}", llvm::format("%.9g", val.number))
                     .str()
               : "float";
  case ValKind::Bool:
    return val.known ? val.truth ? "bool = true" : "bool = false" : "bool";
  case ValKind::Str:
    if (val.known && textOf(val).size() <= kMostCharacters &&
        llvm::all_of(textOf(val), llvm::isPrint))
      return ("str = \"" + textOf(val) + "\"").str();
    return "str";
  case ValKind::Device:
    return "device " + placeText(val.as<DeviceInfo>().place);
  case ValKind::Tuple:
  case ValKind::List:
    return elementsText(c, val, depth);
  case ValKind::Model: {
    auto &model = val.as<ModelInstance>();
    Place place = c.places.modelPlace(model);
    std::string where = isCpuOrFree(place) ? "" : " @" + placeText(place);
    return (isParameters(val) ? "parameters of " : "") + model.typeName + where;
  }
  case ValKind::Function: {
    if (val.known)
      return textFor(c, val.as<BoundCall>().callee, depth);
    auto *fn = val.as<FunctionInfo>().decl;
    return ast::headOf(c.sources, *fn);
  }
  case ValKind::Class:
    if (auto *decl = val.as<ClassInfo>().decl)
      return ast::headOf(c.sources, *decl);
    return ("model " + spelling(val.as<ClassInfo>().native)).str();
  default:
    return describe(val);
  }
}

/// Where a function or a model is declared; invalid for another value, and in
/// the prelude.
static SourceRange declarationOf(Checker &c, const Val &val) {
  SourceRange range;
  if (val.is(ValKind::Function) && val.known)
    return declarationOf(c, val.as<BoundCall>().callee);
  if (val.is(ValKind::Function))
    range = val.as<FunctionInfo>().decl->name.range;
  else if (val.is(ValKind::Class) && val.as<ClassInfo>().decl)
    range = val.as<ClassInfo>().decl->name.range;
  return c.isPrelude(range.file) ? SourceRange() : range;
}

/// The declaration of a part among the members of a model.
static SourceRange findPart(llvm::ArrayRef<const ast::Decl *> members,
                            llvm::StringRef name) {
  for (const ast::Decl *member : members) {
    if (auto *field = llvm::dyn_cast<ast::FieldDecl>(member);
        field && field->name.text == name)
      return field->name.range;
    if (auto *state = llvm::dyn_cast<ast::StateDecl>(member);
        state && state->name.text == name)
      return state->name.range;
    if (auto *choice = llvm::dyn_cast<ast::MemberIfDecl>(member))
      for (auto side : {choice->thenMembers, choice->elseMembers})
        if (SourceRange range = findPart(side, name); range.isValid())
          return range;
  }
  return {};
}

/// Whether a mistake was reported of the value or of an element.
static bool hasError(const Val &val) {
  if (val.is(ValKind::Tuple) || val.is(ValKind::List))
    return llvm::any_of(elementsOf(val), hasError);
  return val.isError();
}

void Checker::observe(SourceRange range, const Val &val) {
  if (!observer || !range.isValid() || isPrelude(range.file))
    return;
  if (!hasError(val) && observer->wants(range))
    observer->found(range, {textFor(*this, val), declarationOf(*this, val)});
  if (observer->wantsMembers(range)) {
    std::vector<std::string> names;
    for (llvm::StringRef name : scopes.membersOf(val))
      names.push_back(name.str());
    if (val.is(ValKind::Namespace) && val.as<NamespaceInfo>().file)
      for (auto &entry : val.as<NamespaceInfo>().file->scope.names)
        names.push_back(entry.first().str());
    observer->foundMembers(range, std::move(names));
  }
}

void Checker::observeMember(const Val &base, const ast::Identifier &name,
                            const Val &val) {
  if (!observer || isPrelude(name.range.file) || hasError(val))
    return;
  SourceRange declared = declarationOf(*this, val);
  if (base.is(ValKind::Model) && base.as<ModelInstance>().decl &&
      !isPrelude(base.as<ModelInstance>().file->id))
    if (SourceRange part =
            findPart(base.as<ModelInstance>().decl->members, name.text);
        part.isValid())
      declared = part;
  observer->found(name.range, {textFor(*this, val), declared});
}
