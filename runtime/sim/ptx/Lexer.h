//===- Lexer.h - PTX text to tokens ---------------------------------------===//
//
// Opcodes, directives and special registers are one token each, dots included
// ("ld.global.v4.b32", ".reg", "%tid.x"); the user of a token splits it.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_LEXER_H
#define TDC_SIM_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tdc::sim {

enum class TokenKind : uint8_t {
  Word,        ///< identifier, opcode or register
  Directive,   ///< begins with a dot
  Integer,     ///< `bits` is its value
  Float32,     ///< `bits` is its representation, from 0fXXXXXXXX
  Float64,     ///< from 0dXXXXXXXXXXXXXXXX or with a decimal point
  String,      ///< `text` without the quotes
  Punctuation, ///< one character
  End
};

struct Token {
  TokenKind kind;
  std::string_view text;
  uint64_t bits;
  int line; ///< from 1
};

/// All tokens of `text`, which must outlive them; the last one is an End.
/// Throws Fault CUDA_ERROR_INVALID_PTX.
std::vector<Token> tokenize(std::string_view text);

/// Throws Fault CUDA_ERROR_INVALID_PTX "line N of the PTX: ...".
[[noreturn]] void refusePtx(int line, const std::string &message);

} // namespace tdc::sim

#endif // TDC_SIM_PTX_LEXER_H
