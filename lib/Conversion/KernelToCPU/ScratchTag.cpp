//===- ScratchTag.cpp - what a thread's scratch has already ---------------===//

#include "ScratchTag.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tdc_threads.h"

using namespace mlir;

namespace tdc {

void emitUnlessTagged(KernelFunction &function, int64_t bytes, Value tag,
                      llvm::function_ref<void(Operation *)> fill) {
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value address = LLVM::GEPOp::create(
      b, loc, function.scratch.getType(), b.getI8Type(), function.scratch,
      ValueRange{function.i64(bytes - TDRT_SCRATCH_TAG)});
  Value known = LLVM::LoadOp::create(b, loc, b.getI64Type(), address);
  Value isOther =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, known, tag);
  auto branch = scf::IfOp::create(b, loc, isOther, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  LLVM::StoreOp::create(b, loc, tag, address);
  fill(branch);
}

} // namespace tdc
