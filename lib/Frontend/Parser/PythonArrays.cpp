//===- PythonArrays.cpp - NumPy arrays and leaves of a PyTorch script -----===//
//
// TD102 of files that NumPy reads for PyTorch, and of tensors with
// `requires_grad=True`.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;
using namespace tdc::ast;

//===----------------------------------------------------------------------===//
// np.load
//===----------------------------------------------------------------------===//

/// Functions of PyTorch that make a tensor of an array.
static bool takesArray(llvm::StringRef name) {
  return llvm::is_contained({"from_numpy", "tensor", "as_tensor", "asarray"},
                            name);
}

bool Parser::atLoadedArray() const {
  if (!atName("torch") || peek(1).kind != Tok::Dot ||
      !takesArray(textOf(peek(2))) || peek(3).kind != Tok::LParen)
    return false;
  bool isLoad = (atName("np", 4) || atName("numpy", 4)) &&
                peek(5).kind == Tok::Dot && atName("load", 6) &&
                peek(7).kind == Tok::LParen;
  if (!isLoad)
    return false;
  size_t inner = findClosing(pos + 7);
  return findClosing(pos + 3) == inner + 1 && hasOneArgument(pos + 7, inner);
}

const Expr *Parser::parseLoadedArray() {
  SourceRange start = rangeOf(peek());
  size_t close = findClosing(pos + 3);
  SourceRange end = rangeOf(tokenAt(close));
  SourceRange prefix = start.to(rangeOf(peek(5)));
  diags.report(DiagCode::TD102, prefix)
      .label("`load` reads a file of NumPy as a tensor")
      .fix(FixIt::Safe, "`load(…)`", {{prefix, ""}, {end, ""}});
  for (unsigned i = 0; i != 6; ++i)
    advance();
  const Expr *load = parsePostfix();
  if (load && pos == close)
    advance();
  return load;
}

void Parser::reportArray() {
  bool isLoad = (atName("np") || atName("numpy")) && peek(1).kind == Tok::Dot &&
                atName("load", 2) && peek(3).kind == Tok::LParen && pos >= 2 &&
                previous().kind == Tok::Equal && tokens == &stream.tokens;
  if (!isLoad)
    return;
  Token name = tokenAt(pos - 2);
  size_t close = findClosing(pos + 3);
  bool isStatement = name.kind == Tok::Name &&
                     (pos == 2 || tokenAt(pos - 3).kind == Tok::Newline) &&
                     tokenAt(close + 1).kind == Tok::Newline &&
                     hasOneArgument(pos + 3, close);
  if (!isStatement)
    return;
  std::vector<Edit> edits = {{rangeOf(peek()).to(rangeOf(peek(1))), ""}};
  unsigned shared = 0;
  for (size_t i = 1; i + 1 < tokens->size(); ++i) {
    Token token = tokenAt(i);
    if (token.begin == name.begin || token.kind != Tok::Name ||
        textOf(token) != textOf(name))
      continue;
    // An array of another kind of use has functions and dtypes of NumPy.
    bool isConverted = i >= 4 && tokenAt(i - 1).kind == Tok::LParen &&
                       tokenAt(i + 1).kind == Tok::RParen &&
                       takesArray(textOf(tokenAt(i - 2))) &&
                       textOf(tokenAt(i - 4)) == "torch";
    if (!isConverted)
      return;
    shared += textOf(tokenAt(i - 2)) != "tensor";
    edits.push_back({rangeOf(tokenAt(i - 4)).to(rangeOf(tokenAt(i - 1))), ""});
    edits.push_back({rangeOf(tokenAt(i + 1)), ""});
  }
  // Two tensors of one array would change together.
  if (shared > 1 || edits.size() == 1)
    return;
  diags.report(DiagCode::TD102, rangeOf(peek()).to(rangeOf(peek(1))))
      .label("`load` reads a file of NumPy as a tensor")
      .fix(FixIt::Safe, "`load(…)`", std::move(edits));
}

//===----------------------------------------------------------------------===//
// requires_grad=True
//===----------------------------------------------------------------------===//

void Parser::reportLeaf() {
  bool isAssigned =
      at(Tok::Name) && peek(1).kind == Tok::Equal && tokens == &stream.tokens;
  if (!isAssigned)
    return;
  size_t first = pos + 2;
  while (tokenAt(first).kind == Tok::Name &&
         tokenAt(first + 1).kind == Tok::Dot)
    first += 2;
  size_t open = first + 1;
  if (tokenAt(first).kind != Tok::Name || tokenAt(open).kind != Tok::LParen)
    return;
  size_t close = findClosing(open);
  if (tokenAt(close + 1).kind != Tok::Newline &&
      tokenAt(close + 1).kind != Tok::End)
    return;
  for (size_t i = open + 1; i < close; ++i) {
    Tok kind = tokenAt(i).kind;
    if (kind == Tok::LParen || kind == Tok::LSquare) {
      i = findClosing(i);
      continue;
    }
    bool isIt = kind == Tok::Comma &&
                textOf(tokenAt(i + 1)) == "requires_grad" &&
                tokenAt(i + 2).kind == Tok::Equal;
    llvm::StringRef value = isIt ? textOf(tokenAt(i + 3)) : "";
    if (value != "True" && value != "true")
      continue;
    SourceRange option = rangeOf(tokenAt(i)).to(rangeOf(tokenAt(i + 3)));
    SourceRange name = rangeOf(peek());
    diags
        .report(DiagCode::TD102,
                rangeOf(tokenAt(i + 1)).to(rangeOf(tokenAt(i + 3))))
        .label("a tensor with gradients is declared with `param`")
        .fix(FixIt::Safe, "`param " + sources.getText(name) + " = …`",
             {{name.start(), "param "}, {option, ""}});
    return;
  }
}
