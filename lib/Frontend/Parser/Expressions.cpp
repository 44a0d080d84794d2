//===- Expressions.cpp - expressions --------------------------------------===//
//
// Functions go from the loosest binding to the tightest, as in the grammar. A
// chain of operators is parsed by a loop into a tree that grows to the left.
// Such a tree is as high as the chain is long, so its height is limited while
// it grows.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace tdc;
using namespace tdc::ast;

const Expr *Parser::parseExprs() {
  SourceRange start = rangeOf(peek());
  const Expr *first = parseExpr();
  if (!first || !at(Tok::Comma))
    return first;
  llvm::SmallVector<const Expr *> elements = {first};
  while (consume(Tok::Comma)) {
    const Expr *element = parseExpr();
    if (!element)
      return failed;
    elements.push_back(element);
  }
  auto *tuple = make<TupleExpr>(rangeFrom(start), elements);
  tuple->elements = context.copy(elements);
  return tuple;
}

const Expr *Parser::parseExpr() {
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  SourceRange start = rangeOf(peek());
  const Expr *thenValue = parseOr();
  if (!thenValue || !consume(Tok::If))
    return thenValue;
  const Expr *condition = parseOr();
  if (!condition || !expect(Tok::Else))
    return failed;
  const Expr *elseValue = parseExpr();
  if (!elseValue)
    return failed;
  auto *choice = make<ConditionalExpr>(rangeFrom(start),
                                       {condition, thenValue, elseValue});
  choice->condition = condition;
  choice->thenValue = thenValue;
  choice->elseValue = elseValue;
  return choice;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

const Expr *Parser::makeBinary(BinaryOp op, SourceRange opRange,
                               const Expr *lhs, const Expr *rhs) {
  if (!lhs || !rhs)
    return failed;
  if (op == BinaryOp::Mod && reportPercent(opRange, lhs, rhs))
    return lhs;
  auto *binary = make<BinaryExpr>(lhs->range.to(rhs->range), {lhs, rhs});
  binary->op = op;
  binary->opRange = opRange;
  binary->lhs = lhs;
  binary->rhs = rhs;
  if (binary->height > ParserLimits::expressionHeight)
    return tooDeep(opRange);
  return binary;
}

const Expr *Parser::parseOr() {
  const Expr *lhs = parseAnd();
  while (lhs && (at(Tok::Or) || at(Tok::PipePipe))) {
    if (at(Tok::PipePipe))
      reportSymbol("or");
    SourceRange op = rangeOf(advance());
    lhs = makeBinary(BinaryOp::Or, op, lhs, parseAnd());
  }
  return lhs;
}

const Expr *Parser::parseAnd() {
  const Expr *lhs = parseNot();
  while (lhs && (at(Tok::And) || at(Tok::AmpAmp))) {
    if (at(Tok::AmpAmp))
      reportSymbol("and");
    SourceRange op = rangeOf(advance());
    lhs = makeBinary(BinaryOp::And, op, lhs, parseNot());
  }
  return lhs;
}

const Expr *Parser::parseNot() {
  if (!at(Tok::Not) && !at(Tok::Bang))
    return parseCompare();
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  bool isBang = at(Tok::Bang);
  SourceRange start = rangeOf(advance());
  const Expr *operand = parseNot();
  if (isBang)
    reportBang(start, operand);
  if (!operand)
    return failed;
  auto *unary = make<UnaryExpr>(rangeFrom(start), {operand});
  unary->op = UnaryOp::Not;
  unary->operand = operand;
  return unary;
}

static std::optional<CompareOp> getCompareOp(Tok kind) {
  switch (kind) {
  case Tok::EqualEqual:
    return CompareOp::Eq;
  case Tok::BangEqual:
    return CompareOp::Ne;
  case Tok::Less:
    return CompareOp::Lt;
  case Tok::LessEqual:
    return CompareOp::Le;
  case Tok::Greater:
    return CompareOp::Gt;
  case Tok::GreaterEqual:
    return CompareOp::Ge;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseCompare() {
  const Expr *lhs = parseArithmetic(Precedence::BitOr);
  if (lhs && atMembershipTest())
    return reportMembershipTest(lhs);
  std::optional<CompareOp> op = getCompareOp(peek().kind);
  if (lhs && atName("is"))
    op = reportIs();
  if (!lhs || !op)
    return lhs;
  SourceRange opRange = rangeOf(advance());
  const Expr *rhs = parseArithmetic(Precedence::BitOr);
  if (!rhs)
    return failed;
  auto *compare = make<CompareExpr>(lhs->range.to(rhs->range), {lhs, rhs});
  compare->op = *op;
  compare->opRange = opRange;
  compare->lhs = lhs;
  compare->rhs = rhs;
  if (!getCompareOp(peek().kind))
    return compare;
  reportChainedComparison(compare);
  return failed;
}

/// The binary operators from `|` to `@`, which differ only in precedence.
static std::optional<BinaryOp> getArithmeticOp(Tok kind) {
  switch (kind) {
  case Tok::Pipe:
    return BinaryOp::BitOr;
  case Tok::Caret:
    return BinaryOp::BitXor;
  case Tok::Amp:
    return BinaryOp::BitAnd;
  case Tok::LessLess:
    return BinaryOp::ShiftLeft;
  case Tok::GreaterGreater:
    return BinaryOp::ShiftRight;
  case Tok::Plus:
    return BinaryOp::Add;
  case Tok::Minus:
    return BinaryOp::Sub;
  case Tok::Star:
    return BinaryOp::Mul;
  case Tok::Slash:
    return BinaryOp::Div;
  case Tok::SlashSlash:
    return BinaryOp::FloorDiv;
  case Tok::Percent:
    return BinaryOp::Mod;
  case Tok::At:
    return BinaryOp::MatMul;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseArithmetic(Precedence loosest) {
  const Expr *lhs = parseUnary();
  while (lhs) {
    std::optional<BinaryOp> op = getArithmeticOp(peek().kind);
    Precedence precedence = getPrecedence(peek().kind);
    if (!op || precedence < loosest)
      break;
    if (atStep() && (peek(2).kind == Tok::Newline ||
                     peek(2).kind == Tok::RBrace || peek(2).kind == Tok::End)) {
      reportStep(lhs); // steps over it
      break;
    }
    SourceRange opRange = rangeOf(advance());
    auto tighter = static_cast<Precedence>(static_cast<int>(precedence) + 1);
    lhs = makeBinary(*op, opRange, lhs, parseArithmetic(tighter));
  }
  return lhs;
}

const Expr *Parser::parseUnary() {
  if (at(Tok::Plus))
    reportUnaryPlus(); // steps over it
  if (!at(Tok::Minus) && !at(Tok::Tilde))
    return parsePower();
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  Token op = advance();
  if (op.kind == Tok::Minus && at(Tok::Int) &&
      textOf(peek()) == "9223372036854775808")
    return parseLeastInt(op);
  const Expr *operand = parseUnary();
  if (!operand)
    return failed;
  auto *unary = make<UnaryExpr>(rangeFrom(rangeOf(op)), {operand});
  unary->op = op.kind == Tok::Minus ? UnaryOp::Neg : UnaryOp::BitNot;
  unary->operand = operand;
  return unary;
}

const Expr *Parser::parsePower() {
  const Expr *base = parsePostfix();
  if (!base || !at(Tok::StarStar))
    return base;
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  SourceRange op = rangeOf(advance());
  return makeBinary(BinaryOp::Pow, op, base, parseUnary());
}

//===----------------------------------------------------------------------===//
// Calls, subscripts and members
//===----------------------------------------------------------------------===//

const Expr *Parser::parsePostfix() {
  const Expr *expr = parseAtom();
  while (expr) {
    if (expr->height > ParserLimits::expressionHeight)
      return tooDeep(expr->range.finish());
    if (at(Tok::LParen))
      expr = parseCall(expr);
    else if (at(Tok::LSquare))
      expr = parseSubscript(expr);
    else if (at(Tok::Dot))
      expr = parseMemberAccess(expr);
    else
      break;
  }
  return expr;
}

const Expr *Parser::parseCall(const Expr *callee) {
  SourceRange open = rangeOf(peek());
  llvm::ArrayRef<Argument> args;
  if (!parseArgs(args))
    return failed;
  if (const Expr *other = reportStateDict(callee, args))
    return other;
  if (reportFormatCall(callee, args))
    return llvm::cast<MemberExpr>(callee)->base;
  llvm::SmallVector<const Expr *> children = {callee};
  for (const Argument &arg : args)
    children.push_back(arg.value);
  auto *call = make<CallExpr>(rangeFrom(callee->range), children);
  call->callee = callee;
  call->args = args;
  call->argsRange = rangeFrom(open);
  auto *function = llvm::dyn_cast<NameExpr>(callee);
  if (function && (function->name == "save" || function->name == "restore"))
    for (const Argument &arg : args)
      if (auto *kept = llvm::dyn_cast<NameExpr>(arg.value);
          kept && arg.kind == Argument::Keyword)
        keptNames.push_back(kept->name);
  return call;
}

bool Parser::parseArgs(llvm::ArrayRef<Argument> &result) {
  SourceRange open = rangeOf(advance());
  llvm::SmallVector<Argument> args;
  while (!at(Tok::RParen)) {
    Argument arg;
    if (!parseArgument(arg, /*isFirst=*/args.empty()))
      return false;
    if (arg.kind != Argument::Keyword && !args.empty() &&
        args.back().kind == Argument::Keyword) {
      diags.report(DiagCode::TD116, arg.range)
          .secondaryLabel(args.back().range, "the keyword argument");
      return false;
    }
    args.push_back(arg);
    if (!consume(Tok::Comma))
      break;
  }
  if (!expectClosing(Tok::RParen, open))
    return false;
  result = context.copy(args);
  return true;
}

bool Parser::parseArgument(Argument &arg, bool isFirst) {
  SourceRange start = rangeOf(peek());
  if (consume(Tok::Star)) {
    arg.kind = Argument::Spread;
  } else if (at(Tok::Name) && peek(1).kind == Tok::Equal) {
    arg.kind = Argument::Keyword;
    arg.keyword = parseName("a keyword");
    advance();
  }
  arg.value = parseExpr();
  if (arg.value && at(Tok::For))
    arg.value = isFirst ? parseComprehension(arg.value->range, arg.value)
                        : parseGenerator(arg.value);
  arg.range = rangeFrom(start);
  return arg.value;
}

const Expr *Parser::parseSubscript(const Expr *base) {
  SourceRange open = rangeOf(advance());
  llvm::ArrayRef<SubscriptItem> items;
  if (!parseSubscriptItems(open, items))
    return failed;
  llvm::SmallVector<const Expr *> children = {base};
  for (const SubscriptItem &item : items)
    children.append({item.index, item.start, item.stop, item.step});
  auto *subscript = make<SubscriptExpr>(rangeFrom(base->range), children);
  subscript->base = base;
  subscript->items = items;
  return subscript;
}

bool Parser::parseSubscriptItems(SourceRange open,
                                 llvm::ArrayRef<SubscriptItem> &result) {
  llvm::SmallVector<SubscriptItem> items;
  do {
    SubscriptItem item;
    if (!parseSubscriptItem(item))
      return false;
    items.push_back(item);
  } while (consume(Tok::Comma) && !at(Tok::RSquare));
  if (!expectClosing(Tok::RSquare, open))
    return false;
  result = context.copy(items);
  return true;
}

bool Parser::parseSubscriptItem(SubscriptItem &item) {
  item.range = rangeOf(peek());
  if (consume(Tok::Ellipsis)) {
    item.kind = SubscriptItem::Ellipsis;
    return true;
  }
  if (consume(Tok::Question)) {
    item.kind = SubscriptItem::Unknown;
    return true;
  }
  if (!at(Tok::Colon)) {
    item.index = parseExpr();
    if (!item.index)
      return false;
  }
  if (at(Tok::Colon)) {
    item.kind = SubscriptItem::Slice;
    item.start = std::exchange(item.index, nullptr);
    const Expr **const parts[] = {&item.stop, &item.step};
    for (const Expr **part : parts) {
      if (!consume(Tok::Colon))
        break;
      bool isAbsent = at(Tok::Colon) || at(Tok::Comma) || at(Tok::RSquare);
      if (isAbsent)
        continue;
      *part = parseExpr();
      if (!*part)
        return false;
    }
  }
  item.range = rangeFrom(item.range);
  return true;
}

const Expr *Parser::parseMemberAccess(const Expr *base) {
  advance(); // the dot
  Identifier member = parseName("a name");
  if (member.text.empty())
    return failed;
  auto *access = make<MemberExpr>(rangeFrom(base->range), {base});
  access->base = base;
  access->member = member;
  unfreezes |= mayUnfreeze(member.text);
  return access;
}

bool Parser::mayUnfreeze(llvm::StringRef method) const {
  if (method == "requires_grad") // `p.requires_grad = false` freezes
    return at(Tok::Equal) && peek(1).kind != Tok::False;
  if (method == "requires_grad_")
    return !(at(Tok::LParen) && peek(1).kind == Tok::False);
  return method == "unfreeze";
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

/// Whether the current token is a keyword in the place of a name: the next
/// token ends an expression.
bool Parser::atReservedName() const {
  Tok next = peek(1).kind;
  bool ends = next == Tok::RParen || next == Tok::Comma || next == Tok::Dot ||
              next == Tok::RSquare || next == Tok::Newline || next == Tok::End;
  return isKeyword(peek().kind) && ends;
}

const Expr *Parser::parseAtom() {
  SourceRange range = rangeOf(peek());
  switch (peek().kind) {
  case Tok::Name:
    return parseNameOrHabit();
  case Tok::Int:
    return parseInt();
  case Tok::Float:
    return parseFloat();
  case Tok::String:
    return parseString();
  case Tok::FString:
    return parseFString();
  case Tok::LParen:
    return parseParens();
  case Tok::LSquare:
    return parseList();
  case Tok::Self:
    advance();
    return make<SelfExpr>(range);
  case Tok::True:
  case Tok::False: {
    auto *literal = make<BoolExpr>(range);
    literal->value = advance().kind == Tok::True;
    return literal;
  }
  case Tok::Device: {
    auto *device = make<DeviceExpr>(range);
    textOf(advance()).split(':').second.getAsInteger(10, device->ordinal);
    return device;
  }
  case Tok::Var:
    // A variance: `var(…)` of a tensor. A declaration would begin a statement.
    if (peek(1).kind == Tok::LParen) {
      auto *name = make<NameExpr>(range);
      name->name = textOf(advance());
      return name;
    }
    [[fallthrough]];
  default:
    if (atDictionary())
      return reportDictionary();
    if (!atReservedName())
      return expected("an expression");
    reportReserved("not a name");
    return failed;
  }
}

/// Sets the range of a node that was just made to the range with its brackets.
static const Expr *widen(const Expr *expr, SourceRange range) {
  const_cast<Expr *>(expr)->range = range;
  return expr;
}

const Expr *Parser::parseParens() {
  SourceRange start = rangeOf(advance());
  llvm::SmallVector<const Expr *> elements;
  bool isTuple = at(Tok::RParen);
  while (!at(Tok::RParen)) {
    const Expr *element = parseExpr();
    if (element && at(Tok::For))
      element = parseGenerator(element);
    if (!element)
      return failed;
    elements.push_back(element);
    if (!consume(Tok::Comma))
      break;
    isTuple = true;
  }
  if (!expectClosing(Tok::RParen, start))
    return failed;
  if (!isTuple) {
    return widen(elements.front(), rangeFrom(start));
  }
  auto *tuple = make<TupleExpr>(rangeFrom(start), elements);
  tuple->elements = context.copy(elements);
  return tuple;
}

const Expr *Parser::parseList() {
  SourceRange start = rangeOf(advance());
  llvm::SmallVector<const Expr *> elements;
  while (!at(Tok::RSquare)) {
    const Expr *element = parseExpr();
    if (!element)
      return failed;
    if (elements.empty() && at(Tok::For)) {
      const Expr *result = parseComprehension(start, element);
      if (!result || !expect(Tok::RSquare))
        return failed;
      return widen(result, rangeFrom(start));
    }
    elements.push_back(element);
    if (!consume(Tok::Comma))
      break;
  }
  if (!expectClosing(Tok::RSquare, start))
    return failed;
  auto *list = make<ListExpr>(rangeFrom(start), elements);
  list->elements = context.copy(elements);
  return list;
}

const Expr *Parser::parseComprehension(SourceRange start, const Expr *element) {
  llvm::SmallVector<ComprehensionClause> clauses;
  llvm::SmallVector<const Expr *> children = {element};
  while (consume(Tok::For)) {
    ComprehensionClause clause;
    clause.target = parseTargets();
    if (!clause.target || !expect(Tok::In))
      return failed;
    clause.iterable = parseOr();
    if (!clause.iterable)
      return failed;
    children.push_back(clause.iterable);
    llvm::SmallVector<const Expr *> conditions;
    while (consume(Tok::If)) {
      conditions.push_back(parseOr());
      if (!conditions.back())
        return failed;
    }
    children.append(conditions);
    clause.conditions = context.copy(conditions);
    clauses.push_back(clause);
  }
  auto *result = make<ComprehensionExpr>(rangeFrom(start), children);
  // A clause is nested in those before it.
  size_t height = result->height + clauses.size() - 1;
  if (height > ParserLimits::expressionHeight)
    return tooDeep(start);
  result->height = static_cast<uint16_t>(height);
  result->element = element;
  result->clauses = context.copy(clauses);
  return result;
}
