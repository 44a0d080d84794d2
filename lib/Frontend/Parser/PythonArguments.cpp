//===- PythonArguments.cpp - argparse of a PyTorch script -----------------===//
//
// TD102 of `argparse.ArgumentParser(…)`. A parser at the top level or in a
// function, of which each option has a type and a default, becomes an `arg` for
// each, and `args.lr` is then `lr`. A parameter may have the name of an option
// if its function does not read that option, and `lr = args.lr` goes. Where
// something else is done with the parser or its result, or where the script has
// another variable with the name of an option, nothing is rewritten.
//
//===----------------------------------------------------------------------===//
#include "Frontend/Characters.h"
#include "ParserImpl.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace tdc;

namespace {
/// One `parser.add_argument(…)`.
struct Option {
  std::string name, type, value, help;
};
} // namespace

/// The words of a call's arguments, one list for each.
static std::vector<std::vector<Token>>
splitArguments(llvm::ArrayRef<Token> all) {
  std::vector<std::vector<Token>> arguments(1);
  unsigned depth = 0;
  for (const Token &token : all) {
    depth += token.kind == Tok::LParen || token.kind == Tok::LSquare;
    depth -= token.kind == Tok::RParen || token.kind == Tok::RSquare;
    if (token.kind == Tok::Comma && depth == 0)
      arguments.emplace_back();
    else if (token.kind != Tok::Newline)
      arguments.back().push_back(token);
  }
  if (arguments.back().empty())
    arguments.pop_back();
  return arguments;
}

/// Whether a default is a literal of the type.
static bool isLiteralOf(llvm::StringRef type, llvm::ArrayRef<Token> value) {
  if (type != "str" && !value.empty() && value.front().kind == Tok::Minus)
    value = value.drop_front();
  Tok kind = type == "int"     ? Tok::Int
             : type == "float" ? Tok::Float
                               : Tok::String;
  return value.size() == 1 && value.front().kind == kind;
}

/// What `add_argument` declares; nothing if `arg` cannot say it.
static std::optional<Option> readOption(llvm::ArrayRef<Token> tokens,
                                        llvm::StringRef text) {
  auto textOf = [&](const Token &token) {
    return text.slice(token.begin, token.end);
  };
  Option option;
  option.type = "str";
  bool isRequired = false;
  for (const std::vector<Token> &argument : splitArguments(tokens)) {
    bool isKeyword = argument.size() > 2 && argument[1].kind == Tok::Equal;
    if (!isKeyword) {
      if (argument.size() != 1 || argument[0].kind != Tok::String)
        return std::nullopt;
      llvm::StringRef name = textOf(argument[0]).trim("'\"");
      if (name.consume_front("--")) {
        option.name = name.str();
        std::replace(option.name.begin(), option.name.end(), '-', '_');
      } else if (!name.starts_with("-")) {
        return std::nullopt;
      }
      continue;
    }
    llvm::StringRef word = textOf(argument[0]);
    llvm::ArrayRef<Token> value = llvm::ArrayRef(argument).drop_front(2);
    llvm::StringRef written = text.slice(value.front().begin, value.back().end);
    if (word == "type" &&
        (written == "int" || written == "float" || written == "str"))
      option.type = written.str();
    else if (word == "action" && written.trim("'\"") == "store_true")
      option.type = "bool";
    else if (word == "default")
      option.value = written.str();
    else if (word == "required")
      isRequired = written == "True";
    else if (word == "help" && value.size() == 1 &&
             value[0].kind == Tok::String)
      option.help = written.str();
    else if (word != "metavar" && word != "help")
      return std::nullopt;
    if (word == "default" && written != "False" && !isLiteralOf("int", value) &&
        !isLiteralOf("float", value) && !isLiteralOf("str", value))
      return std::nullopt;
  }
  bool isFlag = option.type == "bool";
  if (isFlag && (option.value.empty() || option.value == "False"))
    option.value = "false";
  // Without a default the value is None.
  if (option.name.empty() || (option.value.empty() && !isRequired))
    return std::nullopt;
  bool isStr = llvm::StringRef(option.value).find_first_of("'\"") == 0;
  bool isWhole = llvm::StringRef(option.value).find_first_of(".e") ==
                 llvm::StringRef::npos;
  bool fits = option.value.empty() || (isFlag && option.value == "false") ||
              (option.type == "str" && isStr) ||
              (option.type == "int" && !isStr && isWhole) ||
              (option.type == "float" && !isStr && !isWhole);
  return fits ? std::optional(option) : std::nullopt;
}

/// Where the declarations of options go: nothing for a parser at the top level,
/// and before the function of one that is in it.
std::optional<SourceRange> Parser::findFunctionStart(Token parser) const {
  llvm::StringRef indent = indentOf(parser.begin);
  size_t i =
      llvm::partition_point(
          *tokens, [&](Token token) { return token.begin < parser.begin; }) -
      tokens->begin();
  while (i != 0) {
    Token token = tokenAt(--i);
    bool isFirst = i == 0 || tokenAt(i - 1).kind == Tok::Newline;
    if (isFirst && indentOf(token.begin).size() < indent.size()) {
      bool isFunction = textOf(token) == "def" || token.kind == Tok::Fn;
      if (!isFunction || !indentOf(token.begin).empty())
        return std::nullopt;
      return rangeOf(token).start();
    }
  }
  return std::nullopt;
}

std::vector<Edit> Parser::rewriteArguments(Token parser,
                                           std::string &why) const {
  llvm::StringRef indent = indentOf(parser.begin);
  std::optional<SourceRange> function;
  if (!indent.empty())
    function = findFunctionStart(parser);
  if (!indent.empty() && !function)
    return {};
  std::string hoisted;
  llvm::StringRef parserName = textOf(parser), argsName;
  std::vector<Edit> edits;
  llvm::StringSet<> options;
  size_t last = tokens->size() - 1;
  for (size_t i = 0; i != last; ++i) {
    Token token = tokenAt(i);
    if (token.kind != Tok::Name || textOf(token) != parserName)
      continue;
    // `tdc fix` may have written a `let` before.
    auto startOf = [&](size_t name) {
      return name != 0 && tokenAt(name - 1).kind == Tok::Let ? name - 1 : name;
    };
    bool isStart = i == 0 || tokenAt(i - 1).kind == Tok::Newline;
    size_t open = i + 3;
    if (token.begin == parser.begin) {
      while (open < last && tokenAt(open).kind != Tok::LParen)
        ++open;
      size_t close = findClosing(open);
      if (tokenAt(close + 1).kind != Tok::Newline)
        return {};
      edits.push_back(
          removeLine(rangeOf(tokenAt(startOf(i))).to(rangeOf(tokenAt(close)))));
      continue;
    }
    llvm::StringRef method = textOf(tokenAt(i + 2));
    size_t close = findClosing(open);
    if (tokenAt(i + 1).kind != Tok::Dot || tokenAt(open).kind != Tok::LParen ||
        tokenAt(close + 1).kind != Tok::Newline)
      return {};
    if (method == "add_argument" && isStart &&
        indentOf(token.begin) == indent) {
      llvm::ArrayRef<Token> inside(*tokens);
      std::optional<Option> option =
          readOption(inside.slice(open + 1, close - open - 1), text);
      if (!option || !options.insert(option->name).second) {
        why = ("an `arg` has a name, a type and a default: " +
               text.slice(token.begin, tokenAt(close).end))
                  .str();
        return {};
      }
      std::string declared = "arg " + option->name + ": " + option->type;
      if (!option->value.empty())
        declared += " = " + option->value;
      if (!option->help.empty())
        declared += " " + option->help;
      SourceRange call = rangeOf(token).to(rangeOf(tokenAt(close)));
      if (function)
        edits.push_back(removeLine(call));
      else
        edits.push_back({call, declared});
      hoisted += declared + "\n";
    } else if (method == "parse_args" && close == open + 1 && i >= 2 &&
               argsName.empty() && tokenAt(i - 1).kind == Tok::Equal &&
               (startOf(i - 2) == 0 ||
                tokenAt(startOf(i - 2) - 1).kind == Tok::Newline) &&
               indentOf(token.begin) == indent) {
      argsName = textOf(tokenAt(i - 2));
      edits.push_back(removeLine(
          rangeOf(tokenAt(startOf(i - 2))).to(rangeOf(tokenAt(close)))));
    } else {
      return {};
    }
  }
  if (argsName.empty() || !rewriteUses(argsName, options, edits, why))
    return {};
  // At the end of the line before the function.
  if (function && function->begin != 0)
    edits.push_back({{file, function->begin - 1, function->begin - 1},
                     "\n" + llvm::StringRef(hoisted).rtrim().str() + "\n"});
  else if (function)
    edits.push_back({*function, hoisted + "\n"});
  return edits;
}

/// `train(args, model)` and `def train(args, model)`: the options are known in
/// functions without it. Returns the name of the function; empty if `args`, at
/// token `i`, is something else.
llvm::StringRef Parser::dropArgument(size_t i, std::vector<Edit> &edits) const {
  Token before = tokenAt(i - 1), after = tokenAt(i + 1);
  bool isListed = (before.kind == Tok::LParen || before.kind == Tok::Comma) &&
                  (after.kind == Tok::RParen || after.kind == Tok::Comma);
  if (!isListed)
    return "";
  size_t open = i;
  for (unsigned depth = 1; depth != 0 && open != 0;) {
    Tok kind = tokenAt(--open).kind;
    depth += kind == Tok::RParen || kind == Tok::RSquare;
    depth -= kind == Tok::LParen || kind == Tok::LSquare;
  }
  if (open < 1 || tokenAt(open - 1).kind != Tok::Name ||
      (open > 1 && tokenAt(open - 2).kind == Tok::Dot))
    return "";
  if (after.kind == Tok::Comma)
    edits.push_back(
        {rangeOf(tokenAt(i)).to(rangeOf(tokenAt(i + 2)).start()), ""});
  else if (before.kind == Tok::Comma)
    edits.push_back({rangeOf(before).to(rangeOf(tokenAt(i))), ""});
  else
    edits.push_back({rangeOf(tokenAt(i)), ""});
  return textOf(tokenAt(open - 1));
}

SourceRange Parser::findExtent(size_t first) const {
  Token start = tokenAt(first);
  size_t i = first, end = tokens->size() - 1;
  for (; i < end && tokenAt(i).kind != Tok::Newline; ++i) {
    Tok kind = tokenAt(i).kind;
    if (kind == Tok::LParen || kind == Tok::LSquare) {
      i = findClosing(i);
    } else if (kind == Tok::LBrace) {
      for (unsigned depth = 0; i < end; ++i) {
        depth += tokenAt(i).kind == Tok::LBrace;
        depth -= tokenAt(i).kind == Tok::RBrace;
        if (depth == 0)
          return rangeOf(start).to(rangeOf(tokenAt(i)));
      }
    } else if (kind == Tok::Colon) {
      // To the next line that is not indented more.
      size_t indent = indentOf(start.begin).size();
      for (; i < end; ++i) {
        kind = tokenAt(i).kind;
        if (kind == Tok::LParen || kind == Tok::LSquare)
          i = findClosing(i);
        else if (kind == Tok::Newline && i + 1 < end &&
                 tokenAt(i + 1).kind != Tok::Newline &&
                 indentOf(tokenAt(i + 1).begin).size() <= indent)
          break;
      }
      return rangeOf(start).to(rangeOf(tokenAt(i)));
    }
  }
  return rangeOf(start).to(rangeOf(tokenAt(i)));
}

llvm::StringMap<std::vector<Parser::ParameterUse>>
Parser::findParameters(const llvm::StringSet<> &names) const {
  llvm::StringMap<std::vector<ParameterUse>> found;
  SourceRange model; // around the constructor
  for (size_t i = 0; i + 2 < tokens->size(); ++i) {
    llvm::StringRef word = textOf(tokenAt(i));
    bool isFirst = i == 0 || tokenAt(i - 1).kind == Tok::Newline ||
                   tokenAt(i - 1).kind == Tok::LBrace;
    if (!isFirst || (word != "def" && word != "fn" && word != "class" &&
                     word != "model" && word != "export"))
      continue;
    SourceRange extent = findExtent(i);
    if (word == "class")
      model = extent;
    size_t open = word == "export" ? i + 3 : i + 2;
    if (word == "class" || tokenAt(open).kind != Tok::LParen)
      continue;
    if (textOf(tokenAt(i + 1)) == "__init__" && model.isValid() &&
        extent.begin < model.end)
      extent = model;
    size_t close = findClosing(open);
    for (size_t k = open; k + 1 < close; ++k) {
      Tok kind = tokenAt(k).kind;
      if ((kind == Tok::LParen && k != open) || kind == Tok::LSquare) {
        k = findClosing(k);
        continue;
      }
      size_t at = k + 1;
      while (at < close && (tokenAt(at).kind == Tok::Newline ||
                            tokenAt(at).kind == Tok::Star))
        ++at;
      if ((kind == Tok::LParen || kind == Tok::Comma) &&
          names.contains(textOf(tokenAt(at))))
        found[textOf(tokenAt(at))].push_back(
            {extent, rangeOf(tokenAt(open)).to(rangeOf(tokenAt(close)))});
    }
  }
  return found;
}

bool Parser::rewriteUses(llvm::StringRef args, const llvm::StringSet<> &options,
                         std::vector<Edit> &edits, std::string &why) const {
  llvm::StringMap<unsigned> given; // with `args`, and its declaration
  std::string prefix = (args + ".").str();
  llvm::StringMap<std::vector<ParameterUse>> parameters =
      findParameters(options);
  auto isParameter = [&](llvm::StringRef name, uint32_t place) {
    auto found = parameters.find(name);
    return found != parameters.end() &&
           llvm::any_of(found->second, [&](const ParameterUse &use) {
             return use.extent.begin <= place && place < use.extent.end;
           });
  };
  // Whether `args.lr`, at token `i`, is not in the reach of a parameter `lr`,
  // unless it is its default value.
  auto isFree = [&](llvm::StringRef name, size_t i) {
    uint32_t place = tokenAt(i).begin;
    bool isDefault = i > 1 && tokenAt(i - 1).kind == Tok::Equal &&
                     textOf(tokenAt(i - 2)) == name;
    auto found = parameters.find(name);
    if (found == parameters.end() ||
        llvm::none_of(found->second, [&](const ParameterUse &use) {
          bool isInHeader = use.header.begin <= place && place < use.header.end;
          return use.extent.begin <= place && place < use.extent.end &&
                 !(isDefault && isInHeader);
        }))
      return true;
    why = ("`" + args + "." + name + "` in line " +
           llvm::Twine(sources.getLineColumn(file, place).line) +
           " would be the parameter `" + name +
           "` of its function: rename the parameter")
              .str();
    return false;
  };
  // `lr = args.lr`, after which `lr` is the option.
  auto startsLine = [&](size_t i) {
    size_t first = i != 0 && tokenAt(i - 1).kind == Tok::Let ? i - 1 : i;
    return first == 0 || tokenAt(first - 1).kind == Tok::Newline;
  };
  auto isCopyAt = [&](size_t i) {
    llvm::StringRef name = textOf(tokenAt(i));
    return startsLine(i) && tokenAt(i + 1).kind == Tok::Equal &&
           textOf(tokenAt(i + 2)) == args && tokenAt(i + 3).kind == Tok::Dot &&
           textOf(tokenAt(i + 4)) == name &&
           tokenAt(i + 5).kind == Tok::Newline && options.contains(name);
  };
  llvm::StringSet<> copied;
  for (size_t i = 0; i + 4 < tokens->size(); ++i)
    if (isCopyAt(i))
      copied.insert(textOf(tokenAt(i)));
  for (size_t i = 1; i != tokens->size(); ++i) {
    Token token = tokenAt(i), next = tokenAt(i + 1);
    llvm::StringRef word = textOf(token);
    if (token.kind == Tok::FString) {
      for (size_t at = word.find(prefix); at != llvm::StringRef::npos;
           at = word.find(prefix, at + 1)) {
        llvm::StringRef name =
            word.substr(at + prefix.size()).take_while(isNameChar);
        bool isOther =
            at != 0 && (isNameChar(word[at - 1]) || word[at - 1] == '.');
        if (isOther || !isInField(word, at))
          continue; // another name, or text
        if (!options.contains(name)) {
          why = ("no option is named `" + name + "`").str();
          return false;
        }
        if (!isFree(name, i))
          return false;
        uint32_t begin = token.begin + at;
        edits.push_back({{file, begin, begin + uint32_t(prefix.size())}, ""});
      }
      continue;
    }
    bool isMember = tokenAt(i - 1).kind == Tok::Dot;
    if (token.kind != Tok::Name || isMember)
      continue;
    if (isCopyAt(i)) {
      if (!isFree(word, i + 2))
        return false;
      size_t first = tokenAt(i - 1).kind == Tok::Let ? i - 1 : i;
      edits.push_back(
          removeLine(rangeOf(tokenAt(first)).to(rangeOf(tokenAt(i + 4)))));
      i += 4;
      continue;
    }
    bool isDefined = next.kind == Tok::Equal &&
                     tokenAt(i + 3).kind == Tok::Dot &&
                     textOf(tokenAt(i + 4)) == "parse_args";
    if (word == args && !isDefined) {
      llvm::StringRef function =
          next.kind == Tok::Dot ? "" : dropArgument(i, edits);
      if (!function.empty()) {
        ++given[function];
        continue;
      }
      if (next.kind != Tok::Dot || !options.contains(textOf(tokenAt(i + 2)))) {
        why = ("`" + args + "` is used in another way in line " +
               llvm::Twine(sources.getLineColumn(file, token.begin).line))
                  .str();
        return false;
      }
      if (!isFree(textOf(tokenAt(i + 2)), i))
        return false;
      edits.push_back({rangeOf(token).to(rangeOf(next)), ""});
    }
    Tok before = tokenAt(i - 1).kind;
    bool isKeyword = next.kind == Tok::Equal &&
                     (before == Tok::LParen || before == Tok::Comma);
    if (options.contains(word) && !isKeyword && !copied.contains(word) &&
        !isParameter(word, token.begin)) {
      why = ("the script has another `" + word + "`, in line " +
             llvm::Twine(sources.getLineColumn(file, token.begin).line))
                .str();
      return false;
    }
  }
  // Each call and the declaration of such a function have it.
  for (size_t i = 0; i + 1 < tokens->size(); ++i) {
    auto found = given.find(textOf(tokenAt(i)));
    bool isMethod = i != 0 && tokenAt(i - 1).kind == Tok::Dot;
    if (found != given.end() && tokenAt(i + 1).kind == Tok::LParen && !isMethod)
      --found->second;
  }
  for (const auto &[function, difference] : given)
    if (difference != 0)
      why =
          ("not every call of `" + function + "` passes `" + args + "`").str();
  return why.empty();
}

void Parser::reportArgumentParser() {
  bool isAssigned =
      at(Tok::Name) && peek(1).kind == Tok::Equal && tokens == &stream.tokens;
  bool isParser =
      isAssigned &&
      ((atName("argparse", 2) && atName("ArgumentParser", 4)) ||
       (atName("ArgumentParser", 2) && peek(3).kind == Tok::LParen));
  if (!isParser)
    return;
  Diagnostic &report =
      diags.report(DiagCode::TD102, rangeOf(peek()).to(rangeOf(peek(2))))
          .label("an option of the command line is declared with `arg`");
  std::string why;
  std::vector<Edit> edits = rewriteArguments(peek(), why);
  if (!why.empty())
    report.note(why);
  if (edits.empty())
    report.note("as in `arg lr: float = 0.1 \"the learning rate\"`, which is "
                "read as `lr`");
  else
    report.fix(FixIt::Safe, "an `arg` for each option", std::move(edits));
}
