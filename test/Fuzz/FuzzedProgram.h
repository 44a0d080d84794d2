//===- FuzzedProgram.h - any bytes as a program ---------------------------===//
//
// Parses and checks them, with values for arguments and a header for every file
// that the program names; `choice`, by default the number of bytes, chooses the
// machine and the options.
//
//===----------------------------------------------------------------------===//
#ifndef TDC_TEST_FUZZ_FUZZEDPROGRAM_H
#define TDC_TEST_FUZZ_FUZZEDPROGRAM_H

#include "Frontend/TDSLFrontEnd.h"

namespace tdc {

struct FuzzedProgram {
  FuzzedProgram(llvm::StringRef name, llvm::StringRef text, Emitter &emitter)
      : FuzzedProgram(name, text, emitter, text.size()) {}

  FuzzedProgram(llvm::StringRef name, llvm::StringRef text, Emitter &emitter,
                size_t choice) {
    FileId file = sources.add(name, text);
    program->parse(sources, file, diags);
    CheckOptions options;
    options.argumentsAreFinal = choice % 2;
    options.headersAreFinal = choice % 3 == 0;
    options.placement = static_cast<Placement>(choice % 5);
    options.countCudaDevices = [=] { return static_cast<int64_t>(choice % 4); };
    options.readHeader = [](llvm::StringRef path, llvm::StringRef) {
      FileHeader header;
      header.dtype = path.size() % 2 ? DType::F32 : DType::I64;
      header.dims.assign(path.size() % 4, 8);
      return std::optional<FileHeader>(header);
    };
    program->check(options, diags, emitter);
  }

  SourceManager sources;
  DiagnosticEngine diags{sources};
  std::unique_ptr<FrontEnd> program = createTDSLFrontEnd();
};

} // namespace tdc

#endif // TDC_TEST_FUZZ_FUZZEDPROGRAM_H
