//===- LowerToLLVM.cpp - scf, arith, math, vector -> llvm -----------------===//

#include "Target/LowerToLLVM.h"
#include "Target/TargetInfo.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {

/// Lowers vector.create_mask of one dim: lane < n. MLIR's own pattern compares
/// 64-bit lanes, two registers for 16 floats; with n clamped to the length, 32
/// bits suffice.
struct CreateMaskLowering : OpRewritePattern<vector::CreateMaskOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::CreateMaskOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (type.getRank() != 1 || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not a vector of fixed length");
    Location loc = op.getLoc();
    int64_t length = type.getDimSize(0);
    Type i32 = rewriter.getI32Type();
    auto lanes = llvm::to_vector(llvm::seq<int32_t>(0, length));
    VectorType lanesType = VectorType::get(length, i32);
    Value lane = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(lanesType, llvm::ArrayRef(lanes)));
    Value limit = arith::MinSIOp::create(
        rewriter, loc, op.getOperand(0),
        arith::ConstantIndexOp::create(rewriter, loc, length));
    limit = arith::IndexCastOp::create(rewriter, loc, i32, limit);
    limit = vector::BroadcastOp::create(rewriter, loc, lanesType, limit);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::slt,
                                               lane, limit);
    return success();
  }
};

class LowerToLLVMPass
    : public PassWrapper<LowerToLLVMPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLLVMPass)

  explicit LowerToLLVMPass(const tdc::TargetInfo &processor)
      : processor(processor) {}

  llvm::StringRef getArgument() const override { return "tdc-lower-to-llvm"; }
  llvm::StringRef getDescription() const override {
    return "lower scf, arith, math and vector to the llvm dialect";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<cf::ControlFlowDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    tdc::lowerErrorFunction(getOperation(), processor);
    tdc::lowerScaling(getOperation(), processor);
    tdc::lowerMultiplyAdd(getOperation(), processor);
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter types(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns,
                                           /*reassociateFPReductions=*/true);
    patterns.add<CreateMaskLowering>(&getContext());
    tdc::populateNarrowFloatPatterns(patterns, processor);

    LLVMConversionTarget target(getContext());
    target.addLegalOp<ModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }

private:
  tdc::TargetInfo processor;
};

} // namespace

std::unique_ptr<Pass> tdc::createLowerToLLVMPass(const TargetInfo &processor) {
  return std::make_unique<LowerToLLVMPass>(processor);
}
