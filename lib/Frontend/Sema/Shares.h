//===- Shares.h - the state of the analysis of shared values --------------===//
//
// Everything that happens to shares is an event. Events change the state when
// they happen, and those in a loop of the running program once more at its end.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_SHARES_H
#define TDC_LIB_FRONTEND_SEMA_SHARES_H

#include "Sharing.h"

namespace tdc::sema {

/// The indices of each dim of a tensor that a view of it shows, from the first
/// to before the second.
using Box = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;
inline constexpr int64_t kEnd = INT64_MAX;

/// What a view shows of a storage: a part of the tensor that was made with it,
/// and of that, after a `reshape` into other dims, a part of the result.
struct Region {
  struct Step {
    unsigned tensor = 0; ///< the share of the result; 0 for the first tensor
    Box box;
    bool operator==(const Step &other) const {
      return tensor == other.tensor && box == other.box;
    }
  };
  llvm::SmallVector<Step, 1> steps;
  /// The dims of boxes in which it is at the index of a loop: each iteration
  /// shows other elements.
  struct AtIndex {
    unsigned loop = 0, step = 0, dim = 0;
    bool operator==(const AtIndex &other) const {
      return loop == other.loop && step == other.step && dim == other.dim;
    }
  };
  llvm::SmallVector<AtIndex, 1> atIndices;
  bool operator==(const Region &other) const {
    return steps == other.steps && atIndices == other.atIndices;
  }
};

/// A storage in which a value may lie.
struct Part {
  unsigned storage = 0, version = 0;
  Region region;
};

/// Where the elements of a tensor lie.
enum class Layout : uint8_t { Dense, Scattered, Unknown };

struct View {
  /// The dim of the tensor for each dim of the view; -1 for none.
  llvm::SmallVector<int, 4> dims;
  /// The indices of `dim` that the view has, if there is one.
  int dim = -1;
  std::pair<int64_t, int64_t> indices{0, kEnd};
  unsigned loop = 0;             ///< whose index it has there; 0 for none
  Layout layout = Layout::Dense; ///< of a view of a dense tensor
  bool isExact = true; ///< the indices are known, and the view has all of them
  bool isReshaped = false; ///< into dims that are not the tensor's
};

struct Share {
  llvm::SmallVector<Part, 1> parts;
  /// The dim of the last box for each dim; -1 for none.
  llvm::SmallVector<int, 4> dims;
  Layout layout = Layout::Dense;
  bool isExact = true; ///< it shows all of its regions
  /// Of a new value: its storage of each of the last times that it was made.
  llvm::SmallVector<unsigned, 1> storages;
  unsigned timesMade = 0;
  // What does not change:
  bool isList = false, isNamed = false;
  bool isCall = false;    ///< the result of a call that changes its argument
  unsigned source = 0;    ///< of which it is another name, a view or a change
  SourceRange link;       ///< where it became another name
  SourceRange value;      ///< the value that got the name
  bool isOfModel = false; ///< the tensor of a model, or its gradient
  std::string ofModel;    ///< its name, once it has one
};

struct Change {
  unsigned version = 0, shareId = 0; ///< of the value after it
  Region region;
  SourceRange range;
};

struct Event {
  enum Kind : uint8_t {
    New,
    Copy, ///< `to` is another name of `from`
    Show, ///< `to` is a view of `from`
    Put,  ///< the tensor of a model `to` is replaced with `from`
    Set,  ///< `from` becomes `to`, in the part `other` only
    Use,
    Join,     ///< of both sides of the branch that ended
    JoinLoop, ///< of the values before and after the loop that ended
    Branch,
    Else,
    EndBranch,
    Loop,    ///< `to` is its number
    EndLoop, ///< `to` is the number of its carried variables
  } kind = New;
  unsigned to = 0, from = 0, other = 0;
  SourceRange range = {};
  View view = {};
  SourceRange value = {}; ///< what the program calls the changed value
  bool isCall = false;    ///< a call changes it
};

struct SharingState {
  explicit SharingState(Checker &c) : c(c), shares(2) {}

  Checker &c;
  std::vector<Share> shares; ///< 0 is none
  /// That of all tuples whose elements have shares.
  static constexpr unsigned kTuple = 1;
  std::vector<std::vector<Change>> storages;
  unsigned now = 0; ///< the last version
  /// The shares of the tensors of models, and of their gradients.
  llvm::DenseMap<const void *, unsigned> ofModels;
  llvm::DenseMap<unsigned, unsigned> ofStorages; ///< the same of storages

  /// The events of the loops around this point.
  std::vector<Event> events;
  struct OpenLoop {
    size_t begin = 0; ///< its event
    unsigned number = 0;
    SizeAtomRef index = nullptr; ///< the atom of its index, if it has one
  };
  std::vector<OpenLoop> loops;
  unsigned loopCount = 0;
  /// Of each loop, the versions at its start, and at that of the iteration that
  /// it is in.
  llvm::DenseMap<unsigned, std::pair<unsigned, unsigned>> iterations;
  std::vector<llvm::SmallVector<std::pair<unsigned, unsigned>, 2>> carried;
  bool isRepeated = false;
  /// How many storages a value has that a loop makes again: those of its last
  /// iterations, which variables may hold.
  unsigned mostStorages = 5;

  /// Versions after the first and up to the second.
  using Versions = std::pair<unsigned, unsigned>;
  /// Those of the other sides of the branches around this point.
  std::vector<Versions> hidden;
  std::vector<unsigned> branchStarts, loopStarts;
  Versions thenSide, elseSide, lastLoop;
  llvm::DenseSet<std::pair<unsigned, unsigned>> reported;

  unsigned add(Event event);
  void happen(const Event &event);
  /// A change of the part since its version, which does not count those in
  /// `ignored`, and those inside of `replaced`.
  const Change *findChange(const Part &part, Versions ignored = {},
                           const Region *replaced = nullptr) const;
  const Change *findChange(const Share &share) const;
  /// Whether the change was of the elements of another iteration.
  bool isOfOtherIteration(const Change &change, const Region &region) const;
  unsigned ofModel(const void *key, llvm::StringRef name, size_t rank);

private:
  void report(const Share &share, const Change &change, SourceRange range);
  unsigned makeStorage();
  void show(const Event &event);
  void set(const Event &event);
  void join(const Event &event, Versions ignoredOfFrom,
            Versions ignoredOfOther);
  void repeat(const Event &end);
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_SHARES_H
