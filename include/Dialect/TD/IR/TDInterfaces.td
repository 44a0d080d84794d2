//===- TDInterfaces.td - the interfaces of td ops -------------------------===//

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
      `cotangents` has one value per result (null = zero); the returned list has
      one value per operand, of the operand's type (null = no gradient flows
      there: integers, indices, sizes).
    }], "::llvm::SmallVector<::mlir::Value>", "buildVJP",
    (ins "::mlir::OpBuilder &":$builder,
         "::mlir::ArrayRef<::mlir::Value>":$cotangents)>
  ];
}

def TD_Compute : OpInterface<"ComputeOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    Pure tensor arithmetic on one device: the op may be in a td.kernel. Passes
    get its properties from this interface and from its row of the op table.
  }];
  let methods = [
    StaticInterfaceMethod<"The row of the op.", "const ::tdc::OpInfo &",
                          "getInfo">,
    InterfaceMethod<[{
      Whether an element of the result is computed at the point where it is
      read, from the elements of operands that `getAccess` names. Other ops are
      expanded, are data, or have a kernel of their own.
    }], "bool", "isPulled", (ins), "", [{
      return ::tdc::td::detail::isPulled($_op);
    }]>,
    InterfaceMethod<[{
      The coordinates at which the op reads tensor operand `operand`; by default
      those of the result.
    }], "::tdc::td::AccessMap", "getAccess", (ins "unsigned":$operand), "", [{
      return ::tdc::td::detail::getIdentityAccess($_op);
    }]>,
    InterfaceMethod<[{
      The host scalar that every element of the result equals, converted as by
      td.cast; null if elements differ.
    }], "::mlir::Value", "getElement", (ins), "", "return {};">,
    InterfaceMethod<[{
      Whether computing the result again is better than keeping it: true for
      elementwise ops and movement, in kernels that read their operands anyway.
    }], "bool", "isRepeatable", (ins), "", [{
      return ::tdc::td::detail::isRepeatable($_op);
    }]>,
    InterfaceMethod<[{
      Whether the op may end the program with an error, as for an index out of
      range.
    }], "bool", "mayFail", (ins), "", "return false;">,
    InterfaceMethod<[{
      The operand that holds the result in its memory, unchanged; null if there
      is none.
    }], "::mlir::Value", "getViewed", (ins), "", "return {};">,
    InterfaceMethod<"The op's name in messages; empty as in the op table.",
      "::std::string", "getSpelling", (ins), "",
      "return $_op.getInfo().spelling.str();">
  ];
  let verify = "return ::tdc::td::detail::verifyOnePlace($_op);";
}

def TD_Reduction : OpInterface<"ReductionOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp that combines many elements into one. Several operands are first
    multiplied with each other.
  }];
  let methods = [
    InterfaceMethod<[{
      The dims that the op reduces, each as a dim of an operand. In the domain
      of access maps they follow the dims of the result.
    }], "::llvm::SmallVector<::tdc::td::OperandDim, 2>", "getReducedDims">,
    InterfaceMethod<"How elements are combined.", "::tdc::td::ReduceKind",
                    "getCombination">,
    InterfaceMethod<[{
      Whether the result is the index of the element along the reduced dim, and
      not the element.
    }], "bool", "givesIndex", (ins), "", "return false;">
  ];
}

def TD_Absorbing : OpInterface<"AbsorbingOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    An elementwise ComputeOp whose result is known where some operands are, as
    in 0 * x: the analysis of masks asks it.
  }];
  let methods = [
    InterfaceMethod<[{
      The element of the result, if those of the operands are `known`, where
      nullopt is any finite number other than 0. Returns nullopt if the element
      depends on such a number.
    }], "std::optional<double>", "absorb",
    (ins "llvm::ArrayRef<std::optional<double>>":$known)>
  ];
}

def TD_Update : OpInterface<"UpdateOp"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp that writes its result part by part.
  }];
  let methods = [
    InterfaceMethod<[{
      The content of the result before parts are written, of the same type; null
      if the parts fill it.
    }], "::mlir::Value", "getBase", (ins), "", "return $_op->getOperand(0);">,
    InterfaceMethod<"The parts, in the order in which they are written.",
      "::llvm::SmallVector<::tdc::td::UpdatePart>", "getParts">,
    InterfaceMethod<[{
      Makes `sum` plus the result, for a base of zeros, by an op that touches
      only the parts; null if there is no such op.
    }], "::mlir::Value", "addTo",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$sum), "",
    "return {};">
  ];
}

def TD_Expandable : OpInterface<"Expandable"> {
  let cppNamespace = "::tdc::td";
  let description = [{
    A ComputeOp that td-form-kernels expands before it forms kernels. One rule
    per op, in `lib/Dialect/TD/Expansions`, one file per op family.
  }];
  let methods = [
    InterfaceMethod<[{
      Replaces the op by others, or changes it to a form that kernels compute;
      an op that has this form stays.
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
    A ComputeOp that indexes operand 0 along a dim by the elements of operand 1.
    An index out of range stops the program.
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
    An op that reads or writes slots. An op that writes a slot but may leave its
    content as it is reads it, too.
  }];
  let methods = [
    InterfaceMethod<"The names of the slots that it reads.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getReadSlots", (ins), "",
      "return {};">,
    InterfaceMethod<"The names of the slots that it writes.",
      "::llvm::SmallVector<::mlir::StringAttr>", "getWrittenSlots", (ins), "",
      "return {};">,
    InterfaceMethod<[{
      The result that is the content of the only slot that it reads; null if it
      has none.
    }], "::mlir::Value", "getReadValue", (ins), "", "return {};">,
    InterfaceMethod<[{
      The operand that becomes the content of the only slot that it writes; null
      if it has none.
    }], "::mlir::Value", "getWrittenValue", (ins), "", "return {};">
  ];
}

#endif // TDC_DIALECT_TD_IR_TDINTERFACES_TD
