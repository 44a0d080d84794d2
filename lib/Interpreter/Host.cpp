//===- Host.cpp - the meaning of prints, checks and scalars of tensors ----===//

#include "Dialect/TD/OpTable/Template.h"
#include "Machine.h"
#include <cstring>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

static void printTensor(Machine &m, const Tensor &tensor) {
  std::vector<char> bytes = tensor.toBytes();
  tdrt_tensor view = {bytes.data(), int32_t(tensor.dtype),
                      int32_t(tensor.dims.size()), tensor.dims.data()};
  tdrt_out_tensor(m.context(), &view);
}

/// The only element of a tensor as a host scalar.
static Datum getItem(const Tensor &tensor) {
  return tensor.isFloat() ? Datum(tensor.getFloat(0)) : Datum(tensor.getInt(0));
}

/// Appends a value in the format of the spec, or in its default format if the
/// spec is empty.
static LogicalResult appendValue(Machine &m, FormatOp op, Value value,
                                 llvm::StringRef spec) {
  Datum datum = m.get(value);
  int32_t type = World::getHostType(value.getType());
  bool isUnsigned64 = false;
  if (auto *tensor = std::get_if<TensorRef>(&datum)) {
    if (spec.empty()) {
      printTensor(m, **tensor);
      return success();
    }
    const Tensor &item = **tensor;
    if (item.size() != 1)
      return op.emitOpError("formats a tensor of ")
             << item.size() << " elements";
    type = item.isFloat()              ? TDRT_FLOAT
           : item.dtype == DType::Bool ? TDRT_BOOLEAN
                                       : TDRT_INT;
    isUnsigned64 = item.dtype == DType::U64;
    datum = getItem(item);
  }
  tdrt_format parsed = {}, *format = nullptr;
  if (!spec.empty()) {
    if (const char *problem =
            tdrt_parse_format(spec.data(), spec.size(), type, &parsed))
      return op.emitOpError("format '") << spec << "': " << problem;
    format = &parsed;
  }
  if (type == TDRT_STR)
    tdrt_out_str(m.context(), std::get<std::string>(datum).c_str(), format);
  else if (type == TDRT_FLOAT)
    tdrt_out_f64(m.context(), std::get<double>(datum), format);
  else if (type == TDRT_BOOLEAN)
    tdrt_out_bool(m.context(), std::get<int64_t>(datum), format);
  else if (isUnsigned64)
    tdrt_out_u64(m.context(), std::get<int64_t>(datum), format);
  else
    tdrt_out_i64(m.context(), std::get<int64_t>(datum), format);
  return success();
}

/// Appends the template with its fields filled in.
static LogicalResult appendTemplate(Machine &m, FormatOp op) {
  llvm::StringRef rest = op.getTemplateText();
  auto next = op.getValues().begin();
  while (!rest.empty()) {
    TemplatePiece piece = takePiece(rest);
    tdrt_out_text(m.context(), piece.literal.data(), piece.literal.size());
    if (piece.hasField && failed(appendValue(m, op, *next++, piece.spec)))
      return failure();
  }
  return success();
}

static LogicalResult runFormat(Machine &m, FormatOp op) {
  int64_t mark = tdrt_str_mark(m.context());
  tdrt_str_begin(m.context());
  if (failed(appendTemplate(m, op)))
    return failure();
  const char *text;
  if (failed(m.check(tdrt_str_end(m.context(), &text))))
    return failure();
  std::string result = text;
  tdrt_str_release(m.context(), mark);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runStrEqual(Machine &m, StrEqualOp op) {
  return m.set(op.getResult(),
               int64_t(m.text(op.getLhs()) == m.text(op.getRhs())));
}

static LogicalResult runPickText(Machine &m, PickTextOp op) {
  size_t last = op.getTexts().size() - 1;
  auto index = static_cast<uint64_t>(m.integer(op.getIndex()));
  Attribute text = op.getTexts()[std::min<uint64_t>(index, last)];
  return m.set(op.getResult(), cast<StringAttr>(text).str());
}

static LogicalResult runPrint(Machine &m, PrintOp op) {
  const std::string &text = m.text(op.getText());
  tdrt_out_text(m.context(), text.data(), text.size());
  return m.check(tdrt_out_end(m.context(), /*flush=*/0, /*site=*/-1));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult runAssert(Machine &m, AssertOp op) {
  if (m.integer(op.getCondition()))
    return success();
  auto code = op->getAttrOfType<IntegerAttr>("td.code");
  return m.check(tdrt_fail_check(m.context(), code ? code.getInt() : 101,
                                 m.text(op.getMessage()).c_str(), m.site(op)));
}

static LogicalResult runCheckDim(Machine &m, CheckDimOp op) {
  int64_t lhs = m.integer(op.getLhs()), rhs = m.integer(op.getRhs());
  if (lhs == rhs)
    return success();
  return m.check(tdrt_fail_sizes(m.context(), lhs, rhs,
                                 op.getWhat().str().c_str(), m.site(op)));
}

static LogicalResult runCheckRandInt(Machine &m, CheckRandIntOp op) {
  return m.check(tdrt_check_randint(
      m.context(), m.integer(op.getLow()), m.integer(op.getHigh()),
      int32_t(getDType(op.getDtype())), m.site(op)));
}

//===----------------------------------------------------------------------===//
// Tensors read by the host
//===----------------------------------------------------------------------===//

static LogicalResult runItem(Machine &m, ItemOp op) {
  const Tensor &x = m.tensor(op.getInput());
  if (x.size() != 1)
    return op.emitOpError("reads the only element of ") << x.size();
  return m.set(op.getResult(), getItem(x));
}

void addHostMeanings(Machine &machine) {
  machine.on<DimOp>([](Machine &m, DimOp op) {
    return m.set(op.getResult(), m.tensor(op.getInput()).dims[op.getIndex()]);
  });
  machine.on<ItemOp>(runItem);
  machine.on<FormatOp>(runFormat);
  machine.on<StrEqualOp>(runStrEqual);
  machine.on<PickTextOp>(runPickText);
  machine.on<PrintOp>(runPrint);
  machine.on<AssertOp>(runAssert);
  machine.on<CheckDimOp>(runCheckDim);
  machine.on<CheckRandIntOp>(runCheckRandInt);
}

} // namespace tdc
