//===- Types.h - types from annotations -----------------------------------===//
//
// A name that occurs first in a signature or a `let` annotation becomes an int
// of the scope; where it recurs the sizes must agree.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_TYPES_H
#define TDC_LIB_FRONTEND_SEMA_TYPES_H

#include "Values.h"

namespace tdc::sema {

class Checker;

class Types {
public:
  explicit Types(Checker &c) : c(c) {}

  static std::optional<DType> dtypeFromName(llvm::StringRef name);
  static std::optional<DType> asDType(const Val &val);
  bool isTensorType(const ast::TypeExpr &type);
  /// A type from an annotation; fresh variables for names not seen before if
  /// `fresh`, an error otherwise.
  std::optional<TensorType> tensorFromType(const ast::TypeExpr &type,
                                           bool fresh);
  /// Checks a value against an annotation and binds the names that occur there
  /// first. `role` says what the value is ("`x`", "the result").
  bool matchType(const ast::TypeExpr &type, Val &val, SourceRange range,
                 const llvm::Twine &role, DiagCode code);
  /// Whether a name in a type is seen first here. The sizes of the program's
  /// own annotations mean nothing in the signature of a function.
  bool introducesSize(llvm::StringRef name);
  void bindSize(const ast::NameExpr &name, const Size &size);
  /// Makes the sizes that the annotation of a `var`, or of a result, leaves
  /// open with `?` run-time sizes, so that the value has one type in all
  /// iterations and branches.
  Val loosen(const Val &val, const ast::TypeExpr &annotation);

private:
  std::optional<Place> placeFromType(const ast::Place &place);
  /// A value and the annotation that it must match, with the role and the code
  /// of `matchType`.
  struct Annotated {
    const ast::NamedType &type;
    Val &val;
    SourceRange range;
    const llvm::Twine &role;
    DiagCode code;
  };
  bool matchTensor(const Annotated &given);
  // Parts of it, each of which reports what does not match.
  bool matchDType(const Annotated &given);
  /// Matches `...`, and removes it and the dims that it matched.
  bool matchRest(const Annotated &given,
                 llvm::SmallVectorImpl<ast::SubscriptItem> &items, Dims &dims);
  bool matchSizes(const Annotated &given,
                  llvm::ArrayRef<ast::SubscriptItem> items, DimsRef dims);
  bool matchPlace(const Annotated &given);
  Diagnostic &reportMismatch(const Annotated &given, const llvm::Twine &why);
  std::optional<Val> evalDim(const ast::Expr &expr);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_TYPES_H
