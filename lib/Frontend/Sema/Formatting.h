//===- Formatting.h - values in text --------------------------------------===//
//
// A text is a template plus the values for its `{}`. Values with a known text
// (strings, devices, dtypes, ints) become part of the template.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_FORMATTING_H
#define TDC_LIB_FRONTEND_SEMA_FORMATTING_H

#include "Values.h"

namespace tdc::sema {

class HostScalars;
class Places;
class Reporter;
class Tensors;

class Formatting {
public:
  Formatting(Reporter &c, HostScalars &host, Places &places, Tensors &tensors)
      : c(c), host(host), places(places), tensors(tensors) {}

  /// Whether the value can have this format; TD305 if not.
  bool checkSpec(const ast::FormatSpec &spec, const Val &val);
  /// Appends the value to a template, as `print` shows it.
  void appendValue(std::string &templateText, llvm::SmallVectorImpl<Value> &out,
                   const Val &val, llvm::StringRef spec, bool inFString);
  /// The same for a model (ModelPrinting.cpp).
  void appendModel(std::string &templateText, llvm::SmallVectorImpl<Value> &out,
                   const Val &model);
  Value emitText(llvm::StringRef templateText, llvm::ArrayRef<Value> values);
  std::optional<std::string> constantText(const Val &val);

  /// In a report: known floats are digits, not values for the running program.
  bool showsFloats = false;

private:
  Reporter &c;
  HostScalars &host;
  Places &places;
  Tensors &tensors;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_FORMATTING_H
