//===- PythonClasses.cpp - classes of a PyTorch script --------------------===//
//
// TD102 of classes: the fix makes a model of one, and fields of what its
// constructor assigns. Comments are kept.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::ast;

size_t Parser::findClosing(size_t open) const {
  unsigned depth = 0;
  for (size_t i = open; tokenAt(i).kind != Tok::End; ++i) {
    Tok kind = tokenAt(i).kind;
    depth += kind == Tok::LParen || kind == Tok::LSquare;
    depth -= kind == Tok::RParen || kind == Tok::RSquare;
    if (depth == 0)
      return i;
  }
  return tokens->size() - 1;
}

bool Parser::hasOneArgument(size_t open, size_t close) const {
  for (size_t i = open + 1; i < close; ++i) {
    Tok kind = tokenAt(i).kind;
    if (kind == Tok::Comma)
      return false;
    if (kind == Tok::LParen || kind == Tok::LSquare)
      i = findClosing(i);
  }
  return open + 1 < close;
}

bool Parser::startsStatement(size_t i) const {
  Tok before = tokenAt(i - 1).kind;
  return before == Tok::Newline || before == Tok::Colon;
}

bool Parser::changesLocal(size_t i, llvm::StringRef name) const {
  if (!startsStatement(i) || textOf(tokenAt(i)) != name)
    return false;
  size_t next = i + 1;
  Tok kind = tokenAt(next).kind;
  if (kind == Tok::Dot) // `x.fill_(0)`
    return textOf(tokenAt(next + 1)).ends_with("_");
  if (kind == Tok::LSquare)
    next = findClosing(next) + 1;
  while (tokenAt(next).kind == Tok::Comma || tokenAt(next).kind == Tok::Name)
    ++next;
  llvm::StringRef sign = textOf(tokenAt(next));
  return sign.ends_with("=") && sign != "==" && sign != "!=" && sign != "<=" &&
         sign != ">=";
}

std::string Parser::declareLocals(size_t begin, size_t i, size_t end) const {
  bool isVar = false;
  for (; tokenAt(i).kind == Tok::Name || tokenAt(i).kind == Tok::Comma; ++i) {
    llvm::StringRef name = textOf(tokenAt(i));
    for (size_t other = begin; other < end; ++other) {
      if (other == i || !changesLocal(other, name))
        continue;
      if (other < i)
        return "";
      isVar = true;
    }
  }
  if (tokenAt(i).kind != Tok::Equal)
    return "";
  return isVar ? "var " : "let ";
}

/// The declaration of a parameter of a model for `torch.zeros(3, 4))`, with the
/// first token at `torch`: `f32[3, 4] = zeros(3, 4)`.
std::string Parser::getStateType(size_t first, size_t end) const {
  auto textAt = [&](size_t i) { return textOf(tokenAt(i)); };
  while (first + 2 < end && tokenAt(first + 1).kind == Tok::Dot)
    first += 2;
  bool isFactory =
      llvm::is_contained({"zeros", "ones", "randn", "rand"}, textAt(first));
  size_t open = first + 1;
  if (!isFactory || tokenAt(open).kind != Tok::LParen ||
      findClosing(open) + 1 != end)
    return "";
  llvm::StringRef sizes = text.slice(tokenAt(open).end, tokenAt(end - 1).begin);
  if (sizes.find_first_of("([=") != llvm::StringRef::npos)
    return "";
  return ("f32[" + sizes + "] = " + textAt(first) + "(" + sizes + ")").str();
}

/// `self.w = …` in a constructor, from token `i` on, as a member of a model.
Edit Parser::declareField(size_t i) const {
  SourceRange self = rangeOf(tokenAt(i)).to(rangeOf(tokenAt(i + 1)));
  size_t value = i + 4;
  while (tokenAt(value).kind == Tok::Name &&
         tokenAt(value + 1).kind == Tok::Dot)
    value += 2;
  if (textOf(tokenAt(value)) != "Parameter" ||
      tokenAt(value + 1).kind != Tok::LParen)
    return {self, ""};
  size_t close = findClosing(value + 1);
  std::string type = getStateType(value + 2, close);
  bool isOne = hasOneArgument(value + 1, close);
  if (type.empty() && !isOne)
    return {self, ""};
  if (type.empty())
    return {self.to(rangeOf(tokenAt(close))),
            ("param " + textOf(tokenAt(i + 2)) + " = " +
             text.slice(tokenAt(value + 1).end, tokenAt(close).begin).trim())
                .str()};
  return {self.to(rangeOf(tokenAt(close))),
          ("param " + textOf(tokenAt(i + 2)) + ": " + type).str()};
}

/// `self.register_buffer("m", torch.zeros(3))`, from token `i` on.
std::optional<Edit> Parser::declareBuffer(size_t i) const {
  size_t open = i + 3;
  bool isBuffer = textOf(tokenAt(i + 2)) == "register_buffer" &&
                  tokenAt(open).kind == Tok::LParen &&
                  tokenAt(open + 1).kind == Tok::String &&
                  tokenAt(open + 2).kind == Tok::Comma;
  if (!isBuffer)
    return std::nullopt;
  size_t close = findClosing(open);
  std::string type = getStateType(open + 3, close);
  llvm::StringRef name = textOf(tokenAt(open + 1)).trim("'\"");
  if (type.empty() && !hasOneArgument(open + 2, close))
    return std::nullopt;
  if (type.empty())
    return Edit{rangeOf(tokenAt(i)).to(rangeOf(tokenAt(close))),
                ("buffer " + name + " = " +
                 text.slice(tokenAt(open + 2).end, tokenAt(close).begin).trim())
                    .str()};
  return Edit{rangeOf(tokenAt(i)).to(rangeOf(tokenAt(close))),
              ("buffer " + name + ": " + type).str()};
}

Parser::ConstructorNames Parser::findNames(size_t open, size_t colon,
                                           size_t end) const {
  ConstructorNames names;
  llvm::SmallVector<llvm::StringRef> params;
  size_t close = findClosing(open);
  for (size_t i = open + 1; i < close; ++i) {
    Tok before = tokenAt(i - 1).kind;
    if (tokenAt(i).kind == Tok::Name &&
        (before == Tok::LParen || before == Tok::Comma))
      params.push_back(textOf(tokenAt(i)));
    if (tokenAt(i).kind == Tok::LParen || tokenAt(i).kind == Tok::LSquare)
      i = findClosing(i);
  }
  size_t outer = indentOf(tokenAt(open).begin).size(), body = 0;
  llvm::SmallVector<llvm::StringRef> assigned;
  for (size_t i = colon + 1; i < end; ++i) {
    Token token = tokenAt(i);
    if (token.kind == Tok::Newline)
      continue;
    size_t indent = indentOf(token.begin).size();
    if (indent <= outer)
      break;
    body = body == 0 ? indent : body;
    names.end = i + 1;
    if (!startsStatement(i))
      continue;
    llvm::StringRef name = textOf(token);
    if (token.kind == Tok::Self && tokenAt(i + 1).kind == Tok::Dot &&
        tokenAt(i + 3).kind == Tok::Equal)
      names.fields.push_back(textOf(tokenAt(i + 2)));
    if (std::optional<Choice> choice = findChoice(i, indent, body)) {
      names.choices.push_back(*choice);
      assigned.push_back(choice->name);
      // The assignment in it is a part of the choice.
      for (i = choice->last; names.end < i + 1;)
        ++names.end;
      continue;
    }
    if (token.kind != Tok::Name || !changesLocal(i, name))
      continue;
    assigned.push_back(name);
    bool isPlain = tokenAt(i + 1).kind == Tok::Equal;
    bool isNested = indent != body || tokenAt(i - 1).kind == Tok::Colon;
    if ((isNested || !isPlain) && llvm::is_contained(params, name) &&
        !llvm::is_contained(names.changedParams, name))
      names.changedParams.push_back(name);
  }
  for (llvm::StringRef name : assigned) {
    bool isField = llvm::is_contained(names.fields, name);
    if (isField && !llvm::is_contained(names.renamed, name))
      names.renamed.push_back(name);
    bool isChosen = llvm::any_of(names.choices, [&](const Choice &choice) {
      return choice.name == name;
    });
    if (isField && llvm::is_contained(params, name) && !isChosen &&
        !llvm::is_contained(names.changedParams, name))
      names.changedParams.push_back(name);
  }
  return names;
}

/// `if width is None: width = 8`, from token `i` on: one assignment under a
/// condition, in the outermost block of a constructor.
std::optional<Parser::Choice> Parser::findChoice(size_t i, size_t indent,
                                                 size_t body) const {
  if (tokenAt(i).kind != Tok::If || indent != body)
    return std::nullopt;
  Choice choice;
  choice.first = i;
  choice.colon = i + 1;
  for (; tokenAt(choice.colon).kind != Tok::Colon; ++choice.colon) {
    Tok kind = tokenAt(choice.colon).kind;
    if (kind == Tok::LParen || kind == Tok::LSquare)
      choice.colon = findClosing(choice.colon);
    if (kind == Tok::Newline || kind == Tok::End)
      return std::nullopt;
  }
  size_t name = choice.colon + 1;
  while (tokenAt(name).kind == Tok::Newline)
    ++name;
  if (tokenAt(name).kind != Tok::Name || tokenAt(name + 1).kind != Tok::Equal)
    return std::nullopt;
  choice.name = textOf(tokenAt(name));
  choice.value = name + 2;
  choice.last = choice.value;
  for (size_t at = choice.value;
       tokenAt(at).kind != Tok::Newline && tokenAt(at).kind != Tok::End; ++at) {
    if (tokenAt(at).kind == Tok::LParen || tokenAt(at).kind == Tok::LSquare)
      at = findClosing(at);
    choice.last = at;
  }
  size_t next = choice.last + 1;
  while (tokenAt(next).kind == Tok::Newline)
    ++next;
  bool goesOn =
      tokenAt(next).kind != Tok::End &&
      (indentOf(tokenAt(next).begin).size() > body ||
       (indentOf(tokenAt(next).begin).size() == body &&
        (tokenAt(next).kind == Tok::Else || textOf(tokenAt(next)) == "elif")));
  return goesOn ? std::nullopt : std::optional(choice);
}

/// `let width = 8 if width is None else width`, with the names as they are
/// from there on.
void Parser::rewriteChoices(const ConstructorNames &names,
                            std::vector<Edit> &edits) const {
  for (const Choice &choice : names.choices) {
    std::string name = names.getName(choice.name);
    bool isVar = llvm::is_contained(names.changedParams, choice.name);
    // The first choice reads the parameter.
    bool isFirst = !isVar && llvm::none_of(names.choices, [&](auto &other) {
      return other.name == choice.name && other.first < choice.first;
    });
    std::string before = isFirst ? choice.name.str() : name;
    auto write = [&](size_t begin, size_t end) {
      std::string written;
      for (size_t i = begin; i <= end; ++i) {
        Token token = tokenAt(i);
        std::optional<Edit> edit = renameLocal(i, names);
        bool isOwn = isFirst && textOf(token) == choice.name;
        if (i != begin)
          written += text.slice(tokenAt(i - 1).end, token.begin);
        written += edit && !isOwn ? edit->text : textOf(token).str();
      }
      return written;
    };
    std::string chosen = write(choice.value, choice.last),
                condition = write(choice.first + 1, choice.colon - 1);
    std::string made = (llvm::Twine(isVar ? "" : "let ") + name + " = " +
                        chosen + " if " + condition + " else " + before)
                           .str();
    SourceRange whole =
        rangeOf(tokenAt(choice.first)).to(rangeOf(tokenAt(choice.last)));
    llvm::erase_if(edits, [&](const Edit &edit) {
      return whole.begin <= edit.range.begin && edit.range.end <= whole.end;
    });
    edits.push_back({whole, made});
  }
}

/// A name of the constructor that is a field's, too, at token `i`.
std::optional<Edit> Parser::renameLocal(size_t i,
                                        const ConstructorNames &names) const {
  Token token = tokenAt(i);
  bool isName = token.kind == Tok::Name &&
                llvm::is_contained(names.renamed, textOf(token)) &&
                tokenAt(i - 1).kind != Tok::Dot;
  bool isKeyword = tokenAt(i + 1).kind == Tok::Equal && !startsStatement(i);
  // Before the first choice it is the parameter.
  const Choice *first = llvm::find_if(names.choices, [&](const Choice &choice) {
    return choice.name == textOf(token);
  });
  bool isBefore = first != names.choices.end() && i < first->first &&
                  !llvm::is_contained(names.changedParams, textOf(token));
  if (!isName || isKeyword || isBefore)
    return std::nullopt;
  return Edit{rangeOf(token), names.getName(textOf(token))};
}

/// `self.a, self.b = x, y` as two statements, wherever it is one of a class.
std::vector<Edit> Parser::splitFields(size_t begin, size_t end) const {
  std::vector<Edit> edits;
  for (size_t i = begin; i < end; ++i) {
    if (!startsStatement(i) || tokenAt(i).kind != Tok::Self)
      continue;
    llvm::SmallVector<llvm::StringRef> fields, values;
    size_t at = i;
    for (; tokenAt(at).kind == Tok::Self && tokenAt(at + 1).kind == Tok::Dot;
         at += 4) {
      fields.push_back(textOf(tokenAt(at + 2)));
      if (tokenAt(at + 3).kind != Tok::Comma)
        break;
    }
    if (fields.size() < 2 || tokenAt(at + 3).kind != Tok::Equal)
      continue;
    size_t first = at + 4, last = first;
    for (;; ++last) {
      Tok kind = tokenAt(last).kind;
      bool isOver = kind == Tok::Newline || kind == Tok::End;
      if (kind == Tok::LParen || kind == Tok::LSquare)
        last = findClosing(last);
      if (kind == Tok::Comma || isOver) {
        values.push_back(
            text.slice(tokenAt(first).begin, tokenAt(last - 1).end));
        first = last + 1;
      }
      if (isOver)
        break;
    }
    // A later value may read what an earlier one is assigned to.
    bool isRead = llvm::any_of(
        values, [](llvm::StringRef value) { return value.contains("self."); });
    if (values.size() != fields.size() || isRead)
      continue;
    std::string lines;
    for (auto [field, value] : llvm::zip_equal(fields, values))
      lines +=
          ((lines.empty() ? llvm::Twine() : "\n" + indentOf(tokenAt(i).begin)) +
           "self." + field + " = " + value)
              .str();
    edits.push_back(
        {rangeOf(tokenAt(i)).to(rangeOf(tokenAt(last - 1))), lines});
  }
  return edits;
}

std::string Parser::unwrapConstructor(size_t begin, size_t end,
                                      std::vector<Edit> &edits) const {
  size_t def = begin;
  while (def != end && !(textOf(tokenAt(def)) == "def" &&
                         textOf(tokenAt(def + 1)) == "__init__" &&
                         tokenAt(def + 2).kind == Tok::LParen))
    ++def;
  if (def == end)
    return "";
  llvm::StringRef indent = indentOf(tokenAt(def).begin);
  size_t open = def + 2, close = findClosing(open);
  size_t first = open + 1;
  while (tokenAt(first).kind == Tok::Self || tokenAt(first).kind == Tok::Comma)
    ++first;
  std::string params;
  if (first < close)
    params =
        ("(" + text.slice(tokenAt(first).begin, tokenAt(close).begin).rtrim() +
         ")")
            .str();
  size_t colon = close;
  while (colon < end && tokenAt(colon).kind != Tok::Colon)
    ++colon;
  SourceRange header = rangeOf(tokenAt(def)).to(rangeOf(tokenAt(colon)));
  edits.push_back(removeLine(header));
  ConstructorNames names = findNames(open, colon, end);
  for (llvm::StringRef param : names.changedParams) {
    // In place of the header's line, if nothing else is on it.
    Edit &edit = edits.back();
    bool isLine = text[edit.range.end - 1] == '\n';
    std::string copy = ("var " + names.getName(param) + " = " + param).str();
    edit.text = isLine ? edit.text + indent.str() + copy + "\n"
                       : copy + "\n" + indent.str() + edit.text;
  }
  for (size_t i = colon + 1; i < names.end; ++i)
    if (std::optional<Edit> edit = renameLocal(i, names))
      edits.push_back(*edit);

  size_t last = colon; // of the constructor
  for (size_t i = colon + 1; i < end; ++i) {
    Token token = tokenAt(i);
    if (token.kind == Tok::Newline)
      continue;
    if (indentOf(token.begin).size() <= indent.size())
      break;
    last = i;
    Tok before = tokenAt(i - 1).kind;
    if (before != Tok::Newline && before != Tok::Colon)
      continue;
    if (textOf(token) == "super") {
      size_t stop = i;
      while (stop + 1 < end && tokenAt(stop + 1).kind != Tok::Newline)
        ++stop;
      edits.push_back(removeLine(rangeOf(token).to(rangeOf(tokenAt(stop)))));
    } else if (token.kind == Tok::Self && tokenAt(i + 3).kind == Tok::Equal) {
      edits.push_back(declareField(i));
    } else if (token.kind == Tok::Self) {
      if (std::optional<Edit> buffer = declareBuffer(i))
        edits.push_back(*buffer);
    } else if (token.kind == Tok::Name && before == Tok::Newline &&
               !llvm::is_contained(names.changedParams, textOf(token))) {
      std::string word = declareLocals(colon + 1, i, end);
      auto renamed = llvm::find_if(edits, [&](const Edit &edit) {
        return edit.range == rangeOf(token);
      });
      if (renamed != edits.end())
        renamed->text = word + renamed->text;
      else if (!word.empty())
        edits.push_back({rangeOf(token).start(), word});
    }
  }
  rewriteChoices(names, edits);
  // An edit of a whole value leaves no others in it.
  std::vector<Edit> all = edits;
  llvm::erase_if(edits, [&](const Edit &inner) {
    return llvm::any_of(all, [&](const Edit &outer) {
      return outer.range.begin <= inner.range.begin &&
             inner.range.end <= outer.range.end && inner.range != outer.range &&
             outer.range.size() != 0;
    });
  });
  dedent(rangeOf(tokenAt(colon)).to(rangeOf(tokenAt(last))), indent, edits);
  return params;
}

SourceRange Parser::findOtherSelf(size_t begin, size_t end) const {
  while (begin != end && tokenAt(begin).kind == Tok::Newline)
    ++begin;
  size_t indent = indentOf(tokenAt(begin).begin).size();
  for (size_t i = begin; i != end; ++i) {
    bool isMethod = textOf(tokenAt(i)) == "def" &&
                    tokenAt(i + 2).kind == Tok::LParen &&
                    indentOf(tokenAt(i).begin).size() == indent;
    bool isDecorated = i >= begin + 3 && tokenAt(i - 3).kind == Tok::At;
    if (isMethod && !isDecorated && tokenAt(i + 3).kind == Tok::Name)
      return rangeOf(tokenAt(i + 3));
  }
  return {};
}

void Parser::skipClass() {
  Token word = advance();
  llvm::StringRef name = textOf(peek());
  SourceRange base; // one that has members, which a model would lack
  while (!atLineEnd() && !at(Tok::LBrace) && !at(Tok::Colon)) {
    bool isLast = peek(1).kind == Tok::RParen || peek(1).kind == Tok::Comma;
    if (at(Tok::Name) && isLast && !atName("Module") && !atName("object") &&
        !atName("Dataset"))
      base = rangeOf(peek());
    advance();
  }
  if (at(Tok::LBrace) || at(Tok::Colon))
    advance();
  SourceRange header = rangeFrom(rangeOf(word));
  std::string params;
  SourceRange otherSelf;
  std::vector<Edit> edits, fields;
  if (previous().kind == Tok::LBrace) {
    --pos; // for skipStatement, which counts braces
  } else if (previous().kind == Tok::Colon) {
    llvm::StringRef indent = indentOf(word.begin);
    size_t first = pos;
    skipIndented(indent);
    params = unwrapConstructor(first, pos, edits);
    otherSelf = findOtherSelf(first, pos);
    fields = splitFields(first, pos);
    edits.push_back(closeIndented(indent));
  }
  std::string replacement = ("model " + name + params + " {").str();
  edits.insert(edits.begin(), {header, replacement});
  Diagnostic &report = diags.report(DiagCode::TD102, header)
                           .label("a model is declared with `model`");
  if (base.isValid()) {
    report.note("a model does not inherit: make `" + sources.getText(base) +
                    "` a part of it, or write the members here",
                base);
    return;
  }
  if (otherSelf.isValid()) {
    report.note("rename `" + sources.getText(otherSelf) +
                    "` to `self`, the name of a model in its methods",
                otherSelf);
    return;
  }
  if (!fields.empty()) { // the class follows
    report.fix(FixIt::Safe, "each field in a line of its own",
               std::move(fields));
    return;
  }
  report.fix(FixIt::Safe,
             "`" + replacement +
                 "`  (`def` becomes `fn`; fields are declared without `self.`)",
             std::move(edits));
}
