//===- FormatTest.cpp - format specs against Python's ---------------------===//

#include "support/TestProgram.h"
#include <clocale>
#include <cmath>
#include <cstring>

using namespace tdrt_test;

namespace {

class FormatTest : public testing::Test {
protected:
  tdrt_program program = emptyProgram();
  Opened ctx{program};

  tdrt_format parse(const char *spec, int32_t type) {
    tdrt_format format;
    const char *fault = tdrt_parse_format(spec, strlen(spec), type, &format);
    EXPECT_EQ(fault, nullptr) << spec << ": " << fault;
    return format;
  }
  std::string formatInt(int64_t value, const char *spec) {
    tdrt_format format = parse(spec, TDRT_INT);
    return textOf(ctx, [&] { tdrt_out_i64(ctx, value, &format); });
  }
  std::string formatUnsigned(uint64_t value, const char *spec) {
    tdrt_format format = parse(spec, TDRT_INT);
    return textOf(ctx, [&] { tdrt_out_u64(ctx, int64_t(value), &format); });
  }
  std::string formatFloat(double value, const char *spec) {
    tdrt_format format = parse(spec, TDRT_FLOAT);
    return textOf(ctx, [&] { tdrt_out_f64(ctx, value, &format); });
  }
  std::string formatString(const char *value, const char *spec) {
    tdrt_format format = parse(spec, TDRT_STR);
    return textOf(ctx, [&] { tdrt_out_str(ctx, value, &format); });
  }
  std::string formatBool(bool value, const char *spec) {
    tdrt_format format = parse(spec, TDRT_BOOLEAN);
    return textOf(ctx, [&] { tdrt_out_bool(ctx, value, &format); });
  }
  std::string repr(double value) {
    return textOf(ctx, [&] { tdrt_out_f64(ctx, value, nullptr); });
  }
};

TEST_F(FormatTest, Unsigned) {
  EXPECT_EQ(formatUnsigned(UINT64_MAX, "d"), "18446744073709551615");
  EXPECT_EQ(formatUnsigned(UINT64_MAX, "x"), "ffffffffffffffff");
  EXPECT_EQ(formatUnsigned(UINT64_C(1) << 63, "+,"),
            "+9,223,372,036,854,775,808");
  EXPECT_EQ(formatUnsigned(UINT64_MAX, ".3e"), "1.845e+19");
  EXPECT_EQ(textOf(ctx, [&] { tdrt_out_u64(ctx, -1, nullptr); }),
            "18446744073709551615");
}

TEST_F(FormatTest, PythonTable) {
#define FORMAT_INT(VALUE, SPEC, TEXT)                                          \
  EXPECT_EQ(formatInt(VALUE, SPEC), TEXT) << #VALUE << " " << SPEC;
#define FORMAT_FLOAT(VALUE, SPEC, TEXT)                                        \
  EXPECT_EQ(formatFloat(VALUE, SPEC), TEXT) << #VALUE << " " << SPEC;
#define FORMAT_STR(VALUE, SPEC, TEXT)                                          \
  EXPECT_EQ(formatString(VALUE, SPEC), TEXT) << #VALUE << " " << SPEC;
#include "FormatTable.inc"
}

TEST_F(FormatTest, PlainForms) {
  EXPECT_EQ(repr(0.1), "0.1");
  EXPECT_EQ(repr(1.0), "1.0");
  EXPECT_EQ(repr(-0.0), "-0.0");
  EXPECT_EQ(repr(1e16), "1e+16");
  EXPECT_EQ(repr(1e-5), "1e-05");
  EXPECT_EQ(repr(0.30000001192092896), "0.30000001192092896");
  EXPECT_EQ(repr(-NAN), "nan");
  EXPECT_EQ(repr(-INFINITY), "-inf");
  EXPECT_EQ(textOf(ctx, [&] { tdrt_out_i64(ctx, INT64_MIN, nullptr); }),
            "-9223372036854775808");
  EXPECT_EQ(textOf(ctx, [&] { tdrt_out_bool(ctx, 1, nullptr); }), "true");
  EXPECT_EQ(textOf(ctx, [&] { tdrt_out_str(ctx, "äb", nullptr); }), "äb");
  EXPECT_EQ(textOf(ctx, [&] { tdrt_out_text(ctx, "abc", 2); }), "ab");
}

TEST_F(FormatTest, Bools) {
  EXPECT_EQ(formatBool(true, ""), "true");
  EXPECT_EQ(formatBool(false, ">7"), "  false");
  EXPECT_EQ(formatBool(true, "s"), "true");
  EXPECT_EQ(formatBool(true, "d"), "1");
  EXPECT_EQ(formatBool(true, ".1f"), "1.0");
}

TEST_F(FormatTest, LocaleDoesNotMatter) {
  // Where no other locale is installed this shows nothing, and does no harm.
  for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
    if (setlocale(LC_ALL, name))
      break;
  EXPECT_EQ(formatFloat(1.5, ".2f"), "1.50");
  EXPECT_EQ(formatFloat(1234567.5, ",.1f"), "1,234,567.5");
  setlocale(LC_ALL, "C");
}

TEST_F(FormatTest, Faults) {
  struct Row {
    const char *spec;
    int32_t type;
    const char *part;
  };
  const Row rows[] = {{"q", TDRT_INT, "one of c d e f g r s x b %"},
                      {"5.", TDRT_FLOAT, "number is missing"},
                      {"ff", TDRT_FLOAT, "not a format"},
                      {"5 ", TDRT_INT, "one of c d e f g r s x b %"},
                      {"1001", TDRT_INT, "at most 1000"},
                      {".99999999999", TDRT_FLOAT, "at most 1000"},
                      {".2d", TDRT_INT, "no precision"},
                      {"d", TDRT_FLOAT, "a float takes"},
                      {"x", TDRT_FLOAT, "a float takes"},
                      {"s", TDRT_FLOAT, "no type `s`"},
                      {"s", TDRT_INT, "no type `s`"},
                      {",x", TDRT_INT, "grouped with `_`"},
                      {"d", TDRT_STR, "no type but `s`"},
                      {"+", TDRT_STR, "no sign"},
                      {"#", TDRT_STR, "no `#`"},
                      {"=5", TDRT_STR, "no `=`"},
                      {",", TDRT_STR, "grouping"},
                      {"+", TDRT_BOOLEAN, "no sign"},
                      {",b", TDRT_INT, "grouped with `_`"},
                      {"\xff<5", TDRT_STR, "not a format"},
                      {"\xc0<5", TDRT_STR, "not a format"},
                      {"\xc3(<5", TDRT_STR, "not a format"},
                      {"\xe2\x82", TDRT_STR, "not a format"}};
  for (const Row &row : rows) {
    tdrt_format format;
    const char *fault =
        tdrt_parse_format(row.spec, strlen(row.spec), row.type, &format);
    ASSERT_NE(fault, nullptr) << row.spec;
    EXPECT_NE(strstr(fault, row.part), nullptr) << row.spec << ": " << fault;
  }
}

TEST_F(FormatTest, LargestWidthAndPrecision) {
  EXPECT_EQ(formatFloat(1.7976931348623157e308, "1000.1000f").size(), 1310u);
  EXPECT_EQ(formatString("x", "^1000").size(), 1000u);
}

} // namespace
