//===- Versions.cpp - one program on different machines -------------------===//
//
// A program that asks for the devices of its machine has a version for each
// kind of machine. Mistakes in any of them are told, those of several once.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// What was found in one version.
struct Version {
  Version(int64_t cudaDevices, const SourceManager &sources)
      : cudaDevices(cudaDevices), diags(sources) {}

  bool has(const Diagnostic &report) const {
    return llvm::any_of(diags.getSorted(), [&](const Diagnostic *own) {
      return own->code == report.code &&
             own->primary.range == report.primary.range;
    });
  }

  int64_t cudaDevices;
  DiagnosticEngine diags;
};
} // namespace

/// The machines that a report is about, unless it is about all.
static std::string
describeMachines(const Diagnostic &report,
                 llvm::ArrayRef<std::unique_ptr<Version>> versions) {
  std::vector<std::string> machines;
  bool onAllWithGPU = true, onAll = true;
  for (const auto &version : versions) {
    int64_t count = version->cudaDevices;
    if (version->has(report))
      machines.push_back(count == 0 ? "without a GPU"
                         : count == 1
                             ? "with one GPU"
                             : "with " + std::to_string(count) + " GPUs");
    else
      onAll = false, onAllWithGPU &= count == 0;
  }
  if (onAll)
    return "";
  if (onAllWithGPU)
    return "with a GPU";
  return llvm::join(machines, " or ");
}

void tdc::check(SourceManager &sources, ast::Context &context, FileId file,
                const ast::Program &program, const CheckOptions &options,
                DiagnosticEngine &diags, Emitter &emitter) {
  if (options.devicesAreFinal) {
    Checker(sources, context, options, diags, emitter).run(file, program);
    return;
  }
  std::vector<std::unique_ptr<Version>> versions;
  NullEmitter nothing;
  auto walk = [&](int64_t cudaDevices, Emitter &emitter) {
    CheckOptions there = options;
    there.countCudaDevices = [cudaDevices] { return cudaDevices; };
    versions.push_back(std::make_unique<Version>(cudaDevices, sources));
    Checker checker(sources, context, there, versions.back()->diags, emitter);
    checker.run(file, program);
    return checker.asksMachine ? std::max<int64_t>(checker.namedCudaDevices, 1)
                               : 0;
  };
  int64_t named =
      walk(options.countCudaDevices(),
           diags.hasErrors() ? static_cast<Emitter &>(nothing) : emitter);
  if (named != 0)
    for (int64_t count : {int64_t(0), named})
      if (count != options.countCudaDevices())
        walk(count, nothing);
  for (const auto &version : versions)
    for (const Diagnostic *report : version->diags.getSorted()) {
      // What is not built yet is no mistake, and nothing runs that version yet.
      if (report->code == DiagCode::TD900 && version != versions.front())
        continue;
      std::string machines = describeMachines(*report, versions);
      Diagnostic &merged = diags.report(*report);
      if (!machines.empty() && report->code != DiagCode::TD900)
        merged.note("only on a machine " + machines);
    }
}
