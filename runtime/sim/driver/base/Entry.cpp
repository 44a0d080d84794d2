//===- Entry.cpp - the entry points of the driver, by number --------------===//

#include "driver/base/Entry.h"

using namespace tdc::sim;

std::optional<Entry> tdc::sim::findEntry(std::string_view name) {
  for (unsigned i = 0; i != kEntries; ++i) {
    std::string_view known = kEntryNames[i];
    if (known == name || known.substr(0, known.rfind("_v")) == name)
      return static_cast<Entry>(i);
  }
  return std::nullopt;
}

bool tdc::sim::isSkippable(Entry entry) {
  switch (entry) {
  case Entry::cuCtxSynchronize:
  case Entry::cuStreamSynchronize:
  case Entry::cuStreamWaitEvent:
  case Entry::cuEventRecord:
  case Entry::cuEventSynchronize:
  case Entry::cuMemFree_v2:
  case Entry::cuMemFreeHost:
  case Entry::cuMemcpyHtoDAsync_v2:
  case Entry::cuMemcpyDtoHAsync_v2:
  case Entry::cuMemcpyDtoDAsync_v2:
  case Entry::cuMemcpyPeerAsync:
  case Entry::cuMemsetD8Async:
  case Entry::cuStreamDestroy_v2:
  case Entry::cuEventDestroy_v2:
  case Entry::cuModuleUnload:
  case Entry::cuLaunchKernel:
  case Entry::cuGraphLaunch:
  case Entry::cuGraphExecDestroy:
  case Entry::cuGraphDestroy:
  case Entry::cuDevicePrimaryCtxRelease_v2:
    return true;
  default:
    return false;
  }
}

bool tdc::sim::isUnsafeDuringCapture(Entry entry) {
  switch (entry) {
  case Entry::cuMemAlloc_v2:
  case Entry::cuMemFree_v2:
  case Entry::cuMemHostAlloc:
  case Entry::cuMemFreeHost:
  case Entry::cuModuleLoadDataEx:
  case Entry::cuModuleUnload:
  case Entry::cuStreamSynchronize:
  case Entry::cuStreamQuery:
  case Entry::cuEventSynchronize:
  case Entry::cuEventQuery:
  case Entry::cuCtxSynchronize:
    return true;
  default:
    return false;
  }
}
