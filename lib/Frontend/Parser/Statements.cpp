//===- Statements.cpp - statements and blocks -----------------------------===//
//
// Statements, and the loop over them that recovers from mistakes.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;
using namespace tdc::ast;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

const Block *Parser::parseBlock() {
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  if (at(Tok::Colon) && peek(1).kind == Tok::LBrace)
    reportColonAndBrace();
  if (at(Tok::Colon))
    return parseIndentedBlock();
  if (!expectOpenBrace())
    return at(Tok::Colon) ? parseIndentedBlock() : failed;
  SourceRange open = rangeOf(previous());

  // An item at the left margin was not meant to be in a block.
  auto atEnd = [&] { return at(Tok::RBrace) || (atItem() && atLeftMargin()); };
  llvm::SmallVector<const Stmt *> stmts;
  parseStmts(stmts, atEnd);
  if (!consume(Tok::RBrace))
    reportUnclosed(open);
  auto *block = context.create<Block>();
  block->range = rangeFrom(open);
  block->stmts = context.copy(stmts);
  return block;
}

const Block *Parser::parseIndentedBlock() {
  Token colon = advance();
  llvm::StringRef indent = indentOfHeader(colon);
  bool onOneLine = !at(Tok::Newline);
  size_t first = pos;
  llvm::SmallVector<const Stmt *> stmts;
  ++indentedBlocks;
  if (onOneLine)
    parseStmts(stmts, [&] { return pos != first && !goesOnAfterSemicolon(); });
  else
    parseStmts(stmts,
               [&] { return at(Tok::RBrace) || !isIndentedMore(indent); });
  --indentedBlocks;
  reportIndentedBlock(colon, onOneLine);
  auto *block = context.create<Block>();
  block->range = rangeFrom(rangeOf(colon));
  block->stmts = context.copy(stmts);
  return block;
}

void Parser::parseStmts(llvm::SmallVectorImpl<const Stmt *> &stmts,
                        llvm::function_ref<bool()> atEnd) {
  while (skipNewlines(), !at(Tok::End) && !atEnd()) {
    size_t start = pos;
    if (const Stmt *stmt = parseStmt()) {
      stmts.push_back(stmt);
      expectStatementEnd();
    } else {
      skipStatement(start);
    }
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

const Stmt *Parser::parseStmt() {
  SourceRange start = rangeOf(peek());
  switch (peek().kind) {
  case Tok::Let:
  case Tok::Var:
    return parseLet();
  case Tok::If:
    if (!atMainGuard())
      return parseIf();
    skipMainGuard();
    return failed;
  case Tok::For:
    return parseFor();
  case Tok::While:
    return parseWhile();
  case Tok::With:
    return parseWith();
  case Tok::Return:
    return parseReturn();
  case Tok::Assert:
    return parseAssert();
  case Tok::Else:
    diags.report(DiagCode::TD101, start, "`else` without `if`");
    return failed;
  case Tok::Break:
    advance();
    return context.create<BreakStmt>(start);
  case Tok::Continue:
    advance();
    return context.create<ContinueStmt>(start);
  default:
    break;
  }
  if (atItem()) {
    Token word = peek();
    if (!atPythonDef())
      diags
          .report(DiagCode::TD115, rangeOf(word),
                  "`" + textOf(word) + "` is not allowed in a block")
          .label("belongs to the top level of the file");
    else
      diags
          .report(DiagCode::TD115, rangeOf(word),
                  "a function is not allowed in a block")
          .label("belongs to the top level of the file");
    parseItem(); // for the mistakes in it
    return failed;
  }
  if (atParam())
    return parseLet();
  if (skipPythonStatement())
    return failed;
  reportLeaf();
  reportArgumentParser();
  if (at(Tok::Name) && peek(1).kind == Tok::Comma &&
      peek(2).kind == Tok::Equal && peek(3).kind == Tok::Name) {
    pos += 3;
    if (reportAutograd())
      return failed;
    pos -= 3;
  }
  return parseExprOrAssign();
}

const Stmt *Parser::parseLet() {
  SourceRange start = rangeOf(peek());
  if (at(Tok::Let) && peek(1).kind == Tok::Name) {
    ++pos;
    reportArgumentParser();
    --pos;
  }
  auto *let = context.create<LetStmt>(start);
  let->isParam = at(Tok::Name);
  let->isVar = advance().kind == Tok::Var;
  if (at(Tok::Equal)) {
    diags
        .report(DiagCode::TD117, start,
                "`" + sources.getText(start) + "` is a reserved word")
        .label("declares the name that follows");
    return failed;
  }
  let->target = parseTargets();
  if (!let->target)
    return failed;
  if (consume(Tok::Colon) && !skipTypeHint()) {
    let->type = parseType();
    if (!let->type)
      return failed;
  }
  if (!expect(Tok::Equal))
    return failed;
  let->value = parseExprs();
  if (!let->value)
    return failed;
  let->range = rangeFrom(start);
  return let;
}

static std::optional<AssignOp> getAssignOp(Tok kind) {
  switch (kind) {
  case Tok::Equal:
    return AssignOp::Set;
  case Tok::PlusEqual:
    return AssignOp::Add;
  case Tok::MinusEqual:
    return AssignOp::Sub;
  case Tok::StarEqual:
    return AssignOp::Mul;
  case Tok::SlashEqual:
    return AssignOp::Div;
  case Tok::SlashSlashEqual:
    return AssignOp::FloorDiv;
  case Tok::PercentEqual:
    return AssignOp::Mod;
  case Tok::StarStarEqual:
    return AssignOp::Pow;
  case Tok::AtEqual:
    return AssignOp::MatMul;
  case Tok::PipeEqual:
    return AssignOp::BitOr;
  case Tok::CaretEqual:
    return AssignOp::BitXor;
  case Tok::AmpEqual:
    return AssignOp::BitAnd;
  case Tok::LessLessEqual:
    return AssignOp::ShiftLeft;
  case Tok::GreaterGreaterEqual:
    return AssignOp::ShiftRight;
  default:
    return std::nullopt;
  }
}

/// `net.fc.weight = nn.Parameter(x)`: the parameter is there, and takes `x`.
void Parser::reportNewParameter(AssignStmt &assign) {
  auto *target = llvm::dyn_cast<MemberExpr>(assign.target);
  auto *call = llvm::dyn_cast<CallExpr>(assign.value);
  if (!target || llvm::isa<SelfExpr>(target->base) || !call ||
      call->args.size() != 1 || call->args[0].kind != Argument::Positional)
    return;
  auto *made = llvm::dyn_cast<NameExpr>(call->callee);
  auto *member = llvm::dyn_cast<MemberExpr>(call->callee);
  if ((made ? made->name : member ? member->member.text : "") != "Parameter")
    return;
  SourceRange value = call->range, inner = call->args[0].value->range;
  diags.report(DiagCode::TD102, call->callee->range)
      .label("the parameter is there, and takes the tensor")
      .fix(FixIt::Safe,
           ("`" + text.slice(target->range.begin, target->range.end) + " = " +
            text.slice(inner.begin, inner.end) + "`")
               .str(),
           {{{value.file, value.begin, inner.begin}, ""},
            {{value.file, inner.end, value.end}, ""}});
  assign.value = call->args[0].value;
}

const Stmt *Parser::parseExprOrAssign() {
  SourceRange start = rangeOf(peek());
  const Expr *first = parseExprs();
  if (!first)
    return failed;

  std::optional<AssignOp> op = getAssignOp(peek().kind);
  if (!op) {
    if (llvm::isa<NameExpr>(first) && at(Tok::Colon) &&
        peek(1).kind == Tok::Name)
      return reportVariable(first->range);
    auto *stmt = context.create<ExprStmt>(rangeFrom(start));
    stmt->value = first;
    return stmt;
  }

  auto *assign = context.create<AssignStmt>(start);
  assign->op = *op;
  assign->opRange = rangeOf(advance());
  assign->target = first;
  assign->value = parseExprs();
  if (!assign->value || !checkTarget(first, *op == AssignOp::Set))
    return failed;
  if (at(Tok::Equal))
    return reportChain(assign);
  if (*op == AssignOp::Set)
    reportNewParameter(*assign);
  assign->range = rangeFrom(start);
  return assign;
}

bool Parser::checkTarget(const Expr *target, bool allowTuple) {
  if (llvm::isa<NameExpr, MemberExpr>(target))
    return true;
  if (auto *part = llvm::dyn_cast<SubscriptExpr>(target)) {
    if (llvm::isa<NameExpr, MemberExpr, SubscriptExpr>(part->base))
      return checkTarget(part->base, /*allowTuple=*/false);
    diags.report(DiagCode::TD112, target->range)
        .secondaryLabel(part->base->range, "a value without a name")
        .note("nothing would keep the change: name the value first, with `var "
              "x = …`, and assign to a part of `x`");
    return false;
  }
  auto *tuple = llvm::dyn_cast<TupleExpr>(target);
  if (tuple && allowTuple && !tuple->elements.empty())
    return llvm::all_of(tuple->elements, [&](const Expr *element) {
      return checkTarget(element, allowTuple);
    });
  diags.report(DiagCode::TD112, target->range)
      .label(tuple ? "one value at a time" : "not a name, field or part");
  return false;
}

const Expr *Parser::parseCondition() {
  const Expr *condition = parseExpr();
  if (!condition || !at(Tok::Equal))
    return condition;
  SourceRange sign = rangeOf(advance());
  diags.report(DiagCode::TD101, sign, "a condition compares with `==`")
      .label("`=` assigns")
      .fix(FixIt::Safe, "`==`", {{sign, "=="}});
  return parseExpr();
}

const Stmt *Parser::parseIf() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<IfStmt>(start);
  stmt->condition = parseCondition();
  if (!stmt->condition && !skipToBlock())
    return failed;
  bool isIndented = at(Tok::Colon);
  stmt->thenBlock = parseBlock();
  if (!stmt->thenBlock)
    return failed;

  // Between indented blocks, an `else` belongs to the `if` in its column.
  size_t next = pos;
  if (atElif())
    skipNewlines();
  bool isOurs = !isIndented || indentOf(peek().begin) == indentOf(start.begin);
  if (isOurs && (at(Tok::Else) || atName("elif"))) {
    stmt->elseBlock = parseElse();
    if (!stmt->elseBlock)
      return failed;
  } else {
    pos = next;
  }
  stmt->range = rangeFrom(start);
  return stmt->condition ? stmt : failed;
}

const Block *Parser::parseElse() {
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  if (at(Tok::Else) && peek(1).kind != Tok::If) {
    advance();
    return parseBlock();
  }
  if (at(Tok::Else))
    advance();
  else
    reportElif();
  const Stmt *nested = parseIf(); // steps over `if` or `elif`
  if (!nested)
    return failed;
  auto *block = context.create<Block>();
  block->range = nested->range;
  block->stmts = context.copy(llvm::ArrayRef(nested));
  return block;
}

const Stmt *Parser::parseFor() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<ForStmt>(start);
  stmt->target = parseTargets();
  bool isIntact = stmt->target && expect(Tok::In);
  if (isIntact) {
    stmt->iterable = parseExpr();
    isIntact = stmt->iterable;
    if (isIntact && at(Tok::Colon))
      reportColonOfRange(stmt->iterable->range);
  }
  if (!isIntact && !skipToBlock())
    return failed;
  stmt->body = parseBlock();
  stmt->range = rangeFrom(start);
  return isIntact && stmt->body ? stmt : failed;
}

const Stmt *Parser::parseWhile() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<WhileStmt>(start);
  stmt->condition = parseCondition();
  if (!stmt->condition && !skipToBlock())
    return failed;
  stmt->body = parseBlock();
  stmt->range = rangeFrom(start);
  return stmt->condition && stmt->body ? stmt : failed;
}

const Stmt *Parser::parseWith() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<WithStmt>(start);
  stmt->context =
      atTorch() ? parseTorchName() : parseName("a context such as `no_grad`");
  bool isIntact = !stmt->context.text.empty() &&
                  (!at(Tok::LParen) || parseArgs(stmt->args));
  if (isIntact && at(Tok::As)) {
    diags.report(DiagCode::TD102, rangeOf(peek()))
        .label("a context has no name");
    isIntact = false;
  }
  if (!isIntact && !skipToBlock())
    return failed;
  stmt->body = parseBlock();
  stmt->range = rangeFrom(start);
  return isIntact && stmt->body ? stmt : failed;
}

const Stmt *Parser::parseReturn() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<ReturnStmt>(start);
  if (atName("None") &&
      (peek(1).kind == Tok::Newline || peek(1).kind == Tok::RBrace)) {
    reportReturnedNone();
  } else if (!atLineEnd() && !at(Tok::RBrace)) {
    stmt->value = parseExprs();
    if (!stmt->value)
      return failed;
  }
  stmt->range = rangeFrom(start);
  return stmt;
}

const Stmt *Parser::parseAssert() {
  SourceRange start = rangeOf(advance());
  auto *stmt = context.create<AssertStmt>(start);
  stmt->condition = parseExpr();
  if (!stmt->condition)
    return failed;
  if (consume(Tok::Comma)) {
    stmt->message = parseExpr();
    if (!stmt->message)
      return failed;
  } else {
    unwrapAssert(*stmt, start);
  }
  stmt->range = rangeFrom(start);
  return stmt;
}
