//===- EmitImages.cpp - gpu_code -> td.image ------------------------------===//

#include "CodeGen/KernelFunction.h"
#include "Conversion/KernelToGPU.h"
#include "Dialect/TD/IR/Locations.h"
#include "Target/NVPTXTarget.h"

using namespace mlir;

namespace {

class EmitImagesPass
    : public PassWrapper<EmitImagesPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitImagesPass)

  llvm::StringRef getArgument() const override { return "tdc-emit-images"; }
  llvm::StringRef getDescription() const override {
    return "compile the code of GPU kernels to PTX";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto code = module.lookupSymbol<ModuleOp>(tdc::kGPUCode);
    if (!code)
      return;
    numberSites(code);
    constexpr int architecture = tdc::kOldestArchitecture;
    std::string ptx = tdc::NVPTXTarget(architecture).emitPTX(code);
    if (ptx.empty())
      return signalPassFailure();
    OpBuilder builder(code);
    tdc::td::ImageOp::create(builder, code.getLoc(), /*cubin=*/false,
                             architecture, ptx);
    code.erase();
  }

private:
  /// Numbers the places of the ops that may have a bad index; kernels report
  /// the number.
  void numberSites(ModuleOp code) {
    llvm::SetVector<Attribute> sites;
    code.walk([&](LLVM::CallOp call) {
      if (call.getCallee() != tdc::kReportIndex)
        return;
      FileLineColLoc place = tdc::td::getUserPlace(call.getLoc());
      int64_t number = -1;
      if (place) {
        sites.insert(place);
        number = std::distance(sites.begin(), llvm::find(sites, place));
      }
      OpBuilder builder(call);
      call.setOperand(call.getArgOperands().size() - 1,
                      LLVM::ConstantOp::create(builder, call.getLoc(),
                                               builder.getI32Type(), number));
    });
    code->getParentOp()->setAttr(
        tdc::td::kSitesAttr,
        ArrayAttr::get(&getContext(), sites.getArrayRef()));
  }
};

} // namespace

std::unique_ptr<Pass> tdc::createEmitImagesPass() {
  return std::make_unique<EmitImagesPass>();
}
