//===- CudaGraph.cpp - work of a GPU that is repeated ---------------------===//

#include "device/cuda/CudaGraph.h"

using namespace tdrt;

CudaGraph::CudaGraph(CudaDevice &device)
    : device(device),
      executable(nullptr, device.context.driver.cuGraphExecDestroy) {}

CudaGraph::~CudaGraph() {
  if (!isCapturing)
    return;
  const Driver &driver = device.context.driver;
  CudaContext::Use use(device.context, std::nothrow);
  CUgraph graph = nullptr;
  driver.cuStreamEndCapture(device.work.getStream(), &graph);
  if (graph)
    driver.cuGraphDestroy(graph);
}

void CudaGraph::begin() {
  const CudaContext &context = device.context;
  CudaContext::Use use(context);
  // Loading code is not allowed in a capture.
  for (int32_t i = 0; i < device.program.num_kernels; ++i)
    device.kernels.get(i);
  // Work in a capture must not wait for work outside, so waits are given to the
  // stream before.
  device.work.noteWork();
  context.check(
      context.driver.cuStreamBeginCapture_v2(
          device.work.getStream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      "beginning a graph");
  isCapturing = true;
  std::swap(unread, device.unread);
  std::swap(isReading, device.isReading);
}

void CudaGraph::end() {
  const CudaContext &context = device.context;
  const Driver &driver = context.driver;
  CudaContext::Use use(context);
  CUgraph captured = nullptr;
  isCapturing = false;
  std::swap(unread, device.unread);
  std::swap(isReading, device.isReading);
  context.check(driver.cuStreamEndCapture(device.work.getStream(), &captured),
                "ending a graph");
  Owned<CUgraph> graph(captured, driver.cuGraphDestroy);
  CUgraphExec made = nullptr;
  context.check(driver.cuGraphInstantiateWithFlags(&made, graph.get(), 0),
                "making a graph");
  executable.reset(made);
}

void CudaGraph::launch() {
  const CudaContext &context = device.context;
  CudaContext::Use use(context);
  if (unread.any())
    device.waitForReading();
  device.work.noteWork();
  context.check(
      context.driver.cuGraphLaunch(executable.get(), device.work.getStream()),
      "launching a graph");
  device.unread.add(unread);
}
