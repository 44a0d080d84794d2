//===- Types.cpp - names, targets and types -------------------------------===//
//
// The small productions that items, statements and expressions share.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace tdc;
using namespace tdc::ast;

Identifier Parser::parseName(const llvm::Twine &what) {
  Token token = peek();
  if (token.kind == Tok::Name) {
    advance();
    return {textOf(token), rangeOf(token)};
  }
  // A keyword that is used like a name was meant to be one.
  Tok next = peek(1).kind;
  bool isNameLike = next == Tok::Equal || next == Tok::Colon ||
                    next == Tok::Comma || next == Tok::RParen ||
                    next == Tok::LParen || next == Tok::Newline;
  if (isKeyword(token.kind) && isNameLike)
    reportReserved("expected " + what);
  else
    expected(what);
  return {};
}

void Parser::reportReserved(const llvm::Twine &label) {
  SourceRange word = rangeOf(peek());
  std::string other = (textOf(peek()) + "_").str();
  diags
      .report(DiagCode::TD117, word,
              "`" + textOf(peek()) + "` is a reserved word")
      .label(label)
      .fix(FixIt::Safe, "`" + other + "`", {{word, other}});
}

const Target *Parser::parseTargets() {
  SourceRange start = rangeOf(peek());
  const Target *first = parseTarget();
  if (!first || !at(Tok::Comma))
    return first;
  llvm::SmallVector<const Target *> elements = {first};
  bool isOneTuple = false; // `(a,)`
  while (consume(Tok::Comma)) {
    if (at(Tok::RParen)) {
      isOneTuple = true;
      break;
    }
    if (at(Tok::In) || at(Tok::Equal)) {
      reportLastComma();
      break;
    }
    const Target *element = parseTarget();
    if (!element)
      return failed;
    elements.push_back(element);
  }
  if (elements.size() == 1 && !isOneTuple)
    return first;
  auto *tuple = context.create<Target>();
  tuple->range = rangeFrom(start);
  tuple->elements = context.copy(elements);
  return tuple;
}

const Target *Parser::parseTarget() {
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  SourceRange start = rangeOf(peek());
  auto *target = context.create<Target>();
  if (consume(Tok::LParen)) {
    const Target *inner = parseTargets();
    if (!inner || !expect(Tok::RParen))
      return failed;
    *target = *inner; // `(a)` is `a`
  } else {
    target->name = parseName("a name").text;
    if (target->name.empty())
      return failed;
  }
  target->range = rangeFrom(start);
  return target;
}

const TypeExpr *Parser::parseType() {
  Nesting nesting(*this);
  if (!nesting.check())
    return failed;
  TypeExpr *type = parseTypeWithoutPlace();
  if (!type || !consume(Tok::At))
    return type;
  type->place = parsePlace();
  if (!type->place)
    return failed;
  type->range = type->range.to(type->place->range);
  return type;
}

TypeExpr *Parser::parseTypeWithoutPlace() {
  SourceRange start = rangeOf(peek());
  if (consume(Tok::LParen)) {
    llvm::SmallVector<const TypeExpr *> elements;
    do {
      const TypeExpr *element = parseType();
      if (!element)
        return failed;
      elements.push_back(element);
    } while (consume(Tok::Comma));
    if (!expectClosing(Tok::RParen, start))
      return failed;
    auto *tuple = context.create<TupleType>(rangeFrom(start));
    tuple->elements = context.copy(elements);
    return tuple;
  }

  Identifier name = atTorch() ? parseTorchName() : parseName("a type");
  if (name.text.empty())
    return failed;
  auto *named = context.create<NamedType>(start);
  named->name = name;
  if (consume(Tok::LSquare)) {
    named->hasBrackets = true;
    SourceRange open = rangeOf(previous());
    if (!consume(Tok::RSquare) && !parseSubscriptItems(open, named->dims))
      return failed;
  }
  named->range = rangeFrom(start);
  return named;
}

const Place *Parser::parsePlace() {
  auto *place = context.create<Place>();
  place->range = rangeOf(peek());
  if (at(Tok::Device)) {
    llvm::StringRef spelling = textOf(advance());
    uint32_t ordinal = 0;
    spelling.drop_front(strlen("cuda:")).getAsInteger(10, ordinal);
    place->name = spelling.take_front(strlen("cuda"));
    place->ordinal = ordinal;
    return place;
  }
  place->name = parseName("a place: `cpu`, `cuda`, `cuda:1` or a device").text;
  return place->name.empty() ? failed : place;
}
