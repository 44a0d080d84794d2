//===- OtherLanguages.cpp - statements as in C, Julia and Python ----------===//

#include "ParserImpl.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::ast;

bool Parser::reportOtherLanguage() {
  return reportDeclaration() || reportTernary() || reportChain();
}

/// `var hits = total = 0`, with the current token at the second `=`.
bool Parser::reportChain() {
  if (!at(Tok::Equal) || pos < 4)
    return false;
  Token keyword = tokenAt(pos - 4);
  if ((keyword.kind != Tok::Var && keyword.kind != Tok::Let) ||
      tokenAt(pos - 3).kind != Tok::Name ||
      tokenAt(pos - 2).kind != Tok::Equal || previous().kind != Tok::Name)
    return false;
  llvm::StringRef first = textOf(tokenAt(pos - 3));
  llvm::StringRef second = textOf(previous());
  // A name that the file has already may be that of a variable around it.
  bool isNew = llvm::none_of(llvm::seq(pos - 1), [&](size_t i) {
    return textOf(tokenAt(i)) == second;
  });
  Diagnostic &report =
      diags.report(DiagCode::TD102, rangeOf(advance()), "Python syntax")
          .label("each variable is set on its own");
  const Expr *value = parseExprs();
  if (!value || at(Tok::Equal))
    return true;
  SourceRange whole = {file, keyword.begin, value->range.end};
  llvm::StringRef word = textOf(keyword);
  std::string one =
      (word + " " + first + " = " + sources.getText(value->range)).str();
  std::string other = (word + " " + second + " = " + first).str();
  report.fix(isNew ? FixIt::Safe : FixIt::Choice,
             "`" + one + "`, then `" + other + "`",
             {{whole, one + "\n" + indentOf(keyword.begin).str() + other}});
  return true;
}

/// `float rate = 0.25`, with the current token at `rate`.
bool Parser::reportDeclaration() {
  Token type = previous();
  bool isType = llvm::StringSwitch<bool>(textOf(type))
                    .Cases({"auto", "bool", "char", "const", "double", "float",
                            "int", "long", "string"},
                           true)
                    .Default(false);
  if (!isType || !at(Tok::Name) || peek(1).kind != Tok::Equal)
    return false;
  diags.report(DiagCode::TD102, rangeOf(type), "another language's syntax")
      .label("a variable is declared with `let` or `var`")
      .fix(FixIt::Safe, ("`var " + textOf(peek()) + " = …`").str(),
           {{rangeOf(type), "var"}});
  return true;
}

std::optional<size_t> Parser::findCondition() const {
  size_t first = pos;
  for (unsigned depth = 0; first != 0; --first) {
    Tok kind = tokenAt(first - 1).kind;
    if (kind == Tok::RParen || kind == Tok::RSquare)
      ++depth;
    else if (depth != 0)
      depth -= kind == Tok::LParen || kind == Tok::LSquare;
    else if (kind == Tok::If) // Python's choice binds less tightly
      return std::nullopt;
    else if (isAssignment(kind) || kind == Tok::Return || kind == Tok::Assert ||
             kind == Tok::Comma || kind == Tok::Newline ||
             kind == Tok::LBrace || kind == Tok::RBrace)
      break;
  }
  Tok kind = tokenAt(first).kind;
  bool isExpr = first != pos &&
                (!isKeyword(kind) || kind == Tok::Not || kind == Tok::True ||
                 kind == Tok::False || kind == Tok::Self);
  return isExpr ? std::optional(first) : std::nullopt;
}

/// `a ? b : c`, with the current token at `?`.
bool Parser::reportTernary() {
  if (!at(Tok::Question))
    return false;
  std::optional<size_t> first = findCondition();
  Token mark = advance();
  Diagnostic &report =
      diags.report(DiagCode::TD102, rangeOf(mark), "another language's syntax")
          .label("a choice is written `a if condition else b`");
  const Expr *yes = parseExpr();
  if (!yes || !consume(Tok::Colon))
    return true;
  const Expr *no = parseExpr();
  if (!no || !first || llvm::isa<ConditionalExpr>(yes) || at(Tok::Question))
    return true;
  SourceRange whole = {file, tokenAt(*first).begin, no->range.end};
  std::string choice = (sources.getText(yes->range) + " if " +
                        text.slice(whole.begin, mark.begin).rtrim() + " else " +
                        sources.getText(no->range))
                           .str();
  report.fix(FixIt::Safe, "`" + choice + "`", {{whole, choice}});
  return true;
}

void Parser::reportColonAndBrace() {
  SourceRange colon = rangeOf(advance());
  diags.report(DiagCode::TD102, colon)
      .label("the brace begins the block")
      .fix(FixIt::Safe, "remove it", {{colon, ""}});
}

/// Whether an expression binds at least as tightly as a call.
static bool isOperand(const Expr &expr) {
  return llvm::isa<NameExpr, IntExpr, CallExpr, MemberExpr, SubscriptExpr>(
      expr);
}

void Parser::reportColonOfRange(SourceRange first) {
  size_t brace = pos + 1;
  while (
      tokenAt(brace).kind != Tok::Newline && tokenAt(brace).kind != Tok::End &&
      tokenAt(brace).kind != Tok::LBrace && !isAssignment(tokenAt(brace).kind))
    ++brace;
  if (tokenAt(brace).kind != Tok::LBrace || brace == pos + 1)
    return;
  advance();
  const Expr *end = parseExpr();
  if (!end)
    return;
  SourceRange whole = first.to(end->range);
  Diagnostic &report =
      diags.report(DiagCode::TD102, whole, "another language's syntax")
          .label("a range is a call, without its end");
  if (pos != brace) { // the step of a slice
    skipToBlock();
    return;
  }
  llvm::StringRef written = sources.getText(end->range);
  int64_t number = 0;
  std::string after = !written.getAsInteger(10, number)
                          ? std::to_string(number + 1)
                      : isOperand(*end) ? (written + " + 1").str()
                                        : ("(" + written + ") + 1").str();
  std::string call = ("range(" + sources.getText(first) + ", ").str();
  std::string closed = call + after + ")", open = (call + written + ")").str();
  report.fix(FixIt::Choice, "`" + closed + "`  (with its end, as in Julia)",
             {{whole, closed}});
  report.fix(FixIt::Choice,
             "`" + open + "`  (without its end, as a slice in Python)",
             {{whole, open}});
}

bool Parser::skipBaseClass() {
  size_t last = pos + 1;
  while (tokenAt(last).kind == Tok::Name || tokenAt(last).kind == Tok::Dot)
    ++last;
  if (tokenAt(last).kind != Tok::RParen ||
      textOf(tokenAt(last - 1)) != "Module")
    return false;
  SourceRange open = rangeOf(peek());
  while (pos <= last)
    advance();
  SourceRange whole = rangeFrom(open);
  diags.report(DiagCode::TD102, whole)
      .label("every `model` is a Module")
      .fix(FixIt::Safe, "remove it", {{whole, ""}});
  return true;
}
