//===- HostScalars.h - ints, floats, bools and strs of a program ----------===//
//
// Host arithmetic is done now if all operands are known, and emitted otherwise.
// Ints are sizes: the result of int arithmetic stays a polynomial, so that
// `x.shape[0] // 2` can be a dim. Rules: ints wrap, `/` gives a float, `//` and
// `%` floor, also for negatives.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_HOSTSCALARS_H
#define TDC_LIB_FRONTEND_SEMA_HOSTSCALARS_H

#include "Frontend/Typed/SizeTable.h"
#include "Reporter.h"

namespace tdc::sema {

class HostScalars {
public:
  explicit HostScalars(Reporter &c) : c(c) {}

  SizeTable sizes;

  // Arithmetic -------------------------------------------------------------//

  Val binary(ast::BinaryOp op, const Val &lhs, const Val &rhs,
             SourceRange range);
  Val shift(ast::BinaryOp op, const Val &lhs, const Val &rhs,
            SourceRange range);
  Val compare(ast::CompareOp op, const Val &lhs, const Val &rhs,
              SourceRange range);
  Val math(HostOp op, const Val &operand);
  Val toFloat(const Val &val);
  Val toInt(const Val &val);
  Val boolNot(const Val &val);

  // Values -----------------------------------------------------------------//

  /// An int that is known only at run time.
  Val runTimeInt(Value value, llvm::StringRef name,
                 std::optional<int64_t> known = std::nullopt);
  std::optional<int64_t> constantOf(const Size &size) const {
    return sizes.constantOf(size);
  }
  std::optional<int64_t> constantInt(const Val &val) const;
  /// The emitter's value of a host scalar or size; emitted now if necessary.
  Value materialize(const Val &val);
  Value sizeValue(const Size &size) { return sizes.valueOf(size, c.emit()); }

  // Values that must be known now ------------------------------------------//

  /// The argument as a number known now, or an error that says to use --set.
  std::optional<int64_t> requireInt(const Val &val, llvm::StringRef what);
  std::optional<double> requireFloat(const Val &val, llvm::StringRef what);
  std::optional<bool> requireBool(const Val &val, llvm::StringRef what);
  std::optional<llvm::StringRef> requireStr(const Val &val,
                                            llvm::StringRef what);
  Diagnostic &reportNotKnown(const Val &val, llvm::StringRef what);

private:
  Reporter &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_HOSTSCALARS_H
