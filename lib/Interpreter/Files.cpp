//===- Files.cpp - the meaning of files, arguments, environment, GPUs -----===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static Datum readScalar(int32_t type, const tdrt_value &value) {
  switch (type) {
  case TDRT_STR:
    return std::string(value.s);
  case TDRT_FLOAT:
    return value.f;
  case TDRT_BOOLEAN:
    return int64_t(value.i != 0);
  default:
    return value.i;
  }
}

static LogicalResult runArg(Machine &m, ArgOp op) {
  const tdrt_value *value = m.world.getArgument(op.getArgName());
  if (!value)
    return op.emitOpError("names no argument of the program");
  return m.set(op.getResult(),
               readScalar(World::getHostType(op.getType()), *value));
}

static LogicalResult runEnv(Machine &m, EnvOp op) {
  return m.set(op.getResult(),
               std::string(tdrt_env(m.text(op.getVariable()).c_str(),
                                    m.text(op.getDefaultValue()).c_str())));
}

static LogicalResult runExists(Machine &m, ExistsOp op) {
  return m.set(op.getResult(),
               int64_t(tdrt_exists(m.text(op.getPath()).c_str()) != 0));
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//
// These ops query the driver, as compiled code does; nothing runs on a GPU.

static LogicalResult runCudaDeviceName(Machine &m, CudaDeviceNameOp op) {
  const char *name = nullptr;
  if (failed(m.check(tdrt_cuda_device_name(
          m.context(), m.integer(op.getIndex()), m.site(op), &name))))
    return failure();
  return m.set(op.getResult(), std::string(name));
}

static LogicalResult runCudaTotalMemory(Machine &m, CudaTotalMemoryOp op) {
  int64_t bytes = 0;
  if (failed(m.check(tdrt_cuda_total_memory(
          m.context(), m.integer(op.getIndex()), m.site(op), &bytes))))
    return failure();
  return m.set(op.getResult(), bytes);
}

static LogicalResult runCudaSynchronize(Machine &m, CudaSynchronizeOp op) {
  return m.check(tdrt_cuda_synchronize(m.context(), m.site(op)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static LogicalResult runLoad(Machine &m, LoadOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Extents dims(type.getShape());
  for (int64_t &dim : dims)
    if (ShapedType::isDynamic(dim))
      dim = -1;
  std::string key = op.getKey().value_or("").str();
  DType dtype = getDType(type.getElementType());
  void *data = nullptr;
  if (failed(
          m.check(tdrt_load(m.context(), m.text(op.getPath()).c_str(),
                            op.getKey() ? key.c_str() : nullptr, int32_t(dtype),
                            dims.size(), dims.data(), &data, m.site(op)))))
    return failure();
  Tensor result = Tensor::fromBytes(dtype, dims, getPlace(type), data);
  tdrt_free(m.context(), /*device=*/0, data);
  return m.set(op.getResult(), std::move(result));
}

static LogicalResult runSaveTensor(Machine &m, SaveTensorOp op) {
  const Tensor &value = m.tensor(op.getValue());
  std::vector<char> bytes = value.toBytes();
  tdrt_tensor view = {bytes.data(), int32_t(value.dtype),
                      int32_t(value.dims.size()), value.dims.data()};
  return m.check(tdrt_save_tensor(m.context(), m.text(op.getPath()).c_str(),
                                  &view, m.site(op)));
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

namespace {
/// A tdrt_checkpoint and the storage that it points to.
struct Checkpoint {
  Checkpoint(Machine &m, ArrayAttr slotNames, ArrayAttr keyTexts,
             DictionaryAttr aliasTexts) {
    for (auto slot : slotNames.getAsRange<FlatSymbolRefAttr>())
      slots.push_back(m.world.getSlot(slot.getValue()));
    for (auto key : keyTexts.getAsRange<StringAttr>())
      keys.push_back(keep(key));
    if (aliasTexts)
      for (NamedAttribute alias : aliasTexts)
        aliases.push_back({keep(alias.getName()), /*name=*/nullptr,
                           int32_t(llvm::find(keyTexts, alias.getValue()) -
                                   keyTexts.begin())});
  }

  const char *keep(StringAttr text) {
    return texts.emplace_back(text.str()).c_str();
  }

  tdrt_checkpoint get(bool full, bool lenient, bool casts) const {
    return {int32_t(slots.size()),
            int32_t(names.size()),
            slots.data(),
            keys.data(),
            names.data(),
            types.data(),
            full,
            lenient,
            casts,
            int32_t(aliases.size()),
            aliases.data()};
  }

  std::deque<std::string> texts;
  std::vector<int32_t> slots, types;
  std::vector<const char *> keys, names;
  std::vector<tdrt_alias> aliases;
};
} // namespace

static LogicalResult runSave(Machine &m, SaveOp op) {
  bool isAsWritten = op->getParentOfType<ModuleOp>()->hasAttr(kAsWrittenAttr);
  for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>()) {
    TensorRef value = std::get<TensorRef>(m.world.slotValue(slot.getValue()));
    if (value->place != Place() && value->place != getCpu()) {
      // A program that is compiled as written reads back the tensors that it
      // saves, as PyTorch does.
      if (!isAsWritten)
        return op.emitOpError("saves ") << slot << ", whose value is at '"
                                        << spelling(value->place) << "'";
      value = m.copy(value, getCpu(), op);
    }
    m.ledger.addDemand(*value, getCpu());
    m.world.storeSlot(slot.getValue());
  }
  Checkpoint what(m, op.getSlots(), op.getKeys(), op.getAliasesAttr());
  std::vector<tdrt_value> values;
  for (auto [name, value] : llvm::zip(op.getNames(), op.getValues())) {
    what.names.push_back(what.keep(cast<StringAttr>(name)));
    what.types.push_back(World::getHostType(value.getType()));
    tdrt_value &scalar = values.emplace_back();
    if (value.getType().isF64())
      scalar.f = m.number(value);
    else
      scalar.i = m.integer(value);
  }
  tdrt_checkpoint table = what.get(op.getFull(), /*lenient=*/false,
                                   /*casts=*/false);
  return m.check(tdrt_checkpoint_save(m.context(), m.text(op.getPath()).c_str(),
                                      &table, values.data(), m.site(op)));
}

static LogicalResult runRestore(Machine &m, RestoreOp op) {
  Checkpoint what(m, op.getSlots(), op.getKeys(), op.getAliasesAttr());
  tdrt_checkpoint table = what.get(op.getFull(), op.getLenient(), op.getCast());
  // A lenient restore leaves some slots unchanged.
  for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>())
    m.world.storeSlot(slot.getValue());
  if (failed(m.check(tdrt_checkpoint_restore(
          m.context(), m.text(op.getPath()).c_str(), &table, m.site(op)))))
    return failure();
  for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>()) {
    const Tensor &old =
        *std::get<TensorRef>(m.world.slotValue(slot.getValue()));
    Place stays = old.home ? old.place : m.world.getSlotPlace(slot.getValue());
    Place read = stays == Place() ? Place() : getCpu();
    m.setSlot(slot.getValue(),
              m.copy(m.world.fetchSlot(slot.getValue(), read), stays, op));
  }
  return success();
}

static LogicalResult runRestoreScalar(Machine &m, RestoreScalarOp op) {
  int32_t type = World::getHostType(op.getType());
  tdrt_value value;
  if (failed(m.check(tdrt_restore_value(
          m.context(), m.text(op.getPath()).c_str(), op.getKey().str().c_str(),
          type, &value, m.site(op)))))
    return failure();
  return m.set(op.getResult(), readScalar(type, value));
}

void addFileMeanings(Machine &machine) {
  machine.on<ArgOp>(runArg);
  machine.on<EnvOp>(runEnv);
  machine.on<ExistsOp>(runExists);
  machine.on<CudaDeviceNameOp>(runCudaDeviceName);
  machine.on<CudaTotalMemoryOp>(runCudaTotalMemory);
  machine.on<CudaSynchronizeOp>(runCudaSynchronize);
  machine.on<LoadOp>(runLoad);
  machine.on<SaveTensorOp>(runSaveTensor);
  machine.on<SaveOp>(runSave);
  machine.on<RestoreOp>(runRestore);
  machine.on<RestoreScalarOp>(runRestoreScalar);
}

} // namespace tdc
