//===- Scan.cpp - the nest and accumulator of a td.scan -------------------===//

#include "CodeGen/Scan.h"
#include "CodeGen/ElementOps.h"
#include "CodeGen/NarrowFloats.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

Scan::Scan(KernelFunction &function, ScanOp op, LoopNest loops)
    : function(function), kind(op.getKind()), input(op.getInput()),
      nest(std::move(loops)), element(op.getType().getElementType()),
      collected(element.isF32() ? function.builder.getF64Type()
                                : getRegisterType(element)) {
  const Coordinates &at = *nest.getRoots().front().at;
  target = {op.getResult(), at, function.resultPointers.front(),
            function.resultLayouts.front()};
  for (auto [dim, coordinate] : llvm::enumerate(at))
    if (int loop = getLoop(coordinate); loop >= 0) {
      if (dim == op.getDim())
        line = loop;
      else
        around.push_back(loop);
    }
}

Value Scan::makeNeutral(int64_t lanes) const {
  Type type = lanes ? Type(VectorType::get({lanes}, collected)) : collected;
  return emitNeutral(function.builder, function.loc, kind, element, type);
}

Value Scan::combine(Value before, Value next) const {
  return emitCombine(function.builder, function.loc, kind, element, before,
                     next);
}

Value Scan::load(TileEvaluator &evaluator, const Tile &tile) const {
  Value value = evaluator.evaluate(input, *nest.getRoots().front().at, tile);
  return element.isF32() ? emitCast(function.builder, function.loc, value,
                                    element, collected)
                         : value;
}

void Scan::store(TileEvaluator &evaluator, const Tile &tile,
                 Value value) const {
  OpBuilder &b = function.builder;
  if (td::isNarrowFloat(element))
    value = emitRounded(b, function.loc, value, element);
  else if (element.isF32())
    value = emitCast(b, function.loc, value, collected, element);
  evaluator.store(target, value, tile);
}

} // namespace tdc
