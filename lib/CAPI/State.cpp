//===- State.cpp - the state of a module, by name and in files ------------===//

#include "Handles.h"
#include "Tensors.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace tdc;

/// Whether all of the state is in cpu memory, where the caller can access it.
static bool isOnCpu(const tdc_module &module) {
  const tdrt_program &program = module.interface->code->get();
  return !program.gpu ||
         (program.gpu->num_handle_slots == 0 &&
          llvm::all_of(module.interface->stateSlots, [&](int32_t index) {
            return program.slots[index].device == 0;
          }));
}

static tdc_status failOnGPU(tdc_error **error) {
  return fail(error, TDC_RUN_ERROR,
              "access to state on a GPU is not built yet (TD900); an `export "
              "fn` of the program can return or save it");
}

/// Sets `index` to that of a tensor of the state. Sets `*error` if it does not
/// return TDC_OK.
static tdc_status find(const tdc_module &module, const char *name,
                       size_t &index, tdc_error **error) {
  if (!isOnCpu(module))
    return failOnGPU(error);
  const std::vector<tdc_tensor_type> &state = module.interface->state;
  for (index = 0; index < state.size(); ++index)
    if (strcmp(state[index].name, name) == 0)
      return TDC_OK;
  return fail(error, TDC_USAGE_ERROR,
              std::string("the state has no `") + name + "`");
}

static std::string describe(const tdc_tensor_type &type) {
  return std::string("`") + type.name + "` of the state";
}

/// Why a caller's tensor does not fit a tensor of the state; "" if it does.
static std::string findFault(const tdc_tensor_type &type,
                             const tdc_tensor &tensor) {
  if (std::string fault = tdc::findFault(tensor); !fault.empty())
    return "the tensor for " + describe(type) + " " + fault;
  std::string mismatch =
      findMismatch(type.dtype, type.rank, type.shape, tensor);
  return mismatch.empty() ? "" : describe(type) + " " + mismatch;
}

tdc_status tdc_state_read(tdc_module *module, const char *name,
                          tdc_tensor *tensor, tdc_error **error) {
  size_t index;
  if (tdc_status status = find(*module, name, index, error))
    return status;
  const tdc_tensor_type &type = module->interface->state[index];
  if (tensor->data) {
    std::string fault = findFault(type, *tensor);
    if (fault.empty() && tensor->strides)
      fault = describe(type) + " is written row by row: the tensor for it "
                               "cannot have strides";
    if (!fault.empty())
      return fail(error, TDC_USAGE_ERROR, fault);
  } else if (!allocate(*tensor, type.dtype, type.rank, type.shape)) {
    return fail(error, TDC_RUN_ERROR, "out of memory for " + describe(type));
  }
  std::shared_lock guard(module->stateLock);
  tdrt_slot_read(module->context, module->interface->stateSlots[index],
                 tensor->data);
  return TDC_OK;
}

tdc_status tdc_state_write(tdc_module *module, const char *name,
                           const tdc_tensor *tensor, tdc_error **error) {
  size_t index;
  if (tdc_status status = find(*module, name, index, error))
    return status;
  const tdc_tensor_type &type = module->interface->state[index];
  if (std::string fault = findFault(type, *tensor); !fault.empty())
    return fail(error, TDC_USAGE_ERROR, fault);
  Input input;
  if (!input.take(*tensor))
    return fail(error, TDC_RUN_ERROR, "out of memory for " + describe(type));
  std::unique_lock guard(module->stateLock);
  tdrt_slot_write(module->context, module->interface->stateSlots[index],
                  input.get().data);
  return TDC_OK;
}

namespace {

/// The table of slots and keys for a checkpoint of a module.
class Checkpoint {
public:
  explicit Checkpoint(const tdc_module &module) {
    const tdrt_program &program = module.interface->code->get();
    // A single model's slots are saved under its own keys, as in
    // `save(model=m)`.
    bool isOneModel = countModels(program) <= 1;
    llvm::DenseMap<int32_t, int32_t> positions; // by the program's slot index
    for (int32_t index = 0; index < program.num_slots; ++index) {
      const tdrt_slot &slot = program.slots[index];
      if (!isState(slot))
        continue;
      positions[index] = int32_t(slots.size());
      slots.push_back(index);
      keys.push_back(isOneModel ? slot.key : slot.name);
    }
    for (const tdrt_alias &alias : getAliases(program))
      aliases.push_back({isOneModel ? alias.key : alias.name, nullptr,
                         positions.lookup(alias.slot)});
    table.num_slots = int32_t(slots.size());
    table.slots = slots.data();
    table.keys = keys.data();
    table.full = 1;
    table.num_aliases = int32_t(aliases.size());
    table.aliases = aliases.data();
  }
  const tdrt_checkpoint *get() const { return &table; }

private:
  static llvm::ArrayRef<tdrt_alias> getAliases(const tdrt_program &program) {
    return llvm::ArrayRef(program.aliases, program.num_aliases);
  }

  static size_t countModels(const tdrt_program &program) {
    llvm::StringSet<> models;
    auto add = [&](llvm::StringRef name, llvm::StringRef key) {
      models.insert(name.drop_back(key.size()));
    };
    for (const tdrt_slot &slot :
         llvm::ArrayRef(program.slots, program.num_slots))
      if (slot.kind == TDRT_SLOT_PARAM || slot.kind == TDRT_SLOT_BUFFER)
        add(slot.name, slot.key);
    for (const tdrt_alias &alias : getAliases(program))
      add(alias.name, alias.key);
    return models.size();
  }

  std::vector<int32_t> slots;
  std::vector<const char *> keys;
  std::vector<tdrt_alias> aliases;
  tdrt_checkpoint table = {};
};

} // namespace

tdc_status tdc_save(tdc_module *module, const char *path, tdc_error **error) {
  if (!isOnCpu(*module))
    return failOnGPU(error);
  Checkpoint checkpoint(*module);
  std::unique_lock guard(module->stateLock);
  tdrt_forget_last_call(module->context);
  int32_t status = tdrt_checkpoint_save(module->context, path, checkpoint.get(),
                                        nullptr, -1);
  return status ? fail(error, module->context, status) : TDC_OK;
}

tdc_status tdc_restore(tdc_module *module, const char *path,
                       tdc_error **error) {
  if (!isOnCpu(*module))
    return failOnGPU(error);
  Checkpoint checkpoint(*module);
  std::unique_lock guard(module->stateLock);
  tdrt_forget_last_call(module->context);
  int32_t status =
      tdrt_checkpoint_restore(module->context, path, checkpoint.get(), -1);
  return status ? fail(error, module->context, status) : TDC_OK;
}
