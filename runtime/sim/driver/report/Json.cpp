//===- Json.cpp - writing reports -----------------------------------------===//

#include "driver/report/Json.h"
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace tdc::sim;

void JsonWriter::beginValue(std::string_view name) {
  if (!isFirst)
    text += ',';
  if (depth) {
    text += '\n';
    text.append(depth, ' ');
  }
  isFirst = false;
  if (!name.empty()) {
    addString(name);
    text += ": ";
  }
}

void JsonWriter::begin(std::string_view name, char bracket) {
  beginValue(name);
  text += bracket;
  ++depth;
  isFirst = true;
}

void JsonWriter::end(char bracket) {
  --depth;
  text += bracket;
  isFirst = false;
}

void JsonWriter::addString(std::string_view value) {
  text += '"';
  for (char c : value) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", c);
      text += escape;
      continue;
    }
    if (c == '"' || c == '\\')
      text += '\\';
    text += c;
  }
  text += '"';
}

void JsonWriter::add(std::string_view name, std::string_view value) {
  beginValue(name);
  addString(value);
}

void JsonWriter::add(std::string_view name, double value) {
  beginValue(name);
  // Microseconds with six decimals, formatted as two integers so that the
  // locale does not affect them.
  long long picoseconds = std::llround(value * 1e6);
  char digits[48];
  snprintf(digits, sizeof digits, "%lld.%06lld", picoseconds / 1000000,
           picoseconds % 1000000);
  text += digits;
}

std::string JsonWriter::take() { return std::move(text += '\n'); }

bool tdc::sim::writeFile(const std::string &path, std::string_view text) {
  std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  // Unlinks the name first, so that nothing is written into a file that another
  // program left or put there.
  unlink(temporary.c_str());
  FILE *file = fopen(temporary.c_str(), "wxe");
  if (!file)
    return false;
  bool isWritten = fwrite(text.data(), 1, text.size(), file) == text.size();
  isWritten &= fclose(file) == 0;
  if (isWritten && rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  int error = errno;
  unlink(temporary.c_str());
  errno = error;
  return false;
}

bool tdc::sim::writeReport(const std::string &path, std::string_view text) {
  if (writeFile(path, text))
    return true;
  fprintf(stderr, "tdc simulated GPU: %s: cannot be written: %s\n",
          path.c_str(), strerror(errno));
  return false;
}
