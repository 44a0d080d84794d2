//===- Memory.h - buffers whose size is known at run time -----------------===//
//
// The compiler plans static sizes into one arena per device. What is left,
// run-time sizes, comes from here: blocks by size class, kept when freed,
// because a training loop asks for the same few sizes again and again. Where
// the blocks come from, the heap or a GPU, a derived class says.
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

  /// A block that is 64-byte aligned and readable for 64 bytes past its end.
  /// Throws Failure TR202, or what refuse() throws.
  void *allocate(int64_t bytes) { return allocateIn(currentList(), bytes); }
  /// The same, for what may outlive the call of an exported function.
  void *allocateLasting(int64_t bytes) { return allocateIn(used, bytes); }
  /// Takes a block back; null is allowed.
  void release(void *data);

  /// Brackets a call of an exported function. What it allocates and does not
  /// release, its results above all, is released when the next one begins, or
  /// at its end if it has failed.
  void beginCall();
  void endCall(bool failed);

  /// Bytes asked for and not released, with the arena.
  int64_t inUse() const { return live; }
  int64_t peak() const { return most; }
  /// The most that were in use since this was asked last.
  int64_t takeHighest() { return std::exchange(highest, live); }

protected:
  struct Block {
    Block *next;
    Block **link; ///< what points to this one; not for blocks in `cache`
    int64_t asked;
    int64_t capacity;   ///< bytes of data, slack included
    unsigned sizeClass; ///< kClasses: not to be kept when it is released
  };
  static constexpr unsigned kClasses = 4 * 64;

  /// A block with `capacity` bytes of data, or null.
  virtual Block *obtain(int64_t capacity) = 0;
  virtual void discard(Block *block) noexcept = 0;
  virtual void *getData(Block *block) = 0;
  virtual Block *find(void *data) = 0;
  /// Reports that there are no `bytes` more, by a Failure.
  [[noreturn]] virtual void refuse(int64_t bytes) = 0;

  void count(int64_t bytes);
  /// Discards the blocks that are kept for later.
  void dropCache();
  /// Discards all blocks; for the destructor of a derived class.
  void clear();

  /// The block, from now on one that is used: its data.
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

/// Blocks of the heap, views of files, and the arena of the cpu.
class HostMemory final : public Memory {
public:
  ~HostMemory() override;

  /// Allocates the arena: zeros, 64-byte aligned, 64 bytes more than asked.
  /// Once per HostMemory; freed with it. Throws Failure TR201 or TR202.
  char *allocateArena(int64_t bytes);

  /// A block that is a view of a file from `offset` on (MappedFile.h); it does
  /// not count as memory in use. Null if the file cannot be viewed so: it is to
  /// be read then.
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
