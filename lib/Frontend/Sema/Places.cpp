//===- Places.cpp - devices, moves, and that operands share one -----------===//
//
// PyTorch's strict meaning: nothing is moved but where the program says so, and
// a tensor that was never placed is on the cpu.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

bool Checker::agree(const Place &lhs, const Place &rhs) const {
  auto cpu = [](const Place &place) {
    return place.kind == Place::Kind::Free || place.kind == Place::Kind::Cpu;
  };
  return lhs == rhs || (cpu(lhs) && cpu(rhs));
}

std::optional<Place> Checker::samePlace(llvm::ArrayRef<Val> operands,
                                        SourceRange range) {
  const Val *first = nullptr;
  for (const Val &operand : operands) {
    if (!operand.is(ValKind::Tensor))
      continue;
    if (!first || typeOf(*first).place.kind == Place::Kind::Free) {
      if (first && !agree(typeOf(*first).place, typeOf(operand).place)) {
        // falls through to the report below
      } else {
        first = &operand;
        continue;
      }
    }
    const TensorType &a = typeOf(*first), &b = typeOf(operand);
    if (agree(a.place, b.place))
      continue;
    auto isSymbol = [](const TensorType &t) {
      return t.place.kind == Place::Kind::Symbol;
    };
    DiagCode code =
        isSymbol(a) || isSymbol(b) ? DiagCode::TD505 : DiagCode::TD501;
    Diagnostic &report =
        error(code, range,
              code == DiagCode::TD501
                  ? llvm::Twine("operands are on different devices")
                  : "`" + placeText(a.place) + "` and `" + placeText(b.place) +
                        "` need not be the same device");
    report.label("@" + placeText(a.place) + " and @" + placeText(b.place));
    auto origin = [&](const Val &val) {
      SourceRange placed = val.as<TensorInfo>().placed;
      std::string name = val.range.isValid() && !isPrelude(val.range.file)
                             ? "`" + text(val.range).str() + "`"
                             : "one operand";
      std::string type = typeText(typeOf(val));
      if (placed.isValid() && !isPrelude(placed.file))
        report.note(name.append(" is ").append(type).append(", placed here"),
                    placed);
      else
        report.note(name.append(" is ").append(type).append(
            ", never placed, so it is on the cpu"));
    };
    origin(*first);
    origin(operand);
    // A cpu tensor goes to the other side; between two GPUs both are offered.
    auto offer = [&](const Val &val, const Place &to) {
      offerSuffix(report, val.range, ".to(" + placeText(to) + ")");
    };
    auto cpu = [](const TensorType &t) {
      return t.place.kind == Place::Kind::Free ||
             t.place.kind == Place::Kind::Cpu;
    };
    if (!cpu(b))
      offer(*first, b.place);
    if (!cpu(a))
      offer(operand, a.place);
    return std::nullopt;
  }
  return first ? typeOf(*first).place : Place();
}

//===----------------------------------------------------------------------===//
// Device values
//===----------------------------------------------------------------------===//

std::optional<Val> Checker::asDevice(const Val &val) {
  if (val.is(ValKind::Device))
    return val;
  if (!val.is(ValKind::Str))
    return std::nullopt;
  if (!val.known) {
    error(DiagCode::TD509, val.range,
          "a str that is known only when the program runs cannot be a device")
        .note("devices can be chosen then, without quotes: `cuda:0 if "
              "cuda.is_available() else cpu`");
    return std::nullopt;
  }
  llvm::StringRef name = textOf(val);
  Place place;
  if (name == "cpu") {
    place.kind = Place::Kind::Cpu;
  } else if (name.consume_front("cuda") &&
             (name.empty() ||
              (name.consume_front(":") &&
               !name.getAsInteger(10, place.ordinal) && place.ordinal >= 0))) {
    place.kind = Place::Kind::Cuda;
  } else {
    error(DiagCode::TD509, val.range, "`" + textOf(val) + "` is not a device")
        .label("a device is cpu, cuda or cuda:N");
    return std::nullopt;
  }
  Val device = makeDevice(place, val.range);
  device.range = val.range;
  return device;
}

void Checker::checkDeviceExists(const Place &place, SourceRange range) {
  // Without a GPU back end no program sees a CUDA device.
  if (place.kind != Place::Kind::Cuda || conditionDepth != 0)
    return;
  error(DiagCode::TD506, range, "there is no device " + spelling(place))
      .label("this machine shows no CUDA device")
      .note("`cuda:0 if cuda.is_available() else cpu` chooses when the "
            "program starts");
}

Val Checker::autoDevice(SourceRange range) {
  Val fixed = makeStr(options.device);
  fixed.range = range;
  if (!options.device.empty() && options.device != "auto")
    if (std::optional<Val> device = asDevice(fixed)) {
      checkDeviceExists(device->as<DeviceInfo>().place, range);
      return *device;
    }
  Place cuda, cpu, symbol;
  cuda.kind = Place::Kind::Cuda;
  cpu.kind = Place::Kind::Cpu;
  symbol.kind = Place::Kind::Symbol;
  symbol.symbol = "auto";
  Val device = makeDevice(symbol, range);
  device.as<DeviceInfo>().domain = {cuda, cpu};
  return device;
}

Val Checker::chooseDevice(const Val &, const Val &onTrue, const Val &onFalse,
                          SourceRange range) {
  Place a = onTrue.as<DeviceInfo>().place, b = onFalse.as<DeviceInfo>().place;
  if (a == b)
    return onTrue;
  Place symbol;
  symbol.kind = Place::Kind::Symbol;
  symbol.symbol = "device";
  Val device = makeDevice(symbol, range);
  auto &domain = device.as<DeviceInfo>().domain;
  for (const Val *side : {&onTrue, &onFalse}) {
    auto &info = side->as<DeviceInfo>();
    if (info.place.kind == Place::Kind::Symbol)
      domain.append(info.domain);
    else
      domain.push_back(info.place);
  }
  return device;
}

Val Checker::nameDevice(Val val, llvm::StringRef name) {
  if (!val.is(ValKind::Device))
    return val;
  auto &info = val.as<DeviceInfo>();
  if (info.place.kind != Place::Kind::Symbol ||
      (info.place.symbol != "auto" && info.place.symbol != "device") ||
      info.place.symbol == name)
    return val;
  auto copy = std::make_shared<DeviceInfo>(info);
  copy->place.symbol = name.str();
  val.data = std::move(copy);
  return val;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Val Checker::moveTensor(const Val &tensor, const Val &device,
                        SourceRange range) {
  auto &info = device.as<DeviceInfo>();
  checkDeviceExists(info.place, device.range.isValid() ? device.range : range);
  TensorType type = typeOf(tensor);
  if (type.place == info.place)
    return tensor;
  type.place = info.place;
  Value value = emit().toDevice(tensor.value, shapeOf(type));
  return makeTensor(std::move(type), value, userRange(range));
}

Val Checker::applyTo(const Val &base, CallArgs &args) {
  std::optional<Val> device;
  std::optional<DType> dtype;
  auto take = [&](const Val &val) {
    if (val.is(ValKind::DType)) {
      dtype = val.as<DTypeInfo>().dtype;
    } else if (val.is(ValKind::Builtin)) {
      // `int`, `float` and `bool` are functions as values and dtypes here.
      dtype = dtypeFromName(val.as<BuiltinInfo>().builtin->name);
    } else if (val.is(ValKind::Tensor)) {
      dtype = typeOf(val).dtype;
      Place place = typeOf(val).place;
      if (place.kind == Place::Kind::Free)
        place.kind = Place::Kind::Cpu;
      device = makeDevice(place, val.range);
    } else if (val.is(ValKind::Device) || val.is(ValKind::Str)) {
      device = asDevice(val);
      return bool(device);
    } else {
      error(DiagCode::TD303, val.range,
            "`.to` takes a device, a dtype or a tensor, not " + describe(val));
      return false;
    }
    if (!dtype && !device)
      error(DiagCode::TD303, val.range, "`.to` takes a device or a dtype");
    return dtype || device;
  };
  for (const Val &val : args.positional)
    if (!take(val))
      return fail();
  for (const auto &keyword : args.keywords) {
    if (keyword.name.text == "non_blocking")
      continue; // the schedule does it
    if (keyword.name.text != "device" && keyword.name.text != "dtype") {
      error(DiagCode::TD205, keyword.name.range,
            "`.to` has no parameter `" + keyword.name.text + "`");
      return fail();
    }
    if (!take(keyword.val))
      return fail();
  }
  if (!device && !dtype) {
    error(DiagCode::TD205, args.range, "`.to` needs a device or a dtype");
    return fail();
  }
  if (base.is(ValKind::Tuple) || base.is(ValKind::List)) {
    Vals moved;
    for (const Val &element : elementsOf(base)) {
      CallArgs inner = args;
      Val result = applyTo(element, inner);
      if (result.isError())
        return fail();
      moved.push_back(result);
    }
    return makeSequence(base.kind, std::move(moved));
  }
  if (!isTensor(base, args.range, "`.to`"))
    return fail();
  Val result = dtype ? castTo(base, *dtype) : base;
  return device ? moveTensor(result, *device, args.range) : result;
}

std::pair<Place, SourceRange> Checker::factoryPlace(const Val *device,
                                                    SourceRange range) {
  if (device && !device->is(ValKind::None)) {
    std::optional<Val> known = asDevice(*device);
    if (!known) {
      if (!device->isError() && !device->is(ValKind::Str))
        error(DiagCode::TD303, device->range,
              "`device=` takes a device, not " + describe(*device));
      return {};
    }
    Place place = known->as<DeviceInfo>().place;
    checkDeviceExists(place, device->range);
    return {place, userRange(range)};
  }
  // The ambient device: where the model lives, else where the unplaced
  // parameters of the function are.
  for (size_t i = frames.size(); i-- != 0;) {
    if (frames[i].self)
      return {modelPlace(*frames[i].self), frames[i].self->moved};
    if (frames[i].sharedPlace)
      return {*frames[i].sharedPlace, frames[i].callRange};
    if (!frames[i].file->isPrelude)
      break;
  }
  return {};
}
