//===- Completion.cpp - what can be typed at a position -------------------===//

#include "Completion.h"
#include "Dialect/TD/OpTable/Types.h"
#include "Frontend/ASTWalk.h"
#include "Frontend/Characters.h"
#include "Frontend/Lexer.h"
#include "Reference.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using Kind = lsp::CompletionItemKind;

/// As long a check may take before the members of a value are given up.
static constexpr std::chrono::milliseconds kLongestCheck{40};

/// A name that no program has.
static constexpr llvm::StringLiteral kPlaceholder = "tdc__completed";

namespace {

class Completion {
public:
  Completion(Document &document, uint32_t offset, const OpenTexts &open)
      : document(document), open(open), text(document.text->get()),
        offset(offset), start(offset) {
    while (start != 0 && isNameChar(text[start - 1]))
      --start;
    prefix = text.slice(start, offset);
    DiagnosticEngine diags(document.getSyntax().sources);
    tokens = lexFile(diags.getSources(), document.getSyntax().getFile(), diags)
                 .tokens;
  }

  lsp::CompletionList get() {
    bool isNumber = !prefix.empty() && llvm::isDigit(prefix.front());
    if (isNumber || isInString() || isInComment())
      return std::move(list);
    if (start != 0 && text[start - 1] == '.') {
      addMembers();
    } else {
      addKeywords();
      addNames();
    }
    return std::move(list);
  }

private:
  /// The string around an offset, or null.
  const Token *findString(uint32_t at) const {
    for (const Token &token : tokens) {
      llvm::StringRef quote =
          text.slice(token.begin, token.end).ltrim('f').take_front();
      // A string without an end is reported, and ends with its line.
      bool isOpen = token.kind == Tok::Error && (quote == "\"" || quote == "'");
      if ((isOpen || token.kind == Tok::String || token.kind == Tok::FString) &&
          token.begin < at && (at < token.end || (isOpen && at == token.end)))
        return &token;
    }
    return nullptr;
  }

  /// Whether the text before the name is of a string, and not in a field of an
  /// f-string.
  bool isInString() const {
    const Token *string = findString(start);
    if (!string || text[string->begin] != 'f')
      return string;
    int depth = 0;
    llvm::StringRef rest = text.slice(string->begin, start);
    for (; !rest.empty(); rest = rest.drop_front()) {
      bool isDouble = rest.starts_with("{{") || rest.starts_with("}}");
      if (depth == 0 && isDouble) // the brace itself
        rest = rest.drop_front();
      else
        depth += rest[0] == '{' ? 1 : rest[0] == '}' ? -1 : 0;
    }
    return depth <= 0;
  }

  bool isInComment() const {
    for (uint32_t at = start; at != 0 && text[at - 1] != '\n'; --at)
      if (text[at - 1] == '#' && !findString(at - 1))
        return true;
    return false;
  }

  lsp::CompletionItem *add(llvm::StringRef name, Kind kind) {
    if (!name.starts_with_insensitive(prefix))
      return nullptr;
    return &list.items.emplace_back(name, kind);
  }

  void addFunction(llvm::StringRef name, Kind kind,
                   const LanguageFunction *function) {
    lsp::CompletionItem *item = add(name, kind);
    if (!item || !function)
      return;
    item->detail = (name + "(" + function->parameters + ")").str();
    item->documentation = lsp::MarkupContent{lsp::MarkupKind::Markdown,
                                             function->description.str()};
  }

  // Names ------------------------------------------------------------------//

  static Kind kindOf(const Symbol &symbol) {
    switch (symbol.kind) {
    case Symbol::Function:
    case Symbol::Method:
      return Kind::Function;
    case Symbol::Model:
      return Kind::Class;
    case Symbol::Module:
      return Kind::Module;
    default:
      return Kind::Variable;
    }
  }

  void addNames() {
    const Syntax &syntax = document.getSyntax();
    for (int index : syntax.names.getVisible(start)) {
      const Symbol &symbol = syntax.names.getSymbol(index);
      lsp::CompletionItem *item = add(symbol.name, kindOf(symbol));
      if (item &&
          llvm::isa_and_nonnull<ast::FnDecl, ast::ModelDecl>(symbol.decl))
        item->detail = ast::headOf(syntax.sources, *symbol.decl);
    }
    for (const LanguageFunction &function : getLanguageFunctions())
      if (!function.name.contains('.'))
        addFunction(function.name, Kind::Function, &function);
    for (llvm::StringRef word : getKeywordSpellings())
      add(word, Kind::Keyword);
    for (unsigned i = 0; i < kNumDTypes; ++i)
      add(spelling(DType(i)), Kind::Keyword);
    for (llvm::StringRef word :
         {"arg", "buffer", "model", "param", "none", "inf", "nan", "pi", "cpu",
          "cuda", "auto", "here", "int", "float", "str", "device"})
      add(word, Kind::Keyword);
  }

  static std::vector<llvm::StringRef> getKeywordSpellings() {
    return {
#define NONE(...)
#define KEYWORD(NAME, TEXT) TEXT,
        TDC_TOKENS(NONE, KEYWORD, NONE)
#undef NONE
#undef KEYWORD
    };
  }

  // Keywords of the call around --------------------------------------------//

  void addKeyword(llvm::StringRef name) {
    if (lsp::CompletionItem *item = add(name, Kind::Field)) {
      item->insertText = (name + "=").str();
      item->sortText = (" " + name).str(); // before other names
    }
  }

  void addKeywords() {
    unsigned closed = 0;
    // The tokens up to the name that is typed.
    size_t i = llvm::count_if(
        tokens, [&](const Token &token) { return token.end <= start; });
    for (; i-- != 0;) {
      Tok kind = tokens[i].kind;
      if (kind == Tok::RParen || kind == Tok::RSquare)
        ++closed;
      else if (kind == Tok::LBrace || kind == Tok::RBrace)
        return;
      else if ((kind == Tok::LParen || kind == Tok::LSquare) && closed-- == 0)
        break;
    }
    if (i == 0 || i >= tokens.size() || tokens[i].kind != Tok::LParen ||
        tokens[i - 1].kind != Tok::Name)
      return;
    const Token &callee = tokens[i - 1];
    bool isMember = i > 1 && tokens[i - 2].kind == Tok::Dot;
    llvm::StringRef name = text.slice(callee.begin, callee.end);
    if (int symbol = findCallee(name, callee, isMember); symbol >= 0) {
      if (auto *decl = document.getSyntax().names.getSymbol(symbol).decl)
        for (const ast::Param &param : ast::paramsOf(*decl))
          addKeyword(param.name.text);
    } else if (const LanguageFunction *function =
                   isMember ? findLanguageMethod(name)
                            : findLanguageFunction(name)) {
      for (llvm::StringRef keyword : getKeywords(*function))
        addKeyword(keyword);
    }
  }

  int findCallee(llvm::StringRef name, const Token &token, bool isMember) {
    const Names &names = document.getSyntax().names;
    if (!isMember) {
      for (int index : names.getVisible(token.begin))
        if (names.getSymbol(index).name == name)
          return index;
      return -1;
    }
    const ast::ModelDecl *model = names.findModel(token.begin);
    bool isOwn = text.take_front(token.begin).ends_with("self.");
    return isOwn && model ? names.findMember(*model, name) : -1;
  }

  // Members ----------------------------------------------------------------//

  void addMembers() {
    uint32_t dot = start - 1;
    std::string base = getBase(dot).str();
    if (base.empty())
      return;
    if (base == "self")
      return addOwnMembers();
    addFunctionsOf(base);
    if (!list.items.empty())
      return;
    const std::vector<std::string> members = findMembers(dot, base);
    list.isIncomplete = members.empty();
    for (const std::string &name : members) {
      const LanguageFunction *function = findLanguageMethod(name);
      addFunction(name, function ? Kind::Method : Kind::Field, function);
    }
  }

  /// The members of the model around.
  void addOwnMembers() {
    const Syntax &syntax = document.getSyntax();
    const ast::ModelDecl *model = syntax.names.findModel(start);
    for (const Symbol &symbol : syntax.names.getSymbols()) {
      if (!model || symbol.owner != model)
        continue;
      bool isMethod = symbol.kind == Symbol::Method;
      auto *item = add(symbol.name, isMethod ? Kind::Method : Kind::Field);
      if (item && isMethod)
        item->detail = ast::headOf(syntax.sources, *symbol.decl);
    }
  }

  /// The functions of one of the language's modules.
  void addFunctionsOf(llvm::StringRef module) {
    static constexpr llvm::StringLiteral whole[] = {"nn", "F", "optim",
                                                    "special"};
    for (const LanguageFunction &function : getLanguageFunctions()) {
      auto [owner, name] = function.name.rsplit('.');
      if (name.empty() && llvm::is_contained(whole, module))
        addFunction(function.name, Kind::Function, &function);
      else if (!name.empty() && owner == module)
        addFunction(name, Kind::Function, &function);
    }
  }

  /// The names, members, calls and subscripts that a dot follows.
  llvm::StringRef getBase(uint32_t dot) const {
    uint32_t at = dot;
    unsigned open = 0;
    while (at != 0 && text[at - 1] != '\n') {
      char c = text[at - 1];
      if (c == ')' || c == ']')
        ++open;
      else if ((c == '(' || c == '[') && open-- == 0)
        break;
      else if (open == 0 && !isNameChar(c) && c != '.' && c != '(' && c != '[')
        break;
      --at;
    }
    return text.slice(at, dot);
  }

  std::vector<std::string> findMembers(uint32_t dot, const std::string &base) {
    std::string rest = text.substr(offset).str();
    std::string whole =
        (text.take_front(dot) + "." + kPlaceholder + rest).str();
    Syntax syntax(whole);
    const Occurrence *name = syntax.names.find(dot + 1);
    if (name && name->kind == Occurrence::Member &&
        name->range.begin == dot + 1)
      return check(std::move(whole), dot);
    // The statement is not complete: one of the same line without the rest.
    uint32_t line = text.take_front(dot).rfind('\n') + 1;
    llvm::StringRef written = text.substr(line).split('\n').first;
    std::string before = (text.take_front(line) + "let _ = ").str();
    std::string after = ("." + kPlaceholder).str();
    if (written.contains('}'))
      return {};
    if (written.contains('{'))
      after += "\nif true {";
    after += text.substr(line + written.size());
    return check(before + base + after,
                 static_cast<uint32_t>(before.size() + base.size()));
  }

  std::vector<std::string> check(std::string changed, uint32_t at) {
    Analysis analysis(document.getPath(),
                      std::make_shared<const Text>(std::move(changed)), open);
    analysis.wantMembersAt(at, kLongestCheck);
    analysis.run();
    return analysis.getMembers();
  }

  Document &document;
  const OpenTexts &open;
  llvm::StringRef text;
  uint32_t offset, start; ///< the name that is typed is between them
  llvm::StringRef prefix;
  std::vector<Token> tokens; ///< of the whole text
  lsp::CompletionList list;
};

} // namespace

lsp::CompletionList tdc::getCompletion(Document &document,
                                       lsp::Position position,
                                       const OpenTexts &open) {
  return Completion(document, document.text->getOffset(position), open).get();
}
