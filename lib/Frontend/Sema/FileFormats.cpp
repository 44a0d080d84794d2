//===- FileFormats.cpp - which files can be read and written --------------===//

#include "FileFormats.h"
#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// First in the order of FileContents, then formats that are only read, then
/// files that are not read.
enum class EndingKind : uint8_t { Tensor, State, Loaded, PyTorch, Other };

struct Ending {
  EndingKind kind;
  llvm::StringLiteral text;
};

struct Format {
  llvm::StringLiteral contents, ending;
};
} // namespace

static constexpr Ending kEndings[] = {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION)                        \
  {EndingKind::CONTENTS, ENDING},
#define TENSOR_FILE(LOADER, ENDING) {EndingKind::Loaded, ENDING},
#define FILE_ENDING(KIND, ENDING) {EndingKind::KIND, ENDING},
#include "tdc_file_formats.def"
};

static Format formatOf(FileContents contents) {
  static constexpr Format formats[] = {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION) {NAME, ENDING},
#include "tdc_file_formats.def"
  };
  return formats[static_cast<unsigned>(contents)];
}

/// The line of Python that converts one of PyTorch's files to a format that is
/// read.
static std::string conversion(FileContents contents, const std::string &from,
                              const std::string &to) {
  switch (contents) {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION)                        \
  case FileContents::CONTENTS:                                                 \
    return CONVERSION;
#include "tdc_file_formats.def"
  }
  llvm_unreachable("all contents are there");
}

/// The known end of the file's name: for a text that is made when the program
/// runs, the part after its last value.
static llvm::StringRef knownName(const Val &path) {
  if (!path.data)
    return "";
  llvm::StringRef text = textOf(path);
  if (!path.known)
    text = text.substr(text.rfind('}') + 1);
  return text.substr(text.rfind('/') + 1);
}

/// The ending of a path: `.npy` of `x.npy`. Null for `x`, for `model-0.1`,
/// where the dot belongs to the name, and for a path that is not known.
static const Ending *endingOf(const Val &path) {
  for (const Ending &ending : kEndings)
    if (knownName(path).ends_with_insensitive(ending.text))
      return &ending;
  return nullptr;
}

/// Whether the path is known to be empty, which no file's is; reports it.
static bool isEmpty(Checker &c, const Val &path) {
  bool isEmpty = path.known && textOf(path).empty();
  if (isEmpty)
    c.error(DiagCode::TD222, path.range, "the path is empty");
  return isEmpty;
}

bool sema::canWrite(Checker &c, const Val &path, FileContents contents) {
  if (isEmpty(c, path))
    return false;
  const Ending *ending = endingOf(path);
  Format format = formatOf(contents);
  if (!ending || ending->kind == static_cast<EndingKind>(contents))
    return true;
  Diagnostic &report = c.error(DiagCode::TD222, path.range,
                               format.contents + " is saved as " +
                                   format.ending + ", not " + ending->text);
  if (path.known) {
    llvm::StringRef text = textOf(path);
    std::string other =
        ("\"" + text.drop_back(ending->text.size()) + format.ending + "\"")
            .str();
    if (c.text(path.range) == ("\"" + text + "\"").str())
      report.fix(FixIt::Choice, "`" + other + "`", {{path.range, other}});
    else
      report.note("the path is \"" + text + "\": make it " + other);
  }
  if (ending->kind == EndingKind::PyTorch)
    report.note(contents == FileContents::Tensor
                    ? "PyTorch reads it by `torch.from_numpy(numpy.load(…))`"
                    : "PyTorch reads it by `safetensors.torch.load_file(…)`");
  return false;
}

bool sema::canRead(Checker &c, const Val &path, FileContents contents) {
  if (isEmpty(c, path))
    return false;
  const Ending *ending = endingOf(path);
  if (!ending || ending->kind <= EndingKind::Loaded)
    return true;
  bool isPyTorch = ending->kind == EndingKind::PyTorch;
  Diagnostic &report =
      c.error(DiagCode::TD222, path.range,
              ending->text + " files" + (isPyTorch ? " of PyTorch" : "") +
                  " cannot be read");
  if (!isPyTorch)
    return false;
  // The names of the two files, where they are known.
  std::string from = "…", to = "…";
  if (path.known) {
    llvm::StringRef text = textOf(path);
    from = ("\"" + text + "\"").str();
    to = ("\"" + text.drop_back(ending->text.size()) +
          formatOf(contents).ending + "\"")
             .str();
  }
  report.note("in Python: `" + conversion(contents, from, to) + "`");
  return false;
}

std::optional<bool> sema::readTolerance(Checker &c,
                                        const CallArgs::Keyword &keyword,
                                        Emitter::Tolerance &tolerance) {
  llvm::StringRef name = keyword.name.text;
  if (name != "strict" && name != "cast")
    return false;
  std::optional<bool> given =
      c.host.requireBool(keyword.val, ("`" + name + "`").str());
  if (!given)
    return std::nullopt;
  if (name == "strict")
    tolerance.lenient = !*given;
  else
    tolerance.casts = *given;
  return true;
}
