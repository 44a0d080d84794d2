//===- Build.cpp - tdc build ----------------------------------------------===//
//
// An object file of the program, linked by the system's C compiler with the
// runtime's archive into an executable that needs libc, libm and libpthread.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "OutputFile.h"
#include "PhaseTimes.h"
#include "Process.h"
#include "Verbs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <tuple>

using namespace tdc;

/// libtdc_rt.a: beside tdc, or in the lib folder beside tdc's. Empty if it is
/// in neither.
static std::string findRuntime() {
  static int anchor;
  llvm::SmallString<128> folder(
      llvm::sys::fs::getMainExecutable("tdc", &anchor));
  llvm::sys::path::remove_filename(folder);
  for (llvm::StringRef where : {"", "../lib"}) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, where, "libtdc_rt.a");
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

static int fail(const llvm::Twine &what) {
  llvm::errs() << "error: " << what << "\n";
  return ExitRunTime;
}

/// Links beside the output and renames, so that a failure leaves no half-made
/// program.
static int link(llvm::StringRef object, llvm::StringRef output) {
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName("cc");
  if (!compiler)
    return fail("`tdc build` links with `cc`, and there is none on the PATH "
                "(on Debian: apt install gcc libc6-dev)");
  std::string runtime = findRuntime();
  if (runtime.empty())
    return fail("libtdc_rt.a is not beside tdc");
  std::string temporary = (output + ".tmp").str();
  std::string message;
  int status =
      llvm::sys::ExecuteAndWait(*compiler,
                                {*compiler, "-o", temporary, object, runtime,
                                 "-lm", "-lpthread", "-s", "-Wl,--gc-sections"},
                                std::nullopt, {}, 0, 0, &message);
  std::error_code error;
  if (status == 0)
    error = llvm::sys::fs::rename(temporary, output);
  if (status != 0 || error)
    std::ignore = llvm::sys::fs::remove(temporary);
  if (status)
    return fail("`cc` could not link the program" +
                (message.empty() ? "" : ": " + message));
  if (error)
    return fail("cannot write `" + output + "`: " + error.message());
  return ExitOk;
}

/// Compiles to a temporary object file and links it.
static int build(const Options &options, PhaseTimes &times) {
  Compilation compilation(options, &times);
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream os(code);
  if (!compilation.generate() || !compilation.lower(Phase::LLVM) ||
      !compilation.emitCode(Phase::Obj, /*withMain=*/true, os))
    return compilation.getExitCode();
  llvm::Expected<llvm::sys::fs::TempFile> object =
      llvm::sys::fs::TempFile::create(options.output + "-%%%%%%.o");
  auto cannotWrite = [&](const std::string &why) {
    return fail("cannot write beside `" + options.output + "`: " + why);
  };
  if (!object)
    return cannotWrite(llvm::toString(object.takeError()));
  llvm::raw_fd_ostream file(object->FD, /*shouldClose=*/false);
  std::error_code error = writeAll(file, code);
  int exitCode = error ? cannotWrite(error.message())
                       : link(object->TmpName, options.output);
  times.done("link");
  llvm::consumeError(object->discard());
  return exitCode;
}

int tdc::buildVerb(const Options &options) {
  int exitCode = ExitOk;
  PhaseTimes times;
  runOnDeepStack([&] { exitCode = build(options, times); });
  if (options.timePhases)
    times.print(llvm::errs());
  return exitCode;
}
