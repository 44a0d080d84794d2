//===- ValueFlow.h - the ways of values between devices -------------------===//
//
// The network that transfers are placed on. A *name* is a tensor value or what
// a slot holds between two writes; td.to_device gives no new name, for it does
// not change the content. A *segment* is a run of ops of a block between two
// ops that have regions: all of it runs equally often. A *node* is a name in a
// segment, and an *edge* is a way that a value takes from one node to the next:
// into a branch, around a loop, into a slot. What is known of a node is on
// which device it has to be (needs) and, where a value is made, on which device
// that happens (home). Names that flow into each other form a *web*.
//
// Expects loops that have at least one iteration (td-normalize).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_VALUEFLOW_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_VALUEFLOW_H

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace tdc::td {

/// Devices of a module, by a small number: the cpu is 0.
class Devices {
public:
  Devices() { places.push_back(getCpu()); }
  unsigned getIndex(const Place &place);
  const Place &getPlace(unsigned index) const { return places[index]; }
  unsigned size() const { return places.size(); }

private:
  llvm::SmallVector<Place, 4> places;
};

/// The cpu and what else a module has tensors on, in the order in which they
/// appear.
llvm::SmallVector<Place> getDevices(mlir::ModuleOp module);

/// One bit for each device: the cpu and kMostCudaDevices others.
using DeviceSet = uint64_t;
inline DeviceSet deviceBit(unsigned device) { return DeviceSet(1) << device; }

/// Where a copy on an edge stands.
struct TransferSite {
  enum Kind : uint8_t {
    Before,       ///< an op
    After,        ///< an op
    Start,        ///< of a block
    End,          ///< of a block, before its terminator
    IterationEnd, ///< the same, of a loop's body, if there is another iteration
  } kind;
  mlir::Operation *op = nullptr; ///< Before, After
  mlir::Block *block = nullptr;  ///< otherwise
};

struct FlowEdge {
  unsigned from, to;
  double frequency; ///< runs per run of the program
  TransferSite site;
  /// Under which outcome it is taken: of the branch behind `from`, or of the
  /// question at the end of an iteration.
  enum Outcome : uint8_t { Always, Then, Else, Again, Leave } outcome = Always;
  /// Values move along it. Otherwise it only says that the value that `from`
  /// has is the one that `to` has then.
  bool moves = true;
};

struct FlowNode {
  unsigned name;
  DeviceSet needs = 0;
  /// Some op asks for the sizes only.
  bool needsShape = false;
  /// Somebody who needs it can be reached from here; others must not force a
  /// copy.
  bool isRead = false;
  /// Where the value is made. Passing nodes have none.
  std::optional<unsigned> home;
  /// On every device at no cost: zeros that a slot starts with, what a
  /// constructor makes.
  bool isHomeless = false;
  /// The T-op that makes the value on a device still to be chosen.
  mlir::Operation *mover = nullptr;
  /// Behind it a branch is taken, or an iteration ends.
  enum Fork : uint8_t { None, Branch, IterationEnd } fork = None;
  llvm::SmallVector<unsigned, 4> in, out;
};

/// A tensor value, or what a slot holds.
struct FlowName {
  mlir::Value value;           ///< null for a slot
  mlir::StringAttr slot;       ///< null for a value
  mlir::RankedTensorType type; ///< without a place
  mlir::LocationAttr location;
  int64_t bytes = 0; ///< estimated where sizes are not known
  unsigned web = kNoWeb;
  /// Of names that are no part of the network: made and needed on one device.
  static constexpr unsigned kNoWeb = ~0u;
};

/// An operand that is read, and the node that stands for it. Ops whose result
/// nobody reads, such as the last value of a slot, have none.
struct FlowUse {
  mlir::Operation *op;
  unsigned operand; ///< or the index in a td.save's list of slots
  unsigned node;
  /// Where it is read; none: the sizes only.
  std::optional<unsigned> device;
};

/// A value that a loop carries, a result of an scf.if, or a slot that is
/// written in such an op.
struct FlowJoin {
  mlir::Operation *op;
  unsigned index;        ///< of the carried value or result; for slots unused
  mlir::StringAttr slot; ///< null for values
  unsigned node;         ///< inside a loop, or where the branches meet
  unsigned result;       ///< behind the op
  llvm::SmallVector<unsigned, 2> ends; ///< yielded, for each region
  unsigned init = 0;                   ///< of a loop
};

class ValueFlow {
public:
  /// `isMovable`: ops without a device of their own; their operands need none.
  explicit ValueFlow(
      mlir::ModuleOp module,
      llvm::function_ref<bool(mlir::Operation *)> isMovable = {});

  Devices devices;
  std::vector<FlowName> names;
  std::vector<FlowNode> nodes;
  std::vector<FlowEdge> edges;
  std::vector<FlowUse> uses;
  std::vector<FlowJoin> joins;
  /// Reads and writes of slots: the nodes of the slot and of the value.
  struct Access {
    mlir::Operation *op;
    unsigned slot, value;
  };
  std::vector<Access> accesses;
  /// td.restore: the nodes that it makes, in the order of its slots.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> restored;
  unsigned numWebs = 0;

  const FlowName &nameOf(unsigned node) const {
    return names[nodes[node].name];
  }
  unsigned webOf(unsigned node) const { return nameOf(node).web; }
  double getBytes(unsigned edge) const {
    return edges[edge].frequency * double(nameOf(edges[edge].to).bytes);
  }
  /// What a copy on an edge costs: bytes times runs, and it is one more place
  /// to copy at.
  Capacity getCopyCost(unsigned edge) const;
  /// The same for something else that costs as much as copying so many bytes in
  /// a run of the program.
  Capacity getCost(double bytes) const;

private:
  void findRead(llvm::function_ref<bool(mlir::Operation *)> isMovable);

  /// Units of cost per byte: a 64th, or more where there is so much to copy
  /// that sums would not fit.
  double unitsPerByte = 64;
};

/// The device of each operand that an op reads; kShape for one whose sizes it
/// reads, kNothing for one that it passes on or that is no tensor.
inline constexpr int kShape = -1, kNothing = -2;
int getNeed(mlir::Operation *op, unsigned operand, Devices &devices);

/// Whether the host looks at the elements of the op's operands.
bool isReadByHost(mlir::Operation *op);

/// The tensor whose bytes a tensor names: itself, or what it is a view of.
mlir::Value getRoot(mlir::Value tensor);

/// What a value was before it was taken anywhere.
mlir::Value getContent(mlir::Value value);

/// The operands that read a value, wherever it was taken before.
llvm::SmallVector<mlir::OpOperand *> getContentUses(mlir::Value value);

/// A tensor's bytes; a size that is not known counts as 64.
int64_t estimateBytes(mlir::RankedTensorType type);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_VALUEFLOW_H
