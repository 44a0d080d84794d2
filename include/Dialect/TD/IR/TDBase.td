//===- TDBase.td - types, attributes and op classes of td -----------------===//
//
// Shared by the op files: tensor and scalar constraints, the place, the enums.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_TDBASE_TD
#define TDC_DIALECT_TD_IR_TDBASE_TD

include "Dialect/TD/IR/TDDialect.td"
include "Dialect/TD/IR/TDInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "llvm/TableGen/SearchableTable.td"

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

class TD_EnumAttr<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tdc::td";
  let genSpecializedAttr = 0;
}

def TD_DeviceKind : TD_EnumAttr<"DeviceKind", "kind of a device", [
  I32EnumAttrCase<"CPU", 0, "cpu">, I32EnumAttrCase<"CUDA", 1, "cuda">,
  I32EnumAttrCase<"Symbol", 2, "symbol">
]>;

def TD_DeviceAttr : AttrDef<TD_Dialect, "Device"> {
  let mnemonic = "dev";
  let summary = "the place of a tensor";
  let description = [{
    `#td.dev<cpu>`, `#td.dev<cuda, 1>`, or `#td.dev<@device>`: a device that the
    program chooses when it starts. It is the encoding of a tensor type.

    C1: only `cuda` has an ordinal, which is not negative; only a symbol has a
    name.
  }];
  let parameters = (ins "DeviceKind":$kind, "int64_t":$ordinal,
                        StringRefParameter<"name of the symbol">:$symbol);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TD_StrType : TypeDef<TD_Dialect, "Str"> {
  let mnemonic = "str";
  let summary = "a host string";
}

def TD_HandleType : TypeDef<TD_Dialect, "Handle"> {
  let mnemonic = "handle";
  let summary = "a tensor value wherever it is";
  let description = [{
    One value and its replicas on the devices that have needed it. `tensor` is
    its type without a place.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let genVerifyDecl = 1;
}

def TD_TicketType : TypeDef<TD_Dialect, "Ticket"> {
  let mnemonic = "ticket";
  let summary = "a position in a queue of a GPU";
}

class TD_EnumParam<TD_EnumAttr info, string mnemonic>
    : EnumAttr<TD_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def TD_SlotKind : TD_EnumAttr<"SlotKind", "what a slot holds", [
  I32EnumAttrCase<"Param", 0, "param">, I32EnumAttrCase<"Buffer", 1, "buffer">,
  I32EnumAttrCase<"Moment", 2, "moment">, I32EnumAttrCase<"Grad", 3, "grad">,
  I32EnumAttrCase<"Value", 4, "value">
]>;
def TD_SlotKindAttr : TD_EnumParam<TD_SlotKind, "slot_kind">;

def TD_CopyRole : TD_EnumAttr<"CopyRole", "what a copy of DataParallel is for", [
  I32EnumAttrCase<"Rows", 0, "rows">, I32EnumAttrCase<"Replica", 1, "replica">,
  I32EnumAttrCase<"Gradient", 2, "gradient">
]>;
def TD_CopyRoleAttr : TD_EnumParam<TD_CopyRole, "role">;

def TD_ComparePredicate : TD_EnumAttr<"ComparePredicate", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">, I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">
]>;
def TD_ComparePredicateAttr : TD_EnumParam<TD_ComparePredicate, "predicate">;

def TD_ReduceKind : TD_EnumAttr<"ReduceKind", "how a reduction combines", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Any", 4, "any">, I32EnumAttrCase<"All", 5, "all">
]>;
def TD_ReduceKindAttr : TD_EnumParam<TD_ReduceKind, "reduce_kind">;

def TD_Distribution : TD_EnumAttr<"Distribution", "a random distribution", [
  I32EnumAttrCase<"Uniform", 0, "uniform">,
  I32EnumAttrCase<"Normal", 1, "normal">,
  I32EnumAttrCase<"RandInt", 2, "randint">,
  I32EnumAttrCase<"Permutation", 3, "permutation">
]>;
def TD_DistributionAttr : TD_EnumParam<TD_Distribution, "distribution">;

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

defvar integers = [I64, I32, I16, I8, UI64, UI32, UI16, UI8];
defvar floats = [F64, F32, F16, BF16];
def TD_Element : AnyTypeOf<!listconcat(floats, integers, [I1]), "dtype">;

/// The encoding is a place or absent; td accepts no other.
def TD_HasPlace : CPred<"::tdc::td::isPlaceEncoding("
    "::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())">;
/// `mask` is the set of dtypes in C++ (DTypeMask).
class TD_TensorOf<list<Type> elements, string summary, string mask>
    : Type<RankedTensorOf<elements, [TD_HasPlace]>.predicate,
           summary # " at a td place or free", "::mlir::RankedTensorType"> {
  string dtypes = mask;
}

def TD_Tensor : TD_TensorOf<[TD_Element], "tensor", "kAnyDType">;
def TD_FloatTensor
    : TD_TensorOf<floats, "float tensor", "kFloats">;
def TD_NumberTensor
    : TD_TensorOf<!listconcat(floats, integers), "number tensor", "kNumbers">;
def TD_IntegerTensor : TD_TensorOf<integers, "integer tensor", "kIntegers">;
def TD_BitsTensor
    : TD_TensorOf<!listconcat(integers, [I1]), "integer or bool tensor",
                  "kBits">;
def TD_BoolTensor
    : TD_TensorOf<[I1], "bool tensor", "maskOf(DType::Bool)">;
def TD_IndexTensor : TD_TensorOf<[I64], "i64 tensor", "maskOf(DType::I64)">;
/// A host scalar: int, float or bool of the language.
def TD_Scalar : AnyTypeOf<[I64, F64, I1], "host scalar">;
/// The types that can be printed or formatted.
def TD_Printable : AnyTypeOf<[I64, F64, I1, TD_StrType, TD_Tensor],
                             "host scalar, string or tensor">;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

/// The resources that effects name: the slots, the seed and counter of the
/// random stream, and the queues of GPUs.
def TD_Slots : Resource<"::tdc::td::SlotResource">;
def TD_RandomStream : Resource<"::tdc::td::RandomResource">;
def TD_Queues : Resource<"::tdc::td::QueueResource">;

class TD_Op<string mnemonic, list<Trait> traits = []>
    : Op<TD_Dialect, mnemonic, traits>;

/// Element i of the result depends on element i of the operands alone.
def TD_ElementwiseTrait : NativeOpTrait<"ElementwiseOp"> {
  let cppNamespace = "::tdc::td";
}

/// The host reads the elements of the op's tensor operands.
def TD_HostReaderTrait : NativeOpTrait<"HostReaderOp"> {
  let cppNamespace = "::tdc::td";
}

def TD_ForGradientTrait : NativeOpTrait<"ForGradientOp"> {
  let cppNamespace = "::tdc::td";
}

defvar Diff = DeclareOpInterfaceMethods<TD_Differentiable>;

/// `facts` are the methods of ComputeOp that the op implements itself. The
/// fields below are the op's row in the op table, with the names of
/// Dialect/TD/OpTable/OpTable.h.
class TD_ComputeOp<string mnemonic, list<Trait> traits = [],
                   list<string> facts = []>
    : TD_Op<mnemonic, !listconcat(
        [Pure, DeclareOpInterfaceMethods<TD_Compute, facts>], traits)> {
  /// The enumerator of OpKind; the C++ class is this followed by Op.
  string kind = !subst("TD_", "", !subst("Op", "", NAME));
  string rowMnemonic = mnemonic;
  /// The name of the op in messages; empty if programs have no word for it.
  string spelling = mnemonic;
  string family = ?;
  /// Operands that are tensors; -1: a list of any length.
  int operands = 1;
  /// The dtypes of the operands that carry data (not of conditions and
  /// indices); of the result if there is no such operand.
  string dtypes = "kAnyDType";
  /// Whether its last operands are the run-time sizes of its result.
  bit takesSizes = !foldl(0, traits, found, trait,
                          !or(found, !eq(trait, TD_Sized)));
  bit hasGradient = !foldl(0, traits, found, trait,
                           !or(found, !eq(trait, Diff)));
  assert !eq(!foldl(0, traits, found, trait,
                    !or(found, !eq(trait, TD_ElementwiseTrait))),
             !or(!eq(family, "Unary"), !eq(family, "Binary"),
                 !eq(family, "Compare"), !eq(family, "Select"),
                 !eq(family, "Cast"))),
         NAME # ": TD_ElementwiseTrait is of the families Unary, Binary, "
                "Compare, Select and Cast, and of no other";
  string tolerance = "Exact";
  /// The cost of one element.
  string cost = "Simple";
  string devices = "Fixed";
  string kindCode = "OpKind::" # kind;
  string operandsCode = !cast<string>(operands);
  string familyCode = "OpFamily::" # family;
  string toleranceCode = "Tolerance::" # tolerance;
  string costCode = "OpCost::" # cost;
  string devicesCode = "Portability::" # devices;

  let extraClassDefinition =
    "const ::tdc::OpInfo &$cppClass::getInfo() { return ::tdc::getOpInfo("
    "::tdc::OpKind::" # kind # "); }";
}

//===----------------------------------------------------------------------===//
// The op table
//===----------------------------------------------------------------------===//

def OpKind : GenericEnum {
  let FilterClass = "TD_ComputeOp";
  let NameField = "kind";
}

def OpTable : GenericTable {
  let FilterClass = "TD_ComputeOp";
  let CppTypeName = "OpInfo";
  let Fields = ["kindCode", "kind", "rowMnemonic", "spelling", "familyCode",
                "operandsCode", "takesSizes", "dtypes", "hasGradient",
                "toleranceCode", "costCode", "devicesCode"];
  string TypeOf_kindCode = "code";
  string TypeOf_familyCode = "code";
  string TypeOf_operandsCode = "code";
  string TypeOf_dtypes = "code";
  string TypeOf_toleranceCode = "code";
  string TypeOf_costCode = "code";
  string TypeOf_devicesCode = "code";
}

#endif // TDC_DIALECT_TD_IR_TDBASE_TD
