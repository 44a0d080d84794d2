//===- OpTable.h - properties of every compute op, without MLIR -----------===//
//
// One row per op, generated from the op's definition (TD_ComputeOp in
// Dialect/TD/IR/TDBase.td). The checker reads arity and dtypes from it; the
// generated tests read it as JSON (printOpTable).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_OPTABLE_H
#define TDC_DIALECT_TD_OPTABLE_OPTABLE_H

#include "Dialect/TD/OpTable/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc {

/// The scope of the enumerators of OpKind.
struct OpKinds {
#define GET_OpKind_DECL
#include "Dialect/TD/IR/OpTable.inc"
};
/// The compute ops of td: `OpKind::Add` is td.add.
using OpKind = OpKinds::OpKind;

/// Ops of one family share a shape rule and the code that lowers them. The
/// families up to Cast are elementwise.
enum class OpFamily : uint8_t {
  Unary,
  Binary,
  Compare,
  Select,
  Cast,
  Constructor, ///< reads no tensor
  Movement,    ///< copies each result element from an operand
  Update,      ///< writes its result part by part
  Reduction,   ///< combines the elements along some dims
  Contraction, ///< sums products of elements of two operands
  Scan,        ///< combines each element with those before it in a dim
  Softmax
};

/// The permitted difference between a result and the exact one.
enum class Tolerance : uint8_t {
  Exact,          ///< equal bits
  Rounded,        ///< IEEE operations, rounded after each
  Transcendental, ///< a few units in the last place
  Accumulating    ///< K * eps * sum of |terms|, K the number of terms
};

/// The approximate number of instructions per element.
enum class OpCost : uint8_t {
  Free = 0,     ///< a coordinate, or an existing value
  Simple = 1,   ///< one instruction
  Slow = 4,     ///< a division, an element at a picked index
  Function = 12 ///< a polynomial
};

/// Whether an op may run on another device than the program says. Only ops that
/// give the same bits on every device may (conversions with defined rounding,
/// movement, IEEE arithmetic of single numbers).
enum class Portability : uint8_t {
  Fixed,
  Scalars, ///< tensors of rank 0 only
  Anywhere
};

/// A set of dtypes: bit i is DType(i).
using DTypeMask = uint16_t;

constexpr DTypeMask maskOf(DType dtype) {
  return DTypeMask(1u << unsigned(dtype));
}

inline constexpr DTypeMask kFloats = maskOf(DType::F64) | maskOf(DType::F32) |
                                     maskOf(DType::F16) | maskOf(DType::BF16);
inline constexpr DTypeMask kIntegers = maskOf(DType::I64) | maskOf(DType::I32) |
                                       maskOf(DType::I16) | maskOf(DType::I8) |
                                       maskOf(DType::U8) | maskOf(DType::U16) |
                                       maskOf(DType::U32) | maskOf(DType::U64);
inline constexpr DTypeMask kNumbers = kFloats | kIntegers;
inline constexpr DTypeMask kBits = kIntegers | maskOf(DType::Bool);
inline constexpr DTypeMask kAnyDType = kNumbers | maskOf(DType::Bool);

/// A row of the table.
struct OpInfo {
  OpKind kind;
  llvm::StringRef name;     ///< "Add"
  llvm::StringRef mnemonic; ///< "add"
  llvm::StringRef spelling; ///< "+"
  OpFamily family;
  int operands;    ///< tensor operands; -1: a list of any length
  bool takesSizes; ///< its last operands are the run-time sizes of its result
  DTypeMask dtypes;
  bool hasGradient;
  Tolerance tolerance;
  OpCost cost;
  Portability devices;

  /// Whether the operands with data (of a constructor: the result) may have
  /// this dtype.
  bool accepts(DType dtype) const { return dtypes & maskOf(dtype); }
  /// Whether programs call the op as a function, named by its spelling, with
  /// its operands as arguments.
  bool isFunction() const {
    return (family == OpFamily::Unary || family == OpFamily::Binary) &&
           llvm::all_of(spelling, llvm::isAlnum);
  }
};

/// All rows, in the order of OpKind.
llvm::ArrayRef<OpInfo> getOpTable();

const OpInfo &getOpInfo(OpKind kind);

llvm::StringRef spelling(OpFamily family);
llvm::StringRef spelling(Tolerance tolerance);

/// Writes the table as a JSON array, one object per row, for the generated
/// tests.
void printOpTable(llvm::raw_ostream &os);

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_OPTABLE_H
