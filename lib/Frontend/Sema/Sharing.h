//===- Sharing.h - values that are one tensor or list in PyTorch ----------===//
//
// In Python `b = a` gives a tensor or list a second name, and so do a part
// (`a[0]`), a list that holds it, and a parameter. Here each name has a value
// of its own. This finds the programs in which the two languages would show
// different things: a change in place, and a use of another value of the same
// storage after it (TD219).
//
// `Val::shareId` is the number of a share: the storages that the value may lie
// in, with the version of each at which the value was computed, and its place
// there. A view has the storages of its tensor. A change in place gives a
// storage a new version, which only the changed value has; a use of a value
// with an older one is reported. The body of a loop of the running program is
// walked once: what it did to shares is recorded and repeated at its end, from
// the shares that an iteration leaves in the carried variables.
//
// Only the user's code uses, names and changes: where a range is an argument
// and lies in the prelude, nothing happens. Functions of the language make new
// tensors or pass shares on (Builtin::shares). Definitions: Sharing.cpp, and of
// the reports SharedReports.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_SHARING_H
#define TDC_LIB_FRONTEND_SEMA_SHARING_H

#include "Values.h"

namespace tdc::sema {

struct CallArgs;
struct Event;
struct SharingState;
struct View;

class Sharing {
public:
  explicit Sharing(Checker &c);
  ~Sharing();

  // Values -----------------------------------------------------------------//

  /// Gives a value, and what a list or tuple holds, a share.
  void track(Val &val, SourceRange range);
  /// A value that gets a name, or that a list keeps, at `place`: another name
  /// if it has one.
  void name(Val &val, SourceRange place);
  /// Whether the value shares with others, or each tensor in the list or tuple.
  static bool isShared(const Val &val);
  /// Makes tensors, at any depth, new ones.
  static void forget(Val &val);
  /// What `change` needs of a value that moves before.
  static Val withoutValue(const Val &val);

  // Views. `view` has the type of the result.
  void slice(const Val &tensor, Val &view, unsigned dim, const Val &start,
             int64_t step);
  /// The same for a share of a tensor of these dims.
  unsigned partOf(unsigned share, DimsRef dims, unsigned dim, const Val &start,
                  const Size &size, int64_t step);
  void permute(const Val &tensor, Val &view,
               llvm::ArrayRef<int64_t> permutation);
  void reshape(const Val &tensor, Val &view);
  void viewAs(const Val &tensor, Val &view);
  /// Whether a later value of the same storage is another one.
  bool isStale(const Val &val) const;
  /// Whether no other value and no name has its storage.
  bool isTemporary(const Val &tensor) const;
  /// Whether `contiguous` is known to make a copy.
  bool isScattered(const Val &tensor) const;

  // Uses and changes -------------------------------------------------------//

  /// The values in `val` are read by code at `range`.
  void use(const Val &val, SourceRange range);
  /// The same of a list, and not its elements.
  void useSelf(const Val &val, SourceRange range);
  /// `changed` is what `old` becomes in place. Only `part`, a view of it, has
  /// other values, if that is a share.
  void change(const Val &old, Val &changed, SourceRange range,
              unsigned part = 0);
  /// The same of a call with `inplace=true`, whose result is `changed`.
  void changeByCall(const Val &old, Val &changed, SourceRange range);
  /// A tensor of a model is read, changes in place, or is replaced.
  unsigned read(const Slot &slot, SourceRange range);
  void change(const Slot &slot, SourceRange range);
  void replace(const Slot &slot, const Val &val);
  /// Reports a value that is a tensor of a model already, and would be another
  /// one, too.
  bool reportTied(const Slot &slot, const Val &val);
  /// The same of its gradient.
  unsigned readGradient(const Slot &slot, SourceRange range);
  void changeGradient(const Slot &slot, SourceRange range);
  void replaceGradient(const Slot &slot, const Val &val);
  /// Whether both lie in one storage, so that a change of one changes the
  /// other.
  bool areOne(const Val &a, const Val &b) const;

  // Control flow -----------------------------------------------------------//

  void beginBranch();
  void beginElse();
  void endBranch();
  /// The value after the branch that ended last.
  void join(const Val &then, const Val &other, Val &result);

  void beginLoop();
  /// The index of the loop that began last.
  void nameIndex(const Val &index);
  /// The variables that a loop carries: their values at the start of an
  /// iteration and at its end.
  void endLoop(llvm::ArrayRef<std::pair<Val, Val>> carried);
  /// The value after the loop that ended last.
  void joinLoop(const Val &before, const Val &after, Val &result);

private:
  bool isOff() const;
  /// The same of code at `range`.
  bool isOff(SourceRange range) const;
  unsigned addView(unsigned share, View how);
  void addChange(const Val &old, Val &changed, Event event);
  /// The tensor with this share is replaced.
  void put(unsigned share, Val val);

  Checker &c;
  std::unique_ptr<SharingState> state;
};

/// Whether a call of this value changes its first argument in PyTorch.
bool isInPlaceLayer(const Checker &c, const Val &callee);

/// Takes `inplace=` from the arguments of a function such as `relu`; whether it
/// is true.
bool takeInPlace(Checker &c, const ast::CallExpr &call, CallArgs &args);

/// `self.relu(x)` as a statement, which changes `x` in PyTorch: reports it with
/// the assignment that does the same. False if it is something else.
bool reportInPlaceStatement(Checker &c, const ast::ExprStmt &stmt,
                            const Val &result);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_SHARING_H
