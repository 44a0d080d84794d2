//===- Characters.h - the characters of a text ----------------------------===//
//
// Text is UTF-8. A character is a Unicode code point, as in Python.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_CHARACTERS_H
#define TDC_FRONTEND_CHARACTERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tdc {

/// May precede the text of a file, and means nothing.
inline constexpr llvm::StringLiteral kByteOrderMark = "\uFEFF";

/// The characters of `text` in order, as views of it.
llvm::SmallVector<llvm::StringRef> charactersOf(llvm::StringRef text);

/// How many there are.
size_t countCharacters(llvm::StringRef text);

/// Whether a byte can be in a name, after its start.
inline bool isNameChar(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The code point of a character; none if the bytes are not the UTF-8 of
/// exactly one character (a word of the command line may be any bytes).
std::optional<uint32_t> codePointOf(llvm::StringRef character);

/// Appends the UTF-8 of a code point; false if it is a surrogate or above
/// U+10FFFF.
bool appendCodePoint(std::string &text, uint32_t codePoint);

} // namespace tdc

#endif // TDC_FRONTEND_CHARACTERS_H
