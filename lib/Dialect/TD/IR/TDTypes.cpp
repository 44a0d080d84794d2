//===- TDTypes.cpp - td's types, and conversions to MLIR-free ones --------===//

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

#define GET_ATTRDEF_CLASSES
#include "Dialect/TD/IR/TDAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/TD/IR/TDTypes.cpp.inc"

/// In this file, not in TDDialect.cpp, because the generated code must be
/// complete here.
void TDDialect::registerAttributesAndTypes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/TD/IR/TDAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/TD/IR/TDTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #td.dev
//===----------------------------------------------------------------------===//

// <cpu>, <cuda, 1> or <@name>.
Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  DeviceKind kind = DeviceKind::Symbol;
  int64_t ordinal = 0;
  StringAttr symbol;
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalSymbolName(symbol))) {
    StringRef keyword;
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "cpu") {
      kind = DeviceKind::CPU;
    } else if (keyword == "cuda") {
      kind = DeviceKind::CUDA;
      if (parser.parseComma() || parser.parseInteger(ordinal))
        return {};
    } else {
      parser.emitError(keywordLoc, "expected 'cpu', 'cuda' or a symbol, got '")
          << keyword << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return DeviceAttr::getChecked([&] { return parser.emitError(loc); },
                                parser.getContext(), kind, ordinal,
                                symbol ? symbol.getValue() : StringRef());
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  switch (getKind()) {
  case DeviceKind::CPU:
    printer << "cpu";
    break;
  case DeviceKind::CUDA:
    printer << "cuda, " << getOrdinal();
    break;
  case DeviceKind::Symbol:
    printer.printSymbolName(getSymbol());
    break;
  }
  printer << '>';
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DeviceKind kind, int64_t ordinal,
                                 StringRef symbol) {
  // C1
  if (ordinal < 0 || (ordinal != 0 && kind != DeviceKind::CUDA))
    return emitError() << "expected an ordinal >= 0 of a cuda device, got "
                       << ordinal << " of '" << stringifyDeviceKind(kind)
                       << "'";
  if (symbol.empty() == (kind == DeviceKind::Symbol))
    return emitError() << "expected a name for a symbol and for nothing else";
  return success();
}

LogicalResult HandleType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tensor) {
  if (tensor.getEncoding())
    return emitError() << "expected a tensor without a place, got " << tensor;
  return success();
}

bool td::isPlaceEncoding(Attribute encoding) {
  return !encoding || isa<DeviceAttr>(encoding);
}

//===----------------------------------------------------------------------===//
// Places, dtypes, tensor types
//===----------------------------------------------------------------------===//

Place td::getPlace(RankedTensorType type) {
  return getPlace(cast_if_present<DeviceAttr>(type.getEncoding()));
}

Place td::getPlace(Value tensor) {
  return getPlace(cast<RankedTensorType>(tensor.getType()));
}

Place td::getPlace(DeviceAttr device) {
  Place place;
  if (!device)
    return place;
  switch (device.getKind()) {
  case DeviceKind::CPU:
    place.kind = Place::Kind::Cpu;
    break;
  case DeviceKind::CUDA:
    place.kind = Place::Kind::Cuda;
    place.ordinal = device.getOrdinal();
    break;
  case DeviceKind::Symbol:
    place.kind = Place::Kind::Symbol;
    place.symbol = device.getSymbol().str();
    break;
  }
  return place;
}

DeviceAttr td::getDevice(MLIRContext *context, const Place &place) {
  switch (place.kind) {
  case Place::Kind::Free:
    return {};
  case Place::Kind::Cpu:
    return DeviceAttr::get(context, DeviceKind::CPU, 0, "");
  case Place::Kind::Cuda:
    return DeviceAttr::get(context, DeviceKind::CUDA, place.ordinal, "");
  case Place::Kind::Symbol:
    return DeviceAttr::get(context, DeviceKind::Symbol, 0, place.symbol);
  }
  return {};
}

RankedTensorType td::withPlace(RankedTensorType type, const Place &place) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               getDevice(type.getContext(), place));
}

bool td::isNarrowFloat(Type elementType) {
  return elementType.isF16() || elementType.isBF16();
}

DType td::getDType(Type elementType) {
  return TypeSwitch<Type, DType>(elementType)
      .Case([](Float64Type) { return DType::F64; })
      .Case([](Float32Type) { return DType::F32; })
      .Case([](Float16Type) { return DType::F16; })
      .Case([](BFloat16Type) { return DType::BF16; })
      .Case([](IntegerType type) {
        switch (type.getWidth()) {
        case 64:
          return type.isUnsigned() ? DType::U64 : DType::I64;
        case 32:
          return type.isUnsigned() ? DType::U32 : DType::I32;
        case 16:
          return type.isUnsigned() ? DType::U16 : DType::I16;
        case 8:
          return type.isUnsigned() ? DType::U8 : DType::I8;
        default:
          return DType::Bool;
        }
      });
}

Type td::getElementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F64:
    return Float64Type::get(context);
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::I64:
    return IntegerType::get(context, 64);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I16:
    return IntegerType::get(context, 16);
  case DType::I8:
    return IntegerType::get(context, 8);
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::U64:
    return IntegerType::get(context, 8 * byteSize(dtype),
                            IntegerType::Unsigned);
  case DType::Bool:
    return IntegerType::get(context, 1);
  }
  return {};
}

static_assert(kRunTimeSize == ShapedType::kDynamic,
              "dims pass between TensorShape and tensor types as they are");

RankedTensorType td::getTensorType(MLIRContext *context,
                                   const TensorShape &shape) {
  return RankedTensorType::get(shape.dims,
                               td::getElementType(context, shape.dtype),
                               getDevice(context, shape.place));
}
