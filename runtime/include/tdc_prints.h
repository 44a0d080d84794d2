//===- tdc_prints.h - the prints of programs, for the compiler ------------===//

#ifndef TDC_PRINTS_H
#define TDC_PRINTS_H

#include <string_view>

namespace tdrt {

/// Calls `watch` with the text of each print of this process from now on, on
/// the thread that prints and before the text is written; null ends that.
void watchPrints(void (*watch)(std::string_view text)) noexcept;

} // namespace tdrt

#endif // TDC_PRINTS_H
