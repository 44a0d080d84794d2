//===- TDConstructorOps.cpp - tensors from nothing ------------------------===//

#include "OpHelpers.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

/// A constant is data of the program.
bool ConstantOp::isPulled() { return false; }

LogicalResult FillOp::verify() {
  // C1
  return verifySizes(*this, getType(), getSizes());
}

Value FillOp::getElement() { return getValue(); }

LogicalResult IotaOp::verify() {
  // C1
  if (getType().getRank() != 1)
    return emitOpError("expected a result of rank 1, got ") << getType();
  // C2
  bool isFloatResult = isa<FloatType>(getType().getElementType());
  Type scalar = getStart().getType();
  if (isFloatResult ? !scalar.isF64() : !scalar.isInteger(64))
    return emitOpError("expected start and step of type ")
           << (isFloatResult ? "f64" : "i64") << " for " << getType()
           << ", got " << scalar;
  // C3
  return verifySizes(*this, getType(), getSizes());
}

LogicalResult RandomOp::verify() {
  Type element = getType().getElementType();
  Distribution distribution = getDistribution();
  // C1
  bool fits = true;
  StringRef wanted;
  switch (distribution) {
  case Distribution::Uniform:
  case Distribution::Normal:
    wanted = "a float result";
    fits = isa<FloatType>(element);
    break;
  case Distribution::RandInt:
    wanted = "an integer result";
    fits = isa<IntegerType>(element);
    break;
  case Distribution::Permutation:
    wanted = "an i64 result of rank 1";
    fits = element.isSignlessInteger(64) && getType().getRank() == 1;
    break;
  }
  if (!fits)
    return emitOpError("expected ")
           << wanted << " for '" << stringifyDistribution(distribution)
           << "', got " << getType();
  // C2
  size_t bounds = distribution == Distribution::RandInt ? 2 : 0;
  if (getBounds().size() != bounds)
    return emitOpError("expected ")
           << bounds << " bounds for '" << stringifyDistribution(distribution)
           << "', got " << getBounds().size();
  // C3
  return verifySizes(*this, getType(), getSizes());
}

/// A permutation is computed as a whole, not by element.
bool RandomOp::isPulled() {
  return getDistribution() != Distribution::Permutation;
}

bool RandomOp::isRepeatable() { return false; }

/// Bounds that are not constant may not fit.
bool RandomOp::mayFail() {
  return !llvm::all_of(getBounds(), [](Value bound) {
    return matchPattern(bound, m_Constant());
  });
}

std::string RandomOp::getSpelling() {
  switch (getDistribution()) {
  case Distribution::Uniform:
    return "rand";
  case Distribution::Normal:
    return "randn";
  case Distribution::RandInt:
    return "randint";
  case Distribution::Permutation:
    return "randperm";
  }
  llvm_unreachable("all distributions are above");
}
