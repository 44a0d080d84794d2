//===- Places.h - the devices of a program's values -----------------------===//
//
// Decides which values may meet, moves values between devices, and reports
// values that do not fit. Definitions: Places.cpp, Moves.cpp and
// PlaceReports.cpp.
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

  // Values that may meet (Places.cpp) --------------------------------------//

  /// Whether a value that was never placed is on the cpu, as in PyTorch, and is
  /// not moved implicitly to where it is needed.
  bool freeIsCpu() const {
    return placement == Placement::Strict || placement == Placement::Off;
  }
  /// Whether two values can meet; a free one is then moved to the other's
  /// place.
  bool agree(const Place &lhs, const Place &rhs) const;
  /// The place that all tensors among the operands share; free ones are brought
  /// to it. An error if there is none.
  std::optional<Place> samePlace(llvm::MutableArrayRef<Val> operands,
                                 SourceRange range);
  /// Under `strict` and `off`: whether both are the cpu, explicitly or by
  /// default.
  bool areBothCpu(const Place &lhs, const Place &rhs) const;
  /// Moves a tensor to a place for the compiler's reason `why`.
  Val transfer(const Val &tensor, const Place &place, SourceRange placed,
               Transfer why = Transfer::Implied);
  /// The same for a free tensor; any other stays where it is.
  Val bring(const Val &tensor, const Place &place, SourceRange placed = {},
            Transfer why = Transfer::Implied);
  /// Moves a free tensor to the home of loaders' and callers' tensors.
  Val bringHome(const Val &tensor);
  /// A tensor that the program explicitly puts in a place.
  Val pin(const Val &tensor, const Place &place, SourceRange placed);
  /// A tensor that counts as free, though it may be in a place.
  Val freed(const Val &tensor, Transfer why);
  /// The device of a factory without `device=`: from the `with` around it, else
  /// from the model, else from the function's parameters.
  std::pair<Place, SourceRange> ambientPlace();
  /// Where a factory puts its tensor: the argument, or the ambient device.
  std::pair<Place, SourceRange> factoryPlace(const Val *device,
                                             SourceRange range);

  // Moving values (Moves.cpp) ----------------------------------------------//

  /// The destination of a `.to`: a device, a dtype, or both.
  struct Destination {
    std::optional<Val> device;
    std::optional<DType> dtype;
  };
  /// Reads the arguments of `.to`; none after a report.
  std::optional<Destination>
  takeDestination(llvm::ArrayRef<Val> positional,
                  llvm::ArrayRef<CallArgs::Keyword> keywords,
                  SourceRange range);
  /// Moves a tensor, or each tensor of a tuple or list, to the destination.
  Val moveTo(const Val &base, const Destination &to, SourceRange range);
  /// `x.device`.
  Val deviceOf(const Val &tensor);
  /// The device that a value is when the program runs; TD900 if that is not
  /// decided yet.
  std::optional<Place> chosenPlace(const Val &device);
  Place modelPlace(const ModelInstance &model);
  Val moveTensor(const Val &tensor, const Val &device, SourceRange range);
  void moveModel(ModelInstance &model, const Val &device, SourceRange range,
                 Transfer transfer = Transfer::Written);
  using Models = llvm::SmallSetVector<ModelInstance *, 8>;
  /// Moves models to a place, and the models that share tensors with them.
  void moveParts(Models parts, const Place &place, SourceRange moved,
                 Transfer transfer);
  /// Moves the tensors of a model to a place, but not its parts.
  void movePart(ModelInstance &model, const Place &place, SourceRange moved,
                Transfer transfer);
  void moveSlot(Slot &slot, const Place &place, Transfer transfer);
  /// Declares a gradient or moment in the place of its parameter.
  void declareNextTo(Slot &slot, llvm::StringRef name, td::SlotKind kind,
                     llvm::StringRef key, llvm::StringRef instance);

  // Reports of values that do not fit (PlaceReports.cpp) -------------------//

  /// Reports that a model is not where an argument is; `owner` holds its state.
  void reportModelPlace(const ModelInstance &model, const ModelInstance &owner,
                        const Val &arg, const CallArgs &args);
  /// Reports that state of a model is not where its new value is.
  void reportStatePlace(const Val &val, llvm::StringRef name,
                        const Place &place, SourceRange range);
  /// Reports that two operands are in different places.
  void reportPlaces(const Val &lhs, const Val &rhs, SourceRange range);
  /// Notes where the user's code placed a value, or that it never did.
  void noteOrigin(Diagnostic &report, const Val &val);
  /// Offers to move a value to a place: where it is made if it is made by a
  /// function that takes `device=`, else by `.to` after the expression.
  void offerMove(Diagnostic &report, const Val &val, const Place &to,
                 FixIt::Kind kind);
  /// `--placement=warn`: reports where a tensor is moved to, once for each
  /// place, and where a model is moved.
  void warnBrought(const Val &tensor, const Place &place);
  void warnMoved(const ModelInstance &model, const Place &place);

private:
  /// One argument of `.to`; false after a report.
  bool addDestination(const Val &val, Destination &to);
  /// Offers to append `.to` to an expression.
  void offerTo(Diagnostic &report, SourceRange expr, const Place &to,
               FixIt::Kind kind);
  /// The program's name of a place in a file, if it has one.
  std::optional<std::string> nameOf(const Place &place, SourceRange at);
  /// Whether the place has a name that is declared before `at`.
  bool isDeclaredBefore(const Place &place, SourceRange at);

  Checker &c;
  std::set<std::pair<std::shared_ptr<Payload>, std::string>> brought;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_PLACES_H
