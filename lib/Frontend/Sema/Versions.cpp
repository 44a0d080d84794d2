//===- Versions.cpp - one program on different machines -------------------===//
//
// A program that queries the devices of its machine has a version for each kind
// of machine: with as many GPUs as it names, and without one. Mistakes in any
// version are reported, once if several versions have them.
//
//===----------------------------------------------------------------------===//

#include "Versions.h"
#include "Checker.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// The reports of one version.
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

/// The number of GPUs that `--device` needs, whatever the program names.
static int64_t countWanted(const CheckOptions &options) {
  std::optional<Place> device = getChosenDevice(options.device);
  return device && device->kind == Place::Kind::Cuda ? device->ordinal + 1 : 0;
}

Machines sema::checkVersions(SourceManager &sources, ast::Context &context,
                             FileId file, const ast::Program &program,
                             const CheckOptions &options,
                             DiagnosticEngine &diags, Emitter &emitter) {
  int64_t wanted = countWanted(options);
  if (options.devicesAreFinal) {
    Checker checker(sources, context, options, diags, emitter);
    checker.run(file, program);
    Machines machines;
    if (std::max(wanted, checker.devices.countNamed()) > 0)
      machines.gpus = options.countCudaDevices();
    return machines;
  }
  std::vector<std::unique_ptr<Version>> versions;
  NullEmitter nothing;
  bool asksMachine = false;
  int64_t named = wanted;
  auto walk = [&](int64_t cudaDevices, Emitter &emitter) {
    CheckOptions there = options;
    there.countCudaDevices = [cudaDevices] { return cudaDevices; };
    versions.push_back(std::make_unique<Version>(cudaDevices, sources));
    Checker checker(sources, context, there, versions.back()->diags, emitter);
    checker.run(file, program);
    asksMachine |= checker.devices.areQueried();
    named = std::max(named, checker.devices.countNamed());
  };
  int64_t here = options.countCudaDevices();
  walk(here, diags.hasErrors() ? static_cast<Emitter &>(nothing) : emitter);
  llvm::SmallVector<int64_t> counts = {named};
  if (asksMachine)
    counts = {std::max<int64_t>(named, 1), here};
  if (wanted == 0 && (asksMachine || named > 0))
    counts.push_back(0);
  llvm::sort(counts, std::greater<>());
  counts.erase(llvm::unique(counts), counts.end());
  for (int64_t count : counts)
    if (count != here)
      walk(count, nothing);
  for (const auto &version : versions) {
    diags.takeOverDropped(version->diags);
    for (const Diagnostic *report : version->diags.getSorted()) {
      // A program that names a device is for machines that have it.
      if (report->code == DiagCode::TD506 && !asksMachine &&
          version != versions.front())
        continue;
      std::string where = describeMachines(*report, versions);
      Diagnostic &merged = diags.report(*report);
      if (!where.empty() && (asksMachine || report->code != DiagCode::TD506))
        merged.note("only on a machine " + where);
    }
  }
  // A version is not built if its machine lacks a device that is certainly
  // used.
  llvm::erase_if(counts, [&](int64_t count) {
    const auto &version = *llvm::find_if(
        versions, [&](const auto &one) { return one->cudaDevices == count; });
    return llvm::any_of(version->diags.getSorted(), [](const Diagnostic *one) {
      return one->code == DiagCode::TD506;
    });
  });
  Machines machines;
  machines.versions = std::move(counts);
  if (named > 0)
    machines.gpus = here;
  return machines;
}
