//===- DiagnosticsTest.cpp - diagnostics that the parser does not make ----===//
//
// Several files, several labels on a line, notes with places, order and
// repetition, and the table of codes. The plain form is tested by the lit
// files of test/Frontend/Parser.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Diagnostics.h"
#include "gtest/gtest.h"
#include <set>

using namespace tdc;

namespace {

class DiagnosticsTest : public testing::Test {
protected:
  /// The range of the first `word` in a file.
  SourceRange find(FileId file, llvm::StringRef word) {
    uint32_t begin = sources.getText(file).find(word);
    return {file, begin, begin + uint32_t(word.size())};
  }
  std::string print(bool colour = false) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os.enable_colors(colour);
    diags.printText(os, colour);
    return text;
  }

  SourceManager sources;
  DiagnosticEngine diags{sources};
};

TEST_F(DiagnosticsTest, LabelsOnOneLineStackFromTheRight) {
  FileId file = sources.add("train.tdsl", "let outputs = model(data)\n");
  diags.report(DiagCode::TD101, find(file, "data"), "not moved")
      .label("f32[?, 10] @cpu")
      .secondaryLabel(find(file, "model"), "on @device")
      .secondaryLabel(find(file, "outputs"), "made here");
  EXPECT_EQ(print(), "error[TD101]: not moved\n"
                     "  --> train.tdsl:1:21\n"
                     "  1 | let outputs = model(data)\n"
                     "    |     -------   ----- ^^^^ f32[?, 10] @cpu\n"
                     "    |               on @device\n"
                     "    |     made here\n\n");
}

TEST_F(DiagnosticsTest, OtherFilesFollowThePrimaryOne) {
  FileId library = sources.add("lib.tdsl", "\n\nfn f(x) = x\n");
  FileId main = sources.add("main.tdsl", "import lib\nlet y = f(1)\n");
  diags.report(DiagCode::TD101, find(main, "1"), "wrong")
      .label("an int")
      .secondaryLabel(find(library, "x"), "a tensor")
      .note("declared here", find(library, "f"))
      .note("called here", find(main, "f(1)"))
      .fix(FixIt::Choice, "`g`", {{find(library, "f"), "g"}})
      .fix(FixIt::Choice, "`import l`", {{find(main, "lib"), "l"}});
  EXPECT_EQ(print(), "error[TD101]: wrong\n"
                     "  --> main.tdsl:2:11\n"
                     "  2 | let y = f(1)\n"
                     "    |           ^ an int\n"
                     "  ::: lib.tdsl:3:6\n"
                     "  3 | fn f(x) = x\n"
                     "    |      - a tensor\n"
                     "  note: declared here (lib.tdsl:3:1)\n"
                     "  note: called here (line 2)\n"
                     "  fix:  lib.tdsl, line 3: `g`\n"
                     "  fix:  line 1: `import l`\n\n");
}

TEST_F(DiagnosticsTest, NoPlaceNoSnippet) {
  diags.report(DiagCode::TD412, SourceRange()).note("asked for by an option");
  EXPECT_EQ(print(), "error[TD412]: the tensor is too large\n"
                     "  note: asked for by an option\n\n");
}

TEST_F(DiagnosticsTest, GutterGrowsWithTheLineNumber) {
  std::string text(9999, '\n');
  FileId file = sources.add("long.tdsl", text + "x\ny");
  diags.report(DiagCode::TD101, find(file, "x"), "here");
  diags.report(DiagCode::TD101, find(file, "y"), "and here");
  std::string printed = print();
  EXPECT_NE(printed.find(" 10000 | x\n       | ^\n"), std::string::npos);
  EXPECT_NE(printed.find(" 10001 | y\n       | ^\n"), std::string::npos);
}

TEST_F(DiagnosticsTest, LongLinesAreClipped) {
  std::string padding(5000, '.');
  FileId file = sources.add("long.tdsl", padding + "x" + padding);
  diags.report(DiagCode::TD101, find(file, "x"), "here").label("this");
  std::string dots(100, '.'), more(299, '.'), blanks(100, ' ');
  EXPECT_EQ(print(), "error[TD101]: here\n"
                     "  --> long.tdsl:1:5001\n"
                     "  1 | ... " +
                         dots + "x" + more +
                         " ...\n"
                         "    |     " +
                         blanks + "^ this\n\n");
}

TEST_F(DiagnosticsTest, SortedAndWithoutRepetition) {
  FileId file = sources.add("a.tdsl", "a b");
  for (int iteration = 0; iteration != 3; ++iteration)
    diags.report(DiagCode::TD101, find(file, "b")).label("found `b`");
  diags.report(DiagCode::TD107, find(file, "a"));
  diags.report(DiagCode::TD108, find(file, "b"));
  ASSERT_EQ(diags.getSorted().size(), 3u);
  EXPECT_EQ(diags.getSorted()[0]->code, DiagCode::TD107);
  EXPECT_EQ(diags.getSorted()[1]->code, DiagCode::TD101);
  EXPECT_EQ(diags.getSorted()[2]->code, DiagCode::TD108);
  EXPECT_EQ(diags.getNumErrors(), 2u);
  EXPECT_EQ(diags.getNumWarnings(), 1u);
}

TEST_F(DiagnosticsTest, PrintedOnce) {
  diags.report(DiagCode::TD610, SourceRange(), "first");
  EXPECT_EQ(print(), "warning[TD610]: first\n\n");
  diags.report(DiagCode::TD101, SourceRange(), "second");
  EXPECT_EQ(print(), "error[TD101]: second\n\n");
  EXPECT_EQ(diags.getSorted().size(), 2u);
}

TEST_F(DiagnosticsTest, ColourOnlyWhenAsked) {
  diags.report(DiagCode::TD412, SourceRange());
  EXPECT_EQ(print().find('\033'), std::string::npos);
  diags.report(DiagCode::TD117, SourceRange());
  EXPECT_NE(print(/*colour=*/true).find('\033'), std::string::npos);
}

TEST(DiagTable, RowsAreComplete) {
  std::set<llvm::StringRef> names;
  for (const DiagInfo &info : getDiagTable()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name.str();
    EXPECT_EQ(&getDiagInfo(info.code), &info);
    EXPECT_EQ(findDiagInfo(info.name.lower()), &info);
    EXPECT_FALSE(info.title.empty() || info.title.ends_with("."));
    EXPECT_TRUE(info.explanation.ends_with(".")) << info.name.str();
  }
  EXPECT_EQ(findDiagInfo("TD000"), nullptr);
}

TEST(FindNearest, OneMistakeForThreeLetters) {
  EXPECT_EQ(findNearest("Bacth", {"x", "Batch"}), llvm::StringRef("Batch"));
  EXPECT_EQ(findNearest("relu", {"gelu", "elu", "selu"}),
            llvm::StringRef("gelu"));
  EXPECT_EQ(findNearest("linear", {"Linear", "lin"}),
            llvm::StringRef("Linear"));
  EXPECT_EQ(findNearest("optimizer", {"model", "loss"}), std::nullopt);
  EXPECT_EQ(findNearest("x", {"y", "z"}), std::nullopt);
  EXPECT_EQ(findNearest("ab", {}), std::nullopt);
}

} // namespace
