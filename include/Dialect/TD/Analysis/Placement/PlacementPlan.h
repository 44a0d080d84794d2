//===- PlacementPlan.h - which devices hold a value, and its copies -------===//
//
// For each web the cheapest labelling of its nodes with the devices that hold
// the value: a minimum cut, exact where all values of the web are made on one
// device and where only two devices take part; else the best that exchanges
// between two devices at a time find. Then each copy is looked at for what a
// labelling does not know: whether it will be needed on every way from there,
// and whether no value is copied twice. If both hold for all copies of a web,
// any run makes exactly the copies that it cannot do without.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_PLACEMENTPLAN_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_PLACEMENTPLAN_H

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"

namespace tdc::td {

struct PlannedCopy {
  unsigned edge;
  unsigned from, to; ///< devices
};

class PlacementPlan {
public:
  explicit PlacementPlan(const ValueFlow &flow);

  /// For each node the devices that hold the value and that somebody needs it
  /// on, or copies it from.
  std::vector<DeviceSet> held;
  /// In the order of edges.
  std::vector<PlannedCopy> copies;
  /// For each web: whether only a run can tell which copies it needs.
  std::vector<bool> isConditional;

  /// The device to copy from on an edge to a node that is held on `to`; none if
  /// it comes from there already.
  std::optional<unsigned> getSource(unsigned edge, unsigned to) const;

private:
  const ValueFlow &flow;
};

/// The labels of one web's nodes that cost least, each a set of devices. Nodes
/// from which nobody is reached that needs the value have none.
/// `nodes`: those of the web. `labels`: by node.
void solveWeb(const ValueFlow &flow, llvm::ArrayRef<unsigned> nodes,
              std::vector<DeviceSet> &labels);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_PLACEMENTPLAN_H
