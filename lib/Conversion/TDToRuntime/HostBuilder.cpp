//===- HostBuilder.cpp - emits the code of one host function --------------===//

#include "HostBuilder.h"
#include "tdc_runtime.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cstddef>

using namespace mlir;

namespace tdc {

// One stack allocation serves all calls: a value (8 bytes), a tensor
// descriptor, and the sizes of a tensor.
static_assert(sizeof(tdrt_value) == 8 && sizeof(tdrt_tensor) == 24,
              "the scratch regions follow the runtime's structs");
static constexpr int64_t kScratchBytes =
    8 + sizeof(tdrt_tensor) + TDRT_MAX_RANK * sizeof(int64_t);

HostBuilder::HostBuilder(ModuleOp module, Globals &globals,
                         llvm::StringRef name, unsigned numPointers,
                         int64_t stateBytes, Location location)
    : builder(module.getContext()), globals(globals), location(location),
      stateBytes(stateBytes) {
  i8 = builder.getI8Type();
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  pointer = LLVM::LLVMPointerType::get(builder.getContext());
  llvm::SmallVector<Type> parameters(1 + numPointers, pointer);
  builder.setInsertionPointToEnd(module.getBody());
  function = LLVM::LLVMFuncOp::create(
      builder, location, name, LLVM::LLVMFunctionType::get(i32, parameters),
      LLVM::Linkage::Internal);
  function.setNoUnwind(true);
  Block *entry = function.addEntryBlock(builder);
  exit = new Block;
  function.getBody().push_back(exit);
  Value status = exit->addArgument(i32, location);
  setBlock(exit);
  LLVM::ReturnOp::create(builder, location, status);
  setBlock(entry);
  context = function.getArgument(0);
  arenas = {load(pointer, address(context, offsetof(tdrt_context, arena)))};
  state = load(pointer, address(context, offsetof(tdrt_context, state)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value HostBuilder::int32(int64_t value) {
  return LLVM::ConstantOp::create(builder, location, i32, value);
}

Value HostBuilder::int64(int64_t value) {
  return LLVM::ConstantOp::create(builder, location, i64, value);
}

Value HostBuilder::null() {
  return LLVM::ZeroOp::create(builder, location, pointer);
}

Value HostBuilder::addressOf(FlatSymbolRefAttr symbol) {
  if (!symbol)
    return null();
  return LLVM::AddressOfOp::create(builder, location, pointer,
                                   symbol.getValue());
}

Value HostBuilder::address(Value base, int64_t offset) {
  if (offset == 0)
    return base;
  // A constant index has 29 bits.
  LLVM::GEPArg index = llvm::isInt<29>(offset) ? LLVM::GEPArg(int32_t(offset))
                                               : LLVM::GEPArg(int64(offset));
  return LLVM::GEPOp::create(builder, location, pointer, i8, base, index,
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value HostBuilder::loadAtStart(Value base, int64_t offset) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(arenas.front().getDefiningOp());
  return load(pointer, address(base, offset));
}

Value HostBuilder::loadDeviceField(int32_t device, int64_t offset) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(arenas.front().getDefiningOp());
  Value devices =
      load(pointer, address(context, offsetof(tdrt_context, devices)));
  return load(
      pointer,
      address(devices,
              (device - 1) * int64_t(sizeof(tdrt_device_memory)) + offset));
}

Value HostBuilder::getArena(int32_t device) {
  if (device == kPinned) {
    if (!pinned)
      pinned = loadAtStart(context, offsetof(tdrt_context, pinned));
    return pinned;
  }
  if (int32_t(arenas.size()) <= device)
    arenas.resize(device + 1);
  if (!arenas[device])
    arenas[device] =
        loadDeviceField(device, offsetof(tdrt_device_memory, arena));
  return arenas[device];
}

Value HostBuilder::arenaAddress(int32_t device, int64_t offset) {
  Value &known = arenaAddresses[{device, offset}];
  if (!known || known.getParentBlock() != builder.getInsertionBlock())
    known = address(
        device == 0 && offset < stateBytes ? state : getArena(device), offset);
  return known;
}

Value HostBuilder::load(Type type, Value from) {
  return LLVM::LoadOp::create(builder, location, type, from);
}

void HostBuilder::store(Value value, Value to) {
  LLVM::StoreOp::create(builder, location, value, to);
}

void HostBuilder::copy(Value to, Value from, Value bytes) {
  LLVM::MemcpyOp::create(builder, location, to, from, bytes,
                         /*isVolatile=*/false);
}

Value HostBuilder::compare(LLVM::ICmpPredicate predicate, Value lhs,
                           Value rhs) {
  return LLVM::ICmpOp::create(builder, location, predicate, lhs, rhs);
}

Value HostBuilder::allocateStack(int64_t bytes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(builder, location, pointer, i8, int64(bytes),
                                /*alignment=*/16);
}

Value HostBuilder::getScratch() {
  if (!scratch)
    scratch = allocateStack(kScratchBytes);
  return scratch;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Block *HostBuilder::createBlock() {
  auto *block = new Block;
  function.getBody().getBlocks().insert(Region::iterator(exit), block);
  return block;
}

void HostBuilder::branch(Block *to, ValueRange arguments) {
  emitLaunches();
  LLVM::BrOp::create(builder, location, arguments, to);
}

void HostBuilder::branchIf(Value condition, Block *onTrue, Block *onFalse) {
  emitLaunches();
  LLVM::CondBrOp::create(builder, location, condition, onTrue, onFalse);
}

/// The odds make LLVM lay out the likely side as the fall-through.
static constexpr std::pair<uint32_t, uint32_t> kLikely = {2000, 1};

Block *HostBuilder::expect(Value condition) {
  emitLaunches();
  Block *next = createBlock(), *rare = createBlock();
  LLVM::CondBrOp::create(builder, location, condition, next, ValueRange(), rare,
                         ValueRange(), kLikely);
  setBlock(next);
  return rare;
}

void HostBuilder::check(Value status) {
  Block *next = createBlock();
  LLVM::CondBrOp::create(builder, location,
                         compare(LLVM::ICmpPredicate::eq, status, int32(0)),
                         next, ValueRange(), exit, ValueRange(status), kLikely);
  setBlock(next);
}

void HostBuilder::poll() {
  Value attention = LLVM::LoadOp::create(
      builder, location, i8,
      address(context, offsetof(tdrt_context, attention)), /*alignment=*/1,
      /*isVolatile=*/true);
  Value zero = LLVM::ConstantOp::create(builder, location, i8, 0);
  Block *wanted = expect(compare(LLVM::ICmpPredicate::eq, attention, zero));
  Block *next = builder.getInsertionBlock();
  setBlock(wanted);
  callChecked(runtime::tdrt_poll, {context});
  branch(next);
  setBlock(next);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LLVM::CallOp HostBuilder::callRuntime(llvm::StringRef name,
                                      LLVM::LLVMFunctionType type,
                                      ValueRange arguments) {
  emitLaunches();
  globals.declare(name, type);
  return LLVM::CallOp::create(builder, location, type, name, arguments);
}

LLVM::CallOp HostBuilder::call(LLVM::LLVMFuncOp callee, ValueRange arguments) {
  emitLaunches();
  return LLVM::CallOp::create(builder, location, callee, arguments);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Value HostBuilder::storeWords(llvm::ArrayRef<Value> words) {
  if (words.size() > wordCount) {
    wordCount = llvm::PowerOf2Ceil(words.size());
    wordRoom = allocateStack(wordCount * 8);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    Value word = words[i];
    if (word.getType().isInteger(1))
      word = LLVM::ZExtOp::create(builder, location, i64, word);
    store(word, address(wordRoom, i * 8));
  }
  return wordRoom;
}

/// Emits the collected launches. Consecutive launches on one GPU become one
/// sequence, unless they vary: the runtime launches a sequence as a whole if it
/// repeats unchanged.
void HostBuilder::emitLaunches() {
  if (launches.empty())
    return;
  llvm::SmallVector<Launch, 0> all = std::exchange(launches, {});
  llvm::SaveAndRestore<Location> restore(location);
  for (llvm::ArrayRef<Launch> rest = all; !rest.empty();) {
    llvm::ArrayRef<Launch> sequence =
        rest.front().varies
            ? rest.take_front()
            : rest.take_while([&](const Launch &launch) {
                return !launch.varies && launch.device == rest.front().device;
              });
    emitLaunches(sequence);
    rest = rest.drop_front(sequence.size());
  }
}

void HostBuilder::emitLaunches(llvm::ArrayRef<Launch> sequence) {
  llvm::SmallVector<Value> words;
  llvm::SmallVector<int32_t> kernels, sites;
  for (const Launch &launch : sequence) {
    llvm::append_range(words, launch.words);
    kernels.push_back(launch.kernel);
    sites.push_back(globals.getSite(launch.location));
  }
  location = sequence.front().location;
  Value stored = storeWords(words);
  int32_t device = sequence.front().device;
  if (sequence.size() == 1)
    callChecked(runtime::tdrt_launch,
                {context, int32(device), int32(kernels.front()), words.front(),
                 address(stored, 8), site()});
  else
    callChecked(
        runtime::tdrt_launch_sequence,
        {context,
         int32(globals.addSequence(device, words.size(), kernels, sites)),
         stored});
}

} // namespace tdc
