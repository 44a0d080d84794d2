//===- Names.cpp - scopes of one file -------------------------------------===//

#include "Names.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;
using namespace tdc::ast;

namespace tdc {

/// Walks a program as the checker does: functions and models of a file are
/// declared before its statements, bodies of functions see all of the file.
class Resolver {
public:
  explicit Resolver(Names &names) : names(names) {}

  void walkProgram(const Program &program) {
    scope = push(program.range);
    for (const Stmt *item : program.items) {
      if (auto *fn = llvm::dyn_cast<FnDecl>(item))
        declare(fn->name, Symbol::Function, fn);
      else if (auto *model = llvm::dyn_cast<ModelDecl>(item))
        declareModel(*model);
      else if (auto *arg = llvm::dyn_cast<ArgDecl>(item))
        declare(arg->name, Symbol::Argument, arg);
    }
    for (const Stmt *item : program.items)
      if (!llvm::isa<FnDecl, ModelDecl>(item))
        walk(*item);
    for (const Stmt *item : program.items)
      if (auto *fn = llvm::dyn_cast<FnDecl>(item))
        walkFunction(*fn);
      else if (auto *model = llvm::dyn_cast<ModelDecl>(item))
        walkModel(*model);
    for (const Keyword &keyword : keywords)
      if (keyword.callee >= 0)
        names.occurrences[keyword.occurrence].symbol =
            names.findParameter(keyword.callee, keyword.name);
  }

private:
  // Scopes -----------------------------------------------------------------//

  int push(SourceRange range) {
    names.scopes.push_back({scope, range, {}});
    return static_cast<int>(names.scopes.size()) - 1;
  }

  /// Walks in a new scope of the text `range`.
  void inScope(SourceRange range, llvm::function_ref<void()> walk) {
    int outer = scope;
    scope = push(range);
    walk();
    scope = outer;
  }

  int lookup(llvm::StringRef name) const {
    for (int at = scope; at >= 0; at = names.scopes[at].parent)
      if (auto found = names.scopes[at].names.find(name);
          found != names.scopes[at].names.end())
        return found->second;
    return -1;
  }

  int makeSymbol(Identifier name, Symbol::Kind kind, const Decl *decl) {
    names.symbols.push_back({kind, name.text, {name.range}, decl});
    return static_cast<int>(names.symbols.size()) - 1;
  }

  void declare(Identifier name, Symbol::Kind kind, const Decl *decl = nullptr) {
    if (name.text.empty() || name.text == "_")
      return;
    auto [entry, isNew] = names.scopes[scope].names.try_emplace(name.text, -1);
    if (isNew)
      entry->second = makeSymbol(name, kind, decl);
    else
      names.symbols[entry->second].declared.push_back(name.range);
    note(name.range, Occurrence::Declaration, entry->second);
  }

  void note(SourceRange range, Occurrence::Kind kind, int symbol,
            const Expr *base = nullptr, const Expr *callee = nullptr) {
    names.occurrences.push_back({range, kind, symbol, base, callee});
  }

  void use(llvm::StringRef name, SourceRange range) {
    note(range, Occurrence::Use, lookup(name));
  }

  // Declarations -----------------------------------------------------------//

  void declareModel(const ModelDecl &model) {
    declare(model.name, Symbol::Model, &model);
    declareMembers(model, model.members);
  }

  void declareMembers(const ModelDecl &model,
                      llvm::ArrayRef<const Decl *> members) {
    auto add = [&](Identifier name, Symbol::Kind kind, const Decl *decl) {
      int symbol = names.findMember(model, name.text);
      if (symbol < 0) {
        symbol = makeSymbol(name, kind, decl);
        names.symbols[symbol].owner = &model;
      } else {
        names.symbols[symbol].declared.push_back(name.range);
      }
      note(name.range, Occurrence::Declaration, symbol);
    };
    for (const Decl *member : members) {
      if (auto *field = llvm::dyn_cast<FieldDecl>(member))
        add(field->name, Symbol::Part, field);
      else if (auto *state = llvm::dyn_cast<StateDecl>(member))
        add(state->name, Symbol::Part, state);
      else if (auto *fn = llvm::dyn_cast<FnDecl>(member))
        add(fn->name, Symbol::Method, fn);
      else if (auto *choice = llvm::dyn_cast<MemberIfDecl>(member))
        for (auto side : {choice->thenMembers, choice->elseMembers})
          declareMembers(model, side);
    }
  }

  void walkModel(const ModelDecl &decl) {
    model = &decl;
    inScope(decl.range, [&] {
      walkParams(decl.params);
      int parameters = scope;
      // A `let` among the members is not visible in methods.
      inScope(decl.range, [&] { walkMembers(decl.members); });
      scope = parameters;
      walkMethods(decl.members);
    });
    model = nullptr;
  }

  void walkMembers(llvm::ArrayRef<const Decl *> members) {
    for (const Decl *member : members) {
      if (auto *field = llvm::dyn_cast<FieldDecl>(member)) {
        walkType(field->type);
        walk(field->value);
      } else if (auto *state = llvm::dyn_cast<StateDecl>(member)) {
        walkType(state->type);
        walk(state->value);
      } else if (auto *part = llvm::dyn_cast<PartAssignDecl>(member)) {
        walk(*part->assign);
      } else if (auto *stmt = llvm::dyn_cast<MemberStmtDecl>(member)) {
        walk(*stmt->stmt);
      } else if (auto *choice = llvm::dyn_cast<MemberIfDecl>(member)) {
        walk(choice->condition);
        walkMembers(choice->thenMembers);
        walkMembers(choice->elseMembers);
      }
    }
  }

  void walkMethods(llvm::ArrayRef<const Decl *> members) {
    for (const Decl *member : members) {
      if (auto *fn = llvm::dyn_cast<FnDecl>(member)) {
        walkFunction(*fn);
      } else if (auto *choice = llvm::dyn_cast<MemberIfDecl>(member)) {
        walkMethods(choice->thenMembers);
        walkMethods(choice->elseMembers);
      }
    }
  }

  void walkFunction(const FnDecl &fn) {
    inScope(fn.range, [&] {
      walkParams(fn.params);
      walkType(fn.result);
      walk(fn.value);
      if (fn.body)
        inScope(fn.body->range, [&] { walkAll(fn.body->stmts); });
    });
  }

  void walkParams(llvm::ArrayRef<Param> params) {
    for (const Param &param : params) {
      walkType(param.type);
      walk(param.defaultValue);
      declare(param.name, Symbol::Parameter);
    }
  }

  // Types ------------------------------------------------------------------//

  void walkType(const TypeExpr *type) {
    if (!type)
      return;
    if (type->place)
      use(type->place->name,
          {type->place->range.file, type->place->range.begin,
           uint32_t(type->place->range.begin + type->place->name.size())});
    if (auto *tuple = llvm::dyn_cast<TupleType>(type)) {
      for (const TypeExpr *element : tuple->elements)
        walkType(element);
      return;
    }
    auto *named = llvm::cast<NamedType>(type);
    use(named->name.text, named->name.range);
    for (const SubscriptItem &dim : named->dims) {
      // A name that nothing declares is a new size.
      auto *name = llvm::dyn_cast_or_null<NameExpr>(dim.index);
      if (name && lookup(name->name) < 0)
        declare({name->name, name->range}, Symbol::Size);
      else
        walkItem(dim);
    }
  }

  void walkItem(const SubscriptItem &item) {
    for (const Expr *part : {item.index, item.start, item.stop, item.step})
      walk(part);
  }

  // Statements -------------------------------------------------------------//

  void walkAll(llvm::ArrayRef<const Stmt *> stmts) {
    for (const Stmt *stmt : stmts)
      walk(*stmt);
  }

  void walkBlock(const Block *block) {
    if (block)
      inScope(block->range, [&] { walkAll(block->stmts); });
  }

  void bind(const Target &target, Symbol::Kind kind) {
    if (!target.isTuple())
      declare({target.name, target.range}, kind);
    for (const Target *element : target.elements)
      bind(*element, kind);
  }

  void walk(const Stmt &stmt) {
    if (auto *let = llvm::dyn_cast<LetStmt>(&stmt)) {
      walk(let->value);
      walkType(let->type);
      bind(*let->target, let->isVar ? Symbol::Var : Symbol::Variable);
    } else if (auto *loop = llvm::dyn_cast<ForStmt>(&stmt)) {
      walk(loop->iterable);
      inScope(loop->range, [&] {
        bind(*loop->target, Symbol::Variable);
        walkAll(loop->body->stmts);
      });
    } else if (auto *with = llvm::dyn_cast<WithStmt>(&stmt)) {
      for (const Argument &arg : with->args)
        walk(arg.value);
      walkAll(with->body->stmts); // it opens no scope
    } else if (auto *import = llvm::dyn_cast<ImportDecl>(&stmt)) {
      walkImport(*import);
    } else if (auto *arg = llvm::dyn_cast<ArgDecl>(&stmt)) {
      walkType(arg->type);
      walk(arg->defaultValue);
    } else {
      for (const Expr *expr : expressionsOf(stmt))
        walk(expr);
      for (const Block *block : blocksOf(stmt))
        walkBlock(block);
    }
  }

  void walkImport(const ImportDecl &import) {
    for (const Identifier &name : import.names)
      declare(name, Symbol::Imported, &import);
    if (!import.names.empty() || import.isFile)
      return;
    if (!import.alias.text.empty())
      return declare(import.alias, Symbol::Module, &import);
    llvm::StringRef last = import.path.text.rsplit('.').second;
    if (last.empty())
      last = import.path.text;
    SourceRange range = import.path.range;
    range.begin = range.end - static_cast<uint32_t>(last.size());
    declare({last, range}, Symbol::Module, &import);
  }

  // Expressions ------------------------------------------------------------//

  void walk(const Expr *expr) {
    if (!expr)
      return;
    if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
      use(name->name, name->range);
    } else if (auto *member = llvm::dyn_cast<MemberExpr>(expr)) {
      walk(member->base);
      bool isOwn = model && llvm::isa<SelfExpr>(member->base);
      note(member->member.range, Occurrence::Member,
           isOwn ? names.findMember(*model, member->member.text) : -1,
           member->base);
    } else if (auto *call = llvm::dyn_cast<CallExpr>(expr)) {
      walk(call->callee);
      for (const Argument &arg : call->args) {
        if (arg.kind == Argument::Keyword) {
          keywords.push_back({names.occurrences.size(), arg.keyword.text,
                              calleeOf(*call->callee)});
          note(arg.keyword.range, Occurrence::Keyword, -1, nullptr,
               call->callee);
        }
        walk(arg.value);
      }
    } else if (auto *list = llvm::dyn_cast<ComprehensionExpr>(expr)) {
      inScope(list->range, [&] {
        for (const ComprehensionClause &clause : list->clauses) {
          walk(clause.iterable);
          bind(*clause.target, Symbol::Variable);
          for (const Expr *condition : clause.conditions)
            walk(condition);
        }
        walk(list->element);
      });
    } else {
      forEachChild(*expr, [&](const Expr &child) { walk(&child); });
    }
  }

  /// The function or model of this file that is called, or -1.
  int calleeOf(const Expr &callee) const {
    if (auto *name = llvm::dyn_cast<NameExpr>(&callee))
      return lookup(name->name);
    auto *member = llvm::dyn_cast<MemberExpr>(&callee);
    bool isOwn = member && model && llvm::isa<SelfExpr>(member->base);
    return isOwn ? names.findMember(*model, member->member.text) : -1;
  }

  /// A keyword of an argument, whose parameter may be declared later.
  struct Keyword {
    size_t occurrence;
    llvm::StringRef name;
    int callee;
  };

  Names &names;
  int scope = -1;
  const ModelDecl *model = nullptr;
  std::vector<Keyword> keywords;
};

} // namespace tdc

Names::Names(const Program &program) {
  Resolver(*this).walkProgram(program);
  llvm::sort(occurrences, [](const Occurrence &a, const Occurrence &b) {
    return std::make_tuple(a.range.begin, a.range.end, a.kind) <
           std::make_tuple(b.range.begin, b.range.end, b.kind);
  });
  for (Symbol &symbol : symbols)
    llvm::sort(symbol.declared,
               [](SourceRange a, SourceRange b) { return a.begin < b.begin; });
}

const Occurrence *Names::find(uint32_t offset) const {
  auto after = llvm::upper_bound(
      occurrences, offset, [](uint32_t offset, const Occurrence &occurrence) {
        return offset < occurrence.range.begin;
      });
  if (after == occurrences.begin())
    return nullptr;
  const Occurrence &last = *std::prev(after);
  return offset <= last.range.end ? &last : nullptr;
}

int Names::findMember(const ModelDecl &model, llvm::StringRef name) const {
  auto found = llvm::find_if(symbols, [&](const Symbol &symbol) {
    return symbol.owner == &model && symbol.name == name;
  });
  return found == symbols.end() ? -1
                                : static_cast<int>(found - symbols.begin());
}

int Names::findParameter(int function, llvm::StringRef name) const {
  if (!symbols[function].decl)
    return -1;
  for (const Param &param : ast::paramsOf(*symbols[function].decl))
    if (param.name.text == name)
      return findDeclared(param.name.range);
  return -1;
}

int Names::findDeclared(SourceRange range) const {
  for (auto [i, symbol] : llvm::enumerate(symbols))
    if (llvm::is_contained(symbol.declared, range))
      return static_cast<int>(i);
  return -1;
}

bool Names::isShared(int symbol) const {
  const Symbol &found = symbols[symbol];
  auto ofFile = scopes.front().names.find(found.name);
  return found.kind == Symbol::Method || found.kind == Symbol::Parameter ||
         (ofFile != scopes.front().names.end() && ofFile->second == symbol);
}

std::vector<int> Names::getVisible(uint32_t offset) const {
  // What follows a statement of the file is visible in functions only.
  bool isInDecl = llvm::any_of(symbols, [&](const Symbol &symbol) {
    return llvm::isa_and_nonnull<FnDecl, ModelDecl>(symbol.decl) &&
           symbol.decl->range.begin <= offset &&
           offset <= symbol.decl->range.end;
  });
  std::vector<int> visible;
  llvm::StringMap<bool> hidden;
  // A scope follows the one around it.
  for (size_t i = scopes.size(); i-- != 0;) {
    const Scope &scope = scopes[i];
    if (offset < scope.range.begin || offset > scope.range.end)
      continue;
    for (auto &entry : scope.names) {
      const Symbol &symbol = symbols[entry.second];
      bool isEarlier = symbol.declared[0].begin < offset ||
                       (i == 0 && (isInDecl || symbol.decl));
      if (isEarlier && hidden.try_emplace(entry.first(), true).second)
        visible.push_back(entry.second);
    }
  }
  return visible;
}

const ModelDecl *Names::findModel(uint32_t offset) const {
  for (const Symbol &symbol : symbols)
    if (auto *model = llvm::dyn_cast_or_null<ModelDecl>(symbol.decl);
        model && symbol.kind == Symbol::Model && model->range.begin <= offset &&
        offset <= model->range.end)
      return model;
  return nullptr;
}
