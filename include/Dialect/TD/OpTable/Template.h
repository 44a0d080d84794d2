//===- Template.h - the templates of td.format ----------------------------===//
//
// td.format makes a string from a template: values replace `{}` and `{:spec}`,
// single braces replace `{{` and `}}`.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_TEMPLATE_H
#define TDC_DIALECT_TD_OPTABLE_TEMPLATE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc {

/// Literal text, with single braces for doubled ones, and the field that
/// follows it, with its spec, unless the template ends.
struct TemplatePiece {
  std::string literal;
  bool hasField = false;
  llvm::StringRef spec;
};

/// Removes the next piece from the front of `rest`, what remains of a template,
/// and returns it.
inline TemplatePiece takePiece(llvm::StringRef &rest) {
  TemplatePiece piece;
  while (!rest.empty()) {
    size_t brace = rest.find_first_of("{}");
    piece.literal += rest.take_front(brace);
    rest = rest.substr(brace);
    if (rest.starts_with("{") && !rest.starts_with("{{")) {
      auto [field, after] = rest.drop_front().split('}');
      field.consume_front(":");
      piece.hasField = true;
      piece.spec = field;
      rest = after;
      break;
    }
    piece.literal += rest.take_front(1);
    rest = rest.substr(2);
  }
  return piece;
}

/// Appends `text` to a template as literal text, with its braces doubled.
inline void appendLiteral(std::string &templateText, llvm::StringRef text) {
  for (size_t brace; (brace = text.find_first_of("{}")) != text.npos;) {
    templateText += text.take_front(brace + 1);
    templateText += text[brace];
    text = text.drop_front(brace + 1);
  }
  templateText += text;
}

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_TEMPLATE_H
