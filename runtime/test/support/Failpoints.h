//===- Failpoints.h - allocations and system calls that fail when told ----===//
//
// The one mechanism of the tests for what fails below the runtime. It sits
// where the test program is linked (`--wrap`, see ../CMakeLists.txt) and not in
// the runtime: so it reaches libpng, libjpeg and zlib as well, what is shipped
// has no branch for it, and no call can be forgotten by whoever writes a new
// one.
//
// All of it is about the calling thread.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_TEST_SUPPORT_FAILPOINTS_H
#define TDRT_TEST_SUPPORT_FAILPOINTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace tdrt_test {

enum class Calls : uint8_t {
  Allocations, ///< malloc and its kin, new, mmap of memory
  System,      ///< of files, and threads that are started
};

/// Which calls fail: the one after `succeeding` others, or, as `lasting`, that
/// one and all later ones.
struct Failpoint {
  Calls calls = Calls::Allocations;
  int64_t succeeding = 0;
  bool lasting = false;
  int error = 0; ///< errno of system calls
};

void arm(const Failpoint &failpoint);
/// Lets everything succeed again; how many calls have failed.
int64_t disarm();

/// While it lives, every system call that a signal may interrupt is, once
/// before it succeeds; and reads and writes move at most `most` bytes.
class Interrupted {
public:
  explicit Interrupted(size_t most);
  ~Interrupted();
};

/// What a system call did to files.
struct Step {
  enum Kind : uint8_t { Create, Truncate, Write, Sync, SyncFolder, Rename };
  Kind kind;
  std::string path; ///< of what it was done to
  std::string text; ///< what was written, or the new name
};

/// While it lives, keeps what successful calls did to files.
class Recording {
public:
  Recording();
  ~Recording();
  std::vector<Step> steps;
  unsigned createdMode = 0; ///< that the file created last was asked to have
};

/// While it lives, the system's random numbers are 0, 1, 2 ...
class KnownNumbers {
public:
  KnownNumbers();
  ~KnownNumbers();
};

/// The most bytes that were allocated at one time since then; blocks that were
/// there already do not count.
void watchMemory();
int64_t peakOfMemory();

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_FAILPOINTS_H
