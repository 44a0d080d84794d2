//===- AST.h - the syntax tree of a .tdsl file ----------------------------===//
//
// One struct per production of the grammar that carries meaning. The tree is
// immutable once parsed: nodes and their arrays live in a Context (an arena),
// children are plain const pointers, names are views of the source text, and
// every node has the range of text it came from.
//
// Three hierarchies, each with LLVM-style isa/cast/dyn_cast (and TypeSwitch):
//   Expr      Name Int Float Bool String FString Device Self Unary Binary
//             Compare Conditional Call Subscript Member Tuple List
//             Comprehension
//   TypeExpr  Named Tuple
//   Stmt      Let Assign Expr If For While With Return Break Continue Assert
//     Decl    Import Arg Model Fn                   (items)
//             Field State PartAssign MemberStmt MemberIf  (members)
//
// What the grammar writes as a bare list (`a, b` after `return`, `=` or in an
// assignment) is a TupleExpr here, so `return a, b` and `return (a, b)` agree.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_FRONTEND_AST_H
#define TDC_FRONTEND_AST_H

#include "Frontend/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace tdc::ast {

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

/// Owns the nodes of any number of files and frees them all at once. No
/// destructor of a node runs, so nodes hold only views and pointers.
class Context {
public:
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }

  /// A copy of the elements that lives as long as the tree.
  template <typename Range> auto copy(const Range &elements) {
    using T = std::decay_t<decltype(*std::begin(elements))>;
    size_t size = std::size(elements);
    T *data = arena.Allocate<T>(size);
    std::uninitialized_copy(std::begin(elements), std::end(elements), data);
    return llvm::ArrayRef<T>(data, size);
  }
  llvm::StringRef copyText(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena;
};

/// A name and its position in the text.
struct Identifier {
  llvm::StringRef text;
  SourceRange range;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class ExprKind : uint8_t {
  Name,
  Int,
  Float,
  Bool,
  String,
  FString,
  Device,
  Self,
  Unary,
  Binary,
  Compare,
  Conditional,
  Call,
  Subscript,
  Member,
  Tuple,
  List,
  Comprehension,
};

/// The range of an expression in parentheses includes the parentheses.
struct Expr {
  const ExprKind kind;
  /// Levels below and including this node; at most
  /// ParserLimits::expressionHeight, so that recursive walks are safe.
  uint16_t height = 1;
  SourceRange range;

protected:
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
};

template <ExprKind K> struct ExprOf : Expr {
  explicit ExprOf(SourceRange range) : Expr(K, range) {}
  static bool classof(const Expr *expr) { return expr->kind == K; }
};

struct NameExpr : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  llvm::StringRef name;
};

struct IntExpr : ExprOf<ExprKind::Int> {
  using ExprOf::ExprOf;
  int64_t value = 0; ///< never negative: `-1` is a UnaryExpr
};

struct FloatExpr : ExprOf<ExprKind::Float> {
  using ExprOf::ExprOf;
  double value = 0;
};

struct BoolExpr : ExprOf<ExprKind::Bool> {
  using ExprOf::ExprOf;
  bool value = false;
};

/// A string literal; the value has its escapes replaced and is valid UTF-8.
struct StringExpr : ExprOf<ExprKind::String> {
  using ExprOf::ExprOf;
  llvm::StringRef value;
};

/// `[[fill]align][sign][#][0][width][,][.precision][type]`, as in Python.
/// A character that is absent is 0; `fill` is one code point or empty.
struct FormatSpec {
  SourceRange range;
  llvm::StringRef text; ///< as written, without the colon
  llvm::StringRef fill;
  char align = 0; ///< one of < > ^ =
  char sign = 0;  ///< one of + - and space
  bool alternate = false;
  bool zeroPad = false;
  bool commas = false;
  std::optional<unsigned> width;
  std::optional<unsigned> precision;
  char type = 0; ///< one of d e f g s x b %
};

/// Literal text, or `{value}`, `{value=}`, `{value:spec}`, `{value=:spec}`.
struct FStringPart {
  SourceRange range;
  llvm::StringRef literal;          ///< text, if `value` is null
  const Expr *value = nullptr;      ///< the formatted value, or null
  llvm::StringRef echo;             ///< text that `{value=}` prints before it
  const FormatSpec *spec = nullptr; ///< null if there is none
};

struct FStringExpr : ExprOf<ExprKind::FString> {
  using ExprOf::ExprOf;
  llvm::ArrayRef<FStringPart> parts;
};

/// The literal `cuda:N`. Bare `cuda` and `cpu` are names.
struct DeviceExpr : ExprOf<ExprKind::Device> {
  using ExprOf::ExprOf;
  uint32_t ordinal = 0;
};

struct SelfExpr : ExprOf<ExprKind::Self> {
  using ExprOf::ExprOf;
};

enum class UnaryOp : uint8_t { Neg, BitNot, Not };

struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::Neg;
  const Expr *operand = nullptr;
};

/// `Or` and `And` evaluate their right side only if the left side does not
/// decide the result.
enum class BinaryOp : uint8_t {
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  MatMul,
  Pow,
};

struct BinaryExpr : ExprOf<ExprKind::Binary> {
  using ExprOf::ExprOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange; ///< of the operator alone
  const Expr *lhs = nullptr;
  const Expr *rhs = nullptr;
};

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct CompareExpr : ExprOf<ExprKind::Compare> {
  using ExprOf::ExprOf;
  CompareOp op = CompareOp::Eq;
  SourceRange opRange;
  const Expr *lhs = nullptr;
  const Expr *rhs = nullptr;
};

/// `thenValue if condition else elseValue`.
struct ConditionalExpr : ExprOf<ExprKind::Conditional> {
  using ExprOf::ExprOf;
  const Expr *condition = nullptr;
  const Expr *thenValue = nullptr;
  const Expr *elseValue = nullptr;
};

/// One argument of a call: `value`, `keyword=value` or `*value`. No
/// positional or spread argument follows a keyword one.
struct Argument {
  enum Kind : uint8_t { Positional, Keyword, Spread };
  Kind kind = Positional;
  SourceRange range;
  Identifier keyword; ///< of a Keyword argument
  const Expr *value = nullptr;
};

struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  const Expr *callee = nullptr;
  llvm::ArrayRef<Argument> args;
  SourceRange argsRange; ///< the parentheses and the text between them
};

/// One item between `[` and `]`, of a value or of a tensor type.
struct SubscriptItem {
  enum Kind : uint8_t { Index, Slice, Ellipsis, Unknown };
  Kind kind = Index;
  SourceRange range;
  const Expr *index = nullptr; ///< of an Index
  const Expr *start = nullptr; ///< of a Slice; each may be null
  const Expr *stop = nullptr;
  const Expr *step = nullptr;
};

struct SubscriptExpr : ExprOf<ExprKind::Subscript> {
  using ExprOf::ExprOf;
  const Expr *base = nullptr;
  llvm::ArrayRef<SubscriptItem> items; ///< at least one
};

struct MemberExpr : ExprOf<ExprKind::Member> {
  using ExprOf::ExprOf;
  const Expr *base = nullptr;
  Identifier member;
};

struct TupleExpr : ExprOf<ExprKind::Tuple> {
  using ExprOf::ExprOf;
  llvm::ArrayRef<const Expr *> elements;
};

struct ListExpr : ExprOf<ExprKind::List> {
  using ExprOf::ExprOf;
  llvm::ArrayRef<const Expr *> elements;
};

/// The left side of `let`, `var` and `for`: a name, or a tuple of targets.
struct Target {
  SourceRange range;
  llvm::StringRef name;                    ///< empty for a tuple
  llvm::ArrayRef<const Target *> elements; ///< of a tuple, at least one
  bool isTuple() const { return name.empty(); }
};

/// `for target in iterable if condition if condition`.
struct ComprehensionClause {
  const Target *target = nullptr;
  const Expr *iterable = nullptr;
  llvm::ArrayRef<const Expr *> conditions;
};

/// `[element for x in xs for y in ys]`: the last clause is the innermost loop.
struct ComprehensionExpr : ExprOf<ExprKind::Comprehension> {
  using ExprOf::ExprOf;
  const Expr *element = nullptr;
  llvm::ArrayRef<ComprehensionClause> clauses; ///< at least one
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The device after `@` in a type: `cuda:N` (with the ordinal), or the name
/// `cpu`, `cuda` or the name of a device value.
struct Place {
  SourceRange range;
  llvm::StringRef name; ///< "cuda" if there is an ordinal
  std::optional<uint32_t> ordinal;
};

enum class TypeKind : uint8_t { Named, Tuple };

struct TypeExpr {
  const TypeKind kind;
  SourceRange range;            ///< with the place
  const Place *place = nullptr; ///< null if none is written

protected:
  TypeExpr(TypeKind kind, SourceRange range) : kind(kind), range(range) {}
};

template <TypeKind K> struct TypeOf : TypeExpr {
  explicit TypeOf(SourceRange range) : TypeExpr(K, range) {}
  static bool classof(const TypeExpr *type) { return type->kind == K; }
};

/// `int`, `Net`, `list[int]` or a tensor `f32[B, 10]`; `f32[]` has brackets
/// and no dims.
struct NamedType : TypeOf<TypeKind::Named> {
  using TypeOf::TypeOf;
  Identifier name;
  bool hasBrackets = false;
  llvm::ArrayRef<SubscriptItem> dims;
};

struct TupleType : TypeOf<TypeKind::Tuple> {
  using TypeOf::TypeOf;
  llvm::ArrayRef<const TypeExpr *> elements; ///< at least one
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

enum class StmtKind : uint8_t {
  Let,
  Assign,
  Expr,
  If,
  For,
  While,
  With,
  Return,
  Break,
  Continue,
  Assert,
  // Declarations.
  Import,
  Arg,
  Model,
  Fn,
  Field,
  State,
  PartAssign,
  MemberStmt,
  MemberIf,
};

struct Stmt {
  const StmtKind kind;
  SourceRange range;

protected:
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
};

template <StmtKind K, typename Base = Stmt> struct StmtOf : Base {
  explicit StmtOf(SourceRange range) : Base(K, range) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }
};

/// Statements between braces; the range includes the braces.
struct Block {
  SourceRange range;
  llvm::ArrayRef<const Stmt *> stmts;
};

/// `let target: type = value`, `var …`, or `param name: type = value` outside
/// of a model.
struct LetStmt : StmtOf<StmtKind::Let> {
  using StmtOf::StmtOf;
  bool isVar = false;
  bool isParam = false;
  const Target *target = nullptr;
  const TypeExpr *type = nullptr; ///< may be null
  const Expr *value = nullptr;
};

enum class AssignOp : uint8_t {
  Set,
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  BitOr,
  BitXor,
  BitAnd,
  ShiftLeft,
  ShiftRight,
};

/// `target op value`. A target is a NameExpr, MemberExpr or SubscriptExpr, or,
/// with Set only, a TupleExpr of targets.
struct AssignStmt : StmtOf<StmtKind::Assign> {
  using StmtOf::StmtOf;
  AssignOp op = AssignOp::Set;
  SourceRange opRange;
  const Expr *target = nullptr;
  const Expr *value = nullptr;
};

struct ExprStmt : StmtOf<StmtKind::Expr> {
  using StmtOf::StmtOf;
  const Expr *value = nullptr;
};

/// `else if` is an else block that holds one IfStmt.
struct IfStmt : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  const Expr *condition = nullptr;
  const Block *thenBlock = nullptr;
  const Block *elseBlock = nullptr; ///< may be null
};

struct ForStmt : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  const Target *target = nullptr;
  const Expr *iterable = nullptr;
  const Block *body = nullptr;
};

struct WhileStmt : StmtOf<StmtKind::While> {
  using StmtOf::StmtOf;
  const Expr *condition = nullptr;
  const Block *body = nullptr;
};

/// `with no_grad { }` or `with device(cuda:1) { }`.
struct WithStmt : StmtOf<StmtKind::With> {
  using StmtOf::StmtOf;
  Identifier context;
  llvm::ArrayRef<Argument> args;
  const Block *body = nullptr;
};

struct ReturnStmt : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  const Expr *value = nullptr; ///< may be null
};

struct BreakStmt : StmtOf<StmtKind::Break> {
  using StmtOf::StmtOf;
};

struct ContinueStmt : StmtOf<StmtKind::Continue> {
  using StmtOf::StmtOf;
};

struct AssertStmt : StmtOf<StmtKind::Assert> {
  using StmtOf::StmtOf;
  const Expr *condition = nullptr;
  const Expr *message = nullptr; ///< may be null
};

//===----------------------------------------------------------------------===//
// Declarations: items of a program and members of a model
//===----------------------------------------------------------------------===//

struct Decl : Stmt {
  /// The `##` lines directly above, without the marks, joined by newlines.
  llvm::StringRef doc;

  static bool classof(const Stmt *stmt) {
    return stmt->kind >= StmtKind::Import;
  }

protected:
  using Stmt::Stmt;
};

/// `import a.b as c`, `import "net.onnx" as Net` or `from a import b, c`.
struct ImportDecl : StmtOf<StmtKind::Import, Decl> {
  using StmtOf::StmtOf;
  Identifier path;                  ///< `a.b`, or the string's value
  bool isFile = false;              ///< the path is a string
  Identifier alias;                 ///< after `as`, else empty
  llvm::ArrayRef<Identifier> names; ///< of `from`, else empty
};

/// `arg name: type = value "help"`.
struct ArgDecl : StmtOf<StmtKind::Arg, Decl> {
  using StmtOf::StmtOf;
  Identifier name;
  const TypeExpr *type = nullptr;
  const Expr *defaultValue = nullptr; ///< null: the argument is required
  llvm::StringRef help;
};

/// A parameter of a function or of a model.
struct Param {
  SourceRange range;
  Identifier name;
  const TypeExpr *type = nullptr;     ///< may be null
  const Expr *defaultValue = nullptr; ///< may be null
  /// `*name`: a tuple of the arguments by position that no parameter before it
  /// takes. Those after it are given by name.
  bool isRest = false;
};

/// `fn name(params) -> result { }` or `fn name(params) = expr`.
struct FnDecl : StmtOf<StmtKind::Fn, Decl> {
  using StmtOf::StmtOf;
  bool isExport = false;
  Identifier name;
  llvm::ArrayRef<Param> params;
  const TypeExpr *result = nullptr; ///< may be null
  const Block *body = nullptr;      ///< exactly one of body and value
  const Expr *value = nullptr;
};

/// `name: type = value` in a model: a submodule or a constant.
struct FieldDecl : StmtOf<StmtKind::Field, Decl> {
  using StmtOf::StmtOf;
  Identifier name;
  const TypeExpr *type = nullptr; ///< may be null
  const Expr *value = nullptr;
};

/// `param name: type = value` (learned) or `buffer …` (not learned).
struct StateDecl : StmtOf<StmtKind::State, Decl> {
  using StmtOf::StmtOf;
  bool isParam = false;
  Identifier name;
  const TypeExpr *type = nullptr; ///< if null, that of the value
  const Expr *value = nullptr;    ///< may be null if there is a type
};

/// `self.head.weight = self.wte.weight` in a model: assigns to a tensor of a
/// part that an earlier member made.
struct PartAssignDecl : StmtOf<StmtKind::PartAssign, Decl> {
  using StmtOf::StmtOf;
  const AssignStmt *assign = nullptr;
};

/// A statement among the members, which runs each time a model is made: `let`,
/// `var`, `assert`, a loop, or a call such as `self.reset()`.
struct MemberStmtDecl : StmtOf<StmtKind::MemberStmt, Decl> {
  using StmtOf::StmtOf;
  const Stmt *stmt = nullptr;
};

/// Members that exist only if a condition on the configuration holds.
struct MemberIfDecl : StmtOf<StmtKind::MemberIf, Decl> {
  using StmtOf::StmtOf;
  const Expr *condition = nullptr;
  llvm::ArrayRef<const Decl *> thenMembers;
  llvm::ArrayRef<const Decl *> elseMembers;
};

struct ModelDecl : StmtOf<StmtKind::Model, Decl> {
  using StmtOf::StmtOf;
  Identifier name;
  llvm::ArrayRef<Param> params;
  /// FieldDecl, StateDecl, PartAssignDecl, MemberStmtDecl, MemberIfDecl and
  /// FnDecl.
  llvm::ArrayRef<const Decl *> members;
};

/// A setting from a first line such as `#tdc: placement=strict`.
struct Directive {
  SourceRange range;
  llvm::StringRef key;
  llvm::StringRef value;
};

/// One file. Items are declarations (Import, Arg, Model, Fn) and statements.
struct Program {
  SourceRange range;
  llvm::StringRef doc; ///< leading `##` lines followed by an empty line
  llvm::ArrayRef<Directive> directives;
  llvm::ArrayRef<const Stmt *> items;
  bool unfreezes = false; ///< the text names a method `unfreeze` anywhere
  /// The names that a `save` or `restore` has as values of keywords.
  llvm::ArrayRef<llvm::StringRef> keptNames;
};

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

/// How an operator is written ("//", "and", "+=").
llvm::StringRef getSpelling(UnaryOp op);
llvm::StringRef getSpelling(BinaryOp op);
llvm::StringRef getSpelling(CompareOp op);
llvm::StringRef getSpelling(AssignOp op);

} // namespace tdc::ast

#endif // TDC_FRONTEND_AST_H
