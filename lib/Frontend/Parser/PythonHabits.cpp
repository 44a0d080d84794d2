//===- PythonHabits.cpp - habits of Python programmers --------------------===//
//
// TD102: each report names the construct of the language that does the same,
// with a fix-it where the rewrite is local. Where the meaning is plain, parsing
// continues as if the right thing had been written, so that no second report
// follows from the first.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::ast;

// `torch.int` is not this language's int.
llvm::StringRef tdc::getDtypeOfPyTorch(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"float", "float32"}, "f32")
      .Cases({"double", "float64"}, "f64")
      .Cases({"half", "float16"}, "f16")
      .Case("bfloat16", "bf16")
      .Cases({"long", "int64"}, "i64")
      .Cases({"int", "int32"}, "i32")
      .Cases({"short", "int16"}, "i16")
      .Case("int8", "i8")
      .Case("uint8", "u8")
      .Case("uint16", "u16")
      .Case("uint32", "u32")
      .Case("uint64", "u64")
      .Default("");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool Parser::skipPythonStatement() {
  if (at(Tok::At)) {
    skipDecorator();
    return true;
  }
  if (at(Tok::SlashSlash)) {
    diags.report(DiagCode::TD102, rangeOf(peek()), "not a comment")
        .label("a comment starts with `#`");
    return true;
  }
  if (!at(Tok::Name))
    return false;
  if (skipRaise())
    return true;

  // A word that is used as a variable starts no statement of Python.
  Tok next = peek(1).kind;
  bool isStatement = next == Tok::Name || next == Tok::Colon ||
                     next == Tok::Self || next == Tok::Newline ||
                     next == Tok::RBrace || next == Tok::LBrace ||
                     next == Tok::End;
  const char *label =
      llvm::StringSwitch<const char *>(textOf(peek()))
          .Case("class", "a model is declared with `model`")
          .Case("pass", "an empty block needs nothing in it")
          .Cases({"try", "except", "finally"},
                 "there are no exceptions: an error stops the program")
          .Case("del", "a value is freed after its last use")
          .Cases({"global", "nonlocal"}, "functions see no outer variables")
          .Case("yield", "there are no generators: return a list")
          .Case("async", "there are no coroutines")
          .Default(nullptr);
  if (!label || !isStatement)
    return false;
  if (textOf(peek()) == "class" && next == Tok::Name) {
    skipClass();
    return true;
  }

  Token word = advance();
  Diagnostic &diagnostic =
      diags.report(DiagCode::TD102, rangeOf(word)).label(label);
  if (textOf(word) == "pass")
    diagnostic.fix(FixIt::Safe, "remove it", {removeLine(rangeOf(word))});
  if (textOf(word) == "try")
    diagnostic.note("write its statements without it, and check first for what "
                    "may be missing, as in `if exists(\"x.npy\") { … }`");
  while (!atLineEnd() && !at(Tok::RBrace) && !at(Tok::LBrace))
    advance();
  if (previous().kind == Tok::Colon)
    skipIndented(indentOf(word.begin));
  return true;
}

bool Parser::goesOnAfterSemicolon() const {
  Token before = previous();
  return textOf(before) == ";" &&
         !text.slice(before.end, peek().begin).contains('\n');
}

llvm::StringRef Parser::indentOfHeader(Token colon) const {
  auto isFirstOnLine = [&](Token token) {
    llvm::StringRef before = text.take_front(token.begin);
    size_t line = before.find_last_of('\n') + 1;
    return before.drop_front(line).trim().empty() &&
           !before.take_front(line).rtrim().ends_with("\\");
  };
  size_t at =
      llvm::partition_point(
          *tokens, [&](Token token) { return token.begin < colon.begin; }) -
      tokens->begin();
  unsigned open = 0; // brackets that close later
  while (at != 0) {
    Token token = tokenAt(--at);
    if (token.kind == Tok::RParen || token.kind == Tok::RSquare)
      ++open;
    else if ((token.kind == Tok::LParen || token.kind == Tok::LSquare) &&
             open != 0)
      --open;
    if (open == 0 && isFirstOnLine(token))
      return indentOf(token.begin);
  }
  return "";
}

void Parser::reportIndentedBlock(Token colon, bool onOneLine) {
  Edit open = {rangeOf(colon), " {"};
  Edit close;
  if (onOneLine) {
    size_t last = pos - 1;
    while (tokenAt(last).kind == Tok::Newline)
      --last;
    close = {rangeOf(tokenAt(last)).finish(), " }"};
  } else {
    llvm::StringRef indent = indentOfHeader(colon);
    close = closeIndented(indent);
    // `else` moves to the line of the brace if only blanks are in between.
    size_t next = pos + at(Tok::Newline);
    Token word = peek(next - pos);
    llvm::StringRef gap = text.slice(close.range.end, word.begin);
    bool goesOn = word.kind == Tok::Else || textOf(word) == "elif";
    if (goesOn && gap.trim().empty() && indentOf(word.begin) == indent)
      close = {{file, close.range.end, word.begin},
               ("\n" + indent + "} ").str()};
  }
  diags.report(DiagCode::TD102, rangeOf(colon))
      .label("a block is written in braces")
      .fix(FixIt::Safe, "`{ … }`", {open, close});
}

static constexpr llvm::StringLiteral kNoConstructor =
    "the fields of a model are declared between its braces, its parameters "
    "after its name";

void Parser::reportConstructor() {
  diags.report(DiagCode::TD102, rangeOf(peek()))
      .label("a model has no constructor")
      .note(kNoConstructor);
}

void Parser::reportDef() {
  Token def = advance();
  Diagnostic &diagnostic = diags.report(DiagCode::TD102, rangeOf(def));
  if (atName("__init__"))
    diagnostic.label(kNoConstructor);
  else
    diagnostic.label("a function is declared with `fn`")
        .fix(FixIt::Safe, "`fn " + textOf(peek()) + "`",
             {{rangeOf(def), "fn"}});
}

bool Parser::atElif() const {
  size_t ahead = at(Tok::Newline);
  Tok next = peek(ahead + 1).kind;
  return atName("elif", ahead) && next != Tok::Equal && next != Tok::Dot;
}

void Parser::reportElif() {
  diags.report(DiagCode::TD102, rangeOf(peek()))
      .label("two words here")
      .fix(FixIt::Safe, "`else if`", {{rangeOf(peek()), "else if"}});
}

void Parser::reportSelfField() {
  SourceRange start = rangeOf(advance());
  SourceRange prefix = start.to(rangeOf(advance()));
  diags.report(DiagCode::TD102, prefix)
      .label("a field is declared without `self.`")
      .fix(FixIt::Safe, "`" + textOf(peek()) + "`", {{prefix, ""}});
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

const Expr *Parser::parseNameOrHabit() {
  SourceRange range = rangeOf(peek());
  if (atName("True") || atName("False")) {
    std::string word = textOf(advance()).lower();
    diags.report(DiagCode::TD102, range)
        .label("the constants are `true` and `false`")
        .fix(FixIt::Safe, "`" + word + "`", {{range, word}});
    auto *literal = make<BoolExpr>(range);
    literal->value = word == "true";
    return literal;
  }
  if (atName("None"))
    return parseNone();
  if (atName("lambda") &&
      (peek(1).kind == Tok::Name || peek(1).kind == Tok::Colon))
    return reportLambda();
  if (reportPythonCall())
    return failed;
  if (atLoadedArray())
    return parseLoadedArray();
  reportArray();
  auto *name = make<NameExpr>(range);
  name->name = atTorch() ? parseTorchName().text : textOf(advance());
  return name;
}

const Expr *Parser::parseNone() {
  auto *name = make<NameExpr>(rangeOf(advance()));
  name->name = "none";
  diags.report(DiagCode::TD102, name->range)
      .label("written `none`")
      .fix(FixIt::Safe, "`none`", {{name->range, "none"}});
  return name;
}

void Parser::reportReturnedNone() {
  SourceRange none = rangeOf(advance());
  uint32_t begin = text.take_front(none.begin).rtrim(" ").size();
  diags.report(DiagCode::TD102, none)
      .label("`return` alone returns nothing")
      .fix(FixIt::Safe, "remove it", {{{file, begin, none.end}, ""}});
}

const Stmt *Parser::reportChain(const AssignStmt *first) {
  Token sign = advance();
  const Expr *value = parseExprs();
  Diagnostic &report = diags.report(DiagCode::TD102, rangeOf(sign))
                           .label("one `=` to a statement");
  if (!value || at(Tok::Equal) || !llvm::isa<NameExpr>(first->target) ||
      !llvm::isa<NameExpr>(first->value))
    return failed;
  llvm::StringRef a = sources.getText(first->target->range);
  llvm::StringRef b = sources.getText(first->value->range);
  llvm::StringRef written = sources.getText(value->range);
  report.fix(
      FixIt::Safe,
      "`" + a + " = " + written + "`, then `" + b + " = " + a + "`",
      {{first->target->range.to(value->range),
        (a + " = " + written + "\n" + indentOf(sign.begin) + b + " = " + a)
            .str()}});
  return failed;
}

/// Whether a line of `text` assigns to a name.
static bool assignsTo(llvm::StringRef name, llvm::StringRef text) {
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.ltrim(" \t");
    if (!line.consume_front(name))
      continue;
    line = line.ltrim(" ").ltrim("+-*/%@");
    if (line.starts_with("=") && !line.starts_with("=="))
      return true;
  }
  return false;
}

const Stmt *Parser::reportVariable(SourceRange name) {
  Diagnostic &report = diags.report(DiagCode::TD102, name)
                           .label("a variable is declared with `let` or `var`");
  if (atTorchHint()) {
    SourceRange hint = rangeOf(advance()).to(rangeOf(peek(2)));
    report.fix(FixIt::Safe, "`" + sources.getText(name) + " = …`",
               {{hint, ""}});
    return failed;
  }
  llvm::StringRef word =
      assignsTo(sources.getText(name), text.substr(peek().end)) ? "var "
                                                                : "let ";
  report.fix(FixIt::Safe, "`" + word + sources.getText(name) + "`",
             {{name.start(), word.str()}});
  return failed;
}

void Parser::reportLastComma() {
  SourceRange comma = rangeOf(previous());
  diags.report(DiagCode::TD102, comma)
      .label("no name follows")
      .note("the name is then the whole tuple; `[0]` takes its element")
      .fix(FixIt::Choice, "remove it", {{comma, ""}});
}

bool Parser::atStep() const {
  Tok sign = peek().kind;
  return (sign == Tok::Plus || sign == Tok::Minus) && peek(1).kind == sign &&
         peek().end == peek(1).begin;
}

void Parser::reportStep(const Expr *counter) {
  size_t first = pos;
  while (first != 0 && tokenAt(first).begin > counter->range.begin)
    --first;
  bool startsStatement = first == 0 ||
                         tokenAt(first - 1).kind == Tok::Newline ||
                         tokenAt(first - 1).kind == Tok::LBrace;
  Token sign = advance();
  SourceRange both = rangeOf(sign).to(rangeOf(advance()));
  std::string step = sign.kind == Tok::Plus ? " += 1" : " -= 1";
  Diagnostic &report =
      diags.report(DiagCode::TD102, both)
          .label("there is no `" + sources.getText(both) + "`");
  if (startsStatement &&
      llvm::isa<NameExpr, MemberExpr, SubscriptExpr>(counter))
    report.fix(FixIt::Safe, "`" + sources.getText(counter->range) + step + "`",
               {{counter->range.finish().to(both), step}});
  else
    report.note("`i" + step + "` is a statement of its own");
}

void Parser::reportUnaryPlus() {
  bool isStep = atStep();
  SourceRange plus = rangeOf(advance());
  if (isStep) {
    plus = plus.to(rangeOf(advance()));
    diags.report(DiagCode::TD102, plus)
        .label("there is no `++`")
        .note("a `var` grows by one with `i += 1`");
    return;
  }
  diags.report(DiagCode::TD102, plus)
      .label("there is no unary `+`")
      .fix(FixIt::Safe, "remove it", {{plus, ""}});
}

bool Parser::atDictionary() const {
  if (!at(Tok::LBrace) || pos == 0)
    return false;
  Tok before = previous().kind;
  return before == Tok::Equal || before == Tok::Comma ||
         before == Tok::LParen || before == Tok::LSquare ||
         before == Tok::Return;
}

std::optional<Edit> Parser::groupOfDictionary() {
  SourceRange open = rangeOf(advance());
  std::string params, settings;
  while (at(Tok::String)) {
    const Expr *key = parseString();
    const Expr *value = key && consume(Tok::Colon) ? parseExpr() : failed;
    if (!value)
      return std::nullopt;
    llvm::StringRef name = llvm::cast<StringExpr>(key)->value;
    llvm::StringRef written = sources.getText(value->range);
    if (name == "params")
      params = written.str();
    else
      settings += (", " + name + "=" + written).str();
    if (!consume(Tok::Comma))
      break;
  }
  if (!consume(Tok::RBrace) || params.empty())
    return std::nullopt;
  return Edit{rangeFrom(open), "group(" + params + settings + ")"};
}

std::nullptr_t Parser::reportDictionary() {
  SourceRange open = rangeOf(peek());
  std::optional<Edit> group = groupOfDictionary();
  Diagnostic &report = diags.report(DiagCode::TD102, open)
                           .label("there are no dictionaries and no sets");
  if (group)
    report.fix(FixIt::Safe, "`" + group->text + "`", {*group});
  return failed;
}

/// Replaces a symbol by a word, with blanks between it and its neighbours.
static Edit spellOut(SourceRange symbol, llvm::StringRef text,
                     llvm::StringRef word) {
  std::string replacement;
  if (symbol.begin != 0 && llvm::isAlnum(text[symbol.begin - 1]))
    replacement += ' ';
  replacement += word;
  if (symbol.end < text.size() && !llvm::isSpace(text[symbol.end]))
    replacement += ' ';
  return {symbol, replacement};
}

void Parser::reportSymbol(llvm::StringRef word) {
  SourceRange range = rangeOf(peek());
  diags.report(DiagCode::TD102, range)
      .label("written `" + word + "`")
      .fix(FixIt::Safe, "`" + word + "`", {spellOut(range, text, word)});
}

/// The left side of an operator that `!` of C binds tighter than and `not` does
/// not: `a` of `!a == b`, but not of `!(a == b)`.
static const Expr *getTighterOperand(const Expr *operand) {
  const Expr *lhs = nullptr;
  if (auto *compare = llvm::dyn_cast_or_null<CompareExpr>(operand))
    lhs = compare->lhs;
  else if (auto *binary = llvm::dyn_cast_or_null<BinaryExpr>(operand))
    lhs = binary->lhs;
  return lhs && lhs->range.begin == operand->range.begin ? lhs : nullptr;
}

void Parser::reportBang(SourceRange bang, const Expr *operand) {
  Diagnostic &diagnostic =
      diags.report(DiagCode::TD102, bang).label("written `not`");
  const Expr *lhs = getTighterOperand(operand);
  if (!lhs) {
    diagnostic.fix(FixIt::Safe, "`not`", {spellOut(bang, text, "not")});
    return;
  }
  llvm::StringRef whole = sources.getText(operand->range);
  llvm::StringRef left = sources.getText(lhs->range);
  llvm::StringRef rest = whole.drop_front(left.size());
  diagnostic
      .fix(FixIt::Choice, "`not " + whole + "`  (the whole is negated)",
           {spellOut(bang, text, "not")})
      .fix(FixIt::Choice, "`(not " + left + ")" + rest + "`  (as in C)",
           {{bang, "(not "}, {lhs->range.finish(), ")"}});
}

CompareOp Parser::reportIs() {
  SourceRange range = rangeOf(peek());
  bool isNot = peek(1).kind == Tok::Not;
  if (isNot) {
    advance();
    range = range.to(rangeOf(peek()));
  }
  llvm::StringRef symbol = isNot ? "!=" : "==";
  diags.report(DiagCode::TD102, range)
      .label("values are compared with `==` and `!=`")
      .fix(FixIt::Safe, "`" + symbol + "`", {{range, symbol.str()}});
  return isNot ? CompareOp::Ne : CompareOp::Eq;
}

std::nullptr_t Parser::reportMembershipTest(const Expr *element) {
  SourceRange word = rangeOf(peek());
  bool isNot = consume(Tok::Not);
  advance(); // `in`
  const Expr *list = at(Tok::LSquare) || at(Tok::LParen) ? parseAtom() : failed;
  Diagnostic &report =
      diags.report(DiagCode::TD102, word).label("`in` is only part of `for`");
  llvm::ArrayRef<const Expr *> elements;
  if (auto *literal = llvm::dyn_cast_or_null<ListExpr>(list))
    elements = literal->elements;
  else if (auto *tuple = llvm::dyn_cast_or_null<TupleExpr>(list))
    elements = tuple->elements;
  // The fix evaluates the element several times, which must have no effect.
  if (elements.empty() || !llvm::isa<NameExpr, MemberExpr>(element)) {
    report.note("compare with each element, or use tensor operations");
    return failed;
  }
  std::string test;
  for (const Expr *one : elements)
    test += ((test.empty() ? ""
              : isNot      ? " and "
                           : " or ") +
             sources.getText(element->range) + (isNot ? " != " : " == ") +
             sources.getText(one->range))
                .str();
  report.fix(FixIt::Safe, "`(" + test + ")`",
             {{element->range.to(list->range), "(" + test + ")"}});
  return failed;
}

std::nullptr_t Parser::reportLambda() {
  SourceRange lambda = rangeOf(peek());
  // `let double = lambda x: …`, from the first token of the line on.
  size_t first = pos;
  while (first != 0 && tokenAt(first - 1).kind != Tok::Newline)
    --first;
  Token start = tokenAt(first);
  bool isDeclared = start.kind == Tok::Let || start.kind == Tok::Var;
  Token name = tokenAt(first + isDeclared);
  bool isNamed = pos == first + isDeclared + 2 && name.kind == Tok::Name &&
                 previous().kind == Tok::Equal && indentOf(start.begin).empty();
  size_t place = pos;
  advance();
  uint32_t params = peek().begin;
  while (!at(Tok::Colon) && !atLineEnd())
    advance();
  llvm::StringRef written = text.slice(params, peek().begin).trim();
  const Expr *body = consume(Tok::Colon) ? parseExpr() : failed;
  Diagnostic &report =
      diags.report(DiagCode::TD102, lambda)
          .label("a function is declared with `fn` and has a name");
  if (!body || !indentOf(start.begin).empty())
    return failed;
  if (!isNamed) {
    // An argument: its function is declared before the statement.
    bool isKeyword = tokenAt(place - 1).kind == Tok::Equal;
    std::string free =
        isKeyword ? textOf(tokenAt(place - 2)).str() : std::string("function");
    for (size_t i = first; i != place; ++i)
      if (textOf(tokenAt(i)) == "lambda")
        free += "_";
    while (text.contains("fn " + free + "("))
      free += "_";
    std::string function =
        ("fn " + free + "(" + written + ") = " + sources.getText(body->range))
            .str();
    report.fix(FixIt::Safe, "`" + function + "`",
               {{rangeOf(start).start(), function + "\n"},
                {lambda.to(body->range), free}});
    return failed;
  }
  std::string function = ("fn " + textOf(name) + "(" + written +
                          ") = " + sources.getText(body->range))
                             .str();
  report.fix(FixIt::Safe, "`" + function + "`",
             {{rangeOf(start).to(body->range), function}});
  return failed;
}

void Parser::unwrapAssert(AssertStmt &stmt, SourceRange keyword) {
  auto *tuple = llvm::dyn_cast<TupleExpr>(stmt.condition);
  if (!tuple || tuple->elements.size() != 2)
    return;
  stmt.condition = tuple->elements[0];
  stmt.message = tuple->elements[1];
  SourceRange inside = stmt.condition->range.to(stmt.message->range);
  diags.report(DiagCode::TD102, tuple->range)
      .label("a condition and its message are written without parentheses")
      .fix(FixIt::Safe, "`assert " + sources.getText(inside) + "`",
           {{keyword.finish().to(inside.start()), " "},
            {inside.finish().to(tuple->range), ""}});
}

void Parser::reportChainedComparison(const CompareExpr *first) {
  // The fix evaluates the middle twice: it is safe if that has no effect.
  bool isSafe = llvm::isa<NameExpr, IntExpr, FloatExpr>(first->rhs);
  llvm::StringRef middle = sources.getText(first->rhs->range);
  llvm::StringRef whole = sources.getText(first->range);
  diags.report(DiagCode::TD102, rangeOf(peek()))
      .label("comparisons do not chain")
      .fix(isSafe ? FixIt::Safe : FixIt::Choice,
           "`" + whole + " and " + middle + " " + textOf(peek()) + " …`",
           {{first->range.finish(), (" and " + middle).str()}});
}

const Expr *Parser::parseGenerator(const Expr *element) {
  SourceRange keyword = rangeOf(peek());
  const Expr *list = parseComprehension(element->range, element);
  if (list)
    diags.report(DiagCode::TD102, keyword)
        .label("a comprehension is written in brackets")
        .fix(FixIt::Safe, "`[" + sources.getText(list->range) + "]`",
             {{list->range.start(), "["}, {list->range.finish(), "]"}});
  return list;
}

/// `torch.device("cuda", 1)`, with the current token at `torch`, as a device.
static std::string getDeviceLiteral(llvm::ArrayRef<llvm::StringRef> words) {
  if (words[1] != "device" || words[2] != "(")
    return "";
  llvm::StringRef device = words[3].trim("'\"");
  if (device == words[3])
    return "";
  if (words[4] == ")")
    return device.str();
  bool hasOrdinal = words[4] == "," && words[6] == ")" &&
                    llvm::all_of(words[5], llvm::isDigit);
  return hasOrdinal ? (device + ":" + words[5]).str() : "";
}

static bool isDeviceName(llvm::StringRef word) {
  word.consume_front("cuda:");
  return word == "cpu" || word == "cuda" || llvm::all_of(word, llvm::isDigit);
}

/// `torch.device("cuda" if … else "cpu")`: without the call and the quotes.
std::vector<Edit> Parser::unwrapDevice() const {
  // `torch`, `.`, `device`, `(`
  std::vector<Edit> edits{{rangeOf(peek()).to(rangeOf(peek(3))), ""}};
  unsigned depth = 1;
  for (size_t ahead = 4;; ++ahead) {
    Token token = peek(ahead);
    llvm::StringRef word = textOf(token);
    if (token.kind == Tok::End || token.kind == Tok::Newline)
      return {};
    if (token.kind == Tok::String && !isDeviceName(word.trim("'\"")))
      return {};
    if (token.kind == Tok::String)
      edits.push_back({rangeOf(token), word.trim("'\"").str()});
    depth += token.kind == Tok::LParen;
    depth -= token.kind == Tok::RParen;
    if (depth == 0) {
      edits.push_back({rangeOf(token), ""});
      return edits;
    }
  }
}

bool Parser::atStateDict() const {
  if (peek(3).kind != Tok::LParen)
    return false;
  if (atName("load", 2))
    return pos >= 2 && textOf(tokenAt(pos - 2)) == "load_state_dict";
  llvm::ArrayRef<Token> args(*tokens);
  args = args.slice(pos + 3, findClosing(pos + 3) - (pos + 3));
  return atName("save", 2) && llvm::any_of(args, [&](const Token &token) {
           return textOf(token) == "state_dict";
         });
}

/// Functions of `torch.linalg` that mean the same without it; `norm`, `cross`
/// and `diagonal` of `torch` do not.
static bool isSameOutsideLinalg(llvm::StringRef name) {
  return llvm::is_contained({"vector_norm", "matrix_power", "vecdot", "matmul",
                             "inv", "det", "solve", "svd", "qr", "cholesky"},
                            name);
}

Identifier Parser::parseTorchName() {
  SourceRange start = rangeOf(peek());
  llvm::SmallVector<llvm::StringRef> words = {textOf(peek())};
  for (unsigned ahead : {2, 3, 4, 5, 6, 7})
    words.push_back(textOf(peek(ahead)));
  std::string device = getDeviceLiteral(words);
  SourceRange deviceRange = start.to(rangeOf(peek(words[4] == ")" ? 5 : 7)));

  std::vector<Edit> unwrapped;
  if (words[1] == "device" && words[2] == "(" && device.empty())
    unwrapped = unwrapDevice();

  std::vector<Edit> wrapped = wrapInInt();
  if (!wrapped.empty()) {
    SourceRange prefix = start.to(rangeOf(peek(1)));
    std::string made = ("int(" + textOf(peek(2)) + "(…))").str();
    diags.report(DiagCode::TD102, prefix)
        .label("gives a float here")
        .fix(FixIt::Safe, "`" + made + "`", std::move(wrapped));
    advance();
    advance();
    return parseName("a name");
  }
  if (atStateDict()) {
    advance();
    advance();
    return parseName("a name"); // reportStateDict reports the whole call
  }
  advance();
  SourceRange prefix = rangeFrom(start).to(rangeOf(advance()));
  // Modules that are not needed: the names in them are known.
  auto isModule = [&](llvm::StringRef word) {
    return llvm::is_contained({"nn", "functional", "optim", "utils", "parallel",
                               "data", "lr_scheduler", "special"},
                              word) ||
           (word == "linalg" && isSameOutsideLinalg(textOf(peek(2))));
  };
  while (isModule(textOf(peek())) && peek(1).kind == Tok::Dot &&
         peek(2).kind == Tok::Name) {
    advance();
    prefix = prefix.to(rangeOf(advance()));
  }
  Identifier name = parseName("a name");
  if (at(Tok::Dot) && !llvm::is_contained({"cuda", "init"}, name.text)) {
    diags.report(DiagCode::TD102, prefix.to(name.range))
        .label("there is no module `" + name.text + "`")
        .note("docs/Reference.md lists the functions of the language");
    return name;
  }
  Diagnostic &diagnostic =
      diags.report(DiagCode::TD102, prefix)
          .label("nothing needs the prefix `" +
                 text.slice(start.begin, prefix.end) + "`");
  if (!device.empty()) {
    diagnostic.fix(FixIt::Safe, "`" + device + "`", {{deviceRange, device}});
    return name;
  }
  if (!unwrapped.empty()) {
    diagnostic.fix(FixIt::Safe,
                   "the device alone, without the call and the quotes",
                   std::move(unwrapped));
    return name;
  }
  llvm::StringRef replacement = getDtypeOfPyTorch(name.text);
  if (replacement.empty())
    replacement = name.text;
  diagnostic.fix(FixIt::Safe, "`" + replacement + "`",
                 {{prefix.to(name.range), replacement.str()}});
  return {replacement, name.range};
}
