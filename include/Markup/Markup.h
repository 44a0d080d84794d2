//===- Markup.h - writes HTML and SVG -------------------------------------===//

#ifndef TDC_MARKUP_MARKUP_H
#define TDC_MARKUP_MARKUP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <initializer_list>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tdc {

struct Attribute {
  Attribute(llvm::StringRef name, const llvm::Twine &value)
      : name(name), value(value.str()) {}
  Attribute(llvm::StringRef name, int64_t value)
      : name(name), value(std::to_string(value)) {}
  llvm::StringRef name;
  std::string value;
};

/// Writes elements with their closing tags, and escapes all texts and values.
class Markup {
public:
  using Attributes = std::initializer_list<Attribute>;
  using Contents = llvm::function_ref<void()>;

  explicit Markup(llvm::raw_ostream &os) : os(os) {}

  void element(llvm::StringRef name, Attributes attributes, Contents contents);
  void element(llvm::StringRef name, Attributes attributes,
               const llvm::Twine &text);
  /// Writes an element that has no contents and no closing tag: `col`, `meta`.
  void empty(llvm::StringRef name, Attributes attributes);
  void text(const llvm::Twine &text);
  /// Writes text that is not escaped: a style sheet.
  void raw(llvm::StringRef text);

private:
  void escape(llvm::StringRef text);

  llvm::raw_ostream &os;
};

} // namespace tdc

#endif // TDC_MARKUP_MARKUP_H
