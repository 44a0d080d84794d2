//===- Memory.h - buffers of run-time size --------------------------------===//
//
// The compiler plans buffers of static size into one arena per device. Buffers
// of run-time size come from here: blocks by size class, which are kept when
// they are freed, because a training loop needs the same few sizes again and
// again. A derived class obtains the blocks from the heap or from a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_BASE_MEMORY_H
#define TDRT_BASE_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tdrt {

class Memory {
public:
  Memory() = default;
  virtual ~Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Buffers are aligned to this many bytes ...
  static constexpr int64_t kAlign = 64;
  /// ... and generated code may load one vector past their end.
  static constexpr int64_t kSlack = 64;

  /// Allocates `bytes`, not initialised, 64-byte aligned and readable for 64
  /// bytes past the end. Throws Failure TR202, or what refuse() throws.
  void *allocate(int64_t bytes) { return allocateIn(currentList(), bytes); }
  /// The same, for memory that may outlive the call of an exported function.
  void *allocateLasting(int64_t bytes) { return allocateIn(used, bytes); }
  /// Takes a block back; null is allowed.
  void release(void *data);

  /// Brackets a call of an exported function. Memory that the call allocates
  /// and does not release, above all its results, is released when the next
  /// call begins, or at the call's end if it has failed.
  void beginCall();
  void endCall(bool failed);

  /// Bytes allocated and not released, with the arena; the most so far.
  int64_t inUse() const { return live; }
  int64_t peak() const { return most; }
  /// The most bytes that were in use since the last call of this.
  int64_t takeHighest() { return std::exchange(highest, live); }

protected:
  struct Block {
    Block *next;
    Block **link; ///< the list's pointer to this; not in `cache`
    int64_t asked;
    int64_t capacity;   ///< bytes of data, slack included
    unsigned sizeClass; ///< kClasses: discarded when it is released
  };
  static constexpr unsigned kClasses = 4 * 64;

  /// Gets a block with `capacity` bytes of data; null if there is no memory.
  virtual Block *obtain(int64_t capacity) = 0;
  virtual void discard(Block *block) noexcept = 0;
  virtual void *getData(Block *block) = 0;
  virtual Block *find(void *data) = 0;
  /// Throws the Failure for `bytes` that cannot be obtained.
  [[noreturn]] virtual void refuse(int64_t bytes) = 0;

  void count(int64_t bytes);
  /// Discards the blocks that are kept for reuse.
  void dropCache();
  /// Discards all blocks; for the destructor of a derived class.
  void clear();

  /// Puts a block into `list`, as in use, and returns its data.
  void *handOut(Block *block, int64_t asked, Block *&list);
  Block *&currentList() { return inCall ? ofCall : used; }

private:
  void *allocateIn(Block *&list, int64_t bytes);
  void releaseCall();
  void discardAll(Block *&list);

  Block *used = nullptr;   ///< blocks handed out outside of calls
  Block *ofCall = nullptr; ///< blocks of the running, or else the last, call
  bool inCall = false;
  Block *cache[kClasses] = {};
  int64_t cached = 0; ///< bytes in `cache`
  int64_t live = 0;
  int64_t most = 0;
  int64_t highest = 0; ///< since takeHighest
};

class InputFile;

/// The memory of the cpu: blocks of the heap, views of files, and the arena.
class HostMemory final : public Memory {
public:
  ~HostMemory() override;

  /// Allocates the arena: zeroed, 64-byte aligned, with 64 bytes past `bytes`.
  /// Once per HostMemory; freed with it. Throws Failure TR201 or TR202.
  char *allocateArena(int64_t bytes);

  /// Makes a block that is a view of a file from `offset` on (MappedFile.h) and
  /// returns its data; it does not count as memory in use. Returns null if the
  /// file cannot be mapped and must be read.
  void *map(const InputFile &file, const char *path, uint64_t offset);

private:
  struct MappedBlock;

  Block *obtain(int64_t capacity) override;
  void discard(Block *block) noexcept override;
  void *getData(Block *block) override;
  Block *find(void *data) override;
  [[noreturn]] void refuse(int64_t bytes) override;

  char *arena = nullptr;
  size_t arenaMapped = 0; ///< bytes to unmap; 0 when the arena is from the heap
};

} // namespace tdrt

#endif // TDRT_BASE_MEMORY_H
