//===- TypedBuilder.h - tensors with known types, and their ops -----------===//
//
// Shared by all front ends, without an AST and without MLIR: the rules of
// shapes and dtypes, and the ops of which each function of the language
// consists. The functions are in namespace `typed`, one header of this folder
// per family.
//
// Sizes may be known only when the program runs. A condition on them that the
// rules need and that is not decided is then checked, once. All tensors that a
// function takes are on one device: the front end has brought them there.
//
// A function that is not defined for its operands returns nothing and leaves a
// code and a message in `failure`; the caller adds the source position.
// A tensor that is too large for any process is reported at once and made all
// the same, because any function may make one, also those that always return a
// tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_TYPED_TYPEDBUILDER_H
#define TDC_FRONTEND_TYPED_TYPEDBUILDER_H

#include "Frontend/Diagnostics.h"
#include "Frontend/Typed/SizeTable.h"
#include <functional>

namespace tdc {

struct TensorType {
  DType dtype = DType::F32;
  Dims dims;
  Place place;
};

// In the language's spelling.
std::string typeText(const TensorType &type);
std::string placeText(const Place &place);

/// A tensor of the program.
struct Typed {
  Value value;
  TensorType type;
};
using MaybeTyped = std::optional<Typed>;

/// The place that the tensors share; tensors without a place are ignored.
Place sharedPlace(llvm::ArrayRef<Typed> tensors);

/// An int of the program.
struct TypedInt {
  TypedInt(Size size, Value value = {}) : size(std::move(size)), value(value) {}
  Size size;
  Value value; ///< null if it has not been computed
};

struct TypeFailure {
  DiagCode code;
  std::string title;
  std::string label; ///< may be empty

  /// The function would be defined if this operand had another dtype.
  struct Conversion {
    size_t operand;
    llvm::StringRef dtype; ///< as a program names it
    bool isPromotion;      ///< PyTorch converts it implicitly
  };
  std::optional<Conversion> conversion;
};

class TypedBuilder {
public:
  using GetEmitter = std::function<Emitter &()>;
  using Report = std::function<void(const TypeFailure &)>;
  using GetPlace = std::function<Place(const Place &)>;

  /// `report` reports an error (TD412) of the program. `getPlace` converts a
  /// place of the program to that of the emitter; without it they are the same.
  TypedBuilder(SizeTable &sizes, GetEmitter getEmitter, Report report,
               GetPlace getPlace = nullptr)
      : sizes(sizes), getEmitter(std::move(getEmitter)),
        report(std::move(report)), getPlace(std::move(getPlace)) {}

  SizeTable &sizes;
  /// Why the last function failed.
  TypeFailure failure;
  /// `with no_grad` blocks around this point: results of ops in them have no
  /// gradient.
  unsigned noGrad = 0;

  Emitter &emit() { return getEmitter(); }
  /// The type as the emitter takes it. Every tensor that a program makes passes
  /// here: TD412 is reported if the known sizes are too large.
  TensorShape shapeOf(const TensorType &type);
  Value valueOf(const TypedInt &number) {
    return number.value && !sizes.constantOf(number.size)
               ? number.value
               : sizes.valueOf(number.size, emit());
  }
  /// The values of those sizes that are known only at run time.
  llvm::SmallVector<Value> runTimeSizes(DimsRef dims);

  /// An op of the table; run-time sizes of its result are added to its operands
  /// if it takes them.
  Typed make(OpKind kind, llvm::ArrayRef<Value> operands,
             llvm::ArrayRef<OpAttribute> attributes, TensorType type);

  std::nullopt_t fail(DiagCode code, const llvm::Twine &title,
                      const llvm::Twine &label = {});
  /// Requires that the size is not negative: decided now, or by a run-time
  /// check that says `problem`. False, with `failure` set, if it is negative.
  bool require(const Size &size, const llvm::Twine &problem);
  /// Whether a tensor can have `rank` dims; fails with TD411 if not.
  bool allowsRank(size_t rank);
  /// Whether the answer holds: decided now, or by checks when the program runs.
  bool prove(ShapeAnswer &answer) {
    return answer && sizes.prove(answer, emit());
  }

private:
  GetEmitter getEmitter;
  Report report;
  GetPlace getPlace;
};

} // namespace tdc

#endif // TDC_FRONTEND_TYPED_TYPEDBUILDER_H
