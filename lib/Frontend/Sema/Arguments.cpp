//===- Arguments.cpp - arg: the program's command line --------------------===//

#include "Checker.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>

using namespace tdc;
using namespace tdc::sema;

/// The value that a user typed for an `arg`.
static Val parseArgument(Checker &c, ValKind kind, llvm::StringRef given,
                         const ast::ArgDecl &arg) {
  int64_t whole = 0;
  double number = 0;
  llvm::StringRef digits = given;
  if (!digits.starts_with("+-"))
    digits.consume_front("+");
  switch (kind) {
  case ValKind::Int:
    if (!digits.getAsInteger(10, whole))
      return makeInt(whole);
    break;
  case ValKind::Float:
    if (!digits.getAsDouble(number))
      return makeFloat(number);
    break;
  case ValKind::Bool:
    if (given == "true" || given == "false")
      return makeBool(given == "true");
    break;
  default:
    return makeStr(given);
  }
  std::string option = ("`--" + arg.name.text + "`").str();
  digits.consume_front("-");
  bool isInt = kind == ValKind::Int && !digits.empty() &&
               llvm::all_of(digits, llvm::isDigit);
  // An option without a value counts as `true`.
  c.error(DiagCode::TD303, arg.name.range,
          given == "true" ? option + " needs a value"
          : isInt
              ? option + ": `" + given.str() + "` is beyond what an int holds"
              : "`--" + arg.name.text + " " + given + "` does not fit the type")
      .label("declared here as " + c.text(arg.type->range));
  return Val();
}

static std::optional<ValKind> argumentKind(llvm::StringRef type) {
  if (type == "int")
    return ValKind::Int;
  if (type == "float")
    return ValKind::Float;
  if (type == "bool")
    return ValKind::Bool;
  if (type == "str")
    return ValKind::Str;
  if (type == "device")
    return ValKind::Device;
  return std::nullopt;
}

static HostType hostType(ValKind kind) {
  return kind == ValKind::Int     ? HostType::Int
         : kind == ValKind::Float ? HostType::Float
         : kind == ValKind::Bool  ? HostType::Bool
                                  : HostType::Str;
}

/// A known value as a user would type it.
static std::optional<std::string> typedText(Checker &c, const Val &val) {
  if (val.is(ValKind::Device) &&
      val.as<DeviceInfo>().place.kind == Place::Kind::Symbol)
    return "auto";
  if (!val.is(ValKind::Float))
    return c.formatting.constantText(val);
  if (!val.known)
    return std::nullopt;
  char digits[32];
  auto end = std::to_chars(std::begin(digits), std::end(digits), val.number);
  return std::string(digits, end.ptr);
}

/// The checked default of an argument; an error value without one.
static Val evalDefault(Checker &c, ValKind kind, const ast::ArgDecl &arg) {
  if (!arg.defaultValue)
    return Val();
  Val initial = c.eval(*arg.defaultValue);
  c.at(arg.range);
  if (initial.isError())
    return initial;
  if (kind == ValKind::Device &&
      (initial.is(ValKind::Str) || initial.is(ValKind::Device))) {
    auto device = c.devices.asDevice(initial);
    if (!device)
      return c.fail();
    initial = *device;
  }
  if (kind == ValKind::Float && initial.is(ValKind::Int))
    initial = c.host.toFloat(initial);
  if (!initial.is(kind)) {
    c.error(DiagCode::TD303, arg.defaultValue->range,
            "the default is " + describe(initial) + ", not " +
                c.text(arg.type->range));
    return c.fail();
  }
  if (!typedText(c, initial)) {
    c.host.reportNotKnown(initial, "the default of an argument");
    return c.fail();
  }
  return c.devices.nameDevice(initial, arg.name.text);
}

/// The device that a user gave: `auto`, or the name of a device.
static Val givenDevice(Checker &c, const Val &val, const ast::ArgDecl &arg) {
  if (textOf(val) == "auto")
    return c.devices.nameDevice(c.devices.autoDevice(arg.name.range),
                                arg.name.text);
  auto device = c.devices.asDevice(val);
  if (!device)
    return c.fail();
  c.devices.checkDeviceExists(device->as<DeviceInfo>().place, arg.name.range);
  return *device;
}

/// Whether an `arg` can have its name: `tdc` would read an option of its own
/// with that name first. `--device` is allowed, as it means the same to both.
static bool isFreeName(Checker &c, const ast::ArgDecl &arg, ValKind kind) {
  llvm::StringRef name = arg.name.text;
  if (!llvm::is_contained(c.options.ownOptions, name) ||
      (name == "device" && kind == ValKind::Device))
    return true;
  Diagnostic &report = c.error(DiagCode::TD204, arg.name.range,
                               "`--" + name + "` is an option of tdc already")
                           .label("an `arg` needs another name");
  if (name == "device")
    report.note("`arg device: device` takes what `--device` says");
  return false;
}

void Checker::execArg(const ast::ArgDecl &arg) {
  llvm::StringRef name = arg.name.text;
  auto *type = llvm::dyn_cast<ast::NamedType>(arg.type);
  std::optional<ValKind> kind = argumentKind(
      type && !type->hasBrackets ? type->name.text : llvm::StringRef());
  if (scopes.scope->names.count(name))
    error(DiagCode::TD204, arg.name.range, "`" + name + "` is declared twice");
  if (!kind) {
    Diagnostic &report = error(DiagCode::TD213, arg.type->range,
                               "an `arg` is int, float, bool, str or device");
    // The name of a dtype, as of a tensor.
    if (std::optional<DType> dtype = parseDType(text(arg.type->range))) {
      llvm::StringRef host = isFloat(*dtype) ? "float" : "int";
      report.fix(FixIt::Safe, "`" + host + "`",
                 {{arg.type->range, host.str()}});
    }
  }
  if (!kind || !isFreeName(*this, arg, *kind)) {
    scopes.bind(name, arg.name.range, fail(), false);
    return;
  }
  bool isDevice = *kind == ValKind::Device;
  Val initial = evalDefault(*this, *kind, arg);
  std::optional<std::string> typed = typedText(*this, initial);
  std::optional<Val> val;
  auto found = options.arguments.find(name);
  std::string given = found != options.arguments.end() ? found->second
                      : isDevice && name == "device"   ? options.device
                                                       : "";
  bool hasDefault = options.fixedArguments.contains(name);
  bool isGiven = found != options.arguments.end() || !given.empty();
  if (isGiven) {
    val = parseArgument(*this, *kind, given, arg);
    val->range = arg.name.range;
    if (isDevice)
      val = givenDevice(*this, *val, arg);
    // `tdc run --device` is not one of the program's own words.
    if (!options.argumentsAreFinal || isDevice)
      typed = given;
  } else if (isDevice) {
    val = arg.defaultValue
              ? initial
              : devices.nameDevice(devices.autoDevice(arg.name.range), name);
    if (arg.defaultValue && val->is(ValKind::Device))
      devices.checkDeviceExists(val->as<DeviceInfo>().place,
                                arg.defaultValue->range);
  } else if (hasDefault || (options.argumentsAreFinal && arg.defaultValue)) {
    val = initial;
  }
  // Users can give a device when the program starts only if it is a symbol.
  // Under `tdc run` the device is chosen already: the argument takes any text.
  bool isOneDevice = isDevice && val->is(ValKind::Device) &&
                     val->as<DeviceInfo>().place.kind != Place::Kind::Symbol;
  bool isFixed =
      (isGiven || isOneDevice || hasDefault) && !options.argumentsAreFinal;
  emit().declareArgument(
      name, hostType(*kind),
      isFixed                                  ? ArgumentKind::Fixed
      : isDevice && !options.argumentsAreFinal ? ArgumentKind::Device
                                               : ArgumentKind::Value,
      typed ? std::optional<llvm::StringRef>(*typed) : std::nullopt, arg.help);
  if (!val) {
    Value value = emit().argument(name, hostType(*kind));
    val = *kind == ValKind::Int ? host.runTimeInt(value, name)
                                : makeRunTime(*kind, value);
  }
  val->range = val->written = arg.name.range;
  scopes.bind(name, arg.name.range, *val, false);
}
