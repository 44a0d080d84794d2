//===- ProductSchedule.cpp - how a matrix product is cut into tiles -------===//

#include "ProductSchedule.h"
#include "Conversion/KernelBody/ElementOps.h"
#include "Conversion/KernelToGPU.h"
#include "Dialect/TD/Analysis/Contraction.h"
#include "Dialect/TD/Analysis/Vectorization.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// So many large tiles keep a GPU busy.
constexpr int64_t kManyTiles = 96;

static void chooseTiles(const LoopNest &nest, ProductSchedule &schedule) {
  Type element = schedule.element;
  int64_t rows = nest.estimateExtent(schedule.left.loop);
  int64_t columns = nest.estimateExtent(schedule.right.loop);
  int64_t batch = 1;
  for (unsigned loop : schedule.batch)
    batch *= nest.estimateExtent(loop);
  schedule.onTensorCores =
      td::isNarrowFloat(element) ||
      (element.isF32() &&
       schedule.product->op->getParentOfType<ModuleOp>()->hasAttr(kTF32Attr));
  schedule.shared = schedule.onTensorCores ? getMemoryType(element)
                                           : getRegisterType(element);
  int64_t extent = 64;
  if (llvm::divideCeil(rows, 128) * llvm::divideCeil(columns, 128) * batch >=
          kManyTiles &&
      std::min(rows, columns) >= 128 &&
      schedule.shared.getIntOrFloatBitWidth() <= 32)
    extent = 128;
  else if (std::min(rows, columns) < 64 && !schedule.onTensorCores)
    extent = 32;
  schedule.left.extent = schedule.right.extent = extent;
  if (schedule.onTensorCores) {
    schedule.tileTerms = 4 * schedule.getChunk();
    schedule.threads = 2 * extent;
    schedule.stages = 3;
  } else {
    schedule.tileTerms = extent == 128 ? 8 : 16;
    schedule.threads = extent == 32 ? 64 : 256;
  }
}

static void chooseReads(const LoopNest &nest, const ProductSchedule &schedule,
                        ProductOperand &operand) {
  LoopSet both = LoopSet(1) << operand.loop | LoopSet(1) << schedule.terms;
  for (const Access &input : nest.getInputs()) {
    if ((getLoops(*input.at) & both) != both)
      continue;
    Layout layout = getRowMajor(input.tensor);
    if (getLaneStride(nest, input, operand.loop, layout) == 1)
      operand.readAlongTerms = false;
    else if (getLaneStride(nest, input, schedule.terms, layout) == 1)
      operand.readAlongTerms = true;
  }
  unsigned along = operand.readAlongTerms ? schedule.terms : operand.loop;
  int64_t extent = nest.getLoops()[along].extent;
  int64_t width = schedule.getChunk();
  if (!schedule.onTensorCores)
    width = std::min<int64_t>(width, 4);
  if (!ShapedType::isDynamic(extent) && extent % width == 0)
    operand.width = width;
  // Tensor cores take either order. Without them a thread reads neighbours
  // along its operand's own loop, term by term.
  operand.storedAlongTerms = schedule.onTensorCores && operand.readAlongTerms;
}

std::optional<ProductSchedule> scheduleProduct(const LoopNest &nest) {
  std::optional<Contraction> product = Contraction::get(nest);
  if (!product || !product->hasTiles(nest))
    return std::nullopt;
  ProductSchedule schedule;
  schedule.product = product->reduction;
  schedule.terms = product->terms.back();
  schedule.element = product->getFactorType();
  schedule.left = {product->left, product->rows.back()};
  schedule.right = {product->right, product->columns.back()};
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (nest.getRootLoops() >> loop & 1 && loop != schedule.left.loop &&
        loop != schedule.right.loop)
      schedule.batch.push_back(loop);
  chooseTiles(nest, schedule);
  chooseReads(nest, schedule, schedule.left);
  chooseReads(nest, schedule, schedule.right);
  return schedule;
}

} // namespace tdc
