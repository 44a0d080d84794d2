//===- Characters.h - the characters of a text ----------------------------===//
//
// Text is UTF-8. A character is a Unicode code point, as in Python.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_CHARACTERS_H
#define TDC_FRONTEND_CHARACTERS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tdc {

/// Parts of `text`, one after the other.
llvm::SmallVector<llvm::StringRef> charactersOf(llvm::StringRef text);

/// Nothing if the bytes are not the UTF-8 of one character, as those of a word
/// of the command line may be.
std::optional<uint32_t> codePointOf(llvm::StringRef character);

/// False if it is none that text may hold.
bool appendCodePoint(std::string &text, uint32_t codePoint);

} // namespace tdc

#endif // TDC_FRONTEND_CHARACTERS_H
