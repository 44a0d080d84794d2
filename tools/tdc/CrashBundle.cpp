//===- CrashBundle.cpp - writes the files for a bug report ----------------===//
//
// A crashed process writes these files, so those that most likely succeed come
// first. Nothing is prepared while programs compile: compiling is
// deterministic, so compiling again with the same options reproduces the IR
// after the last phase.
//
//===----------------------------------------------------------------------===//

#include "CrashBundle.h"
#include "Compilation/Compilation.h"
#include "Doctor.h"
#include "Terminal.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace tdc;

Work tdc::work;

bool CrashBundle::makeFolder() {
  auto temporary = llvm::sys::Process::GetEnv("TMPDIR");
  for (const std::string &parent :
       {std::string(), temporary.value_or("/tmp")}) {
    std::string name =
        parent + (parent.empty() ? "" : "/") + "tdc-crash-XXXXXX";
    if (name.size() < sizeof folder && mkdtemp(name.data())) {
      memcpy(folder, name.c_str(), name.size() + 1);
      return true;
    }
  }
  return false;
}

void CrashBundle::writeFile(const llvm::Twine &name,
                            llvm::StringRef text) const {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  std::ignore =
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return;
  os << text;
  os.flush();
  os.clear_error();
}

/// The last phase that was done when the step began; nullopt if there was none.
static std::optional<Phase> getLastPhase(llvm::StringRef step) {
  for (llvm::StringRef early : {"start", "parse", "check", "context"})
    if (step == early)
      return std::nullopt;
  if (step == "target" || step == "verify")
    return Phase::TD;
  if (const PhaseInfo *phase = findPhase(step))
    return (phase - 1)->phase;
  return Phase::LLVM;
}

/// The path of a source file in the bundle. It is relative to the program's
/// folder as before, so that imports find it.
static std::string getPlace(llvm::StringRef name, llvm::StringRef program) {
  llvm::StringRef folder = llvm::sys::path::parent_path(program);
  llvm::StringRef relative = name;
  if (!relative.consume_front(folder) || relative.contains(".."))
    relative = llvm::sys::path::filename(name);
  return "sources/" + relative.ltrim('/').str();
}

void CrashBundle::writeProgram(llvm::StringRef step) const {
  const Options &options = *work.options;
  std::optional<Phase> phase = getLastPhase(step);
  if (work.text)
    writeFile("sources/stdin.tdsl", *work.text);
  else if (auto text = llvm::MemoryBuffer::getFile(options.file))
    writeFile(getPlace(options.file, options.file), (*text)->getBuffer());
  Silence silence;
  Compilation again(options, silence);
  if (work.text)
    again.setText(*work.text);
  bool isReached = phase ? again.generate() : (again.inspect(), false);
  const SourceManager &sources = again.getSources();
  for (FileId file = 1; file <= sources.getNumFiles(); ++file)
    if (!sources.getName(file).starts_with("<"))
      writeFile(getPlace(sources.getName(file), options.file),
                sources.getText(file));
  if (!isReached || (phase != Phase::TD && !again.lower(*phase)))
    return;
  std::string ir;
  llvm::raw_string_ostream os(ir);
  again.getModule()->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  writeFile("after-" + getPhases()[size_t(*phase)].name + ".mlir", ir);
}

void CrashBundle::write(llvm::StringRef message, llvm::StringRef step) {
  if (!makeFolder())
    return;
  writeFile("message", (message + "\n").str());
  std::string command;
  llvm::raw_string_ostream os(command);
  os << "tdc";
  for (llvm::StringRef word : work.words)
    os << ' ' << quoteWord(word);
  os << "\n\nphase: " << step << "\npass: " << work.pass.load() << "\n\n";
  writeFile("command", command);
  writeProgram(step);
  describeMachine(os);
  writeFile("command", command);
}
