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

/// "512M" or "512MiB" in bytes.
static std::optional<int64_t> readBytes(llvm::StringRef text) {
  text.consume_back_insensitive("iB") || text.consume_back_insensitive("B");
  size_t unit = llvm::StringRef("KMGT").find(
      text.empty() ? ' ' : llvm::toUpper(text.back()));
  bool hasUnit = unit != llvm::StringRef::npos;
  unsigned shift = hasUnit ? 10 * (unit + 1) : 0;
  int64_t number;
  if (text.drop_back(hasUnit).getAsInteger(10, number) || number < 0 ||
      number > INT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

std::optional<UsageError> setMemoryBudget(CompileOptions &options,
                                          llvm::StringRef value) {
  MemoryBudget budget;
  llvm::SmallVector<llvm::StringRef> parts;
  value.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, amount] = part.rsplit('=');
    bool isOfOne = part.contains('=');
    std::optional<Place> device = isOfOne ? parseDevice(name) : std::nullopt;
    std::optional<int64_t> bytes = readBytes(isOfOne ? amount : part);
    if (!bytes || (isOfOne && (!device || device->kind != Place::Kind::Cuda)))
      return UsageError{
          ("there is no memory budget `" + part + "`").str(),
          "it is a whole number of bytes, or of K, M, G or T (1K is 1024), as "
          "512M; for one GPU cuda:0=512M"};
    bool isFirst = isOfOne
                       ? budget.ofOne.insert({device->ordinal, *bytes}).second
                       : !budget.ofEach.has_value();
    if (!isFirst)
      return UsageError{("`" + value + "` has two memory budgets for " +
                         (isOfOne ? name : "each GPU"))
                            .str(),
                        "leave one of them out"};
    if (!isOfOne)
      budget.ofEach = bytes;
  }
  options.budget = std::move(budget);
  return std::nullopt;
}

} // namespace tdc
