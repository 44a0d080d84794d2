//===- Execute.cpp - running a kernel on a simulated device ---------------===//
//
// Blocks run one after the other, in random order. So this finds nothing about
// blocks that wait for each other; a grid that is larger than the device must
// not do that anyway. The warps of a block alternate at random.
//
//===----------------------------------------------------------------------===//

#include "execute/Execute.h"
#include "execute/Warp.h"
#include "ptx/Decoder.h"
#include <algorithm>
#include <cfenv>
#include <numeric>

namespace tdc::sim {

namespace {

/// Contents of shared memory, local memory and registers before they are
/// written.
constexpr std::byte kPoison{0xa5};

/// Sets rounding to nearest and no flushing of denormals, whatever modes the
/// launching program has set.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint() {
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { fesetenv(&callers); }
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
  fenv_t callers;
};

/// All numbers below `count` once, in a random order: steps of a size without a
/// common divisor with the count.
class RandomOrder {
public:
  RandomOrder(uint64_t count, std::mt19937_64 &random)
      : count(count), at(random() % count), step(random() % count | 1) {
    while (std::gcd(step, count) != 1)
      ++step;
  }
  uint64_t next() {
    at = uint64_t((static_cast<unsigned __int128>(at) + step) % count);
    return at;
  }

private:
  uint64_t count, at, step;
};

/// Memory that the blocks of a launch reuse one after the other.
struct Arena {
  /// Register files begin at cache lines.
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::vector<std::byte> shared, local;
  std::vector<uint8_t> sharedWritten, localWritten;
  std::vector<Line> registers;
  Shadow sharedShadow;

  Arena(const Launch &launch, const Kernel &kernel, unsigned numWarps)
      : shared(kernel.info.sharedBytes + launch.dynamicSharedBytes),
        local(uint64_t(kernel.info.localBytes) * numWarps * kLanes),
        sharedWritten(shared.size()), localWritten(local.size()),
        registers(uint64_t(kernel.registerBytes) / sizeof(Line) * numWarps),
        sharedShadow(shared.size(), Shadow::Scope::Block) {
    for (Line &line : registers)
      std::fill(std::begin(line.bytes), std::end(line.bytes), kPoison);
  }
  std::byte *registersOf(const Kernel &kernel, unsigned warp) {
    return reinterpret_cast<std::byte *>(registers.data()) +
           uint64_t(kernel.registerBytes) * warp;
  }
};

/// The value of a special register for one lane (PTX ISA 10).
uint32_t valueOf(SpecialRegister which, const Block &block, const Warp &warp,
                 unsigned lane) {
  const Launch &launch = block.state.launch;
  const Dim3 &size = launch.block, &grid = launch.grid;
  unsigned thread = warp.index * kLanes + lane;
  switch (which) {
  case SpecialRegister::TidX:
    return thread % size.x;
  case SpecialRegister::TidY:
    return thread / size.x % size.y;
  case SpecialRegister::TidZ:
    return thread / (size.x * size.y);
  case SpecialRegister::NtidX:
    return size.x;
  case SpecialRegister::NtidY:
    return size.y;
  case SpecialRegister::NtidZ:
    return size.z;
  case SpecialRegister::CtaidX:
    return block.position.x;
  case SpecialRegister::CtaidY:
    return block.position.y;
  case SpecialRegister::CtaidZ:
    return block.position.z;
  case SpecialRegister::NctaidX:
    return grid.x;
  case SpecialRegister::NctaidY:
    return grid.y;
  case SpecialRegister::NctaidZ:
    return grid.z;
  case SpecialRegister::LaneId:
    return lane;
  case SpecialRegister::WarpId:
    return warp.index;
  case SpecialRegister::NumWarps:
    return block.numWarps;
  case SpecialRegister::SmId:
    return 0;
  case SpecialRegister::NumSms:
    return 1;
  case SpecialRegister::LaneMaskEq:
    return 1u << lane;
  case SpecialRegister::LaneMaskLt:
    return (1u << lane) - 1;
  case SpecialRegister::LaneMaskLe:
    return (2u << lane) - 1;
  case SpecialRegister::LaneMaskGt:
    return ~((2u << lane) - 1);
  case SpecialRegister::LaneMaskGe:
    return ~((1u << lane) - 1);
  case SpecialRegister::DynamicSharedBytes:
    return launch.dynamicSharedBytes;
  }
  __builtin_unreachable();
}

void fillConstants(Warp &warp, const Kernel &kernel) {
  for (const Constant &constant : kernel.constants) {
    switch (constant.width) {
    case Width::Predicate:
      *warp.at<uint32_t>(constant.slot) = constant.bits ? ~0u : 0;
      break;
    case Width::Bits16:
      std::fill_n(warp.at<uint16_t>(constant.slot), kLanes,
                  uint16_t(constant.bits));
      break;
    case Width::Bits32:
      std::fill_n(warp.at<uint32_t>(constant.slot), kLanes,
                  uint32_t(constant.bits));
      break;
    case Width::Bits64:
      std::fill_n(warp.at<uint64_t>(constant.slot), kLanes, constant.bits);
      break;
    }
  }
}

void fillSpecials(Warp &warp, const Kernel &kernel) {
  for (const SpecialUse &use : kernel.specials)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      warp.at<uint32_t>(use.slot)[lane] =
          valueOf(use.which, warp.block, warp, lane);
}

void checkLaunch(const Launch &launch, const Kernel &kernel) {
  const Dim3 &block = launch.block, &grid = launch.grid;
  auto refuse = [&](const std::string &why) {
    fault(CUDA_ERROR_INVALID_VALUE, "kernel '" + kernel.info.name + "' " + why);
  };
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (!threads || !grid.x || !grid.y || !grid.z)
    refuse("is launched without threads");
  if (threads > kernel.info.maxThreads)
    refuse("is launched with " + std::to_string(threads) +
           " threads in a block, it may have " +
           std::to_string(kernel.info.maxThreads));
  const auto &required = kernel.requiredBlock;
  if (required[0] && (block.x != required[0] || block.y != required[1] ||
                      block.z != required[2]))
    refuse("is launched with blocks of another size than its .reqntid");
}

} // namespace

Work &Work::operator+=(const Work &other) {
  instructions += other.instructions;
  operations += other.operations;
  matrixOperations += other.matrixOperations;
  bytesRead += other.bytesRead;
  bytesWritten += other.bytesWritten;
  wavefronts += other.wavefronts;
  conflicts += other.conflicts;
  return *this;
}

void LaunchState::noteAccesses() {
  if (launch.notesAccesses)
    for (auto &[serial, touched] : shadows)
      touched.shadow->getAccesses(touched.allocation->address, work.accesses);
}

uint32_t LaunchState::nextSegment(Block *running) {
  if (segment < kMaxSegment)
    return ++segment;
  // The segment numbers are used up: earlier accesses are forgotten, and the
  // running block is treated as if it began here.
  noteAccesses();
  for (auto &[serial, touched] : shadows)
    touched.shadow->clear();
  past.clear();
  segment = 1;
  if (running) {
    running->sharedShadow.clear();
    running->ordering.begin(running->numWarps, segment);
    for (BarrierState &barrier : running->barriers)
      barrier.clock = {};
    past.push_back({segment, running->number, false});
  }
  return ++segment;
}

/// No warp can run: throws a fault that names a waiting warp and the reason.
void Block::checkStuck() {
  for (const Warp &waiting : warps) {
    if (!waiting.barrier)
      continue;
    for (const Warp &other : warps) {
      if (other.barrier == waiting.barrier)
        continue;
      faultAt(waiting, *waiting.barrier, firstLane(waiting.live),
              CUDA_ERROR_LAUNCH_FAILED,
              "waits at a barrier for ever: warp " +
                  std::to_string(other.index) +
                  (other.hasEnded ? " has ended"
                                  : " waits at another one, on line " +
                                        std::to_string(other.barrier->line)));
    }
    faultAt(waiting, *waiting.barrier, firstLane(waiting.live),
            CUDA_ERROR_LAUNCH_FAILED,
            "waits at a barrier for ever: it expects more warps than come");
  }
}

void Block::run() {
  std::mt19937_64 &random = state.surroundings.random;
  // Races are found or not depending on the interleaving of warps; one of three
  // kinds is chosen at random.
  enum { ToBarrier, Slices, Accesses } interleaving{};
  switch (random() % 4) {
  case 0:
    interleaving = Slices;
    break;
  case 1:
    interleaving = Accesses;
    break;
  default:
    interleaving = ToBarrier;
  }
  constexpr uint64_t kLong = 1 << 20;
  std::array<unsigned, kMaxWarps> ready;
  for (;;) {
    unsigned numReady = 0;
    bool isDone = true;
    for (const Warp &warp : warps) {
      isDone &= warp.hasEnded;
      if (!warp.hasEnded && !warp.barrier)
        ready[numReady++] = warp.index;
    }
    if (isDone)
      return;
    if (!numReady)
      checkStuck();
    Warp &warp = warps[ready[random() % numReady]];
    uint64_t budget = interleaving == Slices ? 1 + random() % 256 : kLong;
    if (warp.run(budget, interleaving == Accesses) != Stop::Budget)
      continue;
    if (warp.executed > state.surroundings.instructionLimit)
      faultAt(warp, kernel().code[warp.pc], firstLane(warp.lanes),
              CUDA_ERROR_LAUNCH_FAILED,
              "has executed " + std::to_string(warp.executed) +
                  " instructions and does not end");
  }
}

Work execute(const Launch &launch, Surroundings &surroundings) {
  const Kernel &kernel = launch.kernel;
  checkLaunch(launch, kernel);
  DefaultFloatingPoint floatingPoint;
  LaunchState state(launch, surroundings);

  const Dim3 &grid = launch.grid;
  unsigned numThreads = launch.block.x * launch.block.y * launch.block.z;
  unsigned numWarps = (numThreads + kLanes - 1) / kLanes;
  Arena arena(launch, kernel, numWarps);

  uint64_t numBlocks = uint64_t(grid.x) * grid.y * grid.z;
  RandomOrder order(numBlocks, surroundings.random);
  for (uint64_t i = 0; i < numBlocks; ++i) {
    uint64_t number = order.next();
    Block block{state,
                number,
                {unsigned(number % grid.x), unsigned(number / grid.x % grid.y),
                 unsigned(number / grid.x / grid.y)},
                numThreads,
                numWarps,
                arena.shared,
                arena.sharedWritten,
                arena.sharedShadow,
                arena.local,
                arena.localWritten};
    std::fill(arena.shared.begin(), arena.shared.end(), kPoison);
    std::fill(arena.sharedWritten.begin(), arena.sharedWritten.end(),
              kNeverWritten);
    std::fill(arena.local.begin(), arena.local.end(), kPoison);
    std::fill(arena.localWritten.begin(), arena.localWritten.end(),
              kNeverWritten);

    uint32_t segment = state.nextSegment(nullptr);
    block.ordering.begin(numWarps, segment);
    state.past.push_back({segment, number, false});
    block.warps.reserve(numWarps);
    for (unsigned index = 0; index < numWarps; ++index) {
      Warp &warp = block.warps.emplace_back(block, index,
                                            arena.registersOf(kernel, index));
      unsigned left = numThreads - index * kLanes;
      warp.live = warp.lanes = left >= kLanes ? kFullWarp : (1u << left) - 1;
      if (i == 0)
        fillConstants(warp, kernel);
      fillSpecials(warp, kernel);
    }
    block.run();
  }
  state.noteAccesses();
  return std::move(state.work);
}

} // namespace tdc::sim
