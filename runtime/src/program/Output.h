//===- Output.h - prints of a program, and the strings that it makes ------===//
//
// Pieces are appended to the innermost string that is being built, or else to
// the text for standard output. Standard output is written with write(2), a
// print at a time to a terminal and in large parts otherwise.
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
  /// Runs append(text) on the text that gets the next piece. If memory runs
  /// out, the end of the print or string reports it.
  template <class Append> void add(Append append) noexcept {
    if (lost)
      return;
    try {
      append(building.empty() ? pending : building.back());
    } catch (const std::bad_alloc &) {
      failed = true;
    }
  }

  /// Drops the print that has not ended yet.
  void dropPrint() noexcept {
    pending.resize(ended);
    failed = false;
  }
  /// Ends a print; writes if `flush`, to a terminal, or if the buffer is full.
  /// Throws Failure TR752 or std::bad_alloc.
  void endPrint(bool flush);
  /// Writes all prints that have ended. Throws Failure TR752; they are then
  /// dropped, so that the error is reported once.
  void flush();
  /// Begins a line on standard error if that goes where the prints go, and the
  /// last one that was written has not ended its line.
  void endLine() noexcept;
  /// Is the terminal's cursor at the beginning of a line after the prints so
  /// far?
  bool isAtLineStart() const { return terminal != 1 || atLineStart; }
  /// Did a write fail because standard output is a pipe without a reader?
  bool readerGone() const { return noReader; }

  void beginString() noexcept;
  /// Ends the string begun last and returns it; valid until it is released.
  /// Throws std::bad_alloc.
  const char *endString();
  int64_t mark() const { return static_cast<int64_t>(strings.size()); }
  void release(int64_t mark);

private:
  std::string pending;
  size_t ended = 0; ///< end of the last whole print in `pending`
  std::vector<std::string> building;
  std::vector<std::unique_ptr<char[]>> strings;
  bool failed = false; ///< a piece of the innermost text is missing
  int lost = 0;        ///< innermost strings that could not begin
  bool noReader = false;
  bool atLineStart = true; ///< after the text written so far
  int8_t terminal = -1;    ///< is standard output one? -1: not asked yet
};

} // namespace tdrt

#endif // TDRT_PROGRAM_OUTPUT_H
