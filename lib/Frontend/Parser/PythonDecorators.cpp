//===- PythonDecorators.cpp - `@…` above functions, and `raise` -----------===//
//
// TD102 of decorators: what they say is said in the function, at its uses, or
// needs no words. `raise` is an `assert`.
//
//===----------------------------------------------------------------------===//

#include "Frontend/Characters.h"
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::ast;

static bool startsFunction(llvm::StringRef text) {
  return text == "def" || text == "fn";
}

std::vector<Edit> Parser::wrapInNoGrad(SourceRange decorator,
                                       size_t def) const {
  size_t sign = findClosing(def + 2); // that begins the body
  while (!llvm::is_contained(
      {Tok::Colon, Tok::End, Tok::Newline, Tok::LBrace, Tok::Equal},
      tokenAt(sign).kind))
    ++sign;
  std::vector<Edit> edits;
  if (tokenAt(sign).kind == Tok::LBrace)
    edits = wrapBraces(sign);
  else if (tokenAt(sign).kind == Tok::Equal)
    edits = wrapExpression(sign);
  else if (tokenAt(sign).kind == Tok::Colon &&
           tokenAt(sign + 1).kind == Tok::Newline)
    edits = wrapLines(def, sign);
  if (!edits.empty())
    edits.insert(edits.begin(), removeLine(decorator));
  return edits;
}

/// `fn f(x) { … }`
std::vector<Edit> Parser::wrapBraces(size_t brace) const {
  size_t end = brace;
  for (unsigned depth = 1; depth != 0;) {
    Tok kind = tokenAt(++end).kind;
    if (kind == Tok::End)
      return {};
    depth += kind == Tok::LBrace;
    depth -= kind == Tok::RBrace;
  }
  return {{rangeOf(tokenAt(brace)).finish(), " with no_grad {"},
          {rangeOf(tokenAt(end)).start(), "} "}};
}

/// `fn f(x) = …`
std::vector<Edit> Parser::wrapExpression(size_t equal) const {
  size_t end = equal;
  while (tokenAt(end + 1).kind != Tok::Newline &&
         tokenAt(end + 1).kind != Tok::End)
    ++end;
  return {{rangeOf(tokenAt(equal)), "{ with no_grad { return"},
          {rangeOf(tokenAt(end)).finish(), " } }"}};
}

/// Lines below a colon: they move to the right by one step, those in brackets,
/// too. A text of several lines would become another one.
std::vector<Edit> Parser::wrapLines(size_t def, size_t colon) const {
  llvm::StringRef outer = indentOf(tokenAt(def).begin);
  size_t first = colon + 1, last = colon;
  while (tokenAt(first).kind == Tok::Newline)
    ++first;
  for (size_t i = first; tokenAt(i).kind != Tok::End; ++i) {
    const Token &token = tokenAt(i);
    if (token.kind == Tok::Newline)
      continue;
    if (indentOf(token.begin).size() <= outer.size())
      break;
    if (text.slice(token.begin, token.end).contains('\n'))
      return {};
    last = i;
  }
  llvm::StringRef indent = indentOf(tokenAt(first).begin);
  uint32_t begin = text.take_front(tokenAt(first).begin).find_last_of('\n') + 1;
  std::string step = indent.drop_front(outer.size()).str();
  std::vector<Edit> edits;
  for (uint32_t line = begin; line < tokenAt(last).end;) {
    size_t end = text.find('\n', line);
    bool isBlank = text.slice(line, end).trim().empty();
    std::string start;
    if (line == begin)
      start = (indent + "with torch.no_grad():\n").str();
    start += isBlank ? "" : step;
    if (!start.empty())
      edits.push_back({{file, line, line}, start});
    if (end == llvm::StringRef::npos)
      break;
    line = end + 1;
  }
  return edits;
}

/// Whether tensors or layers have a member of this name that is no method.
static bool isOfTensorOrLayer(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "T",        "H",           "mT",           "data",
      "device",   "dtype",       "grad",         "grad_fn",
      "imag",     "is_leaf",     "ndim",         "real",
      "shape",    "bias",        "dilation",     "requires_grad",
      "eps",      "groups",      "hidden_size",  "embedding_dim",
      "momentum", "in_channels", "in_features",  "normalized_shape",
      "p",        "input_size",  "num_layers",   "num_embeddings",
      "padding",  "kernel_size", "num_features", "running_mean",
      "stride",   "training",    "out_features", "running_var",
      "weight",   "out_channels"};
  return llvm::is_contained(names, name);
}

std::vector<Edit> Parser::callProperty(SourceRange decorator,
                                       llvm::StringRef name) const {
  std::vector<Edit> edits = {removeLine(decorator)};
  unsigned methods = 0;
  // Only of a plain name the owner may be told: not of `self.fc.device`.
  auto isOfOther = [&](llvm::StringRef before) {
    size_t start = before.size();
    while (start != 0 && isNameChar(before[start - 1]))
      --start;
    llvm::StringRef owner = before.drop_front(start);
    bool isPlain = !owner.empty() && !before.take_front(start).ends_with(".");
    return !isPlain || (owner != "self" && isOfTensorOrLayer(name));
  };
  for (size_t i = 1; tokenAt(i).kind != Tok::End; ++i) {
    Token token = tokenAt(i), before = tokenAt(i - 1);
    if (token.kind == Tok::FString && textOf(token).contains(name)) {
      llvm::StringRef word = textOf(token);
      std::string access = ("." + name).str();
      for (size_t at = word.find(access); at != llvm::StringRef::npos;
           at = word.find(access, at + 1)) {
        size_t end = at + access.size();
        if (!isInField(word, at) || isNameChar(word[end]))
          continue;
        if (word[end] == '(' || isOfOther(word.take_front(at)))
          return {};
        uint32_t place = token.begin + end;
        edits.push_back({{file, place, place}, "()"});
      }
    }
    if (token.kind != Tok::Name || textOf(token) != name)
      continue;
    methods += startsFunction(textOf(before));
    if (before.kind != Tok::Dot)
      continue;
    // A field or a method of this name elsewhere.
    if (tokenAt(i + 1).kind == Tok::LParen ||
        tokenAt(i + 1).kind == Tok::Equal ||
        isOfOther(text.take_front(before.begin)))
      return {};
    edits.push_back({rangeOf(token).finish(), "()"});
  }
  return methods == 1 ? edits : std::vector<Edit>();
}

void Parser::skipDecorator() {
  SourceRange start = rangeOf(advance()); // `@`
  std::string name;
  while (at(Tok::Name) || at(Tok::Dot))
    name += textOf(advance()).str();
  while (!atLineEnd())
    advance();
  SourceRange decorator = rangeFrom(start);
  llvm::StringRef written = llvm::StringRef(name).rsplit('.').second;
  if (written.empty())
    written = name;
  size_t def = pos;
  while (tokenAt(def).kind == Tok::Newline)
    ++def;
  bool isOfFunction = startsFunction(textOf(tokenAt(def))) &&
                      tokenAt(def + 1).kind == Tok::Name &&
                      tokenAt(def + 2).kind == Tok::LParen;
  Diagnostic &report =
      diags.report(DiagCode::TD102, decorator).label("there are no decorators");
  if (!isOfFunction)
    return;
  std::vector<Edit> edits;
  std::string title = "remove it";
  if (written == "staticmethod") {
    edits = {removeLine(decorator)};
  } else if (written == "property") {
    edits = callProperty(decorator, textOf(tokenAt(def + 1)));
    title = ("a method: `" + textOf(tokenAt(def + 1)) + "()`").str();
  } else if (written == "no_grad" || written == "inference_mode") {
    edits = wrapInNoGrad(decorator, def);
    title = "`with no_grad { … }` in the function";
  }
  if (edits.empty())
    report.note("write the function without it")
        .fix(FixIt::Choice, "remove it", {removeLine(decorator)});
  else
    report.fix(FixIt::Safe, title, std::move(edits));
}

bool Parser::skipRaise() {
  if (!atName("raise") || (peek(1).kind != Tok::Name && !atLineEnd() &&
                           peek(1).kind != Tok::Newline))
    return false;
  SourceRange word = rangeOf(advance());
  size_t open = pos + 1;
  std::string message;
  bool hasMessage = at(Tok::Name) && tokenAt(open).kind == Tok::LParen &&
                    (tokenAt(open + 1).kind == Tok::String ||
                     tokenAt(open + 1).kind == Tok::FString);
  bool isWhole = !hasMessage || findClosing(open) == open + 2;
  if (hasMessage)
    message = textOf(tokenAt(open + 1)).str();
  bool isError = at(Tok::Name);
  while (!atLineEnd() && !at(Tok::RBrace))
    advance();
  SourceRange whole = rangeFrom(word);
  Diagnostic &report =
      diags.report(DiagCode::TD102, word)
          .label("stop the program with `assert condition, message`");
  if (!isError || !isWhole)
    return true;
  std::string made = "assert false" + (message.empty() ? "" : ", " + message);
  report.fix(FixIt::Safe, "`" + made + "`", {{whole, made}});
  return true;
}
