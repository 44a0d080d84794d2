//===- Formatting.cpp - values in text ------------------------------------===//

#include "Formatting.h"
#include "Dialect/TD/OpTable/Template.h"
#include "HostScalars.h"
#include "Places.h"
#include "Reporter.h"
#include "Tensors.h"
#include "Types.h"
#include "tdc_text.h"
#include <charconv>

using namespace tdc;
using namespace tdc::sema;

/// The text of a template without values.
static std::string plainText(llvm::StringRef templateText) {
  return takePiece(templateText).literal;
}

Val sema::makeText(const std::string &templateText,
                   llvm::SmallVector<Value> values) {
  if (values.empty())
    return makeStr(plainText(templateText));
  Val val = makeStr(templateText);
  val.known = false;
  val.as<Text>().values = std::move(values);
  return val;
}

std::optional<std::string> Formatting::constantText(const Val &val) {
  switch (val.kind) {
  case ValKind::Str:
    return val.known ? std::optional<std::string>(textOf(val).str())
                     : std::nullopt;
  case ValKind::Bool:
    return val.known ? std::optional<std::string>(val.truth ? "true" : "false")
                     : std::nullopt;
  case ValKind::Int:
    if (auto constant = host.constantInt(val))
      return std::to_string(*constant);
    return std::nullopt;
  case ValKind::DType:
    return tdc::spelling(val.as<DTypeInfo>().dtype).str();
  case ValKind::Device:
    return placeText(places.chosenPlace(val).value_or(Place()));
  case ValKind::None:
    return std::string("none");
  default:
    return std::nullopt;
  }
}

void Formatting::appendValue(std::string &out,
                             llvm::SmallVectorImpl<Value> &values,
                             const Val &val, llvm::StringRef spec,
                             bool inFString) {
  if (val.is(ValKind::Builtin))
    if (auto dtype = Types::asDType(val))
      return appendValue(out, values, makeDType(*dtype), spec, inFString);
  std::optional<std::string> text = constantText(val);
  if (text && spec.empty()) {
    appendLiteral(out, *text);
    return;
  }
  if (showsFloats && val.is(ValKind::Float) && val.known) {
    char digits[32];
    auto end = std::to_chars(std::begin(digits), std::end(digits), val.number);
    llvm::StringRef shown(digits, end.ptr - digits);
    out += shown.str();
    if (llvm::all_of(shown.ltrim('-'), llvm::isDigit))
      out += ".0";
    return;
  }
  if (val.is(ValKind::Tuple) || val.is(ValKind::List)) {
    bool tuple = val.is(ValKind::Tuple);
    out += tuple ? '(' : '[';
    for (auto [i, element] : llvm::enumerate(elementsOf(val))) {
      if (i)
        out += ", ";
      if (element.is(ValKind::Str) && element.known) {
        std::string shown;
        appendRepr(shown, textOf(element));
        appendLiteral(out, shown);
        continue;
      }
      appendValue(out, values, element,
                  element.is(ValKind::Str) && !element.known ? "r" : "",
                  inFString);
    }
    if (tuple && elementsOf(val).size() == 1)
      out += ',';
    out += tuple ? ')' : ']';
    return;
  }
  Val shown = val;
  if (val.is(ValKind::Device) || val.is(ValKind::DType))
    shown = makeStr(*text);
  // In an f-string a tensor of one element is that element. Not every number of
  // a u64 is an int; `d` shows the tensor as its number.
  if (val.is(ValKind::Tensor) && inFString && typeOf(val).dims.empty()) {
    if (typeOf(val).dtype != DType::U64)
      shown = tensors.itemOf(val);
    else if (spec.empty())
      spec = "d";
  }
  if (shown.is(ValKind::Model) && !shown.known)
    return appendModel(out, values, shown);
  if (!shown.isHostScalar() && !shown.is(ValKind::Str) &&
      !shown.is(ValKind::Tensor)) {
    if (isParameters(shown) || shown.is(ValKind::State))
      c.error(DiagCode::TD304, val.range.isValid() ? val.range : c.here,
              isParameters(shown) ? "cannot print the parameters of a model"
                                  : "cannot print " + describe(val))
          .note("as in `for name, p in net.named_parameters() { print(name, p) "
                "}`");
    else if (shown.is(ValKind::Function) && shown.range.isValid())
      c.reportNotCalled(shown.range);
    else if (!shown.isError())
      c.error(DiagCode::TD304, val.range.isValid() ? val.range : c.here,
              "cannot print " + describe(val));
    return;
  }
  if (shown.is(ValKind::Str) && !shown.known && !shown.value && spec.empty()) {
    out += textOf(shown);
    values.append(shown.as<Text>().values);
    return;
  }
  out += spec.empty() ? "{}" : ("{:" + spec + "}").str();
  values.push_back(host.materialize(shown));
}

bool Formatting::checkSpec(const ast::FormatSpec &spec, const Val &val) {
  if (val.isError())
    return false;
  auto reject = [&](const llvm::Twine &why) {
    c.error(DiagCode::TD305, spec.range,
            "format `" + spec.text + "` does not fit " + describe(val))
        .label(why);
    return false;
  };
  char type = spec.type;
  bool isTensorVal = val.is(ValKind::Tensor);
  if (isTensorVal && !typeOf(val).dims.empty())
    return spec.text.empty() || reject("a tensor with dims takes no format");
  DType dtype = isTensorVal ? typeOf(val).dtype : DType::F32;
  bool isText = val.is(ValKind::Str) || val.is(ValKind::Device) ||
                val.is(ValKind::DType) || val.is(ValKind::Bool) ||
                (isTensorVal && dtype == DType::Bool);
  bool isWhole = val.is(ValKind::Int) || (isTensorVal && isInteger(dtype));
  bool isFloating = val.is(ValKind::Float) || (isTensorVal && isFloat(dtype));
  if (!isText && !isWhole && !isFloating)
    return spec.text.empty() || reject("it takes no format");
  llvm::StringRef allowed = isText ? "s" : isWhole ? "dxbefg%" : "efg%";
  if (type && !allowed.contains(type))
    return reject(llvm::Twine("the type can be one of ") + allowed);
  if (isText && (spec.sign || spec.commas || spec.alternate || spec.zeroPad ||
                 spec.align == '='))
    return reject("that is for numbers");
  bool plainInt =
      isWhole && (!type || type == 'd' || type == 'x' || type == 'b');
  if (plainInt && spec.precision)
    return reject("an int has no precision");
  return true;
}

Value Formatting::emitText(llvm::StringRef templateText,
                           llvm::ArrayRef<Value> values) {
  if (!values.empty())
    return c.emit().format(templateText, values);
  return c.emit().constantString(plainText(templateText));
}
