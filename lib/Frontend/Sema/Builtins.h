//===- Builtins.h - the functions that are part of the checker ------------===//
//
// Functions that cannot be written in the prelude: those with any number of
// arguments, those of dtypes and devices, and the ops themselves. The table has
// one row per function; the text of a row declares its parameters, so that
// arguments are bound in one place.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_BUILTINS_H
#define TDC_LIB_FRONTEND_SEMA_BUILTINS_H

#include "Values.h"

namespace tdc::sema {

/// Evaluated arguments before they are matched to parameters.
struct CallArgs {
  struct Keyword {
    ast::Identifier name;
    Val val;
  };
  Vals positional;
  llvm::SmallVector<Keyword, 2> keywords;
  SourceRange range;                       ///< of the whole call
  SourceRange calleeRange;                 ///< of the callee
  const ast::TypeExpr *expected = nullptr; ///< type that the context needs
};

/// Arguments matched to a builtin's parameters.
class Bound {
public:
  Bound(llvm::StringRef name, const CallArgs &call) : name(name), call(call) {}

  /// The argument; null if it is optional and was not given.
  const Val *find(llvm::StringRef name) const {
    for (auto &[key, val] : named)
      if (key == name)
        return &val;
    return nullptr;
  }
  bool has(llvm::StringRef name) const { return find(name); }
  const Val &operator[](llvm::StringRef name) const {
    const Val *val = find(name);
    assert(val && "not a required parameter");
    return *val;
  }
  /// The arguments that the `*` parameter took.
  llvm::ArrayRef<Val> rest() const { return variadic; }
  SourceRange range() const { return call.range; }
  /// The function's name, for reports.
  std::string what() const {
    return ("`" + (name.starts_with(".") ? name.drop_front() : name) + "`")
        .str();
  }

  llvm::StringRef name;
  const CallArgs &call;
  llvm::SmallVector<std::pair<llvm::StringRef, Val>, 4> named;
  Vals variadic;
};

using BuiltinHandler = Val (*)(Checker &, const Bound &);

/// What the result shares with the arguments in PyTorch.
enum class Shares : uint8_t {
  Nothing, ///< it is made of the values of the arguments
  Kept,    ///< what the values that the handler passes on share
  Input,   ///< each tensor is a view of the first argument
  Type,    ///< nothing, and the values of tensors are not read
};

/// What a function needs of the tensors of models among its arguments.
enum class Takes : uint8_t {
  Values,
  Names, ///< only their types, or it passes them on: they stay unread
};

/// A row: `params` lists names with commas; `name=` is optional, `*name` takes
/// the remaining positional arguments, `*name=` also a list by keyword; what
/// follows it is keyword-only; `**` leaves all arguments to the handler.
struct Builtin {
  llvm::StringRef name;
  llvm::StringRef params;
  BuiltinHandler handler;
  Shares shares = Shares::Nothing;
  Takes takes = Takes::Values;
  /// Of the result. A view, and what keeps the values, has its argument's.
  Scale scale = Scale::Any;
};

/// The rows of each family; `init.`, `cuda.` and `str.` are part of a name.
llvm::ArrayRef<Builtin> getFactoryBuiltins();
llvm::ArrayRef<Builtin> getElementwiseBuiltins();
llvm::ArrayRef<Builtin> getReductionBuiltins();
llvm::ArrayRef<Builtin> getMovementBuiltins();
llvm::ArrayRef<Builtin> getIndexingBuiltins();
llvm::ArrayRef<Builtin> getHostBuiltins();
llvm::ArrayRef<Builtin> getStringBuiltins();
llvm::ArrayRef<Builtin> getConversionBuiltins();
llvm::ArrayRef<Builtin> getFileBuiltins();
llvm::ArrayRef<Builtin> getDeviceBuiltins();
llvm::ArrayRef<Builtin> getInitBuiltins();
llvm::ArrayRef<Builtin> getTrainingBuiltins();
llvm::ArrayRef<Builtin> getDataBuiltins();
llvm::ArrayRef<Builtin> getLintBuiltins();
llvm::ArrayRef<Builtin> getContractionBuiltins();
llvm::ArrayRef<Builtin> getConvolutionBuiltins();
llvm::ArrayRef<Builtin> getPatternBuiltins();
llvm::ArrayRef<Builtin> getEinsumBuiltins();
llvm::ArrayRef<Builtin> getPoolingBuiltins();
llvm::ArrayRef<Builtin> getRearrangeBuiltins();

/// Whether a builtin changes its first argument, a tensor of a model.
inline bool changesFirst(llvm::StringRef builtin) {
  return builtin.starts_with("init.") && builtin.ends_with("_");
}

const Builtin *findBuiltin(llvm::StringRef name);
/// All names, for suggestions.
llvm::ArrayRef<llvm::StringRef> getBuiltinNames();

/// Calls a function of the language.
Val callNamed(Checker &c, llvm::StringRef name, const Bound &args,
              Vals positional, std::optional<DType> dtype = std::nullopt);

/// Reports a size that is not an int.
void reportSize(Checker &c, const Val &size, SourceRange range);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_BUILTINS_H
