//===- Text.cpp - strings, prints, assertions -----------------------------===//
//
// A print appends the pieces of its template to the runtime's output; no string
// is made. The message of an assertion is made only when the assertion has
// failed.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/OpTable/Template.h"
#include "FunctionLowering.h"
#include "tdc_runtime.h"
#include <cstring>

using namespace mlir;

namespace tdc {

/// The text of a string that is known at compile time.
static std::optional<std::string> getLiteral(Value string) {
  auto format = string.getDefiningOp<td::FormatOp>();
  if (!format || !format.getValues().empty())
    return std::nullopt;
  llvm::StringRef rest = format.getTemplateText();
  return takePiece(rest).literal;
}

Value FunctionLowering::get(Value value) {
  if (isTicket(value))
    return tickets.lookup(value);
  if (!isString(value))
    return value;
  if (std::optional<std::string> literal = getLiteral(value))
    return code.text(*literal);
  return strings.lookup(value);
}

LogicalResult FunctionLowering::lower(td::FormatOp op) {
  // A literal is a constant at its uses; some texts are formatted by their
  // consumer.
  if (op.getValues().empty() || getConsumer(op))
    return success();
  code.call(runtime::tdrt_str_begin, {code.getContext()});
  if (failed(appendText(op)))
    return failure();
  strings[op.getResult()] = endString();
  return success();
}

Value FunctionLowering::endString() {
  Value result = code.getScratchValue();
  code.callChecked(runtime::tdrt_str_end, {code.getContext(), result});
  return code.load(code.pointer, result);
}

void FunctionLowering::appendLiteral(std::string &literal) {
  if (!literal.empty())
    code.call(runtime::tdrt_out_text, {code.getContext(), code.text(literal),
                                       code.int64(literal.size())});
  literal.clear();
}

LogicalResult FunctionLowering::appendText(td::FormatOp op) {
  llvm::StringRef rest = op.getTemplateText();
  ValueRange values = op.getValues();
  std::string literal;
  while (!rest.empty()) {
    TemplatePiece piece = takePiece(rest);
    literal += piece.literal;
    if (!piece.hasField)
      break;
    Value value = values.front();
    values = values.drop_front();
    std::optional<std::string> known = isString(value) && piece.spec.empty()
                                           ? getLiteral(value)
                                           : std::nullopt;
    if (known) {
      literal += *known;
      continue;
    }
    appendLiteral(literal);
    if (failed(appendValue(op, value, piece.spec)))
      return failure();
  }
  appendLiteral(literal);
  return success();
}

LogicalResult FunctionLowering::appendValue(td::FormatOp op, Value value,
                                            llvm::StringRef spec) {
  Value context = code.getContext();
  bool isUnsigned64 = false;
  if (isTensor(value)) {
    isUnsigned64 = getType(value).getElementType().isUnsignedInteger(64);
    if (spec.empty()) {
      code.call(runtime::tdrt_out_tensor, {context, describe(value)});
      return success();
    }
    value = loadItem(value);
  }
  Value format = code.null();
  if (!spec.empty()) {
    tdrt_format parsed;
    std::memset(&parsed, 0, sizeof parsed);
    if (const char *problem = tdrt_parse_format(
            spec.data(), spec.size(), getHostType(value.getType()), &parsed))
      return op.emitOpError("format '") << spec << "': " << problem;
    format = code.addressOf(code.globals.getBytes(
        {reinterpret_cast<const char *>(&parsed), sizeof parsed},
        alignof(tdrt_format)));
  }
  if (isString(value))
    code.call(runtime::tdrt_out_str, {context, get(value), format});
  else if (value.getType().isF64())
    code.call(runtime::tdrt_out_f64, {context, value, format});
  else if (value.getType().isInteger(1))
    code.call(runtime::tdrt_out_bool,
              {context,
               LLVM::ZExtOp::create(code.builder, code.getLocation(), code.i32,
                                    value),
               format});
  else
    code.call(isUnsigned64 ? runtime::tdrt_out_u64 : runtime::tdrt_out_i64,
              {context, value, format});
  return success();
}

LogicalResult FunctionLowering::lower(td::PrintOp op) {
  Value text = op.getText();
  auto format = text.getDefiningOp<td::FormatOp>();
  if (format && getConsumer(format)) {
    if (failed(appendText(format)))
      return failure();
  } else if (std::optional<std::string> literal = getLiteral(text)) {
    appendLiteral(*literal);
  } else {
    code.call(runtime::tdrt_out_text,
              {code.getContext(), get(text), code.int64(-1)});
  }
  code.callChecked(runtime::tdrt_out_end,
                   {code.getContext(), code.int32(0), code.site()});
  return success();
}

/// A string ends at its first NUL, as everywhere in the runtime.
LogicalResult FunctionLowering::lower(td::StrEqualOp op) {
  Value order =
      code.call(runtime::strcmp, {get(op.getLhs()), get(op.getRhs())});
  op.replaceAllUsesWith(
      code.compare(LLVM::ICmpPredicate::eq, order, code.int32(0)));
  return success();
}

/// Concatenates the texts, each with its NUL, and makes a table of their
/// offsets. td.pick_text is pure and may run before its check, so the index is
/// clamped.
LogicalResult FunctionLowering::lower(td::PickTextOp op) {
  std::string bytes;
  llvm::SmallVector<int64_t> offsets;
  for (llvm::StringRef text : op.getTexts().getAsValueRange<StringAttr>()) {
    offsets.push_back(bytes.size());
    bytes += text;
    bytes += '\0';
  }
  Location loc = op.getLoc();
  OpBuilder &b = code.builder;
  auto at = [&](Value base, Type type, Value index) -> Value {
    return LLVM::GEPOp::create(b, loc, code.pointer, type, base,
                               llvm::ArrayRef<LLVM::GEPArg>{index});
  };
  Value last = code.int64(offsets.size() - 1);
  Value index = LLVM::UMinOp::create(b, loc, op.getIndex(), last);
  Value table = code.addressOf(code.globals.getInt64s(offsets));
  Value offset = code.load(code.i64, at(table, code.i64, index));
  Value begin = code.addressOf(code.globals.getBytes(bytes, 1));
  strings[op.getResult()] = at(begin, b.getI8Type(), offset);
  return success();
}

LogicalResult FunctionLowering::lower(td::AssertOp op) {
  Block *failed = code.expect(op.getCondition());
  Block *next = code.builder.getInsertionBlock();
  code.setBlock(failed);
  // Reports a bad index in an earlier kernel before the failure that it caused.
  code.poll();
  Value message;
  auto format = op.getMessage().getDefiningOp<td::FormatOp>();
  if (format && getConsumer(format)) {
    code.call(runtime::tdrt_str_begin, {code.getContext()});
    if (mlir::failed(appendText(format)))
      return failure();
    message = endString();
  } else {
    message = get(op.getMessage());
  }
  auto number = op->getAttrOfType<IntegerAttr>("td.code");
  code.leave(
      code.call(runtime::tdrt_fail_check,
                {code.getContext(), code.int32(number ? number.getInt() : 101),
                 message, code.site()}));
  code.setBlock(next);
  return success();
}

LogicalResult FunctionLowering::lower(td::CheckRandIntOp op) {
  code.callChecked(runtime::tdrt_check_randint,
                   {code.getContext(), op.getLow(), op.getHigh(),
                    code.int32(int32_t(td::getDType(op.getDtype()))),
                    code.site()});
  return success();
}

LogicalResult FunctionLowering::lower(td::CheckDimOp op) {
  Block *differ = code.expect(
      code.compare(LLVM::ICmpPredicate::eq, op.getLhs(), op.getRhs()));
  Block *next = code.builder.getInsertionBlock();
  code.setBlock(differ);
  code.leave(code.call(runtime::tdrt_fail_sizes,
                       {code.getContext(), op.getLhs(), op.getRhs(),
                        code.text(op.getWhat()), code.site()}));
  code.setBlock(next);
  return success();
}

} // namespace tdc
