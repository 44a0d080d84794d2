//===- ASTPrinter.cpp - a syntax tree as text -----------------------------===//
//
// One printer for the three hierarchies; the form is described in the header.
//
//===----------------------------------------------------------------------===//
#include "Frontend/ASTPrinter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace tdc;
using namespace tdc::ast;

namespace {

class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os(os) {}

  void print(const Program &program) {
    line() << "program\n";
    ++depth;
    printDoc(program.doc);
    for (const Directive &directive : program.directives)
      line() << "directive " << directive.key << '=' << directive.value << '\n';
    for (const Stmt *item : program.items)
      print(*item);
    --depth;
  }

  void print(const Expr &expr);
  void print(const TypeExpr &type);
  void print(const Stmt &stmt);

private:
  //===--------------------------------------------------------------------===//
  // Pieces
  //===--------------------------------------------------------------------===//

  llvm::raw_ostream &line() { return os.indent(2 * depth); }

  void printText(llvm::StringRef text) {
    os << '"';
    os.write_escaped(text) << '"';
  }

  void printDoc(llvm::StringRef doc) {
    if (doc.empty())
      return;
    line() << "doc ";
    printText(doc);
    os << '\n';
  }

  /// `before` and the node, or nothing for a null node.
  template <typename T> void printIf(llvm::StringRef before, const T *node) {
    if (!node)
      return;
    os << before;
    print(*node);
  }

  /// `(head a b …)`.
  void printForm(llvm::StringRef head, llvm::ArrayRef<const Expr *> operands) {
    os << '(' << head;
    for (const Expr *operand : operands)
      printIf(" ", operand);
    os << ')';
  }

  /// The shortest digits that read back as the value.
  void printFloat(double value) {
    for (int digits : {6, 15, 16, 17}) {
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
      double back;
      if (digits != 17 &&
          (llvm::StringRef(text).getAsDouble(back) || back != value))
        continue;
      bool looksInt = llvm::all_of(text, llvm::isDigit);
      os << text << (looksInt ? "." : "");
      return;
    }
  }

  void print(const Target &target) {
    if (!target.isTuple()) {
      os << target.name;
      return;
    }
    os << '(';
    llvm::interleaveComma(target.elements, os,
                          [&](const Target *element) { print(*element); });
    os << ')';
  }

  void print(const SubscriptItem &item) {
    switch (item.kind) {
    case SubscriptItem::Index:
      return print(*item.index);
    case SubscriptItem::Slice:
      printIf("", item.start);
      os << ':';
      printIf("", item.stop);
      return printIf(":", item.step);
    case SubscriptItem::Ellipsis:
      os << "...";
      return;
    case SubscriptItem::Unknown:
      os << '?';
      return;
    }
  }

  void print(const Argument &arg) {
    if (arg.kind == Argument::Keyword)
      os << arg.keyword.text << '=';
    else if (arg.kind == Argument::Spread)
      os << '*';
    print(*arg.value);
  }

  void print(const FStringPart &part) {
    if (!part.value)
      return printText(part.literal);
    os << '{';
    if (!part.echo.empty()) {
      printText(part.echo);
      os << ' ';
    }
    print(*part.value);
    if (part.spec)
      os << ':' << part.spec->text;
    os << '}';
  }

  void print(const Param &param) {
    os << (param.isRest ? "*" : "") << param.name.text;
    printIf(": ", param.type);
    printIf(" = ", param.defaultValue);
  }

  template <typename T>
  void printList(llvm::StringRef open, llvm::ArrayRef<T> elements,
                 llvm::StringRef close) {
    os << open;
    llvm::interleaveComma(elements, os, [&](const T &e) { print(e); });
    os << close;
  }

  template <typename T> void printNested(llvm::ArrayRef<const T *> stmts) {
    os << '\n';
    ++depth;
    for (const T *stmt : stmts)
      print(*stmt);
    --depth;
  }
  void printNested(const Block *block) { printNested(block->stmts); }

  void printDecl(const Decl &decl);

  llvm::raw_ostream &os;
  unsigned depth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Expressions and types
//===----------------------------------------------------------------------===//

void Printer::print(const Expr &expr) {
  llvm::TypeSwitch<const Expr *>(&expr)
      .Case([&](const NameExpr *e) { os << e->name; })
      .Case([&](const IntExpr *e) { os << e->value; })
      .Case([&](const FloatExpr *e) { printFloat(e->value); })
      .Case([&](const BoolExpr *e) { os << (e->value ? "true" : "false"); })
      .Case([&](const StringExpr *e) { printText(e->value); })
      .Case([&](const FStringExpr *e) {
        os << "(f";
        for (const FStringPart &part : e->parts)
          print((os << ' ', part));
        os << ')';
      })
      .Case([&](const DeviceExpr *e) { os << "cuda:" << e->ordinal; })
      .Case([&](const SelfExpr *) { os << "self"; })
      .Case([&](const UnaryExpr *e) {
        printForm(getSpelling(e->op), {e->operand});
      })
      .Case([&](const BinaryExpr *e) {
        printForm(getSpelling(e->op), {e->lhs, e->rhs});
      })
      .Case([&](const CompareExpr *e) {
        printForm(getSpelling(e->op), {e->lhs, e->rhs});
      })
      .Case([&](const ConditionalExpr *e) {
        printForm("if", {e->condition, e->thenValue, e->elseValue});
      })
      .Case([&](const CallExpr *e) {
        print(*e->callee);
        printList("(", e->args, ")");
      })
      .Case([&](const SubscriptExpr *e) {
        print(*e->base);
        printList("[", e->items, "]");
      })
      .Case([&](const MemberExpr *e) {
        print(*e->base);
        os << '.' << e->member.text;
      })
      .Case([&](const TupleExpr *e) { printForm("tuple", e->elements); })
      .Case([&](const ListExpr *e) { printForm("list", e->elements); })
      .Case([&](const ComprehensionExpr *e) {
        printIf("[", e->element);
        for (const ComprehensionClause &clause : e->clauses) {
          printIf(" for ", clause.target);
          printIf(" in ", clause.iterable);
          for (const Expr *condition : clause.conditions)
            printIf(" if ", condition);
        }
        os << ']';
      });
}

void Printer::print(const TypeExpr &type) {
  if (auto *named = llvm::dyn_cast<NamedType>(&type)) {
    os << named->name.text;
    if (named->hasBrackets)
      printList("[", named->dims, "]");
  } else {
    os << '(';
    llvm::interleaveComma(llvm::cast<TupleType>(type).elements, os,
                          [&](const TypeExpr *element) { print(*element); });
    os << ')';
  }
  if (type.place) {
    os << " @" << type.place->name;
    if (type.place->ordinal)
      os << ':' << *type.place->ordinal;
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Printer::print(const Stmt &stmt) {
  if (auto *decl = llvm::dyn_cast<Decl>(&stmt))
    return printDecl(*decl);
  line();
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case([&](const LetStmt *s) {
        os << (s->isParam ? "param " : s->isVar ? "var " : "let ");
        print(*s->target);
        printIf(": ", s->type);
        printIf(" = ", s->value);
        os << '\n';
      })
      .Case([&](const AssignStmt *s) {
        print(*s->target);
        os << ' ' << getSpelling(s->op);
        printIf(" ", s->value);
        os << '\n';
      })
      .Case([&](const ExprStmt *s) {
        print(*s->value);
        os << '\n';
      })
      .Case([&](const IfStmt *s) {
        printIf("if ", s->condition);
        printNested(s->thenBlock);
        if (s->elseBlock) {
          line() << "else";
          printNested(s->elseBlock);
        }
      })
      .Case([&](const ForStmt *s) {
        printIf("for ", s->target);
        printIf(" in ", s->iterable);
        printNested(s->body);
      })
      .Case([&](const WhileStmt *s) {
        printIf("while ", s->condition);
        printNested(s->body);
      })
      .Case([&](const WithStmt *s) {
        os << "with " << s->context.text;
        printList("(", s->args, ")");
        printNested(s->body);
      })
      .Case([&](const ReturnStmt *s) {
        os << "return";
        printIf(" ", s->value);
        os << '\n';
      })
      .Case([&](const BreakStmt *) { os << "break\n"; })
      .Case([&](const ContinueStmt *) { os << "continue\n"; })
      .Case([&](const AssertStmt *s) {
        printIf("assert ", s->condition);
        printIf(", ", s->message);
        os << '\n';
      });
}

void Printer::printDecl(const Decl &decl) {
  printDoc(decl.doc);
  line();
  llvm::TypeSwitch<const Decl *>(&decl)
      .Case([&](const ImportDecl *d) {
        os << "import ";
        d->isFile ? printText(d->path.text) : void(os << d->path.text);
        if (!d->alias.text.empty())
          os << " as " << d->alias.text;
        for (const Identifier &name : d->names)
          os << " :" << name.text;
        os << '\n';
      })
      .Case([&](const ArgDecl *d) {
        os << "arg " << d->name.text;
        printIf(": ", d->type);
        printIf(" = ", d->defaultValue);
        if (!d->help.empty())
          printText((os << ' ', d->help));
        os << '\n';
      })
      .Case([&](const ModelDecl *d) {
        os << "model " << d->name.text;
        printList("(", d->params, ")");
        printNested(d->members);
      })
      .Case([&](const FnDecl *d) {
        os << (d->isExport ? "export fn " : "fn ") << d->name.text;
        printList("(", d->params, ")");
        printIf(" -> ", d->result);
        if (d->body)
          return printNested(d->body);
        printIf(" = ", d->value);
        os << '\n';
      })
      .Case([&](const FieldDecl *d) {
        os << "field " << d->name.text;
        printIf(": ", d->type);
        printIf(" = ", d->value);
        os << '\n';
      })
      .Case([&](const StateDecl *d) {
        os << (d->isParam ? "param " : "buffer ") << d->name.text;
        printIf(": ", d->type);
        printIf(" = ", d->value);
        os << '\n';
      })
      .Case([&](const PartAssignDecl *d) {
        print(*d->assign->target);
        printIf(" = ", d->assign->value);
        os << '\n';
      })
      .Case([&](const MemberStmtDecl *d) {
        os << "statement";
        printNested(llvm::ArrayRef(d->stmt));
      })
      .Case([&](const MemberIfDecl *d) {
        printIf("if ", d->condition);
        printNested(d->thenMembers);
        if (!d->elseMembers.empty()) {
          line() << "else";
          printNested(d->elseMembers);
        }
      });
}

void tdc::ast::print(llvm::raw_ostream &os, const Program &program) {
  Printer(os).print(program);
}
void tdc::ast::print(llvm::raw_ostream &os, const Stmt &stmt) {
  Printer(os).print(stmt);
}
void tdc::ast::print(llvm::raw_ostream &os, const TypeExpr &type) {
  Printer(os).print(type);
}
void tdc::ast::print(llvm::raw_ostream &os, const Expr &expr) {
  Printer(os).print(expr);
}
