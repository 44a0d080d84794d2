//===- Emit.cpp - tdc emit ------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Dialect/TD/IR/TD.h"
#include "Graph/Graph.h"
#include "OutputFile.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace tdc;

/// Writes the program as a graph to `text`. Returns false if that fails.
static bool draw(Compilation &compilation, Terminal &terminal,
                 const Options &options, llvm::SmallVectorImpl<char> &text) {
  if (!compilation.generate() || !compilation.lower(Phase::Placed))
    return false;
  Graph graph = makeGraph(compilation.getModule(), compilation.getSources());
  if (graph.nodes.empty()) {
    terminal.failed(ExitProgramError,
                    "`" + options.file +
                        "` computes no tensors: there is nothing to draw",
                    "");
    return false;
  }
  llvm::raw_svector_ostream os(text);
  printGraph(os, llvm::sys::path::filename(options.file), graph,
             options.graph == "html");
  return true;
}

/// Writes the program after the requested phase to `text`. Returns false if
/// that fails.
static bool produce(Compilation &compilation, const Options &options,
                    llvm::SmallVectorImpl<char> &text) {
  if (!compilation.generate() || !compilation.lower(options.phase))
    return false;
  llvm::raw_svector_ostream os(text);
  if (options.phase >= Phase::LLVM)
    return compilation.emitCode(options.phase, /*withMain=*/false, os);
  if (options.phase == Phase::PTX) {
    compilation.getModule()->walk([&](td::ImageOp image) {
      if (!image.getCubin())
        os << image.getData();
    });
    return true;
  }
  mlir::OpPrintingFlags flags;
  if (options.verbose)
    flags.enableDebugInfo();
  compilation.getModule()->print(os, flags);
  os << "\n";
  return true;
}

int tdc::emitVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    Terminal terminal(options);
    Compilation compilation(options, terminal);
    llvm::SmallString<0> text;
    if (!(options.graph.empty() ? produce(compilation, options, text)
                                : draw(compilation, terminal, options, text)))
      exitCode = compilation.getExitCode() ? compilation.getExitCode()
                                           : ExitProgramError;
    else if (options.output.empty() || options.output == "-")
      llvm::outs() << text;
    else
      exitCode = writeFile(options, options.output, text);
  });
  return exitCode;
}
