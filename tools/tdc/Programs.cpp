//===- Programs.cpp - the programs that a command line names --------------===//

#include "Programs.h"
#include "CrashBundle.h"
#include "Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tdc;

llvm::Expected<std::vector<std::string>>
tdc::findPrograms(llvm::StringRef name) {
  if (!llvm::sys::fs::is_directory(name))
    return std::vector<std::string>{name.str()};
  std::vector<std::string> programs;
  std::error_code error;
  llvm::sys::fs::recursive_directory_iterator entry(name, error,
                                                    /*follow_symlinks=*/false),
      end;
  for (; entry != end && !error; entry.increment(error)) {
    llvm::StringRef path = entry->path();
    bool isFolder = entry->type() == llvm::sys::fs::file_type::directory_file;
    if (llvm::sys::path::filename(path).starts_with("."))
      entry.no_push();
    else if (!isFolder && path.ends_with(".tdsl"))
      programs.push_back(path.str());
  }
  if (error)
    return llvm::createStringError(error, "cannot read the folder `" + name +
                                              "`: " + error.message());
  if (programs.empty())
    return llvm::createStringError("the folder `" + name +
                                   "` has no .tdsl file");
  llvm::sort(programs);
  return programs;
}

int tdc::forEachProgram(const Options &common, Terminal &terminal,
                        llvm::function_ref<int(Options &options)> visit) {
  int worst = ExitOk;
  for (const std::string &name : common.files) {
    llvm::Expected<std::vector<std::string>> programs = findPrograms(name);
    if (!programs) {
      terminal.failed(ExitRunTime, llvm::toString(programs.takeError()), {});
      worst = std::max<int>(worst, ExitRunTime);
      continue;
    }
    for (const std::string &program : *programs) {
      Options options = common;
      options.file = program;
      work.options = &options;
      worst = std::max(worst, visit(options));
      work.options = &common;
      work.text = {};
    }
  }
  return worst;
}

std::unique_ptr<llvm::MemoryBuffer> tdc::readStandardInput(Terminal &terminal) {
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input) {
    terminal.failed(ExitRunTime,
                    "cannot read `<stdin>`: " + input.getError().message(), {});
    return nullptr;
  }
  work.text = (*input)->getBuffer();
  return std::move(*input);
}
