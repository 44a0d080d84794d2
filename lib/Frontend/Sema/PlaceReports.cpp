//===- PlaceReports.cpp - reports about devices ---------------------------===//
//
// A report names both sides and where each was placed. The suggested move: data
// goes to a model, a cpu tensor to the other device; between two GPUs the
// author decides.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

std::optional<std::string> Places::nameOf(const Place &place, SourceRange at) {
  if (place.kind != Place::Kind::Symbol ||
      !c.devices.getNaming(place).isValid())
    return placeText(place);
  auto isIt = [&](const Binding *binding) {
    return binding && binding->val.is(ValKind::Device) &&
           binding->val.as<DeviceInfo>().place == place;
  };
  // The walk may be in the prelude: the file of `at` is searched, too.
  FileScope *file = c.scopes.findFile(at.file);
  if (isIt(c.scopes.lookup(place.symbol)) ||
      (file && isIt(file->scope.lookup(place.symbol))))
    return place.symbol;
  if (ambientPlace().first == place)
    return "here";
  return std::nullopt;
}

void Places::offerTo(Diagnostic &report, SourceRange expr, const Place &to,
                     FixIt::Kind kind) {
  if (std::optional<std::string> name = nameOf(to, expr))
    c.offerSuffix(report, expr, ".to(" + *name + ")", kind);
}

void Places::offerMove(Diagnostic &report, const Val &val, const Place &to,
                       FixIt::Kind kind) {
  std::optional<std::string> name = nameOf(to, val.range);
  for (llvm::StringRef said : {".to(cpu)", "device=cpu)"}) {
    if (!name || !c.text(val.range).ends_with(said))
      continue;
    SourceRange cpu = val.range;
    cpu.end -= 1;
    cpu.begin = cpu.end - 3;
    report.fix(kind, "`" + said.drop_back(4) + *name + said.take_back() + "`",
               {{cpu, *name}});
    return;
  }
  SourceRange made = val.as<TensorInfo>().made;
  llvm::StringRef call = c.text(made);
  if (!isDeclaredBefore(to, made) || !call.ends_with(")"))
    return offerTo(report, val.range, to, kind);
  std::string added =
      (call.ends_with("()") ? "device=" : ", device=") + *nameOf(to, made);
  SourceRange end = made.finish();
  --end.begin;
  report.fix(kind, "`" + call.drop_back() + added + ")`",
             {{end.start(), added}});
}

bool Places::isDeclaredBefore(const Place &place, SourceRange at) {
  SourceRange made = c.devices.getNaming(place);
  bool isBefore =
      !made.isValid() || (made.file == at.file && made.end <= at.begin);
  return at.isValid() && isBefore && nameOf(place, at);
}

void Places::noteOrigin(Diagnostic &report, const Val &val) {
  SourceRange placed = val.as<TensorInfo>().placed;
  bool isUsers = val.range.isValid() && !c.isPrelude(val.range.file);
  std::string what = isUsers ? "`" + c.text(val.range).str() + "`" : "one side";
  what += " is " + typeText(typeOf(val));
  if (placed.isValid() && !c.isPrelude(placed.file))
    report.note(what + ", placed here", placed);
  else if (isCpuOrFree(typeOf(val).place))
    report.note(what + ", never placed, so it is on the cpu");
}

void Places::reportPlaces(const Val &lhs, const Val &rhs, SourceRange range) {
  const Place &a = typeOf(lhs).place, &b = typeOf(rhs).place;
  bool isSymbol =
      a.kind == Place::Kind::Symbol || b.kind == Place::Kind::Symbol;
  Diagnostic &report =
      isSymbol ? c.error(DiagCode::TD505, range,
                         "`" + placeText(a) + "` and `" + placeText(b) +
                             "` need not be the same device")
               : c.error(DiagCode::TD501, range,
                         "operands are on different devices");
  report.label("@" + placeText(a) + " and @" + placeText(b));
  // A function is given one operand that was not moved.
  const Val &left = isCpuOrFree(a) ? lhs : rhs;
  if (isCpuOrFree(a) != isCpuOrFree(b) && c.isPrelude(c.here.file) &&
      c.isWritten(left.range)) {
    report.primary.range = left.range;
    report.label("@" +
                 placeText(typeOf(left).place.kind == Place::Kind::Free
                               ? getCpu()
                               : typeOf(left).place) +
                 ", the others are @" + placeText(isCpuOrFree(a) ? b : a));
  }
  noteOrigin(report, lhs);
  noteOrigin(report, rhs);
  auto kind = isCpuOrFree(a) != isCpuOrFree(b) ? FixIt::Safe : FixIt::Choice;
  if (!isCpuOrFree(b))
    offerMove(report, lhs, b, kind);
  if (!isCpuOrFree(a))
    offerMove(report, rhs, a, kind);
}

void Places::reportModelPlace(const ModelInstance &model,
                              const ModelInstance &owner, const Val &arg,
                              const CallArgs &args) {
  const Place &place = owner.place, &data = typeOf(arg).place;
  SourceRange range = arg.range.isValid() ? arg.range : args.range;
  if (std::optional<Place> replica = c.dataParallel.placeOf(owner)) {
    c.error(DiagCode::TD502, range,
            "the data is on another device than the model")
        .label(typeText(typeOf(arg)))
        .secondaryLabel(args.calleeRange, "on @" + placeText(*replica))
        .note("`forward` runs on each GPU of `DataParallel`, with its rows "
              "there: `x.to(…)` of one GPU is wrong on the others");
    return;
  }
  if (!isCpuOrFree(place)) {
    Diagnostic &report = c.error(
        DiagCode::TD502, range,
        isCpuOrFree(data) ? "the data was not moved to the model's device"
                          : "the data is on another device than the model");
    report
        .label(typeText(typeOf(arg)) +
               (data.kind == Place::Kind::Free ? " @cpu" : ""))
        .secondaryLabel(args.calleeRange, "on @" + placeText(place));
    if (c.devices.resolvePlace(place).kind == Place::Kind::Cpu)
      report.note("`" + placeText(place) +
                  "` is the cpu on this machine: on one with a GPU this call "
                  "would fail");
    if (owner.moved.isValid())
      report.note("the model was moved here", owner.moved);
    offerTo(report, range, place,
            isCpuOrFree(data) ? FixIt::Safe : FixIt::Choice);
    return;
  }
  Diagnostic &report = c.error(DiagCode::TD503, args.calleeRange,
                               "the model was not moved to the data's device");
  report.label("its parameters are on @" + placeText(place))
      .secondaryLabel(range, typeText(typeOf(arg)));
  noteOrigin(report, arg);
  report.note("move a model once, where it is made, not at each call");
  if (!owner.moved.isValid() && isDeclaredBefore(data, model.made))
    offerTo(report, model.made, data, FixIt::Safe);
}

void Places::reportStatePlace(const Val &val, llvm::StringRef name,
                              const Place &place, SourceRange range) {
  Diagnostic &report =
      c.error(DiagCode::TD501, range, "`" + name + "` is on another device");
  report.label("@" + placeText(place) + ", and its new value @" +
               placeText(typeOf(val).place));
  noteOrigin(report, val);
  offerMove(report, val, place,
            isCpuOrFree(typeOf(val).place) ? FixIt::Safe : FixIt::Choice);
}

//===----------------------------------------------------------------------===//
// --placement=warn
//===----------------------------------------------------------------------===//

void Places::warnBrought(const Val &tensor, const Place &place) {
  if ((placement != Placement::Warn && !c.observer) || c.isWalkedAside() ||
      place.kind == Place::Kind::Cpu ||
      !brought.emplace(tensor.data, placeText(place)).second)
    return;
  bool isUsers = tensor.range.isValid() && !c.isPrelude(tensor.range.file);
  SourceRange range = isUsers ? tensor.range : c.userRange(c.here);
  if (c.observer)
    c.observer->brought(range, placeText(place));
  if (placement != Placement::Warn)
    return;
  Diagnostic &report =
      c.warning(DiagCode::TD510, range,
                "`" + c.text(range) + "` is brought to " + placeText(place));
  report.label("the program does not say `.to(" + placeText(place) + ")`");
  if (tensor.as<TensorInfo>().made == range)
    offerMove(report, tensor, place, FixIt::Choice);
  else if (isUsers)
    offerTo(report, range, place, FixIt::Choice);
}

void Places::warnMoved(const ModelInstance &model, const Place &place) {
  if (c.isWalkedAside() || model.name.empty())
    return;
  if (c.observer)
    c.observer->brought(c.here, placeText(place));
  if (placement != Placement::Warn)
    return;
  // The parts of a model move with it.
  llvm::StringRef name = llvm::StringRef(model.name).split('.').first;
  c.warning(DiagCode::TD510, c.here,
            "`" + name + "` is brought to " + placeText(place))
      .label("where the program does not say `" + name + ".to(" +
             placeText(place) + ")`");
}
