//===- Interpreter.cpp - runs functions op by op --------------------------===//

#include "Interpreter/Interpreter.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Machine.h"

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Machine
//===----------------------------------------------------------------------===//

Machine::Machine(ModuleOp module) : memory(module), world(module) {
  for (auto slot : module.getOps<td::SlotOp>())
    if (isa<td::HandleType>(slot.getType()))
      memory.setSlot(slot.getSymName(), world.slotValue(slot.getSymName()));
  addElementwiseMeanings(*this);
  addAffineMeanings(*this);
  addConstructorMeanings(*this);
  addMovementMeanings(*this);
  addIndexMeanings(*this);
  addReductionMeanings(*this);
  addStateMeanings(*this);
  addTransferMeanings(*this);
  addHostMeanings(*this);
  addFileMeanings(*this);
  addControlFlowMeanings(*this);
  addScalarMeanings(*this);
}

llvm::SmallVector<Datum> Machine::get(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) { return get(value); });
}

static std::string spellPlace(const Place &place) {
  std::string text = spelling(place);
  return text.empty() ? "no place" : "'" + text + "'";
}

LogicalResult Machine::set(Value value, Datum datum) {
  if (auto *tensor = std::get_if<TensorRef>(&datum); tensor && *tensor) {
    auto type = cast<RankedTensorType>(value.getType());
    const Tensor &got = **tensor;
    bool fits = td::getDType(type.getElementType()) == got.dtype &&
                type.getRank() == int64_t(got.dims.size());
    for (size_t d = 0; fits && d < got.dims.size(); ++d)
      fits = type.isDynamicDim(d) || type.getDimSize(d) == got.dims[d];
    if (!fits) {
      auto diag = emitError(value.getLoc())
                  << "a value of type " << type << " came out as ";
      diag << spelling(got.dtype) << "[";
      llvm::interleaveComma(got.dims, diag);
      return diag << "]";
    }
    if (td::getPlace(type) != got.place)
      return emitError(value.getLoc()) << "a value of type " << type
                                       << " is at " << spellPlace(got.place);
  }
  memory.setValue(value, datum);
  values[value] = std::move(datum);
  return success();
}

void Machine::setSlot(llvm::StringRef name, Datum datum) {
  memory.setSlot(name, datum);
  world.slotValue(name) = std::move(datum);
}

LogicalResult Machine::set(ValueRange range, llvm::ArrayRef<Datum> data) {
  for (auto [value, datum] : llvm::zip_equal(range, data))
    if (failed(set(value, datum)))
      return failure();
  return success();
}

Tensor Machine::makeResult(Value value, llvm::ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  return Tensor(td::getDType(type.getElementType()), dims, td::getPlace(type));
}

Extents Machine::getDims(Value value, ValueRange sizes) {
  Extents dims(cast<RankedTensorType>(value.getType()).getShape());
  for (int64_t &dim : dims) {
    if (!ShapedType::isDynamic(dim))
      continue;
    dim = integer(sizes.front());
    sizes = sizes.drop_front();
  }
  return dims;
}

LogicalResult Machine::check(int32_t code) {
  // Keep the status on success: a later failure may have another cause.
  if (code)
    status = code;
  return success(code == 0);
}

/// The place where an op reads its operands; nullopt if it does not read their
/// elements.
static std::optional<Place> getReadingPlace(Operation *op) {
  if (isa<td::ComputeOp>(op))
    return td::getPlace(cast<RankedTensorType>(op->getResult(0).getType()));
  if (!op->hasTrait<td::HostReaderOp>())
    return std::nullopt;
  return getCpu();
}

/// Checks that an op reads only values at its own place. The types promise
/// this; the check looks at the values. Before td-resolve a place may be
/// undecided.
LogicalResult Machine::checkPlaces(Operation *op) {
  std::optional<Place> place = getReadingPlace(op);
  if (!place)
    return success();
  bool isHost = !isa<td::ComputeOp>(op);
  for (Value operand : op->getOperands()) {
    auto *value = std::get_if<TensorRef>(&get(operand));
    if (!value)
      continue;
    if (!*value)
      return op->emitOpError("reads a poison");
    const Tensor &tensor = **value;
    bool isDecided = tensor.place.kind == Place::Kind::Cpu ||
                     tensor.place.kind == Place::Kind::Cuda;
    if (isHost && !isDecided)
      continue;
    if (tensor.place != *place)
      return op->emitOpError("runs at ")
             << spellPlace(*place) << " but reads a value at "
             << spellPlace(tensor.place);
    ledger.addDemand(tensor, *place);
  }
  return success();
}

TensorRef Machine::copy(const TensorRef &tensor, const Place &device,
                        Operation *op) {
  if (tensor->place == device)
    return tensor;
  FileLineColLoc location = td::getUserLocation(op->getLoc());
  ledger.addCopy(*tensor, device, location ? location.getLine() : 0);
  return std::make_shared<const Tensor>(tensor->copyTo(device));
}

HandleRef Machine::getHandle(const TensorRef &tensor) {
  std::weak_ptr<Replicas> &known = handles[tensor->instance];
  HandleRef handle = known.lock();
  if (!handle)
    known = handle = std::make_shared<Replicas>();
  auto isHere = [&](const TensorRef &one) {
    return one->place == tensor->place;
  };
  if (llvm::none_of(*handle, isHere))
    addReplica(handle, tensor);
  return handle;
}

void Machine::addReplica(const HandleRef &handle, const TensorRef &replica) {
  memory.addReplica(handle, replica);
  handle->push_back(replica);
}

TensorRef Machine::getZeros(llvm::StringRef slot, const Tensor &zeros,
                            const Place &place) {
  TensorRef &here = slotZeros[slot];
  if (!here || here->place != place)
    here = std::make_shared<const Tensor>(zeros.copyTo(place));
  memory.setSlot(slot, here);
  return here;
}

LogicalResult Machine::runOp(Operation *op) {
  auto meaning = meanings.find(op->getName().getTypeID());
  if (meaning == meanings.end())
    return op->emitOpError("has no meaning to the interpreter");
  if (failed(checkPlaces(op)))
    return failure();
  if (td::CarryingLoop(op))
    memory.enterLoop(op);
  if (failed(meaning->second(*this, op)))
    return failure();
  memory.leave(op);
  return success();
}

LogicalResult Machine::runBlock(Block &block, llvm::ArrayRef<Datum> arguments,
                                llvm::SmallVectorImpl<Datum> &results) {
  if (failed(set(block.getArguments(), arguments)))
    return failure();
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  results = get(block.getTerminator()->getOperands());
  memory.leave(block.getTerminator());
  return success();
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(ModuleOp module)
    : module(module), machine(std::make_unique<Machine>(module)) {}

Interpreter::~Interpreter() = default;

int32_t Interpreter::open(llvm::ArrayRef<const char *> words) {
  return machine->world.open(words);
}

void Interpreter::writeTransfers(llvm::raw_ostream &os) const {
  machine->ledger.write(module, machine->memory.getPeaks(), os);
}

tdrt_context *Interpreter::getContext() const { return machine->context(); }

int32_t Interpreter::call(func::FuncOp function,
                          llvm::ArrayRef<Datum> arguments,
                          llvm::SmallVectorImpl<Datum> &results) {
  machine->status = kInvalidProgram;
  bool ran = succeeded(machine->runBlock(function.front(), arguments, results));
  int32_t status = ran ? 0 : machine->status;
  // Flush, so that the output appears before an error message.
  int32_t flushed = tdrt_out_end(machine->context(), /*flush=*/1, /*site=*/-1);
  return status ? status : flushed;
}

} // namespace tdc
