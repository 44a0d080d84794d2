//===- Markup.cpp - writes HTML and SVG -----------------------------------===//

#include "Markup/Markup.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

void Markup::element(llvm::StringRef name, Attributes attributes,
                     Contents contents) {
  empty(name, attributes);
  contents();
  os << "</" << name << ">";
}

void Markup::element(llvm::StringRef name, Attributes attributes,
                     const llvm::Twine &content) {
  element(name, attributes, [&] { text(content); });
}

void Markup::empty(llvm::StringRef name, Attributes attributes) {
  // Line breaks keep the page readable as text; white space before these
  // elements has no meaning.
  if (llvm::is_contained({"section", "table", "tr", "svg", "h2", "p"}, name))
    os << "\n";
  os << "<" << name;
  for (const Attribute &attribute : attributes) {
    os << " " << attribute.name << "=\"";
    escape(attribute.value);
    os << "\"";
  }
  os << ">";
}

void Markup::text(const llvm::Twine &text) { escape(text.str()); }

void Markup::raw(llvm::StringRef text) { os << text; }

/// Writes text with HTML's special characters escaped. Replaces what HTML does
/// not allow by the replacement character: control characters and, in names of
/// files, bytes that are not UTF-8.
void Markup::escape(llvm::StringRef text) {
  for (char c : llvm::json::fixUTF8(text)) {
    if (c == '&')
      os << "&amp;";
    else if (c == '<')
      os << "&lt;";
    else if (c == '>')
      os << "&gt;";
    else if (c == '"')
      os << "&quot;";
    else if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n') ||
             c == '\x7f')
      os << "\xef\xbf\xbd";
    else
      os << c;
  }
}
