//===- PlacementPlan.h - which devices hold a value, and its copies -------===//
//
// The plan has, for each web, the cheapest labelling of its nodes with the
// devices that hold the value. It is a minimum cut, exact if all values of the
// web are made on one device or if only two devices take part; otherwise it is
// a local optimum of exchanges between pairs of devices, the best from several
// starts. A labelling does not show whether a copy is needed on every path that
// follows, whether a value is copied to a device twice, or whether a copy
// brings a value to a device that had it from the start. So all copies of a web
// are checked for these; if they pass, any run makes exactly the copies that it
// needs.
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

  /// For each node, the devices that hold the value and on which it is needed
  /// or from which it is copied.
  std::vector<DeviceSet> held;
  /// Web by web, in the order of edges.
  std::vector<PlannedCopy> copies;
  /// For each web: whether only a run can tell which copies it needs.
  std::vector<bool> isConditional;

  /// The device to copy from on `edge`, if the node that it leads to is held on
  /// `to`; nullopt if the node that it comes from is held there, too.
  std::optional<unsigned> getSource(unsigned edge, unsigned to) const;

private:
  const ValueFlow &flow;
};

/// Computes the cheapest labels, each a set of devices, for the nodes of one
/// web. Nodes that reach no use get no label. `nodes`: the nodes of the web.
/// `labels`: indexed by node; written for `nodes` only.
void solveWeb(const ValueFlow &flow, llvm::ArrayRef<unsigned> nodes,
              std::vector<DeviceSet> &labels);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_PLACEMENTPLAN_H
