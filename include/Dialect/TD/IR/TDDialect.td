//===- TDDialect.td - the td dialect --------------------------------------===//
//
// Whole tensor programs; the types say where each tensor is.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDDIALECT_TD
#define TDC_DIALECT_TD_IR_TDDIALECT_TD

include "mlir/IR/OpBase.td"

def TD_Dialect : Dialect {
  let name = "td";
  let cppNamespace = "::tdc::td";
  let summary = "device-placed tensor programs with state, gradients and I/O";
  let description = [{
    A `td` module is one whole program: the model's state, its forward pass, the
    gradient, the optimizer, the data loop and the prints.

    * **Tensors** are builtin ranked tensors and SSA values: never aliased, never
      mutated. The encoding is the *place*: `tensor<4xf32, #td.dev<cuda, 0>>`;
      no encoding means *free* (not decided yet). Only `td.to_device` changes a
      place, only `td.cast` the dtype of a value.
    * **State** lives in *slots*: `td.slot` declares one, `td.read` and `td.write`
      use it. A slot's name is its key in checkpoints.
    * **The host part** is `scf` and `arith` on `i64`, `f64` and `i1`, plus the
      ops that act outside of the program (`td.print`, `td.load`, `td.item` …).
    * **Sizes** that are known only at run time are `?` in the type; ops that
      make such a tensor from nothing take its sizes as `i64` operands.

    ```
      td  --td-grad--> td --td-resolve--> concrete places
          --td-form-kernels--> td.kernel --KernelToCPU--> machine code
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributesAndTypes();
  }];
}

#endif // TDC_DIALECT_TD_IR_TDDIALECT_TD
