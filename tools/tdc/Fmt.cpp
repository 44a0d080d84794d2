//===- Fmt.cpp - tdc fmt --------------------------------------------------===//

#include "Compilation/DeepStack.h"
#include "Frontend/Formatter.h"
#include "OutputFile.h"
#include "Programs.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// Formats one file, or standard input to standard output if its name is `-`.
static int formatProgram(const Options &options, Terminal &terminal) {
  SourceManager sources;
  bool isStandardInput = options.file == "-";
  FileId file = 0;
  if (isStandardInput) {
    std::unique_ptr<llvm::MemoryBuffer> input = readStandardInput(terminal);
    if (!input)
      return ExitRunTime;
    file = sources.add("<stdin>", std::move(input));
  } else {
    llvm::ErrorOr<FileId> opened = sources.open(options.file);
    if (!opened) {
      terminal.failed(ExitRunTime,
                      "cannot read `" + options.file +
                          "`: " + opened.getError().message(),
                      {});
      return ExitRunTime;
    }
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
    return writeFile(options, options.file, *text);
  return ExitOk;
}

int tdc::fmtVerb(const Options &options) {
  int worst = ExitOk;
  Terminal terminal(options);
  runOnDeepStack([&] {
    worst = forEachProgram(options, terminal, [&](Options &one) {
      return formatProgram(one, terminal);
    });
  });
  return worst;
}
