//===- normal_quantile.h - coefficients of the normal distribution --------===//
//
// The quantile of the normal distribution in f64, by M. Wichura's AS 241
// (PPND16, Applied Statistics 37, 1988), and the natural logarithm that it
// needs (fdlibm's e_log). RandomCore.h says how they are used. The generator of
// kernels uses the same coefficients, because the bits of random numbers depend
// on each of them.
//
// The coefficient of the highest power comes first.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_RUNTIME_NORMAL_QUANTILE_H
#define TDC_RUNTIME_NORMAL_QUANTILE_H

namespace tdrt {

/// numerator / denominator.
struct Quotient {
  double numerator[8], denominator[8];
};

/// In 0.180625 - h², for h = |p - 1/2| up to 0.425; to be multiplied by h.
inline constexpr Quotient kNormalCentre = {
    {2.5090809287301226727e+3, 3.3430575583588128105e+4,
     6.7265770927008700853e+4, 4.5921953931549871457e+4,
     1.3731693765509461125e+4, 1.9715909503065514427e+3,
     1.3314166789178437745e+2, 3.3871328727963666080e+0},
    {5.2264952788528545610e+3, 2.8729085735721942674e+4,
     3.9307895800092710610e+4, 2.1213794301586595867e+4,
     5.3941960214247511077e+3, 6.8718700749205790830e+2,
     4.2313330701600911252e+1, 1.0}};

/// In sqrt(-ln p) - 1.6, for sqrt(-ln p) up to 5.
inline constexpr Quotient kNormalTail = {
    {7.74545014278341407640e-4, 2.27238449892691845833e-2,
     2.41780725177450611770e-1, 1.27045825245236838258e+0,
     3.64784832476320460504e+0, 5.76949722146069140550e+0,
     4.63033784615654529590e+0, 1.42343711074968357734e+0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4,
     1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940e+0,
     2.05319162663775882187e+0, 1.0}};

/// In sqrt(-ln p) - 5, for greater sqrt(-ln p).
inline constexpr Quotient kNormalFarTail = {
    {2.01033439929228813265e-7, 2.71155556874348757815e-5,
     1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580e+0,
     5.46378491116411436990e+0, 6.65790464350110377720e+0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7,
     1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0}};

/// In (f / (2 + f))², for ln(1 + f).
inline constexpr double kLogarithm[7] = {
    1.479819860511658591e-1, 1.531383769920937332e-1, 1.818357216161805012e-1,
    2.222219843214978396e-1, 2.857142874366239149e-1, 3.999999999940941908e-1,
    6.666666666666735130e-1};
/// ln 2 as the sum of two parts; the first has few bits.
inline constexpr double kLn2High = 6.93147180369123816490e-1,
                        kLn2Low = 1.90821492927058770002e-10;
/// The bits of sqrt(1/2): mantissas are reduced to [sqrt(1/2), sqrt(2)).
inline constexpr long long kRootHalfBits = 0x3fe6a09e667f3bcd;

} // namespace tdrt

#endif // TDC_RUNTIME_NORMAL_QUANTILE_H
