//===- Pages.h - pages of the process for simulated memory ----------------===//

#ifndef TDC_SIM_MEMORY_PAGES_H
#define TDC_SIM_MEMORY_PAGES_H

#include <cstddef>
#include <cstdint>

namespace tdc::sim {

/// What bytes hold that were never written, repeated from each allocation's
/// start: NaN in every floating-point format (a signalling one as f64 and, in
/// every other place, as f32), and as an integer a number that is no index.
inline constexpr uint64_t kPattern = 0x7ff47fa07fa07fa0;

/// Writes the pattern over `bytes` bytes.
void fillWithPattern(std::byte *data, uint64_t bytes);

/// Addresses that nobody may touch; null if there are none left.
void *reserveAddresses(uint64_t bytes);
/// Pages of zeros, which cost nothing until they are written; null if there
/// are none.
void *mapZeros(uint64_t bytes);
void unmap(void *pages, uint64_t bytes);
/// Gives the memory back but keeps the addresses, which nobody may touch then.
void retire(void *pages, uint64_t bytes);

/// Makes pages filled with the pattern. Large ones share one copy of it until
/// they are written, so that a program may allocate more than the machine has,
/// as long as it does not use it.
class PatternPages {
public:
  PatternPages() = default;
  ~PatternPages();
  PatternPages(const PatternPages &) = delete;
  PatternPages &operator=(const PatternPages &) = delete;

  /// Null if there is no memory; to be given back with unmap().
  std::byte *map(uint64_t bytes);

private:
  bool openShared();

  int shared = -1; ///< a file in memory that holds the pattern
};

} // namespace tdc::sim

#endif // TDC_SIM_MEMORY_PAGES_H
