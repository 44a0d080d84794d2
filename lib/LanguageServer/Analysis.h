//===- Analysis.h - the check of one version of a document ----------------===//

#ifndef TDC_LIB_LANGUAGESERVER_ANALYSIS_H
#define TDC_LIB_LANGUAGESERVER_ANALYSIS_H

#include "Frontend/CheckObserver.h"
#include "Frontend/Diagnostics.h"
#include "Text.h"
#include "llvm/ADT/DenseMap.h"
#include <atomic>
#include <chrono>
#include <map>

namespace tdc {

/// Open documents by path.
using OpenTexts = std::map<std::string, std::shared_ptr<const Text>>;

/// A check runs once, on a thread of its own; when it has ended, any number of
/// threads may read what it found.
class Analysis : CheckObserver {
public:
  /// `open` has the texts that imports read in place of files.
  Analysis(std::string path, std::shared_ptr<const Text> text,
           const OpenTexts &open);
  ~Analysis() override;

  /// Checks the program. Returns whether it came to the end.
  bool run();
  /// Ends a running check soon. May be called on any thread.
  void cancel() { cancelled = true; }

  /// Asks run() for the members of the expressions that end at an offset of the
  /// document. The check ends when they are known, or the time is up.
  void wantMembersAt(uint32_t offset, std::chrono::milliseconds time) {
    membersAt = offset;
    deadline = std::chrono::steady_clock::now() + time;
  }
  const std::vector<std::string> &getMembers() const { return members; }

  const std::shared_ptr<const Text> &getText() const { return text; }
  const SourceManager &getSources() const;
  FileId getFile() const { return file; }
  /// In the order of files and positions.
  llvm::ArrayRef<const Diagnostic *> getDiagnostics() const {
    return diagnostics;
  }
  /// What a range of the document is, each meaning once: a few of them, but for
  /// a member all of its declarations.
  llvm::ArrayRef<Meaning> getMeanings(uint32_t begin, uint32_t end) const;

  /// A tensor or model that the compiler brings to another device.
  struct Copy {
    SourceRange range;
    std::string place;
  };
  llvm::ArrayRef<Copy> getCopies() const { return copies; }

private:
  bool wants(SourceRange range) override;
  void found(SourceRange range, Meaning meaning) override;
  bool wantsMembers(SourceRange range) override;
  void foundMembers(SourceRange range, std::vector<std::string> names) override;
  void brought(SourceRange range, std::string place) override;
  bool isCancelled() const override;

  struct Meanings {
    unsigned evaluations = 0;
    llvm::SmallVector<Meaning, 1> all;
  };

  struct Program;
  std::unique_ptr<Program> program;
  std::shared_ptr<const Text> text;
  FileId file;
  std::vector<const Diagnostic *> diagnostics;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Meanings> meanings;
  std::vector<Copy> copies;
  std::optional<uint32_t> membersAt;
  std::chrono::steady_clock::time_point deadline;
  std::vector<std::string> members;
  std::atomic<bool> cancelled = false;
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_ANALYSIS_H
