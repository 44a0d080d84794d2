//===- Compilation.h - one program on its way through tdc -----------------===//
//
// What the command line and the embedding API share: reading and checking a
// program, and the phases after it, each step at most once. What is found is
// told to a listener as soon as it is known; nothing is printed here.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_COMPILATION_COMPILATION_H
#define TDC_COMPILATION_COMPILATION_H

#include "Compilation/CompileOptions.h"
#include "Compilation/Listener.h"
#include "Frontend/FrontEnd.h"
#include "Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tdc {

class HostTarget;

class Compilation {
public:
  /// Both must live as long.
  Compilation(const CompileOptions &options, Listener &listener,
              MakeFrontEnd makeFrontEnd = createTDSLFrontEnd);
  ~Compilation();

  /// Reads the program from here and not from its file.
  void setText(llvm::StringRef text) { file = sources.add(options.file, text); }

  /// The text of the program, once it has been read.
  llvm::StringRef getText() const { return sources.getText(file); }

  /// Reads and checks the program and tells nothing of what is found.
  const DiagnosticEngine &inspect();

  /// Makes the version for a machine with so many GPUs of a program that
  /// `checked` has checked for all machines, and says nothing of it again.
  void setMachine(int64_t gpus, const Compilation &checked) {
    machine = gpus;
    fixedArguments = checked.fixedArguments;
  }

  /// For how many GPUs `tdc build` makes versions, most first. Known after
  /// generate().
  llvm::ArrayRef<int64_t> getMachines() const { return machines; }

  /// The module is one of several versions: for a machine with so many GPUs,
  /// under the name `symbol`. `otherwise` names the next; "" if it is the last.
  /// `simLibrary` is the path of the simulated driver, or "".
  void setVersion(int64_t gpus, llvm::StringRef symbol,
                  llvm::StringRef otherwise, llvm::StringRef simLibrary);

  const SourceManager &getSources() const { return sources; }

  /// The place of a location in the user's files.
  SourceRange getRange(mlir::Location location) const;

  /// The sizes that data files have said. Known after generate().
  llvm::ArrayRef<FileSize> getFileSizes() const { return fileSizes; }

  /// The file of the program.
  FileId getFile() const { return file; }

  /// Reads and checks the program and makes td IR; then getModule() is not
  /// null.
  bool generate();

  /// Takes the module through the MLIR phases up to and including `last`.
  bool lower(Phase last);

  /// Writes LLVM IR, assembly or an object after lower(Phase::LLVM).
  bool emitCode(Phase kind, bool withMain, llvm::raw_pwrite_stream &os);

  /// Makes object code in memory after lower(Phase::LLVM), on up to four
  /// processors.
  bool emitObjects(
      llvm::SmallVectorImpl<std::unique_ptr<llvm::MemoryBuffer>> &objects);

  mlir::ModuleOp getModule() { return *module; }

  /// The first mistake of the program, in a line; "" if it has none.
  std::string getFirstError() const;

  /// Why one of the above has answered false.
  ExitCode getExitCode() const { return exitCode; }

private:
  /// The processor to make code for; null after an error was reported.
  const HostTarget *getTarget();
  bool parse();
  bool checkSet();
  bool walk(Emitter &emitter);
  bool fixArguments(const DiagnosticEngine &found);
  unsigned countUnknown();
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
  /// Nothing if the program is none with this size, for another reason.
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
  bool isTrial = false;              ///< of another batch size
  bool isTooLarge = false;           ///< for a GPU
  /// What fits beside the state on the GPU that is the fullest, as a part of
  /// what the program needs there.
  double batchShare = 1;
  std::vector<FileSize> fileSizes;
  /// `arg`s that have to be known here and so have their defaults.
  llvm::StringSet<> fixedArguments;
  SourceRange neededAt; ///< where the first of them is needed
  std::vector<Diagnostic> withAnyArguments; ///< found before that
  std::optional<int64_t> machine; ///< GPUs; none: those of the options
  llvm::SmallVector<int64_t> machines;
  FileId file = 0;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Phase reached = Phase::TD; ///< by `module`
  ExitCode exitCode = ExitOk;
};

} // namespace tdc

#endif // TDC_COMPILATION_COMPILATION_H
