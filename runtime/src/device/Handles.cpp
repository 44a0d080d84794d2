//===- Handles.cpp - values with replicas on several devices --------------===//

#include "device/Handles.h"
#include "device/Gpus.h"
#include <cstring>

using namespace tdrt;

Handles::~Handles() {
  while (tdrt_handle *handle = first) {
    first = handle->next;
    delete handle;
  }
}

tdrt_handle *Handles::create(int32_t home, int64_t bytes) {
  auto handle = std::make_unique<tdrt_handle>();
  handle->bytes = bytes;
  handle->home = home;
  handle->replicas.resize(devices);
  handle->link = &first;
  handle->next = first;
  if (first)
    first->link = &handle->next;
  return first = handle.release();
}

void Handles::release(tdrt_handle *handle) {
  if (!handle || --handle->holders > 0)
    return;
  for (size_t device = 0; device < handle->replicas.size(); ++device)
    dropReplica(*handle, static_cast<int32_t>(device));
  *handle->link = handle->next;
  if (handle->next)
    handle->next->link = handle->link;
  delete handle;
}

void *Handles::addReplica(tdrt_handle &handle, int32_t device) {
  // A slot may hold the value after the call of the function that makes it.
  return handle.replicas[device] =
             gpus.getMemory(device).allocateLasting(handle.bytes);
}

void Handles::dropReplica(tdrt_handle &handle, int32_t device) {
  if (void *&replica = handle.replicas[device]) {
    gpus.getMemory(device).release(replica);
    replica = nullptr;
  }
}

void *Handles::get(tdrt_handle &handle, int32_t transfer) {
  int32_t device = gpus.getTransfer(transfer).to;
  if (handle.replicas[device])
    return handle.replicas[device];
  void *replica = addReplica(handle, device);
  try {
    if (handle.home != TDRT_ANY_DEVICE)
      gpus.transfer(transfer, handle.home, replica,
                    handle.replicas[handle.home], handle.bytes);
    else if (device == 0)
      memset(replica, 0, handle.bytes);
    else
      gpus.get(device).fillWithZeros(replica, handle.bytes);
  } catch (...) {
    dropReplica(handle, device);
    throw;
  }
  return replica;
}

void Handles::move(tdrt_handle *&slot, int32_t transfer) {
  int32_t to = gpus.getTransfer(transfer).to;
  if (!slot || slot->home == TDRT_ANY_DEVICE || slot->home == to)
    return;
  tdrt_handle *moved = create(to, slot->bytes);
  try {
    gpus.transfer(transfer, slot->home, addReplica(*moved, to),
                  slot->replicas[slot->home], slot->bytes);
  } catch (...) {
    release(moved);
    throw;
  }
  write(slot, moved);
}

void Handles::write(tdrt_handle *&slot, tdrt_handle *handle) {
  if (handle)
    ++handle->slots;
  if (slot)
    --slot->slots;
  release(slot);
  slot = handle;
}

void Handles::keepSlots() {
  tdrt_handle *next;
  for (tdrt_handle *handle = first; handle; handle = next) {
    next = handle->next;
    // One more than the slots, which release() takes away.
    handle->holders = handle->slots + 1;
    release(handle);
  }
}

//===----------------------------------------------------------------------===//
// Entry points for generated code
//===----------------------------------------------------------------------===//

int32_t tdrt_handle_create(tdrt_context *ctx, int32_t device, int64_t bytes,
                           int32_t site, tdrt_handle **handle, void **data) {
  return Context::of(ctx).guarded(site, [&] {
    Handles &handles = Gpus::of(ctx).getHandles();
    *handle = handles.create(device, bytes);
    try {
      *data = handles.addReplica(**handle, device);
    } catch (...) {
      handles.release(*handle);
      *handle = nullptr;
      throw;
    }
  });
}

int32_t tdrt_handle_get(tdrt_context *ctx, tdrt_handle *handle,
                        int32_t transfer, void **data) {
  Gpus &gpus = Gpus::of(ctx);
  return Context::of(ctx).guarded(gpus.getTransfer(transfer).site, [&] {
    *data = gpus.getHandles().get(*handle, transfer);
  });
}

void tdrt_handle_retain(tdrt_handle *handle) {
  if (handle)
    ++handle->holders;
}

void tdrt_handle_release(tdrt_context *ctx, tdrt_handle *handle) {
  Gpus::of(ctx).getHandles().release(handle);
}

int32_t tdrt_handle_read(tdrt_context *ctx, tdrt_handle **slot, int64_t bytes,
                         int32_t site, tdrt_handle **handle) {
  return Context::of(ctx).guarded(site, [&] {
    Handles &handles = Gpus::of(ctx).getHandles();
    if (!*slot)
      handles.write(*slot, handles.create(TDRT_ANY_DEVICE, bytes));
    tdrt_handle_retain(*slot);
    *handle = *slot;
  });
}

int32_t tdrt_handle_move(tdrt_context *ctx, tdrt_handle **slot,
                         int32_t transfer) {
  Gpus &gpus = Gpus::of(ctx);
  return Context::of(ctx).guarded(gpus.getTransfer(transfer).site, [&] {
    gpus.getHandles().move(*slot, transfer);
  });
}

void tdrt_handle_write(tdrt_context *ctx, tdrt_handle **slot,
                       tdrt_handle *handle) {
  tdrt_handle_retain(handle);
  Gpus::of(ctx).getHandles().write(*slot, handle);
}
