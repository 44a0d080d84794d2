//===- ParserTest.cpp - what a dump of the tree does not show -------------===//
//
// Ranges, decoded values, and safe fixes: applying them makes a program that
// parses.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tdc;
using namespace tdc::ast;

namespace {

class ParserTest : public testing::Test {
protected:
  const Program &parse(llvm::StringRef text) {
    file = sources.add("test.tdsl", text);
    return *parseFile(sources, file, context, diags);
  }
  /// The value of a program that is one `let`.
  const Expr *parseValue(llvm::StringRef text) {
    const Program &program = parse(("let x = " + text).str());
    EXPECT_FALSE(diags.hasErrors());
    return llvm::cast<LetStmt>(program.items.front())->value;
  }
  llvm::StringRef textOf(SourceRange range) { return sources.getText(range); }

  SourceManager sources;
  DiagnosticEngine diags{sources};
  Context context;
  FileId file = 0;
};

TEST_F(ParserTest, RangesCoverTheText) {
  auto *sum = llvm::cast<BinaryExpr>(parseValue("(a + b) * f(c, k = 1).g[0]"));
  EXPECT_EQ(textOf(sum->range), "(a + b) * f(c, k = 1).g[0]");
  EXPECT_EQ(textOf(sum->opRange), "*");
  EXPECT_EQ(textOf(sum->lhs->range), "(a + b)");
  auto *part = llvm::cast<SubscriptExpr>(sum->rhs);
  EXPECT_EQ(textOf(part->items.front().range), "0");
  auto *member = llvm::cast<MemberExpr>(part->base);
  EXPECT_EQ(textOf(member->member.range), "g");
  auto *call = llvm::cast<CallExpr>(member->base);
  EXPECT_EQ(textOf(call->argsRange), "(c, k = 1)");
  EXPECT_EQ(textOf(call->args[1].range), "k = 1");
  EXPECT_EQ(textOf(call->args[1].keyword.range), "k");
}

TEST_F(ParserTest, RangesOfStatements) {
  const Program &program =
      parse("fn f(a: f32[B] @cpu = 1) -> int { return a }\n"
            "if x { y } else { z } # end\n");
  auto *fn = llvm::cast<FnDecl>(program.items[0]);
  EXPECT_EQ(textOf(fn->range), "fn f(a: f32[B] @cpu = 1) -> int { return a }");
  EXPECT_EQ(textOf(fn->params[0].range), "a: f32[B] @cpu = 1");
  EXPECT_EQ(textOf(fn->params[0].type->range), "f32[B] @cpu");
  EXPECT_EQ(textOf(fn->body->range), "{ return a }");
  auto *choice = llvm::cast<IfStmt>(program.items[1]);
  EXPECT_EQ(textOf(choice->range), "if x { y } else { z }");
  EXPECT_EQ(textOf(choice->elseBlock->range), "{ z }");
}

TEST_F(ParserTest, FStringParts) {
  auto *string =
      llvm::cast<FStringExpr>(parseValue("f\"{{a}} {x = :*>+#08,.3f}\""));
  ASSERT_EQ(string->parts.size(), 2u);
  EXPECT_EQ(string->parts[0].literal, "{a} ");
  const FStringPart &field = string->parts[1];
  EXPECT_EQ(textOf(field.range), "{x = :*>+#08,.3f}");
  EXPECT_EQ(textOf(field.value->range), "x");
  EXPECT_EQ(field.echo, "x = ");
  ASSERT_NE(field.spec, nullptr);
  EXPECT_EQ(field.spec->text, "*>+#08,.3f");
  EXPECT_EQ(field.spec->fill, "*");
  EXPECT_EQ(field.spec->align, '>');
  EXPECT_EQ(field.spec->sign, '+');
  EXPECT_TRUE(field.spec->alternate && field.spec->zeroPad &&
              field.spec->commas);
  EXPECT_EQ(field.spec->width, 8u);
  EXPECT_EQ(field.spec->precision, 3u);
  EXPECT_EQ(field.spec->type, 'f');
}

TEST_F(ParserTest, HeightIsLimitedAndRecorded) {
  EXPECT_EQ(parseValue("1")->height, 1u);
  EXPECT_EQ(parseValue("-f(a, b + c)[0]")->height, 5u);
}

TEST_F(ParserTest, FileLimit) {
  std::string text(ParserLimits::fileBytes, ' ');
  parse(text);
  EXPECT_FALSE(diags.hasErrors());
  parse(text + ' ');
  ASSERT_TRUE(diags.hasErrors());
  EXPECT_EQ(diags.getSorted().front()->code, DiagCode::TD110);
}

/// Applies safe fixes as an editor may: those that do not touch each other,
/// again and again until none is left.
std::string applySafeFixes(std::string text) {
  for (int iteration = 0; iteration != 20; ++iteration) {
    SourceManager sources;
    DiagnosticEngine diags(sources);
    Context context;
    parseFile(sources, sources.add("fix.tdsl", text), context, diags);
    std::vector<Edit> edits;
    for (const Diagnostic *diagnostic : diags.getSorted()) {
      if (diagnostic->fixes.empty() ||
          diagnostic->fixes.front().kind != FixIt::Safe)
        continue;
      llvm::ArrayRef<Edit> fix = diagnostic->fixes.front().edits;
      bool isFree = llvm::none_of(fix, [&](const Edit &edit) {
        return llvm::any_of(edits, [&](const Edit &other) {
          return edit.range.begin <= other.range.end &&
                 other.range.begin <= edit.range.end;
        });
      });
      if (isFree)
        edits.insert(edits.end(), fix.begin(), fix.end());
    }
    if (edits.empty())
      return diags.hasErrors() ? "" : text;
    llvm::sort(edits, [](const Edit &a, const Edit &b) {
      return a.range.begin > b.range.begin;
    });
    for (const Edit &edit : edits)
      text.replace(edit.range.begin, edit.range.size(), edit.text);
  }
  return "";
}

TEST(FixIts, PythonBecomesTdsl) {
  EXPECT_EQ(applySafeFixes("import torch\n"
                           "def f(x, y=1):\n"
                           "    for i in range(3):\n"
                           "        if x is not y:\n"
                           "            return True  # yes\n"
                           "        elif !x&&y: x += 1\n"
                           "        else:\n"
                           "            pass\n"
                           "    return x[None].to(torch.long)\n"
                           "print(sum(x for x in y), +1, 0 < a < 2)\n"),
            "fn f(x, y=1) {\n"
            "    for i in range(3) {\n"
            "        if x != y {\n"
            "            return true  # yes\n"
            "        } else if not x and y { x += 1 }\n"
            "        else {\n"
            "        }\n"
            "    }\n"
            "    return x[none].to(i64)\n"
            "}\n"
            "print(sum(x for x in y), 1, 0 < a and a < 2)\n");
}

TEST(FixIts, ClassBecomesModel) {
  EXPECT_EQ(applySafeFixes("class Net(nn.Module):\n"
                           "    self.fc = nn.Linear(3, 4)\n"
                           "    def forward(self, x):\n"
                           "        return self.fc(x)\n"),
            "model Net {\n"
            "    fc = nn.Linear(3, 4)\n"
            "    fn forward(x) {\n"
            "        return self.fc(x)\n"
            "    }\n"
            "}\n");
}

} // namespace
