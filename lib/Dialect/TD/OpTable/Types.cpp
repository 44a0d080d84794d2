//===- Types.cpp - spelling and properties of dtypes and places -----------===//

#include "Dialect/TD/OpTable/Types.h"

namespace tdc {

namespace {
struct DTypeInfo {
  llvm::StringRef spelling;
  unsigned bytes;
};

/// In the order of DType.
constexpr DTypeInfo kDTypes[kNumDTypes] = {
    {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"i64", 8},
    {"i32", 4}, {"i16", 2}, {"i8", 1},  {"u8", 1},   {"bool", 1},
    {"u16", 2}, {"u32", 4}, {"u64", 8},
};
} // namespace

llvm::StringRef spelling(DType dtype) {
  return kDTypes[unsigned(dtype)].spelling;
}

std::optional<DType> parseDType(llvm::StringRef spelling) {
  for (unsigned i = 0; i < std::size(kDTypes); ++i)
    if (kDTypes[i].spelling == spelling)
      return DType(i);
  return std::nullopt;
}

unsigned byteSize(DType dtype) { return kDTypes[unsigned(dtype)].bytes; }

bool isFloat(DType dtype) { return dtype <= DType::BF16; }

unsigned significandBits(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 53;
  case DType::F32:
    return 24;
  case DType::F16:
    return 11;
  default:
    return 8;
  }
}

bool isNarrowFloat(DType dtype) {
  return isFloat(dtype) && byteSize(dtype) == 2;
}

bool isInteger(DType dtype) { return !isFloat(dtype) && dtype != DType::Bool; }

bool isUnsigned(DType dtype) {
  return dtype == DType::U8 || dtype >= DType::U16;
}

std::optional<Place> parseDevice(llvm::StringRef text) {
  if (text == "cpu")
    return getCpu();
  int64_t ordinal;
  if (!text.consume_front("cuda:") || text.getAsInteger(10, ordinal) ||
      ordinal < 0)
    return std::nullopt;
  return getCuda(ordinal);
}

std::string spelling(const Place &place) {
  switch (place.kind) {
  case Place::Kind::Free:
    return "";
  case Place::Kind::Cpu:
    return "cpu";
  case Place::Kind::Cuda:
    return "cuda:" + std::to_string(place.ordinal);
  case Place::Kind::Symbol:
    return place.symbol;
  }
  return "";
}

} // namespace tdc
