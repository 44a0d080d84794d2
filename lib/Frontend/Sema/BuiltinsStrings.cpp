//===- BuiltinsStrings.cpp - chr, ord and the methods of a str ------------===//

#include "Checker.h"
#include "Frontend/Characters.h"

using namespace tdc;
using namespace tdc::sema;

/// `chr` of a number that is known only when the program runs. A text ends at
/// its first NUL then, so 0 is an error.
static Val chrAtRunTime(Checker &c, const Val &number) {
  Emitter &emit = c.emit();
  Value value = c.host.materialize(number);
  auto within = [&](int64_t first, int64_t last) {
    return emit.host(HostOp::And,
                     {emit.host(HostOp::Ge, {value, emit.constantInt(first)}),
                      emit.host(HostOp::Le, {value, emit.constantInt(last)})});
  };
  emit.assertThat(
      emit.host(HostOp::Or, {within(1, 0xD7FF), within(0xE000, 0x10FFFF)}),
      emit.format("chr({}): expected a code point from 1 to 1114111 that is no "
                  "surrogate (55296 to 57343)",
                  {value}),
      Check::Index);
  return makeText("{:c}", {value});
}

static Val chr(Checker &c, const Bound &args) {
  if (args["i"].is(ValKind::Int) && !c.host.constantInt(args["i"]))
    return chrAtRunTime(c, args["i"]);
  auto number = c.host.requireInt(args["i"], "the number of a character");
  if (!number)
    return c.fail();
  std::string character;
  if (*number >= 0 && *number <= UINT32_MAX &&
      appendCodePoint(character, static_cast<uint32_t>(*number)))
    return makeStr(character);
  c.error(DiagCode::TD222, args.range(),
          "there is no character " + llvm::Twine(*number))
      .note("characters have the numbers 0 to 1114111 (0x10FFFF), without the "
            "surrogates from 0xD800 to 0xDFFF");
  return c.fail();
}

static Val ord(Checker &c, const Bound &args) {
  auto text = c.host.requireStr(args["c"], "the character of `ord`");
  if (!text)
    return c.fail();
  if (auto codePoint = codePointOf(*text))
    return makeInt(*codePoint);
  size_t count = charactersOf(*text).size();
  c.error(DiagCode::TD222, args.range(),
          count == 1 ? "`ord` takes a character, not a byte that is not UTF-8"
                     : "`ord` takes one character, not a str of " +
                           std::to_string(count));
  return c.fail();
}

/// Also joins texts that are known only when the program runs.
static Val join(Checker &c, const Bound &args) {
  const Val &separator = args["separator"];
  Vals parts;
  if (!c.control.elementsOfIterable(args["iterable"], args.range(), parts))
    return c.fail();
  size_t extent = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (part.isError())
      return c.fail();
    if (!part.is(ValKind::Str)) {
      c.error(DiagCode::TD303, args["iterable"].range,
              "`join` takes strs, and element " + llvm::Twine(i) + " is " +
                  describe(part))
          .note("`str(x)` is a str of a number");
      return c.fail();
    }
    extent += extentOf(part) + (i ? extentOf(separator) : 0);
  }
  if (!c.isWithinExtent(extent, args.range()))
    return c.fail();
  std::string text;
  llvm::SmallVector<Value> values;
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (i)
      c.formatting.appendValue(text, values, separator, "", true);
    c.formatting.appendValue(text, values, part, "", true);
  }
  return makeText(text, std::move(values));
}

/// `s.find(part)`: the number of the first character of `part` in `s`, or -1.
static Val find(Checker &c, const Bound &args) {
  auto text = c.host.requireStr(args["s"], "a str that is searched");
  auto part = c.host.requireStr(args["part"], "the part of `find`");
  if (!text || !part)
    return c.fail();
  size_t at = text->find(*part);
  return makeInt(
      at == llvm::StringRef::npos
          ? -1
          : static_cast<int64_t>(charactersOf(text->take_front(at)).size()));
}

template <bool atEnd> static Val hasPart(Checker &c, const Bound &args) {
  auto text = c.host.requireStr(args["s"], "a str that is searched");
  auto part = c.host.requireStr(args["part"], "the part of " + args.what());
  if (!text || !part)
    return c.fail();
  return makeBool(atEnd ? text->ends_with(*part) : text->starts_with(*part));
}

llvm::ArrayRef<Builtin> sema::getStringBuiltins() {
  static const Builtin table[] = {
      {"chr", "i", chr},
      {"ord", "c", ord},
      {"str.join", "separator, iterable", join},
      {"str.find", "s, part", find},
      {"str.startswith", "s, part", hasPart<false>},
      {"str.endswith", "s, part", hasPart<true>},
  };
  return table;
}
