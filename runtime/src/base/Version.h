//===- Version.h - the version that tdc writes into files -----------------===//

#ifndef TDRT_BASE_VERSION_H
#define TDRT_BASE_VERSION_H

namespace tdrt {
constexpr char kVersion[] = TDRT_VERSION;
} // namespace tdrt

#endif // TDRT_BASE_VERSION_H
