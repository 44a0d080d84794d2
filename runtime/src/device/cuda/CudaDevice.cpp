//===- CudaDevice.cpp - a GPU that is used through CUDA's driver ----------===//

#include "device/cuda/CudaDevice.h"
#include "base/Failure.h"
#include "device/cuda/LaunchSequences.h"
#include <algorithm>
#include <cstring>

using namespace tdrt;

/// A download of up to this many bytes takes about as long as one of a few.
static constexpr int64_t kShortDownload = 1 << 16;

static CUdeviceptr address(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

//===----------------------------------------------------------------------===//
// Construction and destruction
//===----------------------------------------------------------------------===//

CudaDevice::CudaDevice(const Driver &driver, int ordinal,
                       const tdrt_gpu_program &program)
    : context(driver, ordinal), chosen(std::in_place, context),
      program(program), kernels(context, program), work(context),
      memory(context, work), arrivals{makeEvent(context), makeEvent(context)},
      sequences(std::make_unique<LaunchSequences>(*this)) {
  if (std::any_of(program.kernels, program.kernels + program.num_kernels,
                  [](const tdrt_gpu_kernel &one) { return one.reports; }))
    makeRecord();
  chosen.reset();
}

CudaDevice::~CudaDevice() {
  abandon();
  chosen.emplace(context, std::nothrow);
}

void CudaDevice::enableCopiesFrom(const CudaDevice &peer) {
  CudaContext::Use use(context);
  int canAccess = 0;
  context.check(context.driver.cuDeviceCanAccessPeer(
                    &canAccess, context.getDevice(), peer.context.getDevice()),
                "being asked for its peers");
  if (!canAccess)
    return;
  // Without peer access copies still work, only slower, so any result is
  // accepted. Another library may have enabled it before.
  CUresult result =
      context.driver.cuCtxEnablePeerAccess(peer.context.getHandle(), 0);
  if (result == CUDA_SUCCESS ||
      result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    reached.push_back(&peer);
}

bool CudaDevice::reaches(const Device &peer) const {
  return std::find(reached.begin(), reached.end(), &peer) != reached.end();
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
  work.noteWork();
  context.check(
      context.driver.cuMemsetD8Async(address(to), 0, bytes, work.getStream()),
      "filling memory");
}

int64_t CudaDevice::upload(std::optional<StagingRing> &ring, CudaQueue &queue,
                           void *to, const void *from, int64_t bytes) {
  if (!ring)
    ring.emplace(context, queue);
  CudaTrace::Span span(trace, queue);
  int64_t copies = 0;
  for (int64_t sent = 0; sent < bytes;) {
    StagingRing::Piece piece = ring->takeForUpload(bytes - sent);
    memcpy(piece.data, static_cast<const char *>(from) + sent, piece.bytes);
    copies +=
        queue.upload(static_cast<char *>(to) + sent, piece.data, piece.bytes);
    sent += piece.bytes;
  }
  // Do not hold the copy back: a block may be freed at any time, and in a trace
  // each copy has its own time.
  if (trace || memory.isBlock(to))
    queue.flush();
  return copies;
}

int64_t CudaDevice::upload(void *to, const void *from, int64_t bytes) {
  CudaContext::Use use(context);
  return bytes > 0 ? upload(staging, work, to, from, bytes) : 0;
}

int64_t CudaDevice::download(void *to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return 0;
  CudaContext::Use use(context);
  if (!staging)
    staging.emplace(context, work);
  queueReports();
  work.noteWork();
  // While one piece is in flight, the piece before it is copied out.
  StagingRing::Piece before = {nullptr, 0};
  char *next = static_cast<char *>(to);
  int64_t pieces = 0;
  std::optional<CudaTrace::Span> span(std::in_place, trace, work);
  for (int64_t sent = 0; sent < bytes; ++pieces) {
    StagingRing::Piece piece = staging->takeForDownload(bytes - sent);
    context.check(
        context.driver.cuMemcpyDtoHAsync_v2(piece.data, address(from) + sent,
                                            piece.bytes, work.getStream()),
        "copying to the cpu");
    context.check(context.driver.cuEventRecord(arrivals[pieces % 2].get(),
                                               work.getStream()),
                  "recording an event");
    sent += piece.bytes;
    if (pieces > 0)
      receive(next, before, arrivals[(pieces - 1) % 2].get());
    next += before.bytes;
    before = piece;
  }
  span.reset();
  receive(next, before, arrivals[(pieces - 1) % 2].get());
  // Work given before the download is done as well.
  work.noteFinished();
  staging->reuse();
  noteReports(countQueuedReports());
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
  work.noteWork();
  CudaTrace::Span span(trace, work);
  context.check(context.driver.cuMemcpyDtoDAsync_v2(address(to), address(from),
                                                    bytes, work.getStream()),
                "copying");
}

void CudaDevice::copyFromPeer(CudaQueue &queue, CudaDevice &peer, void *to,
                              const void *from, int64_t bytes) {
  queue.follow(peer.work);
  queue.noteWork();
  CudaTrace::Span span(trace, queue);
  // If there is no direct path between the two, the driver copies through the
  // host.
  context.check(context.driver.cuMemcpyPeerAsync(
                    address(to), context.getHandle(), address(from),
                    peer.context.getHandle(), bytes, queue.getStream()),
                "copying from another GPU");
}

void CudaDevice::copyFromPeer(Device &other, void *to, const void *from,
                              int64_t bytes) {
  if (bytes == 0)
    return;
  auto &peer = static_cast<CudaDevice &>(other);
  CudaContext::Use use(context);
  copyFromPeer(work, peer, to, from, bytes);
  peer.work.protectFrom(work);
}

//===----------------------------------------------------------------------===//
// Copies concurrent with kernels
//===----------------------------------------------------------------------===//

void *CudaDevice::allocatePinned(int64_t bytes) {
  CudaContext::Use use(context);
  pinned.reserve(pinned.size() + 1);
  void *data = nullptr;
  context.check(
      context.driver.cuMemHostAlloc(&data, bytes, CU_MEMHOSTALLOC_PORTABLE),
      "allocating pinned memory of the host");
  pinned.emplace_back(data, context.driver.cuMemFreeHost);
  return data;
}

CudaQueue &CudaDevice::getQueue(Ticket::Queue queue, int32_t peer) {
  if (queue == Ticket::Work)
    return work;
  if (queue == Ticket::Peers)
    return peers.try_emplace(peer, context).first->second;
  std::optional<CudaQueue> &other =
      queue == Ticket::Uploads ? uploads : downloads;
  return other ? *other : other.emplace(context);
}

template <class Visit> void CudaDevice::visitQueues(Visit visit) {
  visit(work);
  for (std::optional<CudaQueue> *queue : {&uploads, &downloads})
    if (*queue)
      visit(**queue);
  for (auto &[number, queue] : peers)
    visit(queue);
}

int64_t CudaDevice::markWork() {
  // A copy after the mark may overwrite memory that another GPU reads.
  work.waitForReaders();
  return work.mark();
}

Ticket CudaDevice::mark(Ticket::Queue queue, int32_t peer) {
  CudaContext::Use use(context);
  Ticket ticket = {
      queue, queue == Ticket::Work ? markWork() : getQueue(queue, peer).mark(),
      peer};
  if (queue == Ticket::Downloads && std::exchange(isDownloading, false))
    inFlight.push_back({ticket.position, countQueuedReports()});
  return ticket;
}

int64_t CudaDevice::startUpload(void *to, const void *from, int64_t bytes,
                                bool isPinned, Ticket after) {
  CudaContext::Use use(context);
  CudaQueue &queue = getQueue(Ticket::Uploads);
  queue.waitFor(getQueue(after), after.position);
  if (!isPinned)
    return upload(uploadStaging, queue, to, from, bytes);
  CudaTrace::Span span(trace, queue);
  int64_t copies = queue.upload(static_cast<char *>(to),
                                static_cast<const char *>(from), bytes);
  if (trace)
    queue.flush();
  return copies;
}

void CudaDevice::startDownload(void *to, const void *from, int64_t bytes) {
  CudaContext::Use use(context);
  CudaQueue &queue = getQueue(Ticket::Downloads);
  // Reports are read at a fixed position in the order of the kernels, so those
  // that come with a download do not depend on the GPU's progress. The
  // kernels after a short download can wait for it, so the read is in its
  // queue; for a long one the read is in the queue of the kernels.
  bool isShort = bytes <= kShortDownload;
  if (!isShort)
    queueReports();
  queue.follow(work);
  if (isShort && unread.indices) {
    readReports(queue);
    isReading = true;
  }
  CudaTrace::Span span(trace, queue);
  queue.noteWork();
  context.check(context.driver.cuMemcpyDtoHAsync_v2(to, address(from), bytes,
                                                    queue.getStream()),
                "copying to the cpu");
  isDownloading = true;
}

void CudaDevice::startCopyFromPeer(Device &other, int32_t number, void *to,
                                   const void *from, int64_t bytes) {
  CudaContext::Use use(context);
  CudaQueue &queue = getQueue(Ticket::Peers, number);
  work.waitForReaders();
  queue.follow(work);
  copyFromPeer(queue, static_cast<CudaDevice &>(other), to, from, bytes);
}

void CudaDevice::wait(Device &owner, Ticket ticket) {
  CudaContext::Use use(context);
  work.waitFor(static_cast<CudaDevice &>(owner).getQueue(ticket),
               ticket.position);
}

void CudaDevice::finish(Ticket ticket) {
  CudaContext::Use use(context);
  getQueue(ticket).finish(ticket.position);
  if (ticket.queue != Ticket::Downloads)
    return;
  while (!inFlight.empty() && inFlight.front().position <= ticket.position) {
    noteReports(inFlight.front().reports);
    inFlight.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void CudaDevice::launch(int32_t kernel, unsigned blocks,
                        const uint64_t *parameters, const tdrt_site *site) {
  CudaContext::Use use(context);
  const tdrt_gpu_kernel &row = program.kernels[kernel];
  if (row.reports != TDRT_REPORTS_NOTHING)
    waitForReading();
  work.noteWork();
  CUfunction function = kernels.get(kernel);
  CudaTrace::Span span(trace, work);
  parameterAddresses.clear();
  for (int32_t i = 0; i < row.num_parameters; ++i)
    parameterAddresses.push_back(const_cast<uint64_t *>(parameters + i));
  context.noteLaunch(row.name, site);
  context.check(context.driver.cuLaunchKernel(
                    function, blocks, 1, 1, row.threads, 1, 1, row.shared_bytes,
                    work.getStream(), parameterAddresses.data(), nullptr),
                "launching a kernel");
  unread.add({row.reports == TDRT_REPORTS_INDICES,
              row.reports == TDRT_REPORTS_VALUES});
}

bool CudaDevice::launchSequence(int32_t sequence, const uint64_t *words,
                                const tdrt_site *site) {
  return sequences->launch(sequence, words, site);
}

TraceClock &CudaDevice::startTrace(Trace &owner) {
  CudaContext::Use use(context);
  synchronize();
  return trace.emplace(context, owner);
}

bool CudaDevice::isFinished() {
  bool areFinished = true;
  visitQueues([&](CudaQueue &queue) { areFinished &= queue.isFinished(); });
  return areFinished;
}

void CudaDevice::synchronize() {
  if (isFinished() && !unread.any())
    return;
  CudaContext::Use use(context);
  waitForReading();
  if (unread.any())
    readReports(work);
  visitQueues([](CudaQueue &queue) { queue.finish(); });
  for (std::optional<StagingRing> *ring : {&staging, &uploadStaging})
    if (*ring)
      (*ring)->reuse();
  inFlight.clear();
  isDownloading = false;
  noteReports(countQueuedReports());
}

void CudaDevice::abandon() noexcept {
  std::optional<CudaContext::Use> use;
  if (!isFinished())
    use.emplace(context, std::nothrow);
  visitQueues([](CudaQueue &queue) { queue.abandon(); });
}

//===----------------------------------------------------------------------===//
// What kernels report
//===----------------------------------------------------------------------===//

void CudaDevice::makeRecord() {
  addReports();
  record = static_cast<tdrt_gpu_record *>(memory.allocateOwn(sizeof *record));
  fillWithZeros(record, sizeof *record);
}

void CudaDevice::addReports() {
  // More reads than this in flight at once are rare.
  constexpr size_t count = 8;
  auto *made = static_cast<tdrt_gpu_record *>(
      allocatePinned(count * sizeof(tdrt_gpu_record)));
  freeReports.reserve(freeReports.size() + reportsOnTheirWay.size() + 1 +
                      count);
  for (size_t i = 0; i < count; ++i)
    freeReports.push_back(new (made + i) tdrt_gpu_record());
}

int64_t CudaDevice::queueReports() {
  if (!unread.indices && !isReading)
    return countQueuedReports();
  CudaContext::Use use(context);
  waitForReading();
  if (unread.indices)
    readReports(work);
  return countQueuedReports();
}

void CudaDevice::readReports(CudaQueue &queue) {
  if (freeReports.empty())
    addReports();
  queue.noteWork();
  tdrt_gpu_record *to = freeReports.back();
  context.check(context.driver.cuMemcpyDtoHAsync_v2(
                    to, address(record), sizeof *record, queue.getStream()),
                "copying to the cpu");
  reportsOnTheirWay.push_back(to);
  freeReports.pop_back();
  unread = {};
}

void CudaDevice::waitForReading() {
  if (std::exchange(isReading, false))
    work.waitFor(*downloads, downloads->mark());
}

void CudaDevice::noteReports(int64_t reports) {
  for (; arrivedReports < reports; ++arrivedReports) {
    if (report)
      freeReports.push_back(report);
    report = reportsOnTheirWay.front();
    reportsOnTheirWay.pop_front();
  }
}

bool CudaDevice::takeReports(tdrt_gpu_record &taken) {
  if (unread.indices || !reportsOnTheirWay.empty())
    synchronize();
  return takeArrived(countQueuedReports(), taken);
}

bool CudaDevice::takeArrived(int64_t reports, tdrt_gpu_record &taken) {
  noteReports(reports);
  if (!report)
    return false;
  verifyArrived(report, sizeof *report);
  taken = *report;
  return taken.index_taken || taken.value_taken;
}

void CudaDevice::clearRecord() {
  // Later reads have the same reports; they must be done before it is cleared.
  synchronize();
  noteReports(countQueuedReports());
  *report = {};
  fillWithZeros(record, sizeof *record);
}
