//===- Items.cpp - declarations of a program and of a model ---------------===//
//
// `import`, `arg`, `model`, `fn` and the members of a model.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Characters.h"
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::ast;

const Program *Parser::parseProgram() {
  auto *program = context.create<Program>();
  program->range = {file, 0, uint32_t(text.size())};
  program->directives = parseDirectives();
  program->doc = parseProgramDoc();

  llvm::SmallVector<const Stmt *> items;
  while (skipNewlines(), !at(Tok::End)) {
    if (at(Tok::RBrace)) {
      Token brace = advance();
      diags.report(DiagCode::TD101, rangeOf(brace), "unexpected `}`")
          .label("no block is open here");
      continue;
    }
    size_t start = pos;
    const Stmt *item = atItem() ? parseItem() : parseStmt();
    if (item) {
      items.push_back(item);
      expectStatementEnd();
    } else {
      skipStatement(start);
    }
  }
  program->items = context.copy(items);
  program->unfreezes = unfreezes;
  program->keptNames = context.copy(keptNames);
  return program;
}

/// The editions of the language, oldest first.
static constexpr llvm::StringLiteral kEditions[] = {"2026"};

/// `edition=2026`
static void checkEdition(const Directive &directive, DiagnosticEngine &diags) {
  if (!llvm::is_contained(kEditions, directive.value))
    diags
        .report(DiagCode::TD119, directive.range,
                "an edition that this tdc does not know")
        .label("this tdc knows " + llvm::join(llvm::ArrayRef(kEditions), ", "));
}

llvm::ArrayRef<Directive> Parser::parseDirectives() {
  llvm::StringRef line = text.split('\n').first.rtrim('\r');
  line.consume_front(kByteOrderMark);
  if (!line.consume_front("#") || getAllowed(line) ||
      !line.consume_front("tdc:"))
    return {};
  llvm::SmallVector<llvm::StringRef> words;
  line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  llvm::SmallVector<Directive> directives;
  for (llvm::StringRef word : words) {
    auto [key, value] = word.split('=');
    uint32_t begin = word.begin() - text.begin();
    directives.push_back(
        {{file, begin, uint32_t(begin + word.size())}, key, value});
    if (key == "edition")
      checkEdition(directives.back(), diags);
    else if (key != "placement" && key != "shapes") // the prelude's
      diags
          .report(DiagCode::TD119, directives.back().range,
                  "`" + key + "` is no setting of a file")
          .label("there are `edition` and `placement`");
  }
  return context.copy(directives);
}

bool Parser::atItem() const {
  return at(Tok::Import) || at(Tok::From) || at(Tok::Fn) || at(Tok::Export) ||
         atSoftKeyword("model") || atSoftKeyword("arg") || atPythonDef();
}

bool Parser::atOutsideOfModel() const {
  bool isMember = at(Tok::Fn) || atPythonDef() || atReservedField();
  bool isStmt = at(Tok::Let) || at(Tok::Var) || at(Tok::For) || at(Tok::While);
  return atLeftMargin() && !isMember && (atItem() || isStmt);
}

const Stmt *Parser::parseItem() {
  if (at(Tok::Import) || at(Tok::From))
    return parseImport();
  if (atName("arg"))
    return parseArg();
  if (atName("model"))
    return parseModel();
  return parseFn();
}

const Decl *Parser::parseImport() {
  llvm::StringRef doc = takeDoc();
  Token keyword = advance();
  SourceRange start = rangeOf(keyword);
  auto *import = context.create<ImportDecl>(start);
  import->doc = doc;

  SourceRange pathStart = rangeOf(peek());
  if (at(Tok::String)) {
    const Expr *path = parseString();
    import->isFile = true;
    import->path = {llvm::cast<StringExpr>(path)->value, path->range};
  } else {
    do {
      if (parseName("a module").text.empty())
        return failed;
    } while (consume(Tok::Dot));
    SourceRange range = rangeFrom(pathStart);
    // Blanks around the dots are allowed and mean nothing.
    std::string path = sources.getText(range).str();
    llvm::erase_if(path, [](char c) { return isspace((unsigned char)c); });
    import->path = {path.size() == range.size() ? sources.getText(range)
                                                : context.copyText(path),
                    range};
  }

  if (keyword.kind == Tok::From) {
    if (!expect(Tok::Import))
      return failed;
    llvm::SmallVector<Identifier> names;
    bool isPython = isPythonLibrary(import->path.text);
    bool hasBrackets = consume(Tok::LParen);
    do {
      if (hasBrackets && at(Tok::RParen))
        break;
      names.push_back(parseName("a name to import"));
      if (names.back().text.empty())
        return failed;
      // The whole line will be removed.
      if (isPython && consume(Tok::As) && parseName("a name").text.empty())
        return failed;
    } while (consume(Tok::Comma));
    if (hasBrackets && !expect(Tok::RParen))
      return failed;
    import->names = context.copy(names);
  } else if (consume(Tok::As)) {
    import->alias = parseName("a name");
    if (import->alias.text.empty())
      return failed;
  }
  import->range = rangeFrom(start);
  if (keyword.kind == Tok::Import && at(Tok::Comma))
    return reportSeveralImports(start);
  if (!import->isFile)
    reportPythonImport(import->path.text, import->range);
  return import;
}

const Decl *Parser::parseArg() {
  SourceRange start = rangeOf(peek());
  auto *arg = context.create<ArgDecl>(start);
  arg->doc = takeDoc();
  advance();
  arg->name = parseName("a name");
  if (arg->name.text.empty() || !expect(Tok::Colon))
    return failed;
  arg->type = parseType();
  if (!arg->type)
    return failed;
  if (consume(Tok::Equal)) {
    arg->defaultValue = parseExpr();
    if (!arg->defaultValue)
      return failed;
  }
  if (at(Tok::String))
    arg->help = llvm::cast<StringExpr>(parseString())->value;
  arg->range = rangeFrom(start);
  return arg;
}

const Decl *Parser::parseModel() {
  SourceRange start = rangeOf(peek());
  auto *model = context.create<ModelDecl>(start);
  model->doc = takeDoc();
  advance();
  model->name = parseName("a name");
  if (model->name.text.empty())
    return failed;
  bool isIntact =
      !at(Tok::LParen) || skipBaseClass() || parseParams(model->params);
  if (!isIntact && !skipToBlock())
    return failed;
  memberLocals.clear();
  if (!parseMembers(model->members))
    return failed;
  model->range = rangeFrom(start);
  return model;
}

bool Parser::parseMembers(llvm::ArrayRef<const Decl *> &result) {
  Nesting nesting(*this);
  if (!nesting.check())
    return false;
  Token colon = peek();
  bool isIndented = consume(Tok::Colon);
  if (!isIndented && !expectOpenBrace())
    return false;
  SourceRange open = rangeOf(previous());
  llvm::SmallVector<const Decl *> members;
  while (true) {
    skipNewlines();
    if (isIndented ? !isIndentedMore(indentOf(open.begin)) || at(Tok::End)
                   : consume(Tok::RBrace))
      break;
    if (!isIndented && (at(Tok::End) || atOutsideOfModel())) {
      reportUnclosed(open);
      break;
    }
    size_t start = pos;
    if (const Decl *member = parseMember()) {
      members.push_back(member);
      expectStatementEnd();
    } else {
      skipStatement(start);
    }
  }
  if (isIndented)
    reportIndentedBlock(colon, /*onOneLine=*/false);
  result = context.copy(members);
  return true;
}

const Decl *Parser::parseMember() {
  if (atReservedField())
    return parseField();
  if (at(Tok::If))
    return parseMemberIf();
  if (at(Tok::At) || (atName("raise") && peek(1).kind == Tok::Name)) {
    skipPythonStatement();
    return failed;
  }
  if (atMemberStmt())
    return parseMemberStmt();
  if (at(Tok::Fn) || at(Tok::Export) || atPythonDef()) {
    if (at(Tok::Export))
      diags
          .report(DiagCode::TD115, rangeOf(peek()),
                  "a method cannot be exported")
          .note("export a function that calls it");
    return parseFn();
  }
  bool isState = atName("param") || atName("buffer");
  bool isNamed = peek(1).kind == Tok::Name || atReservedMember(1);
  return isState && isNamed ? parseState() : parseField();
}

bool Parser::atLocalOfModel() const {
  llvm::SmallVector<llvm::StringRef> names;
  size_t i = pos + 1;
  for (; tokenAt(i).kind != Tok::Equal && tokenAt(i).kind != Tok::Colon &&
         tokenAt(i).kind != Tok::Newline && tokenAt(i).kind != Tok::End;
       ++i)
    if (tokenAt(i).kind == Tok::Name)
      names.push_back(textOf(tokenAt(i)));
  unsigned depth = 0;
  for (;; ++i) {
    Token token = tokenAt(i);
    bool isMethod = token.kind == Tok::Fn || textOf(token) == "def";
    if (token.kind == Tok::End || isMethod ||
        (token.kind == Tok::RBrace && depth == 0))
      return false;
    depth += token.kind == Tok::LBrace;
    depth -= token.kind == Tok::RBrace;
    bool isMember = tokenAt(i - 1).kind == Tok::Dot;
    bool isKeyword = tokenAt(i + 1).kind == Tok::Equal;
    if (token.kind == Tok::Name && !isMember && !isKeyword &&
        llvm::is_contained(names, textOf(token)))
      return true;
    if (token.kind == Tok::FString &&
        llvm::any_of(names, [&](llvm::StringRef name) {
          return findInField(textOf(token), name) != llvm::StringRef::npos;
        }))
      return true;
  }
}

bool Parser::atMemberStmt() const {
  Tok next = peek(1).kind;
  switch (peek().kind) {
  case Tok::Let:
  case Tok::Var:
    return atLocalOfModel();
  case Tok::Assert:
  case Tok::For:
  case Tok::While:
  case Tok::With:
    return true;
  case Tok::Name:
    break;
  default:
    return false;
  }
  bool isUpdate = next == Tok::PlusEqual || next == Tok::MinusEqual ||
                  next == Tok::StarEqual || next == Tok::SlashEqual;
  bool isLocal = llvm::is_contained(memberLocals, textOf(peek()));
  return (isLocal && (next == Tok::Equal || next == Tok::LSquare)) ||
         isUpdate ||
         (next == Tok::LParen && llvm::isLower(textOf(peek()).front()));
}

const Decl *Parser::parseMemberStmt() {
  auto *decl = context.create<MemberStmtDecl>(rangeOf(peek()));
  decl->stmt = parseStmt();
  if (!decl->stmt)
    return failed;
  decl->range = decl->stmt->range;
  if (auto *let = llvm::dyn_cast<LetStmt>(decl->stmt)) {
    if (let->target->isTuple())
      for (const Target *element : let->target->elements)
        memberLocals.push_back(element->name);
    else
      memberLocals.push_back(let->target->name);
  }
  return decl;
}

Identifier Parser::parseMemberName(const llvm::Twine &what) {
  if (!atReservedMember())
    return parseName(what);
  Token word = advance();
  return {textOf(word), rangeOf(word)};
}

const Decl *Parser::parseState() {
  SourceRange start = rangeOf(peek());
  auto *state = context.create<StateDecl>(start);
  state->doc = takeDoc();
  state->isParam = textOf(advance()) == "param";
  state->name = parseMemberName("a name");
  // Without a type, it is that of the value.
  if (!at(Tok::Equal)) {
    if (!expect(Tok::Colon))
      return failed;
    state->type = parseType();
    if (!state->type)
      return failed;
  }
  if (consume(Tok::Equal)) {
    state->value = parseExpr();
    if (!state->value)
      return failed;
  }
  state->range = rangeFrom(start);
  return state;
}

const Decl *Parser::parseField() {
  SourceRange start = rangeOf(peek());
  llvm::StringRef doc = takeDoc();
  if (at(Tok::Self) && peek(1).kind == Tok::Dot) {
    Tok next = peek(3).kind;
    if (next == Tok::Dot || next == Tok::LSquare || next == Tok::LParen)
      return parsePartAssign();
    reportSelfField(); // steps over the prefix
  }
  if (at(Tok::Name) && peek(1).kind == Tok::Dot)
    return parsePartAssign();
  if ((at(Tok::Let) || at(Tok::Var)) && !atReservedField()) {
    SourceRange keyword = rangeOf(advance());
    diags.report(DiagCode::TD101, keyword, "a field is declared by its name")
        .label("not needed here")
        .fix(FixIt::Safe, "`" + textOf(peek()) + " = …`",
             {{keyword.to(rangeOf(peek()).start()), ""}});
  }
  auto *field = context.create<FieldDecl>(start);
  field->doc = doc;
  field->name = parseMemberName("a field, `param`, `buffer`, `if` or `fn`");
  if (field->name.text.empty())
    return failed;
  if (consume(Tok::Colon)) {
    field->type = parseType();
    if (!field->type)
      return failed;
  }
  if (!expect(Tok::Equal))
    return failed;
  field->value = parseExpr();
  if (!field->value)
    return failed;
  field->range = rangeFrom(start);
  return field;
}

const Decl *Parser::parsePartAssign() {
  Token first = peek();
  auto *decl = context.create<PartAssignDecl>(rangeOf(first));
  decl->doc = takeDoc();
  const Stmt *stmt = parseExprOrAssign();
  if (!stmt)
    return failed;
  decl->assign = llvm::dyn_cast<AssignStmt>(stmt);
  // A call acts on the parts that are there, and so does `self.w[0] = 0.0`.
  auto *call = llvm::dyn_cast<ExprStmt>(stmt);
  bool isCall = call && llvm::isa<CallExpr>(call->value);
  bool isChange = decl->assign && first.kind == Tok::Self &&
                  (decl->assign->op != AssignOp::Set ||
                   llvm::isa<SubscriptExpr>(decl->assign->target));
  if (isCall || isChange) {
    auto *member = context.create<MemberStmtDecl>(stmt->range);
    member->stmt = stmt;
    return member;
  }
  if (!decl->assign || decl->assign->op != AssignOp::Set) {
    diags.report(DiagCode::TD101, stmt->range)
        .label("expected a field, `param`, `buffer`, `if` or `fn`, or a part's "
               "tensor as in `self.head.weight = self.wte.weight`");
    return failed;
  }
  if (first.kind == Tok::Name) {
    std::string written = ("self." + textOf(first)).str();
    diags.report(DiagCode::TD101, rangeOf(first))
        .label("expected `" + written + "`: a part is read through `self`")
        .fix(FixIt::Safe, "`" + written + "`", {{rangeOf(first), written}});
    return failed;
  }
  decl->range = stmt->range;
  return decl;
}

const Decl *Parser::parseMemberIf() {
  SourceRange start = rangeOf(peek());
  auto *choice = context.create<MemberIfDecl>(start);
  choice->doc = takeDoc();
  advance();
  choice->condition = parseCondition();
  if (!choice->condition && !skipToBlock())
    return failed;
  bool isIndented = at(Tok::Colon);
  if (!parseMembers(choice->thenMembers))
    return failed;
  // Between indented blocks, an `else` belongs to the `if` in its column.
  bool isOurs = !isIndented || indentOf(peek().begin) == indentOf(start.begin);
  bool isElse = at(Tok::Else) && !atReservedField();
  if (isOurs && ((isElse && peek(1).kind == Tok::If) || atElif())) {
    if (isElse)
      advance();
    else
      reportElif();
    const Decl *nested = parseMemberIf(); // steps over `if` or `elif`
    if (!nested)
      return failed;
    choice->elseMembers = context.copy(llvm::ArrayRef(nested));
  } else if (isOurs && isElse) {
    advance();
    if (!parseMembers(choice->elseMembers))
      return failed;
  }
  choice->range = rangeFrom(start);
  return choice->condition ? choice : failed;
}

const FnDecl *Parser::parseFn() {
  SourceRange start = rangeOf(peek());
  auto *fn = context.create<FnDecl>(start);
  fn->doc = takeDoc();
  fn->isExport = consume(Tok::Export);
  if (atPythonDef())
    reportDef();
  else if (!expect(Tok::Fn))
    return failed;

  if (atName("__init__") && previous().kind == Tok::Fn)
    reportConstructor();
  fn->name = parseName("the function's name");
  bool isIntact = !fn->name.text.empty();
  if (isIntact && !at(Tok::LParen)) {
    expected("`(`");
    isIntact = false;
  }
  isIntact = isIntact && parseParams(fn->params);
  if (isIntact && consume(Tok::Arrow) && !skipTypeHint()) {
    fn->result = parseType();
    isIntact = fn->result;
  }
  // The body after a damaged header is still parsed, to find other mistakes.
  if (!isIntact && !skipToBlock())
    return failed;

  if (consume(Tok::Equal)) {
    fn->value = parseExpr();
  } else {
    fn->body = parseBlock();
  }
  if (!fn->value && !fn->body)
    return failed;
  fn->range = rangeFrom(start);
  return isIntact ? fn : failed;
}

static bool hasRest(llvm::ArrayRef<Param> params) {
  return llvm::any_of(params, [](const Param &param) { return param.isRest; });
}

bool Parser::parseParams(llvm::ArrayRef<Param> &result) {
  SourceRange open = rangeOf(advance());
  llvm::SmallVector<Param> params;
  while (!at(Tok::RParen)) {
    Param param;
    param.range = rangeOf(peek());
    if (at(Tok::Self)) {
      Token self = advance();
      SourceRange removed = rangeOf(self);
      // Where no `)` follows, the list ends at its `(` instead.
      if (consume(Tok::Comma) && peek().begin >= previous().end)
        removed = removed.to(rangeOf(peek()).start());
      diags.report(DiagCode::TD102, rangeOf(self))
          .label("a method has `self` without declaring it")
          .fix(FixIt::Safe, "remove it", {{removed, ""}});
      continue;
    }
    if (at(Tok::StarStar)) {
      advance();
      SourceRange name = rangeOf(peek());
      parseName("a parameter");
      diags.report(DiagCode::TD102, name)
          .label("there are no keyword arguments without a name")
          .note("write each parameter with its name");
      return false;
    }
    Token star = peek();
    param.isRest = consume(Tok::Star);
    param.name = parseName("a parameter");
    if (param.name.text.empty())
      return false;
    if (consume(Tok::Colon) && !skipTypeHint()) {
      param.type = parseType();
      if (!param.type)
        return false;
    }
    if (consume(Tok::Equal)) {
      param.defaultValue = parseExpr();
      if (!param.defaultValue)
        return false;
    }
    if (param.isRest && (param.defaultValue || hasRest(params))) {
      diags
          .report(DiagCode::TD101, rangeOf(star),
                  param.defaultValue
                      ? "`*" + param.name.text + "` has no default"
                      : "a second parameter with `*`")
          .note("`*" + param.name.text +
                "` is a tuple of all arguments that remain; it may be empty");
      return false;
    }
    param.range = rangeFrom(param.range);
    params.push_back(param);
    if (!consume(Tok::Comma))
      break;
  }
  if (!expectClosing(Tok::RParen, open))
    return false;
  result = context.copy(params);
  return true;
}
