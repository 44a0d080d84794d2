//===- ValueFlow.h - the flow of values between devices -------------------===//
//
// The network on which transfers are placed. A *name* is a tensor value or a
// slot; td.to_device gives no new name, since it does not change the content. A
// *segment* is a run of ops of a block between two ops that have regions: all
// its ops run equally often. A *node* is a name in a segment; each write of a
// slot starts a new node. An *edge* is a path of a value from one node to the
// next: into a branch, around a loop, into a slot. A node has the devices that
// need the value (needs) and, if it is the definition of the value, the device
// that makes it (home). Names that flow into each other form a *web*.
//
// Expects that loops have at least one iteration (td-normalize).
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

/// The devices of a module, numbered from 0, which is the cpu.
class Devices {
public:
  Devices() { places.push_back(getCpu()); }
  unsigned getIndex(const Place &place);
  const Place &getPlace(unsigned index) const { return places[index]; }
  unsigned size() const { return places.size(); }

private:
  llvm::SmallVector<Place, 4> places;
};

/// The cpu and all other places of the module's tensors, in the order in which
/// they appear.
llvm::SmallVector<Place> getDevices(mlir::ModuleOp module);

/// One bit for each device: the cpu and kMostCudaDevices others.
using DeviceSet = uint64_t;
inline DeviceSet deviceBit(unsigned device) { return DeviceSet(1) << device; }

/// The position of a copy on an edge.
struct TransferSite {
  enum Kind : uint8_t {
    Before,       ///< an op
    After,        ///< an op
    Start,        ///< of a block
    End,          ///< of a block, before its terminator
    IterationEnd, ///< the same, of a loop's body, if another iteration follows
  } kind;
  mlir::Operation *op = nullptr; ///< for Before, After
  mlir::Block *block = nullptr;  ///< for the others
};

struct FlowEdge {
  unsigned from, to;
  double frequency; ///< runs per run of the program
  TransferSite site;
  /// The outcome on which the edge is taken: of the branch after `from`, or of
  /// the loop's condition at the end of an iteration.
  enum Outcome : uint8_t { Always, Then, Else, Again, Leave } outcome = Always;
  /// Whether values move along the edge. If not, the edge only records that
  /// `from` and `to` have the same value.
  bool moves = true;
};

struct FlowNode {
  unsigned name;
  DeviceSet needs = 0;
  /// Whether some op reads the sizes only.
  bool needsShape = false;
  /// Whether the node reaches a use. A node that does not must not force a
  /// copy.
  bool isRead = false;
  /// The device that makes the value; nullopt for nodes that a value only
  /// passes.
  std::optional<unsigned> home;
  /// Whether the value is on every device at no cost: zeros that a slot starts
  /// with, or the result of a constructor.
  bool isHomeless = false;
  /// The T-op that makes the value, on a device that is still to be chosen.
  mlir::Operation *mover = nullptr;
  /// Whether a branch follows the node, or the end of an iteration.
  enum Fork : uint8_t { None, Branch, IterationEnd } fork = None;
  llvm::SmallVector<unsigned, 4> in, out;
};

/// A tensor value or a slot.
struct FlowName {
  mlir::Value value;           ///< null for a slot
  mlir::StringAttr slot;       ///< null for a value
  mlir::RankedTensorType type; ///< without a place
  mlir::LocationAttr location;
  int64_t bytes = 0; ///< estimated where sizes are not known
  unsigned web = kNoWeb;
  /// The web of names that are not in the network: made and needed on one
  /// device.
  static constexpr unsigned kNoWeb = ~0u;
};

/// An operand that is read, and its node. An op with results that are never
/// read, such as the last value of a slot, has no uses.
struct FlowUse {
  mlir::Operation *op;
  unsigned operand; ///< or the index in a td.save's list of slots
  unsigned node;
  /// The device that reads it; nullopt if only the sizes are read.
  std::optional<unsigned> device;
};

/// A value that a loop carries, a result of an scf.if, or a slot that is
/// written in a loop or scf.if.
struct FlowJoin {
  mlir::Operation *op;
  unsigned index;        ///< of the carried value or result; unused for slots
  mlir::StringAttr slot; ///< null for values
  unsigned node;         ///< inside a loop, or where the branches join
  unsigned result;       ///< after the op
  llvm::SmallVector<unsigned, 2> ends; ///< yielded by each region
  unsigned init = 0;                   ///< of a loop
};

class ValueFlow {
public:
  /// `isMovable` holds for ops without a device of their own; their operands
  /// are needed on no device.
  explicit ValueFlow(
      mlir::ModuleOp module,
      llvm::function_ref<bool(mlir::Operation *)> isMovable = {});

  Devices devices;
  std::vector<FlowName> names;
  std::vector<FlowNode> nodes;
  std::vector<FlowEdge> edges;
  std::vector<FlowUse> uses;
  std::vector<FlowJoin> joins;
  /// A read or write of a slot: the nodes of the slot and of the value.
  struct Access {
    mlir::Operation *op;
    unsigned slot, value;
  };
  std::vector<Access> accesses;
  /// For each td.restore, the nodes that it makes, in the order of its slots.
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> restored;
  unsigned numWebs = 0;

  const FlowName &nameOf(unsigned node) const {
    return names[nodes[node].name];
  }
  unsigned webOf(unsigned node) const { return nameOf(node).web; }
  double getBytes(unsigned edge) const {
    return edges[edge].frequency * double(nameOf(edges[edge].to).bytes);
  }
  /// The cost of a copy on an edge: bytes times runs, and, between equal costs,
  /// one more copy site.
  Capacity getCopyCost(unsigned edge) const;
  /// The cost, in the same unit, of anything else that costs as much as copying
  /// `bytes` bytes in a run of the program.
  Capacity getCost(double bytes) const;

private:
  void findRead(llvm::function_ref<bool(mlir::Operation *)> isMovable);

  /// Units of cost per byte: 64, or fewer if so much is copied that sums would
  /// not fit.
  double unitsPerByte = 64;
};

/// The device on which an op reads its operand; kShape if it reads only the
/// sizes, kNothing if it passes the operand on or the operand is no tensor.
inline constexpr int kShape = -1, kNothing = -2;
int getNeed(mlir::Operation *op, unsigned operand, Devices &devices);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_VALUEFLOW_H
