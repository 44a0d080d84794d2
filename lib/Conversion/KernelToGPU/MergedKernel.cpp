//===- MergedKernel.cpp - one kernel for several launches of another ------===//

#include "MergedKernel.h"
#include "DeviceBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Most bytes of a kernel's parameters before PTX ISA 8.1.
constexpr int64_t kParameterBytes = 4096;

static int64_t countSizes(TypeRange types) {
  int64_t count = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      count += tensor.getNumDynamicDims();
  return count;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

MergedLayout::MergedLayout(LaunchOp first)
    : first(first), shared(first.getInputs().size()),
      inputSizes(countSizes(first.getInputs().getTypes())),
      resultSizes(countSizes(first.getResultTypes())) {
  for (auto [i, input] : llvm::enumerate(first.getInputs()))
    if (!isa<RankedTensorType>(input.getType()))
      shared.set(i);
}

bool MergedLayout::isAlike(LaunchOp launch) const {
  auto areAlike = [](TypeRange some, TypeRange others) {
    return llvm::equal(some, others, [](Type a, Type b) {
      auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
      return x && y ? x.getEncoding() == y.getEncoding() &&
                          x.getNumDynamicDims() == y.getNumDynamicDims()
                    : a == b;
    });
  };
  return launch.getCallee() == first.getCallee() && !launch.getStartsAs() &&
         areAlike(launch.getInputs().getTypes(),
                  first.getInputs().getTypes()) &&
         areAlike(launch.getResultTypes(), first.getResultTypes());
}

int64_t MergedLayout::countWords(int64_t members, int64_t shared) const {
  int64_t own = first.getInputs().size() - shared + first.getNumResults() +
                inputSizes + resultSizes;
  return 1 + shared + members * (1 + own);
}

bool MergedLayout::add(LaunchOp launch) {
  llvm::BitVector same = shared;
  for (unsigned i : shared.set_bits())
    if (launch.getInputs()[i] != first.getInputs()[i])
      same.reset(i);
  if (countWords(members + 1, same.count()) * 8 > kParameterBytes)
    return false;
  shared = std::move(same);
  ++members;
  return true;
}

SmallVector<MergedLayout::Position> MergedLayout::getParameters() const {
  SmallVector<Position> positions = {{0, 0}};
  int64_t next = 1, own = getFirstBlock().base + members;
  int64_t inputs = first.getInputs().size() - shared.count();
  for (unsigned i = 0; i < shared.size(); ++i)
    if (shared.test(i))
      positions.push_back({next++, 0});
    else
      positions.push_back({own++, inputs});
  own += (members - 1) * inputs;
  for (int64_t count :
       {int64_t(first.getNumResults()), inputSizes, resultSizes}) {
    for (int64_t i = 0; i < count; ++i)
      positions.push_back({own + i, count});
    own += members * count;
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp makeMergedKernel(LLVM::LLVMFuncOp body,
                                  const MergedLayout &layout,
                                  llvm::StringRef name) {
  Location loc = body.getLoc();
  OpBuilder b(body);
  Type word = b.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  pointer));
  function->setDiscardableAttrs(body->getDiscardableAttrDictionary());
  auto table = LLVM::LLVMArrayType::get(word, layout.countWords());
  function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(table));
  function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(8));
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);

  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  auto load = [&](Type type, MergedLayout::Position at, Value member) -> Value {
    Value index = constant(at.base);
    if (at.stride != 0)
      index = arith::AddIOp::create(
          b, loc, index,
          arith::MulIOp::create(b, loc, member, constant(at.stride)));
    Value from = LLVM::GEPOp::create(b, loc, pointer, word,
                                     entry->getArgument(0), ValueRange{index});
    return LLVM::LoadOp::create(b, loc, type, from);
  };

  // Finds the last member with a first block at or before this block. Of
  // several members with the same first block, all but the last have no blocks.
  Value block = DeviceBuilder(b, loc).getBlock();
  auto getFirstBlock = [&](Value member) -> Value {
    return arith::TruncIOp::create(b, loc, b.getI32Type(),
                                   load(word, layout.getFirstBlock(), member));
  };
  Value member = constant(0), last = constant(layout.countMembers() - 1);
  for (int64_t step = llvm::PowerOf2Ceil(layout.countMembers()) / 2; step > 0;
       step /= 2) {
    Value next = arith::MinUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, member, constant(step)), last);
    Value precedes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           block, getFirstBlock(next));
    member = arith::SelectOp::create(b, loc, precedes, member, next);
  }
  Value own = arith::SubIOp::create(b, loc, block, getFirstBlock(member));

  IRMapping mapping;
  for (auto [argument, position] :
       llvm::zip_equal(body.getArguments(), layout.getParameters()))
    mapping.map(argument, load(argument.getType(), position, member));
  for (Operation &op : body.getBody().front())
    b.clone(op, mapping);
  function.walk([&](NVVM::BlockIdXOp asked) {
    if (asked != block.getDefiningOp())
      asked.getResult().replaceAllUsesWith(own);
  });
  return function;
}

} // namespace tdc
