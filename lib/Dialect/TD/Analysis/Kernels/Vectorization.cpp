//===- Vectorization.cpp - which loops of a nest run on vector lanes ------===//

#include "Dialect/TD/Analysis/Kernels/Vectorization.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

namespace {
// Costs in vector instructions; only their ratios matter. A gather is charged
// half its elements because register tiles reuse what they gather.
constexpr double kContiguous = 0.5, kUniform = 0.3, kGatherPerLane = 0.5;
/// The cost of a scalar of a tensor that the cache does not hold, if at most
/// kFewVectors use it: more would hide the time that memory takes.
constexpr double kUniformFar = 1, kFewVectors = 2;
/// The cost of an element that is gathered or scattered without reuse.
constexpr double kAlonePerLane = 2.5;
/// The cost of adding up the lanes of one accumulator.
constexpr double kLaneSum = 8;
} // namespace

Layout Layout::fromAttribute(ArrayRef<int64_t> attribute, unsigned rank) {
  Layout layout;
  llvm::append_range(layout.order, attribute.take_front(rank));
  if (attribute.size() > rank)
    layout.block = attribute.back();
  return layout;
}

SmallVector<int64_t> Layout::toAttribute() const {
  SmallVector<int64_t> attribute(order.begin(), order.end());
  if (block)
    attribute.push_back(block);
  return attribute;
}

Layout getRowMajor(Value tensor) {
  Layout layout;
  llvm::append_range(
      layout.order, llvm::seq<int64_t>(
                        0, cast<RankedTensorType>(tensor.getType()).getRank()));
  return layout;
}

Layout getLayout(KernelOp kernel, unsigned index) {
  unsigned inputs = kernel.getInputs().size();
  Value tensor = index < inputs ? kernel.getInputs()[index]
                                : kernel.getResult(index - inputs);
  if (auto layouts = kernel->getAttrOfType<ArrayAttr>("layouts"))
    return Layout::fromAttribute(
        cast<DenseI64ArrayAttr>(layouts[index]).asArrayRef(),
        cast<RankedTensorType>(tensor.getType()).getRank());
  return getRowMajor(tensor);
}

int getLaneStride(const LoopNest &nest, const Access &access, unsigned loop,
                  const Layout &layout) {
  int stride = 0;
  bool innermost = true;
  auto type = cast<RankedTensorType>(access.tensor.getType());
  for (int64_t dim : llvm::reverse(layout.order)) {
    Coordinate at = (*access.at)[dim];
    if (nest.isPickedBy(at, loop))
      return -1;
    if (int64_t factor = CoordinateSum(at).getFactor(loop)) {
      bool isShifted = layout.block && getLoop(at) != int(loop);
      if (stride || factor != 1 || !innermost || isShifted)
        return -1;
      stride = 1;
    }
    if (type.getDimSize(dim) != 1)
      innermost = false;
  }
  return stride;
}

bool isTransposed(const LoopNest &nest, const Access &access, unsigned lane,
                  unsigned loop, const Layout &layout) {
  return !layout.block && getLaneStride(nest, access, lane, layout) < 0 &&
         getLaneStride(nest, access, loop, layout) == 1 &&
         !nest.isPicked(access);
}

static double extentOf(const LoopNest &nest, unsigned loop) {
  return static_cast<double>(nest.estimateExtent(loop));
}

llvm::SmallVector<unsigned, 2> getPanelRows(const LoopNest &nest,
                                            const Reduction &product,
                                            unsigned factor, unsigned lane,
                                            int64_t lanes, int64_t mostBytes) {
  auto [tensor, at] = nest.getOperand(product, factor);
  LoopSet own = nest.getLoopsOf(tensor, *at);
  if (!contains(own, lane))
    return {};
  // Narrow floats are f32 in registers, and in panels.
  Type element = getElementTypeOrSelf(tensor.getType());
  uint64_t bytes =
      lanes *
      (isNarrowFloat(element) ? 4 : element.getIntOrFloatBitWidth() / 8);
  llvm::SmallVector<unsigned, 2> rows;
  for (unsigned loop : product.loops) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (ShapedType::isDynamic(extent) || extent == 0)
      return {};
    if (!contains(own, loop))
      continue;
    rows.push_back(loop);
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(extent));
  }
  return bytes <= uint64_t(mostBytes) ? rows : llvm::SmallVector<unsigned, 2>();
}

/// Whether the factor that has its lanes along one of these loops can have a
/// panel.
static bool mayHavePanel(const LoopNest &nest, const Reduction &product,
                         LoopSet lanes, int64_t width, int64_t mostBytes) {
  if (!product.isContraction() || nest.getReductions().size() != 1)
    return false;
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    for (unsigned factor : {0, 1})
      if (contains(lanes & product.parallel, loop) &&
          !getPanelRows(nest, product, factor, loop, width, mostBytes).empty())
        return true;
  return false;
}

/// The cost of the nest if `lanes` are the lane loops.
static double getCost(const LoopNest &nest, LayoutFunction layoutOf,
                      LoopSet lanes, int64_t width, int64_t panelBytes,
                      int64_t cacheBytes) {
  // The number of vectors to run over `loops` once.
  auto vectors = [&](LoopSet loops) {
    double count = nest.estimatePositions(loops & ~lanes);
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (contains(loops & lanes, loop))
        count *= std::ceil(extentOf(nest, loop) / width);
    return count;
  };
  const double reused = kGatherPerLane * double(width),
               alone = kAlonePerLane * double(width);
  // `gathered`: the cost if lanes are not neighbours in memory.
  auto accessCost = [&](const Access &access, LoopSet loops, double gathered) {
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop) {
      if (!contains(loops & lanes, loop))
        continue;
      int stride = getLaneStride(nest, access, loop, layoutOf(access.tensor));
      if (stride != 0)
        return stride == 1 ? kContiguous : gathered;
      bool isFar = nest.estimateBytes(access) > double(cacheBytes) &&
                   std::ceil(extentOf(nest, loop) / width) <= kFewVectors;
      return isFar ? kUniformFar : kUniform;
    }
    return kContiguous;
  };

  double cost = 0;
  LoopSet root = nest.getRootLoops();
  for (const Reduction &reduction : nest.getReductions()) {
    LoopSet own = toLoopSet(reduction.loops);
    LoopSet all = reduction.parallel | own;
    bool isCopied = mayHavePanel(nest, reduction, lanes, width, panelBytes);
    double each = 1;
    for (const Access &input : nest.getInputs())
      if (LoopSet of = nest.getLoopsOf(input.tensor, *input.at); of & own) {
        double readers = nest.estimatePositions(reduction.parallel & ~of);
        double gathered = isCopied && readers >= kFewReaders
                              ? alone / readers + kContiguous
                              : reused;
        each += accessCost(input, all, std::min(gathered, reused));
      }
    cost += each * vectors(all);
    if (own & lanes)
      cost += kLaneSum * nest.estimatePositions(reduction.parallel);
  }
  for (const Access &access : nest.getRoots())
    cost += accessCost(access, root, alone) * 2 *
            vectors(nest.getLoopsOf(access.tensor, *access.at));
  double each = 0;
  for (const Access &input : nest.getInputs())
    if (!(nest.getLoopsOf(input.tensor, *input.at) & ~root))
      each += accessCost(input, root, reused);
  return cost + each * vectors(root);
}

VectorPlan planVectors(const LoopNest &nest, LayoutFunction layoutOf,
                       int64_t width, LoopSet serial, int64_t panelBytes,
                       int64_t cacheBytes) {
  std::optional<VectorPlan> best;
  auto consider = [&](LoopSet lanes) {
    double cost = getCost(nest, layoutOf, lanes, width, panelBytes, cacheBytes);
    if (!best || cost < best->cost)
      best = VectorPlan{lanes, cost};
  };

  LoopSet common = nest.getRootLoops();
  for (const Access &root : nest.getRoots())
    common &= getLoops(*root.at);
  LoopSet inAll = common & ~serial;
  for (const Reduction &reduction : nest.getReductions())
    inAll &= reduction.parallel;
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
    if (contains(inAll, loop))
      consider(toLoopSet(loop));

  // Also consider: every reduction along its own lanes, contiguous ones if
  // there is a choice, and the roots along their last common loop that is
  // parallel in no reduction.
  if (!nest.getReductions().empty()) {
    LoopSet lanes = 0;
    for (const Reduction &reduction : nest.getReductions()) {
      if (reduction.loops.empty())
        continue;
      auto contiguous = [&](unsigned loop) {
        return llvm::count_if(nest.getInputs(), [&](const Access &input) {
          return getLaneStride(nest, input, loop, layoutOf(input.tensor)) == 1;
        });
      };
      unsigned pick = reduction.loops.front();
      for (unsigned loop : reduction.loops)
        if (contiguous(loop) > contiguous(pick))
          pick = loop;
      lanes |= toLoopSet(pick);
    }
    LoopSet free = common & ~nest.getResultLoops();
    if (free)
      lanes |= toLoopSet(llvm::Log2_64(free));
    if (lanes)
      consider(lanes);
  }
  return best.value_or(VectorPlan());
}

} // namespace tdc::td
