//===- Progress.cpp - shows the progress of a long compilation ------------===//

#include "Progress.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

static constexpr std::chrono::milliseconds kInterval(500);

/// Whether the terminal is not a dumb one, which shows no progress.
static bool isAsked() { return llvm::sys::Process::GetEnv("TERM") != "dumb"; }

/// Whether standard error can rewrite a line.
static bool isTerminal() {
  return llvm::sys::Process::StandardErrIsDisplayed() &&
         llvm::sys::Process::GetEnv("TERM");
}

Progress::Progress(bool isWanted)
    : isWanted(isWanted && isAsked()), isLive(this->isWanted && isTerminal()) {
  if (!isLive)
    return;
  timer = llvm::thread([this] {
    std::unique_lock<std::mutex> lock(mutex);
    while (!ended.wait_for(lock, kInterval, [this] { return hasEnded; }))
      show();
  });
}

long Progress::getSeconds() const {
  return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - since)
      .count();
}

void Progress::show() {
  if (step.empty() || getSeconds() == 0)
    return;
  llvm::errs() << "\r\033[Kcompiling: " << step << " " << getSeconds() << " s";
  isShown = true;
}

void Progress::remove() {
  if (isShown)
    llvm::errs() << "\r\033[K";
  isShown = false;
}

std::unique_lock<std::mutex> Progress::hide() {
  std::unique_lock<std::mutex> lock(mutex);
  remove();
  return lock;
}

void Progress::begins(llvm::StringRef name) {
  std::lock_guard<std::mutex> lock(mutex);
  step = name;
  since = Clock::now();
}

void Progress::done() {
  std::lock_guard<std::mutex> lock(mutex);
  remove();
  if (isWanted && !isLive && !hasEnded && getSeconds() > 0)
    llvm::errs() << "compiling: " << step << " took " << getSeconds() << " s\n";
  step = "";
}

void Progress::end() {
  {
    auto lock = hide();
    hasEnded = true;
  }
  ended.notify_all();
  if (timer.joinable())
    timer.join();
}
