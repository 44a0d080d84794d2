//===- SizeTable.cpp - the sizes of a program and the facts about them ----===//

#include "Frontend/Typed/SizeTable.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace tdc {

Size SizeTable::add(llvm::StringRef name, Value value,
                    std::optional<int64_t> known) {
  Size size = Size::variable(name);
  Variable &variable = (*this)[size.getAtom()];
  variable.value = value;
  variable.known = known;
  return size;
}

SizeTable::Variable &SizeTable::operator[](const SizeAtomRef &variable) {
  auto [known, isNew] = variables.try_emplace(variable.get());
  if (isNew)
    atoms.push_back(variable);
  return known->second;
}

const SizeTable::Variable *SizeTable::find(const SizeAtom &atom) const {
  auto known = variables.find(&atom);
  return known == variables.end() ? nullptr : &known->second;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<int64_t> SizeTable::constantOf(const Size &size) const {
  if (size.isConstant())
    return size.getConstant();
  return size.evaluate([&](const SizeAtom &atom) {
    const Variable *variable = find(atom);
    return variable ? variable->known : std::nullopt;
  });
}

std::optional<int64_t> SizeTable::onThisMachine(const Size &size) const {
  return size.evaluate([&](const SizeAtom &atom) -> std::optional<int64_t> {
    const Variable *variable = find(atom);
    if (!variable)
      return std::nullopt;
    return variable->known ? variable->known : variable->onThisMachine;
  });
}

Value SizeTable::valueOf(const SizeAtom &atom, Emitter &emitter) const {
  if (!atom.isVariable())
    return emitter.host(HostOp::FloorDiv,
                        {valueOf(atom.getNumerator(), emitter),
                         valueOf(atom.getDenominator(), emitter)});
  const Variable *variable = find(atom);
  if (variable && variable->known)
    return emitter.constantInt(*variable->known);
  // A function that is checked without a call has sizes without values; its ops
  // are not emitted.
  return variable && variable->value ? variable->value : emitter.constantInt(0);
}

Value SizeTable::valueOf(const Size &size, Emitter &emitter) const {
  if (std::optional<int64_t> constant = constantOf(size))
    return emitter.constantInt(*constant);
  Value sum;
  for (const SizeTerm &term : size.getTerms()) {
    Value product;
    for (const SizeAtomRef &atom : term.factors) {
      Value factor = valueOf(*atom, emitter);
      product = product ? emitter.host(HostOp::Mul, {product, factor}) : factor;
    }
    if (term.coefficient != 1)
      product = emitter.host(HostOp::Mul,
                             {product, emitter.constantInt(term.coefficient)});
    sum = sum ? emitter.host(HostOp::Add, {sum, product}) : product;
  }
  if (size.getConstant() != 0)
    sum = emitter.host(HostOp::Add,
                       {sum, emitter.constantInt(size.getConstant())});
  return sum;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool SizeTable::isNeverNegative(const Size &size) const {
  if (auto constant = constantOf(size))
    return *constant >= 0;
  for (const Fact &known : facts) {
    Size rest = size - known.size;
    if (rest.isConstant() && rest.getConstant() >= 0)
      return true;
  }
  if (size.getConstant() < 0)
    return false;
  return llvm::all_of(size.getTerms(), [&](const SizeTerm &term) {
    return term.coefficient > 0 &&
           llvm::all_of(term.factors, [&](const SizeAtomRef &atom) {
             if (!atom->isVariable())
               return isNeverNegative(atom->getNumerator()) &&
                      isNeverNegative(atom->getDenominator());
             const Variable *variable = find(*atom);
             return variable && variable->nonNegative;
           });
  });
}

bool SizeTable::requireNotNegative(
    const Size &size, Emitter &emitter,
    llvm::function_ref<Value(Value size)> message) {
  if (std::optional<int64_t> known = constantOf(size))
    return *known >= 0;
  if (isNeverNegative(size))
    return true;
  Value value = valueOf(size, emitter);
  Value isMet = emitter.host(HostOp::Ge, {value, emitter.constantInt(0)});
  emitter.assertThat(isMet, message(value), Check::Size);
  proveNotNegative(size);
  return true;
}

bool SizeTable::isWithin(const Size &size, const Size &limit,
                         bool inclusive) const {
  Size room = inclusive ? limit - size : limit - size - Size(1);
  if (isNeverNegative(room))
    return true;
  // A loop index i below n, plus constants: size = i + rest with i <= n - 1.
  for (const SizeTerm &term : size.getTerms()) {
    if (term.factors.size() != 1 || term.coefficient < 0)
      continue;
    const Variable *variable = find(*term.factors[0]);
    if (!variable || !variable->limit)
      continue;
    // The size with the variable at its largest.
    Size top = *variable->limit - Size(1);
    Size replaced = size.getConstant();
    for (const SizeTerm &other : size.getTerms()) {
      Size product = other.coefficient;
      for (const SizeAtomRef &factor : other.factors)
        product = product * (factor == term.factors[0] ? top : Size(factor));
      replaced = replaced + product;
    }
    Size space = inclusive ? limit - replaced : limit - replaced - Size(1);
    if (isNeverNegative(space))
      return true;
  }
  return false;
}

/// Whether the size is not 0 whatever its variables are: 12 - 5 * n.
static bool isNeverZero(const Size &size) {
  int64_t divisor = 0;
  for (const SizeTerm &term : size.getTerms())
    divisor = std::gcd(divisor, term.coefficient);
  return divisor != 0 && size.getConstant() % divisor != 0;
}

bool SizeTable::prove(ShapeAnswer &answer, Emitter &emitter) {
  for (const SizeFact &fact : answer.facts) {
    auto lhs = constantOf(fact.lhs), rhs = constantOf(fact.rhs);
    bool isKnown = lhs && rhs;
    if (isKnown && *lhs == *rhs)
      continue;
    Size difference = fact.lhs - fact.rhs;
    if (isKnown || isNeverZero(difference)) {
      answer.problem =
          fact.what + ": " + fact.lhs.str() + " and " + fact.rhs.str();
      return false;
    }
    Size negated = fact.rhs - fact.lhs;
    if (llvm::any_of(facts, [&](const Fact &known) {
          return known.isZero &&
                 (known.size == difference || known.size == negated);
        }))
      continue;
    emitter.checkDim(valueOf(fact.lhs, emitter), valueOf(fact.rhs, emitter),
                     fact.what + " (" + fact.lhs.str() + " and " +
                         fact.rhs.str() + ")");
    facts.push_back({std::move(difference), /*isZero=*/true});
  }
  return bool(answer);
}

} // namespace tdc
