//===- Scheduler.cpp - runs queued work, in an order of its choice --------===//

#include "driver/queue/Scheduler.h"
#include <algorithm>

using namespace tdc::sim;

namespace {
/// How many later operations may be issued before the oldest queued one must
/// run. Real drivers block a program when a queue of about a thousand launches
/// is full; without a bound the staged copies of a long program would fill the
/// memory.
constexpr OperationId kMaxBehind = 4096;
} // namespace

Scheduler::Scheduler(std::mt19937_64 &random, Runner run)
    : random(random), runner(std::move(run)) {
  // Each value finds other mistakes: work runs only when needed, sometimes
  // earlier, or at once.
  constexpr unsigned kEagerness[] = {0, 5, 30, 70, 100};
  eagerness = kEagerness[random() % std::size(kEagerness)];
}

void Scheduler::add(Operation operation,
                    const std::vector<OperationId> &after) {
  OperationId id = next++;
  operation.id = id;
  Entry entry{std::move(operation), {}, {}, 0};
  for (OperationId other : after) {
    auto position = queued.find(other);
    if (position == queued.end())
      continue;
    position->second.dependents.push_back(id);
    entry.after.push_back(other);
  }
  entry.waitsFor = entry.after.size();
  if (entry.waitsFor == 0)
    ready.push_back(id);
  queued.emplace(id, std::move(entry));
  if (id > kMaxBehind)
    completeUpTo(id - kMaxBehind);
}

void Scheduler::completeUpTo(OperationId id) {
  // The oldest operation waits for nothing: operations wait only for older
  // ones.
  while (!queued.empty() && queued.begin()->first <= id)
    run(queued.begin()->first);
}

void Scheduler::run(OperationId id) {
  auto position = queued.find(id);
  Entry entry = std::move(position->second);
  queued.erase(position);
  ready.erase(std::find(ready.begin(), ready.end(), id));
  runner(entry.operation);
  for (OperationId dependent : entry.dependents)
    if (--queued.at(dependent).waitsFor == 0)
      ready.push_back(dependent);
}

OperationId Scheduler::findWaitedFor(OperationId id) {
  std::vector<OperationId> &after = queued.at(id).after;
  auto isFinished = [&](OperationId other) { return isDone(other); };
  after.erase(std::remove_if(after.begin(), after.end(), isFinished),
              after.end());
  return after.empty() ? 0 : after[random() % after.size()];
}

void Scheduler::complete(OperationId id) {
  // The chain of dependences, down to an operation that can run. No recursion:
  // for two streams that alternately wait for each other, the chain is as long
  // as their queues.
  std::vector<OperationId> path = {id};
  while (!path.empty()) {
    if (isDone(path.back())) {
      path.pop_back();
    } else if (OperationId other = findWaitedFor(path.back())) {
      path.push_back(other);
    } else {
      run(path.back());
      if (chance(eagerness / 2))
        runReady();
    }
  }
}

void Scheduler::completeDevice(int device) {
  std::vector<OperationId> all;
  for (auto &[id, entry] : queued)
    if (entry.operation.device == device)
      all.push_back(id);
  std::shuffle(all.begin(), all.end(), random);
  for (OperationId id : all)
    complete(id);
}

void Scheduler::runReady() {
  if (!ready.empty())
    run(ready[random() % ready.size()]);
}

void Scheduler::runSome() {
  while (!ready.empty() && chance(eagerness)) {
    runReady();
    if (chance(20))
      break;
  }
}

void Scheduler::advance(OperationId id) {
  if (isDone(id) || !chance(50))
    return;
  while (OperationId other = findWaitedFor(id))
    id = other;
  run(id);
}
