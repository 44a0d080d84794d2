//===- ControlFlow.h - branches, loops and exits of a program -------------===//
//
// Branches and loops that are decided while compiling are walked as they run.
// Those that are decided when the program runs are emitted, and the values of
// their paths are joined. Definitions: Branches.cpp and RunTimeBranches.cpp,
// Loops.cpp, Rows.cpp, GrowingTensors.cpp, RunTimeLoops.cpp, LoopPlaces.cpp and
// Loaders.cpp, and for break, continue and return Exits.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_CONTROLFLOW_H
#define TDC_LIB_FRONTEND_SEMA_CONTROLFLOW_H

#include "Bindings.h"
#include "Builtins.h"
#include "Flow.h"
#include "Lints.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class Checker;

/// A loop, of either kind, for lints and for places, modes and freezing.
struct LoopRecord {
  Scope *scope = nullptr;      ///< of its body
  unsigned iteration = 0;      ///< the number of the iteration that it is in
  unsigned conditionDepth = 0; ///< of its body
  std::vector<Backward> backwards;
  /// The slots of gradients that it clears, that steps take in every iteration,
  /// and that steps or the program read.
  llvm::StringSet<> cleared, stepped, used;
  bool trains = false; ///< its body, without inner loops, takes gradients
  bool runsParameters = false;     ///< its body calls a model that has some
  bool readsLoader = false;        ///< it runs over the batches of a loader
  std::optional<size_t> rows;      ///< its number, see Lints::loopsOver
  bool trainsInside = false;       ///< an inner loop takes gradients
  std::vector<TrainingMode> modes; ///< parts that run as in training
  std::vector<Augmentation> augmentations; ///< without gradients
  /// Uses of a model's place, mode or freezing before the loop's body sets it.
  llvm::DenseMap<const ModelInstance *, SourceRange> placeUses, modeUses,
      learningUses;
};

class ControlFlow {
public:
  explicit ControlFlow(Checker &c) : c(c) {}

  std::vector<LoopRecord> loops; ///< around this point, innermost last
  unsigned iterations = 0;       ///< iterations of all loops that have begun
  /// The states that `recordLeft` saved for the ends of scopes that are still
  /// open.
  std::vector<std::pair<const Scope *, ModelStates>> leftModels;
  bool isLeft = false; ///< the current path was left, see ModelStates
  /// The names of values that a `save` or `restore` is given by keyword. A
  /// loader of such a name keeps its position.
  llvm::StringSet<> keptNames;

  // Branches ---------------------------------------------------------------//

  Flow execIf(const ast::IfStmt &stmt, Rest &rest);
  Val evalConditional(const ast::ConditionalExpr &expr,
                      const ast::TypeExpr *expected);
  Val evalLogical(const ast::BinaryExpr &expr);
  /// The truth of a host condition as a Bool value; nullopt after an error.
  /// `logical`: the `and`, `or` or `not` that has the condition as an operand.
  std::optional<Val> condition(const ast::Expr &expr,
                               const ast::Expr *logical = nullptr);

  /// Walks the side that a host condition chooses, or both if only the run
  /// knows it (walkSides): an optimizer has a branch for each of its
  /// parameters.
  void choose(const Val &condition, llvm::function_ref<void()> thenSide,
              llvm::function_ref<void()> elseSide);
  /// The values of the side that the running program takes. The sides assign to
  /// no variable and change no model's state, so nothing is joined.
  llvm::SmallVector<Value>
  walkSides(Value condition,
            llvm::function_ref<llvm::SmallVector<Value>()> onTrue,
            llvm::function_ref<llvm::SmallVector<Value>()> onFalse);

  /// The names that code assigns to.
  static llvm::StringSet<> assignedNames(const ast::Block *block,
                                         const ast::Block *other = nullptr);

  // Loops ------------------------------------------------------------------//

  /// A loop that gives a tensor another size is unrolled up to this: each
  /// iteration is compiled by itself.
  static constexpr int64_t kMaxOfOtherSizes = 1000;

  Flow execFor(const ast::ForStmt &stmt);
  Flow execWhile(const ast::WhileStmt &stmt);
  Val evalComprehension(const ast::ComprehensionExpr &expr);
  bool elementsOfIterable(const Val &iterable, SourceRange range, Vals &out);
  /// Whether it is a tensor, or `enumerate` or `zip` of one (Rows.cpp).
  static bool hasRows(const Val &iterable);
  Val buildLoader(const Bound &args);
  /// Adds the position of a loader to what is saved or restored as `name`;
  /// false after a report.
  bool addLoader(Emitter::Checkpoint &checkpoint, const Val &loader,
                 const ast::Identifier &name, bool saves);
  /// Precedes the restoring of a loader's position, and follows it.
  void forgetPosition(const LoaderInfo &loader);
  void resumeAt(const LoaderInfo &loader);
  /// Whether this point is reached in every iteration of the loop around it.
  bool isAlwaysReached() const;
  /// Called before and after the body of a loop.
  void beginIteration();
  void endIteration();
  /// The name of a loop's index in reports.
  static llvm::StringRef indexName(const ast::ForStmt &stmt);
  /// The loops around this point that are in an iteration which began after
  /// `iteration`.
  llvm::MutableArrayRef<LoopRecord> loopsSince(unsigned iteration);

  // break, continue, return ------------------------------------------------//

  Flow execStatements(llvm::ArrayRef<const ast::Stmt *> stmts,
                      Rest *around = nullptr);
  Flow execBreak(const ast::Stmt &stmt);
  Flow execContinue(const ast::Stmt &stmt);
  Flow execReturn(const ast::ReturnStmt &stmt);
  Flow leaveFunction(Val result);
  /// An assertion of the prelude about its arguments has failed: it ends all
  /// functions of the prelude up to the call in the user's code.
  bool preludeFailed = false;
  /// Whether the loop around this point has no further iteration.
  Val isLoopOver();
  /// At the end of a scope: joins the model states of all paths that lead
  /// there.
  void joinLeft(const Scope &target);

private:
  // Branches
  /// Whether the side of a choice that is not taken is a float.
  bool wouldBeFloat(const ast::Expr &side, const ast::TypeExpr *expected);
  /// Chooses one of two bools; the other one is not computed.
  Value chooseBool(Value condition, llvm::function_ref<Value()> onTrue,
                   llvm::function_ref<Value()> onFalse);
  /// Walks both sides under a condition that is not known and joins their
  /// changes: variables named in `assigned`, places and modes of models. If the
  /// first side leaves the block, the second one walks its `rest` as well.
  Flow branch(const Val &condition, SourceRange range,
              const llvm::StringSet<> &assigned,
              llvm::function_ref<Flow()> thenSide,
              llvm::function_ref<Flow()> elseSide, Rest *rest = nullptr);
  static void addAssignedNames(const Rest &rest, llvm::StringSet<> &names);

  // Loops
  void walkFor(const ast::ForStmt &stmt, const Val &iterable);
  void walkWhile(const ast::WhileStmt &stmt, const Val &first);
  void forRange(const ast::ForStmt &stmt, const Val &range);
  /// A loop over what `element` makes of each number of a range. `name` is that
  /// of the number in the body, or empty.
  void forIndices(const ast::ForStmt &stmt, const Val &range,
                  llvm::StringRef name,
                  llvm::function_ref<Val(Val index)> element);
  /// The number of elements that the running program can pick one by one; none
  /// if they are not only rows of tensors.
  std::optional<Val> lengthOfRows(const Val &iterable, SourceRange range);
  Val rowAt(const Val &iterable, const Val &index);
  bool rowsOf(const Val &tensor, SourceRange range, Vals &out);
  void forRows(const ast::ForStmt &stmt, const Val &iterable);
  /// Unrolls a loop over the elements of `iterable`.
  void forElements(const ast::ForStmt &stmt, llvm::ArrayRef<Val> elements,
                   const Val &iterable);
  void forLoader(const ast::ForStmt &stmt, const Val &loader,
                 std::optional<int64_t> enumerateFrom);
  /// One epoch of a loader: the order of the rows for each tensor, on its
  /// device, or none if that is the order of the tensors; and the number of the
  /// first batch.
  struct Epoch {
    Vals orders;
    Val first;
  };
  Epoch startEpoch(const LoaderInfo &loader);
  std::optional<Val> drawRows(const LoaderInfo &loader,
                              std::optional<RandomCall> call);
  /// Declares the slots of a loader's position if checkpoints have it; false
  /// after a report.
  bool keepPosition(LoaderInfo &loader, SourceRange range);
  void writePosition(const LoaderInfo &loader, const Val &taken);
  /// Where the loader was when it was saved, if it was restored since the last
  /// epoch, and the random call of the epoch.
  std::pair<Val, std::optional<RandomCall>>
  takePosition(const LoaderInfo &loader);
  /// Walks the body for the rows that are fewer than a batch.
  void walkTail(
      const ast::ForStmt &stmt, const LoaderInfo &loader, const Val &first,
      llvm::function_ref<void(const Val &index, const Size &rows)> iteration);
  Val loaderBatch(const LoaderInfo &loader, llvm::ArrayRef<Val> orders,
                  const Val &start, const Size &size);
  /// The batches of one epoch as values.
  bool batchesOf(const LoaderInfo &loader, SourceRange range, Vals &out);
  void endLoop();
  /// Moves free values to the places where an iteration of a loop leaves them.
  void settlePlaces(const ast::Block &body,
                    llvm::function_ref<void()> iteration);
  /// A loop of the running program; `body` gets the index. `hasTail`: a last
  /// iteration of another size follows it. `tooMany`: its iterations, if fewer
  /// would be unrolled where one gives a tensor another size.
  void runTimeLoop(const ast::ForStmt &stmt, const Val &from, const Val &to,
                   const Val &step, llvm::function_ref<void(Val index)> body,
                   bool hasTail = false,
                   std::optional<int64_t> tooMany = std::nullopt);
  /// Whether this number of iterations, or list elements, may be unrolled;
  /// reports `problem` if not.
  bool canUnroll(int64_t iterations, SourceRange range,
                 llvm::StringRef problem);
  /// Whether the body uses the index for what must be known when compiling
  /// (LoopIndices.cpp). `known` walks the body with the first index, `unknown`
  /// with one that only the run knows.
  bool mustKnowIndex(const ast::ForStmt &stmt, llvm::StringRef index,
                     llvm::function_ref<void()> known,
                     llvm::function_ref<void()> unknown);
  /// Whether an iteration gives a tensor another size (GrowingTensors.cpp).
  bool mustKnowSizes(const ast::ForStmt &stmt,
                     llvm::function_ref<void()> iteration);
  /// Walks an iteration of a loop of the running program aside: without reports
  /// or code. `atEnd` looks at the variables, and puts their values back.
  void tryIteration(llvm::function_ref<void()> iteration,
                    llvm::function_ref<void()> atEnd);
  /// The same; the variables that the body assigns get their values back.
  /// `atEnd` sees each of them with its value from before.
  void tryIteration(
      const ast::Block &body, llvm::function_ref<void()> iteration,
      llvm::function_ref<void(const Binding &variable, const Val &before)>
          atEnd);

  // Exits
  /// Walks what follows a statement that ended with `flow`.
  Flow goOn(Flow flow, Rest &rest, SourceRange range);
  Flow execRest(Rest &rest);
  /// The flow after a loop; its body may have returned from the function.
  Flow flowAfterLoop();
  /// Walks code that runs only if `left` is false.
  Flow unless(const Val &left, SourceRange range,
              const llvm::StringSet<> &assigned,
              llvm::function_ref<Flow()> walk);
  /// Ends the current path. Its model states are saved for the end of the scope
  /// that declares `exit`, where the path leads.
  void recordLeft(llvm::StringRef exit);

  Checker &c;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_CONTROLFLOW_H
