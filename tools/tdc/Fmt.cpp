//===- Fmt.cpp - tdc fmt --------------------------------------------------===//

#include "Compilation/DeepStack.h"
#include "Frontend/Formatter.h"
#include "OutputFile.h"
#include "Programs.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

static int reportUnreadable(Terminal &terminal, llvm::StringRef name,
                            std::error_code error) {
  terminal.failed(ExitRunTime, "cannot read `" + name + "`: " + error.message(),
                  "");
  return ExitRunTime;
}

/// Formats one file, or standard input to standard output if its name is `-`.
static int formatProgram(const Options &options) {
  Terminal terminal(options);
  SourceManager sources;
  bool isStandardInput = options.file == "-";
  FileId file = 0;
  if (isStandardInput) {
    auto input = llvm::MemoryBuffer::getSTDIN();
    if (!input)
      return reportUnreadable(terminal, options.file, input.getError());
    file = sources.add("<stdin>", std::move(*input));
  } else {
    llvm::ErrorOr<FileId> opened = sources.open(options.file);
    if (!opened)
      return reportUnreadable(terminal, options.file, opened.getError());
    file = *opened;
  }
  DiagnosticEngine diags(sources);
  std::optional<std::string> text = formatFile(sources, file, diags);
  if (!text) {
    terminal.found(diags);
    return ExitProgramError;
  }
  bool changes = *text != sources.getText(file);
  if (options.checksFormat) {
    if (changes)
      llvm::outs() << sources.getName(file) << "\n";
    return changes ? ExitProgramError : ExitOk;
  }
  if (isStandardInput)
    llvm::outs() << *text;
  else if (changes)
    return writeFile(options.file, *text);
  return ExitOk;
}

int tdc::fmtVerb(const Options &options) {
  int worst = ExitOk;
  Terminal terminal(options);
  runOnDeepStack(
      [&] { worst = forEachProgram(options, terminal, formatProgram); });
  return worst;
}
