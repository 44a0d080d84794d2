//===- Types.h - dtypes and places, without MLIR --------------------------===//
//
// Shared by the checker, type inference and the op table. The checker links no
// MLIR, so dtypes and places are defined here, and td's MLIR types are made
// from them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_TYPES_H
#define TDC_DIALECT_TD_OPTABLE_TYPES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tdc {

/// Element type of a tensor, in the language's spelling (`f32`, `u8`, `bool`).
/// The numbers are those of the runtime and of the C API.
enum class DType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  I64,
  I32,
  I16,
  I8,
  U8,
  Bool,
  U16,
  U32,
  U64
};

inline constexpr unsigned kNumDTypes = unsigned(DType::U64) + 1;

llvm::StringRef spelling(DType dtype);
std::optional<DType> parseDType(llvm::StringRef spelling);
/// Size of one element in bytes (bool takes one).
unsigned byteSize(DType dtype);
bool isFloat(DType dtype);
/// Bits of a float's significand, the hidden one included.
unsigned significandBits(DType dtype);
/// A float of 16 bits: computed in f32 and rounded.
bool isNarrowFloat(DType dtype);
/// An integer; bool is not one.
bool isInteger(DType dtype);
/// An integer without negative numbers.
bool isUnsigned(DType dtype);

/// The largest number of GPUs that one program can use.
inline constexpr unsigned kMostCudaDevices = 63;

/// The place of a tensor: not decided (`free`), a fixed device, or a device
/// that the program chooses when it starts, named by the binding that holds it.
struct Place {
  enum class Kind : uint8_t { Free, Cpu, Cuda, Symbol };
  Kind kind = Kind::Free;
  int64_t ordinal = 0;
  std::string symbol;

  bool operator==(const Place &other) const {
    return kind == other.kind && ordinal == other.ordinal &&
           symbol == other.symbol;
  }
  bool operator!=(const Place &other) const { return !(*this == other); }
};

inline Place getCpu() {
  Place cpu;
  cpu.kind = Place::Kind::Cpu;
  return cpu;
}
inline Place getCuda(int64_t ordinal) {
  Place cuda;
  cuda.kind = Place::Kind::Cuda;
  cuda.ordinal = ordinal;
  return cuda;
}

/// The place named "cpu" or "cuda:1"; nullopt for any other text. Bare "cuda"
/// is not accepted: its meaning depends on the context.
std::optional<Place> parseDevice(llvm::StringRef text);

/// "cpu", "cuda:1", "device" (a symbol's name), "" for free.
std::string spelling(const Place &place);

/// A size known only when the program runs.
inline constexpr int64_t kRunTimeSize = INT64_MIN;

/// A tensor type as code generation sees it: each dim is a number or
/// kRunTimeSize.
struct TensorShape {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t, 4> dims;
  Place place;
};

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_TYPES_H
