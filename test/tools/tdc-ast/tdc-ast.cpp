//===- tdc-ast.cpp - prints the syntax tree of a file ---------------------===//
//
// A test tool: `tdc-ast [--json] file` prints the syntax tree of a file, or,
// if there are errors or warnings, these alone (as JSON with --json).
//
//===----------------------------------------------------------------------===//
#include "Frontend/ASTPrinter.h"
#include "Frontend/Parser.h"

using namespace tdc;

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> args(argv + 1, argc - 1);
  bool asJSON = !args.empty() && llvm::StringRef(args[0]) == "--json";
  args = args.drop_front(asJSON);
  if (args.size() != 1) {
    llvm::errs() << "usage: tdc-ast [--json] file\n";
    return 2;
  }

  SourceManager sources;
  DiagnosticEngine diags(sources);
  ast::Context context;
  llvm::ErrorOr<FileId> file = sources.open(args[0]);
  if (!file) {
    llvm::errs() << args[0] << ": " << file.getError().message() << '\n';
    return 2;
  }
  const ast::Program *program = parseFile(sources, *file, context, diags);
  if (asJSON)
    diags.printJSON(llvm::outs());
  else
    diags.printText(llvm::outs());
  if (diags.hasErrors())
    return 1;
  if (diags.getNumWarnings() == 0)
    ast::print(llvm::outs(), *program);
  return 0;
}
