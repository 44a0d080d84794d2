//===- TDInterfaces.td - what passes ask of td ops ------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDINTERFACES_TD
#define TDC_DIALECT_TD_IR_TDINTERFACES_TD

include "mlir/IR/OpBase.td"

def TD_Differentiable : OpInterface<"Differentiable"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op with a gradient rule. One rule per op, in `lib/Dialect/TD/Gradients`,
    one file per op family.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the vector-Jacobian product at the builder's insertion point.
      `cotangents` has one value per result (null = zero); the answer has one
      value per operand, of the operand's type (null = no gradient flows there:
      integers, indices, sizes).
    }], "::llvm::SmallVector<::mlir::Value>", "buildVJP",
    (ins "::mlir::OpBuilder &":$builder,
         "::mlir::ArrayRef<::mlir::Value>":$cotangents)>
  ];
}

def TD_Compute : OpInterface<"ComputeOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    Pure tensor arithmetic on one device: the op may go into a td.kernel. What
    passes need to know of it stands here and in its row of the op table.
  }];
  let methods = [
    StaticInterfaceMethod<"The row of the op.", "const ::tdc::OpInfo &",
                          "getInfo">,
    InterfaceMethod<[{
      Whether an element of the result is computed where it is asked for, from
      the elements of operands that `getAccess` names. Others are expanded, are
      data, or have a kernel of their own.
    }], "bool", "isPulled", (ins), "", [{
      return ::tdc::td::detail::isPulled($_op);
    }]>,
    InterfaceMethod<[{
      Where the op reads tensor operand `operand`. By default at the coordinates
      of the result.
    }], "::tdc::td::AccessMap", "getAccess", (ins "unsigned":$operand), "", [{
      return ::tdc::td::detail::getIdentityAccess($_op);
    }]>,
    InterfaceMethod<[{
      The host scalar that every element of the result is, converted as by
      td.cast; null if they differ.
    }], "::mlir::Value", "getElement", (ins), "", "return {};">,
    InterfaceMethod<[{
      Whether computing the result again is better than keeping it: elementwise
      ops and movement are, in kernels that read their operands anyway.
    }], "bool", "isRepeatable", (ins), "", [{
      return ::tdc::td::detail::isRepeatable($_op);
    }]>,
    InterfaceMethod<[{
      Whether the op may end the program with an error, as for an index out of
      range.
    }], "bool", "mayFail", (ins), "", "return false;">,
    InterfaceMethod<[{
      The operand whose memory, as it is, holds the result; null if there is
      none.
    }], "::mlir::Value", "getViewed", (ins), "", "return {};">,
    InterfaceMethod<"What messages call the op; empty as in the op table.",
      "::std::string", "getSpelling", (ins), "",
      "return $_op.getInfo().spelling.str();">
  ];
  let verify = "return ::tdc::td::detail::verifyOnePlace($_op);";
}

def TD_Reduction : OpInterface<"ReductionOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp that combines many elements into one. Operands are multiplied
    with each other before.
  }];
  let methods = [
    InterfaceMethod<[{
      The dims that the op reduces, each as a dim of an operand. They follow
      those of the result in the domain of access maps.
    }], "::llvm::SmallVector<::tdc::td::OperandDim, 2>", "getReducedDims">,
    InterfaceMethod<"How elements are combined.", "::tdc::td::ReduceKind",
                    "getCombination">,
    InterfaceMethod<[{
      Whether the result is the index of the element along the reduced dim, and
      not the element.
    }], "bool", "givesIndex", (ins), "", "return false;">
  ];
}

def TD_Update : OpInterface<"UpdateOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp whose result is written part by part.
  }];
  let methods = [
    InterfaceMethod<[{
      What the result is before parts are written, of the same type; null if
      they fill it.
    }], "::mlir::Value", "getBase", (ins), "", "return $_op->getOperand(0);">,
    InterfaceMethod<"The parts, in the order in which they are written.",
      "::llvm::SmallVector<::tdc::td::UpdatePart>", "getParts">,
    InterfaceMethod<[{
      `sum` plus the result, where the base is zeros, by an op that touches the
      parts only; null if there is none.
    }], "::mlir::Value", "addTo",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sum), "",
    "return {};">
  ];
}

def TD_Expandable : OpInterface<"Expandable"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp that kernels want written out. One rule per op, in
    `lib/Dialect/TD/Expansions`, one file per op family.
  }];
  let methods = [
    InterfaceMethod<[{
      Replaces the op by others, or changes it to what kernels compute; an op
      that is fine already stays.
    }], "void", "expand">
  ];
}

def TD_Sized : OpInterface<"SizedOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op with operands that hold the sizes of its results: one i64 per `?`, in
    order.
  }];
  let methods = [
    InterfaceMethod<"The sizes.", "::mlir::Operation::operand_range", "getSizes">
  ];
}

def TD_Picker : OpInterface<"Picker"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp whose operand 0 is indexed along a dim by the elements of
    operand 1. An index out of range stops the program.
  }];
  let methods = [
    InterfaceMethod<"The dim.", "uint64_t", "getDim">,
    InterfaceMethod<"Whether a negative index counts from the end.", "bool",
                    "countsFromEnd", (ins), "", "return false;">
  ];
}

def TD_SlotUser : OpInterface<"SlotUser"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An op that reads or writes slots. One that may leave what a slot holds as it
    is reads it, too.
  }];
  let methods = [
    InterfaceMethod<"The names of the slots that it reads.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getReadSlots", (ins), "",
      "return {};">,
    InterfaceMethod<"The names of the slots that it writes.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getWrittenSlots", (ins), "",
      "return {};">
  ];
}

#endif // TDC_DIALECT_TD_IR_TDINTERFACES_TD
