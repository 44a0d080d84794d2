//===- Files.cpp - files, checkpoints, command line, environment ----------===//

#include "Dialect/TD/OpTable/Template.h"
#include "FunctionLowering.h"
#include "tdc_runtime.h"
#include <cstddef>

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Command line and environment
//===----------------------------------------------------------------------===//

/// Loads a scalar from a tdrt_value.
Value FunctionLowering::loadScalar(Type type, Value from) {
  if (type.isInteger(1))
    return code.compare(LLVM::ICmpPredicate::ne, code.load(code.i64, from),
                        code.int64(0));
  return code.load(isa<td::StrType>(type) ? code.pointer : type, from);
}

void FunctionLowering::storeScalar(Value value, Value to) {
  if (value.getType().isInteger(1))
    value =
        LLVM::ZExtOp::create(code.builder, code.getLocation(), code.i64, value);
  code.store(value, to);
}

LogicalResult FunctionLowering::lower(td::ArgOp op) {
  int32_t index = code.globals.getArgument(op.getArgName());
  if (index < 0)
    return op.emitOpError("names no argument of the program");
  Value table =
      code.load(code.pointer,
                code.address(code.getContext(), offsetof(tdrt_context, args)));
  Value value =
      loadScalar(op.getType(), code.address(table, index * sizeof(tdrt_value)));
  if (isString(op.getResult()))
    strings[op.getResult()] = value;
  else
    op.replaceAllUsesWith(value);
  return success();
}

LogicalResult FunctionLowering::lower(td::EnvOp op) {
  strings[op.getResult()] = code.call(
      runtime::tdrt_env, {get(op.getVariable()), get(op.getDefaultValue())});
  return success();
}

LogicalResult FunctionLowering::lower(td::ExistsOp op) {
  Value found = code.call(runtime::tdrt_exists, {get(op.getPath())});
  op.replaceAllUsesWith(
      code.compare(LLVM::ICmpPredicate::ne, found, code.int32(0)));
  return success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The end of a string, as far as it is known at compile time.
static std::string getKnownEnd(Value string) {
  auto format = string.getDefiningOp<td::FormatOp>();
  if (!format)
    return "";
  llvm::StringRef rest = format.getTemplateText();
  std::string end;
  while (!rest.empty()) {
    TemplatePiece piece = takePiece(rest);
    // The literal after the last field.
    end = piece.hasField ? "" : piece.literal;
  }
  return end;
}

/// The load function for the file format of the path; if that is not known, the
/// function for any format.
static decltype(runtime::tdrt_load) getLoader(td::LoadOp op) {
  std::string end = getKnownEnd(op.getPath());
#define TENSOR_FILE(LOADER, ENDING)                                            \
  if (llvm::StringRef(end).ends_with_insensitive(ENDING))                      \
    return runtime::tdrt_load_##LOADER;
#include "tdc_file_formats.def"
  return runtime::tdrt_load;
}

/// A result of static size is read to its storage. A heap result is allocated
/// by the runtime, which returns its sizes.
LogicalResult FunctionLowering::lower(td::LoadOp op) {
  Value result = op.getResult();
  RankedTensorType type = getType(result);
  Value sizes = code.getScratchSizes(), data = code.getScratchValue();
  auto sizeAt = [&](int64_t dim) {
    return code.address(sizes, dim * sizeof(int64_t));
  };
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    code.store(code.int64(ShapedType::isDynamic(size) ? -1 : size),
               sizeAt(dim));
  code.store(isHeap(result) ? code.null() : getPointer(result), data);
  Value key = op.getKey() ? code.text(*op.getKey()) : code.null();
  code.callChecked(getLoader(op),
                   {code.getContext(), get(op.getPath()), key, getDType(result),
                    code.int32(type.getRank()), sizes, data, code.site()});
  if (!isHeap(result))
    return success();
  Tensor tensor;
  tensor.pointer = code.load(code.pointer, data);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      tensor.sizes.push_back(code.load(code.i64, sizeAt(dim)));
  tensors[result] = std::move(tensor);
  return success();
}

LogicalResult FunctionLowering::lower(td::SaveTensorOp op) {
  code.poll();
  code.callChecked(runtime::tdrt_save_tensor,
                   {code.getContext(), get(op.getPath()),
                    describe(op.getValue()), code.site()});
  return success();
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr FunctionLowering::makeCheckpoint(
    ArrayAttr slotNames, ArrayAttr keys, ArrayAttr names, ValueRange values,
    bool full, bool lenient, bool casts, DictionaryAttr aliases) {
  llvm::SmallVector<int32_t> indexes, types;
  llvm::SmallVector<Row> aliasRows;
  for (auto slot : slotNames.getAsRange<FlatSymbolRefAttr>())
    indexes.push_back(slots.get(slot).index);
  for (Value value : values)
    types.push_back(getHostType(value.getType()));
  Globals &globals = code.globals;
  auto texts = [&](ArrayAttr list) {
    llvm::SmallVector<Row> rows;
    if (list)
      for (auto text : list.getAsRange<StringAttr>())
        rows.push_back({Field::pointer(globals.getText(text))});
    return globals.addTable("tdc_texts", rows);
  };
  if (aliases)
    for (NamedAttribute alias : aliases)
      aliasRows.push_back(
          {Field::pointer(globals.getText(alias.getName())),
           Field::pointer(FlatSymbolRefAttr()),
           Field::int32(llvm::find(keys, alias.getValue()) - keys.begin())});
  Row row = {Field::int32(indexes.size()),
             Field::int32(types.size()),
             Field::pointer(globals.getInt32s(indexes)),
             Field::pointer(texts(keys)),
             Field::pointer(texts(names)),
             Field::pointer(globals.getInt32s(types)),
             Field::int32(full),
             Field::int32(lenient),
             Field::int32(casts),
             Field::int32(aliasRows.size()),
             Field::pointer(globals.addTable("tdc_aliases", aliasRows))};
  return globals.addTable("tdc_checkpoint", row);
}

LogicalResult FunctionLowering::lower(td::SaveOp op) {
  code.poll();
  Value values = code.null();
  if (!op.getValues().empty())
    values = code.allocateStack(op.getValues().size() * sizeof(tdrt_value));
  for (auto [index, value] : llvm::enumerate(op.getValues()))
    storeScalar(value, code.address(values, index * sizeof(tdrt_value)));
  FlatSymbolRefAttr what = makeCheckpoint(
      op.getSlots(), op.getKeys(), op.getNames(), op.getValues(), op.getFull(),
      /*lenient=*/false, /*casts=*/false, op.getAliasesAttr());
  code.callChecked(runtime::tdrt_checkpoint_save,
                   {code.getContext(), get(op.getPath()), code.addressOf(what),
                    values, code.site()});
  return success();
}

LogicalResult FunctionLowering::lower(td::RestoreOp op) {
  FlatSymbolRefAttr what = makeCheckpoint(
      op.getSlots(), op.getKeys(), /*names=*/{}, ValueRange(), op.getFull(),
      op.getLenient(), op.getCast(), op.getAliasesAttr());
  code.callChecked(runtime::tdrt_checkpoint_restore,
                   {code.getContext(), get(op.getPath()), code.addressOf(what),
                    code.site()});
  return success();
}

LogicalResult FunctionLowering::lower(td::RestoreScalarOp op) {
  Value value = code.getScratchValue();
  code.callChecked(runtime::tdrt_restore_value,
                   {code.getContext(), get(op.getPath()),
                    code.text(op.getKey()),
                    code.int32(getHostType(op.getType())), value, code.site()});
  op.replaceAllUsesWith(loadScalar(op.getType(), value));
  return success();
}

} // namespace tdc
