//===- FileFormats.cpp - which files can be read and written --------------===//

#include "FileFormats.h"
#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

/// The file's name as far as it is known: of a text that is made when the
/// program runs, what stands behind the last value.
static llvm::StringRef knownName(const Val &path) {
  if (!path.data)
    return "";
  llvm::StringRef text = textOf(path);
  if (!path.known)
    text = text.substr(text.rfind('}') + 1);
  return text.substr(text.rfind('/') + 1);
}

/// `.npy` of `x.npy`; empty for `x` and for what is not known.
static llvm::StringRef endingOf(const Val &path) {
  llvm::StringRef name = knownName(path);
  size_t dot = name.rfind('.');
  return dot == llvm::StringRef::npos ? "" : name.substr(dot);
}

static llvm::StringRef formatOf(FileContents contents) {
  return contents == FileContents::Tensor ? ".npy" : ".safetensors";
}

static bool isOfPyTorch(llvm::StringRef ending) {
  static const llvm::StringLiteral endings[] = {".pt", ".pth", ".bin", ".ckpt",
                                                ".pkl"};
  return llvm::is_contained(endings, ending);
}

bool sema::canWrite(Checker &c, const Val &path, FileContents contents) {
  llvm::StringRef ending = endingOf(path), format = formatOf(contents);
  if (ending.empty() || ending == format)
    return true;
  bool isTensor = contents == FileContents::Tensor;
  Diagnostic &report =
      c.error(DiagCode::TD222, path.range,
              (isTensor ? "a tensor is saved as " : "state is saved as ") +
                  format + ", not " + ending);
  if (path.known)
    report.fix(FixIt::Choice,
               "`\"" + textOf(path).drop_back(ending.size()) + format + "\"`",
               {});
  if (isOfPyTorch(ending))
    report.note(isTensor
                    ? "PyTorch reads it by `torch.from_numpy(numpy.load(…))`"
                    : "PyTorch reads it by `safetensors.torch.load_file(…)`");
  return false;
}

bool sema::canRead(Checker &c, const Val &path, FileContents contents) {
  llvm::StringRef ending = endingOf(path);
  if (!isOfPyTorch(ending))
    return true;
  Diagnostic &report = c.error(DiagCode::TD222, path.range,
                               ending + " files of PyTorch cannot be read");
  // The names of the two files, where they are known.
  std::string from = "…", to = "…";
  if (path.known) {
    llvm::StringRef text = textOf(path);
    from = ("\"" + text + "\"").str();
    to = ("\"" + text.drop_back(ending.size()) + formatOf(contents) + "\"")
             .str();
  }
  report.note(contents == FileContents::Tensor
                  ? "in Python: `numpy.save(" + to + ", torch.load(" + from +
                        ").numpy())`"
                  : "in Python: `safetensors.torch.save_file(torch.load(" +
                        from + "), " + to + ")`");
  return false;
}
