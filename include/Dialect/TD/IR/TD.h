//===- TD.h - the td dialect's C++ side -----------------------------------===//
//
// Everything a pass over td needs: ops, attributes, types, interfaces, and the
// conversions between td's MLIR types and the MLIR-free types of the op table.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TD_H
#define TDC_DIALECT_TD_IR_TD_H

#include "Dialect/TD/IR/AccessMap.h"
#include "Dialect/TD/OpTable/Enums.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "Dialect/TD/OpTable/Types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tdc::td {

namespace detail {
/// All tensor operands and results of a compute op are at one place.
llvm::LogicalResult verifyOnePlace(mlir::Operation *op);
/// All tensor operands and results of an elementwise op have one shape; a `?`
/// equals a `?` only.
llvm::LogicalResult verifyOneShape(mlir::Operation *op);
/// The defaults of the methods of ComputeOp.
bool isPulled(mlir::Operation *op);
bool isRepeatable(mlir::Operation *op);
AccessMap getIdentityAccess(mlir::Operation *op);
} // namespace detail

/// Element i of the result depends on element i of the operands alone.
template <typename ConcreteOp>
class ElementwiseOp
    : public mlir::OpTrait::TraitBase<ConcreteOp, ElementwiseOp> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyOneShape(op);
  }
};

/// The host reads the elements of the op's tensor operands.
template <typename ConcreteOp>
class HostReaderOp : public mlir::OpTrait::TraitBase<ConcreteOp, HostReaderOp> {
};

/// Ops that td-grad removes: requests for gradients, and marks (td.detach,
/// td.round_gradient), which are replaced by their operand.
template <typename ConcreteOp>
class ForGradientOp
    : public mlir::OpTrait::TraitBase<ConcreteOp, ForGradientOp> {};

/// The memory of slots, which td.read and td.write access: effects name the
/// slot as well.
struct SlotResource : mlir::SideEffects::Resource::Base<SlotResource> {
  llvm::StringRef getName() final { return "td.slots"; }
};

/// Seed and counter of the program's random stream.
struct RandomResource : mlir::SideEffects::Resource::Base<RandomResource> {
  llvm::StringRef getName() final { return "td.random"; }
};

/// The queues of GPUs: what they were given to do, in order.
struct QueueResource : mlir::SideEffects::Resource::Base<QueueResource> {
  llvm::StringRef getName() final { return "td.queues"; }
};

/// Whether a tensor type's encoding is a place or absent.
bool isPlaceEncoding(mlir::Attribute encoding);

} // namespace tdc::td

#include "Dialect/TD/IR/TDDialect.h.inc"
#include "Dialect/TD/IR/TDInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/TD/IR/TDAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/TD/IR/TDTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/TD/IR/TDOps.h.inc"

namespace tdc::td {

/// The place in the encoding of a tensor type; no encoding is `free`.
Place getPlace(mlir::RankedTensorType type);
Place getPlace(mlir::Value tensor);
Place getPlace(DeviceAttr device);
/// The encoding of a place; null for `free`.
DeviceAttr getDevice(mlir::MLIRContext *context, const Place &place);
/// `type` with another place.
mlir::RankedTensorType withPlace(mlir::RankedTensorType type,
                                 const Place &place);

/// The operand that holds the size of a `?` of `tensor`, null if the op that
/// made it has none. For a result of a kernel it is one of the kernel's own
/// operands.
mlir::Value findSize(mlir::Value tensor, int64_t dim);

/// Whether `op`, which may be null, is a compute op of the family.
bool hasFamily(mlir::Operation *op, OpFamily family);

/// The f16 or bf16 tensor that td.cast widens to `tensor`; null if there is
/// none.
mlir::Value getWidened(mlir::Value tensor);

/// The dtype of a tensor's element type, which must be one of td's.
DType getDType(mlir::Type elementType);

/// Whether elements of the type are computed in f32: f16 and bf16.
bool isNarrowFloat(mlir::Type elementType);

/// On a module: the devices of the program's symbols.
inline constexpr llvm::StringLiteral kDevicesAttr = "td.devices";
/// On a module: the number of GPUs of the machine that this version of the
/// program is for; absent: the GPUs that the program names.
inline constexpr llvm::StringLiteral kGpusAttr = "td.gpus";
/// On a module: the place of free values that nothing else decides; absent: the
/// cpu.
inline constexpr llvm::StringLiteral kDefaultDeviceAttr = "td.default_device";
/// On a module: transfers stay as the program has them (--placement=off).
inline constexpr llvm::StringLiteral kAsWrittenAttr = "td.as_written";

/// On a td.slot: the name of the slot of the model that it is a replica of.
inline constexpr llvm::StringLiteral kReplicaOfAttr = "td.replica_of";

/// On a module: T-ops run on the devices that they have (--no-t-ops).
inline constexpr llvm::StringLiteral kNoTOpsAttr = "td.no_t_ops";
/// On a module: costs decide which device an op runs on (--placement=optimize).
inline constexpr llvm::StringLiteral kOptimizeAttr = "td.optimize";
/// On a module: a dictionary from names of GPUs to the bytes that they have; a
/// GPU that is not in it has no limit.
inline constexpr llvm::StringLiteral kMemoryAttr = "td.memory";
/// On a module: a dictionary from names of GPUs to the bytes that live tensors
/// (by DeviceMemory) may occupy at one time; td-fit-memory lets tensors leave a
/// GPU that would have more.
inline constexpr llvm::StringLiteral kWorkingSetAttr = "td.working_set";
/// On a module: a dictionary from names of GPUs to the additional bytes that
/// pipelined copies may occupy; a GPU that is not in it has no limit.
inline constexpr llvm::StringLiteral kRoomAttr = "td.room";

/// On a module: the locations that the kernels of its td.images report,
/// numbered from 0.
inline constexpr llvm::StringLiteral kSitesAttr = "td.sites";

/// On a td.replica_get: the program does not write the copy; the same as
/// `implied` of td.to_device.
inline constexpr llvm::StringLiteral kImpliedAttr = "td.implied";

mlir::Type getElementType(mlir::MLIRContext *context, DType dtype);

mlir::RankedTensorType getTensorType(mlir::MLIRContext *context,
                                     const TensorShape &shape);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_TD_H
