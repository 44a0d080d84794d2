//===- Statements.cpp - let, with, assert ---------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

Flow Checker::exec(const ast::Stmt &stmt, Rest &rest) {
  using ast::StmtKind;
  Restore<unsigned> savedDepth(evalDepth, evalDepth + 1);
  if (!withinLimits(stmt.range))
    return Flow::Next;
  at(stmt.range);
  switch (stmt.kind) {
  case StmtKind::Let:
    return execLet(llvm::cast<ast::LetStmt>(stmt));
  case StmtKind::Assign:
    return execAssign(llvm::cast<ast::AssignStmt>(stmt));
  case StmtKind::Expr:
    return execExpr(llvm::cast<ast::ExprStmt>(stmt));
  case StmtKind::If:
    return control.execIf(llvm::cast<ast::IfStmt>(stmt), rest);
  case StmtKind::For:
    return control.execFor(llvm::cast<ast::ForStmt>(stmt));
  case StmtKind::While:
    return control.execWhile(llvm::cast<ast::WhileStmt>(stmt));
  case StmtKind::With:
    return execWith(llvm::cast<ast::WithStmt>(stmt), rest);
  case StmtKind::Return:
    return control.execReturn(llvm::cast<ast::ReturnStmt>(stmt));
  case StmtKind::Break:
    return control.execBreak(stmt);
  case StmtKind::Continue:
    return control.execContinue(stmt);
  case StmtKind::Assert:
    return execAssert(llvm::cast<ast::AssertStmt>(stmt));
  case StmtKind::Import:
    scopes.importItems(llvm::cast<ast::ImportDecl>(stmt));
    return Flow::Next;
  default: // arguments and declarations were seen before
    return Flow::Next;
  }
}

Flow Checker::execBlock(const ast::Block &block) {
  scopes.pushScope();
  Flow flow = control.execStatements(block.stmts);
  scopes.popScope();
  return flow;
}

//===----------------------------------------------------------------------===//
// let and var
//===----------------------------------------------------------------------===//

/// Whether an expression reads a name.
static bool mentions(const ast::Expr *expr, llvm::StringRef name) {
  using namespace ast;
  if (!expr)
    return false;
  auto any = [&](llvm::ArrayRef<const Expr *> list) {
    return llvm::any_of(list, [&](const Expr *e) { return mentions(e, name); });
  };
  switch (expr->kind) {
  case ExprKind::Name:
    return llvm::cast<NameExpr>(expr)->name == name;
  case ExprKind::Unary:
    return mentions(llvm::cast<UnaryExpr>(expr)->operand, name);
  case ExprKind::Binary:
    return mentions(llvm::cast<BinaryExpr>(expr)->lhs, name) ||
           mentions(llvm::cast<BinaryExpr>(expr)->rhs, name);
  case ExprKind::Member:
    return mentions(llvm::cast<MemberExpr>(expr)->base, name);
  case ExprKind::Subscript:
    return mentions(llvm::cast<SubscriptExpr>(expr)->base, name);
  case ExprKind::Call: {
    auto *call = llvm::cast<CallExpr>(expr);
    return mentions(call->callee, name) ||
           llvm::any_of(call->args, [&](const Argument &arg) {
             return mentions(arg.value, name);
           });
  }
  case ExprKind::Tuple:
    return any(llvm::cast<TupleExpr>(expr)->elements);
  default:
    return false;
  }
}

/// A `let` in a loop that shadows an outer name and reads it starts from the
/// outer value in every iteration: the author may have meant a `var`.
static void warnShadow(Checker &c, const ast::LetStmt &stmt) {
  if (stmt.isVar || stmt.target->isTuple() || c.control.loops.empty() ||
      c.isPrelude(stmt.range.file))
    return;
  llvm::StringRef name = stmt.target->name;
  if (!mentions(stmt.value, name))
    return;
  for (Scope *s = c.scopes.scope; s; s = s->parent) {
    if (s->names.count(name))
      return; // it is from this iteration
    if (s == c.control.loops.back().scope)
      break;
  }
  Binding *outer = c.scopes.lookup(name);
  SourceRange let = c.letBefore(stmt.target->range);
  if (outer && outer->isVar && let.isValid())
    c.warning(DiagCode::TD211, stmt.target->range,
              "`" + name + "` hides the `var " + name + "` outside the loop")
        .label("starts from the outer value in every iteration")
        .note("the outer one is declared here", outer->declared)
        .fix(FixIt::Choice, "`" + name + " = …` to keep the value",
             {{let.to(stmt.target->range), name.str()}});
}

Flow Checker::execLet(const ast::LetStmt &stmt) {
  if (stmt.isParam) {
    bindTarget(*stmt.target, models.makeParameter(stmt));
    return Flow::Next;
  }
  warnShadow(*this, stmt);
  std::string name = stmt.target->name.str();
  bool ownHint =
      models.nameHint.empty() && !name.empty() && models.building.empty();
  if (ownHint)
    models.nameHint = name;
  Val val = eval(*stmt.value, stmt.type);
  at(stmt.range);
  if (stmt.target->isTuple() && llvm::isa<ast::TupleExpr>(stmt.value))
    val = models.readAll(val, stmt.range);
  if (stmt.type && !val.isError() &&
      !types.matchType(*stmt.type, val, stmt.value->range,
                       name.empty() ? "the value" : "`" + name + "`",
                       DiagCode::TD407))
    val = fail();
  // `let bias = none`, also under a condition, but not what a call gives. A
  // `var` is none until a branch that is known while compiling sets it.
  bool isMeant = !llvm::isa<ast::CallExpr>(stmt.value);
  if (val.is(ValKind::None) && !isMeant) {
    error(DiagCode::TD206, stmt.value->range, "this gives no value");
    val = fail();
  }
  if (stmt.isVar && stmt.type && !val.isError())
    val = types.loosen(val, *stmt.type);
  val = devices.nameDevice(val, name);
  if (models.building.empty())
    models.nameModels(val, models.nameHint.empty() ? "model" : models.nameHint);
  if (ownHint)
    models.nameHint.clear();
  bool warn = !stmt.isVar && (val.is(ValKind::Tensor) || val.isHostScalar()) &&
              !isPrelude(stmt.range.file);
  bindTarget(*stmt.target, val, stmt.isVar, warn && !stmt.target->isTuple());
  if (stmt.isVar && stmt.type && !name.empty())
    scopes.scope->names[name].annotation = stmt.type;
  return Flow::Next;
}

bool Checker::unpack(const Val &val, size_t count, SourceRange range,
                     Vals &parts) {
  if (val.isError())
    return false;
  auto wrongCount = [&](const llvm::Twine &has) {
    error(DiagCode::TD207, range,
          "cannot unpack " + describe(val) + " into " + llvm::Twine(count))
        .label(has);
    return false;
  };
  if (val.is(ValKind::Tuple) || val.is(ValKind::List)) {
    if (!isPrelude(range.file))
      sharing.useSelf(val, val.range.isValid() ? val.range : range);
    parts.assign(elementsOf(val).begin(), elementsOf(val).end());
    return parts.size() == count || wrongCount("the numbers differ");
  }
  if (val.is(ValKind::Tensor)) {
    const TensorType &type = typeOf(val);
    if (type.dims.empty())
      return wrongCount("a 0-d tensor has no parts");
    std::optional<int64_t> rows = host.constantOf(type.dims[0]);
    if (!rows) {
      host.reportNotKnown(val, "dim 0 of a tensor that is unpacked");
      return false;
    }
    if (*rows != static_cast<int64_t>(count))
      return wrongCount("dim 0 has " + llvm::Twine(*rows));
    for (size_t i = 0; i != count; ++i) {
      Val row = tensors.sliceOf(val, makeInt(static_cast<int64_t>(i)), 0, 1, 1);
      Val part = tensors.reshapeTo(row, DimsRef(type.dims).drop_front());
      part.range = val.range;
      parts.push_back(part);
    }
    return true;
  }
  return wrongCount("not a tuple, list or tensor");
}

//===----------------------------------------------------------------------===//
// Other statements
//===----------------------------------------------------------------------===//

/// Whether the call is of a function that changes its argument, or of a method
/// that changes its tensor.
static bool changesArgument(const ast::CallExpr &call) {
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(call.callee))
    return isInPlaceName(member->member.text);
  auto *name = llvm::dyn_cast<ast::NameExpr>(call.callee);
  return name && isInPlaceName(name->name) && findBuiltin(name->name);
}

/// `torch.mul(a, b, out=y)`: reports it, with the assignment that does the same
/// if `y` has the type of the result; false if the statement is something else.
static bool reportOut(Checker &c, const ast::ExprStmt &stmt) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(stmt.value);
  auto *callee = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (!callee || call->args.size() < 2 || c.scopes.lookup(callee->name))
    return false;
  const ast::Argument *out = llvm::find_if(call->args, [](auto &arg) {
    return arg.kind == ast::Argument::Keyword && arg.keyword.text == "out";
  });
  if (out == call->args.begin() || out == call->args.end())
    return false;
  auto *name = llvm::dyn_cast<ast::NameExpr>(out->value);
  llvm::SmallVector<ast::Argument> others;
  for (const ast::Argument &arg : call->args)
    if (&arg != out)
      others.push_back(arg);
  auto *plain = c.context.create<ast::CallExpr>(call->range);
  plain->callee = call->callee;
  plain->args = c.context.copy(others);
  plain->argsRange = call->argsRange;
  Val result = c.eval(*plain);
  Val before = c.eval(*out->value);
  if (result.isError() || before.isError())
    return true;
  Diagnostic &report =
      c.error(DiagCode::TD205, out->keyword.range,
              "`" + callee->name + "` has no parameter `out`")
          .label("a tensor does not change in place: assign the result");
  Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
  bool sameType = result.is(ValKind::Tensor) && before.is(ValKind::Tensor) &&
                  typeOf(result).dtype == typeOf(before).dtype;
  if (sameType) {
    ShapeAnswer answer = sameShape(typeOf(result).dims, typeOf(before).dims,
                                   "the shapes differ");
    sameType = answer && c.tensors.prove(answer);
  }
  if (!binding || !sameType)
    return true;
  std::vector<Edit> edits = {
      {stmt.range.start(), (name->name + "[...] = ").str()},
      {std::prev(out)->range.finish().to(out->range), ""}};
  SourceRange let = c.letBefore(binding->declared);
  if (!binding->isVar && let.isValid())
    edits.push_back({let, "var"});
  report.fix(FixIt::Safe, "`" + name->name + "[...] = " + callee->name + "(…)`",
             std::move(edits));
  return true;
}

Flow Checker::execExpr(const ast::ExprStmt &stmt) {
  if (reportOut(*this, stmt))
    return Flow::Next;
  Restore<SourceRange> around(lints.statement, stmt.value->range);
  Val val = evalUnread(*stmt.value);
  bool isChanged = isUnread(val) && llvm::isa<ast::CallExpr>(stmt.value);
  if (isChanged || val.isError() || val.is(ValKind::None) ||
      val.is(ValKind::Model))
    return Flow::Next;
  if (val.is(ValKind::Function)) {
    reportNotCalled(stmt.value->range);
    return Flow::Next;
  }
  auto *call = llvm::dyn_cast<ast::CallExpr>(stmt.value);
  auto *method = call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
  if (method && val.is(ValKind::Tensor)) {
    llvm::StringRef name = method->member.text;
    if (name == "to" || name == "cuda" || name == "cpu") {
      std::string base = text(userRange(method->base->range)).str();
      Diagnostic &report =
          error(DiagCode::TD504, stmt.range,
                "the result of `." + name + "` is not used")
              .label("`." + name + "` returns a new tensor; `" + base +
                     "` itself stays where it is")
              .note(
                  "a model is moved in place (`model.to(device)`), a tensor is "
                  "not");
      Binding *binding = scopes.lookup(base);
      std::string start =
          (binding && binding->isVar ? "" : "let ") + base + " = ";
      // In an inner scope a new `x` would end with it.
      bool reaches =
          binding && (binding->isVar || scopes.scope->names.count(base) != 0);
      if (binding)
        report.fix(reaches ? FixIt::Safe : FixIt::Choice,
                   "`" + start + text(userRange(stmt.range)) + "`",
                   {{stmt.range.start(), start}});
      return Flow::Next;
    }
  }
  if (call && val.is(ValKind::Tensor) && !changesArgument(*call) &&
      reportInPlaceStatement(*this, stmt, val))
    return Flow::Next;
  // A function of the program may be called for what it does.
  auto *callee = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  bool isOfLanguage = callee && !scopes.lookup(callee->name);
  bool isValue =
      val.is(ValKind::Tensor) || (val.is(ValKind::Tuple) && isOfLanguage);
  if (!call || (isValue && !changesArgument(*call))) {
    Diagnostic &report =
        error(DiagCode::TD212, stmt.range, "the value is not used");
    report.label(describe(val));
    // `x.relu()` was meant to change `x`.
    auto *owner =
        method ? llvm::dyn_cast<ast::NameExpr>(method->base) : nullptr;
    Binding *binding = owner ? scopes.lookup(owner->name) : nullptr;
    if (binding && binding->val.is(ValKind::Tensor)) {
      std::string start =
          ((binding->isVar ? "" : "let ") + owner->name + " = ").str();
      report.fix(FixIt::Choice, "`" + start + text(stmt.range) + "`",
                 {{stmt.range.start(), start}});
    }
    if (!frames.empty() && frames.back().fn && frames.back().fn->body &&
        frames.back().fn->body->stmts.back() == &stmt)
      report.fix(FixIt::Choice, "`return " + text(stmt.range) + "`",
                 {{stmt.range.start(), "return "}});
    report.fix(FixIt::Choice, "`let _ = …` says that it is meant",
               {{stmt.range.start(), "let _ = "}});
  }
  return Flow::Next;
}

/// In its block, but not in the functions that it calls, this is the device on
/// which factories make tensors, and the meaning of bare `cuda`.
Flow Checker::execWithDevice(const ast::WithStmt &stmt, Rest &rest) {
  CallArgs args;
  bool good = evalArguments(stmt.args, args);
  std::optional<Val> device;
  if (good && (args.positional.size() != 1 || !args.keywords.empty()))
    error(DiagCode::TD205, stmt.context.range, "`with device` takes a device");
  else if (good)
    device = devices.asDevice(args.positional[0]);
  if (device)
    devices.checkDeviceExists(device->as<DeviceInfo>().place, device->range);
  else if (good && args.positional.size() == 1 &&
           !args.positional[0].is(ValKind::Str))
    error(DiagCode::TD303, args.positional[0].range,
          "`with device` takes a device, not " + describe(args.positional[0]));
  Restore<std::optional<Val>> saved(devices.withDevice);
  rest.before = [&, outer = devices.withDevice] { devices.withDevice = outer; };
  if (device)
    devices.withDevice = device;
  return control.execStatements(stmt.body->stmts, &rest);
}

Flow Checker::execWith(const ast::WithStmt &stmt, Rest &rest) {
  if (stmt.context.text == "device")
    return execWithDevice(stmt, rest);
  if (stmt.context.text != "no_grad") {
    static const llvm::StringLiteral later[] = {"checkpoint", "autocast"};
    if (llvm::is_contained(later, stmt.context.text)) {
      unsupported(stmt.context.range, "`with " + stmt.context.text + "`");
    } else {
      Diagnostic &report = error(DiagCode::TD201, stmt.context.range,
                                 "unknown context `" + stmt.context.text + "`");
      report.label("contexts are device, no_grad, checkpoint and autocast");
      if (stmt.context.text == "inference_mode" && stmt.args.empty())
        report.fix(FixIt::Safe, "`no_grad`", {{stmt.context.range, "no_grad"}});
    }
    // It may hold further mistakes, and declares names.
    return control.execStatements(stmt.body->stmts, &rest);
  }
  if (!stmt.args.empty())
    error(DiagCode::TD205, stmt.args[0].range, "`no_grad` takes no arguments");
  // `with` opens no scope: the statements that follow are walked where its body
  // ends.
  unsigned &noGrad = tensors.builder.noGrad;
  Restore<unsigned> saved(noGrad, noGrad + 1);
  rest.before = [&] { --noGrad; };
  return control.execStatements(stmt.body->stmts, &rest);
}

Flow Checker::execAssert(const ast::AssertStmt &stmt) {
  std::optional<Val> truth = control.condition(*stmt.condition);
  if (!truth)
    return Flow::Next;
  bool isReport = truth->known && !truth->truth && isPrelude(stmt.range.file);
  Restore<bool> saved(formatting.showsFloats, isReport);
  Val message = makeStr(text(userRange(stmt.condition->range)));
  if (stmt.message) {
    message = eval(*stmt.message);
    if (message.isError())
      return Flow::Next;
    if (!message.is(ValKind::Str)) {
      error(DiagCode::TD303, stmt.message->range,
            "the message of an assert is a str, not " + describe(message));
      return Flow::Next;
    }
  }
  at(stmt.range);
  // An assertion of the prelude about its arguments that is known to fail is an
  // error of the call; the rest of the function would mean nothing.
  if (isReport) {
    error(DiagCode::TD222, stmt.range,
          formatting.constantText(message).value_or(""));
    control.preludeFailed = true;
    return control.leaveFunction(fail());
  }
  if (!truth->known || !truth->truth)
    emit().assertThat(host.materialize(*truth), host.materialize(message));
  return Flow::Next;
}
