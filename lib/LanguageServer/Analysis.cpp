//===- Analysis.cpp - the check of one version of a document --------------===//

#include "Analysis.h"
#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"

using namespace tdc;

/// As many evaluations of one range are followed: a loop over the layers of a
/// model is walked for each of them. As many meanings of one declaration are
/// kept.
static constexpr unsigned kMostEvaluations = 4;

struct Analysis::Program {
  explicit Program(std::string path) : compilation(options, silence) {
    options.file = std::move(path);
  }
  CompileOptions options;
  Silence silence;
  Compilation compilation;
};

Analysis::Analysis(std::string path, std::shared_ptr<const Text> text,
                   const OpenTexts &open)
    : program(std::make_unique<Program>(std::move(path))),
      text(std::move(text)) {
  for (const auto &[other, content] : open)
    if (other != program->options.file)
      program->compilation.replaceFile(other, content->get());
  program->compilation.setText(this->text->get());
  program->compilation.setObserver(*this);
  file = program->compilation.getFile();
}

Analysis::~Analysis() = default;

const SourceManager &Analysis::getSources() const {
  return program->compilation.getSources();
}

bool Analysis::run() {
  runOnDeepStack(
      [&] { diagnostics = program->compilation.inspect().getSorted(); });
  return !cancelled;
}

bool Analysis::wants(SourceRange range) {
  return range.file == file &&
         meanings[{range.begin, range.end}].evaluations++ < kMostEvaluations;
}

void Analysis::found(SourceRange range, Meaning meaning) {
  if (range.file != file)
    return;
  auto &all = meanings[{range.begin, range.end}].all;
  auto isKnown = [&](const Meaning &other) {
    return other.declared == meaning.declared &&
           (all.size() >= kMostEvaluations || other == meaning);
  };
  if (llvm::none_of(all, isKnown))
    all.push_back(std::move(meaning));
}

bool Analysis::wantsMembers(SourceRange range) {
  return range.file == file && range.end == membersAt;
}

void Analysis::foundMembers(SourceRange range, std::vector<std::string> names) {
  members = std::move(names);
  if (!members.empty())
    cancel();
}

bool Analysis::isCancelled() const {
  return cancelled ||
         (membersAt && std::chrono::steady_clock::now() > deadline);
}

void Analysis::brought(SourceRange range, std::string place) {
  if (range.file == file && llvm::none_of(copies, [&](const Copy &copy) {
        return copy.range == range && copy.place == place;
      }))
    copies.push_back({range, std::move(place)});
}

llvm::ArrayRef<Meaning> Analysis::getMeanings(uint32_t begin,
                                              uint32_t end) const {
  auto found = meanings.find({begin, end});
  if (found == meanings.end())
    return {};
  return found->second.all;
}
