//===- Settings.cpp - settings of the simulation from the environment -----===//

#include "driver/Settings.h"
#include "Fault.h"
#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>

using namespace tdc::sim;

namespace {

/// One variable of the environment and the error for a malformed value.
struct Variable {
  explicit Variable(const char *name) : name(name) {
    if (const char *value = getenv(name))
      text = value;
  }

  [[noreturn]] void refuse(const std::string &expected) const {
    fault(CUDA_ERROR_INVALID_VALUE,
          std::string(name) + "=" + *text + ": expected " + expected);
  }

  const char *name;
  std::optional<std::string> text;
};

std::optional<uint64_t> parseNumber(std::string_view text) {
  uint64_t value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

uint64_t readNumber(const char *name, uint64_t least, uint64_t most,
                    const std::string &expected, uint64_t ifAbsent) {
  Variable variable(name);
  if (!variable.text)
    return ifAbsent;
  std::optional<uint64_t> value = parseNumber(*variable.text);
  if (!value || *value < least || *value > most)
    variable.refuse(expected);
  return *value;
}

bool readSwitch(const char *name) {
  return readNumber(name, 0, 1, "0 or 1", 1) == 1;
}

int readArchitecture() {
  Variable variable("TDC_SIM_ARCH");
  if (!variable.text || *variable.text == "80")
    return 80;
  if (*variable.text != "90")
    variable.refuse("80 or 90");
  return 90;
}

/// Removes the part before `separator` from `rest` and returns it; all of
/// `rest` if it has no separator.
std::string_view split(std::string_view &rest, char separator) {
  size_t length = rest.find(separator);
  std::string_view part = rest.substr(0, length);
  rest = length == std::string_view::npos ? "" : rest.substr(length + 1);
  return part;
}

Entry readEntry(const Variable &variable, std::string_view name) {
  if (std::optional<Entry> entry = findEntry(name))
    return *entry;
  variable.refuse("the name of an entry point that is simulated, not \"" +
                  std::string(name) + "\"");
}

void readFaults(std::vector<Injection> &injections) {
  Variable variable("TDC_SIM_FAULT");
  if (!variable.text)
    return;
  std::string_view rest = *variable.text;
  while (!rest.empty()) {
    std::string_view item = split(rest, ',');
    std::string_view name = split(item, '@');
    std::optional<uint64_t> call = parseNumber(split(item, '='));
    std::optional<uint64_t> code = parseNumber(item);
    Entry entry = readEntry(variable, name);
    if (!call || *call == 0 || !code || *code == 0 || *code > 9999)
      variable.refuse("a list of entry@call=code, both counted from 1");
    injections.push_back({entry, *call, static_cast<CUresult>(*code)});
  }
}

void readSkips(Settings &settings) {
  Variable variable("TDC_SIM_SKIP");
  if (!variable.text)
    return;
  std::string_view rest = *variable.text;
  while (!rest.empty()) {
    std::string_view item = split(rest, ',');
    std::string_view name = split(item, '@');
    std::optional<uint64_t> number = parseNumber(item);
    if (name.empty() || !number)
      variable.refuse("a list of entry@call or opcode@number");
    if (name.substr(0, 2) != "cu") {
      settings.skips.push_back({std::string(name), *number});
      continue;
    }
    Entry entry = readEntry(variable, name);
    if (!isSkippable(entry))
      variable.refuse("calls without results, which \"" + std::string(name) +
                      "\" has");
    settings.injections.push_back({entry, *number, CUDA_SUCCESS});
  }
}

uint64_t getRandomSeed() {
  std::random_device device;
  return device();
}

std::string readPath(const char *name) {
  return Variable(name).text.value_or("");
}

} // namespace

Settings tdc::sim::readSettings() {
  Settings settings;
  settings.devices = static_cast<int>(
      readNumber("TDC_SIM_CUDA", 0, 63, "a number of devices up to 63", 0));
  settings.architecture = readArchitecture();
  settings.memory =
      readNumber("TDC_SIM_MEMORY", 0, uint64_t(1) << 46,
                 "a number of bytes up to 64 TiB", settings.memory);
  settings.seed =
      readNumber("TDC_SIM_SEED", 0, UINT64_MAX, "a number", getRandomSeed());
  settings.execute = readSwitch("TDC_SIM_EXECUTE");
  settings.peer = readSwitch("TDC_SIM_PEER");
  readFaults(settings.injections);
  readSkips(settings);
  settings.statisticsFile = readPath("TDC_SIM_STATS");
  settings.traceFile = readPath("TDC_SIM_TRACE");
  settings.modulesFolder = readPath("TDC_SIM_MODULES");
  return settings;
}
