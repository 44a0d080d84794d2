//===- InPlaceMethods.cpp - methods that change a tensor ------------------===//
//
// `x.add_(1)` gives a tensor of a model, a `var`, a part of it or an element of
// a list the value of `x.add(1)`. So does `init.uniform_(x)`.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// The methods
//===----------------------------------------------------------------------===//

/// The methods of PyTorch's tensors that give what the function without the `_`
/// gives, and the functions of `nn.functional` that do, which are methods here.
static constexpr llvm::StringLiteral kMethods =
    "abs acos acosh add addbmm addcdiv addcmul addmm addmv addr arccos arccosh "
    "arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh baddbmm "
    "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
    "bitwise_xor ceil celu clamp clamp_max clamp_min clip conj_physical "
    "copysign cos cosh cumprod cumsum deg2rad detach digamma div elu eq erf "
    "erfc erfinv exp exp2 expm1 float_power floor floor_divide fmod frac gcd "
    "ge gt hardtanh heaviside hypot i0 index_add index_copy index_fill "
    "index_put index_reduce lcm ldexp le leaky_relu lerp lgamma log log10 "
    "log1p log2 logical_and logical_not logical_or logical_xor logit lt "
    "masked_fill masked_scatter mul mvlgamma nan_to_num ne neg polygamma pow "
    "put rad2deg reciprocal relu remainder renorm round rrelu rsqrt scatter "
    "scatter_add scatter_reduce selu sgn sigmoid sign sin sinc sinh sqrt "
    "square squeeze sub swapaxes swapdims t tan tanh threshold transpose tril "
    "triu true_divide trunc unsqueeze xlogy";

bool sema::isInPlaceName(llvm::StringRef method) {
  return method.size() > 1 && method.ends_with("_") && !method.ends_with("__");
}

/// The function of `init` that changes its argument as this method does, if
/// there is one.
static std::optional<Val> findInitialiser(Checker &c, llvm::StringRef method) {
  if (method == "normal_" || method == "uniform_")
    return c.scopes.findGlobal(("init." + method).str());
  return changesFirst(method) ? c.scopes.findGlobal(method) : std::nullopt;
}

bool sema::changesTensor(llvm::StringRef method) {
  static const llvm::StringSet<> names = [] {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(kMethods, words);
    llvm::StringSet<> set;
    set.insert(words.begin(), words.end());
    return set;
  }();
  return llvm::is_contained({"zero_", "fill_", "copy_", "normal_", "uniform_"},
                            method) ||
         (isInPlaceName(method) && names.contains(method.drop_back()));
}

//===----------------------------------------------------------------------===//
// The new value
//===----------------------------------------------------------------------===//

/// The only argument of `fill_` and similar methods; none after a report.
static std::optional<Val> takeOnly(Checker &c, llvm::StringRef method,
                                   CallArgs &args) {
  llvm::erase_if(args.keywords, [](const CallArgs::Keyword &keyword) {
    return keyword.name.text == "non_blocking";
  });
  if (args.positional.size() == 1 && args.keywords.empty())
    return args.positional[0];
  c.error(DiagCode::TD205, args.range, "`" + method + "` takes one argument");
  return std::nullopt;
}

static Val filled(Checker &c, const Val &number, const TensorType &type,
                  SourceRange range) {
  if (!c.tensors.takesFloat(number, type.dtype, range))
    return c.fail();
  c.tensors.checkFits(number, type.dtype);
  return c.tensors.fillTensor(
      isFloat(type.dtype) ? c.host.toFloat(number) : number, type);
}

/// The elements of a tensor, with this dtype and size, and in this place.
static Val copied(Checker &c, Val source, const TensorType &type,
                  SourceRange range) {
  if (typeOf(source).dtype != type.dtype)
    source = c.tensors.castTo(source, type.dtype);
  if (!c.places.agree(type.place, typeOf(source).place))
    source = c.places.transfer(source, type.place, range, Transfer::Written);
  if (typeOf(source).dims.size() > type.dims.size())
    return source; // the caller reports it
  return c.tensors.finish(
      typed::broadcastToPart(c.tensors.builder, typedOf(source), type.dims),
      source, range);
}

/// The new value that `method` gives a tensor of this type.
static Val changed(Checker &c, const Val &target, const TensorType &type,
                   const ast::Identifier &method, CallArgs &args) {
  llvm::StringRef name = method.text;
  if (name == "zero_" && args.positional.empty() && args.keywords.empty())
    return c.tensors.fillTensor(isFloat(type.dtype) ? makeFloat(0) : makeInt(0),
                                type);
  if (name == "copy_" || name == "fill_") {
    std::optional<Val> val = takeOnly(c, name, args);
    if (!val)
      return c.fail();
    if (val->isHostScalar())
      return filled(c, *val, type, args.range);
    if (!c.tensors.isTensor(*val, args.range, ("`" + name + "`").str()))
      return c.fail();
    return copied(c, valueOf(*val), type, args.range);
  }
  Val value = c.models.readAll(target, args.range);
  std::optional<Val> callee = findInitialiser(c, name);
  if (!callee && changesTensor(name))
    callee = c.scopes.findMethod(name.drop_back());
  if (!callee)
    return c.scopes.reportNoMember(value, args.calleeRange, name);
  value = valueOf(value);
  value.range = {}; // `x.to(f32).add_(0.5)` would not change `x`
  args.positional.insert(args.positional.begin(), value);
  Val result = c.calls.call(*callee, args);
  return c.tensors.isTensor(result, args.range, "`" + name.str() + "`")
             ? result
             : c.fail();
}

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

Val Checker::changeInPlace(const Val &target, const ast::Identifier &method,
                           CallArgs &args) {
  llvm::StringRef name = method.text;
  // The result is the tensor itself, as in `p.mul_(0.9).add_(x)`.
  if (name == "requires_grad_" && !target.as<TensorInfo>().gradientOf) {
    Val learned = makeBool(true);
    if (args.positional.size() + args.keywords.size() == 1)
      learned =
          args.keywords.empty() ? args.positional[0] : args.keywords[0].val;
    assignField(target, {"requires_grad", method.range}, learned, args.range);
    return target;
  }
  if (std::optional<Val> init = findInitialiser(*this, name)) {
    CallArgs whole = args;
    whole.positional.insert(whole.positional.begin(), target);
    return calls.call(*init, whole).isError() ? fail() : target;
  }
  if (Slot *slot = target.as<TensorInfo>().gradientOf.get())
    training.requireGradient(*slot, target.range);
  TensorType type = typeOf(target);
  type.place = places.modelPlace(*target.as<TensorInfo>().slot().owner);
  Val val = changed(*this, target, type, method, args);
  if (val.isError())
    return fail();
  writeTarget(target, val, args.range);
  return target;
}

Val Checker::changeVariable(const ast::CallExpr &call, const ast::Expr &target,
                            const Val &old, const ast::Identifier &method,
                            CallArgs &args) {
  TensorType type = typeOf(old);
  Val val = changed(*this, old, type, method, args);
  if (val.isError())
    return fail();
  if (!tensors.isSameType(type, typeOf(val), "a tensor keeps its size")) {
    error(DiagCode::TD407, args.range,
          "`" + method.text + "` cannot give a tensor another type")
        .label("it is " + typeText(type) + ", and would be " +
               typeText(typeOf(val)));
    return fail();
  }
  val = places.bring(val, type.place);
  auto chain = chained.find(&target);
  const ast::Expr &root = chain == chained.end() ? target : *chain->second;
  const ast::Expr *owner = &root;
  while (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(owner))
    owner = part->base;
  bool isTarget = llvm::isa<ast::NameExpr, ast::MemberExpr>(owner) &&
                  llvm::isa<ast::NameExpr, ast::SubscriptExpr>(root);
  if (!isTarget && !sharing.isTemporary(old)) {
    error(DiagCode::TD202, args.range,
          "`" + method.text + "` changes a tensor that has a name elsewhere")
        .note("call `" + method.text +
              "` on that name, or assign to a part of it: `x[…] = …`");
    return fail();
  }
  if (isTarget && reportPickedTarget(root, old))
    return fail();
  if (isTarget && choiceFrame == frames.size()) {
    error(DiagCode::TD214, args.range,
          "a variable cannot change where a condition that is known only at "
          "run time decides whether it does")
        .note("`" + method.text + "` in a statement of its own always does");
    return fail();
  }
  val.shareId = 0;
  sharing.track(val, args.range);
  val.range = args.range;
  if (!isTarget)
    return val;
  if (isVariable(root))
    sharing.change(old, val, args.range);
  assignTo(root, val, args.range);
  chained[&call] = &root;
  return eval(root); // an alias of the tensor that has changed
}
