//===- AbiTest.cpp - cuda_driver.h and .def against NVIDIA's cuda.h -------===//
//
// Built where the toolkit is installed; the compiler does all of the test.
// CudaNames.inc, made by CMakeLists.txt, has SAME(NAME) for each enumerator of
// cuda_driver.h.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Ours comes first: cuda.h makes macros of some names.
namespace ours {
#include "cuda_driver.h"
#define CUDA_ENTRY(NAME, PARAMETERS) CUresult NAME PARAMETERS;
#include "cuda_driver.def"

#define SAME(NAME) constexpr long value_##NAME = NAME;
#include "CudaNames.inc"
#undef SAME

#define CUDA_ENTRY(NAME, PARAMETERS) using Type_##NAME = decltype(NAME);
#include "cuda_driver.def"
} // namespace ours

#include <cuda.h>

namespace {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

#define SAME(NAME)                                                             \
  static_assert(ours::value_##NAME == static_cast<long>(NAME), #NAME);
#include "CudaNames.inc"
#undef SAME

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type of cuda.h that one of ours stands for.
template <class T> struct Theirs {
  using Type = T;
};
template <class T> struct Theirs<T *> {
  using Type = typename Theirs<T>::Type *;
};
template <class T> struct Theirs<const T> {
  using Type = const typename Theirs<T>::Type;
};
template <class Result, class... Parameters>
struct Theirs<Result(Parameters...)> {
  using Type =
      typename Theirs<Result>::Type(typename Theirs<Parameters>::Type...);
};

template <class Ours, class Cudas> struct Same {
  static_assert(sizeof(Ours) == sizeof(Cudas) &&
                alignof(Ours) == alignof(Cudas));
  static_assert(std::is_signed_v<std::underlying_type_t<Ours>> ||
                !std::is_signed_v<std::underlying_type_t<Cudas>>);
  using Type = Cudas;
};

template <> struct Theirs<ours::CUctx_st> {
  using Type = CUctx_st;
};
template <> struct Theirs<ours::CUmod_st> {
  using Type = CUmod_st;
};
template <> struct Theirs<ours::CUfunc_st> {
  using Type = CUfunc_st;
};
template <> struct Theirs<ours::CUstream_st> {
  using Type = CUstream_st;
};
template <> struct Theirs<ours::CUevent_st> {
  using Type = CUevent_st;
};
template <> struct Theirs<ours::CUgraph_st> {
  using Type = CUgraph_st;
};
template <> struct Theirs<ours::CUgraphExec_st> {
  using Type = CUgraphExec_st;
};
template <> struct Theirs<ours::CUresult> : Same<ours::CUresult, CUresult> {};
template <>
struct Theirs<ours::CUdevice_attribute>
    : Same<ours::CUdevice_attribute, CUdevice_attribute> {};
template <>
struct Theirs<ours::CUfunction_attribute>
    : Same<ours::CUfunction_attribute, CUfunction_attribute> {};
template <>
struct Theirs<ours::CUjit_option> : Same<ours::CUjit_option, CUjit_option> {};
template <>
struct Theirs<ours::CUstreamCaptureMode>
    : Same<ours::CUstreamCaptureMode, CUstreamCaptureMode> {};

static_assert(std::is_same_v<ours::CUdevice, CUdevice>);
static_assert(std::is_same_v<ours::CUdeviceptr, CUdeviceptr>);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

#define CUDA_ENTRY(NAME, PARAMETERS)                                           \
  static_assert(std::is_same_v<typename Theirs<ours::Type_##NAME>::Type,       \
                               decltype(NAME)>,                                \
                #NAME);
#include "cuda_driver.def"

} // namespace
