//===- Memory.h - buffers whose size is known at run time -----------------===//
//
// The compiler plans static sizes into one arena. What is left, run-time sizes,
// comes from here: blocks by size class, kept when freed, because a training
// loop asks for the same few sizes again and again.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_MEMORY_H
#define TDRT_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace tdrt {

class Memory {
public:
  Memory() = default;
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Allocates the arena: zeros, 64-byte aligned, 64 bytes more than asked.
  /// Once per Memory; freed with it.
  char *allocateArena(int64_t bytes);

  /// A block that is 64-byte aligned and readable for 64 bytes past its end.
  /// Throws Failure TR201 or TR202.
  void *allocate(int64_t bytes);
  /// Takes a block back; null is allowed.
  void release(void *data);

  /// Brackets a call of an exported function. What it allocates and does not
  /// release, its results above all, is released when the next one begins.
  void beginCall();
  void endCall() { inCall = false; }

  int64_t inUse() const { return live; }
  int64_t peak() const { return most; }

private:
  struct Block;
  static constexpr unsigned kClasses = 4 * 64;

  void count(int64_t bytes);
  void dropCache();
  void freeAll(Block *list);

  char *arena = nullptr;
  size_t arenaMapped = 0; ///< bytes to unmap; 0 when the arena is from the heap
  Block *used = nullptr;  ///< blocks handed out outside of calls
  Block *ofCall = nullptr; ///< blocks of the running, or else the last, call
  bool inCall = false;
  Block *cache[kClasses] = {};
  int64_t cached = 0; ///< bytes in `cache`
  int64_t live = 0;   ///< bytes asked for and not released, with the arena
  int64_t most = 0;
};

} // namespace tdrt

#endif // TDRT_MEMORY_H
