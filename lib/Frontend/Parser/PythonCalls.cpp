//===- PythonCalls.cpp - calls of Python with another form here -----------===//
//
// TD102 of `filter`, `map`, `next(iter(loader))`,
// `torch.autograd.grad` and the functions of `math` that give ints. Each is
// rewritten in place.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Characters.h"
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::ast;

size_t Parser::findAtDepth(size_t first, size_t end,
                           llvm::function_ref<bool(Token)> isIt) const {
  for (size_t i = first; i < end; ++i) {
    Tok kind = tokenAt(i).kind;
    if (isIt(tokenAt(i)))
      return i;
    if (kind == Tok::LParen || kind == Tok::LSquare)
      i = findClosing(i);
  }
  return end;
}

/// `filter(lambda p: p.requires_grad, xs)` and `map(lambda x: x + 1, xs)`.
bool Parser::reportMapped() {
  bool isMap = atName("map");
  if ((!isMap && !atName("filter")) || peek(1).kind != Tok::LParen ||
      !atName("lambda", 2) || peek(3).kind != Tok::Name ||
      peek(4).kind != Tok::Colon)
    return false;
  size_t open = pos + 1, close = findClosing(open);
  size_t comma = findAtDepth(
      pos + 5, close, [](Token token) { return token.kind == Tok::Comma; });
  SourceRange call = rangeOf(peek()).to(rangeOf(tokenAt(close)));
  Diagnostic &report = diags.report(DiagCode::TD102, call)
                           .label("a list is made by a comprehension");
  if (comma + 1 >= close)
    return true;
  std::string name = textOf(peek(3)).str();
  std::string body =
      text.slice(peek(5).begin, tokenAt(comma).begin).trim().str();
  std::string list =
      text.slice(tokenAt(comma).end, tokenAt(close).begin).trim().str();
  std::string made = "[" + (isMap ? body : name) + " for " + name + " in " +
                     list + (isMap ? "" : " if " + body) + "]";
  report.fix(FixIt::Safe, "`" + made + "`", {{call, made}});
  return true;
}

/// `next(iter(loader))`.
bool Parser::reportFirstBatch() {
  bool isIt = atName("next") && peek(1).kind == Tok::LParen &&
              atName("iter", 2) && peek(3).kind == Tok::LParen;
  if (!isIt)
    return false;
  size_t inner = findClosing(pos + 3), close = findClosing(pos + 1);
  SourceRange call = rangeOf(peek()).to(rangeOf(tokenAt(close)));
  Diagnostic &report =
      diags.report(DiagCode::TD102, call).label("there are no iterators");
  if (inner + 1 != close)
    return true;
  report.fix(FixIt::Safe, "`list(…)[0]`",
             {{rangeOf(peek()).to(rangeOf(peek(3))), "list("},
              {rangeOf(tokenAt(inner)).to(rangeOf(tokenAt(close))), ")[0]"}});
  return true;
}

/// Whether the expression of these tokens is surely a list or tuple.
bool Parser::isListAt(size_t first, size_t end) const {
  Tok kind = tokenAt(first).kind;
  bool isBracketed = (kind == Tok::LSquare || kind == Tok::LParen) &&
                     findClosing(first) + 1 == end;
  if (isBracketed)
    return kind == Tok::LSquare ||
           findAtDepth(first + 1, end - 1, [](Token token) {
             return token.kind == Tok::Comma;
           }) != end - 1;
  if (kind != Tok::Name)
    return false;
  // `list(…)` and `net.parameters()`: no other call gives a leaf.
  if (tokenAt(end - 1).kind == Tok::RParen)
    return true;
  for (size_t i = 1; end == first + 1 && i < first; ++i) {
    if (textOf(tokenAt(i)) != textOf(tokenAt(first)) ||
        tokenAt(i - 1).kind == Tok::Dot || tokenAt(i + 1).kind != Tok::Equal)
      continue;
    Token value = tokenAt(i + 2);
    if (value.kind == Tok::LSquare || value.kind == Tok::LParen ||
        textOf(value) == "list")
      return true;
  }
  return false;
}

/// `torch.autograd.grad(y, x)`, which gives a tuple: with `[0]`, or assigned to
/// `dy,`, it is `grad(y, x)`.
bool Parser::reportAutograd() {
  size_t name = pos + 2 * atName("torch");
  bool isIt = textOf(tokenAt(name)) == "autograd" &&
              tokenAt(name + 1).kind == Tok::Dot &&
              textOf(tokenAt(name + 2)) == "grad" &&
              tokenAt(name + 3).kind == Tok::LParen &&
              (name == pos || peek(1).kind == Tok::Dot);
  if (!isIt)
    return false;
  size_t open = name + 3, close = findClosing(open);
  SourceRange prefix = rangeOf(peek()).to(rangeOf(tokenAt(name + 1)));
  Diagnostic &report = diags.report(DiagCode::TD102, prefix)
                           .label("`grad(y, x)` is a function of the language");
  auto isComma = [](Token token) { return token.kind == Tok::Comma; };
  std::vector<Edit> edits = {{prefix, ""}};
  // `outputs=` and `inputs=` in their places.
  auto skipName = [&](size_t &at, llvm::StringRef name) {
    if (textOf(tokenAt(at)) != name || tokenAt(at + 1).kind != Tok::Equal)
      return;
    edits.push_back({rangeOf(tokenAt(at)).to(rangeOf(tokenAt(at + 1))), ""});
    at += 2;
  };
  size_t first = open + 1, comma = findAtDepth(first, close, isComma),
         second = comma + 1;
  skipName(first, "outputs");
  skipName(second, "inputs");
  size_t end = findAtDepth(second, close, isComma);
  if (second >= close || tokenAt(first + 1).kind == Tok::Equal ||
      tokenAt(second + 1).kind == Tok::Equal) {
    report.note("`grad` takes the value, and then the tensors: `grad(y, x)`");
    return true;
  }
  bool isList = isListAt(second, end);
  // Gradients of gradients need no option.
  for (size_t at = end; at < close;) {
    size_t next = findAtDepth(at + 1, close, isComma);
    llvm::StringRef option = textOf(tokenAt(at + 1));
    SourceRange given = rangeOf(tokenAt(at)).to(rangeOf(tokenAt(next - 1)));
    bool isOff = textOf(tokenAt(at + 3)) == "False";
    if (option == "create_graph" || option == "retain_graph" ||
        (option == "allow_unused" && isOff)) {
      edits.push_back({given, ""});
    } else if (option == "grad_outputs" && at + 3 < next) {
      // The gradients of `(y * v).sum()`.
      std::string weights =
          text.slice(tokenAt(at + 3).begin, tokenAt(next - 1).end).str();
      edits.push_back({rangeOf(tokenAt(first)).start(), "(("});
      edits.push_back({rangeOf(tokenAt(comma - 1)).finish(),
                       ") * (" + weights + ")).sum()"});
      edits.push_back({given, ""});
    } else if (at + 1 != close) {
      report.note(option == "allow_unused"
                      ? "`grad` takes only tensors on which the value depends: "
                        "leave the others, and `allow_unused=`, out"
                      : "`grad` has no parameter `" + option.str() + "`");
      return true;
    }
    at = next;
  }
  bool isFirst = tokenAt(close + 1).kind == Tok::LSquare &&
                 textOf(tokenAt(close + 2)) == "0" &&
                 tokenAt(close + 3).kind == Tok::RSquare;
  bool isUnpacked = pos >= 2 && previous().kind == Tok::Equal &&
                    tokenAt(pos - 2).kind == Tok::Comma;
  if (isList && isUnpacked) {
    edits.push_back({rangeOf(tokenAt(pos - 2)), ""});
    edits.push_back({rangeOf(tokenAt(close)).finish(), "[0]"});
  } else if (isList) {
    // a list of gradients for a list of tensors
  } else if (isFirst) {
    edits.push_back(
        {rangeOf(tokenAt(close + 1)).to(rangeOf(tokenAt(close + 3))), ""});
  } else if (isUnpacked) {
    edits.push_back({rangeOf(tokenAt(pos - 2)), ""});
  } else {
    // A list has as many gradients as elements, and a tensor has one.
    report.note("write `(grad(y, x),)` if `" + textOf(tokenAt(second)) +
                "` is a tensor, and `grad(y, xs)` if it is a list");
    return true;
  }
  report.fix(FixIt::Safe, "`grad(…)`", std::move(edits));
  return true;
}

std::vector<Edit> Parser::nameAutograd(SourceRange import) const {
  llvm::StringRef name;
  std::vector<Edit> edits;
  for (size_t i = 0; i + 1 < tokens->size(); ++i) {
    Token token = tokenAt(i);
    if (token.begin < import.begin || token.kind != Tok::Name)
      continue;
    if (token.begin < import.end) {
      bool isRenamed =
          textOf(token) == "grad" && textOf(tokenAt(i + 1)) == "as";
      if (textOf(token) == "grad" && i != 0 && tokenAt(i - 1).kind != Tok::Dot)
        name = textOf(isRenamed ? tokenAt(i + 2) : token);
    } else if (textOf(token) == name && tokenAt(i - 1).kind != Tok::Dot &&
               tokenAt(i + 1).kind == Tok::LParen) {
      edits.push_back({rangeOf(token), "torch.autograd.grad"});
    }
  }
  return edits;
}

bool Parser::reportPythonCall() {
  return reportMapped() || reportFirstBatch() || reportAutograd();
}

//===----------------------------------------------------------------------===//
// Functions of `math` that give ints
//===----------------------------------------------------------------------===//

bool Parser::givesInt(llvm::StringRef function) {
  return function == "floor" || function == "ceil" || function == "trunc";
}

/// At `math.floor(x)`: what makes `int(floor(x))` of it.
std::vector<Edit> Parser::wrapInInt() const {
  bool isIt = atName("math") && givesInt(textOf(peek(2))) &&
              peek(3).kind == Tok::LParen;
  if (!isIt)
    return {};
  size_t close = findClosing(pos + 3);
  return {
      {rangeOf(peek()).to(rangeOf(peek(2))), ("int(" + textOf(peek(2))).str()},
      {rangeOf(tokenAt(close)).finish(), ")"}};
}

/// The same for all calls of the names that `from math import` gives.
std::vector<Edit> Parser::wrapImported(SourceRange import) const {
  llvm::SmallVector<llvm::StringRef> names;
  std::vector<Edit> edits;
  for (size_t i = 0; i + 1 < tokens->size(); ++i) {
    Token token = tokenAt(i);
    llvm::StringRef word = textOf(token);
    if (token.begin < import.begin)
      continue;
    if (token.end <= import.end) {
      if (token.kind == Tok::Name && givesInt(word))
        names.push_back(word);
      continue;
    }
    if (token.kind == Tok::Name && llvm::is_contained(names, word) &&
        tokenAt(i - 1).kind != Tok::Dot && tokenAt(i + 1).kind == Tok::LParen) {
      size_t close = findClosing(i + 1);
      edits.push_back({rangeOf(token).start(), "int("});
      edits.push_back({rangeOf(tokenAt(close)).finish(), ")"});
    }
    if (token.kind != Tok::FString)
      continue;
    for (llvm::StringRef name : names)
      for (size_t at = findInField(word, name); at != llvm::StringRef::npos;
           at = findInField(word, name, at + 1)) {
        size_t close = at + name.size();
        if (word[close] != '(')
          continue;
        for (unsigned depth = 0; close < word.size(); ++close) {
          depth += word[close] == '(';
          depth -= word[close] == ')';
          if (depth == 0)
            break;
        }
        if (close == word.size())
          continue;
        uint32_t begin = token.begin + at, end = token.begin + close + 1;
        edits.push_back({{file, begin, begin}, "int("});
        edits.push_back({{file, end, end}, ")"});
      }
  }
  return edits;
}

size_t tdc::findInField(llvm::StringRef literal, llvm::StringRef name,
                        size_t from) {
  size_t at = literal.find(name, from);
  for (; at != llvm::StringRef::npos; at = literal.find(name, at + 1)) {
    size_t end = at + name.size();
    bool isWhole = at != 0 && !isNameChar(literal[at - 1]) &&
                   literal[at - 1] != '.' && end != literal.size() &&
                   !isNameChar(literal[end]);
    if (isWhole && isInField(literal, at))
      break;
  }
  return at;
}

bool tdc::isInField(llvm::StringRef literal, size_t at) {
  unsigned depth = 0;
  for (size_t i = 0; i < at; ++i) {
    bool isDoubled = depth == 0 && i + 1 < literal.size() &&
                     literal[i] == literal[i + 1] &&
                     (literal[i] == '{' || literal[i] == '}');
    if (isDoubled)
      ++i;
    else if (literal[i] == '{')
      ++depth;
    else if (literal[i] == '}' && depth != 0)
      --depth;
  }
  return depth != 0;
}
