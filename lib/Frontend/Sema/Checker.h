//===- Checker.h - the state of the walk and its parts --------------------===//
//
// Abstract interpretation with elaboration: statements are executed in order,
// calls are walked in place with their argument values, and what happens at run
// time goes to the emitter. The methods are defined by topic in the files named
// in the comments.
//
// After the first error the walk goes on, to find more of them, but a
// NullEmitter takes the place of the real one.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_CHECKER_H
#define TDC_LIB_FRONTEND_SEMA_CHECKER_H

#include "Builtins.h"
#include "Flow.h"
#include "Frontend/NullEmitter.h"
#include "Frontend/Sema.h"
#include "Frontend/SizeTable.h"
#include "Restore.h"
#include "Scopes.h"
#include "Values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <set>

namespace tdc::sema {

class Checker {
public:
  Checker(SourceManager &sources, ast::Context &context,
          const CheckOptions &options, DiagnosticEngine &diags,
          Emitter &emitter)
      : sources(sources), context(context), options(options), diags(&diags),
        emitter(&emitter) {}
  ~Checker();

  void run(FileId file, const ast::Program &program);

  // Diagnostics and locations (Reporting.cpp) ------------------------------//

  /// Reports an error at the user's code: a range in the prelude stands for the
  /// call that led there.
  Diagnostic &error(DiagCode code, SourceRange range,
                    const llvm::Twine &title = {});
  Diagnostic &warning(DiagCode code, SourceRange range,
                      const llvm::Twine &title = {});
  /// Offers to write `.suffix` behind an expression of the user's code, in
  /// parentheses where the expression needs them.
  void offerSuffix(Diagnostic &report, SourceRange expr,
                   const llvm::Twine &suffix, FixIt::Kind kind = FixIt::Choice);
  /// The `let` before a name that it declares alone; invalid for others.
  SourceRange letBefore(SourceRange name) const;
  /// The user's expression, in parentheses unless it binds as tightly as a
  /// name.
  std::string asOperand(SourceRange expr) const;
  /// Reports a feature that is parsed and not built, and gives an error value.
  Val unsupported(SourceRange range, const llvm::Twine &feature);
  /// An error value after a report.
  /// The value of what cannot be checked; a report has said why.
  Val fail() {
    if (!failedAt.isValid())
      failedAt = here;
    return Val();
  }
  SourceRange userRange(SourceRange range) const;
  /// What the user's code called, in backquotes: the function or layer whose
  /// code in the prelude is being walked, else `what`.
  std::string userFunction(llvm::StringRef what) const;
  /// The user's call that made the layer whose code is being walked, if any.
  SourceRange layerAround() const;
  bool isPrelude(FileId file) const;
  llvm::StringRef text(SourceRange range) const {
    return range.isValid() ? sources.getText(range) : llvm::StringRef();
  }
  /// The place that the emitter should name for what comes next.
  void at(SourceRange range);
  Emitter &emit();

  // Spelling (Printing.cpp) ------------------------------------------------//

  std::string describe(const Val &val);
  std::string typeText(const TensorType &type);
  std::string placeText(const Place &place);

  // Scopes (Scopes.cpp) ----------------------------------------------------//

  Binding *lookup(llvm::StringRef name);
  void bind(llvm::StringRef name, SourceRange range, Val val, bool isVar);
  void reportUnknown(llvm::StringRef name, SourceRange range);
  /// An assignment to a name that nothing declares.
  void reportUndeclared(const ast::NameExpr &target);
  /// Offers to make a new name of a parameter, or of what a `for` declares,
  /// that is assigned to; false if `declared` is neither.
  bool offerCopy(Diagnostic &report, const ast::NameExpr &target,
                 SourceRange declared);
  /// Declares a name that was reported, so that no second report follows from
  /// the first.
  void poison(llvm::StringRef name, SourceRange range);
  /// Says where a name that is not known here is declared in another block;
  /// false if nowhere.
  bool noteOtherBlock(Diagnostic &report, llvm::StringRef name,
                      SourceRange use) const;
  /// The names of the program that are known here.
  std::vector<llvm::StringRef> variablesHere() const;
  /// Code of the program that is not walked, for it is known not to run, uses
  /// the names in it nevertheless.
  void nameTensor(const Val &val, llvm::StringRef name, SourceRange range);
  void useNamesIn(SourceRange range);
  /// Whether a name that is unknown here is one of PyTorch's; reports it then.
  /// `owner` is "." for a member of a tensor, "model." or "opt.".
  bool reportPyTorchName(llvm::StringRef name, SourceRange range,
                         llvm::StringRef owner);
  /// Offers the candidate that a misspelt name was meant to be, if any.
  void offerNearest(Diagnostic &report, llvm::StringRef name, SourceRange range,
                    llvm::ArrayRef<llvm::StringRef> candidates);
  /// Says that a value has no member of this name, which ends `range`.
  Val reportNoMember(const Val &base, SourceRange range, llvm::StringRef name);
  Val reportNotInModule(llvm::StringRef module, const ast::Identifier &name);
  /// The same of a module that is a file, unless it could not be read as a
  /// whole.
  Val reportNotInFile(DiagCode code, const FileScope &module,
                      llvm::StringRef path, const ast::Identifier &name);
  /// Whether a member is a method with a meaning of its own, which nothing but
  /// a call can do.
  static bool hasMethod(const Val &base, llvm::StringRef name);
  /// Says that `()` is missing behind a method.
  Val reportNotCalled(SourceRange range);
  /// Notes that the program has another use for a name of the language.
  void noteHidden(Diagnostic &report, llvm::StringRef name);
  void pushScope();
  void popScope();
  std::optional<Val> findGlobal(llvm::StringRef name);
  std::optional<Val> findInModule(llvm::StringRef module, llvm::StringRef name);
  std::optional<Val> findPrelude(llvm::StringRef name);
  /// A function of the language that can be called as a method of its first
  /// argument.
  std::optional<Val> findMethod(llvm::StringRef name);
  void importItems(const ast::ImportDecl &import);
  FileScope *loadFile(FileId file, bool isPrelude);

  // Statements (Statements.cpp, Assignments.cpp) ---------------------------//

  /// May walk what is behind the statement, too.
  Flow exec(const ast::Stmt &stmt, Rest &rest);
  Flow execBlock(const ast::Block &block);
  Flow execStatements(llvm::ArrayRef<const ast::Stmt *> stmts,
                      Rest *around = nullptr);
  Flow execLet(const ast::LetStmt &stmt);
  Flow execAssign(const ast::AssignStmt &stmt);
  Flow execExpr(const ast::ExprStmt &stmt);
  Flow execWith(const ast::WithStmt &stmt, Rest &rest);
  Flow execWithDevice(const ast::WithStmt &stmt, Rest &rest);
  Flow execReturn(const ast::ReturnStmt &stmt);
  Flow leaveFunction(Val result);
  Flow execAssert(const ast::AssertStmt &stmt);
  void execExport(const ast::FnDecl &fn);
  /// `isPlain`: of `x = v` as a whole, not of a part of `x` or `x += v`.
  void assignTo(const ast::Expr &target, const Val &val, SourceRange opRange,
                bool isPlain = false);
  void assignName(const ast::NameExpr &target, Val val, bool isPlain);
  void assignMember(const ast::MemberExpr &target, Val val);
  void assignState(const ast::MemberExpr &target, ModelInstance &model,
                   ModelInstance::Member &member, Val val);
  /// `net.w.data.copy_(x)`; false if the call is something else.
  bool copyInPlace(const ast::CallExpr &call);
  /// Of an optimizer's settings: when compiling or when it runs.
  void requireNotNegative(const Val &setting, llvm::StringRef name,
                          SourceRange range);
  bool unpack(const Val &val, size_t count, SourceRange range, Vals &parts);

  // The command line (Arguments.cpp) ---------------------------------------//

  void execArg(const ast::ArgDecl &arg);

  // break, continue, return (Exits.cpp) ------------------------------------//

  Flow execBreak(const ast::Stmt &stmt);
  Flow execContinue(const ast::Stmt &stmt);
  /// Goes on behind a statement that ended like this.
  Flow goOn(Flow flow, Rest &rest, SourceRange range);
  Flow execRest(Rest &rest);
  /// The flow behind a loop, out of which a function may have returned.
  Flow flowBehindLoop();
  /// Whether the loop around this point has no further turn.
  Val isLoopOver();
  /// Walks what runs only where `left` does not hold.
  Flow unless(const Val &left, SourceRange range,
              const llvm::StringSet<> &assigned,
              llvm::function_ref<Flow()> walk);

  // Branches and loops (Branches.cpp, RunTimeBranches.cpp, Loops.cpp,
  // RunTimeLoops.cpp, Loaders.cpp) -----------------------------------------//

  Flow execIf(const ast::IfStmt &stmt, Rest &rest);
  Val evalConditional(const ast::ConditionalExpr &expr,
                      const ast::TypeExpr *expected);
  /// Whether the side of a choice that is not taken is a float.
  bool wouldBeFloat(const ast::Expr &side, const ast::TypeExpr *expected);
  Val evalLogical(const ast::BinaryExpr &expr);
  /// One of two bools, of which the other is not computed.
  Value chooseBool(Value condition, llvm::function_ref<Value()> onTrue,
                   llvm::function_ref<Value()> onFalse);
  /// The truth of a host condition: nullopt with an error, or a Bool value.
  /// `logical`: the `and`, `or` or `not` that it is an operand of.
  std::optional<Val> condition(const ast::Expr &expr,
                               const ast::Expr *logical = nullptr);
  /// Runs both sides under a condition that is not known and joins what they
  /// changed: variables named in `assigned`, places and modes of models. If
  /// the first side leaves the block, the second one walks its `rest` as well.
  Flow branch(const Val &condition, SourceRange range,
              const llvm::StringSet<> &assigned,
              llvm::function_ref<Flow()> thenSide,
              llvm::function_ref<Flow()> elseSide, Rest *rest = nullptr);
  Flow execFor(const ast::ForStmt &stmt);
  Flow execWhile(const ast::WhileStmt &stmt);
  void walkFor(const ast::ForStmt &stmt, const Val &iterable);
  void walkWhile(const ast::WhileStmt &stmt, const Val &first);
  void forRange(const ast::ForStmt &stmt, const Val &range);
  void forElements(const ast::ForStmt &stmt, llvm::ArrayRef<Val> elements);
  void forLoader(const ast::ForStmt &stmt, const Val &loader,
                 std::optional<int64_t> enumerateFrom);
  Val loaderBatch(const LoaderInfo &loader, llvm::ArrayRef<Val> orders,
                  const Val &start, const Size &size);
  /// The batches of one epoch as values.
  bool batchesOf(const LoaderInfo &loader, SourceRange range, Vals &out);
  /// The path ends here. Models are as they are here where it leads to: the end
  /// of the scope that declares `exit`.
  void recordLeft(llvm::StringRef exit);
  /// At the end of that scope.
  void joinLeft(const Scope &target);
  /// Around the body of a loop.
  void beginTurn();
  void endTurn();
  /// Takes free values to the places where a turn of a loop leaves them
  /// (LoopPlaces.cpp).
  void settlePlaces(const ast::Block &body, llvm::function_ref<void()> turn);
  /// What the index of a loop is called in reports.
  static llvm::StringRef indexName(const ast::ForStmt &stmt);
  /// A loop that runs at run time; `body` gets the index. `hasTail`: the loop
  /// goes on behind it.
  void runTimeLoop(const ast::ForStmt &stmt, const Val &from, const Val &to,
                   const Val &step, llvm::function_ref<void(Val index)> body,
                   bool hasTail = false);
  void bindTarget(const ast::Target &target, Val val, bool isVar = false,
                  bool warnUnused = false);
  Val evalComprehension(const ast::ComprehensionExpr &expr);
  bool elementsOfIterable(const Val &iterable, SourceRange range, Vals &out);
  /// Reports `problem` where so many turns, or elements of a list, would be a
  /// mistake.
  bool canUnroll(int64_t turns, SourceRange range, llvm::StringRef problem);
  bool mustKnowIndex(const ast::Block &body, llvm::StringRef index);
  static llvm::StringSet<> assignedNames(const ast::Block *block,
                                         const ast::Block *other = nullptr);
  static void addAssignedNames(const Rest &rest, llvm::StringSet<> &names);
  Val buildLoader(const Bound &args);

  // Expressions (Expressions.cpp, Operators.cpp) ---------------------------//

  Val eval(const ast::Expr &expr, const ast::TypeExpr *expected = nullptr);
  Val evalName(const ast::NameExpr &expr);
  /// `isRead`: false gives a tensor of a model without its value.
  Val evalMember(const ast::MemberExpr &expr, bool isRead = true);
  /// The same before it is known whether it is called.
  Val memberOf(const ast::MemberExpr &expr, bool isRead = true);
  Val member(const Val &base, const ast::Identifier &name, SourceRange range);
  Val evalCall(const ast::CallExpr &expr, const ast::TypeExpr *expected);
  Val evalUnary(const ast::UnaryExpr &expr);
  Val evalBinary(const ast::BinaryExpr &expr);
  Val evalCompare(const ast::CompareExpr &expr);
  Val binary(ast::BinaryOp op, const Val &lhs, const Val &rhs,
             SourceRange range);
  Val compareVals(ast::CompareOp op, const Val &lhs, const Val &rhs,
                  SourceRange range);
  Val negate(const Val &operand, SourceRange range);
  Val evalSubscript(const ast::SubscriptExpr &expr);
  Val evalFString(const ast::FStringExpr &expr);

  // Host scalars (ConstantEvaluation.cpp) ----------------------------------//

  Val hostBinary(ast::BinaryOp op, const Val &lhs, const Val &rhs,
                 SourceRange range);
  Val hostCompare(ast::CompareOp op, const Val &lhs, const Val &rhs,
                  SourceRange range);
  Val hostMath(HostOp op, const Val &operand);
  Val toFloat(const Val &val);
  Val toInt(const Val &val);
  Val boolNot(const Val &val);
  /// An int that is known only at run time.
  Val runTimeInt(Value value, llvm::StringRef name,
                 std::optional<int64_t> known = std::nullopt);
  std::optional<int64_t> constantOf(const Size &size) const {
    return sizes.constantOf(size);
  }
  std::optional<int64_t> constantInt(const Val &val) const;
  /// The emitter's value of a host scalar or size; emitted now if need be.
  Value materialize(const Val &val);
  Value sizeValue(const Size &size) { return sizes.valueOf(size, emit()); }
  /// The argument as a number known now, or an error that says to use --set.
  std::optional<int64_t> requireInt(const Val &val, llvm::StringRef what);
  std::optional<double> requireFloat(const Val &val, llvm::StringRef what);
  std::optional<bool> requireBool(const Val &val, llvm::StringRef what);
  std::optional<llvm::StringRef> requireStr(const Val &val,
                                            llvm::StringRef what);
  Diagnostic &reportNotKnown(const Val &val, llvm::StringRef what);

  // Tensors (Tensors.cpp) --------------------------------------------------//

  /// The type as the emitter sees it. Every tensor that the program makes
  /// passes here, so this is where TD412 is found.
  TensorShape shapeOf(const TensorType &type);
  /// The type of a slot. It has no place: what it holds can move.
  TensorShape slotShape(const TensorType &type);
  llvm::SmallVector<Value> runTimeSizes(DimsRef dims);
  /// Makes tensors of the operands (at least one is a tensor) with one dtype,
  /// shape and place; false after a report.
  bool unify(llvm::MutableArrayRef<Val> operands, SourceRange range,
             llvm::StringRef what, TensorType &common);
  Val elementwise(OpKind op, llvm::ArrayRef<Val> operands, SourceRange range,
                  llvm::StringRef what);
  Val tensorCompare(td::ComparePredicate predicate, const Val &lhs,
                    const Val &rhs, SourceRange range, llvm::StringRef what);
  Val selectTensors(const Val &condition, Val onTrue, Val onFalse,
                    SourceRange range);
  Val castTo(const Val &tensor, DType dtype);
  /// The least and the largest number of an integer dtype.
  static std::pair<int64_t, int64_t> limitsOf(DType dtype);
  /// Reports a known number that a tensor of this dtype cannot hold.
  void checkFits(const Val &number, DType dtype);
  Val fillTensor(const Val &scalar, const TensorType &type,
                 SourceRange placed = {});
  Val broadcastTo(const Val &unaligned, DimsRef dims);
  Val reshapeTo(const Val &tensor, DimsRef dims);
  Val permuteTo(const Val &tensor, llvm::ArrayRef<int64_t> permutation);
  Val sliceOf(const Val &tensor, const Val &start, unsigned dim, int64_t step,
              const Size &size);
  Val updateSliceOf(const Val &tensor, const Val &update, const Val &start,
                    unsigned dim, int64_t step);
  Val concatOf(llvm::ArrayRef<Val> tensors, unsigned dim, SourceRange range);
  Val gatherOf(const Val &tensor, const Val &indices, unsigned dim,
               SourceRange range);
  /// The tensor without `dims`, or with size 1 there, by an op that reduces
  /// floats or numbers to their dtype; `attributes` are those beside its dims.
  Val reduceBy(OpKind op, llvm::ArrayRef<OpAttribute> attributes,
               const Val &tensor, llvm::ArrayRef<unsigned> dims, bool keepDims);
  Val reduceOf(td::ReduceKind kind, const Val &tensor,
               llvm::ArrayRef<unsigned> dims, bool keepDims);
  Val matmulOf(const Val &lhs, const Val &rhs, SourceRange range);
  Val itemOf(const Val &tensor);
  /// A tensor of the typed builder, made of these operands.
  Val fromTyped(const Typed &tensor, llvm::ArrayRef<Val> operands);
  /// Says why the builder gave nothing.
  Val reportFailure(SourceRange range, llvm::StringRef what);
  bool prove(ShapeAnswer &answer) { return sizes.prove(answer, emit()); }
  bool isTensor(const Val &val, SourceRange range, llvm::StringRef what);
  /// Whether it is a tensor or a host number; TD303 if not.
  bool isNumeric(const Val &val, SourceRange range, llvm::StringRef what);
  /// `dim=` of a tensor of this type as a number from the front. `added` dims
  /// come with the operation (`unsqueeze`).
  std::optional<unsigned> takeDim(const Val &dim, const TensorType &type,
                                  SourceRange range, unsigned added = 0);
  /// Whether a size that the program gives is not negative: TD401 where it is,
  /// and a check when the program runs where that is not known.
  bool requireSize(const Size &size, SourceRange range);
  /// Checks the dtypes that an op of the table takes.
  bool accepts(OpKind op, DType dtype, SourceRange range, llvm::StringRef what,
               const Val &operand);

  // Indexing (Indexing.cpp) ------------------------------------------------//

  /// One item of `x[…]`, resolved against a dim.
  struct Restriction {
    unsigned dim;
    Val start;
    Size size;
    int64_t step = 1;
    bool drop = false; ///< an index: the dim goes away
    Val indices;       ///< an integer tensor in place of the above
  };
  bool resolveItems(const TensorType &type,
                    llvm::ArrayRef<ast::SubscriptItem> items, SourceRange range,
                    llvm::SmallVectorImpl<Restriction> &restrictions);
  Val indexTensor(const Val &tensor, llvm::ArrayRef<ast::SubscriptItem> items,
                  SourceRange range);
  Val updateTensor(const Val &tensor, llvm::ArrayRef<ast::SubscriptItem> items,
                   const Val &update, SourceRange range);
  Val updateAlong(const Val &tensor, llvm::ArrayRef<Restriction> restrictions,
                  const Val &update);
  Val indexSequence(const Val &base, const ast::SubscriptItem &item);
  /// Where a slice starts and stops, both counted from the front.
  std::optional<std::pair<Val, Size>> sliceEnds(const ast::SubscriptItem &item,
                                                const Size &size);
  /// The index with the size added if it is negative.
  Val fromTheFront(const Val &index, const Size &size);
  /// Stops the program when it runs unless 0 <= index < limit (<= if
  /// `inclusive`).
  void checkInRange(const Val &index, const Size &limit, bool inclusive,
                    llvm::function_ref<Value()> message);

  // Types (Types.cpp) ------------------------------------------------------//

  /// A type from an annotation; fresh variables for names not seen before if
  /// `fresh`, an error otherwise.
  std::optional<TensorType> tensorFromType(const ast::TypeExpr &type,
                                           bool fresh);
  bool isTensorType(const ast::TypeExpr &type);
  std::optional<Place> placeFromType(const ast::Place &place);
  std::optional<DType> dtypeFromName(llvm::StringRef name);
  /// Checks a value against an annotation and binds the names that occur there
  /// first. `role` says what the value is ("`x`", "the result").
  bool matchType(const ast::TypeExpr &type, Val &val, SourceRange range,
                 const llvm::Twine &role, DiagCode code);
  bool matchTensor(const ast::NamedType &type, Val &val, SourceRange range,
                   const llvm::Twine &role, DiagCode code);
  /// Whether a name in a type is seen first here. The sizes of the program's
  /// own annotations mean nothing in the signature of a function.
  bool introducesSize(llvm::StringRef name);
  void bindSize(const ast::NameExpr &name, const Size &size);
  std::optional<Val> evalDim(const ast::Expr &expr);
  std::optional<DType> asDType(const Val &val);

  /// Makes the sizes run-time ones that the annotation of a `var`, or of a
  /// result, leaves open with `?`, so that its type is one in all turns and
  /// branches.
  Val loosen(const Val &val, const ast::TypeExpr &annotation);

  // f16 and bf16 (NarrowFloats.cpp) ----------------------------------------//

  /// A tensor of f16 or bf16 in f32, any other value as it is.
  Val widened(const Val &val);
  /// What comes of such tensors: f32 as `dtype`, any other value as it is.
  Val rounded(const Val &val, DType dtype);
  /// The dtype of a narrow tensor that is reckoned with a number of the
  /// program. As in PyTorch the number is not rounded to it first: 0.999 is 1
  /// in bf16.
  static std::optional<DType>
  findNarrowBesideNumber(OpKind op, llvm::ArrayRef<Val> operands);

  /// What the function of the prelude that runs was given in place of f32.
  std::optional<DType> givenNarrow;

  // Calls (Calls.cpp, Standalone.cpp) --------------------------------------//

  Val call(const Val &callee, CallArgs &args);
  Val callFunction(const FunctionInfo &fn, CallArgs &args);
  Val callPreludeFunction(const FunctionInfo &fn, CallArgs &args);
  Val callBuiltin(const Builtin &builtin, CallArgs &args);
  Val callPrelude(llvm::StringRef name, CallArgs args);
  Val callBody(const ast::FnDecl &fn);
  bool meet(CallArgs &args);
  bool evalArguments(llvm::ArrayRef<ast::Argument> args, CallArgs &out);
  /// Matches arguments to declared parameters and binds them in the scope.
  bool bindParams(llvm::ArrayRef<ast::Param> params, CallArgs &args,
                  llvm::StringRef what);
  bool bindBuiltin(const Builtin &builtin, const CallArgs &args, Bound &bound);
  void reportExtra(const CallArgs &args, llvm::StringRef what,
                   llvm::ArrayRef<llvm::StringRef> names, size_t given);
  void checkAlone(const FunctionInfo &fn);
  void callWithSymbols(const FunctionInfo &fn);
  /// A walk that leaves nothing behind but its reports; those of what is given
  /// up go to `scratch`.
  void walkAside(llvm::function_ref<void()> walk);
  void checkUncalled();
  std::optional<Val> symbolicArgument(const ast::Param &param);

  // Places (Places.cpp) ----------------------------------------------------//

  /// Whether what was never placed is on the cpu, as in PyTorch, and does not
  /// go by itself where it is needed.
  bool freeIsCpu() const {
    return placement == Placement::Strict || placement == Placement::Off;
  }
  /// Says that a model, whose state is that of `owner`, is not where an
  /// argument is.
  void reportModelPlace(const ModelInstance &model, const ModelInstance &owner,
                        const Val &arg, const CallArgs &args);
  /// Says that state of a model is not where its new value is.
  void reportStatePlace(const Val &val, llvm::StringRef name,
                        const Place &place, SourceRange range);
  /// Says that two operands are in different places.
  void reportPlaces(const Val &lhs, const Val &rhs, SourceRange range);
  /// Notes where a value was placed, if that is to be seen.
  void noteOrigin(Diagnostic &report, const Val &val);
  /// Offers to move a value to a place: where it is made if it is made by a
  /// function that takes `device=`, else behind the expression.
  void offerMove(Diagnostic &report, const Val &val, const Place &to,
                 FixIt::Kind kind);
  /// Offers to write `.to` behind an expression.
  void offerTo(Diagnostic &report, SourceRange expr, const Place &to,
               FixIt::Kind kind);
  /// How the program names a place in a file, if it can.
  std::optional<std::string> nameOf(const Place &place, SourceRange at);
  /// Whether it has a name already where `at` stands.
  bool isDeclaredBefore(const Place &place, SourceRange at);
  /// Whether two values can meet; a free one then goes to the other's place.
  bool agree(const Place &lhs, const Place &rhs) const;
  /// The place that all tensors among the operands share; free ones are brought
  /// to it. An error if there is none.
  std::optional<Place> samePlace(llvm::MutableArrayRef<Val> operands,
                                 SourceRange range);
  /// Whether both are the cpu, said or not.
  bool isHome(const Place &lhs, const Place &rhs) const;
  /// A tensor where the compiler takes it.
  Val transfer(const Val &tensor, const Place &place, SourceRange placed,
               Transfer why = Transfer::Implied);
  /// The same of a free tensor; any other stays where it is.
  Val bring(const Val &tensor, const Place &place, SourceRange placed = {},
            Transfer why = Transfer::Implied);
  /// A free tensor where loaders and callers want theirs.
  Val bringHome(const Val &tensor);
  /// `--placement=warn`: says where a tensor is brought to, each once for a
  /// place, and where a model is moved.
  void warnBrought(const Val &tensor, const Place &place);
  void warnMoved(const ModelInstance &model, const Place &place);
  std::set<std::pair<std::shared_ptr<Payload>, std::string>> brought;
  /// A tensor of which the program says that it is in a place.
  Val pin(const Val &tensor, const Place &place, SourceRange placed);
  /// A tensor somewhere that is free for the program all the same.
  Val freed(const Val &tensor, Transfer why);
  Val moveTensor(const Val &tensor, const Val &device, SourceRange range);
  void moveModel(ModelInstance &model, const Val &device, SourceRange range);
  using Models = llvm::SmallSetVector<ModelInstance *, 8>;
  /// Takes models to a place, and those that have tensors in common with them.
  void moveParts(Models parts, const Place &place, SourceRange moved,
                 Transfer transfer);
  /// Takes the tensors of a model to a place, but not its parts.
  void movePart(ModelInstance &model, const Place &place, SourceRange moved,
                Transfer transfer);
  void moveSlot(Slot &slot, const Place &place, Transfer transfer);
  /// Declares a gradient or moment, which is where its parameter is.
  void declareBeside(Slot &slot, llvm::StringRef name, td::SlotKind kind,
                     llvm::StringRef key, llvm::StringRef instance);
  Place modelPlace(const ModelInstance &model);
  Val applyTo(const Val &base, CallArgs &args);
  /// `x.device`.
  Val deviceOf(const Val &tensor);
  /// The device of a factory without `device=`: that of the `with` around it,
  /// of the model, of the function's parameters.
  std::pair<Place, SourceRange> ambientPlace();
  /// Where a factory puts its tensor: the argument, or the ambient device.
  std::pair<Place, SourceRange> factoryPlace(const Val *device,
                                             SourceRange range);

  // Devices (Devices.cpp) --------------------------------------------------//

  std::optional<Val> asDevice(const Val &val);
  /// What `.cuda(which)` and `cuda(which)` mean.
  std::optional<Val> cudaDevice(const Val &which, SourceRange range);
  /// Whether a place exists here; TD506 if it is used for certain.
  void checkDeviceExists(const Place &place, SourceRange range);
  bool isVisible(const Place &place);
  Val chooseDevice(const Val &condition, const Val &onTrue, const Val &onFalse,
                   SourceRange range);
  /// Gives a symbol the name of its binding.
  Val nameDevice(Val val, llvm::StringRef name);
  Val autoDevice(SourceRange range);
  /// The place of what is in one place or the other, as the machine decides.
  Place chooseOnMachine(const Val &condition, const Place &onTrue,
                        const Place &onFalse);
  /// The answer to a question about the devices of the machine.
  Val ofThisMachine(bool truth);
  Val ofThisMachine(int64_t count, llvm::StringRef name);
  /// The device that bare `cuda` is here.
  Place wordCuda() const;
  /// What a device is when the program runs; TD900 where it is not decided yet.
  std::optional<Place> chosenPlace(const Val &device);
  /// The device that a symbol is on this machine; any other place itself.
  Place standsFor(const Place &place) const;
  /// Tells the emitter what a symbol stands for.
  void declareSymbol(llvm::StringRef symbol);

  // Models (Models.cpp, ModelMethods.cpp, Slots.cpp) -----------------------//

  Val construct(const ClassInfo &cls, CallArgs &args);
  /// TD216: a model or an optimizer is made where it may be made again.
  Diagnostic &reportMadeOnce(llvm::StringRef what, SourceRange range);
  Val constructNative(const ClassInfo &cls, CallArgs &args);
  void buildMembers(ModelInstance &model,
                    llvm::ArrayRef<const ast::Decl *> members);
  void buildState(ModelInstance &model, const ast::StateDecl &decl);
  /// Makes models in a value parts of the one that is built. False after an
  /// error.
  bool adopt(const Val &val, SourceRange range);
  std::shared_ptr<ModelInstance> makeModel();
  void nameModels(const Val &val, llvm::StringRef name);
  void nameRoot(ModelInstance &model, llvm::StringRef name);
  void ensureNamed(ModelInstance &model);
  void ensureSlotNamed(Slot &slot);
  /// In front of what may run any number of times: a model starts with its
  /// name, and that is once.
  void nameAllModels();
  void declareSlot(Slot &slot, llvm::StringRef key, llvm::StringRef instance);
  Val callModel(const Val &model, CallArgs &args);
  Val callSequential(const Val &model, CallArgs &args);
  std::optional<Val> modelMember(const Val &model, llvm::StringRef name);
  Val callModelMethod(const Val &model, llvm::StringRef name, CallArgs &args);
  Val readSlot(Slot &slot, SourceRange range);
  /// Notes what needs the value of a slot, if it is the first.
  void useSlot(Slot &slot, llvm::StringRef use, SourceRange range);
  void writeSlot(Slot &slot, const Val &val);
  void rawWrite(llvm::StringRef slot, Value value);
  void setMode(ModelInstance &model, ModelState::Mode mode);
  bool isTraining(const Val &model, SourceRange range, bool &training);
  void setLearning(ModelInstance &model, ModelState::Learning learning);
  /// Whether it is a parameter that is not frozen, which must be known here.
  bool isLearned(const Slot &slot, SourceRange range);
  unsigned learningCalls = 0; ///< calls of `freeze` and `unfreeze` so far
  void forgetReads() { readCache.clear(); }
  struct NamedSlot {
    std::string key;
    Slot *slot;
    llvm::SmallVector<std::string, 1> aliases; ///< further keys
  };
  /// State in order with its checkpoint keys, each slot once.
  void collectSlots(const Val &model, llvm::StringRef prefix,
                    std::vector<NamedSlot> &slots);
  std::vector<NamedSlot> slotsOf(const std::shared_ptr<ModelInstance> &model);
  /// Adds slots that a save or load is about.
  void addToCheckpoint(Emitter::Checkpoint &checkpoint,
                       llvm::ArrayRef<NamedSlot> slots, llvm::StringRef use);
  bool isInsideRunTimeRegion() const { return regionDepth != 0; }
  std::string uniqueName(llvm::StringRef wanted);

  // Tied parameters (Ties.cpp) ---------------------------------------------//

  /// The value of an assignment; a tensor of a model is not read.
  Val evalAssigned(const ast::AssignStmt &stmt);
  /// `b.weight = a.weight`: one tensor with two names.
  void tie(const ast::MemberExpr &target, ModelInstance &model,
           ModelInstance::Member &member, const Val &source);
  /// Tells the emitter the names that slots have in the end.
  void nameAliases();
  std::vector<std::string> droppedSlots; ///< that no model holds any more

  // Training (Optimizers.cpp, Gradients.cpp) -------------------------------//

  Val buildOptimizer(OptimizerKind kind, const Bound &args);
  Val callOptimizerMethod(const Val &optimizer, llvm::StringRef name,
                          CallArgs &args);
  void optimizerStep(OptimizerInfo &optimizer, const Val *gradients,
                     SourceRange range);
  Val learningRate(OptimizerInfo &optimizer);
  std::vector<Slot *> slotsWithGradients(const Val &model, SourceRange range);
  void zeroGrad(const Val &model, SourceRange range);
  Val backward(const Val &loss, SourceRange range);
  Val gradOf(const Val &target, const Val &wrt, SourceRange range);
  void ensureGradSlot(Slot &slot);
  Val stopGradient(const Val &val);

  // Text (Formatting.cpp) --------------------------------------------------//

  /// Appends the value to a template, as `print` shows it.
  void appendValue(std::string &templateText, llvm::SmallVectorImpl<Value> &out,
                   const Val &val, llvm::StringRef spec, bool inFString);
  bool checkSpec(const ast::FormatSpec &spec, const Val &val);
  Value emitText(llvm::StringRef templateText, llvm::ArrayRef<Value> values);
  std::optional<std::string> constantText(const Val &val);

  // State of the walk ------------------------------------------------------//

  SourceManager &sources;
  ast::Context &context;
  const CheckOptions &options;
  DiagnosticEngine *diags;
  Emitter *emitter;
  NullEmitter nullEmitter;

  std::vector<std::unique_ptr<FileScope>> files;
  llvm::DenseMap<FileId, FileScope *> filesById;
  FileScope *file = nullptr; ///< whose code is being walked
  Scope *scope = nullptr;

  /// A function that is being walked; innermost last.
  struct Frame {
    const ast::FnDecl *fn = nullptr;
    FileScope *file = nullptr;
    ModelInstance *self = nullptr;
    std::shared_ptr<ModelInstance> selfOwner;
    SourceRange callRange;
    llvm::ArrayRef<SourceRange> callers;
    std::optional<Dims> rest; ///< what `...` stands for
    std::optional<Place> sharedPlace;
    unsigned regionDepth = 0; ///< around the call
  };
  std::vector<Frame> frames;
  /// Models whose members are being made; innermost last.
  std::vector<ModelInstance *> building;

  /// Counts what has been evaluated; false, with a report, beyond what any
  /// program of use needs.
  bool withinLimits(SourceRange range);
  /// The same for the extent of a list, tuple or text.
  bool isWithinExtent(size_t extent, SourceRange range);
  uint64_t evaluated = 0;
  unsigned evalDepth = 0;
  static constexpr uint64_t kMaxEvaluated = 4000000;
  static constexpr unsigned kMaxDepth = 2500;
  static constexpr size_t kMaxExtent = 1000000;

  unsigned errorCount = 0; ///< also those that were reported before
  bool saidTooLarge = false, saidExtent = false;
  SourceRange here;
  bool locationIsStale = true;

  Placement placement = Placement::Insert;
  /// What the symbols among the places stand for.
  struct DeviceSymbol {
    Place chosen;
    SourceRange made; ///< invalid if its name is what it means
    bool declared = false;
    /// Of a choice: what decides it, and what it is if that is false or true.
    std::string condition;
    Place sides[2];
  };
  llvm::StringMap<DeviceSymbol> deviceSymbols;
  /// The first name of each choice that means the same everywhere.
  llvm::StringMap<std::string> namedChoices;
  llvm::StringSet<> missingDevices; ///< that were reported
  bool namesDevices = false;        ///< the program, anywhere
  bool asksMachine = false;         ///< … which devices there are
  int64_t namedCudaDevices = 0; ///< that a machine has which has all it names
  /// The device of the innermost `with device` around, within the function.
  std::optional<Val> withDevice;

  /// A loop, of either kind, for TD610 and for places, modes and freezing.
  struct LoopRecord {
    Scope *scope = nullptr; ///< of its body
    unsigned turn = 0;      ///< the number of the turn that it is in
    std::vector<std::pair<SourceRange, std::string>> backwards;
    bool cleared = false;
    /// Models whose place, mode or freezing was used before the loop's body set
    /// it.
    llvm::DenseMap<const ModelInstance *, SourceRange> placeUses, modeUses,
        learningUses;
  };
  std::vector<LoopRecord> loops;
  unsigned turns = 0; ///< of all loops, that have begun
  /// The loops around this point that are in a turn which began after `turn`.
  llvm::MutableArrayRef<LoopRecord> loopsSince(unsigned turn);
  void endLoop();
  /// What `recordLeft` saw on the way to scopes that have not ended.
  std::vector<std::pair<const Scope *, ModelStates>> leftModels;
  bool isLeft = false; ///< the path that is walked, see ModelStates

  unsigned regionDepth = 0; ///< run-time branches and loops around this point
  unsigned conditionDepth = 0; ///< what runs only under a condition
  unsigned noGrad = 0;

  SizeTable sizes;
  TypedBuilder typed{sizes, [this]() -> Emitter & { return emit(); },
                     [this](const TensorType &type) { return shapeOf(type); }};

  std::vector<std::shared_ptr<ModelInstance>> models; ///< all of them
  /// And those that came to nothing.
  std::vector<std::weak_ptr<ModelInstance>> instances;
  size_t namedModels = 0; ///< so many of them have a name, or are parts
  std::vector<std::shared_ptr<OptimizerInfo>> optimizers;
  llvm::StringMap<Value> readCache;
  /// Of models and optimizers, with the last number that was put behind them.
  llvm::StringMap<unsigned> usedNames;
  std::string nameHint; ///< the binding that is being made
  /// Optimizers have their `lr` in a slot: the program, or what it imports,
  /// assigns one, saves or restores.
  bool keepsRates = false;
  bool unfreezes = false; ///< the program or what it imports may, anywhere

  llvm::DenseSet<const ast::FnDecl *> checkedAlone;
  bool alone = false;                  ///< walking aside: see `walkAside`
  bool abandoned = false;              ///< … which turned out to need a caller
  SourceRange failedAt;                ///< of the first `fail`
  DiagnosticEngine *scratch = nullptr; ///< takes reports of what was given up
  bool exporting = false;              ///< inside an exported function
};

/// Calls `visit` for a model and all models in it.
void forEachModel(ModelInstance &model,
                  llvm::function_ref<void(ModelInstance &)> visit);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_CHECKER_H
