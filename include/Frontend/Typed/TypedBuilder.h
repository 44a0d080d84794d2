//===- TypedBuilder.h - tensors whose types are known, and their ops ------===//
//
// What all front ends share, without an AST and without MLIR: the rules of
// shapes and dtypes, and what a function of the language is made of. The
// functions are in namespace `typed`, one header of this folder per family.
//
// Sizes may be known only when the program runs; what the rules need of them
// and nothing decides is checked then, once. All tensors that a function takes
// are in one place: the front end has brought them there.
//
// A function that is not defined for its operands gives nothing and leaves a
// code and its words in `failure`: the caller knows where it is in the program.
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

/// The place of tensors that are in one: that of those which have one.
Place sharedPlace(llvm::ArrayRef<Typed> tensors);

/// An int of the program.
struct TypedInt {
  TypedInt(Size size, Value value = {}) : size(std::move(size)), value(value) {}
  Size size;
  Value value; ///< where it has been computed
};

struct TypeFailure {
  DiagCode code;
  std::string title;
  std::string label; ///< may be empty

  /// The function would be defined if this operand had another dtype.
  struct Conversion {
    size_t operand;
    llvm::StringRef dtype; ///< as a program names it
    bool isPromotion;      ///< PyTorch converts it without being told
  };
  std::optional<Conversion> conversion;
};

class TypedBuilder {
public:
  using GetEmitter = std::function<Emitter &()>;
  using GetShape = std::function<TensorShape(const TensorType &)>;

  /// `getShape` gives a type as the emitter takes it.
  TypedBuilder(SizeTable &sizes, GetEmitter getEmitter, GetShape getShape)
      : sizes(sizes), getEmitter(std::move(getEmitter)),
        getShape(std::move(getShape)) {}

  SizeTable &sizes;
  /// Why the last function gave nothing.
  TypeFailure failure;

  Emitter &emit() { return getEmitter(); }
  TensorShape shapeOf(const TensorType &type) { return getShape(type); }
  Value valueOf(const TypedInt &number) {
    return number.value && !sizes.constantOf(number.size)
               ? number.value
               : sizes.valueOf(number.size, emit());
  }
  /// Those of the sizes that only a run knows.
  llvm::SmallVector<Value> runTimeSizes(DimsRef dims);

  /// An op of the table; run-time sizes of its result are added to its operands
  /// if it takes them.
  Typed make(OpKind kind, llvm::ArrayRef<Value> operands,
             llvm::ArrayRef<OpAttribute> attributes, TensorType type);

  std::nullopt_t fail(DiagCode code, const llvm::Twine &title,
                      const llvm::Twine &label = {});
  /// Whether the size is not negative: now, or by a check that says `problem`
  /// when the program runs.
  bool require(const Size &size, const llvm::Twine &problem);
  /// Whether the answer is one, now or by a check when the program runs.
  bool prove(ShapeAnswer &answer) {
    return answer && sizes.prove(answer, emit());
  }

private:
  GetEmitter getEmitter;
  GetShape getShape;
};

} // namespace tdc

#endif // TDC_FRONTEND_TYPED_TYPEDBUILDER_H
