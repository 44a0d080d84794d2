//===- tdc-sema.cpp - run the checker and print what it emits -------------===//
//
// tdc-sema x.tdsl [--run] [--set name=value]… [--header f=f32:10,2]…
//          [--placement mode] [--sim-cuda n]
//
// Prints the emitter's calls (nothing if there are errors), then diagnostics on
// standard error. --run treats arguments and file headers as final, as `tdc
// run` does. Exit code 1 if there are errors.
//
//===----------------------------------------------------------------------===//

#include "Frontend/TDSLFrontEnd.h"
#include "TextEmitter.h"

using namespace tdc;

int main(int argc, char **argv) {
  CheckOptions options;
  options.devicesAreFinal = true;
  llvm::StringMap<FileHeader> headers;
  llvm::StringRef input;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word(argv[i]), value(i + 1 < argc ? argv[i + 1] : "");
    auto [key, text] = value.split('=');
    if (word == "--run") {
      options.argumentsAreFinal = options.headersAreFinal = true;
    } else if (word == "--set") {
      options.arguments[key] = text.str(), ++i;
    } else if (word == "--placement") {
      options.placement = parsePlacement(value), ++i;
    } else if (word == "--sim-cuda") {
      int64_t count = 0;
      value.getAsInteger(10, count), ++i;
      options.countCudaDevices = [count] { return count; };
    } else if (word == "--header") {
      auto [dtype, sizes] = text.split(':');
      FileHeader &header = headers[key];
      header.dtype = *parseDType(dtype);
      for (llvm::StringRef size : llvm::split(sizes, ','))
        if (!size.getAsInteger(10, header.dims.emplace_back()))
          continue;
      ++i;
    } else {
      input = word;
    }
  }
  options.readHeader = [&](llvm::StringRef path,
                           llvm::StringRef) -> std::optional<FileHeader> {
    auto found = headers.find(path);
    if (found == headers.end())
      return std::nullopt;
    return found->second;
  };
  SourceManager sources;
  llvm::ErrorOr<FileId> file = sources.open(input);
  if (!file) {
    llvm::errs() << "cannot read " << input << '\n';
    return 2;
  }
  DiagnosticEngine diags(sources);
  std::unique_ptr<FrontEnd> program = createTDSLFrontEnd();
  program->parse(sources, *file, diags);
  std::string text;
  llvm::raw_string_ostream os(text);
  TextEmitter emitter(os);
  program->check(options, diags, emitter);
  if (!diags.hasErrors())
    llvm::outs() << text;
  llvm::outs().flush();
  diags.printText(llvm::errs());
  return diags.hasErrors();
}
