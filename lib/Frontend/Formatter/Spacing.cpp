//===- Spacing.cpp - the space between two pieces of a line ---------------===//
//
// One pass over the pieces that knows the brackets around each, and whether it
// is in a type. The result depends on the tokens alone, with one exception: the
// space between a number and a dot decides which tokens the two are.
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::format;

static Binding getBinding(Tok kind) {
  if (kind == Tok::Comma)
    return Binding::Comma;
  Precedence precedence = getPrecedence(kind);
  return precedence == Precedence::None
             ? Binding::None
             : static_cast<Binding>(static_cast<int>(Binding::Operator) +
                                    static_cast<int>(precedence));
}

/// Whether an expression may end in this token.
static bool endsOperand(Tok kind) {
  switch (kind) {
  case Tok::Name:
  case Tok::Int:
  case Tok::Float:
  case Tok::String:
  case Tok::FString:
  case Tok::Device:
  case Tok::Self:
  case Tok::True:
  case Tok::False:
  case Tok::RParen:
  case Tok::RSquare:
  case Tok::Ellipsis:
  case Tok::Question:
    return true;
  default:
    return false;
  }
}

namespace {

class Spacing {
public:
  explicit Spacing(std::vector<Piece> &pieces) : pieces(pieces) {}

  void set() {
    for (size = 0; size != pieces.size(); ++size) {
      Piece &piece = pieces[size];
      if (piece.startsStatement || isAfter(Tok::LBrace))
        levels = {Level()};
      isPrefix = isPrefixHere();
      piece.binding = bindingHere();
      piece.gap = gapHere();
      enter(piece);
      afterPrefix = isPrefix;
    }
  }

private:
  /// A bracket, or the statement outside of all.
  struct Level {
    Tok opening = Tok::End;
    bool isParameters = false; ///< of a `fn` or a `model`
    bool isTupleType = false;  ///< `(int, f32[N])`
    bool isType = false;       ///< a type is being written
    bool isTarget = false;     ///< between `for` and `in`
    bool isGenerator = false;  ///< after the `for` of a comprehension
  };

  const Piece &here() const { return pieces[size]; }
  bool isAt(Tok kind) const { return here().kind == kind; }
  bool isAfter(Tok kind) const { return size && before().kind == kind; }
  const Piece &before(unsigned by = 1) const { return pieces[size - by]; }

  bool afterOperand() const {
    return size && !here().startsStatement && endsOperand(before().kind);
  }

  bool isPrefixHere() const {
    if (isAt(Tok::At))
      return levels.back().isType; // `f32[N] @cpu`
    return (isAt(Tok::Minus) || isAt(Tok::Tilde) || isAt(Tok::Star)) &&
           !afterOperand();
  }

  Binding bindingHere() const {
    if (isPrefix || (isAt(Tok::Comma) && levels.back().isTarget))
      return Binding::None;
    if (isAt(Tok::For) || isAt(Tok::If))
      return levels.back().isGenerator || (isAt(Tok::For) && levels.size() > 1)
                 ? Binding::Clause
                 : Binding::None;
    if (isAt(Tok::Else))
      return isAfter(Tok::RBrace) || here().startsStatement ? Binding::None
                                                            : Binding::Else;
    return getBinding(here().kind);
  }

  bool isKeyword() const {
    return levels.back().opening == Tok::LParen && !levels.back().isParameters;
  }
  bool isSlice() const { return levels.back().opening == Tok::LSquare; }

  /// Whether the bracket that opens here belongs to the operand before it.
  bool isPostfix() const {
    // `var(x)` is the variance, `var (a, b) = …` a declaration.
    bool isVariance = isAfter(Tok::Var) && !before().startsStatement &&
                      !(size > 1 && before(2).kind == Tok::LBrace);
    return afterOperand() || isVariance;
  }

  llvm::StringRef gapHere() const {
    if (size == 0)
      return "";
    if (here().startsStatement && !isAfter(Tok::LBrace) && !isAt(Tok::RBrace))
      return "; ";
    Tok last = before().kind;
    if (last == Tok::LParen || last == Tok::LSquare || here().isClosing() ||
        isAt(Tok::Comma))
      return "";
    if (last == Tok::Comma)
      return " ";
    if (isAt(Tok::Dot) || last == Tok::Dot)
      return gapAtDot();
    if (afterPrefix || (here().isOpening() && isPostfix()))
      return "";
    if (isAt(Tok::Colon))
      return "";
    if (last == Tok::Colon)
      return isSlice() && !isDeviceLike() ? "" : " ";
    if (isKeyword() && (isAt(Tok::Equal) || last == Tok::Equal))
      return "";
    return " ";
  }

  /// `2 .to(f32)` and `2.to(f32)` are the same, but not `2 .e3` and `2.e3`.
  llvm::StringRef gapAtDot() const {
    bool isNumber = before().kind == Tok::Int || before().kind == Tok::Float;
    return isNumber && before().text.end() != here().text.begin() ? " " : "";
  }

  /// `cuda:1` is a device and `[cuda: 1]` a slice.
  bool isDeviceLike() const {
    return before(2).text == "cuda" && llvm::isDigit(here().text.front());
  }

  void enter(const Piece &piece) {
    Level &level = levels.back();
    switch (piece.kind) {
    case Tok::LParen: {
      Level inner;
      inner.opening = piece.kind;
      inner.isParameters = isAfter(Tok::Name) && isDeclaredBefore();
      inner.isType = inner.isTupleType = level.isType && !afterOperand();
      levels.push_back(inner);
      break;
    }
    case Tok::LSquare:
      levels.emplace_back().opening = piece.kind;
      break;
    case Tok::RParen:
    case Tok::RSquare:
      levels.pop_back();
      break;
    case Tok::Colon:
    case Tok::Arrow:
      level.isType = !isSlice();
      break;
    case Tok::Comma:
      level.isType = level.isTupleType;
      break;
    case Tok::Equal:
      level.isType = false;
      break;
    case Tok::For:
      level.isTarget = true;
      level.isGenerator = levels.size() > 1;
      break;
    case Tok::In:
      level.isTarget = false;
      break;
    default:
      break;
    }
  }

  /// Whether `fn` or `model` is before the name before this piece.
  bool isDeclaredBefore() const {
    if (size < 2)
      return false;
    const Piece &word = before(2);
    return word.kind == Tok::Fn ||
           (word.text == "model" && word.startsStatement);
  }

  std::vector<Piece> &pieces;
  size_t size = 0; ///< the number of pieces before the current one
  std::vector<Level> levels = {Level()};
  bool isPrefix = false;    ///< the current piece is a prefix operator
  bool afterPrefix = false; ///< the one before is
};

} // namespace

void format::setSpacing(std::vector<Piece> &pieces) { Spacing(pieces).set(); }
