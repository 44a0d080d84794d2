//===- Lists.cpp - lists that change --------------------------------------===//
//
// A list is a value of the compiler. A change makes a new one, which its name
// has from then on; one that only its name holds changes in place, because a
// copy in every iteration of a loop takes quadratic time.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "tdc_text.h"

using namespace tdc;
using namespace tdc::sema;

bool sema::changesList(llvm::StringRef method) {
  return llvm::is_contained(
      {"append", "extend", "insert", "pop", "reverse", "clear"}, method);
}

/// The list as one that may change. Its variable must be assigned again.
static Val ownList(Checker &c, const ast::Expr &target, Val list) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(&target);
  Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
  if (binding && binding->isVar)
    binding->val = Val();
  if (list.data.use_count() == 1)
    return list;
  return makeSequence(ValKind::List,
                      Vals(elementsOf(list).begin(), elementsOf(list).end()));
}

static void addElement(Sequence &list, size_t at, const Val &element) {
  list.extent += 1 + extentOf(element);
  list.hasUnread |= hasUnread(element);
  list.elements.insert(list.elements.begin() + static_cast<ptrdiff_t>(at),
                       element);
}

static Val removeElement(Sequence &list, size_t at) {
  auto *place = list.elements.begin() + static_cast<ptrdiff_t>(at);
  Val element = std::move(*place);
  list.extent -= 1 + extentOf(element);
  list.elements.erase(place);
  return element;
}

void Checker::assignElement(const ast::SubscriptExpr &target, Val list,
                            const Val &val) {
  if (target.items.size() != 1) {
    error(DiagCode::TD304, target.range, "cannot index " + describe(list))
        .label("a list has one dim: `xs[i][j]`");
    return;
  }
  auto number =
      indexing.elementNumber(target.items[0], elementsOf(list).size());
  if (!number || !isWithinExtent(extentOf(list) + extentOf(val), target.range))
    return;
  Val before = Sharing::withoutValue(list);
  Val changed = ownList(*this, *target.base, std::move(list));
  auto &own = changed.as<Sequence>();
  Val &element = own.elements[*number];
  own.extent += extentOf(val) - extentOf(element);
  own.hasUnread |= hasUnread(val);
  element = val;
  if (!isPrelude(target.range.file))
    sharing.name(element, val.range);
  sharing.change(before, changed, target.range);
  changed.range = target.base->range;
  assignTo(*target.base, changed, target.range);
}

/// The int that a method of a list is given; none after a report.
static std::optional<int64_t> takePlace(Checker &c, const CallArgs &args,
                                        llvm::StringRef method) {
  const Val &place = args.positional[0];
  if (!place.is(ValKind::Int)) {
    c.error(DiagCode::TD303, place.range.isValid() ? place.range : args.range,
            "an index is an int, not " + describe(place));
    return std::nullopt;
  }
  return c.host.requireInt(place,
                           ("the index given to `" + method + "`").str());
}

Val Checker::changeList(const ast::Expr &target, Val list,
                        const ast::Identifier &method, const CallArgs &args) {
  llvm::StringRef name = method.text;
  size_t given = args.positional.size();
  bool takesNone = name == "reverse" || name == "clear";
  size_t least = takesNone || name == "pop" ? 0 : name == "insert" ? 2 : 1;
  size_t most = name == "pop" ? 1 : least;
  if (given < least || given > most || !args.keywords.empty()) {
    std::string takes =
        least == most ? std::to_string(most)
                      : std::to_string(least) + " or " + std::to_string(most);
    error(DiagCode::TD205, args.range,
          "`" + name + "` of a list takes " + takes + " argument" +
              (takes == "1" ? "" : "s"));
    return fail();
  }
  if (choiceFrame == frames.size()) {
    error(DiagCode::TD214, args.range,
          "a list cannot change where a condition that is known only at run "
          "time decides whether it does")
        .note("`" + name + "` in a statement of its own always changes it");
    return fail();
  }
  auto size = static_cast<int64_t>(elementsOf(list).size());
  int64_t place = size;
  Vals added;
  if (name == "pop" || name == "insert") {
    auto index = given ? takePlace(*this, args, name) : -1;
    if (!index)
      return fail();
    place = *index < 0 ? *index + size : *index;
    if (name == "insert") {
      // As in Python, a place beyond an end is that end.
      place = std::clamp<int64_t>(place, 0, size);
    } else if (place < 0 || place >= size) {
      Diagnostic &report = error(DiagCode::TD404, args.range,
                                 size ? "the index is out of range"
                                      : "`pop` from an empty list");
      if (size)
        report.label("it has " + countOf(size, "element"));
      return fail();
    }
  }
  if (name == "extend") {
    if (!control.elementsOfIterable(args.positional[0], args.range, added))
      return fail();
  } else if (name == "append" || name == "insert") {
    added.push_back(args.positional.back());
  }
  size_t extent = extentOf(list);
  for (const Val &element : added)
    extent += 1 + extentOf(element);
  if (!isWithinExtent(extent, args.range))
    return fail();
  Val before = Sharing::withoutValue(list);
  Val changed = ownList(*this, target, std::move(list));
  auto &own = changed.as<Sequence>();
  Val result = makeVal(ValKind::None);
  if (name == "pop")
    result = removeElement(own, place);
  else if (name == "reverse")
    std::reverse(own.elements.begin(), own.elements.end());
  else if (name == "clear")
    changed = makeSequence(ValKind::List, {});
  for (Val &element : added) {
    if (!isPrelude(args.range.file))
      sharing.name(element, element.range);
    addElement(own, place++, element);
  }
  sharing.change(before, changed, args.range);
  changed.range = target.range;
  assignTo(target, changed, args.range);
  return result;
}
