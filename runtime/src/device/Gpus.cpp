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
      origins(gpus.size(), Origins(gpus.size())), awaitedOrigins(gpus.size()) {
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      table[k] = {gpus[k]->allocateArena(program.arena_bytes[k]),
                  gpus[k]->getErrors()};
  for (auto &gpu : gpus)
    if (gpu && program.pinned_bytes > 0 && !pinned)
      pinned = static_cast<char *>(gpu->allocatePinned(program.pinned_bytes));
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
  // A copy uses the memory of two GPUs: none may go before all have finished.
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
  // What is traced has times of its own.
  return !context.trace &&
         get(row.device)
             .launchSequence(sequence, words,
                             getSite(row.sites[row.num_launches - 1]));
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
    takeKernelError(get(from));
    takeOriginErrors(origins[from - 1]);
  } else {
    int64_t reports = get(from).queueReports();
    HostSpan span(context, "copy", row.site);
    get(target).copyFromPeer(get(from), to, source, bytes);
    Origins &mine = origins[target - 1];
    for (size_t k = 0; k < mine.size(); ++k)
      mine[k] = std::max(mine[k], origins[from - 1][k]);
    mine[from - 1] = reports;
  }
  counts.add(transfer, from, pieces, bytes);
}

//===----------------------------------------------------------------------===//
// Copies beside kernels
//===----------------------------------------------------------------------===//

namespace {

/// A ticket as generated code has it: 0 is none.
int64_t pack(int32_t device, Ticket ticket) {
  return ticket.place == 0
             ? 0
             : ticket.place << 16 | static_cast<int64_t>(device) << 2 |
                   static_cast<int64_t>(ticket.queue);
}

int32_t getDevice(int64_t ticket) {
  return static_cast<int32_t>(ticket >> 2 & 0x3FFF);
}

Ticket unpack(int64_t ticket) {
  return {static_cast<Ticket::Queue>(ticket & 3), ticket >> 16};
}

} // namespace

int64_t Gpus::mark(int32_t device) {
  return pack(device, get(device).mark(Ticket::Work));
}

void Gpus::startTransfer(int32_t transfer, void *to, const void *source,
                         int64_t bytes, int64_t after, int64_t *ticket) {
  const tdrt_transfer_site &row = getTransfer(transfer);
  int32_t device = row.from == 0 ? row.to : row.from;
  int64_t pieces = bytes > 0 ? 1 : 0;
  traceCopy(row, row.from, bytes);
  // Ends behind the mark, so that the ticket finds the copy.
  std::optional<HostSpan> span;
  if (bytes > 0)
    span.emplace(context, "copy", row.site);
  if (bytes > 0 && row.from == 0) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(source) -
                       reinterpret_cast<uintptr_t>(pinned);
    bool isPinned =
        pinned && offset < static_cast<uintptr_t>(program.pinned_bytes);
    pieces =
        get(device).startUpload(to, source, bytes, isPinned, unpack(after));
  } else if (bytes > 0) {
    get(device).startDownload(to, source, bytes);
  }
  counts.add(transfer, row.from, pieces, bytes);
  if (!ticket)
    return;
  Ticket made =
      get(device).mark(row.from == 0 ? Ticket::Uploads : Ticket::Downloads);
  *ticket = pack(device, made);
  if (made.queue == Ticket::Downloads)
    awaitedOrigins[device - 1].emplace_back(made.place, origins[device - 1]);
  if (context.trace && bytes > 0 && row.from == 0)
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
  Device &gpu = get(getDevice(ticket));
  if (device != 0) {
    gpu.wait(unpack(ticket));
    // Behind a download kernels read nothing of it.
    if (unpack(ticket).queue == Ticket::Uploads)
      awaited[device - 1] = ticket;
    return;
  }
  HostSpan span(context, "wait", site);
  gpu.finish(unpack(ticket));
  if (unpack(ticket).queue != Ticket::Downloads)
    return;
  tdrt_gpu_error error;
  if (gpu.takeArrivedError(0, error))
    reportError(error);
  auto &downloads = awaitedOrigins[getDevice(ticket) - 1];
  while (!downloads.empty() &&
         downloads.front().first <= unpack(ticket).place) {
    takeOriginErrors(downloads.front().second);
    downloads.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// What kernels report
//===----------------------------------------------------------------------===//

void Gpus::takeKernelError(Device &gpu) {
  tdrt_gpu_error error;
  if (gpu.takeKernelError(error))
    reportError(error);
}

void Gpus::takeOriginErrors(const Origins &of) {
  tdrt_gpu_error error;
  for (size_t k = 0; k < of.size(); ++k)
    if (of[k] > 0 && gpus[k]->takeArrivedError(of[k], error))
      reportError(error);
}

void Gpus::reportError(const tdrt_gpu_error &error) {
  tdrt_kernel_error(&context, error.index, error.size, error.site);
}

void Gpus::synchronize() {
  for (auto &downloads : awaitedOrigins)
    downloads.clear();
  for (auto &gpu : gpus)
    if (gpu) {
      gpu->synchronize();
      takeKernelError(*gpu);
    }
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

std::string Gpus::getArenasJson() const {
  std::string text;
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      text += ",\"cuda:" + std::to_string(k) +
              "\":" + std::to_string(program.arena_bytes[k]);
  return text;
}

std::string Gpus::getPeaksJson() const {
  std::string text;
  for (size_t k = 0; k < gpus.size(); ++k)
    if (gpus[k])
      text += ",\"cuda:" + std::to_string(k) +
              "\":" + std::to_string(gpus[k]->getMemory().peak());
  return text;
}
