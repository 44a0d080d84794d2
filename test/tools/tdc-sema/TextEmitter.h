//===- TextEmitter.h - prints the checker's calls, one per line -----------===//
//
// Values print as %0, %1 … in the order in which they are made; constants print
// as themselves where they are used.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TEST_TOOLS_TDC_SEMA_TEXTEMITTER_H
#define TDC_TEST_TOOLS_TDC_SEMA_TEXTEMITTER_H

#include "Frontend/Emitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

namespace tdc {

class TextEmitter final : public Emitter {
  using Ref = llvm::StringRef;
  using Values = llvm::ArrayRef<Value>;
  using Outcomes = llvm::ArrayRef<Outcome>;
  using Ints = llvm::ArrayRef<int64_t>;
  using Type = const TensorShape &;

public:
  explicit TextEmitter(llvm::raw_ostream &os) : os(os) {}

  void setLocation(const SourceLocation &) override {}
  void nameTensor(Value, Ref) override {}
  void readElsewhere(Value) override {}
  void nameIndices(Ref) override {}
  Value constantInt(int64_t v) override { return name(std::to_string(v)); }
  Value constantFloat(double v) override {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.17g", v) << "f";
    return name(text);
  }
  Value constantBool(bool v) override { return name(v ? "true" : "false"); }
  Value constantString(Ref text) override { return name(quote(text)); }
  Value host(HostOp op, Values v) override {
    static const char *names[] = {
        "add",   "sub",  "mul",   "div",      "floordiv", "mod",        "pow",
        "shl",   "shr",  "neg",   "min",      "max",      "abs",        "eq",
        "ne",    "lt",   "le",    "gt",       "ge",       "and",        "or",
        "not",   "sqrt", "exp",   "log",      "sin",      "cos",        "tanh",
        "floor", "ceil", "round", "to_float", "to_int",   "bool_to_int"};
    return def(Ref(names[unsigned(op)]) + " " + list(v));
  }
  Value hostSelect(Value c, Value a, Value b) override {
    return def("host_select " + list({c, a, b}));
  }
  Loop beginFor(Value from, Value to, Value step, Values initial) override {
    Loop loop;
    loop.index = fresh();
    for (size_t i = 0; i != initial.size(); ++i)
      loop.carried.push_back(fresh());
    line("for " + text(loop.index) + " = " + text(from) + " to " + text(to) +
         " step " + text(step) + " carry (" + list(loop.carried) + ") = (" +
         list(initial) + ") {");
    ++depth;
    return loop;
  }
  llvm::SmallVector<Value> endFor(Values next, Outcomes outcomes,
                                  Value leaves) override {
    if (leaves)
      line("leave if " + text(leaves));
    return closeLoop(next, outcomes);
  }
  llvm::SmallVector<Value> beginWhile(Value c, Values initial) override {
    llvm::SmallVector<Value> carried;
    for (size_t i = 0; i != initial.size(); ++i)
      carried.push_back(fresh());
    line("while " + text(c) + " carry (" + list(carried) + ") = (" +
         list(initial) + ") {");
    ++depth;
    return carried;
  }
  llvm::SmallVector<Value> endWhile(Value c, Values next,
                                    Outcomes outcomes) override {
    line("again if " + text(c));
    return closeLoop(next, outcomes);
  }
  void beginIf(Value c) override { line("if " + text(c) + " {"), ++depth; }
  void beginElse() override { --depth, line("} else {"), ++depth; }
  llvm::SmallVector<Value> endIf(Values a, Values b) override {
    line("yield (" + list(a) + ")" +
         (b.empty() ? "" : " or (" + list(b) + ")"));
    return close(a.size());
  }
  void declareDevice(Ref symbol, const Place &device) override {
    line("device " + symbol + " = " + spelling(device));
  }
  void optimizePlacement() override { line("optimize placement"); }
  void keepTransfers() override { line("keep transfers"); }
  llvm::SmallVector<Value>
  beginExport(Ref fn, Ref help, llvm::ArrayRef<Parameter> parameters) override {
    llvm::SmallVector<Value> values;
    std::string all;
    for (const Parameter &p : parameters) {
      values.push_back(fresh());
      all += " " + text(values.back()) + ": " + type(p.type);
    }
    if (!help.empty())
      line("## " + help);
    line("export " + fn + all + " {"), ++depth;
    return values;
  }
  bool canUse(Value) override { return true; }
  void endExport(Values v) override {
    line("return " + list(v)), --depth, line("}");
  }

  Value tensorConstant(llvm::ArrayRef<char> bytes, Type t) override {
    return def("constant " + llvm::Twine(bytes.size()) + " bytes", t);
  }
  /// A random op without a call takes the next one.
  RandomCall nextRandom() override { return {}; }
  Value random(td::Distribution d, RandomCall call, Values bounds, Values s,
               Type t) override {
    Ref name = td::stringifyDistribution(d);
    if (!call.seed)
      return op("random " + name, bounds, s, t);
    llvm::SmallVector<Value> operands{call.seed, call.number};
    operands.append(bounds.begin(), bounds.end());
    return op("random " + name + " of call", operands, s, t);
  }
  Value op(OpKind k, Values v, llvm::ArrayRef<OpAttribute> attributes,
           Type t) override {
    size_t sizes =
        getOpInfo(k).takesSizes ? llvm::count(t.dims, kRunTimeSize) : 0;
    return op(name(k, attributes), v.drop_back(sizes), v.take_back(sizes), t);
  }
  Value toDevice(Value v, Type t, Transfer how) override {
    return op("to_device" + transfer(how), {v}, {}, t);
  }
  Value detach(Value v) override { return def("detach " + text(v)); }
  Value roundGradient(Value v, const TensorShape &narrow) override {
    return def("round_gradient " + text(v) + " " +
               spelling(narrow.dtype).str());
  }
  Value dim(Value v, int64_t i) override {
    return def("dim" + llvm::Twine(ints(i)) + " " + text(v));
  }
  Value item(Value v) override { return def("item " + text(v)); }

  void declareSlot(Ref slot, td::SlotKind kind, Ref key, Ref instance,
                   Type t) override {
    line("slot " + slot + " " + td::stringifySlotKind(kind) + " " + key +
         " of " + instance + " : " + type(t));
  }
  void nameSlots(llvm::ArrayRef<SlotNames> slots,
                 llvm::ArrayRef<std::string> dropped) override {
    for (const SlotNames &row : slots) {
      std::string names;
      for (const SlotName &name : row.names)
        names += " " + name.whole();
      line("names " + row.slot + " =" + names);
    }
    for (const std::string &slot : dropped)
      line("drop " + slot);
  }
  Value read(Ref slot, Type t) override { return def("read " + slot, t); }
  void write(Ref slot, Value v) override {
    line("write " + slot + " " + text(v));
  }
  void moveSlot(Ref slot, const Place &place, Transfer how) override {
    line("move" + transfer(how) + " " + slot + " to " + spelling(place));
  }
  void seed(Value v) override { line("seed " + text(v)); }
  llvm::SmallVector<Value> grad(Value target, Values wrt) override {
    llvm::SmallVector<Value> results;
    for (size_t i = 0; i != wrt.size(); ++i)
      results.push_back(fresh());
    line(list(results) + " = grad " + text(target) + " wrt " + list(wrt));
    return results;
  }
  void backward(Value target, llvm::ArrayRef<std::string> parameters,
                llvm::ArrayRef<std::string> gradients,
                llvm::ArrayRef<std::string> flags) override {
    line("backward " + text(target) + " [" + llvm::join(parameters, ", ") +
         "] into [" + llvm::join(gradients, ", ") + "] flags [" +
         llvm::join(flags, ", ") + "]");
  }

  Value format(Ref t, Values v) override {
    return def("format " + quote(t) + " " + list(v));
  }
  Value pickText(Value i, llvm::ArrayRef<llvm::StringRef> texts) override {
    return def(
        "pick_text " + text(i) + " of " +
        llvm::join(llvm::map_range(texts, [](Ref text) { return quote(text); }),
                   ", "));
  }
  void print(Value v) override { line("print " + text(v)); }
  void assertThat(Value c, Value m, tdc::Check check) override {
    line("assert " + list({c, m}) +
         (check == tdc::Check::Assertion
              ? ""
              : " TR" + std::to_string(static_cast<int>(check))));
  }
  void checkDim(Value a, Value b, Ref what) override {
    line("check_dim " + list({a, b}) + " " + quote(what));
  }
  void declareArgument(Ref arg, HostType t, ArgumentKind kind,
                       std::optional<Ref> initial, Ref help) override {
    static const char *const kinds[] = {"", "device ", "fixed "};
    line("arg " + arg + ": " + kinds[unsigned(kind)] + hostType(t) + " = " +
         initial.value_or("required") + " " + quote(help));
  }
  Value argument(Ref arg, HostType t) override {
    return def("argument " + arg + ": " + hostType(t));
  }
  Value environment(Value v, Value d) override {
    return def("env " + list({v, d}));
  }
  Value exists(Value p) override { return def("exists " + text(p)); }
  Value cudaDeviceName(Value index) override {
    return def("cuda.get_device_name " + text(index));
  }
  Value cudaTotalMemory(Value index) override {
    return def("cuda.total_memory " + text(index));
  }
  void cudaSynchronize() override { line("cuda.synchronize"); }
  Value load(Value p, Ref key, Type t) override {
    return def("load " + text(p) + (key.empty() ? "" : " key ") + key, t);
  }
  void saveTensor(Value p, Value v) override {
    line("save_tensor " + list({p, v}));
  }
  void save(Value p, const Checkpoint &c) override {
    line("save " + text(p) + slots(c) + " names [" + llvm::join(c.names, ", ") +
         "] (" + list(c.values) + ")");
  }
  void restore(Value p, const Checkpoint &c, Tolerance t) override {
    line("restore " + text(p) + slots(c) + (t.lenient ? " lenient" : "") +
         (t.casts ? " cast" : ""));
  }
  Value restoreScalar(Value p, Ref scalar, HostType t) override {
    return def("restore_scalar " + text(p) + " " + scalar + ": " + hostType(t));
  }

private:
  Value name(std::string text) {
    names.push_back(std::move(text));
    return Value(&names.back());
  }
  Value fresh() { return name("%" + std::to_string(next++)); }
  static std::string text(Value v) {
    return v ? *static_cast<std::string *>(v.getHandle()) : "null";
  }
  static std::string list(Values values) {
    std::string all;
    for (Value v : values)
      all += (all.empty() ? "" : ", ") + text(v);
    return all;
  }
  static std::string transfer(Transfer how) {
    static const char *const names[] = {"", " implied", " home", " kept",
                                        " pinned"};
    return names[unsigned(how)];
  }
  static std::string quote(Ref text) {
    std::string out = "\"";
    llvm::raw_string_ostream os(out);
    llvm::printEscapedString(text, os);
    return out + "\"";
  }
  static std::string ints(Ints values) {
    std::string all;
    for (int64_t v : values)
      all += (all.empty() ? "" : ", ") + std::to_string(v);
    return "[" + all + "]";
  }
  static std::string type(Type t) {
    std::string all;
    for (int64_t size : t.dims)
      all += (all.empty() ? "" : ", ") +
             (size == kRunTimeSize ? "?" : std::to_string(size));
    std::string place = spelling(t.place);
    return spelling(t.dtype).str() + "[" + all + "]" +
           (place.empty() ? "" : " @" + place);
  }
  static Ref hostType(HostType t) {
    static const char *names[] = {"int", "float", "bool", "str"};
    return names[unsigned(t)];
  }
  static std::string slots(const Checkpoint &c) {
    std::string all = std::string(c.full ? " full" : "") + " [" +
                      llvm::join(c.slots, ", ") + "] as [" +
                      llvm::join(c.keys, ", ") + "]";
    for (const auto &[alias, key] : c.aliases)
      all += " " + alias + "=" + key;
    return all;
  }
  void line(const llvm::Twine &text) { os.indent(2 * depth) << text << '\n'; }
  Value def(const llvm::Twine &text) {
    std::string copy = text.str();
    Value v = fresh();
    line(TextEmitter::text(v) + " = " + copy);
    return v;
  }
  Value def(const llvm::Twine &text, Type t) {
    return def(text + " : " + type(t));
  }
  /// "slice[0, 2]", "reduce sum[1]".
  static std::string name(OpKind kind, llvm::ArrayRef<OpAttribute> attributes) {
    std::string text = getOpInfo(kind).mnemonic.str();
    llvm::SmallVector<int64_t> numbers;
    for (const OpAttribute &attribute : attributes) {
      if (auto *number = std::get_if<int64_t>(&attribute.value))
        numbers.push_back(*number);
      else if (auto *dims = std::get_if<Ints>(&attribute.value))
        numbers.append(dims->begin(), dims->end());
      else if (auto *kind = std::get_if<td::ReduceKind>(&attribute.value))
        text += " " + td::stringifyReduceKind(*kind).str();
      else if (auto *isSet = std::get_if<bool>(&attribute.value))
        text += *isSet ? " " + attribute.name.str() : "";
      else if (auto *sums = std::get_if<CoordinateSums>(&attribute.value))
        numbers.append(sums->numbers.begin(), sums->numbers.end());
      else
        text += " " + td::stringifyComparePredicate(
                          std::get<td::ComparePredicate>(attribute.value))
                          .str();
    }
    return attributes.empty() || numbers.empty() ? text : text + ints(numbers);
  }
  Value op(const llvm::Twine &text, Values v, Values sizes, Type t) {
    std::string operands = v.empty() ? "" : " " + list(v);
    return def(text + operands +
                   (sizes.empty() ? "" : " sizes (" + list(sizes) + ")"),
               t);
  }
  llvm::SmallVector<Value> closeLoop(Values next, Outcomes outcomes) {
    line("next (" + list(next) + ")");
    for (const Outcome &outcome : outcomes)
      line("give " + text(outcome.last) + " or " + text(outcome.initial));
    return close(next.size() + outcomes.size());
  }
  llvm::SmallVector<Value> close(size_t count) {
    --depth;
    llvm::SmallVector<Value> results;
    for (size_t i = 0; i != count; ++i)
      results.push_back(fresh());
    line(results.empty() ? "}" : "} -> " + list(results));
    return results;
  }

  llvm::raw_ostream &os;
  std::deque<std::string> names;
  unsigned next = 0, depth = 0;
};

} // namespace tdc

#endif // TDC_TEST_TOOLS_TDC_SEMA_TEXTEMITTER_H
