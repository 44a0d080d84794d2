//===- ParserImpl.h - the parser's class, for its own files ---------------===//
//
// One class, implemented by topic: Parser.cpp (tokens, errors, recovery),
// Items.cpp, Statements.cpp, Expressions.cpp, Types.cpp, Literals.cpp (strings
// and numbers), PythonHabits.cpp, PythonClasses.cpp and PythonPrograms.cpp
// (TD102).
//
// A parse function returns null after it has reported why; its caller returns
// null as well, up to the loop over statements, which skips to the end of the
// statement and goes on. So one mistake gives one report.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_LIB_FRONTEND_PARSER_PARSERIMPL_H
#define TDC_LIB_FRONTEND_PARSER_PARSERIMPL_H

#include "Frontend/Lexer.h"
#include "Frontend/Parser.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tdc {

/// Whether a place in the text of an f-string is in a replacement field.
bool isInField(llvm::StringRef literal, size_t at);
/// The next place from `from` on where a field of an f-string reads a name.
size_t findInField(llvm::StringRef literal, llvm::StringRef name,
                   size_t from = 0);

class Parser {
public:
  Parser(const SourceManager &sources, FileId file, ast::Context &context,
         DiagnosticEngine &diags);

  const ast::Program *parseProgram();

private:
  /// The result of any parse that failed; the reason has been reported.
  static constexpr std::nullptr_t failed = nullptr;

  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//

  /// The token at index `i`; End past the last token.
  const Token &tokenAt(size_t i) const {
    return (*tokens)[std::min(i, tokens->size() - 1)];
  }
  /// The token `ahead` tokens further on.
  const Token &peek(size_t ahead = 0) const { return tokenAt(pos + ahead); }
  bool at(Tok kind) const { return peek().kind == kind; }
  bool atName(llvm::StringRef word, size_t ahead = 0) const {
    return peek(ahead).kind == Tok::Name && textOf(peek(ahead)) == word;
  }
  /// Whether the current token is a soft keyword used as one: before a name.
  bool atSoftKeyword(llvm::StringRef word) const {
    return atName(word) && peek(1).kind == Tok::Name;
  }
  /// Whether a word of the language names a member of a model here: it is
  /// before `=`, or before `:` and a type.
  bool atReservedMember(size_t ahead = 0) const {
    Tok next = peek(ahead + 1).kind;
    return isKeyword(peek(ahead).kind) &&
           (next == Tok::Equal || next == Tok::Colon);
  }
  /// Whether a field with such a name begins here. `else:` is Python's.
  bool atReservedField() const {
    return atReservedMember() && !(at(Tok::Else) && peek(1).kind == Tok::Colon);
  }
  bool atLineEnd() const { return at(Tok::Newline) || at(Tok::End); }

  const Token &previous() const { return tokenAt(pos - 1); }
  bool afterNewline() const {
    return pos != 0 && previous().kind == Tok::Newline;
  }

  /// Steps over the current token (never over End) and returns it.
  Token advance() {
    Token token = peek();
    pos += pos + 1 < tokens->size();
    return token;
  }
  bool consume(Tok kind) {
    bool matches = at(kind);
    if (matches)
      advance();
    return matches;
  }
  /// Steps over a token, or reports that it is missing.
  bool expect(Tok kind);
  /// Steps over the end of a list, or reports that it or a comma is missing.
  bool expectClosing(Tok kind, SourceRange open);
  /// Steps over the `{` of a block, if need be after skipping to it.
  bool expectOpenBrace();

  SourceRange rangeOf(Token token) const {
    return {file, token.begin, token.end};
  }
  /// From the start of `first` to the end of the last token stepped over.
  SourceRange rangeFrom(SourceRange first) const {
    return {file, first.begin, std::max(first.begin, previous().end)};
  }
  llvm::StringRef textOf(Token token) const {
    return text.slice(token.begin, token.end);
  }

  //===--------------------------------------------------------------------===//
  // Errors and recovery (Parser.cpp)
  //===--------------------------------------------------------------------===//

  /// Reports that something else was expected at the current token, unless
  /// the lexer has reported something in the statement.
  Diagnostic *reportExpected(const llvm::Twine &what);
  std::nullptr_t expected(const llvm::Twine &what) {
    reportExpected(what);
    return failed;
  }

  /// Counts nested constructs for as long as it lives.
  class Nesting {
  public:
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.depth; }
    ~Nesting() { parser.isTooDeep &= --parser.depth != 0; }
    /// False, after a report, if the text is nested too deeply.
    bool check();

  private:
    Parser &parser;
  };
  std::nullptr_t tooDeep(SourceRange range);

  void skipNewlines() {
    while (consume(Tok::Newline))
      ;
  }
  /// Skips the rest of a statement that began at token `start`, with the
  /// blocks in it, and makes progress in any case.
  void skipStatement(size_t start);
  /// Skips to the `{` or `:` that starts the block of a damaged header; false
  /// if there is none.
  bool skipToBlock();
  /// Called after a statement: reports a `//` comment of C; false if there is
  /// none.
  bool reportSlashes();

  // Syntax of other languages (OtherLanguages.cpp) -----------------------//

  /// Reports `float rate = 0.25`, `a ? b : c` or `var a = b = 0` where a
  /// statement should end; false if it is none of them.
  bool reportOtherLanguage();
  bool reportDeclaration();
  bool reportTernary();
  /// Where the condition begins that ends before the current `?`; nothing where
  /// that is not an expression alone.
  std::optional<size_t> findCondition() const;
  bool reportChain();
  /// Reports and skips the `:` of `if x: {`.
  void reportColonAndBrace();
  /// Reports and skips `:5` of `for i in 1:5 {`, if it is that.
  void reportColonOfRange(SourceRange first);
  /// Reports and skips the `(nn.Module)` of a model; false if it is not there.
  bool skipBaseClass();

  /// Ends a statement: a new line, or a `}` that follows.
  void expectStatementEnd();
  /// Reports a `{` without partner. Blocks around it do not report theirs.
  void reportUnclosed(SourceRange brace);

  /// The blanks before the first token of the line that holds `offset`.
  llvm::StringRef indentOf(uint32_t offset) const;
  bool atLeftMargin() const {
    return peek().begin == 0 || text[peek().begin - 1] == '\n';
  }
  bool isIndentedMore(llvm::StringRef outer) const {
    return indentOf(peek().begin).size() > outer.size();
  }

  /// The text of the `##` lines directly above the current token.
  llvm::StringRef takeDoc();

  //===--------------------------------------------------------------------===//
  // Items (Items.cpp)
  //===--------------------------------------------------------------------===//

  llvm::ArrayRef<ast::Directive> parseDirectives();
  llvm::StringRef parseProgramDoc();
  /// Whether the current token can only start an item.
  bool atItem() const;
  /// Whether the code that starts here was not meant to be in a model.
  bool atOutsideOfModel() const;
  const ast::Stmt *parseItem();
  const ast::Decl *parseImport();
  const ast::Decl *parseArg();
  const ast::Decl *parseModel();
  const ast::FnDecl *parseFn();
  const ast::Decl *parseMember();
  /// The declaration of a parameter or buffer.
  const ast::Decl *parseState();
  const ast::Decl *parseField();
  /// The name of a member, which may be a word of the language.
  ast::Identifier parseMemberName(const llvm::Twine &what);
  /// Members between braces; false if there is no `{`.
  bool parseMembers(llvm::ArrayRef<const ast::Decl *> &members);
  const ast::Decl *parsePartAssign();
  /// Whether a statement among the members of a model begins here.
  bool atMemberStmt() const;
  const ast::Decl *parseMemberStmt();
  /// Whether the `let` here declares a name that later members read, and not a
  /// field.
  bool atLocalOfModel() const;
  const ast::Decl *parseMemberIf();
  bool parseParams(llvm::ArrayRef<ast::Param> &params);

  //===--------------------------------------------------------------------===//
  // Statements (Statements.cpp)
  //===--------------------------------------------------------------------===//

  const ast::Stmt *parseStmt();
  const ast::Block *parseBlock();
  /// The statements after a Python header's `:`, by their indentation.
  const ast::Block *parseIndentedBlock();
  void parseStmts(llvm::SmallVectorImpl<const ast::Stmt *> &stmts,
                  llvm::function_ref<bool()> atEnd);
  const ast::Stmt *parseLet();
  /// `param w: type = value` outside of a model.
  bool atParam() const {
    return atName("param") && peek(1).kind == Tok::Name &&
           (peek(2).kind == Tok::Colon || peek(2).kind == Tok::Equal);
  }
  const ast::Stmt *parseExprOrAssign();
  void reportNewParameter(ast::AssignStmt &assign);
  /// Of `if` and `while`.
  const ast::Expr *parseCondition();
  const ast::Stmt *parseIf();
  const ast::Block *parseElse();
  const ast::Stmt *parseFor();
  const ast::Stmt *parseWhile();
  const ast::Stmt *parseWith();
  const ast::Stmt *parseReturn();
  const ast::Stmt *parseAssert();
  bool checkTarget(const ast::Expr *target, bool allowTuple);

  //===--------------------------------------------------------------------===//
  // Expressions (Expressions.cpp)
  //===--------------------------------------------------------------------===//

  const ast::Expr *parseExprs();
  const ast::Expr *parseExpr();
  const ast::Expr *parseOr();
  const ast::Expr *parseAnd();
  const ast::Expr *parseNot();
  const ast::Expr *parseCompare();
  const ast::Expr *parseArithmetic(Precedence loosest);
  const ast::Expr *parseUnary();
  const ast::Expr *parsePower();
  const ast::Expr *parsePostfix();
  const ast::Expr *parseCall(const ast::Expr *callee);
  const ast::Expr *parseSubscript(const ast::Expr *base);
  /// The items and the `]`.
  bool parseSubscriptItems(SourceRange open,
                           llvm::ArrayRef<ast::SubscriptItem> &items);
  const ast::Expr *parseMemberAccess(const ast::Expr *base);
  const ast::Expr *parseAtom();
  bool atReservedName() const;
  const ast::Expr *parseNameOrHabit();
  const ast::Expr *parseParens();
  const ast::Expr *parseList();
  /// Whether the member that ends before the current token may end freezing.
  bool mayUnfreeze(llvm::StringRef method) const;
  /// From `for` to before the `]`.
  const ast::Expr *parseComprehension(SourceRange start,
                                      const ast::Expr *element);
  const ast::Expr *makeBinary(ast::BinaryOp op, SourceRange opRange,
                              const ast::Expr *lhs, const ast::Expr *rhs);

  bool parseArgs(llvm::ArrayRef<ast::Argument> &args);
  /// `isFirst`: a comprehension needs no brackets, as in `sum(x for x in xs)`.
  bool parseArgument(ast::Argument &arg, bool isFirst);
  bool parseSubscriptItem(ast::SubscriptItem &item);

  /// Makes a node that is one level above its children.
  template <typename T>
  T *make(SourceRange range, llvm::ArrayRef<const ast::Expr *> children = {}) {
    T *node = context.create<T>(range);
    for (const ast::Expr *child : children)
      if (child)
        node->height = std::max<uint16_t>(node->height, child->height + 1);
    return node;
  }

  //===--------------------------------------------------------------------===//
  // Names, targets and types (Types.cpp)
  //===--------------------------------------------------------------------===//

  /// A name, or a report that `what` is missing; its text is empty then.
  ast::Identifier parseName(const llvm::Twine &what);
  /// Reports a keyword that was meant to be a name; it is the current token.
  void reportReserved(const llvm::Twine &label);
  const ast::Target *parseTargets();
  const ast::Target *parseTarget();
  const ast::TypeExpr *parseType();
  ast::TypeExpr *parseTypeWithoutPlace();
  const ast::Place *parsePlace();

  //===--------------------------------------------------------------------===//
  // Literals (Literals.cpp, FStrings.cpp)
  //===--------------------------------------------------------------------===//

  const ast::Expr *parseInt();
  /// The least int, -2**63: its digits without the sign are no int.
  const ast::Expr *parseLeastInt(Token minus);
  const ast::Expr *parseFloat();
  const ast::Expr *parseString();
  const ast::Expr *parseFString();
  bool parseReplacementField(SourceRange open, uint32_t end,
                             ast::FStringPart &part);
  std::vector<Edit> otherQuotes(SourceRange open, uint32_t end) const;
  const ast::FormatSpec *parseFormatSpec(SourceRange range);
  /// The text of a part of a string literal, with its escapes replaced.
  llvm::StringRef unescape(SourceRange range);

  //===--------------------------------------------------------------------===//
  // Python's habits (PythonHabits.cpp): each reports TD102
  //===--------------------------------------------------------------------===//

  /// Reports a word of Python that starts a statement, and skips what it
  /// introduces; false if the current token is none.
  bool skipPythonStatement();
  bool atPythonDef() const {
    return atName("def") && peek(1).kind == Tok::Name;
  }
  void reportDef();
  void reportConstructor();
  /// At `elif`, maybe on the next line.
  bool atElif() const;
  void reportElif();
  void reportIndentedBlock(Token colon, bool onOneLine);
  /// Whether a `;` precedes the current token on its line.
  bool goesOnAfterSemicolon() const;
  /// The blanks before the first word of the header that ends with `colon`: a
  /// header may have several lines.
  llvm::StringRef indentOfHeader(Token colon) const;
  void reportChainedComparison(const ast::CompareExpr *first);
  /// At `&&` or `||`: suggests the word.
  void reportSymbol(llvm::StringRef word);
  /// After `!` and its operand as `not` takes it.
  void reportBang(SourceRange bang, const ast::Expr *operand);
  /// At `is` or `is not`, of which the last word is left to step over.
  ast::CompareOp reportIs();
  bool atMembershipTest() const {
    return at(Tok::In) || (at(Tok::Not) && peek(1).kind == Tok::In);
  }
  std::nullptr_t reportMembershipTest(const ast::Expr *element);
  std::nullptr_t reportLambda();
  /// A dictionary with `'params'`, as optimizers of PyTorch take it.
  std::optional<Edit> groupOfDictionary();
  std::nullptr_t reportDictionary();
  /// `assert (condition, "message")`: splits the tuple.
  void unwrapAssert(ast::AssertStmt &stmt, SourceRange keyword);
  const ast::Expr *parseGenerator(const ast::Expr *element);
  const ast::Expr *parseNone();
  void reportUnaryPlus();
  /// At `++` or `--`.
  bool atStep() const;
  void reportStep(const ast::Expr *counter);
  void reportLastComma();
  bool atDictionary() const;
  void reportSelfField();
  /// `torch.name`: steps over the prefix and returns the name to use instead.
  bool atTorch() const {
    return (atName("torch") || (hasMathPrefix && atName("math"))) &&
           peek(1).kind == Tok::Dot && peek(2).kind == Tok::Name;
  }
  ast::Identifier parseTorchName();
  /// At `torch` of `torch.save(net.state_dict(), …)` or
  /// `load_state_dict(torch.load(…))`.
  bool atStateDict() const;
  std::vector<Edit> unwrapDevice() const;
  void reportReturnedNone();
  /// At the second `=` of `a = b = 3`.
  const ast::Stmt *reportChain(const ast::AssignStmt *first);
  /// At the `:` of `x: int = 3`.
  const ast::Stmt *reportVariable(SourceRange name);
  bool atTorchHint() const {
    return atName("torch", 1) && peek(2).kind == Tok::Dot &&
           peek(3).kind == Tok::Name;
  }

  //===--------------------------------------------------------------------===//
  // Whole scripts of Python (PythonPrograms.cpp, PythonClasses.cpp)
  //===--------------------------------------------------------------------===//

  /// Removes `range`, and the line if that leaves it empty.
  Edit removeLine(SourceRange range) const;
  void skipIndented(llvm::StringRef indent);
  /// Moves the lines that begin in `lines` to the left, by as many blanks as
  /// the first of them has more than `indent`. Lines that an edit removes are
  /// skipped.
  void dedent(SourceRange lines, llvm::StringRef indent,
              std::vector<Edit> &edits) const;
  /// Where a `}` goes after an indented block that ends here.
  Edit closeIndented(llvm::StringRef indent) const;
  /// An import of a library of Python; its names need no prefix from there on.
  void reportPythonImport(llvm::StringRef module, SourceRange range);
  /// At the first `,` of `import torch, math`.
  std::nullptr_t reportSeveralImports(SourceRange keyword);
  /// Whether the text after an import uses one of the names in it.
  bool isUsedBelow(SourceRange import) const;
  static bool isPythonLibrary(llvm::StringRef module);
  /// At `torch.from_numpy(np.load(…))` (PythonArrays.cpp).
  bool atLoadedArray() const;
  const ast::Expr *parseLoadedArray();
  /// At `np.load(…)` of `x = np.load(…)`, where all that reads `x` is one
  /// `torch.from_numpy(x)` or `torch.tensor(x)`s; or at the former.
  void reportArray();
  /// At `parser = argparse.ArgumentParser(…)` (PythonArguments.cpp).
  void reportArgumentParser();
  /// What makes an `arg` of each option of a parser; empty if that is not all.
  /// Then `why` says what prevents it, if that is known.
  std::vector<Edit> rewriteArguments(Token parser, std::string &why) const;
  std::optional<SourceRange> findFunctionStart(Token parser) const;
  /// The function, class or model of which this token is the first.
  SourceRange findExtent(size_t first) const;
  /// Where these names are parameters: for one of a constructor the whole
  /// class.
  struct ParameterUse {
    SourceRange extent, header;
  };
  llvm::StringMap<std::vector<ParameterUse>>
  findParameters(const llvm::StringSet<> &names) const;
  llvm::StringRef dropArgument(size_t i, std::vector<Edit> &edits) const;
  /// `args.lr` as `lr`; false if the script does something else with `args`.
  bool rewriteUses(llvm::StringRef args, const llvm::StringSet<> &options,
                   std::vector<Edit> &edits, std::string &why) const;
  /// At `w = torch.randn(3, requires_grad=True)`.
  void reportLeaf();
  /// `if __name__ == "__main__":`; its block belongs to the program.
  bool atMainGuard() const;
  void skipMainGuard();
  void skipClass();
  /// The first parameter of a method among tokens [begin, end) that is not
  /// `self`; invalid if there is none.
  SourceRange findOtherSelf(size_t begin, size_t end) const;
  std::vector<Edit> splitFields(size_t begin, size_t end) const;
  /// Makes fields of the assignments in the constructor among tokens [begin,
  /// end). Returns its parameters, with parentheses, or "".
  std::string unwrapConstructor(size_t begin, size_t end,
                                std::vector<Edit> &edits) const;
  /// The names in a constructor.
  struct Choice {
    llvm::StringRef name;
    size_t first, colon, value, last; ///< tokens
  };
  struct ConstructorNames {
    size_t end = 0; ///< of its tokens
    /// Assignments under a condition.
    llvm::SmallVector<Choice> choices;
    llvm::SmallVector<llvm::StringRef> fields;
    /// Parameters that it assigns to under a condition, or to a part of them.
    llvm::SmallVector<llvm::StringRef> changedParams;
    /// Those of its own that a field has, too.
    llvm::SmallVector<llvm::StringRef> renamed;

    std::string getName(llvm::StringRef name) const {
      return (name + (llvm::is_contained(renamed, name) ? "_" : "")).str();
    }
  };
  std::optional<Choice> findChoice(size_t i, size_t indent, size_t body) const;
  void rewriteChoices(const ConstructorNames &names,
                      std::vector<Edit> &edits) const;
  ConstructorNames findNames(size_t open, size_t colon, size_t end) const;
  std::optional<Edit> renameLocal(size_t i,
                                  const ConstructorNames &names) const;
  Edit declareField(size_t i) const;
  std::optional<Edit> declareBuffer(size_t i) const;
  /// `let ` or `var ` for the assignment to names at token `i` of a
  /// constructor that ends at `end`; "" if they are assigned to before.
  std::string declareLocals(size_t begin, size_t i, size_t end) const;
  /// Whether a statement of the constructor that begins at token `i` changes
  /// `name`.
  bool changesLocal(size_t i, llvm::StringRef name) const;
  bool startsStatement(size_t i) const;
  std::string getStateType(size_t first, size_t end) const;
  /// Whether no comma is between the tokens `open` and `close`, outside of the
  /// brackets between them.
  bool hasOneArgument(size_t open, size_t close) const;
  /// The index of the token that closes the bracket at `open`.
  size_t findClosing(size_t open) const;
  /// `torch.save(net.state_dict(), "n.pt")` or the call that reads the file;
  /// null if the call is neither.
  const ast::Expr *reportStateDict(const ast::Expr *callee,
                                   llvm::ArrayRef<ast::Argument> args);
  /// At `filter`, `map`, `next` and others (PythonCalls.cpp): reports a
  /// call that has another form here; false if it has not.
  bool reportPythonCall();
  bool reportMapped();
  bool reportFirstBatch();
  bool reportAutograd();
  /// The calls of `grad` that an import names, with the module's name.
  std::vector<Edit> nameAutograd(SourceRange import) const;
  bool isListAt(size_t first, size_t end) const;
  /// The first token from `first` on, outside of brackets; `end` if none is.
  size_t findAtDepth(size_t first, size_t end,
                     llvm::function_ref<bool(Token)> isIt) const;
  /// Whether a function of Python's `math` gives an int, and here a float.
  static bool givesInt(llvm::StringRef function);
  std::vector<Edit> wrapInInt() const;
  std::vector<Edit> wrapImported(SourceRange import) const;
  /// At `@` (PythonDecorators.cpp).
  void skipDecorator();
  /// `@torch.no_grad()` above the function whose `def` is token `def`.
  std::vector<Edit> wrapInNoGrad(SourceRange decorator, size_t def) const;
  std::vector<Edit> wrapBraces(size_t brace) const;
  std::vector<Edit> wrapExpression(size_t equal) const;
  std::vector<Edit> wrapLines(size_t def, size_t colon) const;
  /// `@property`: the parentheses at all uses; empty if the name is another's,
  /// too.
  std::vector<Edit> callProperty(SourceRange decorator,
                                 llvm::StringRef name) const;
  /// At `raise`; false if it is a name.
  bool skipRaise();
  /// `"…".format(x)` and `"…" % x` (PythonStrings.cpp); false if it is not.
  bool reportFormatCall(const ast::Expr *callee,
                        llvm::ArrayRef<ast::Argument> args);
  bool reportPercent(SourceRange sign, const ast::Expr *literal,
                     const ast::Expr *value);
  /// After `:` or `->`: reports and skips `Tensor` or `None`.
  bool skipTypeHint();

  const SourceManager &sources;
  const FileId file;
  ast::Context &context;
  DiagnosticEngine &diags;
  const llvm::StringRef text;

  const TokenStream stream;
  /// The file's tokens, or those of an f-string's replacement field.
  const std::vector<Token> *tokens;
  /// Of the program: see ast::Program.
  bool unfreezes = false;
  llvm::SmallVector<llvm::StringRef> keptNames;
  /// Of the model around this point: the names of `let` and `var` among its
  /// members.
  llvm::SmallVector<llvm::StringRef> memberLocals;
  size_t pos = 0;

  unsigned depth = 0;
  bool hasMathPrefix = false;           ///< Python's `math` is imported
  bool isTooDeep = false;               ///< reported since the depth was 0
  unsigned indentedBlocks = 0;          ///< Python blocks that are open
  std::optional<size_t> unclosedBefore; ///< token where a `}` was missed
};

} // namespace tdc

#endif // TDC_LIB_FRONTEND_PARSER_PARSERIMPL_H
