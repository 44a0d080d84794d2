//===- ComputeOps.cpp - the defaults of the ComputeOp interface -----------===//
//
// The defaults of TDInterfaces.td. Ops that need other answers override them in
// the file of their family.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "mlir/IR/AffineExprVisitor.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

static OpFamily getFamily(Operation *op) {
  return cast<ComputeOp>(op).getInfo().family;
}

bool td::detail::isPulled(Operation *op) {
  OpFamily family = getFamily(op);
  return family != OpFamily::Update && family != OpFamily::Scan &&
         family != OpFamily::Softmax;
}

bool td::detail::isRepeatable(Operation *op) {
  return getFamily(op) <= OpFamily::Movement;
}

AccessMap td::detail::getIdentityAccess(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return {AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext()),
          {}};
}

llvm::SmallBitVector AccessMap::getUsedDims() const {
  llvm::SmallBitVector used(map.getNumDims());
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    used[dim] = map.isFunctionOfDim(dim);
  return used;
}

bool AccessMap::hasDimsOnly() const {
  return llvm::all_of(map.getResults(), [](AffineExpr coordinate) {
    return isa<AffineDimExpr>(coordinate) || coordinate == 0;
  });
}

std::optional<SmallVector<int64_t>> td::getFactors(AffineMap map,
                                                   unsigned index) {
  if (!map.getResult(index).isPureAffine())
    return std::nullopt;
  SimpleAffineExprFlattener flattener(map.getNumDims(), map.getNumSymbols());
  if (failed(flattener.walkPostOrder(map.getResult(index))) ||
      flattener.numLocals)
    return std::nullopt;
  return llvm::to_vector<6>(flattener.operandExprStack.back());
}

unsigned td::countReadings(ArrayRef<AffineMap> maps, unsigned dim) {
  unsigned count = 0;
  for (AffineMap map : maps)
    count += llvm::count_if(map.getResults(), [&](AffineExpr coordinate) {
      return coordinate.isFunctionOfDim(dim);
    });
  return count;
}

std::optional<unsigned> td::findOwnDim(ArrayRef<AffineMap> maps,
                                       unsigned operand, unsigned index,
                                       unsigned rank) {
  SmallVector<int64_t> factors = *getFactors(maps[operand], index);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (factors[dim] != 0 && countReadings(maps, dim) == 1)
      return dim;
  return std::nullopt;
}

bool td::hasFamily(Operation *op, OpFamily family) {
  auto compute = dyn_cast_if_present<ComputeOp>(op);
  return compute && compute.getInfo().family == family;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value td::findSize(Value tensor, int64_t dim) {
  auto sized = tensor.getDefiningOp<SizedOp>();
  if (!sized)
    return {};
  int64_t index = 0;
  for (Value result : sized->getResults()) {
    ArrayRef<int64_t> dims =
        cast<RankedTensorType>(result.getType()).getShape();
    if (result == tensor) {
      index += llvm::count_if(dims.take_front(dim), ShapedType::isDynamic);
      break;
    }
    index += llvm::count_if(dims, ShapedType::isDynamic);
  }
  return sized.getSizes()[index];
}

/// The coordinate of the operand that is exactly dim `dim` of the domain of the
/// map.
static std::optional<unsigned> findCoordinate(AffineMap map, unsigned dim) {
  for (auto [i, coordinate] : llvm::enumerate(map.getResults()))
    if (auto of = dyn_cast<AffineDimExpr>(coordinate);
        of && of.getPosition() == dim)
      return i;
  return std::nullopt;
}

/// If parts fill a result, each has the size of the result along a dim in which
/// no part is shifted.
static TensorDim findInParts(UpdateOp update, unsigned dim) {
  TensorDim found;
  for (const UpdatePart &part : update.getParts()) {
    auto own = dyn_cast<AffineDimExpr>(part.position.map.getResult(dim));
    if (!own)
      return {};
    found = {update->getOperand(part.operand), own.getPosition()};
  }
  return found;
}

TensorDim td::findEqualDim(Value tensor, unsigned dim) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  if (auto update = dyn_cast<UpdateOp>(op)) {
    Value base = update.getBase();
    return base ? TensorDim{base, dim} : findInParts(update, dim);
  }
  if (op->hasTrait<OpTrait::SameOperandsAndResultType>() || isa<ToDeviceOp>(op))
    return {op->getOperand(0), dim};
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute || !compute.isPulled())
    return {};
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = compute.getAccess(operand.getOperandNumber()).map;
    if (std::optional<unsigned> own = findCoordinate(map, dim))
      return {operand.get(), *own};
  }
  return {};
}
