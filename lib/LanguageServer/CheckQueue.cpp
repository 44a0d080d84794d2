//===- CheckQueue.cpp - checks documents as they change -------------------===//

#include "CheckQueue.h"

using namespace tdc;

/// The longest time that a document must be left alone.
static constexpr std::chrono::milliseconds kLongestWait{300};

CheckQueue::CheckQueue(Done done)
    : done(std::move(done)), thread([this] { work(); }) {}

CheckQueue::~CheckQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
    for (auto &[path, document] : documents)
      if (document.running)
        document.running->cancel();
  }
  changed.notify_one();
  thread.join();
}

void CheckQueue::add(const std::string &path, std::shared_ptr<const Text> text,
                     const OpenTexts &open) {
  auto analysis = std::make_shared<Analysis>(path, std::move(text), open);
  {
    std::lock_guard<std::mutex> lock(mutex);
    Document &document = documents[path];
    if (document.running)
      document.running->cancel();
    document.next = std::move(analysis);
    document.due = Clock::now() +
                   std::min<Clock::duration>(document.lastCheck, kLongestWait);
  }
  changed.notify_one();
}

void CheckQueue::remove(const std::string &path) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = documents.find(path);
  if (found == documents.end())
    return;
  if (found->second.running)
    found->second.running->cancel();
  documents.erase(found);
}

std::map<std::string, CheckQueue::Document>::iterator CheckQueue::findNext() {
  auto first = documents.end();
  for (auto at = documents.begin(); at != documents.end(); ++at)
    if (at->second.next &&
        (first == documents.end() || at->second.due < first->second.due))
      first = at;
  return first;
}

void CheckQueue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver) {
    auto found = findNext();
    if (found == documents.end()) {
      changed.wait(lock);
      continue;
    }
    Clock::time_point due = found->second.due, start = Clock::now();
    if (due > start) {
      changed.wait_until(lock, due);
      continue;
    }
    std::string path = found->first;
    std::shared_ptr<Analysis> analysis = std::move(found->second.next);
    found->second.next = nullptr;
    found->second.running = analysis;
    lock.unlock();
    bool isDone = analysis->run();
    if (isDone)
      done(path, analysis);
    lock.lock();
    found = documents.find(path);
    if (found == documents.end())
      continue;
    found->second.running = nullptr;
    if (isDone)
      found->second.lastCheck = Clock::now() - start;
  }
}
