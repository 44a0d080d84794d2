//===- LoopIndices.cpp - loops whose index must be known ------------------===//
//
// The index of a loop is a number of the running program, but an element of a
// list or a part of a model is picked while compiling: a loop that does so by
// its index is unrolled. Where the code alone does not tell what is indexed, an
// iteration is walked aside with an index of the run and with the first one. If
// there are fewer mistakes with the latter, the index must be known.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// Whether code picks what must be known by an index.
enum class Picks : uint8_t { No, Perhaps, Yes };

/// Looks for what the body of a loop, or a function that it calls, picks by an
/// index. Nothing is evaluated.
class IndexUses {
public:
  /// `isCalled`: the code is that of a function which the loop calls.
  explicit IndexUses(Checker &c, bool isCalled = false)
      : c(c), isCalled(isCalled) {}

  Picks ofBody(const ast::Block &body, llvm::StringRef index);

private:
  void declare(const ast::Target &target);
  void collect(const ast::Block &body);
  void collect(const ast::Expr &expr);
  bool reads(const ast::Expr *expr) const;
  bool isNumber(const ast::Expr *expr) const;
  std::optional<Val> find(const ast::Expr &expr) const;
  const ast::FnDecl *findCallee(const ast::Expr &callee) const;
  Picks ofExpr(const ast::Expr &expr) const;
  Picks ofSubscript(const ast::SubscriptExpr &expr) const;
  Picks ofCall(const ast::CallExpr &call) const;
  Picks ofFunction(const ast::FnDecl &fn, const ast::CallExpr &call) const;

  Checker &c;
  bool isCalled;
  llvm::StringRef loopIndex; ///< as the loop names it
  /// Names of the index and of numbers that are computed from it.
  llvm::StringSet<> indices;
  /// Names that the code declares: their values are not known yet.
  llvm::StringSet<> declared;
};
} // namespace

void IndexUses::declare(const ast::Target &target) {
  if (!target.isTuple())
    declared.insert(target.name);
  for (const ast::Target *element : target.elements)
    declare(*element);
}

void IndexUses::collect(const ast::Expr &expr) {
  ast::anyExpr(expr, [&](const ast::Expr &part) {
    if (auto *list = llvm::dyn_cast<ast::ComprehensionExpr>(&part))
      for (const ast::ComprehensionClause &clause : list->clauses)
        declare(*clause.target);
    return false;
  });
}

void IndexUses::collect(const ast::Block &body) {
  for (const ast::Stmt *stmt : body.stmts) {
    for (const ast::Expr *expr : ast::expressionsOf(*stmt))
      collect(*expr);
    if (auto *let = llvm::dyn_cast<ast::LetStmt>(stmt)) {
      declare(*let->target);
      if (!let->target->isTuple() && isNumber(let->value))
        indices.insert(let->target->name);
    } else if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(stmt)) {
      auto *name = llvm::dyn_cast<ast::NameExpr>(assign->target);
      if (name && isNumber(assign->value))
        indices.insert(name->name);
    } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      declare(*loop->target);
    }
    for (const ast::Block *block : ast::blocksOf(*stmt))
      collect(*block);
  }
}

bool IndexUses::reads(const ast::Expr *expr) const {
  return expr && ast::anyExpr(*expr, [&](const ast::Expr &part) {
           auto *name = llvm::dyn_cast<ast::NameExpr>(&part);
           return name && indices.contains(name->name);
         });
}

/// Whether an expression is the index, or computed from it by arithmetic alone.
bool IndexUses::isNumber(const ast::Expr *expr) const {
  if (!reads(expr))
    return false;
  if (auto *unary = llvm::dyn_cast<ast::UnaryExpr>(expr))
    return isNumber(unary->operand);
  if (auto *binary = llvm::dyn_cast<ast::BinaryExpr>(expr))
    return (isNumber(binary->lhs) || !reads(binary->lhs)) &&
           (isNumber(binary->rhs) || !reads(binary->rhs));
  return llvm::isa<ast::NameExpr>(expr);
}

/// A number that picks one of the elements, if it is constant.
static std::optional<int64_t> constantItem(const ast::SubscriptExpr &expr) {
  if (expr.items.size() != 1 || !expr.items[0].index)
    return std::nullopt;
  auto *number = llvm::dyn_cast<ast::IntExpr>(expr.items[0].index);
  return number ? std::optional<int64_t>(number->value) : std::nullopt;
}

static std::optional<Val> memberOf(const Val &base, llvm::StringRef name) {
  if (base.is(ValKind::Tensor)) // its sizes, or another tensor as `x.T`
    return name == "shape" ? makeVal(ValKind::Tuple) : base;
  if (base.is(ValKind::Namespace) && base.as<NamespaceInfo>().file) {
    auto &names = base.as<NamespaceInfo>().file->scope.names;
    auto found = names.find(name);
    return found == names.end() ? std::nullopt
                                : std::optional(found->second.val);
  }
  if (!base.is(ValKind::Model))
    return std::nullopt;
  auto *member = base.as<ModelInstance>().find(name);
  if (!member)
    return std::nullopt;
  return member->slot ? stateOf(*member->slot) : member->val;
}

/// The value of a name, or of a member or an element by a constant index;
/// nothing for other expressions. An element of an unknown index is any.
std::optional<Val> IndexUses::find(const ast::Expr &expr) const {
  if (isCalled) // the names of a function mean nothing here
    return std::nullopt;
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr)) {
    Binding *binding =
        declared.contains(name->name) ? nullptr : c.scopes.lookup(name->name);
    return binding && !binding->val.isError() ? std::optional(binding->val)
                                              : std::nullopt;
  }
  if (expr.kind == ast::ExprKind::Self) {
    if (c.frames.empty() || !c.frames.back().self)
      return std::nullopt;
    Val self = makeVal(ValKind::Model);
    self.data = c.frames.back().selfOwner;
    return self;
  }
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    std::optional<Val> base = find(*member->base);
    return base ? memberOf(*base, member->member.text) : std::nullopt;
  }
  auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&expr);
  std::optional<Val> base = part ? find(*part->base) : std::nullopt;
  if (!base || base->is(ValKind::Tensor) || base->is(ValKind::Str))
    return base;
  bool isList =
      (base->is(ValKind::List) || base->is(ValKind::Tuple)) && base->data;
  std::optional<int64_t> at = isList ? constantItem(*part) : std::nullopt;
  return at && *at < static_cast<int64_t>(elementsOf(*base).size())
             ? std::optional(elementsOf(*base)[*at])
             : std::nullopt;
}

/// Whether one of the texts can be picked when the program runs (Indexing.cpp).
static bool isOfTexts(const Val &val) {
  return val.is(ValKind::Str) ||
         (val.data && !elementsOf(val).empty() &&
          llvm::all_of(elementsOf(val), [](const Val &element) {
            return element.is(ValKind::Str);
          }));
}

Picks IndexUses::ofSubscript(const ast::SubscriptExpr &expr) const {
  bool reads = false, isPlain = false, isKnown = false;
  for (const ast::SubscriptItem &item : expr.items)
    for (const ast::Expr *part :
         {item.index, item.start, item.stop, item.step}) {
      reads |= this->reads(part);
      isKnown |= isNumber(part);
      auto *name = part ? llvm::dyn_cast<ast::NameExpr>(part) : nullptr;
      isPlain |= name && name->name == loopIndex;
    }
  std::optional<Val> base = reads ? find(*expr.base) : std::nullopt;
  if (!reads || (base && base->is(ValKind::Tensor)))
    return Picks::No;
  // A number that a tensor or a function gives is none that unrolling tells.
  if (!base || !isKnown)
    return Picks::Perhaps;
  switch (base->kind) {
  case ValKind::List:
  case ValKind::Tuple:
  case ValKind::Str:
    // By the plain index there are as many iterations as texts.
    return isOfTexts(*base) && !isPlain ? Picks::Perhaps : Picks::Yes;
  case ValKind::Model:
    return base->as<ModelInstance>().isList() ? Picks::Yes : Picks::Perhaps;
  default:
    return Picks::Perhaps;
  }
}

/// The function of the program that a call walks, if it is known here.
const ast::FnDecl *IndexUses::findCallee(const ast::Expr &callee) const {
  auto methodOf = [](const Val &base,
                     llvm::StringRef name) -> const ast::FnDecl * {
    auto *decl =
        base.is(ValKind::Model) ? base.as<ModelInstance>().decl : nullptr;
    for (const ast::Decl *member :
         decl ? decl->members : llvm::ArrayRef<const ast::Decl *>())
      if (auto *fn = llvm::dyn_cast<ast::FnDecl>(member);
          fn && fn->name.text == name)
        return fn;
    return nullptr;
  };
  const ast::FnDecl *fn = nullptr;
  if (std::optional<Val> val = find(callee)) {
    if (val->is(ValKind::Function) && !val->known)
      fn = val->as<FunctionInfo>().decl;
    else
      fn = methodOf(*val, "forward");
  } else if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&callee)) {
    if (std::optional<Val> base = find(*member->base))
      fn = methodOf(*base, member->member.text);
  }
  return fn && !c.isPrelude(fn->range.file) ? fn : nullptr;
}

Picks IndexUses::ofFunction(const ast::FnDecl &fn,
                            const ast::CallExpr &call) const {
  IndexUses inside(c, /*isCalled=*/true);
  for (auto [i, arg] : llvm::enumerate(call.args)) {
    if (!isNumber(arg.value))
      continue;
    if (arg.kind == ast::Argument::Keyword)
      inside.indices.insert(arg.keyword.text);
    else if (i < fn.params.size())
      inside.indices.insert(fn.params[i].name.text);
  }
  if (inside.indices.empty())
    return Picks::No;
  auto picks = [&](const ast::Expr &expr) {
    return inside.ofExpr(expr) != Picks::No;
  };
  if (fn.body)
    inside.collect(*fn.body);
  bool any =
      fn.body ? ast::anyExpr(*fn.body, picks) : ast::anyExpr(*fn.value, picks);
  return any ? Picks::Perhaps : Picks::No;
}

Picks IndexUses::ofCall(const ast::CallExpr &call) const {
  auto readsIndex = [&](const ast::Argument &arg) { return reads(arg.value); };
  if (llvm::none_of(call.args, readsIndex))
    return Picks::No;
  auto *name = llvm::dyn_cast<ast::NameExpr>(call.callee);
  auto *member = llvm::dyn_cast<ast::MemberExpr>(call.callee);
  llvm::StringRef function = name     ? name->name
                             : member ? member->member.text
                                      : llvm::StringRef();
  if (function == "cuda" || function == "device") // the number of a device
    return Picks::Perhaps;
  const ast::FnDecl *fn = findCallee(*call.callee);
  return fn ? ofFunction(*fn, call) : Picks::No;
}

/// Of the expression alone, not of those in it.
Picks IndexUses::ofExpr(const ast::Expr &expr) const {
  if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&expr))
    return ofSubscript(*part);
  if (auto *call = llvm::dyn_cast<ast::CallExpr>(&expr))
    return ofCall(*call);
  auto *text = llvm::dyn_cast<ast::FStringExpr>(&expr);
  if (!text)
    return Picks::No;
  bool isDevice = false, wasCuda = false; // f"cuda:{i}"
  for (const ast::FStringPart &part : text->parts) {
    isDevice |= wasCuda && reads(part.value);
    wasCuda = !part.value && part.literal.ends_with("cuda:");
  }
  return isDevice ? Picks::Perhaps : Picks::No;
}

Picks IndexUses::ofBody(const ast::Block &body, llvm::StringRef index) {
  loopIndex = index;
  indices.insert(index);
  collect(body);
  // In part of the body the name has another meaning.
  Picks most = declared.contains(index) ? Picks::Perhaps : Picks::Yes;
  Picks all = Picks::No;
  ast::anyExpr(body, [&](const ast::Expr &expr) {
    all = std::max(all, ofExpr(expr));
    return all == Picks::Yes;
  });
  return std::min(all, most);
}

void ControlFlow::tryIteration(
    const ast::Block &body, llvm::function_ref<void()> iteration,
    llvm::function_ref<void(const Binding &variable, const Val &before)>
        atEnd) {
  std::vector<std::pair<Binding *, Val>> variables;
  for (auto &entry : assignedNames(&body))
    if (Binding *binding = c.scopes.lookup(entry.first());
        binding && binding->isVar)
      variables.emplace_back(binding, binding->val);
  tryIteration(iteration, [&] {
    for (auto &[binding, before] : variables) {
      atEnd(*binding, before);
      binding->val = before;
    }
  });
}

bool ControlFlow::mustKnowIndex(const ast::ForStmt &stmt, llvm::StringRef index,
                                llvm::function_ref<void()> known,
                                llvm::function_ref<void()> unknown) {
  Picks picks = IndexUses(c).ofBody(*stmt.body, index);
  if (picks != Picks::Perhaps)
    return picks == Picks::Yes;
  auto mistakesOf = [&](llvm::function_ref<void()> iteration) {
    unsigned before = c.errorCount, count = 0;
    auto walk = [&] {
      iteration();
      count = c.errorCount - before;
    };
    tryIteration(*stmt.body, walk, [](const Binding &, const Val &) {});
    return count;
  };
  unsigned mistakes = mistakesOf(unknown);
  return mistakes && mistakesOf(known) < mistakes;
}
