//===- PythonStrings.cpp - "{}".format(x) and "%d" % x --------------------===//
//
// TD102 of Python's older ways to put values into a string, with the equivalent
// f-string.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::ast;

namespace {
/// Builds the f-string of a literal and its values. Stops at a field that an
/// f-string cannot express.
class FStringBuilder {
public:
  FStringBuilder(llvm::StringRef literal,
                 llvm::SmallVector<llvm::StringRef> values)
      : quote(literal.front()), rest(literal.drop_front().drop_back()),
        values(std::move(values)) {}

  /// The f-string of a literal with the fields `{}`, `{:.2f}`, `{0}`.
  std::optional<std::string> fromFormat();
  /// The f-string of a literal with the fields `%d`, `%.4f`, `%s`.
  std::optional<std::string> fromPercent();

private:
  bool add(size_t index, llvm::StringRef format);
  std::optional<std::string> finish() const;

  char quote;
  llvm::StringRef rest;
  llvm::SmallVector<llvm::StringRef> values;
  std::string result;
  size_t used = 0;
};
} // namespace

bool FStringBuilder::add(size_t index, llvm::StringRef format) {
  if (index >= values.size() || values[index].contains(quote) ||
      values[index].find_first_of("\\\n#") != llvm::StringRef::npos)
    return false;
  result +=
      ("{" + values[index] + (format.empty() ? "" : ":") + format + "}").str();
  return true;
}

std::optional<std::string> FStringBuilder::finish() const {
  return "f" + (quote + result) + quote;
}

std::optional<std::string> FStringBuilder::fromFormat() {
  while (!rest.empty()) {
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      result += rest.take_front(2);
      rest = rest.drop_front(2);
    } else if (rest.consume_front("{")) {
      auto [field, after] = rest.split('}');
      auto [place, format] = field.split(':');
      size_t index = used;
      if (place.empty())
        ++used;
      else if (place.getAsInteger(10, index))
        return std::nullopt;
      if (!add(index, format))
        return std::nullopt;
      rest = after;
    } else {
      result += rest.front();
      rest = rest.drop_front();
    }
  }
  return finish();
}

std::optional<std::string> FStringBuilder::fromPercent() {
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '{' || c == '}')
      result += c; // doubled below
    if (c != '%' || rest.consume_front("%")) {
      result += c;
      continue;
    }
    size_t end = rest.find_first_not_of("0123456789.+");
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    std::string format = rest.take_front(end).str();
    char type = rest[end];
    if (llvm::StringRef("defgx").contains(type))
      format += type;
    else if (type == 'i')
      format += 'd';
    else if (type != 's')
      return std::nullopt;
    if (!add(used++, format))
      return std::nullopt;
    rest = rest.drop_front(end + 1);
  }
  return used == values.size() ? finish() : std::nullopt;
}

/// Reports a formatted literal and offers `fstring`; without one, shows how an
/// f-string is written.
static void reportString(DiagnosticEngine &diags, SourceRange range,
                         SourceRange whole,
                         const std::optional<std::string> &fstring) {
  Diagnostic &report = diags.report(DiagCode::TD102, range)
                           .label("values are written in an f-string");
  if (fstring)
    report.fix(FixIt::Safe, "`" + *fstring + "`", {{whole, *fstring}});
  else
    report.note("as in `f\"epoch {epoch}: {loss:.4f}\"`");
}

bool Parser::reportFormatCall(const Expr *callee,
                              llvm::ArrayRef<Argument> args) {
  auto *method = llvm::dyn_cast<MemberExpr>(callee);
  if (!method || !llvm::isa<StringExpr>(method->base) ||
      method->member.text != "format")
    return false;
  llvm::SmallVector<llvm::StringRef> values;
  bool isPlain = true;
  for (const Argument &arg : args) {
    isPlain &= arg.kind == Argument::Positional;
    values.push_back(sources.getText(arg.value->range));
  }
  FStringBuilder builder(sources.getText(method->base->range), values);
  reportString(diags, method->member.range, rangeFrom(callee->range),
               isPlain ? builder.fromFormat() : std::nullopt);
  return true;
}

bool Parser::reportPercent(SourceRange sign, const Expr *literal,
                           const Expr *value) {
  if (!value || !llvm::isa_and_nonnull<StringExpr>(literal))
    return false;
  llvm::SmallVector<llvm::StringRef> values;
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(value))
    for (const Expr *element : tuple->elements)
      values.push_back(sources.getText(element->range));
  else
    values.push_back(sources.getText(value->range));
  FStringBuilder builder(sources.getText(literal->range), values);
  reportString(diags, sign, literal->range.to(value->range),
               builder.fromPercent());
  return true;
}
