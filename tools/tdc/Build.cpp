//===- Build.cpp - tdc build ----------------------------------------------===//
//
// Compiles each version of the program to an object file. The system's C
// compiler links them with the runtime's archive into an executable that needs
// libc, libm and libpthread. The runtime chooses the version when the program
// starts.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Compilation/Machine.h"
#include "Depfile.h"
#include "Libraries.h"
#include "OutputFile.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <set>
#include <tuple>

using namespace tdc;

static int fail(const llvm::Twine &what) {
  reportUsage(what, "");
  return ExitRunTime;
}

/// The absolute path of the output, with symbolic links resolved, so that `cc`
/// cannot take a name for an option.
static llvm::SmallString<128> getTarget(llvm::StringRef output) {
  llvm::SmallString<128> target;
  if (llvm::sys::fs::real_path(output, target)) {
    target = output;
    std::ignore = llvm::sys::fs::make_absolute(target);
  }
  return target;
}

static int failToWrite(llvm::StringRef output, llvm::Error error) {
  return fail("cannot write `" + output +
              "`: " + llvm::toString(std::move(error)));
}

/// Links to a temporary file in the folder of the output and renames it, so
/// that a failure leaves no incomplete program.
static int link(llvm::ArrayRef<llvm::StringRef> objects,
                llvm::StringRef output) {
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName("cc");
  if (!compiler)
    return fail("`tdc build` links with `cc`, and there is none on the PATH "
                "(on Debian: apt install gcc libc6-dev)");
  std::string runtime = findLibrary("libtdc_rt.a");
  if (runtime.empty())
    return fail("libtdc_rt.a is not next to tdc");
  llvm::SmallString<128> target = getTarget(output);
  llvm::Expected<llvm::sys::fs::TempFile> program =
      llvm::sys::fs::TempFile::create(target + ".tmp-%%%%%%");
  if (!program)
    return failToWrite(output, program.takeError());
  std::string message;
  llvm::SmallVector<llvm::StringRef> words = {*compiler, "-o",
                                              program->TmpName};
  llvm::append_range(words, objects);
  words.append({runtime, "-lm", "-lpthread", "-s", "-Wl,--gc-sections"});
  int status = llvm::sys::ExecuteAndWait(*compiler, words, std::nullopt, {}, 0,
                                         0, &message);
  if (status) {
    llvm::consumeError(program->discard());
    return fail("`cc` could not link the program" +
                (message.empty() ? "" : ": " + message));
  }
  llvm::Error error = program->keep(target);
  return error ? failToWrite(output, std::move(error)) : int(ExitOk);
}

/// The symbol of version number `index`; "" past the last version.
static std::string getSymbol(size_t index, llvm::ArrayRef<int64_t> versions) {
  if (index == versions.size())
    return "";
  return index == 0 ? "tdc_program"
                    : "tdc_program_" + std::to_string(versions[index]);
}

/// What a program was compiled to, and from.
struct Compiled {
  std::vector<llvm::SmallString<0>> objects; ///< one for each version
  std::set<std::string> files;
};

/// Compiles all versions, each to an object file.
static int compile(const Options &options, Terminal &terminal,
                   Compiled &result) {
  Compilation checked(options, terminal);
  if (!checked.generate())
    return checked.getExitCode();
  // It has checked the program for all machines.
  result.files = checked.getFiles();
  llvm::ArrayRef<int64_t> versions = checked.getVersions();
  for (auto [index, gpus] : llvm::enumerate(versions)) {
    std::optional<Compilation> other;
    // `checked` is the version for the machine of the options.
    if (gpus != countDevices(options)) {
      other.emplace(options, terminal);
      other->setText(checked.getText());
      other->setMachine(gpus, checked);
      if (!other->generate())
        return other->getExitCode();
    }
    Compilation &version = other ? *other : checked;
    version.setVersion(gpus, getSymbol(index, versions),
                       getSymbol(index + 1, versions),
                       findLibrary("libtdc_sim_cuda.so"));
    llvm::raw_svector_ostream os(result.objects.emplace_back());
    if (!version.lower(Phase::LLVM) ||
        !version.emitCode(Phase::Obj, /*withMain=*/index == 0, os))
      return version.getExitCode();
  }
  return ExitOk;
}

/// A file that is removed when this object is destroyed.
class TemporaryFile {
public:
  /// Writes `content` to a new file in the folder of `output`.
  llvm::Error write(llvm::StringRef output, llvm::StringRef content) {
    llvm::Expected<llvm::sys::fs::TempFile> made =
        llvm::sys::fs::TempFile::create(output + "-%%%%%%.o");
    if (!made)
      return made.takeError();
    file = std::move(*made);
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    return llvm::errorCodeToError(writeAll(os, content));
  }
  ~TemporaryFile() {
    if (file)
      llvm::consumeError(file->discard());
  }
  llvm::StringRef getName() const { return file->TmpName; }

private:
  std::optional<llvm::sys::fs::TempFile> file;
};

/// Compiles to temporary object files and links them.
static int build(const Options &options, Terminal &terminal) {
  if (llvm::sys::fs::exists(options.output) &&
      !llvm::sys::fs::is_regular_file(options.output))
    return fail("cannot write `" + options.output +
                "`: it exists and is not a file");
  Compiled compiled;
  if (int exitCode = compile(options, terminal, compiled))
    return exitCode;
  if (!options.depfile.empty())
    if (int exitCode = writeFile(options, options.depfile,
                                 getRule(options.output, compiled.files)))
      return exitCode;
  std::vector<TemporaryFile> files(compiled.objects.size());
  llvm::SmallVector<llvm::StringRef> names;
  for (auto [file, object] : llvm::zip(files, compiled.objects)) {
    if (llvm::Error error = file.write(getTarget(options.output), object))
      return fail("cannot write next to `" + options.output +
                  "`: " + llvm::toString(std::move(error)));
    names.push_back(file.getName());
  }
  Step step(&terminal, "link");
  return link(names, options.output);
}

int tdc::buildVerb(const Options &options) {
  int exitCode = ExitOk;
  Terminal terminal(options);
  runOnDeepStack([&] { exitCode = build(options, terminal); });
  terminal.finish();
  return exitCode;
}
