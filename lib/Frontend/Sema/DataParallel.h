//===- DataParallel.h - one model on several GPUs -------------------------===//
//
// `DataParallel(net)` is a model with `net` as its part `module`. A call cuts
// the tensors among its arguments into rows as torch.chunk does, walks `net`
// once for each GPU with the rows of that GPU, and joins the results on the
// output device. `net` has one state, on the first GPU. In the walk for another
// GPU its tensors are read as copies there, and what `forward` writes to its
// buffers is dropped, as in PyTorch. With one GPU or none, a call is one of
// `net`.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_DATAPARALLEL_H
#define TDC_LIB_FRONTEND_SEMA_DATAPARALLEL_H

#include "Builtins.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class Checker;
struct NamedSlot;

class DataParallel {
public:
  explicit DataParallel(Checker &c) : c(c) {}

  /// `DataParallel(net, device_ids=…, output_device=…)`.
  Val construct(CallArgs &args);
  Val call(const Val &parallel, CallArgs &args);
  /// Where the machine decides a condition, and one of two values that meet
  /// there is the DataParallel of the other: the one of the side that is taken.
  static std::optional<Val> choose(const Val &condition, const Val &onTrue,
                                   const Val &onFalse);

  // The walk for one GPU ---------------------------------------------------//

  /// The GPU that a model is on in this walk; none if it has no replica here.
  std::optional<Place> placeOf(const ModelInstance &model) const;
  /// The value of a tensor of the model in this walk; none if it is the
  /// model's.
  std::optional<Val> read(Slot &slot);
  /// Gives it a new value in this walk; false if the model itself gets it.
  bool write(Slot &slot, const Val &val);
  /// Random numbers for a tensor. Those of rows of the batch are the numbers
  /// that the rows have in the whole batch, so they do not depend on the number
  /// of GPUs.
  Typed random(td::Distribution distribution, llvm::ArrayRef<Value> bounds,
               const TensorType &type);

  /// What the replicas' buffers are called. A walk aside must leave it as it
  /// was.
  struct Names {
    llvm::StringSet<> declared;               ///< their slots
    std::map<int64_t, std::string> instances; ///< by GPU
  };
  Names names;

private:
  /// The rows of a batch that one GPU gets.
  struct Rows {
    Size first; ///< the number of the first row
    Size count; ///< a variable
    Size all;   ///< of the batch
  };
  struct Replica {
    Place place;
    Rows rows;
    bool isModel; ///< on the first GPU: its tensors are the model's
    const llvm::DenseSet<const ModelInstance *> &models;
    /// The random calls of the walk for the first GPU. All walks use them.
    std::vector<RandomCall> &drawn;
    unsigned regionDepth; ///< around the call
    size_t nextDrawn = 0;
    /// The copies of the model's parameters, and the slots of its buffers.
    llvm::DenseMap<const Slot *, Val> parameters{};
    llvm::DenseMap<const Slot *, std::string> buffers{};

    bool has(const Slot &slot) const { return models.contains(slot.owner); }
  };
  class Call;

  bool takeDevices(ModelInstance &parallel, const Val *ids, const Val *output,
                   SourceRange range);
  RandomCall nextCall();

  Checker &c;
  Replica *current = nullptr; ///< null outside of such a walk
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_DATAPARALLEL_H
