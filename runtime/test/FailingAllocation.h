//===- FailingAllocation.h - operator new that fails when it is told to ---===//

#ifndef TDRT_TEST_FAILINGALLOCATION_H
#define TDRT_TEST_FAILINGALLOCATION_H

#include <cstdint>

namespace tdrt_test {

/// How many allocations of this thread succeed before one fails, after which
/// all succeed; negative: none fails.
extern thread_local int64_t allocationsLeft;

} // namespace tdrt_test

#endif // TDRT_TEST_FAILINGALLOCATION_H
