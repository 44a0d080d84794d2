//===- Nearest.h - the name that a misspelt word is nearest to ------------===//

#ifndef TDRT_BASE_NEAREST_H
#define TDRT_BASE_NEAREST_H

#include <algorithm>
#include <string>
#include <vector>

namespace tdrt {

/// Number of edits (insert, delete, replace a byte) that make one word the
/// other.
inline size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The candidate nearest to `word`, if at most a third of the word is wrong;
/// else null.
inline const std::string *findNearest(const std::string &word,
                                      const std::vector<std::string> &among) {
  const std::string *best = nullptr;
  size_t least = std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string &candidate : among) {
    size_t distance = editDistance(word, candidate);
    if (distance < least) {
      least = distance;
      best = &candidate;
    }
  }
  return best;
}

} // namespace tdrt

#endif // TDRT_BASE_NEAREST_H
