//===- PythonPrograms.cpp - the frame of a PyTorch script -----------------===//
//
// TD102 of imports, the main guard, files of state and type hints: where a
// whole script was copied, `tdc fix` makes a program of it. The fixes keep
// comments; a line that becomes empty is removed.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::ast;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

Edit Parser::removeLine(SourceRange range) const {
  llvm::StringRef after = text.substr(range.end);
  size_t blanks = after.size() - after.ltrim(" \t").size();
  uint32_t lineStart = text.take_front(range.begin).find_last_of('\n') + 1;
  bool isFirst = text.slice(lineStart, range.begin).trim().empty();
  llvm::StringRef rest = after.drop_front(blanks);
  rest.consume_front("\r");
  if (isFirst && (rest.empty() || rest.consume_front("\n")))
    return {{file, lineStart, uint32_t(text.size() - rest.size())}, ""};
  // The rest of the line stays, and moves to the column of the removed text.
  if (isFirst)
    range.end += blanks;
  return {range, ""};
}

Edit Parser::closeIndented(llvm::StringRef indent) const {
  size_t last = pos - 1;
  while (last != 0 && tokenAt(last).kind == Tok::Newline)
    --last;
  LineColumn line = sources.getLineColumn(file, tokenAt(last).end);
  SourceRange end = sources.getLine(file, line.line).finish();
  return {end, ("\n" + indent + "}").str()};
}

void Parser::skipIndented(llvm::StringRef indent) {
  skipNewlines();
  while (!at(Tok::End) && isIndentedMore(indent))
    advance();
}

void Parser::dedent(SourceRange lines, llvm::StringRef indent,
                    std::vector<Edit> &edits) const {
  auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
  std::optional<size_t> extra;
  uint32_t begin = text.find('\n', lines.begin) + 1;
  while (begin != 0 && begin < lines.end) {
    llvm::StringRef line = text.substr(begin).split('\n').first;
    size_t blanks = line.take_while(isBlank).size();
    if (!extra && line.trim().size())
      extra = blanks - std::min(blanks, indent.size());
    SourceRange moved = {lines.file, begin,
                         begin + uint32_t(std::min(blanks, extra.value_or(0)))};
    bool isRemoved = llvm::any_of(edits, [&](const Edit &edit) {
      return edit.range.begin < moved.end && moved.begin < edit.range.end;
    });
    if (moved.size() != 0 && !isRemoved)
      edits.push_back({moved, ""});
    begin = text.find('\n', begin) + 1;
  }
}

//===----------------------------------------------------------------------===//
// Imports and the main guard
//===----------------------------------------------------------------------===//

/// What a program uses instead of a library of Python; empty for libraries that
/// are not known.
static llvm::StringRef getInsteadOf(llvm::StringRef library) {
  return llvm::StringSwitch<llvm::StringRef>(library)
      .Case("numpy",
            "tensors have the functions of its arrays, as in `zeros(3)` and "
            "`x.mean()`; `load(\"x.npy\")` reads the files that `np.save` of a "
            "script in Python writes")
      .Case("safetensors",
            "`net.load(\"net.safetensors\")` and `net.save(path)` read and "
            "write its files, `load(path, key=\"w\")` one tensor of a file")
      .Case("torchvision",
            "`load` reads images, and data sets in the format of "
            "MNIST")
      .Case("matplotlib", "`save(\"x.npy\", x)` writes numbers for another "
                          "program to draw")
      .Cases({"pandas", "csv"}, "`load(\"x.csv\")` reads a table of numbers")
      .Case("tqdm", "a terminal shows the progress of loops without it")
      .Case("random",
            "`rand`, `randn`, `randint` and `seed(n)` are part of the "
            "language")
      .Cases({"sys", "argparse"}, "`arg name: int = 3` is an option of the "
                                  "program's command line")
      .Cases({"os", "pathlib", "glob"},
             "`exists(path)` tests for a file and `env(\"NAME\")` reads a "
             "variable; paths are strs, as in `f\"{folder}/x.npy\"`")
      .Case("time", "`time tdc run x.tdsl` in a shell shows how long a program "
                    "takes")
      .Case("logging", "`print(f\"step {i}\")` writes a line")
      .Cases({"sklearn", "scipy", "json", "collections", "dataclasses",
              "functools", "itertools"},
             "docs/Reference.md lists what programs can use; `load(\"x.npy\")` "
             "reads data, `arg` declares an argument")
      .Default("");
}

static bool isOfLanguage(llvm::StringRef library) {
  return library == "torch" || library == "math" || library == "copy";
}

static bool isOfHints(llvm::StringRef library) {
  return library == "typing" || library == "__future__";
}

bool Parser::isPythonLibrary(llvm::StringRef module) {
  llvm::StringRef library = module.split('.').first;
  return isOfLanguage(library) || isOfHints(library) ||
         !getInsteadOf(library).empty();
}

bool Parser::isUsedBelow(SourceRange import) const {
  llvm::StringSet<> names;
  bool isUsed = false;
  for (const Token &token : *tokens) {
    if (token.kind == Tok::FString && token.begin > import.end)
      isUsed |= llvm::any_of(names.keys(), [&](llvm::StringRef name) {
        return textOf(token).contains((name + ".").str());
      });
    if (token.kind != Tok::Name || token.begin < import.begin)
      continue;
    if (token.begin < import.end)
      names.insert(textOf(token));
    else
      isUsed |= names.contains(textOf(token));
  }
  return isUsed;
}

void Parser::reportPythonImport(llvm::StringRef module, SourceRange range) {
  llvm::StringRef library = module.split('.').first;
  if (library == "math")
    hasMathPrefix = true;
  bool isOwn = isOfLanguage(library), isHint = isOfHints(library);
  llvm::StringRef instead = getInsteadOf(library);
  if (!isPythonLibrary(module))
    return;
  Diagnostic &report =
      diags.report(DiagCode::TD102, range)
          .label(isOwn    ? "its names are part of the language"
                 : isHint ? "type hints of Python are not needed"
                          : "a library of Python");
  if (!instead.empty())
    report.note(instead);
  // The uses of a library must be rewritten first. Those of `math` in a class
  // are in a later round.
  bool isNeeded =
      sources.getText(range) == "import math" || (!isOwn && !isHint);
  if (isNeeded && isUsedBelow(range))
    return;
  std::vector<Edit> edits;
  if (library == "math")
    edits = wrapImported(range);
  // `grad` of the language gives no tuple.
  if (module == "torch.autograd")
    edits = nameAutograd(range);
  edits.insert(edits.begin(), removeLine(range));
  report.fix(FixIt::Safe, "remove it", std::move(edits));
}

std::nullptr_t Parser::reportSeveralImports(SourceRange keyword) {
  SourceRange first = rangeOf(peek());
  std::string nextLine =
      ("\n" + indentOf(keyword.begin) + sources.getText(keyword) + " ").str();
  std::vector<Edit> edits;
  hasMathPrefix |= textOf(previous()) == "math";
  while (at(Tok::Comma)) {
    SourceRange comma = rangeOf(advance());
    hasMathPrefix |= atName("math");
    edits.push_back({comma.to(rangeOf(peek()).start()), nextLine});
    while (!at(Tok::Comma) && !atLineEnd())
      advance();
  }
  diags.report(DiagCode::TD102, first)
      .label("an `import` has one module")
      .fix(FixIt::Safe, "an `import` for each", std::move(edits));
  return failed;
}

bool Parser::atMainGuard() const {
  return at(Tok::If) && atName("__name__", 1) &&
         peek(2).kind == Tok::EqualEqual && peek(3).kind == Tok::String &&
         peek(4).kind == Tok::Colon;
}

void Parser::skipMainGuard() {
  Token keyword = peek();
  llvm::StringRef indent = indentOf(keyword.begin);
  while (previous().kind != Tok::Colon)
    advance();
  SourceRange header = rangeFrom(rangeOf(keyword));
  std::vector<Edit> edits = {removeLine(header)};
  // The guarded block is parsed as statements of the program.
  size_t first = pos;
  skipIndented(indent);
  SourceRange guarded = header.to(rangeOf(previous()));
  pos = first;
  dedent(guarded, indent, edits);
  diags.report(DiagCode::TD102, header)
      .label("a program runs from its first line on")
      .fix(FixIt::Safe, "remove it", std::move(edits));
}

//===----------------------------------------------------------------------===//
// Files of state
//===----------------------------------------------------------------------===//

/// The call `NAME(…)` or `x.NAME(…)` that `expr` is, if it is one.
static const CallExpr *asCall(const Expr *expr, llvm::StringRef name) {
  auto *call = llvm::dyn_cast_or_null<CallExpr>(expr);
  if (!call)
    return nullptr;
  auto *method = llvm::dyn_cast<MemberExpr>(call->callee);
  auto *function = llvm::dyn_cast<NameExpr>(call->callee);
  bool isIt =
      method ? method->member.text == name : function && function->name == name;
  return isIt ? call : nullptr;
}

const Expr *Parser::reportStateDict(const Expr *callee,
                                    llvm::ArrayRef<Argument> args) {
  auto *function = llvm::dyn_cast<NameExpr>(callee);
  auto *method = llvm::dyn_cast<MemberExpr>(callee);
  const Expr *model = nullptr, *path = nullptr;
  if (function && function->name == "save" && args.size() == 2) {
    if (const CallExpr *state = asCall(args[0].value, "state_dict"))
      if (auto *source = llvm::dyn_cast<MemberExpr>(state->callee))
        model = source->base;
    path = args[1].value;
  } else if (method && method->member.text == "load_state_dict" &&
             !args.empty()) {
    model = method->base;
    if (const CallExpr *load = asCall(args[0].value, "load"))
      path = load->args.empty() ? nullptr : load->args[0].value;
  }
  if (!model || !path)
    return nullptr;
  llvm::StringRef file = sources.getText(path->range);
  char quote = file.back();
  bool isLiteral = llvm::isa<StringExpr, FStringExpr>(path);
  std::string written = file.str();
  if (isLiteral &&
      (file.drop_back().ends_with(".pt") || file.drop_back().ends_with(".pth")))
    written = (file.take_front(file.rfind('.')) + ".safetensors").str() + quote;
  std::string call = (sources.getText(model->range) +
                      (function ? ".save(" : ".load(") + written + ")")
                         .str();
  SourceRange range = rangeFrom(callee->range);
  Diagnostic &report =
      diags.report(DiagCode::TD102, range)
          .label(function ? "a model saves its parameters itself"
                          : "a model loads its parameters itself")
          // A file that is not there, because PyTorch wrote another one, is an
          // error of its own.
          .fix(FixIt::Safe, "`" + call + "`", {{range, call}});
  if (!function)
    report.note("a file of PyTorch is converted in Python: "
                "`safetensors.torch.save_file(torch.load(\"n.pt\"), "
                "\"n.safetensors\")`");
  return model;
}

//===----------------------------------------------------------------------===//
// Type hints
//===----------------------------------------------------------------------===//

bool Parser::skipTypeHint() {
  SourceRange start = rangeOf(previous()); // `:` or `->`
  if (at(Tok::Name) && peek(1).kind == Tok::Dot && !atName("Tensor", 2)) {
    SourceRange hint = rangeOf(advance());
    while (consume(Tok::Dot))
      hint = hint.to(rangeOf(advance()));
    llvm::StringRef before = text.take_front(start.begin);
    diags.report(DiagCode::TD102, hint)
        .label("a type hint of Python is not needed")
        .fix(FixIt::Safe, "remove it",
             {{{file, uint32_t(before.rtrim(" ").size()), hint.end}, ""}});
    return true;
  }
  size_t name = atTorch() ? 2 : 0;
  bool isHint = atName("Tensor", name) || (atName("None", name) && name == 0);
  if (!isHint || peek(name + 1).kind == Tok::LSquare)
    return false;
  bool isNone = atName("None");
  for (size_t i = 0; i <= name; ++i)
    advance();
  // Includes the blanks before `->`.
  llvm::StringRef before = text.take_front(start.begin);
  SourceRange hint = rangeFrom(start);
  diags.report(DiagCode::TD102, rangeOf(previous()))
      .label(isNone ? "a function that returns nothing has no result type"
                    : "the type of a tensor has a dtype and sizes, as "
                      "`f32[B, 10]`, or is left out")
      .fix(FixIt::Safe, "remove it",
           {{{file, uint32_t(before.rtrim(" ").size()), hint.end}, ""}});
  return true;
}
