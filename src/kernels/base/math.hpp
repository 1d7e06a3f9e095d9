// exp, log and their kin in plain double arithmetic: no libm, no contraction, so the same bits on every machine.
//
// Each is a short series on a reduced argument; coefficients are those of the Taylor series, so they can be checked by
// hand. Errors against exact values stay below 1 unit in the last place (log2, log1p and sigmoid: 2).
#pragma once

#include <bit>

#include "kernels/base/common.hpp"

namespace tally {

inline constexpr double infinity = std::bit_cast<double>(uint64_t{0x7FF0000000000000});
inline constexpr double not_a_number = std::bit_cast<double>(uint64_t{0x7FF8000000000000});
inline constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
inline constexpr double ln2_high = std::bit_cast<double>(uint64_t{0x3FE62E42FEE00000});  // ends in 21 zero bits
inline constexpr double ln2_low = std::bit_cast<double>(uint64_t{0x3DEA39EF35793C76});   // ln 2 - ln2_high
inline constexpr double log2_e = 1.4426950408889634;

// 2^n for a whole n in [-1022, 1023], given rounder + n.
inline double power_of_two(double rounder_plus_n) {
    return std::bit_cast<double>((std::bit_cast<uint64_t>(rounder_plus_n) + 1023) << 52);
}

// e^x = 2^n e^r with |r| <= ln(2)/2; e^r by its series to r^13.
inline double exp_of(double x) {
    double t = x > 710.0 ? 710.0 : x;
    t = t < -746.0 ? -746.0 : t;
    const double n = (t * log2_e + rounder) - rounder;
    const double high = t - n * ln2_high;  // exact
    const double low = n * ln2_low;
    const double r = high - low;
    const double tail = (high - r) - low;  // what rounding r lost
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    const double e = 1.0 + (r + (p * (r * r) + tail));
    const double half = (n * 0.5 + rounder) - rounder;  // in two steps, so that subnormal results round once
    return e * power_of_two(rounder + half) * power_of_two(rounder + (n - half));
}

struct Split {
    double k, f;  // x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2))
};

// For x > 0, finite.
inline Split split(double x) {
    const bool tiny = x < 2.2250738585072014e-308;
    const uint64_t bits = std::bit_cast<uint64_t>(tiny ? x * 18014398509481984.0 : x);  // * 2^54
    const uint64_t moved = bits - 0x3FE6A09E667F3BCD;                                   // bits of sqrt(1/2)
    // The exponent as a double without a 64-bit conversion, which SSE2 lacks: 2^52 + 2048 + k has k in its low bits.
    const uint64_t exponent = (moved >> 52 ^ 0x800) & 0xFFF;
    const double k = std::bit_cast<double>(exponent | 0x4330000000000000) - (4503599627370496.0 + 2048.0);
    const double m = std::bit_cast<double>((moved & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
    return {tiny ? k - 54.0 : k, m - 1.0};
}

// ln(1 + f) = f - s (f - R) with s = f / (2 + f), R = 2 s^2 / 3 + 2 s^4 / 5 + ...; returns s (f - R).
inline double log_rest(double f) {
    const double s = f / (2.0 + f), z = s * s;
    double p = 2.0 / 23.0;
    p = p * z + 2.0 / 21.0;
    p = p * z + 2.0 / 19.0;
    p = p * z + 2.0 / 17.0;
    p = p * z + 2.0 / 15.0;
    p = p * z + 2.0 / 13.0;
    p = p * z + 2.0 / 11.0;
    p = p * z + 2.0 / 9.0;
    p = p * z + 2.0 / 7.0;
    p = p * z + 2.0 / 5.0;
    p = p * z + 2.0 / 3.0;
    const double half = 0.5 * f * f;  // s (f - R) = f^2/2 - s (f^2/2 + R): the large part is nearly exact
    return half - s * (half + z * p);
}

// What log, log2 give outside the positive finite numbers.
inline double log_edge(double x, double inside) {
    inside = x == infinity ? infinity : inside;
    inside = x == 0.0 ? -infinity : inside;
    return x >= 0.0 ? inside : not_a_number;
}

inline double log_of(double x) {
    const Split part = split(x);
    const double inside = part.k * ln2_high - ((log_rest(part.f) - part.k * ln2_low) - part.f);
    return log_edge(x, inside);
}

inline double log2_of(double x) {
    const Split part = split(x);
    return log_edge(x, part.k + (part.f - log_rest(part.f)) * log2_e);
}

// log2(n) in plain double arithmetic; exact for powers of two.
inline double log2_whole(double x) {
    const uint64_t bits = std::bit_cast<uint64_t>(x) - 0x3FE6A09E667F3BCD;  // the bits of sqrt(1/2)
    const double k = static_cast<double>(static_cast<int64_t>(bits) >> 52);
    const double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 2.0 / 23.0;
    for (int d = 21; d >= 1; d -= 2) p = p * z + 2.0 / d;
    return k + s * p * 1.4426950408889634;
}

// ln(1 + x): the logarithm of the rounded 1 + x, corrected by what rounding lost.
inline double log1p_of(double x) {
    const double u = 1.0 + x;
    const double lost = u == infinity || u == 0.0 ? 0.0 : (x - (u - 1.0)) / u;
    return x == 0.0 ? x : log_of(u) + lost;
}

// 1 / (1 + e^-x), without overflow and without loss for small shares.
inline double sigmoid_of(double x) {
    const double e = exp_of(x < 0.0 ? x : -x);
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

inline void exp_values(size_t n, const double* in, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n; ++i) out[i] = exp_of(in[i]);
    });
}

inline void log_values(size_t n, const double* in, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n; ++i) out[i] = log_of(in[i]);
    });
}

inline void log2_values(size_t n, const double* in, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n; ++i) out[i] = log2_of(in[i]);
    });
}

inline void log1p_values(size_t n, const double* in, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n; ++i) out[i] = log1p_of(in[i]);
    });
}

inline void sigmoid_values(size_t n, const double* in, double* out) {
    run_fast([=] {
        for (size_t i = 0; i < n; ++i) out[i] = sigmoid_of(in[i]);
    });
}

}  // namespace tally
