//===- FileFormats.cpp - which files are read and written -----------------===//

#include "formats/FileFormats.h"
#include "base/File.h"
#include <strings.h>

using namespace tdrt;

namespace {

/// In the order of FileContents, then other formats that are read, then formats
/// that are not.
enum class EndingKind : uint8_t { Tensor, State, Loaded, PyTorch, Other };

struct Ending {
  EndingKind kind;
  const char *text;
};

const Ending kEndings[] = {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION)                        \
  {EndingKind::CONTENTS, ENDING},
#define TENSOR_FILE(LOADER, ENDING) {EndingKind::Loaded, ENDING},
#define FILE_ENDING(KIND, ENDING) {EndingKind::KIND, ENDING},
#include "tdc_file_formats.def"
};

struct Format {
  const char *contents, *ending;
};

const Format kFormats[] = {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION) {NAME, ENDING},
#include "tdc_file_formats.def"
};

std::string conversion(FileContents contents) {
  const std::string from = "…";
  const std::string to =
      std::string("\"…") + kFormats[static_cast<int>(contents)].ending + "\"";
  switch (contents) {
#define FILE_FORMAT(CONTENTS, NAME, ENDING, CONVERSION)                        \
  case FileContents::CONTENTS:                                                 \
    return CONVERSION;
#include "tdc_file_formats.def"
  }
  return {};
}

const Ending *endingOf(const std::string &path) {
  for (const Ending &ending : kEndings)
    if (hasEnding(path, ending.text))
      return &ending;
  return nullptr;
}

} // namespace

bool tdrt::hasEnding(const std::string &path, const std::string &ending) {
  return path.size() >= ending.size() &&
         strcasecmp(path.c_str() + path.size() - ending.size(),
                    ending.c_str()) == 0;
}

void tdrt::checkReadable(const std::string &path, FileContents contents) {
  const Ending *ending = endingOf(path);
  if (!ending || ending->kind <= EndingKind::Loaded)
    return;
  std::string files = std::string(ending->text) + " files";
  if (ending->kind == EndingKind::PyTorch)
    failFile(705, -1,
             files + " of PyTorch cannot be read; in Python: " +
                 conversion(contents));
  failFile(705, -1, files + " cannot be read");
}

void tdrt::checkWrittenFormat(const std::string &path, FileContents contents) {
  if (path.empty())
    failFile(751, -1, "the path is empty");
  const Ending *ending = endingOf(path);
  const Format &format = kFormats[static_cast<int>(contents)];
  if (ending && ending->kind != static_cast<EndingKind>(contents))
    failFile(754, -1,
             std::string(format.contents) + " is saved as " + format.ending +
                 ", not " + ending->text);
}
