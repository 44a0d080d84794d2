//===- Reference.h - the functions of the language ------------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_REFERENCE_H
#define TDC_LIB_LANGUAGESERVER_REFERENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tdc {

/// A row of docs/Reference.md.
struct LanguageFunction {
  llvm::StringRef name;       ///< `relu`, `init.zeros_`; of a method, `.item`
  llvm::StringRef parameters; ///< between the parentheses
  llvm::StringRef description;
};

/// All functions and models of the language, by name.
llvm::ArrayRef<LanguageFunction> getLanguageFunctions();
/// Null if there is none of this name. A method is also any function that takes
/// a tensor first; it is asked for without a dot.
const LanguageFunction *findLanguageFunction(llvm::StringRef name);
const LanguageFunction *findLanguageMethod(llvm::StringRef name);

/// The names of the parameters that can be given as `name=`.
llvm::SmallVector<llvm::StringRef>
getKeywords(const LanguageFunction &function);

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_REFERENCE_H
