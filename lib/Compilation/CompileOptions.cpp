//===- CompileOptions.cpp - options as text -------------------------------===//

#include "Compilation/CompileOptions.h"
#include "Frontend/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace tdc {

std::string suggestNearest(llvm::StringRef word,
                           llvm::ArrayRef<llvm::StringRef> candidates) {
  auto nearest = findNearest(word, candidates);
  return nearest ? ("did you mean `" + *nearest + "`?").str() : "";
}

std::string suggest(llvm::StringRef word,
                    llvm::ArrayRef<llvm::StringRef> candidates) {
  std::string nearest = suggestNearest(word, candidates);
  return nearest.empty() ? "it is one of " + llvm::join(candidates, ", ")
                         : nearest;
}

std::optional<UsageError> setDevice(CompileOptions &options,
                                    llvm::StringRef value) {
  options.device = value.str();
  unsigned ordinal;
  llvm::StringRef number = value;
  if (value == "cpu" || value == "auto" || value == "cuda" ||
      (number.consume_front("cuda:") && !number.getAsInteger(10, ordinal)))
    return std::nullopt;
  return UsageError{("there is no device `" + value + "`").str(),
                    "a device is cpu, cuda, cuda:1 or auto"};
}

std::optional<UsageError> setPlacement(CompileOptions &options,
                                       llvm::StringRef value) {
  options.placement = parsePlacement(value);
  if (options.placement)
    return std::nullopt;
  return UsageError{("there is no placement mode `" + value + "`").str(),
                    suggest(value, getPlacementNames())};
}

std::optional<UsageError> setTransferGuard(CompileOptions &options,
                                           llvm::StringRef value) {
  auto [mode, direction] = value.split(':');
  static const std::pair<llvm::StringRef, TransferGuard::Mode> modes[] = {
      {"allow", TransferGuard::Allow},
      {"log", TransferGuard::Log},
      {"disallow", TransferGuard::Disallow}};
  const auto *known = llvm::find_if(
      modes, [&, name = mode](const auto &one) { return one.first == name; });
  bool hasDirection = value.contains(':');
  if (known == std::end(modes) ||
      (hasDirection && !llvm::is_contained({"h2d", "d2h", "d2d"}, direction)))
    return UsageError{
        ("there is no transfer guard `" + value + "`").str(),
        "it is one of allow, log, disallow, for one direction with :h2d, :d2h "
        "or :d2d"};
  options.guard = {known->second, direction.str()};
  return std::nullopt;
}

} // namespace tdc
