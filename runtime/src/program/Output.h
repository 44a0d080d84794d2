//===- Output.h - what a program prints, and the strings it makes ---------===//
//
// Pieces are appended to one text: the innermost string being built, or what is
// to be written to standard output. Standard output is written with write(2),
// a line at a time to a terminal and in large parts otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_OUTPUT_H
#define TDRT_PROGRAM_OUTPUT_H

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tdrt {

class Output {
public:
  /// Runs append(text) on the text to which the next piece goes. Memory that
  /// runs out is reported by the end of the print or string.
  template <class Append> void add(Append append) noexcept {
    if (lost)
      return;
    try {
      append(building.empty() ? pending : building.back());
    } catch (const std::bad_alloc &) {
      failed = true;
    }
  }

  /// Forgets the print that has not ended yet.
  void dropPrint() noexcept {
    pending.resize(ended);
    failed = false;
  }
  /// Ends a print; writes if it is time to.
  void endPrint(bool flush);
  /// Writes all that is pending. Throws Failure TR752; what was pending is then
  /// dropped, so that the error is reported once.
  void flush();
  /// Is the terminal's cursor at the beginning of a line, as far as what was
  /// printed goes?
  bool isAtLineStart() const { return terminal != 1 || atLineStart; }
  /// Did a write fail because standard output is a pipe that nobody reads?
  bool readerGone() const { return noReader; }

  void beginString() noexcept;
  /// The string begun last; valid until it is released.
  const char *endString();
  int64_t mark() const { return static_cast<int64_t>(strings.size()); }
  void release(int64_t mark);

private:
  std::string pending;
  size_t ended = 0; ///< of `pending`, where the last whole print ends
  std::vector<std::string> building;
  std::vector<std::unique_ptr<char[]>> strings;
  bool failed = false; ///< a piece of the innermost text is missing
  int lost = 0;        ///< strings that could not even begin, innermost ones
  bool noReader = false;
  bool atLineStart = true; ///< behind what was written
  int8_t terminal = -1;    ///< is standard output one? -1: not asked yet
};

} // namespace tdrt

#endif // TDRT_PROGRAM_OUTPUT_H
