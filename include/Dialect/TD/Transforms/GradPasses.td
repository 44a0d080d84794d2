//===- GradPasses.td - passes over td from the checker to plain ops -------===//
//
// Passes are listed in the order in which they run.
// test/Dialect/TD/Transforms/examples.test runs each example.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_GRADPASSES_TD
#define TDC_DIALECT_TD_TRANSFORMS_GRADPASSES_TD

include "mlir/Pass/PassBase.td"

def TDUnusedLoopsPass : Pass<"td-unused-loops", "::mlir::ModuleOp"> {
  let summary = "warn about loops with unused results";
  let description = [{
    Warns (TD606) about a loop if no tensor that it computes is live and its
    only effect is to advance the random counter. td-simplify removes such
    loops, so a program that times one measures nothing. What stays of them are
    checks of indices that come from the program's data. Runs before td-grad,
    while each loop and each use is one of the source. An op with
    `td.read_elsewhere` counts as used: its user is in a part of the program
    that was left out while checking, for example `if verbose { … }` where
    `verbose` is known to be false. The pass removes the attribute.

    Before:
    ```mlir
    %y = td.exp %x {td.read_elsewhere} : tensor<4xf32>
    ```
    After:
    ```mlir
    %y = td.exp %x : tensor<4xf32>
    ```
  }];
}

def TDGradPass : Pass<"td-grad", "::mlir::ModuleOp"> {
  let summary = "replace td.grad and td.backward by the ops that compute them";
  let description = [{
    Later phases know no gradients: placement and kernels see forward and
    backward ops alike. The backward pass of each request is emitted right
    before it: the rules (interface Differentiable) of the ops between the
    leaves and the target, in reverse order; contributions to one value are
    added. td.detach stops the gradient, td.round_gradient rounds it; both are
    removed at the end. Other uses of a target get it from a td.watch.

    A slot as a leaf means all its reads that the target was computed from.
    td.backward adds to the grad slots in the order of its list; the grad slot
    of a parameter that the target does not depend on is not changed. A target
    that depends on no leaf is error TD602. The pass warns (TD605) about reads
    of grad slots at one source location if no td.backward adds to any of them,
    else (TD613) about a td.backward that adds to no slot that is read.

    An scf.if is reversed by an scf.if on the same condition, an scf.for by a
    loop from the last iteration to the first. Forward values that the backward
    pass needs are computed again if that is cheap. Otherwise they become
    results of the forward op; for a loop, each is a stack of all iterations'
    values.

    Before:
    ```mlir
    td.slot @w param "w" of "m" : tensor<4xf32>
    td.slot @grad.w grad "w" of "m" : tensor<4xf32>
    %w = td.read @w : tensor<4xf32>
    %y = td.mul %w, %x : tensor<4xf32>
    %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
    td.backward %l [@w] into [@grad.w] : tensor<f32>
    %g = td.read @grad.w : tensor<4xf32>
    ```
    After:
    ```mlir
    td.slot @w param "w" of "m" : tensor<4xf32>
    td.slot @grad.w grad "w" of "m" : tensor<4xf32>
    %w = td.read @w : tensor<4xf32>
    %y = td.mul %w, %x : tensor<4xf32>
    %l = td.reduce sum %y [0] : tensor<4xf32> to tensor<f32>
    %c1 = arith.constant 1.0 : f64
    %one = td.fill %c1 : f64 -> tensor<f32>
    %dy = td.broadcast %one : tensor<f32> to tensor<4xf32>
    %dw = td.mul %dy, %x : tensor<4xf32>
    %old = td.read @grad.w : tensor<4xf32>
    %new = td.add %old, %dw : tensor<4xf32>
    td.write %new, @grad.w : tensor<4xf32>
    %g = td.read @grad.w : tensor<4xf32>
    ```

    Errors of the program: TD611, a slot is written between the forward pass and
    its gradient; TD900, a loop carries a dependence into the iteration that
    requests the gradient, a gradient passes through an scf.while, or a loop
    must stack values of run-time size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::tdc::td::TDDialect"];
}

def TDGradientPresencePass : Pass<"td-gradient-presence", "::mlir::ModuleOp"> {
  let summary = "decide which gradients are there when a step asks";
  let description = [{
    A step of an optimizer leaves a parameter alone if it has no gradient: no
    td.backward has reached it since `zero_grad`. A grad slot of one bool says
    whether it has: `zero_grad` writes false, td-grad true. Nearly always, all
    paths to a step leave the same value in it.

    A forward analysis finds the values that each flag may have at each point:
    the union over both sides of a branch; at the start of an iteration, those
    before the loop and those that an iteration leaves; after a loop, those that
    an iteration leaves, and those before it unless constant bounds say that
    there is an iteration. When @main starts, all flags are false; when another
    function starts, they may be either. A flag with one value is replaced by a
    constant, and a branch on it by the side that is taken. The others are read
    when the program runs.

    Before:
    ```mlir
    td.slot @grad.w.is_there grad "w.is_there" of "m" : tensor<i1>
    %true = arith.constant true
    %there = td.fill %true : i1 -> tensor<i1>
    td.write %there, @grad.w.is_there : tensor<i1>
    %f = td.read @grad.w.is_there : tensor<i1>
    %b = td.item %f : tensor<i1> -> i1
    scf.if %b {
      td.print %text
    }
    ```
    After:
    ```mlir
    td.slot @grad.w.is_there grad "w.is_there" of "m" : tensor<i1>
    %true = arith.constant true
    %there = td.fill %true : i1 -> tensor<i1>
    td.write %there, @grad.w.is_there : tensor<i1>
    td.print %text
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TDVerifyGradPass : Pass<"td-verify-grad", "::mlir::ModuleOp"> {
  let summary = "check that no gradient is left to compute";
  let description = [{
    Runs after td-grad. Fails on ops that only td-grad handles (trait
    ForGradientOp): td.grad, td.backward, td.detach and td.round_gradient.
  }];
}

def TDSimplifyPass : Pass<"td-simplify", "::mlir::ModuleOp"> {
  let summary = "forward slots, remove dead code, fold, share and hoist ops";
  let description = [{
    Gradient code and elaborated models are naive: they read a slot for every
    use, accumulate into zeros, compute gradients of constants. This pass makes
    one round over the module, with these steps in order:

    1. Slots: a read that follows a write or a read of the same slot is replaced
       by that value; a write that is overwritten before any read is removed.
       All slots are zero when @main starts. After a region that writes a slot,
       its value is unknown, unless a loop leaves in it the constant that it
       held before the loop.
    2. Dead code: ops without effect and use, values that a loop carries only
       for itself, writes to slots that are never read, and these slots.
    3. Folds, also of moved constants: the broadcast of a fill becomes a fill.
    4. Common subexpressions, and checks of one condition after the first.
    5. Loop-invariant arithmetic is hoisted out of loops. Fills, broadcasts and
       views stay: inside a kernel they cost nothing, outside they would take
       memory.

    Before:
    ```mlir
    td.slot @g grad "g" of "m" : tensor<4xf32>
    td.write %zero, @g : tensor<4xf32>
    %old = td.read @g : tensor<4xf32>
    %sum = td.add %old, %dw : tensor<4xf32>
    td.write %sum, @g : tensor<4xf32>
    %grad = td.read @g : tensor<4xf32>
    %step = td.mul %grad, %rate : tensor<4xf32>
    ```
    After:
    ```mlir
    %sum = td.add %zero, %dw : tensor<4xf32>
    %step = td.mul %sum, %rate : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::tdc::td::TDDialect"];
}

def TDWatchValuesPass : Pass<"td-watch-values", "::mlir::ModuleOp"> {
  let summary = "report the first ops whose results are not finite";
  let description = [{
    On a module with `td.check_numerics`, each float result that may overflow
    gets a td.watch, whose location names the op. An elementwise op is reported
    only if its own float operands are finite, so that a mask of -inf is not.
    Runs after td-simplify, so that no value is watched that the program does
    not need.

    Before:
    ```mlir
    module attributes {td.check_numerics}
    %y = td.log %x : tensor<4xf32>
    ```
    After:
    ```mlir
    %log = td.log %x : tensor<4xf32>
    %size = td.abs %x : tensor<4xf32>
    %inf = arith.constant 0x7FF0000000000000 : f64
    %limit = td.fill %inf : f64 -> tensor<4xf32>
    %finite = td.compare lt %size, %limit : tensor<4xf32> -> tensor<4xi1>
    %c0 = arith.constant 0.0 : f64
    %zero = td.fill %c0 : f64 -> tensor<4xf32>
    %own = td.select %finite, %log, %zero : tensor<4xi1>, tensor<4xf32>
    %seen = td.watch %own : tensor<4xf32>
    %y = td.select %finite, %seen, %log : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tdc::td::TDDialect"];
}

#endif // TDC_DIALECT_TD_TRANSFORMS_GRADPASSES_TD
