//===- Operators.cpp - unary, binary and comparison operators -------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;
using ast::BinaryOp;
using ast::CompareOp;

static std::optional<OpKind> tensorOp(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return OpKind::Add;
  case BinaryOp::Sub:
    return OpKind::Sub;
  case BinaryOp::Mul:
    return OpKind::Mul;
  case BinaryOp::Div:
    return OpKind::Div;
  case BinaryOp::FloorDiv:
    return OpKind::FloorDiv;
  case BinaryOp::Mod:
    return OpKind::Mod;
  case BinaryOp::Pow:
    return OpKind::Pow;
  case BinaryOp::BitAnd:
    return OpKind::And;
  case BinaryOp::BitOr:
    return OpKind::Or;
  case BinaryOp::BitXor:
    return OpKind::Xor;
  case BinaryOp::ShiftLeft:
    return OpKind::Shl;
  case BinaryOp::ShiftRight:
    return OpKind::Shr;
  default:
    return std::nullopt;
  }
}

static bool isShift(BinaryOp op) {
  return op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
}

Val Checker::evalUnary(const ast::UnaryExpr &expr) {
  if (expr.op == ast::UnaryOp::Not) {
    std::optional<Val> truth = control.condition(*expr.operand, &expr);
    at(expr.range);
    return truth ? host.boolNot(*truth) : fail();
  }
  Val operand = eval(*expr.operand);
  if (operand.isError())
    return operand;
  at(expr.range);
  sharing.use(operand, expr.operand->range);
  if (expr.op == ast::UnaryOp::Neg)
    return negate(operand, expr.range);
  if (operand.is(ValKind::Tensor))
    return tensors.elementwise(OpKind::Not, {operand}, expr.range, "`~`");
  if (operand.is(ValKind::Int)) // ~x is -x - 1
    return host.binary(BinaryOp::Sub, makeInt(-1), operand, expr.range);
  error(DiagCode::TD304, expr.range,
        "`~` is not defined for " + describe(operand));
  return fail();
}

static bool isOfBools(const Val &val) {
  return val.is(ValKind::Bool) ||
         (val.is(ValKind::Tensor) && typeOf(val).dtype == DType::Bool);
}

/// Whether an expression is all of an argument or of a value, so that a weaker
/// operator needs no parentheses.
static bool isAlone(Checker &c, SourceRange expr) {
  llvm::StringRef all = c.sources.getText(expr.file);
  llvm::StringRef before = all.take_front(expr.begin).rtrim(" \t");
  llvm::StringRef after = all.drop_front(expr.end).ltrim(" \t");
  bool begins =
      before.empty() || llvm::StringRef("([,=\n").contains(before.back());
  bool ends =
      after.empty() || llvm::StringRef(")],\n#").contains(after.front());
  return begins && ends;
}

/// `a + b` of bools is `a | b` in PyTorch, `a * b` is `a & b`; the numbers of
/// `.to(int)` would be others.
static Val reportBools(Checker &c, BinaryOp op, const Val &lhs, const Val &rhs,
                       SourceRange range) {
  llvm::StringRef sign = op == BinaryOp::Add   ? "|"
                         : op == BinaryOp::Mul ? "&"
                                               : "^";
  Diagnostic &report =
      c.error(DiagCode::TD304, range,
              "`" + ast::getSpelling(op) + "` is not defined for bool tensors");
  llvm::StringRef written = c.text(range);
  if (written == (ast::getSpelling(op) + "=").str()) {
    std::string assigned = (sign + "=").str();
    report.fix(FixIt::Choice, "`" + assigned + "`", {{range, assigned}});
    return c.fail();
  }
  if (written != ast::getSpelling(op) || !lhs.range.isValid() ||
      !rhs.range.isValid()) {
    report.note("write `a " + sign + " b`");
    return c.fail();
  }
  SourceRange all = lhs.range.to(rhs.range);
  std::string text =
      (c.text(lhs.range) + " " + sign + " " + c.text(rhs.range)).str();
  std::vector<Edit> edits{{range, sign.str()}};
  if (!isAlone(c, all)) {
    text = "(" + text + ")";
    edits.insert(edits.begin(), {all.start(), "("});
    edits.push_back({all.finish(), ")"});
  }
  report.fix(FixIt::Choice, "`" + text + "`", std::move(edits));
  return c.fail();
}

Val Checker::negate(const Val &operand, SourceRange range) {
  if (isOfBools(operand) && operand.is(ValKind::Tensor) &&
      text(range).starts_with("-") && !isPrelude(range.file)) {
    error(DiagCode::TD304, range, "`-` is not defined for bool tensors")
        .fix(FixIt::Choice, ("`~" + text(range).drop_front() + "`").str(),
             {{{range.file, range.begin, range.begin + 1}, "~"}});
    return fail();
  }
  if (operand.is(ValKind::Tensor))
    return tensors.elementwise(OpKind::Neg, {operand}, range, "`-`");
  if (operand.isHostScalar())
    return host.math(HostOp::Neg, operand);
  error(DiagCode::TD304, range, "`-` is not defined for " + describe(operand));
  return fail();
}

Val Checker::evalBinary(const ast::BinaryExpr &expr) {
  if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
    return control.evalLogical(expr);
  Val lhs = eval(*expr.lhs);
  Val rhs = eval(*expr.rhs);
  if (lhs.isError() || rhs.isError())
    return fail();
  at(expr.range);
  sharing.useSelf(lhs, expr.lhs->range);
  sharing.useSelf(rhs, expr.rhs->range);
  return binary(expr.op, lhs, rhs,
                expr.opRange.isValid() ? expr.opRange : expr.range);
}

/// Offers `str(n)` for a number next to a text.
static void offerText(Checker &c, Diagnostic &report, const Val &number,
                      FixIt::Kind kind) {
  if (!number.isHostScalar() || !c.isWritten(number.range))
    return;
  std::string text = ("str(" + c.text(number.range) + ")").str();
  report.fix(kind, "`" + text + "`", {{number.range, text}});
}

Val Checker::binary(BinaryOp op, const Val &lhs, const Val &rhs,
                    SourceRange range) {
  std::string what = ("`" + ast::getSpelling(op) + "`").str();
  bool hasTensor = lhs.is(ValKind::Tensor) || rhs.is(ValKind::Tensor);
  bool numbers = (lhs.is(ValKind::Tensor) || lhs.isHostScalar()) &&
                 (rhs.is(ValKind::Tensor) || rhs.isHostScalar());
  // Next to a float, a tensor of integers would have to become one of floats.
  bool shiftsFloat =
      isShift(op) && (lhs.is(ValKind::Float) || rhs.is(ValKind::Float));
  if (hasTensor && numbers && !shiftsFloat) {
    if (op == BinaryOp::MatMul) {
      if (!tensors.isTensor(lhs, range, what) ||
          !tensors.isTensor(rhs, range, what))
        return fail();
      return tensors.matmulOf(lhs, rhs, range);
    }
    // Ints divide to f32, as in PyTorch.
    if (op == BinaryOp::Div) {
      auto whole = [](const Val &v) {
        return v.is(ValKind::Tensor) ? !isFloat(typeOf(v).dtype)
                                     : !v.is(ValKind::Float);
      };
      auto single = [&](const Val &v) {
        return v.is(ValKind::Tensor) ? tensors.castTo(v, DType::F32)
                                     : host.toFloat(v);
      };
      if (whole(lhs) && whole(rhs))
        return tensors.elementwise(OpKind::Div, {single(lhs), single(rhs)},
                                   range, what);
    }
    bool isSum =
        op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
    if (isSum && isOfBools(lhs) && isOfBools(rhs) && !isPrelude(range.file))
      return reportBools(*this, op, lhs, rhs, range);
    if (op == BinaryOp::Pow && lhs.is(ValKind::Tensor) &&
        rhs.is(ValKind::Int) && !isFloat(typeOf(lhs).dtype) &&
        host.constantInt(rhs).value_or(0) < 0) {
      Diagnostic &report = error(DiagCode::TD304, range,
                                 "integers have no negative integer powers");
      offerSuffix(report, lhs.range, ".float()");
      return fail();
    }
    if (std::optional<OpKind> kind = tensorOp(op)) {
      // x ** 2 is exact and cheap as a product.
      if (*kind == OpKind::Pow && rhs.isHostScalar()) {
        Val exponent = host.toFloat(rhs);
        if (exponent.known && exponent.number == 2)
          return tensors.elementwise(OpKind::Mul, {lhs, lhs}, range, what);
        if (exponent.known && exponent.number == 0.5 &&
            isFloat(typeOf(lhs).dtype))
          return tensors.elementwise(OpKind::Sqrt, {lhs}, range, what);
      }
      return tensors.elementwise(*kind, {lhs, rhs}, range, what);
    }
  }
  if (lhs.isHostScalar() && rhs.isHostScalar())
    return host.binary(op, lhs, rhs, range);
  if (op == BinaryOp::Add && lhs.kind == rhs.kind) {
    if (!isWithinExtent(extentOf(lhs) + extentOf(rhs), range))
      return fail();
    if (lhs.is(ValKind::Str)) {
      std::string templateText;
      llvm::SmallVector<Value> values;
      formatting.appendValue(templateText, values, lhs, "", true);
      formatting.appendValue(templateText, values, rhs, "", true);
      return makeText(templateText, std::move(values));
    }
    if (lhs.is(ValKind::List) || lhs.is(ValKind::Tuple)) {
      Vals elements(elementsOf(lhs).begin(), elementsOf(lhs).end());
      elements.append(elementsOf(rhs).begin(), elementsOf(rhs).end());
      return makeSequence(lhs.kind, std::move(elements));
    }
  }
  bool isRepeated = lhs.is(ValKind::List) || lhs.is(ValKind::Str);
  if (op == BinaryOp::Mul && isRepeated && rhs.is(ValKind::Int))
    return repeat(lhs, rhs, range);
  // In a function of the prelude, the caller's argument is wrong.
  if (isPrelude(range.file) && (!tensors.isNumeric(lhs, range, what) ||
                                !tensors.isNumeric(rhs, range, what)))
    return fail();
  Diagnostic &report = error(DiagCode::TD304, range,
                             what + " is not defined for " + describe(lhs) +
                                 " and " + describe(rhs));
  if (op == BinaryOp::Add && lhs.is(ValKind::Str) != rhs.is(ValKind::Str))
    offerText(*this, report, lhs.is(ValKind::Str) ? rhs : lhs, FixIt::Safe);
  return fail();
}

Val Checker::repeat(const Val &sequence, const Val &times, SourceRange range) {
  std::optional<int64_t> count =
      host.requireInt(times, "the number of repetitions");
  if (!count)
    return fail();
  auto most = static_cast<int64_t>(kMaxExtent);
  bool isEmpty = sequence.is(ValKind::List) && elementsOf(sequence).empty();
  int64_t iterations = isEmpty ? 0 : std::clamp<int64_t>(*count, 0, most + 1);
  if (!isWithinExtent(extentOf(sequence) * iterations, range))
    return fail();
  if (sequence.is(ValKind::Str)) {
    std::string templateText;
    llvm::SmallVector<Value> values;
    for (int64_t i = 0; i < iterations; ++i)
      formatting.appendValue(templateText, values, sequence, "", true);
    return makeText(templateText, std::move(values));
  }
  Vals elements;
  for (int64_t i = 0; i < iterations; ++i)
    elements.append(elementsOf(sequence).begin(), elementsOf(sequence).end());
  return makeSequence(ValKind::List, std::move(elements));
}

/// Whether an expression has values of one kind only: a literal, or a name that
/// a statement declares. Those of a parameter, or of an element of a list, may
/// have several.
static bool isOfOneKind(Checker &c, const ast::Expr &expr) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
  if (!name)
    return expr.kind == ast::ExprKind::Int ||
           expr.kind == ast::ExprKind::Float ||
           expr.kind == ast::ExprKind::Bool ||
           expr.kind == ast::ExprKind::String;
  Binding *binding = c.scopes.lookup(name->name);
  if (!binding || !binding->declared.isValid())
    return false;
  llvm::StringRef before = c.sources.getText(binding->declared.file)
                               .take_front(binding->declared.begin)
                               .rtrim(" \t");
  return before.ends_with("let") || before.ends_with("var") ||
         before.ends_with("arg");
}

static bool isTextAndNumber(const Val &lhs, const Val &rhs) {
  return (lhs.is(ValKind::Str) && rhs.isHostScalar()) ||
         (lhs.isHostScalar() && rhs.is(ValKind::Str));
}

static Val reportComparison(Checker &c, CompareOp op, const Val &lhs,
                            const Val &rhs, SourceRange range) {
  Diagnostic &report =
      c.error(DiagCode::TD304, range,
              "`" + ast::getSpelling(op) + "` is not defined for " +
                  describe(lhs) + " and " + describe(rhs));
  if (lhs.is(ValKind::Str) != rhs.is(ValKind::Str))
    offerText(c, report, lhs.is(ValKind::Str) ? rhs : lhs, FixIt::Choice);
  return c.fail();
}

Val Checker::evalCompare(const ast::CompareExpr &expr) {
  Val lhs = evalTarget(*expr.lhs);
  Val rhs = eval(*expr.rhs);
  if (lhs.isError() || rhs.isError())
    return fail();
  at(expr.range);
  // `p.grad != none` asks whether there is one.
  bool asks = expr.op == CompareOp::Eq || expr.op == CompareOp::Ne;
  if (asks && rhs.is(ValKind::None) && isUnread(lhs) &&
      lhs.as<TensorInfo>().gradientOf) {
    Val isThere = training.hasGradient(*lhs.as<TensorInfo>().gradientOf);
    return expr.op == CompareOp::Ne ? isThere : host.boolNot(isThere);
  }
  lhs = models.readAll(lhs, expr.lhs->range);
  sharing.use(lhs, expr.lhs->range);
  sharing.use(rhs, expr.rhs->range);
  // Never equal, so that it means something only where the kind may vary.
  if (isTextAndNumber(lhs, rhs) && isOfOneKind(*this, *expr.lhs) &&
      isOfOneKind(*this, *expr.rhs))
    return reportComparison(*this, expr.op, lhs, rhs, expr.opRange);
  return compareVals(expr.op, lhs, rhs, expr.opRange);
}

/// Compares two devices. The result depends on the machine if one of the
/// devices does; so does the device of a free tensor.
static Val compareDevices(Checker &c, const Val &lhs, const Val &rhs,
                          bool equal) {
  const Place &a = lhs.as<DeviceInfo>().place, &b = rhs.as<DeviceInfo>().place;
  if (a == b && a.kind != Place::Kind::Free)
    return makeBool(equal);
  std::optional<Place> x = c.places.chosenPlace(lhs),
                       y = c.places.chosenPlace(rhs);
  if (!x || !y)
    return c.fail();
  bool truth = (*x == *y) == equal;
  auto isLiteral = [](const Place &place) {
    return place.kind == Place::Kind::Cpu || place.kind == Place::Kind::Cuda;
  };
  return isLiteral(a) && isLiteral(b) ? makeBool(truth)
                                      : c.devices.ofThisMachine(truth);
}

/// Whether the value equals only values of its own kind.
static bool isPlain(const Val &val) {
  return val.isHostScalar() || val.is(ValKind::Str) || val.is(ValKind::List) ||
         val.is(ValKind::Tuple);
}

Val Checker::compareVals(CompareOp op, const Val &lhs, const Val &rhs,
                         SourceRange range) {
  std::string what = ("`" + ast::getSpelling(op) + "`").str();
  bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
  bool hasTensor = lhs.is(ValKind::Tensor) || rhs.is(ValKind::Tensor);
  auto number = [](const Val &v) {
    return v.is(ValKind::Tensor) || v.isHostScalar();
  };
  if (hasTensor && number(lhs) && number(rhs))
    return tensors.tensorCompare(static_cast<td::ComparePredicate>(op), lhs,
                                 rhs, range, what);
  if (lhs.isHostScalar() && rhs.isHostScalar())
    return host.compare(op, lhs, rhs, range);
  if (lhs.is(ValKind::Str) && rhs.is(ValKind::Str))
    return host.compare(op, lhs, rhs, range);
  if (equality) {
    std::optional<bool> same;
    if (lhs.is(ValKind::None) || rhs.is(ValKind::None))
      same = lhs.kind == rhs.kind;
    else if (auto a = Types::asDType(lhs), b = Types::asDType(rhs); a && b)
      same = *a == *b;
    else if (lhs.is(ValKind::Device) || rhs.is(ValKind::Device))
      if (auto a = devices.asDevice(lhs), b = devices.asDevice(rhs); a && b)
        return compareDevices(*this, *a, *b, op == CompareOp::Eq);
    if (lhs.is(ValKind::Class) && rhs.is(ValKind::Class))
      same = lhs.as<ClassInfo>().decl == rhs.as<ClassInfo>().decl &&
             lhs.as<ClassInfo>().native == rhs.as<ClassInfo>().native;
    if (isPlain(lhs) && isPlain(rhs) && lhs.kind != rhs.kind)
      same = false; // two numbers have been compared above
    if (same)
      return makeBool(*same == (op == CompareOp::Eq));
    if (lhs.kind == rhs.kind &&
        (lhs.is(ValKind::Tuple) || lhs.is(ValKind::List))) {
      auto a = elementsOf(lhs), b = elementsOf(rhs);
      Val all = makeBool(a.size() == b.size());
      for (size_t i = 0; all.truth && all.known && i != a.size(); ++i) {
        all = compareVals(CompareOp::Eq, models.readAll(a[i], range),
                          models.readAll(b[i], range), range);
        if (all.isError())
          return fail();
      }
      if (!all.is(ValKind::Tensor))
        return op == CompareOp::Eq ? all : host.boolNot(all);
    }
  }
  return reportComparison(*this, op, lhs, rhs, range);
}
