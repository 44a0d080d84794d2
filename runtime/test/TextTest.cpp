//===- TextTest.cpp - foreign text in messages and lists ------------------===//
//
// What is UTF-8 is what Python's decoder accepts; escapes are those of its
// repr().
//
//===----------------------------------------------------------------------===//

#include "tdc_text.h"
#include "gtest/gtest.h"

using namespace tdc;

namespace {

struct Decoded {
  const char *text;
  uint32_t code;
  unsigned bytes;
};

TEST(TextTest, DecodesTheFirstCharacter) {
  for (Decoded one : {Decoded{"a", 'a', 1},
                      {"\x7f", 0x7f, 1},
                      {"\xc2\x80", 0x80, 2},
                      {"\xdf\xbf!", 0x7ff, 2},
                      {"\xe0\xa0\x80", 0x800, 3},
                      {"\xed\x9f\xbf", 0xd7ff, 3},
                      {"\xee\x80\x80", 0xe000, 3},
                      {"\xef\xbf\xbf", 0xffff, 3},
                      {"\xf0\x90\x80\x80", 0x10000, 4},
                      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4}}) {
    Utf8Char c = decodeUtf8(one.text);
    EXPECT_EQ(c.code, one.code) << one.text;
    EXPECT_EQ(c.bytes, one.bytes) << one.text;
  }
}

// A continuation byte, overlong forms, surrogates, codes past the last one, and
// characters that are cut off.
TEST(TextTest, RejectsWhatIsNotUtf8) {
  for (const char *text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xc2",
        "\xc2"
        "a",
        "\xe2\x82", "\xf0\x9f\x98", "\xe2\x82\xc0"})
    EXPECT_EQ(decodeUtf8(text).bytes, 0u) << printable(text);
  EXPECT_EQ(decodeUtf8("").bytes, 0u);
}

TEST(TextTest, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\tb\rc\nd"), "a\\tb\\rc\\nd");
  EXPECT_EQ(printable("a\nb\t", /*keepsLines=*/true), "a\nb\\t");
  EXPECT_EQ(printable("\x1b[0m \x7f"), "\\x1b[0m \\x7f");
  EXPECT_EQ(printable("\xc2\x9f \xc2\xa0"), "\\u009f \xc2\xa0");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  // Marks that reorder text (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066
  // to U+2069) and U+FEFF; their neighbours are shown.
  EXPECT_EQ(printable("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"),
            "\\u061c\\u200e\\u200f");
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9"),
            "\\u2028\\u202e\\u2066\\u2069");
  EXPECT_EQ(printable("\xef\xbb\xbf"), "\\ufeff");
  for (const char *shown :
       {"\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf",
        "\xe2\x81\xa5", "\xe2\x81\xaa", "\xf0\x9f\x98\x80", "'\"\\"})
    EXPECT_EQ(printable(shown), shown);
}

std::string repr(std::string_view text) {
  std::string out;
  appendRepr(out, text);
  return out;
}

TEST(TextTest, QuotesAsPython) {
  EXPECT_EQ(repr("plain"), "'plain'");
  EXPECT_EQ(repr("it's"), "\"it's\"");
  EXPECT_EQ(repr("say \"so\""), "'say \"so\"'");
  EXPECT_EQ(repr("it's \"so\""), "'it\\'s \"so\"'");
  EXPECT_EQ(repr("a\\b\n"), "'a\\\\b\\n'");
  EXPECT_EQ(repr("\xc2\x85 \xe2\x80\xae"), "'\\x85 \\u202e'");
}

TEST(TextTest, EscapesWideCharacters) {
  std::string out;
  appendEscape(out, 0xff);
  appendEscape(out, 0x20ac);
  appendEscape(out, 0x1f600);
  EXPECT_EQ(out, "\\xff\\u20ac\\U0001f600");
}

} // namespace
