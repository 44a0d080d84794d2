//===- GPUToImage.cpp - gpu_code -> td.image ------------------------------===//

#include "Conversion/GPUToImage.h"
#include "CodeGen/KernelFunction.h"
#include "Conversion/KernelToGPU.h"
#include "Dialect/TD/IR/Locations.h"
#include "Target/NVPTXTarget.h"

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_GPUTOIMAGEPASS
#include "Conversion/Passes.h.inc"

namespace {

struct GPUToImage : impl::GPUToImagePassBase<GPUToImage> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto code = module.lookupSymbol<ModuleOp>(kGPUCode);
    if (!code)
      return;
    numberSites(code);
    constexpr int architecture = kOldestArchitecture;
    std::string ptx = NVPTXTarget(architecture).emitPTX(code);
    if (ptx.empty())
      return signalPassFailure();
    OpBuilder builder(code);
    td::ImageOp::create(builder, code.getLoc(), /*cubin=*/false, architecture,
                        ptx);
    code.erase();
  }

  /// Numbers the positions of the ops that report errors; kernels report the
  /// number.
  void numberSites(ModuleOp code) {
    llvm::SetVector<Attribute> sites;
    numberReports(code, [&](Location location) -> int32_t {
      LocationAttr site = td::getSite(location);
      if (!site)
        return -1;
      sites.insert(site);
      return std::distance(sites.begin(), llvm::find(sites, site));
    });
    code->getParentOp()->setAttr(
        td::kSitesAttr, ArrayAttr::get(&getContext(), sites.getArrayRef()));
  }
};

} // namespace
} // namespace tdc
