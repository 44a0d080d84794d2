//===- FileWatch.cpp - waits until files change ---------------------------===//

#include "FileWatch.h"
#include "Programs.h"
#include "llvm/Support/FileSystem.h"
#include <thread>

using namespace tdc;

FileWatch::FileWatch(std::vector<std::string> names)
    : names(std::move(names)), states(look()),
      begin(std::chrono::system_clock::now()) {}

FileWatch::State FileWatch::look(const std::string &file) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(file, status))
    return std::nullopt;
  return std::tuple(status.getLastModificationTime(), status.getSize(),
                    status.getUniqueID());
}

FileWatch::States FileWatch::look() const {
  States now;
  for (const auto &[file, state] : states)
    now[file] = look(file);
  for (const std::string &name : names) {
    llvm::Expected<std::vector<std::string>> programs = findPrograms(name);
    if (!programs) {
      llvm::consumeError(programs.takeError());
      continue;
    }
    for (const std::string &program : *programs)
      now[program] = look(program);
  }
  return now;
}

void FileWatch::add(llvm::StringRef file) {
  if (states.count(file.str()))
    return;
  State now = look(file.str());
  // What it was before is not known.
  bool isNewer = now && std::get<0>(*now) >= begin;
  states[file.str()] = isNewer ? std::nullopt : now;
}

void FileWatch::wait() {
  States now;
  while ((now = look()) == states)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  begin = std::chrono::system_clock::now();
  states = std::move(now);
}
