//===- ScratchSums.cpp - sums of a product in scratch ---------------------===//

#include "ScratchSums.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

ScratchSums::ScratchSums(NestLoops &loops, GetIndex getIndex)
    : loops(loops), b(loops.function.builder), loc(loops.function.loc),
      product(loops.nest.getReductions().front()),
      getIndex(std::move(getIndex)) {}

RankedTensorType ScratchSums::getType(const LoopNest &nest, int64_t count) {
  Operation *product = nest.getReductions().front().op;
  auto type = cast<RankedTensorType>(product->getResult(0).getType());
  return RankedTensorType::get({count}, getRegisterType(type.getElementType()),
                               type.getEncoding());
}

SmallVector<Tile> ScratchSums::getTiles() const {
  return loops.getTiles(product.parallel);
}

Value ScratchSums::getZero(const Tile &tile) {
  return makeNeutral(b, loc, product, loops.evaluator.getWidth(tile)).value;
}

Value ScratchSums::getAddress(const Tile &tile) {
  return LLVM::GEPOp::create(b, loc, loops.function.scratch.getType(),
                             getRegisterType(getElement(product)),
                             loops.function.scratch,
                             ValueRange{getIndex(tile)});
}

void ScratchSums::setToZero() {
  for (const Tile &tile : getTiles())
    LLVM::StoreOp::create(b, loc, getZero(tile), getAddress(tile));
}

Value ScratchSums::addProduct(Value sum, const Tile &tile) {
  SmallVector<Value, 2> factors;
  for (unsigned i : {0, 1}) {
    Access factor = loops.nest.getOperand(product, i);
    factors.push_back(loops.evaluator.toVector(
        loops.evaluator.evaluate(factor.tensor, *factor.at, tile), tile));
  }
  return accumulate(b, loc, product, {sum, {}}, factors, /*position=*/Value())
      .value;
}

void ScratchSums::add(Value sum, const Tile &tile) {
  Value address = getAddress(tile);
  Value before = LLVM::LoadOp::create(b, loc, sum.getType(), address);
  LLVM::StoreOp::create(b, loc, arith::AddFOp::create(b, loc, before, sum),
                        address);
}

void ScratchSums::take() {
  for (const Tile &tile : getTiles()) {
    Value sum =
        LLVM::LoadOp::create(b, loc, getZero(tile).getType(), getAddress(tile));
    loops.evaluator.setResult(product.op->getResult(0), product, tile,
                              roundResult(b, loc, product, product.op, sum));
  }
}

} // namespace tdc
