//===- Depfile.cpp - a rule of make for a program -------------------------===//
//
// The target has the name that it has on the command line, by which the build
// system knows it. The names of files are absolute: CMake reads the rule in
// another folder than the one where tdc has run. For make, the name of a target
// with a `%` is a pattern: no quoting of it suits make, ninja and CMake alike.
//
//===----------------------------------------------------------------------===//

#include "Depfile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tdc;

/// Quotes a name as make, ninja and CMake read it.
static std::string quote(llvm::StringRef name) {
  std::string quoted;
  for (size_t i = 0; i != name.size(); ++i) {
    if (name[i] == ' ') {
      // Backslashes before a space are read as quotes.
      llvm::StringRef before = name.take_front(i);
      quoted.append(before.size() - before.rtrim('\\').size() + 1, '\\');
    } else if (name[i] == '#') {
      quoted += '\\';
    } else if (name[i] == '$') {
      quoted += '$';
    }
    quoted += name[i];
  }
  return quoted;
}

std::string tdc::getRule(llvm::StringRef target,
                         const std::set<std::string> &files) {
  std::set<std::string> paths;
  for (const std::string &file : files) {
    llvm::SmallString<128> path(file);
    if (!llvm::sys::fs::exists(path) || llvm::sys::fs::make_absolute(path))
      continue;
    llvm::sys::path::remove_dots(path);
    paths.insert(path.str().str());
  }
  std::string rule = quote(target) + ":";
  for (const std::string &path : paths)
    rule += " \\\n  " + quote(path);
  return rule + "\n";
}
