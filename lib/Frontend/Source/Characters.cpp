//===- Characters.cpp - the characters of a text --------------------------===//
//
// Conversion between UTF-8 and code points.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Characters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tdc;

/// Every byte of UTF-8 but the continuation bytes starts a code point.
static bool startsCharacter(char byte) { return (byte & 0xC0) != 0x80; }

size_t tdc::countCharacters(llvm::StringRef text) {
  return llvm::count_if(text, startsCharacter);
}

llvm::SmallVector<llvm::StringRef> tdc::charactersOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> characters;
  while (!text.empty()) {
    size_t size = 1;
    while (size != text.size() && !startsCharacter(text[size]))
      ++size;
    characters.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return characters;
}

std::optional<uint32_t> tdc::codePointOf(llvm::StringRef character) {
  const llvm::UTF8 *begin = character.bytes_begin();
  llvm::UTF32 codePoint;
  if (llvm::convertUTF8Sequence(&begin, character.bytes_end(), &codePoint,
                                llvm::strictConversion) != llvm::conversionOK ||
      begin != character.bytes_end())
    return std::nullopt;
  return codePoint;
}

bool tdc::appendCodePoint(std::string &text, uint32_t codePoint) {
  char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = bytes;
  bool isScalar =
      codePoint < 0xD800 || (codePoint > 0xDFFF && codePoint <= 0x10FFFF);
  if (!isScalar || !llvm::ConvertCodePointToUTF8(codePoint, end))
    return false;
  text.append(bytes, end);
  return true;
}
