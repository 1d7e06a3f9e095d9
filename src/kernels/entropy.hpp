// n log2(n) as whole numbers: split scores are differences of these, so equal splits tie exactly on every machine.
//
// The logarithm is worked out in 64-bit fixed point: n = 2^k m, m in [1, 2); m times a reciprocal from a table is 1 + r with
// |r| < 2^-6, and log2(1 + r) is its series. No floating point takes part.
#pragma once

#include <array>
#include <bit>

#include "kernels/common.hpp"

namespace tally {

// Units of 2^-62 in [0, 1): log2(m / 2^63) for m in [2^63, 2^64), bit by bit (squaring doubles the logarithm).
constexpr uint64_t log2_by_squaring(uint64_t m) {
    uint64_t out = 0;
    for (int bit = 0; bit < 63; ++bit) {  // one bit more than kept, to round by
        const unsigned __int128 square = static_cast<unsigned __int128>(m) * m;
        const bool two = square >> 127 != 0;
        m = static_cast<uint64_t>(square >> (two ? 64 : 63));
        out = out << 1 | static_cast<uint64_t>(two);
    }
    return (out + 1) >> 1;
}

struct Reciprocal {
    uint64_t inverse;  // units of 2^-15: about 1 / m
    uint64_t log2;     // units of 2^-62: -log2(inverse)
};

constexpr std::array<Reciprocal, 64> make_reciprocals() {
    std::array<Reciprocal, 64> table{};
    for (uint64_t i = 0; i < 64; ++i) {
        // The middle of [1 + i/64, 1 + (i+1)/64), but exactly 1 for the first: powers of two give exact results.
        const uint64_t inverse = i == 0 ? 32768 : (32768 * 128 + 64 + i) / (128 + 2 * i + 1);
        const uint64_t scaled = inverse << (63 - 15 + 1);  // 2 / m in [1, 2], as units of 2^-63
        const uint64_t log2 = i == 0 ? 0 : (uint64_t{1} << 62) - log2_by_squaring(scaled);
        table[i] = {inverse, log2};
    }
    return table;
}

inline constexpr std::array<Reciprocal, 64> reciprocals = make_reciprocals();

inline constexpr int64_t one = int64_t{1} << 62;
inline constexpr int64_t log2_e_62 = 6653256548922161246;  // log2(e) in units of 2^-62

constexpr int64_t times(int64_t a, int64_t b) { return static_cast<int64_t>((static_cast<__int128>(a) * b) >> 62); }

// log2(n) in units of 2^-58, n >= 1. Exact for powers of two; otherwise within 1 unit.
constexpr uint64_t log2_whole(uint64_t n) {
    const int k = std::bit_width(n) - 1;
    const uint64_t m = n << (63 - k);
    const Reciprocal& near = reciprocals[m >> 57 & 63];
    // r in units of 2^-62, |r| < 2^-5.9
    const __int128 product = static_cast<__int128>(static_cast<unsigned __int128>(m) * near.inverse);
    const int64_t r = static_cast<int64_t>((product - (static_cast<__int128>(1) << 78)) >> 16);
    int64_t sum = 0;  // ln(1 + r) / r = 1 - r/2 + r^2/3 - ...
    for (int64_t i = 11; i >= 1; --i) sum = (i & 1 ? one / i : -(one / i)) + times(sum, r);
    const int64_t rest = times(times(sum, r), log2_e_62);
    const uint64_t fraction = near.log2 + static_cast<uint64_t>(rest);
    return (static_cast<uint64_t>(k) << 58) + static_cast<uint64_t>((static_cast<int64_t>(fraction) + 8) >> 4);
}

// round(n log2(n) 2^shift), 0 for n = 0; n log2(n) 2^shift < 2^62.
constexpr int64_t n_log2_n(uint64_t n, int shift) {
    if (n == 0) return 0;
    const unsigned __int128 scaled = static_cast<unsigned __int128>(n) * log2_whole(n);
    const int drop = 58 - shift;
    return static_cast<int64_t>((scaled + (static_cast<unsigned __int128>(1) << (drop - 1))) >> drop);
}

inline void n_log2_n_table(size_t n, uint64_t first, int shift, int64_t* table) {
    TALLY_REQUIRE(shift >= 0 && shift < 58);
    for (size_t i = 0; i < n; ++i) table[i] = n_log2_n(first + i, shift);
}

inline void n_log2_n_values(size_t n, const int64_t* values, int shift, int64_t* out) {
    for (size_t i = 0; i < n; ++i) out[i] = n_log2_n(static_cast<uint64_t>(values[i]), shift);
}

}  // namespace tally
