//===- Pages.h - pages of the process for simulated memory ----------------===//

#ifndef TDC_SIM_MEMORY_PAGES_H
#define TDC_SIM_MEMORY_PAGES_H

#include <cstddef>
#include <cstdint>

namespace tdc::sim {

/// Contents of bytes that were never written, repeated from each allocation's
/// start: NaN in every floating-point format (a signalling NaN as f64 and, in
/// every other word, as f32), and as an integer a number that is no index.
inline constexpr uint64_t kPattern = 0x7ff47fa07fa07fa0;

/// Writes the pattern over `bytes` bytes.
void fillWithPattern(std::byte *data, uint64_t bytes);

/// Reserves addresses that must not be accessed; null if there are none left.
void *reserveAddresses(uint64_t bytes);
/// Pages of zeros, which cost nothing until they are written; null if there
/// are none.
void *mapZeros(uint64_t bytes);
void unmap(void *pages, uint64_t bytes);
/// Frees the memory but keeps the addresses reserved; any access to them then
/// crashes.
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

  /// Maps pages that hold the pattern; null if there is no memory. The caller
  /// frees them with unmap().
  std::byte *map(uint64_t bytes);

private:
  bool openShared();

  int shared = -1; ///< a file in memory that holds the pattern
};

} // namespace tdc::sim

#endif // TDC_SIM_MEMORY_PAGES_H
