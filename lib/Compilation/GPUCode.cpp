//===- GPUCode.cpp - machine code for GPUs, and its resources -------------===//

#include "Compilation/Compilation.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/TD.h"
#include "Target/NVPTXTarget.h"
#include "Target/Ptxas.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// A table of the kernels: the source line that each was first made for, its
/// registers, spilled bytes and shared memory.
static std::string describeUsage(mlir::ModuleOp module, const Cubin &cubin,
                                 int chip) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%-24s %5s %9s %9s %9s\n",
                     ("sm_" + std::to_string(chip)).c_str(), "line",
                     "registers", "spilled", "shared");
  for (auto kernel : module.getOps<td::GPUKernelOp>()) {
    KernelUsage usage = cubin.kernels.lookup(kernel.getSymName());
    mlir::FileLineColLoc location = td::getUserLocation(kernel.getLoc());
    os << llvm::format("%-24s %5u %9lld %7lld B %7lld B\n",
                       kernel.getSymName().str().c_str(),
                       location ? location.getLine() : 0,
                       (long long)usage.registers, (long long)usage.spilled,
                       (long long)(usage.shared + kernel.getShared()));
  }
  return text;
}

/// Assembles the PTX for the architectures of `--cubin`, inserts the images
/// after the PTX, and tells the resources that kernels use if the options
/// request it.
bool Compilation::assembleImages() {
  auto images = module->getOps<td::ImageOp>();
  if (images.empty())
    return true;
  td::ImageOp ptx = *images.begin();
  std::string ptxas = findPtxas();
  if (ptxas.empty() && options.cubins.empty()) {
    listener.told("note: `ptxas` reports the resources of kernels, and there "
                  "is none on the PATH\n");
    return true;
  }
  if (ptxas.empty()) {
    diags
        .report(DiagCode::TD513, SourceRange(),
                "`--cubin` needs `ptxas`, and there is none on the PATH")
        .note("it is a part of NVIDIA's CUDA Toolkit; without `--cubin` the "
              "driver makes the code when the program starts");
    return reportDiagnostics();
  }
  mlir::OpBuilder builder(*module);
  builder.setInsertionPointAfter(ptx);
  std::vector<int> chips = options.cubins;
  if (chips.empty())
    chips.push_back(kOldestArchitecture);
  for (int chip : chips) {
    llvm::Expected<Cubin> cubin = assemble(ptxas, ptx.getData(), chip);
    if (!cubin) {
      diags.report(DiagCode::TD513, SourceRange(),
                   "`ptxas` made no code for sm_" + llvm::Twine(chip) + ": " +
                       llvm::toString(cubin.takeError()));
      return reportDiagnostics();
    }
    if (options.tellsUsage)
      listener.told(describeUsage(*module, *cubin, chip));
    if (!options.cubins.empty())
      td::ImageOp::create(builder, ptx.getLoc(), /*cubin=*/true, chip,
                          cubin->code);
  }
  return true;
}
