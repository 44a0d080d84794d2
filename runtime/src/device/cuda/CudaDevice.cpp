//===- CudaDevice.cpp - a GPU behind CUDA's driver ------------------------===//

#include "device/cuda/CudaDevice.h"
#include "Failure.h"
#include <algorithm>
#include <cstring>

using namespace tdrt;

static CUdeviceptr address(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

CudaDevice::CudaDevice(const Driver &driver, int ordinal,
                       const tdrt_gpu_program &program)
    : context(driver, ordinal), life(std::in_place, context), program(program),
      kernels(context, program), memory(context), stream(makeStream()),
      reached(makeEvent()), arrivals{makeEvent(), makeEvent()},
      report(nullptr, driver.cuMemFreeHost) {
  if (std::any_of(program.kernels, program.kernels + program.num_kernels,
                  [](const tdrt_gpu_kernel &one) { return one.reports; }))
    makeErrors();
  life.reset();
}

CudaDevice::~CudaDevice() {
  abandon();
  life.emplace(context, std::nothrow);
}

Owned<CUstream> CudaDevice::makeStream() {
  CUstream made = nullptr;
  // One that does not wait for what other libraries do in stream 0.
  context.check(context.driver.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
                "making a stream");
  return {made, context.driver.cuStreamDestroy_v2};
}

Owned<CUevent> CudaDevice::makeEvent() {
  CUevent made = nullptr;
  context.check(context.driver.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING),
                "making an event");
  return {made, context.driver.cuEventDestroy_v2};
}

void CudaDevice::enableCopiesFrom(const CudaDevice &peer) {
  CudaContext::Use use(context);
  int canAccess = 0;
  context.check(context.driver.cuDeviceCanAccessPeer(
                    &canAccess, context.getDevice(), peer.context.getDevice()),
                "being asked for its peers");
  // Without it copies still work, only slower: whatever the answer is, be it
  // that another library did it before.
  if (canAccess)
    context.driver.cuCtxEnablePeerAccess(peer.context.getHandle(), 0);
}

//===----------------------------------------------------------------------===//
// Memory and copies
//===----------------------------------------------------------------------===//

void *CudaDevice::allocateArena(int64_t bytes) {
  void *arena = memory.allocateArena(bytes);
  fillWithZeros(arena, bytes + Memory::kSlack);
  return arena;
}

void CudaDevice::fillWithZeros(void *to, int64_t bytes) {
  if (bytes == 0)
    return;
  CudaContext::Use use(context);
  ++asked;
  context.check(
      context.driver.cuMemsetD8Async(address(to), 0, bytes, stream.get()),
      "filling memory");
}

StagingRing &CudaDevice::getStaging() {
  if (!staging)
    staging.emplace(context, stream.get());
  return *staging;
}

int64_t CudaDevice::upload(void *to, const void *from, int64_t bytes) {
  CudaContext::Use use(context);
  ++asked;
  int64_t pieces = 0;
  for (int64_t sent = 0; sent < bytes; ++pieces) {
    StagingRing::Piece piece = getStaging().takeForUpload(bytes - sent);
    memcpy(piece.data, static_cast<const char *>(from) + sent, piece.bytes);
    context.check(context.driver.cuMemcpyHtoDAsync_v2(address(to) + sent,
                                                      piece.data, piece.bytes,
                                                      stream.get()),
                  "copying from the cpu");
    sent += piece.bytes;
  }
  return pieces;
}

int64_t CudaDevice::download(void *to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return 0;
  CudaContext::Use use(context);
  ++asked;
  if (mayReport)
    queueReport();
  // While one piece is on its way, the one before is taken out.
  StagingRing::Piece before = {nullptr, 0};
  char *next = static_cast<char *>(to);
  int64_t pieces = 0;
  for (int64_t sent = 0; sent < bytes; ++pieces) {
    StagingRing::Piece piece = getStaging().takeForDownload(bytes - sent);
    context.check(
        context.driver.cuMemcpyDtoHAsync_v2(piece.data, address(from) + sent,
                                            piece.bytes, stream.get()),
        "copying to the cpu");
    context.check(
        context.driver.cuEventRecord(arrivals[pieces % 2].get(), stream.get()),
        "recording an event");
    sent += piece.bytes;
    if (pieces > 0)
      receive(next, before, arrivals[(pieces - 1) % 2].get());
    next += before.bytes;
    before = piece;
  }
  receive(next, before, arrivals[(pieces - 1) % 2].get());
  // What was asked for before has been done before.
  noteFinished();
  return pieces;
}

void CudaDevice::receive(void *to, const StagingRing::Piece &piece,
                         CUevent arrival) {
  context.check(context.driver.cuEventSynchronize(arrival),
                "waiting for a copy");
  verifyArrived(piece.data, piece.bytes);
  memcpy(to, piece.data, piece.bytes);
}

void CudaDevice::verifyArrived(const void *data, int64_t bytes) const {
  if (!context.driver.isValid(data, bytes))
    fail(399,
         "a copy from " + context.getName() + " is read before it has arrived");
}

void CudaDevice::copy(void *to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return;
  CudaContext::Use use(context);
  ++asked;
  context.check(context.driver.cuMemcpyDtoDAsync_v2(address(to), address(from),
                                                    bytes, stream.get()),
                "copying");
}

void CudaDevice::copyFromPeer(Device &other, void *to, const void *from,
                              int64_t bytes) {
  if (bytes == 0)
    return;
  auto &peer = static_cast<CudaDevice &>(other);
  waitFor(peer);
  CudaContext::Use use(context);
  ++asked;
  // Where there is no way between the two, the driver goes through the host.
  context.check(context.driver.cuMemcpyPeerAsync(
                    address(to), context.getHandle(), address(from),
                    peer.context.getHandle(), bytes, stream.get()),
                "copying from another GPU");
  // The peer must not overwrite what is still being read.
  peer.waitFor(*this);
}

void CudaDevice::waitFor(CudaDevice &other) {
  int64_t &known = waitedFor[&other];
  if (known == other.asked)
    return;
  const Driver &driver = context.driver;
  {
    CudaContext::Use use(other.context);
    other.context.check(
        driver.cuEventRecord(other.reached.get(), other.stream.get()),
        "recording an event");
  }
  CudaContext::Use use(context);
  context.check(driver.cuStreamWaitEvent(stream.get(), other.reached.get(), 0),
                "waiting for another GPU");
  known = other.asked;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void CudaDevice::launch(int32_t kernel, unsigned blocks,
                        const uint64_t *parameters, const tdrt_site *site) {
  CudaContext::Use use(context);
  ++asked;
  const tdrt_gpu_kernel &row = program.kernels[kernel];
  CUfunction function = kernels.get(kernel);
  parameterAddresses.clear();
  for (int32_t i = 0; i < row.num_parameters; ++i)
    parameterAddresses.push_back(const_cast<uint64_t *>(parameters + i));
  context.noteLaunch(row.name, site);
  context.check(context.driver.cuLaunchKernel(
                    function, blocks, 1, 1, row.threads, 1, 1, row.shared_bytes,
                    stream.get(), parameterAddresses.data(), nullptr),
                "launching a kernel");
  mayReport |= row.reports != 0;
}

void CudaDevice::synchronize() {
  if (waited == asked)
    return;
  CudaContext::Use use(context);
  if (mayReport)
    queueReport();
  context.check(context.driver.cuStreamSynchronize(stream.get()),
                "finishing its work");
  noteFinished();
}

void CudaDevice::noteFinished() {
  waited = asked;
  if (staging)
    staging->reuse();
}

void CudaDevice::abandon() noexcept {
  if (waited == asked)
    return;
  CudaContext::Use use(context, std::nothrow);
  context.driver.cuStreamSynchronize(stream.get());
  waited = asked;
}

void CudaDevice::makeErrors() {
  void *pinned = nullptr;
  context.check(context.driver.cuMemHostAlloc(&pinned, sizeof *report,
                                              CU_MEMHOSTALLOC_PORTABLE),
                "allocating pinned memory of the host");
  report.reset(new (pinned) tdrt_gpu_error());
  errors = static_cast<tdrt_gpu_error *>(memory.allocateOwn(sizeof *errors));
  fillWithZeros(errors, sizeof *errors);
}

void CudaDevice::queueReport() {
  context.check(
      context.driver.cuMemcpyDtoHAsync_v2(report.get(), address(errors),
                                          sizeof *errors, stream.get()),
      "copying to the cpu");
  mayReport = false;
}

bool CudaDevice::takeKernelError(tdrt_gpu_error &error) {
  if (mayReport)
    synchronize();
  if (!report)
    return false;
  verifyArrived(report.get(), sizeof *report);
  if (!report->taken)
    return false;
  error = *report;
  *report = {};
  fillWithZeros(errors, sizeof *errors);
  return true;
}
