//===- Libraries.cpp - finds the libraries that are installed with tdc ----===//

#include "Libraries.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

std::string tdc::findLibrary(llvm::StringRef name) {
  static int anchor;
  llvm::SmallString<128> folder(
      llvm::sys::fs::getMainExecutable("tdc", &anchor));
  llvm::sys::path::remove_filename(folder);
  for (llvm::StringRef where : {"", "../lib"}) {
    llvm::SmallString<128> path = folder;
    llvm::sys::path::append(path, where, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}
