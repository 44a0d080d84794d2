//===- Template.h - the templates of texts --------------------------------===//
//
// What td.format makes a string from: `{}` and `{:spec}` stand for values, `{{`
// and `}}` for braces.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_TEMPLATE_H
#define TDC_DIALECT_TD_OPTABLE_TEMPLATE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc {

/// Literal text with its braces undoubled, and then, unless the template ends,
/// a field with its spec.
struct TemplatePiece {
  std::string literal;
  bool hasField = false;
  llvm::StringRef spec;
};

/// Takes the next piece from the front of what is left of a template.
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

/// Appends text to a template that is to stand for itself.
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
