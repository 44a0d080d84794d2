//===- Graphs.cpp - graphs ------------------------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

namespace {

/// Throws Fault if two nodes of a graph touch the same bytes, at least one of
/// them writes, and neither depends on the other.
void checkRaces(const Graph &graph) {
  size_t size = graph.nodes.size();
  std::vector<std::vector<ByteAccess>> accesses;
  std::vector<std::vector<bool>> isAfter; // [node][earlier node]
  for (const GraphNode &node : graph.nodes) {
    std::vector<bool> earlier(size);
    for (unsigned index : node.after) {
      earlier[index] = true;
      for (size_t i = 0; i < index; ++i)
        earlier[i] = earlier[i] || isAfter[index][i];
    }
    std::vector<ByteAccess> touched = getAccesses(node.task);
    for (size_t i = 0; i < accesses.size(); ++i)
      for (const ByteAccess &access : touched)
        for (const ByteAccess &other : accesses[i])
          if (!earlier[i] && conflict(access, other))
            fault(CUDA_ERROR_LAUNCH_FAILED,
                  "race: in a graph, " + describe(node.task) + " and " +
                      describe(graph.nodes[i].task) +
                      " touch the same bytes, and neither waits for the other");
    accesses.push_back(std::move(touched));
    isAfter.push_back(std::move(earlier));
  }
}

} // namespace

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  return call(
      Entry::cuGraphInstantiateWithFlags, [=](Machine &machine, Context &) {
        CUgraphExec &result = deref(executable, "executable");
        checkFlags(flags, 0);
        const Graph &source = machine.graphs.get(graph);
        machine.runFor(source.device, [&] { checkRaces(source); });
        result = machine.executables.add(
            std::make_unique<ExecutableGraph>(ExecutableGraph{source, {}}));
      });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return call(Entry::cuGraphLaunch, [=](Machine &machine, Context &current) {
    ExecutableGraph &graph = machine.executables.get(executable);
    Stream &target = machine.getStream(stream, current);
    // A graph within a graph is not simulated.
    machine.checkNotCapturing(target);
    machine.runFor(target.device, [&] { machine.launch(graph, target); });
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return call(Entry::cuGraphExecDestroy, [=](Machine &machine, Context &) {
    // A driver may delay this until the launch has ended; the runtime does not
    // rely on that.
    machine.checkUnused(machine.executables.get(executable));
    machine.executables.remove(executable);
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return call(Entry::cuGraphDestroy, [=](Machine &machine, Context &) {
    machine.graphs.remove(graph);
  });
}
