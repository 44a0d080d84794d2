//===- Gpus.cpp - the GPUs of a running program ---------------------------===//

#include "device/Gpus.h"
#include <algorithm>
#include <optional>
#include <utility>

using namespace tdrt;

Gpus::Gpus(Context &context, std::vector<std::unique_ptr<Device>> opened)
    : context(context), program(*context.program->gpu), gpus(std::move(opened)),
      table(gpus.size()), counts(*context.program), awaited(gpus.size()),
      handles(*this, static_cast<int32_t>(1 + gpus.size())),
      origins(gpus.size(), Origins(gpus.size())) {
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      table[k] = {gpus[k]->allocateArena(program.arena_bytes[k]),
                  gpus[k]->getRecord()};
  if (Device *first = findFirst(); first && program.pinned_bytes > 0)
    pinned = static_cast<char *>(first->allocatePinned(program.pinned_bytes));
  for (int32_t i = 0; i < program.num_constants; ++i) {
    const tdrt_gpu_constant &constant = program.constants[i];
    char *arena = static_cast<char *>(table[constant.device - 1].arena);
    get(constant.device)
        .upload(arena + constant.offset, constant.data, constant.bytes);
  }
  for (size_t k = 0; context.trace && k < gpus.size(); ++k)
    if (gpus[k])
      context.trace->setClock(static_cast<int32_t>(1 + k),
                              gpus[k]->startTrace(*context.trace));
}

Gpus::~Gpus() {
  // A copy uses the memory of two GPUs: none may be destroyed before all have
  // finished.
  for (auto &gpu : gpus)
    if (gpu)
      gpu->abandon();
}

Memory &Gpus::getMemory(int32_t device) {
  return device == 0 ? context.memory : get(device).getMemory();
}

void Gpus::traceNext(const TraceWork &work) {
  if (!context.trace)
    return;
  context.trace->setMemory(work.device, getMemory(work.device).takeHighest());
  get(work.device).traceNext(work);
}

void Gpus::traceCopy(const tdrt_transfer_site &row, int32_t from,
                     int64_t bytes) {
  if (bytes == 0)
    return;
  auto lane = from == 0     ? TraceWork::Uploads
              : row.to == 0 ? TraceWork::Downloads
                            : TraceWork::Peers;
  traceNext({lane, row.to == 0 ? from : row.to, row.what, row.site, from,
             row.to, bytes});
}

const tdrt_site *Gpus::getSite(int32_t site) const {
  return site < 0 ? nullptr : &context.program->sites[site];
}

void Gpus::launch(int32_t device, int32_t kernel, int64_t blocks,
                  const uint64_t *parameters, int32_t site) {
  if (blocks == 0)
    return;
  if (blocks > INT32_MAX)
    fail(202, "a tensor is too large for one launch on " + deviceText(device) +
                  ": " + std::to_string(blocks) + " blocks, at most " +
                  std::to_string(INT32_MAX) + " are possible");
  TraceWork work = {TraceWork::Compute, device, program.kernels[kernel].name,
                    site};
  work.ticket = std::exchange(awaited[device - 1], 0);
  traceNext(work);
  HostSpan span(context, "launch", site);
  get(device).launch(kernel, static_cast<unsigned>(blocks), parameters,
                     getSite(site));
}

bool Gpus::launchSequence(int32_t sequence, const uint64_t *words) {
  const tdrt_sequence &row = getSequence(sequence);
  // In a trace each launch has its own time, so there is no graph.
  return !context.trace &&
         get(row.device)
             .launchSequence(sequence, words,
                             getSite(row.sites[row.num_launches - 1]));
}

void Gpus::notePath(int32_t from, int32_t to) {
  if (saidFar || get(to).reaches(get(from)))
    return;
  saidFar = true;
  context.tellNote(deviceText(std::min(from, to)) + " and " +
                   deviceText(std::max(from, to)) +
                   " cannot reach each other: copies between such GPUs go "
                   "through the host");
}

void Gpus::transfer(int32_t transfer, int32_t from, void *to,
                    const void *source, int64_t bytes) {
  const tdrt_transfer_site &row = getTransfer(transfer);
  int32_t target = row.to;
  int64_t pieces = bytes > 0 ? 1 : 0;
  traceCopy(row, from, bytes);
  if (from == 0) {
    HostSpan span(context, "copy", row.site);
    pieces = get(target).upload(to, source, bytes);
  } else if (target == 0) {
    HostSpan span(context, "wait", row.site);
    pieces = get(from).download(to, source, bytes);
    takeReports(get(from));
    takeOrigins(origins[from - 1]);
  } else {
    Origins ofSource = queueOrigins(from);
    HostSpan span(context, "copy", row.site);
    if (bytes > 0)
      notePath(from, target);
    get(target).copyFromPeer(get(from), to, source, bytes);
    addOrigins(target, ofSource);
  }
  counts.add(transfer, from, pieces, bytes);
}

//===----------------------------------------------------------------------===//
// Copies concurrent with kernels
//===----------------------------------------------------------------------===//

namespace {

constexpr int kGpuBits = 11, kPositionShift = 2 + 2 * kGpuBits;

/// A ticket as generated code sees it; 0 for none. From the lowest bit on:
/// queue, GPU, peer, position.
int64_t pack(int32_t device, Ticket ticket) {
  return ticket.position == 0
             ? 0
             : ticket.position << kPositionShift |
                   static_cast<int64_t>(ticket.peer) << (2 + kGpuBits) |
                   static_cast<int64_t>(device) << 2 |
                   static_cast<int64_t>(ticket.queue);
}

int32_t getGpu(int64_t ticket, int shift) {
  return static_cast<int32_t>(ticket >> shift & ((1 << kGpuBits) - 1));
}

int32_t getDevice(int64_t ticket) { return getGpu(ticket, 2); }

Ticket unpack(int64_t ticket) {
  return {static_cast<Ticket::Queue>(ticket & 3), ticket >> kPositionShift,
          getGpu(ticket, 2 + kGpuBits)};
}

/// The bits that all tickets of one queue share: all but the position.
int64_t getQueue(int64_t ticket) {
  return ticket & ((INT64_C(1) << kPositionShift) - 1);
}

} // namespace

int64_t Gpus::mark(int32_t device) {
  return pack(device, get(device).mark(Ticket::Work));
}

void Gpus::startTransfer(int32_t transfer, void *to, const void *source,
                         int64_t bytes, int64_t after, int64_t *ticket) {
  const tdrt_transfer_site &row = getTransfer(transfer);
  int32_t device = row.to == 0 ? row.from : row.to;
  Ticket::Queue queue = row.from == 0 ? Ticket::Uploads
                        : row.to == 0 ? Ticket::Downloads
                                      : Ticket::Peers;
  int32_t peer = queue == Ticket::Peers ? row.from : 0;
  if (bytes == 0) {
    counts.add(transfer, row.from, /*pieces=*/0, bytes);
    // A wait for this ticket may be meant for earlier copies that have none.
    if (ticket)
      *ticket = pack(device, get(device).mark(queue, peer));
    return;
  }
  int64_t pieces = 1;
  Origins ofSource;
  if (queue == Ticket::Peers)
    ofSource = queueOrigins(row.from);
  traceCopy(row, row.from, bytes);
  // Ends after setTicket(), which sets the ticket of the span added last: the
  // copy's.
  HostSpan span(context, "copy", row.site);
  if (queue == Ticket::Uploads) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(source) -
                       reinterpret_cast<uintptr_t>(pinned);
    bool isPinned =
        pinned && offset < static_cast<uintptr_t>(program.pinned_bytes);
    pieces =
        get(device).startUpload(to, source, bytes, isPinned, unpack(after));
  } else if (queue == Ticket::Downloads) {
    get(device).startDownload(to, source, bytes);
  } else {
    notePath(row.from, device);
    get(device).startCopyFromPeer(get(row.from), row.from, to, source, bytes);
  }
  counts.add(transfer, row.from, pieces, bytes);
  if (!ticket)
    return;
  Ticket made = get(device).mark(queue, peer);
  *ticket = pack(device, made);
  if (queue != Ticket::Uploads)
    awaitedOrigins[getQueue(*ticket)].emplace_back(
        made.position, queue == Ticket::Peers ? ofSource : origins[device - 1]);
  if (context.trace && queue != Ticket::Downloads)
    context.trace->setTicket(*ticket);
}

void Gpus::copyOnDevice(int32_t device, void *to, const void *source,
                        int64_t bytes, int32_t site) {
  if (bytes == 0)
    return;
  traceNext({TraceWork::Compute, device, "copy", site});
  HostSpan span(context, "copy", site);
  get(device).copy(to, source, bytes);
}

void Gpus::wait(int32_t device, int64_t ticket, int32_t site) {
  if (ticket == 0)
    return;
  int32_t owner = getDevice(ticket);
  Ticket what = unpack(ticket);
  if (device != 0) {
    get(device).wait(get(owner), what);
    // The copy went to another device: no later kernel here reads its result.
    if (device != owner || what.queue == Ticket::Downloads)
      return;
    awaited[device - 1] = ticket;
    takeAwaited(ticket, [&](const Origins &of) { addOrigins(device, of); });
    return;
  }
  HostSpan span(context, "wait", site);
  get(owner).finish(what);
  if (what.queue != Ticket::Downloads)
    return;
  tdrt_gpu_record taken;
  if (get(owner).takeArrived(0, taken))
    passOn(get(owner), taken);
  takeAwaited(ticket, [&](const Origins &of) { takeOrigins(of); });
}

//===----------------------------------------------------------------------===//
// What kernels report
//===----------------------------------------------------------------------===//

void Gpus::takeReports(Device &gpu) {
  tdrt_gpu_record taken;
  if (gpu.takeReports(taken))
    passOn(gpu, taken);
}

void Gpus::takeOrigins(const Origins &of) {
  tdrt_gpu_record taken;
  for (size_t k = 0; k < of.size(); ++k)
    if (of[k] > 0 && gpus[k]->takeArrived(of[k], taken))
      passOn(*gpus[k], taken);
}

Gpus::Origins Gpus::queueOrigins(int32_t device) {
  Origins of = origins[device - 1];
  of[device - 1] = get(device).queueReports();
  return of;
}

void Gpus::addOrigins(int32_t device, const Origins &of) {
  Origins &known = origins[device - 1];
  for (size_t k = 0; k < known.size(); ++k)
    known[k] = std::max(known[k], of[k]);
}

void Gpus::takeAwaited(int64_t ticket,
                       const std::function<void(const Origins &)> &visit) {
  auto &copies = awaitedOrigins[getQueue(ticket)];
  int64_t position = unpack(ticket).position;
  while (!copies.empty() && copies.front().first <= position) {
    visit(copies.front().second);
    copies.pop_front();
  }
}

void Gpus::passOn(Device &gpu, const tdrt_gpu_record &taken) {
  if (taken.index_taken)
    tdrt_kernel_error(&context, taken.index, taken.size, taken.index_site);
  if (taken.value_taken)
    tdrt_kernel_value(&context, taken.value, taken.value_site);
  // A warning is given once, so the GPU need not be waited for.
  if (taken.index_taken || context.program->strict_numerics)
    gpu.clearRecord();
}

void Gpus::synchronize() {
  awaitedOrigins.clear();
  for (auto &gpu : gpus)
    if (gpu) {
      gpu->synchronize();
      takeReports(*gpu);
    }
}

Device *Gpus::findFirst() const {
  for (const auto &gpu : gpus)
    if (gpu)
      return gpu.get();
  return nullptr;
}

// The first GPU's context stays current; another GPU's is made current for each
// call to it.
void Gpus::enter() {
  if (Device *first = findFirst())
    first->enter();
}

void Gpus::leave() {
  if (Device *first = findFirst())
    first->leave();
}

void Gpus::beginCall() {
  for (auto &gpu : gpus)
    if (gpu)
      gpu->getMemory().beginCall();
}

void Gpus::endCall(bool failed) {
  if (failed)
    handles.keepSlots();
  for (auto &gpu : gpus)
    if (gpu)
      gpu->getMemory().endCall(failed);
}

int64_t Gpus::countBytesInUse() const {
  int64_t bytes = 0;
  for (auto &gpu : gpus)
    bytes += gpu ? gpu->getMemory().inUse() : 0;
  return bytes;
}

void Gpus::writeArenas(JsonWriter &json) const {
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      json.member("cuda:" + std::to_string(k), program.arena_bytes[k]);
}

void Gpus::writePeaks(JsonWriter &json) const {
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      json.member("cuda:" + std::to_string(k), gpus[k]->getMemory().peak());
}
