//===- Lints.h - what is valid and rarely meant ---------------------------===//
//
// Warnings about training and evaluation that need what the checker knows of
// the whole program (TD612 to TD617), and about texts (TD223). A comment
// `# tdc: allow(TD612)` says that it is meant. Definitions: Lints.cpp, and
// StepOrder.cpp for TD612.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_LINTS_H
#define TDC_LIB_FRONTEND_SEMA_LINTS_H

#include "Values.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class Checker;
struct LoopRecord;

/// A call without gradients of what is for training alone.
struct TrainingMode {
  SourceRange call;  ///< of a model of the program, or `layer`
  SourceRange layer; ///< the user's call that led to it
  std::string does;
};

class Lints {
public:
  explicit Lints(Checker &c) : c(c) {}

  /// Checks the order of `backward`, `zero_grad` and `step` in a block (TD612).
  void checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts);

  /// A call of `backward` adds to these slots of gradients.
  void gaveGradients(SourceRange range, llvm::ArrayRef<std::string> slots);
  /// The program reads the gradient in this slot, or a step does.
  void usedGradient(llvm::StringRef slot);

  /// Checks a text for the names of variables in braces, as in an f-string
  /// (TD223).
  void checkText(const ast::StringExpr &expr);

  /// A loss is given `input`, which it takes to be on the scale `expected`
  /// (TD614).
  void checkInput(const Val &input, Scale expected);

  /// Code runs that is for training alone: it `does` something else than in
  /// evaluation (TD615).
  void runsForTraining(llvm::StringRef does);
  /// A loop begins over the batches of `loader`, which the program calls
  /// `range`.
  void loopsOver(const Val &loader, SourceRange range);
  void endLoop(const LoopRecord &loop);

  /// Reports what only the whole program shows.
  void finish();

private:
  struct Backward {
    SourceRange range;
    std::vector<std::string> slots;
  };
  /// The rows that a loop reads, and what the program calls them.
  struct Rows {
    std::shared_ptr<LoaderInfo> loader;
    SourceRange range;
  };

  void checkBackwards();
  void checkRows();

  Checker &c;
  // What the program does; a walk aside is no part of it.
  std::vector<Backward> backwards;
  llvm::StringSet<> usedGradients;
  std::vector<Rows> read, evaluated; ///< with gradients, and without
  std::vector<TrainingMode> modes;   ///< outside of loops
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_LINTS_H
