//===- tdc-opt.cpp - runs passes on td IR, for tests ----------------------===//
//
// With --dump-op-table it prints the op table as JSON, for the generated tests.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Passes.h"
#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tdc::td::TDDialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();

  if (argc == 2 && llvm::StringRef(argv[1]) == "--dump-op-table") {
    tdc::printOpTable(llvm::outs());
    return 0;
  }

  mlir::registerTransformsPasses();
  tdc::td::registerTDTransformsPasses();
  tdc::registerTDCConversionPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "td optimizer driver\n", registry));
}
