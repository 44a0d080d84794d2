//===- TransferCounts.h - counts of copies between devices ----------------===//

#ifndef TDRT_DEVICE_TRANSFERCOUNTS_H
#define TDRT_DEVICE_TRANSFERCOUNTS_H

#include "tdc_runtime.h"
#include "text/JsonWriter.h"
#include <vector>

namespace tdrt {

class TransferCounts {
public:
  explicit TransferCounts(const tdrt_program &program);

  /// Counts a copy of row `transfer` from device `from`, sent in `pieces`
  /// driver copies: 0 if the bytes joined an earlier copy.
  void add(int32_t transfer, int32_t from, int64_t pieces, int64_t bytes);

  /// The members "copies" and "sites" of tdrt_stats_json. Rows without a copy
  /// are not listed; the sites of one line are added up.
  void write(JsonWriter &json) const;

private:
  struct Count {
    int64_t logical = 0, physical = 0, bytes = 0, implicit = 0;
    void add(const Count &other);
  };

  const tdrt_program &program;
  int32_t devices;           ///< with the cpu
  std::vector<Count> counts; ///< by row and by source
};

} // namespace tdrt

#endif // TDRT_DEVICE_TRANSFERCOUNTS_H
