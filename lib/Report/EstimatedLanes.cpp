//===- EstimatedLanes.cpp - estimated timelines, by the schedule ----------===//
//
// Simulates the iterations of a loop of a scheduled module: each queue runs its
// work in order, after the work that it waits for, and a GPU has one engine for
// the copies to it and one for those from it, as in the clock of the simulated
// driver. After a few iterations the timeline repeats.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Placement/OpCosts.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Facts.h"
#include "gpu_times.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace tdc;
using td::CarryingLoop;

// All times are nanoseconds: the host's time to issue an operation to a GPU,
// the fixed cost of a copy, and the time of one byte, which is the unit of
// OpCosts.
static constexpr double kIssue = 1e3 * kIssueMicroseconds,
                        kCopy = 1e3 * kCopyMicroseconds,
                        kByte = 1e3 / kHostBytesPerMicrosecond,
                        kGpuByte = 1e3 / kGpuBytesPerMicrosecond;

/// Iterations that are simulated, and the first of the two that are shown.
static constexpr unsigned kIterations = 8, kFirst = 5;

static double getCost(td::KernelOp kernel, Place::Kind device) {
  double cost = 0;
  for (mlir::Operation &op : *kernel.getBody().begin())
    if (llvm::isa<td::ComputeOp>(op))
      cost += td::getOpCost(&op, device);
  return cost * kByte;
}

static double getBytesOfElement(mlir::Value tensor) {
  auto type = llvm::cast<mlir::RankedTensorType>(tensor.getType());
  return byteSize(td::getDType(type.getElementType()));
}

/// The bytes that a kernel moves between its GPU and the GPU's memory: the
/// elements of its inputs that its ops read, and its results, of which an
/// update writes parts.
static double getTraffic(td::KernelOp kernel) {
  mlir::Block &body = *kernel.getBody().begin();
  double bytes = 0;
  for (mlir::BlockArgument input : body.getArguments()) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(input.getType());
    if (!type)
      continue;
    double operations = 0;
    for (mlir::Operation *user : input.getUsers())
      if (llvm::isa<td::ComputeOp>(user))
        operations += td::countOperations(user);
    bytes += std::min(operations * getBytesOfElement(input),
                      double(td::estimateBytes(type)));
  }
  for (mlir::Value result : body.getTerminator()->getOperands())
    if (mlir::Operation *op = result.getDefiningOp();
        llvm::isa_and_nonnull<td::UpdateOp>(op))
      bytes += td::countOperations(op) * getBytesOfElement(result);
    else
      bytes += double(td::estimateBytes(
          llvm::cast<mlir::RankedTensorType>(result.getType())));
  return bytes;
}

namespace {

struct KernelTime {
  double arithmetic, memory;
  double get() const { return std::max(arithmetic, memory); }
};

} // namespace

static KernelTime getTimeOnGPU(td::KernelOp kernel) {
  return {getCost(kernel, Place::Kind::Cuda), getTraffic(kernel) * kGpuByte};
}

/// The name of the op with the highest cost in a kernel.
static std::string getName(td::KernelOp kernel) {
  mlir::Operation *largest = nullptr;
  double most = -1;
  for (mlir::Operation &op : *kernel.getBody().begin())
    if (llvm::isa<td::ComputeOp>(op))
      if (double cost = td::getOpCost(&op, Place::Kind::Cuda); cost >= most) {
        most = cost;
        largest = &op;
      }
  return largest ? llvm::StringRef(td::getUserName(largest)).trim('`').str()
                 : "";
}

static std::string getName(mlir::Operation *copy) {
  td::SlotOp slot = td::getSlotOfCopy(copy->getResult(0), copy->getOperand(0));
  return slot ? td::getSlotName(slot)
              : td::getVariableName(copy->getLoc()).str();
}

static double getCopyTime(const Place &from, const Place &to, int64_t bytes) {
  bool isBetweenGPUs = from != getCpu() && to != getCpu();
  double rate =
      isBetweenGPUs ? kPeerBytesPerMicrosecond : kHostBytesPerMicrosecond;
  return kCopy + double(bytes) * 1e3 / rate;
}

/// The lane of a copy, named as in TDC_TRACE.
static std::string getLane(const Place &from, const Place &to) {
  if (from == getCpu())
    return "h2d";
  return to == getCpu() ? "d2h" : "p2p " + spelling(from);
}

namespace {

class Iterations {
public:
  explicit Iterations(CarryingLoop loop) : loop(loop) {}

  Lanes run();

private:
  struct Queues {
    double work = 0, uploads = 0, downloads = 0;
    std::map<std::string, double> peers; ///< by the source GPU of copies
    double in = 0, out = 0;              ///< the engines of copies
  };
  struct Item {
    std::string device;
    std::string lane;
    LaneWork work;
  };

  void run(mlir::Block &block);
  void run(mlir::Operation &op);
  void run(td::KernelOp kernel);
  void run(td::CopyStartOp copy);
  void run(td::ToDeviceOp copy);
  /// Runs a copy on its engines, `earliest` at the earliest. Returns when it
  /// begins and ends.
  std::pair<double, double> occupy(const Place &from, const Place &to,
                                   double earliest, int64_t bytes);
  /// The host issues an operation to a GPU.
  void issue(mlir::Operation *op, const char *what);
  void add(const Place &device, std::string lane, mlir::Operation *op,
           std::string what, double begin, double end, int64_t bytes = 0);
  void carry(mlir::ValueRange from, mlir::ValueRange to);

  CarryingLoop loop;
  double host = 0;
  std::map<std::string, Queues> queues; ///< by GPU
  llvm::DenseMap<mlir::Value, double> tickets;
  std::vector<Item> items;
};

void Iterations::add(const Place &device, std::string lane, mlir::Operation *op,
                     std::string what, double begin, double end,
                     int64_t bytes) {
  mlir::FileLineColLoc location = td::getUserLocation(op->getLoc());
  LaneWork work{0,
                std::move(what),
                location ? location.getFilename().str() : "",
                location ? location.getLine() : 0,
                int64_t(begin),
                int64_t(end) - int64_t(begin),
                bytes};
  items.push_back({spelling(device), std::move(lane), std::move(work)});
}

void Iterations::issue(mlir::Operation *op, const char *what) {
  add(getCpu(), "cpu", op, what, host, host + kIssue);
  host += kIssue;
}

void Iterations::run(td::KernelOp kernel) {
  Place device =
      kernel.getNumResults() ? td::getPlace(kernel.getResult(0)) : getCpu();
  if (!kernel.isOnGPU()) {
    double length = getCost(kernel, device.kind);
    add(device, "cpu", kernel, getName(kernel), host, host + length);
    host += length;
    return;
  }
  issue(kernel, "launch");
  double &work = queues[spelling(device)].work;
  double begin = std::max(work, host);
  KernelTime time = getTimeOnGPU(kernel);
  work = begin + time.get();
  add(device, "compute", kernel, getName(kernel), begin, work);
  items.back().work.isMemoryBound = time.memory > time.arithmetic;
}

std::pair<double, double> Iterations::occupy(const Place &from, const Place &to,
                                             double earliest, int64_t bytes) {
  llvm::SmallVector<double *, 2> engines;
  if (from != getCpu())
    engines.push_back(&queues[spelling(from)].out);
  if (to != getCpu())
    engines.push_back(&queues[spelling(to)].in);
  double begin = earliest;
  for (double *engine : engines)
    begin = std::max(begin, *engine);
  double end = begin + getCopyTime(from, to, bytes);
  for (double *engine : engines)
    *engine = end;
  return {begin, end};
}

void Iterations::run(td::CopyStartOp copy) {
  issue(copy, "copy");
  Place from = copy.getSource(), to = copy.getTarget();
  Queues &of = queues[spelling(copy.getGPU())];
  double &queue = copy.isUpload()        ? of.uploads
                  : copy.isBetweenGPUs() ? of.peers[spelling(from)]
                                         : of.downloads;
  double after = of.work;
  if (copy.isUpload())
    after = tickets.lookup(copy.getAfter());
  else if (copy.isBetweenGPUs())
    after = std::max(after, queues[spelling(from)].work);
  int64_t bytes = td::estimateBytes(copy.getResult().getType());
  auto [begin, end] = occupy(from, to, std::max({queue, host, after}), bytes);
  queue = end;
  add(copy.getGPU(), getLane(from, to), copy, getName(copy), begin, end, bytes);
  tickets[copy.getTicket()] = end;
}

/// A copy that is not pipelined: it runs in the order of the kernels.
void Iterations::run(td::ToDeviceOp copy) {
  Place from = td::getPlace(copy.getInput().getType()),
        to = td::getPlace(copy.getType());
  if (from == to)
    return;
  issue(copy, "copy");
  bool isUpload = from == getCpu(), isDownload = to == getCpu();
  Place gpu = isDownload ? from : to;
  Queues &of = queues[spelling(gpu)];
  double earliest = std::max(of.work, host);
  if (isUpload || isDownload)
    earliest = std::max(earliest, isUpload ? of.uploads : of.downloads);
  else
    earliest = std::max(earliest, queues[spelling(from)].work);
  int64_t bytes = td::estimateBytes(copy.getType());
  auto [begin, end] = occupy(from, to, earliest, bytes);
  of.work = end;
  if (isUpload)
    of.uploads = end;
  else if (isDownload)
    of.downloads = end;
  else
    queues[spelling(from)].work = end;
  add(gpu, getLane(from, to), copy, getName(copy), begin, end, bytes);
  if (!isDownload)
    return;
  add(getCpu(), "cpu", copy, "wait", host, end);
  host = end;
}

void Iterations::carry(mlir::ValueRange from, mlir::ValueRange to) {
  llvm::SmallVector<double> times = llvm::map_to_vector(
      from, [&](mlir::Value value) { return tickets.lookup(value); });
  for (auto [value, time] : llvm::zip(to, times))
    if (llvm::isa<td::TicketType>(value.getType()))
      tickets[value] = time;
}

void Iterations::run(mlir::Operation &op) {
  if (auto kernel = llvm::dyn_cast<td::KernelOp>(op))
    return run(kernel);
  if (auto copy = llvm::dyn_cast<td::CopyStartOp>(op))
    return run(copy);
  if (auto copy = llvm::dyn_cast<td::ToDeviceOp>(op))
    return run(copy);
  if (auto mark = llvm::dyn_cast<td::MarkOp>(op)) {
    tickets[mark.getTicket()] =
        queues[spelling(td::getPlace(mark.getDevice()))].work;
  } else if (auto wait = llvm::dyn_cast<td::CopyWaitOp>(op)) {
    double until = tickets.lookup(wait.getTicket());
    Place device = td::getPlace(wait.getDevice());
    if (device != getCpu()) {
      double &work = queues[spelling(device)].work;
      work = std::max(work, until);
    } else if (until > host) {
      add(device, "cpu", wait, "wait", host, until);
      host = until;
    }
  } else if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(op)) {
    // Branches of the schedule check for a next or a previous iteration, which
    // both exist here. Branches of the program are unknown, so they are left
    // out.
    mlir::Block &then = branch.getThenRegion().front();
    auto isOfIterationBefore = [](td::CopyWaitOp wait) {
      return bool(CarryingLoop::ofArgument(wait.getTicket()));
    };
    if (llvm::none_of(branch.getResultTypes(), llvm::IsaPred<td::TicketType>) &&
        llvm::none_of(then.getOps<td::CopyWaitOp>(), isOfIterationBefore))
      return;
    run(then);
    carry(branch.thenYield().getOperands(), branch.getResults());
  }
}

void Iterations::run(mlir::Block &block) {
  for (mlir::Operation &op : block)
    run(op);
}

Lanes Iterations::run() {
  std::vector<size_t> firsts; // the first item of each iteration
  for (unsigned iteration = 0; iteration != kIterations; ++iteration) {
    firsts.push_back(items.size());
    run(*loop.getBody());
    carry(loop.getYield()->getOperands().take_back(loop.getArguments().size()),
          loop.getArguments());
  }
  auto beginOf = [&](unsigned iteration) {
    return llvm::find_if(
               llvm::drop_begin(items, firsts[iteration]),
               [](const Item &item) { return item.lane == "compute"; })
        ->work.begin;
  };
  Lanes lanes;
  mlir::FileLineColLoc location = td::getUserLocation(loop->getLoc());
  lanes.file = location ? location.getFilename().str() : "";
  lanes.line = location ? location.getLine() : 0;
  lanes.loop = loop->getLoc();
  int64_t start = beginOf(kFirst);
  lanes.length = beginOf(kFirst + 2) - start;
  for (Item &item : items) {
    item.work.begin -= start;
    lanes.add(item.device, item.lane, std::move(item.work));
  }
  lanes.sort();
  return lanes;
}

} // namespace

/// The time of the GPU kernels directly in the body of a loop.
static double getWork(CarryingLoop loop) {
  double cost = 0;
  for (auto kernel : loop.getBody()->getOps<td::KernelOp>())
    if (kernel.isOnGPU())
      cost += getTimeOnGPU(kernel).get();
  return cost;
}

std::optional<Lanes> tdc::estimateLanes(mlir::ModuleOp scheduled) {
  CarryingLoop hottest(nullptr);
  std::pair<unsigned, double> most;
  scheduled.walk([&](mlir::Operation *op) {
    CarryingLoop loop(op);
    double work = loop ? getWork(loop) : 0;
    if (work == 0)
      return;
    unsigned depth = td::getLoopDepth(op);
    if (std::pair(depth, work) > most) {
      most = {depth, work};
      hottest = loop;
    }
  });
  if (!hottest)
    return std::nullopt;
  return Iterations(hottest).run();
}

void tdc::findKernels(mlir::ModuleOp compiled, Lanes &lanes) {
  llvm::MapVector<mlir::Attribute, llvm::SmallVector<td::LaunchOp, 1>> launches;
  compiled.walk([&](td::LaunchOp launch) {
    if (launch.isOnGPU())
      launches[launch.getCalleeAttr()].push_back(launch);
  });
  for (auto &[kernel, ops] : launches) {
    td::LaunchOp launch = ops.front();
    mlir::Operation *parent = launch->getParentOp();
    mlir::FileLineColLoc location = td::getUserLocation(launch.getLoc());
    if (ops.size() == 1 && CarryingLoop(parent) &&
        parent->getLoc() == lanes.loop)
      lanes.kernels.push_back(
          {launch.getCallee().str(), location ? location.getLine() : 0});
  }
}
