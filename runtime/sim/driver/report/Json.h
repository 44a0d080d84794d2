//===- Json.h - writing reports -------------------------------------------===//

#ifndef TDC_SIM_DRIVER_REPORT_JSON_H
#define TDC_SIM_DRIVER_REPORT_JSON_H

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tdc::sim {

/// Writes one JSON value, one member of an object or element of an array per
/// line. The calls must nest as the value does; elements of arrays have an
/// empty name.
class JsonWriter {
public:
  void beginObject(std::string_view name = {}) { begin(name, '{'); }
  void endObject() { end('}'); }
  void beginArray(std::string_view name = {}) { begin(name, '['); }
  void endArray() { end(']'); }

  void add(std::string_view name, std::string_view value);
  void add(std::string_view name, const char *value) {
    add(name, std::string_view(value));
  }
  void add(std::string_view name, const std::string &value) {
    add(name, std::string_view(value));
  }
  void add(std::string_view name, double value);
  template <class Integer,
            class = std::enable_if_t<std::is_integral_v<Integer>>>
  void add(std::string_view name, Integer value) {
    beginValue(name);
    text += std::to_string(value);
  }

  /// The text, with a newline at its end. Call it once, at the end.
  std::string take();

private:
  void begin(std::string_view name, char bracket);
  void end(char bracket);
  void beginValue(std::string_view name);
  void addString(std::string_view value);

  std::string text;
  unsigned depth = 0;
  bool isFirst = true; ///< of its object or array
};

/// Writes a file so that a reader sees all of it or nothing. Returns false,
/// with errno set, if the file cannot be written.
bool writeFile(const std::string &path, std::string_view text);
/// The same; writes the reason of a failure to standard error.
bool writeReport(const std::string &path, std::string_view text);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_REPORT_JSON_H
