//===- RuntimeSymbols.cpp - the table of symbols --------------------------===//

#include "JIT/RuntimeSymbols.h"
#include "tdc_runtime.h"
#include <cmath>
#include <cstring>

// <cmath> overloads these functions; the casts select one overload.
#define TDC_MATH(NAME)                                                         \
  {#NAME, reinterpret_cast<void *>(static_cast<double (*)(double)>(::NAME))},  \
  {                                                                            \
    #NAME "f",                                                                 \
        reinterpret_cast<void *>(static_cast<float (*)(float)>(::NAME##f))     \
  }
#define TDC_MATH2(NAME)                                                        \
  {#NAME,                                                                      \
   reinterpret_cast<void *>(static_cast<double (*)(double, double)>(::NAME))}, \
  {                                                                            \
    #NAME "f", reinterpret_cast<void *>(                                       \
                   static_cast<float (*)(float, float)>(::NAME##f))            \
  }

#define TDC_MATH3(NAME)                                                        \
  {#NAME, reinterpret_cast<void *>(                                            \
              static_cast<double (*)(double, double, double)>(::NAME))},       \
  {                                                                            \
    #NAME "f", reinterpret_cast<void *>(                                       \
                   static_cast<float (*)(float, float, float)>(::NAME##f))     \
  }
#define TDC_GNU(NAME)                                                          \
  {#NAME, reinterpret_cast<void *>(::NAME)}, {                                 \
    #NAME "f", reinterpret_cast<void *>(::NAME##f)                             \
  }

static const tdc::RuntimeSymbol table[] = {
#define TDRT_SYMBOL(NAME) {#NAME, reinterpret_cast<void *>(NAME)},
#include "tdc_runtime_symbols.def"
    {"memcpy", reinterpret_cast<void *>(::memcpy)},
    {"memmove", reinterpret_cast<void *>(::memmove)},
    {"memset", reinterpret_cast<void *>(::memset)},
    {"memcmp", reinterpret_cast<void *>(::memcmp)},
    {"strcmp", reinterpret_cast<void *>(::strcmp)},
    TDC_MATH(acos),
    TDC_MATH(asin),
    TDC_MATH(atan),
    TDC_MATH(ceil),
    TDC_MATH(cos),
    TDC_MATH(cosh),
    TDC_MATH(erf),
    TDC_MATH(exp),
    TDC_MATH(exp2),
    TDC_MATH(expm1),
    TDC_MATH(floor),
    TDC_MATH(log),
    TDC_MATH(log10),
    TDC_MATH(log1p),
    TDC_MATH(log2),
    TDC_MATH(nearbyint),
    TDC_MATH(rint),
    TDC_MATH(round),
    TDC_MATH(roundeven),
    TDC_MATH(sin),
    TDC_MATH(sinh),
    TDC_MATH(sqrt),
    TDC_MATH(tan),
    TDC_MATH(tanh),
    TDC_MATH(trunc),
    TDC_MATH2(atan2),
    TDC_MATH2(fmax),
    TDC_MATH2(fmin),
    TDC_MATH2(fmod),
    TDC_MATH2(pow),
    TDC_MATH3(fma),
    TDC_GNU(exp10),
    TDC_GNU(sincos),
};

llvm::ArrayRef<tdc::RuntimeSymbol> tdc::getRuntimeSymbols() { return table; }
