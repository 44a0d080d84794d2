//===- Places.h - where the values of a program are -----------------------===//
//
// What is in a place, what may meet, what goes where, and the reports of what
// does not fit. Definitions: Places.cpp, Moves.cpp and PlaceReports.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_PLACES_H
#define TDC_LIB_FRONTEND_SEMA_PLACES_H

#include "Builtins.h"
#include "Frontend/CheckOptions.h"
#include "llvm/ADT/SetVector.h"
#include <set>

namespace tdc::sema {

class Checker;

class Places {
public:
  explicit Places(Checker &c) : c(c) {}

  Placement placement = Placement::Insert;
  /// The device of the innermost `with device` around, within the function.
  std::optional<Val> withDevice;

  // What may meet (Places.cpp) ---------------------------------------------//

  /// Whether what was never placed is on the cpu, as in PyTorch, and does not
  /// go by itself where it is needed.
  bool freeIsCpu() const {
    return placement == Placement::Strict || placement == Placement::Off;
  }
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
  /// A tensor of which the program says that it is in a place.
  Val pin(const Val &tensor, const Place &place, SourceRange placed);
  /// A tensor somewhere that is free for the program all the same.
  Val freed(const Val &tensor, Transfer why);
  /// The device of a factory without `device=`: that of the `with` around it,
  /// of the model, of the function's parameters.
  std::pair<Place, SourceRange> ambientPlace();
  /// Where a factory puts its tensor: the argument, or the ambient device.
  std::pair<Place, SourceRange> factoryPlace(const Val *device,
                                             SourceRange range);

  // What goes where (Moves.cpp) --------------------------------------------//

  /// What `.to` says: a device, a dtype, or both.
  struct Destination {
    std::optional<Val> device;
    std::optional<DType> dtype;
  };
  /// The arguments of `.to`; none after a report.
  std::optional<Destination>
  takeDestination(llvm::ArrayRef<Val> positional,
                  llvm::ArrayRef<CallArgs::Keyword> keywords,
                  SourceRange range);
  /// A tensor, or each of a tuple or list, there.
  Val moveTo(const Val &base, const Destination &to, SourceRange range);
  /// `x.device`.
  Val deviceOf(const Val &tensor);
  Place modelPlace(const ModelInstance &model);
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

  // What does not fit (PlaceReports.cpp) -----------------------------------//

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
  /// function that takes `device=`, else by `.to` after the expression.
  void offerMove(Diagnostic &report, const Val &val, const Place &to,
                 FixIt::Kind kind);
  /// `--placement=warn`: says where a tensor is brought to, each once for a
  /// place, and where a model is moved.
  void warnBrought(const Val &tensor, const Place &place);
  void warnMoved(const ModelInstance &model, const Place &place);

private:
  /// One argument of `.to`; false after a report.
  bool addDestination(const Val &val, Destination &to);
  /// Offers to append `.to` to an expression.
  void offerTo(Diagnostic &report, SourceRange expr, const Place &to,
               FixIt::Kind kind);
  /// How the program names a place in a file, if it can.
  std::optional<std::string> nameOf(const Place &place, SourceRange at);
  /// Whether it has a name already where `at` stands.
  bool isDeclaredBefore(const Place &place, SourceRange at);

  Checker &c;
  std::set<std::pair<std::shared_ptr<Payload>, std::string>> brought;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_PLACES_H
