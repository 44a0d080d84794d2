//===- Compilation.h - compiles one program -------------------------------===//
//
// The command line and the embedding API share this code: it reads and checks a
// program and runs the phases after that, each step at most once. It tells a
// listener each finding as soon as it is known, and prints nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_COMPILATION_COMPILATION_H
#define TDC_COMPILATION_COMPILATION_H

#include "Compilation/CompileOptions.h"
#include "Compilation/Listener.h"
#include "Frontend/TDSLFrontEnd.h"
#include "Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <set>

namespace tdc {

class HostTarget;

class Compilation {
public:
  /// `options` and `listener` must outlive the compilation.
  Compilation(const CompileOptions &options, Listener &listener,
              MakeFrontEnd makeFrontEnd = createTDSLFrontEnd);
  ~Compilation();

  /// Makes the compilation read the program from `text`, not from its file.
  void setText(llvm::StringRef text) { file = sources.add(options.file, text); }

  /// Makes imports of the file at `path` read `text`.
  void replaceFile(llvm::StringRef path, llvm::StringRef text) {
    sources.replaceFile(path, text);
  }

  /// Makes `follower` follow the check; it must outlive the compilation.
  void setObserver(CheckObserver &follower) { observer = &follower; }

  /// The text of the program, once it has been read.
  llvm::StringRef getText() const { return sources.getText(file); }

  /// Reads and checks the program. Returns the diagnostics and does not tell
  /// them to the listener.
  const DiagnosticEngine &inspect();

  /// Compiles the version for a machine with `gpus` GPUs. `checked` has checked
  /// the program for all machines: its warnings are not reported again.
  void setMachine(int64_t gpus, const Compilation &checked) {
    machine = gpus;
    fixedArguments = checked.fixedArguments;
  }

  /// The numbers of GPUs that `tdc build` makes versions for, largest first.
  /// Known after generate().
  llvm::ArrayRef<int64_t> getVersions() const { return machines.versions; }

  /// Marks the module as one of several versions: it is for a machine with
  /// `gpus` GPUs and is named `symbol`. `otherwise` is the symbol of the next
  /// version, "" for the last. `simLibrary` is the path of the simulated
  /// driver, or "".
  void setVersion(int64_t gpus, llvm::StringRef symbol,
                  llvm::StringRef otherwise, llvm::StringRef simLibrary);

  const SourceManager &getSources() const { return sources; }

  /// The names of the files that the result depends on: the program, its
  /// imports, and the data files whose headers the check asked for, which may
  /// be missing.
  std::set<std::string> getFiles() const;

  /// The range of a location in the user's files; invalid if it is in none.
  SourceRange getRange(mlir::Location location) const;

  /// The sizes that were read from data files. Known after generate().
  llvm::ArrayRef<FileSize> getFileSizes() const { return fileSizes; }

  /// The types of the exported functions, as they are written. Known after
  /// generate().
  std::vector<Signature> getSignatures() const {
    return program->getSignatures();
  }

  /// The file of the program.
  FileId getFile() const { return file; }

  /// Reads and checks the program and generates td IR. If it returns true,
  /// getModule() is not null.
  bool generate();

  /// Runs the MLIR phases on the module up to and including `last`.
  bool lower(Phase last);

  /// Writes LLVM IR, assembly or an object after lower(Phase::LLVM).
  bool emitCode(Phase kind, bool withMain, llvm::raw_pwrite_stream &os);

  /// Makes object code in memory after lower(Phase::LLVM), on up to four
  /// threads.
  bool emitObjects(
      llvm::SmallVectorImpl<std::unique_ptr<llvm::MemoryBuffer>> &objects);

  mlir::ModuleOp getModule() { return *module; }

  /// The program's first error as one line of text; "" if it has none.
  std::string getFirstError() const;

  /// The exit code after a function above has returned false.
  ExitCode getExitCode() const { return exitCode; }

private:
  /// The processor to generate code for; null after reporting an error.
  const HostTarget *getTarget();
  bool parse();
  bool checkSet();
  bool walk(Emitter &emitter);
  bool fixArguments(const DiagnosticEngine &found);
  unsigned countUnknown();
  /// Releases those of the fixed arguments `names` without which no more than
  /// `least` values are unknown.
  void release(llvm::ArrayRef<llvm::StringRef> names, unsigned least);
  void tellFixedArguments();
  CheckOptions getCheckOptions();
  bool reportDiagnostics();
  void requireDevice(uint32_t ordinal, const llvm::Twine &title);
  void setDevices();
  void setMemory();
  void fitMemory();
  std::optional<int64_t> readSimulatedMemory();
  void tellLargestBatch(Diagnostic &report);
  llvm::StringRef getBatchSize() const;
  /// Whether the program fits on its GPUs with this batch size; nullopt if it
  /// does not compile for another reason.
  std::optional<bool> fitsWith(int64_t batchSize);
  bool fail(ExitCode code);
  bool fail(ExitCode code, const llvm::Twine &problem,
            const llvm::Twine &hint = {});
  bool runTo(Phase last);
  void guardTransfers();
  bool assembleImages();
  void reportFromPass(const mlir::Diagnostic &diagnostic);
  void reportBug(mlir::Location location, llvm::StringRef text);

  const CompileOptions &options;
  Listener &listener;
  MakeFrontEnd makeFrontEnd;
  std::unique_ptr<HostTarget> target;
  SourceManager sources;
  DiagnosticEngine diags;
  std::unique_ptr<FrontEnd> program;
  std::vector<BatchSize> batchSizes; ///< of its loaders
  bool isTrial = false;              ///< this tries another batch size
  bool isTooLarge = false;           ///< the program does not fit on a GPU
  /// On the fullest GPU, the bytes that fit in addition to the state divided by
  /// the bytes that the program needs in addition to the state.
  double batchShare = 1;
  std::vector<FileSize> fileSizes;
  std::set<std::string> dataFiles; ///< whose headers the check asked for
  /// `arg`s that must be known to compile and are fixed at their defaults.
  llvm::StringSet<> fixedArguments;
  SourceRange neededAt; ///< the first use that needs one of them
  std::vector<Diagnostic> withAnyArguments; ///< found before any was fixed
  std::optional<int64_t> machine; ///< GPUs; nullopt: those of the options
  Machines machines;              ///< that the program is for
  FileId file = 0;
  CheckObserver *observer = nullptr;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Phase reached = Phase::TD; ///< the last phase that has run on `module`
  ExitCode exitCode = ExitOk;
};

} // namespace tdc

#endif // TDC_COMPILATION_COMPILATION_H
