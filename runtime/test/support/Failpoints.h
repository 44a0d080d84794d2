//===- Failpoints.h - allocations and system calls that fail on demand ----===//
//
// The tests' only mechanism for failures below the runtime. It is inserted when
// the test program is linked (`--wrap`, see ../CMakeLists.txt), not in the
// runtime. So it covers libpng, libjpeg and zlib as well, the shipped code has
// no branch for it, and the author of a new call cannot forget it.
//
// All of it applies to the calling thread.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_TEST_SUPPORT_FAILPOINTS_H
#define TDRT_TEST_SUPPORT_FAILPOINTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tdrt_test {

enum class Calls : uint8_t {
  Allocations, ///< malloc and similar, new, mmap of memory
  System,      ///< calls on files, and thread creation
};

/// Which calls fail: the one after `succeeding` others, or, if `lasting`, that
/// one and all later ones.
struct Failpoint {
  Calls calls = Calls::Allocations;
  int64_t succeeding = 0;
  bool lasting = false;
  int error = 0; ///< errno of system calls
};

void arm(const Failpoint &failpoint);
/// Lets everything succeed again; returns how many calls have failed.
int64_t disarm();

/// While it lives, every system call that a signal may interrupt is interrupted
/// once before it succeeds; and reads and writes move at most `most` bytes.
class Interrupted {
public:
  explicit Interrupted(size_t most);
  ~Interrupted();
};

/// An effect of a system call on files.
struct Step {
  enum Kind : uint8_t { Create, Truncate, Write, Sync, SyncFolder, Rename };
  Kind kind;
  std::string path; ///< the affected file
  std::string text; ///< the written text, or the new name
};

/// While it lives, records the effects of successful calls on files.
class Recording {
public:
  Recording();
  ~Recording();
  std::vector<Step> steps;
  unsigned createdMode = 0; ///< requested for the file created last
};

/// While it lives, the system's random numbers are 0, 1, 2 ...
class KnownNumbers {
public:
  KnownNumbers();
  ~KnownNumbers();
};

/// peakOfMemory() is the most bytes that were allocated at one time since
/// watchMemory(), apart from blocks that existed before it.
void watchMemory();
int64_t peakOfMemory();

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_FAILPOINTS_H
