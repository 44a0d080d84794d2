//===- CarryingLoop.h - scf.for and scf.while as one ----------------------===//
//
// The front end emits every scf.while in one form: the first carried value says
// whether there is another iteration and is computed in the previous iteration;
// the region of the condition only tests it and passes everything on. So both
// kinds of loop have one block that takes the carried values and yields the
// next ones, and carried value i is init i, argument i, yielded value i and
// result i.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_IR_CARRYINGLOOP_H
#define TDC_DIALECT_TD_IR_CARRYINGLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// On an scf.while over a range that can be left early: the second carried
/// value is the index, the third the number of iterations if the loop is not
/// left.
inline constexpr llvm::StringLiteral kCountedAttr = "td.counted";

/// On an op with a result that a left-out part of the program uses.
inline constexpr llvm::StringLiteral kReadElsewhereAttr = "td.read_elsewhere";

/// Whether the op is a loop or branch: its regions are part of the control flow
/// of the program.
inline bool isStructured(mlir::Operation *op) {
  return mlir::isa<mlir::scf::ForOp, mlir::scf::IfOp, mlir::scf::WhileOp>(op);
}

class CarryingLoop {
public:
  /// Null if `op` is null or another op.
  explicit CarryingLoop(mlir::Operation *op)
      : op(mlir::isa_and_nonnull<mlir::scf::ForOp, mlir::scf::WhileOp>(op)
               ? op
               : nullptr) {}
  /// The loop that carries `value` as an argument of its body; null if there is
  /// none.
  static CarryingLoop ofArgument(mlir::Value value) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    CarryingLoop loop(argument ? argument.getOwner()->getParentOp() : nullptr);
    bool isCarried = loop && argument.getOwner() == loop.getBody() &&
                     argument.getArgNumber() >= loop.getNumControl();
    return isCarried ? loop : CarryingLoop(nullptr);
  }

  explicit operator bool() const { return op; }
  mlir::Operation *operator->() const { return op; }
  mlir::Operation *getOperation() const { return op; }

  mlir::Block *getBody() const { return &op->getRegions().back().front(); }
  mlir::MutableArrayRef<mlir::OpOperand> getInits() const {
    return op->getOpOperands().drop_front(getFirstInit());
  }
  /// The position of the first carried value among all operands of the op.
  unsigned getFirstInit() const {
    return mlir::isa<mlir::scf::ForOp>(op) ? 3 : 0; // bounds and step
  }
  mlir::Block::BlockArgListType getArguments() const {
    return getBody()->getArguments().drop_front(getNumControl());
  }
  mlir::Operation *getYield() const { return getBody()->getTerminator(); }
  mlir::ResultRange getResults() const { return op->getResults(); }
  /// The number of the carried value that `argument` of the body is.
  unsigned getIndex(mlir::Value argument) const {
    return mlir::cast<mlir::BlockArgument>(argument).getArgNumber() -
           getNumControl();
  }

private:
  /// Arguments of the body that are not carried: the induction variable.
  unsigned getNumControl() const {
    return mlir::isa<mlir::scf::ForOp>(op) ? 1 : 0;
  }

  mlir::Operation *op;
};

/// The number of loops around an op, itself included; 0 for null.
inline unsigned getLoopDepth(mlir::Operation *op) {
  unsigned depth = 0;
  for (; op; op = op->getParentOp())
    depth += bool(CarryingLoop(op));
  return depth;
}

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_CARRYINGLOOP_H
