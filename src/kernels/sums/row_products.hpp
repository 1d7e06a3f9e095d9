// Exact sums of rows by whole numbers, where a processor multiplies whole numbers of 52 bits (AVX-512 IFMA): half the
// work of slices. Any processor finds the same sums this way, slowly.
//
// A value is F units, F a whole number. Adding the coarse constant and taking it off again rounds to 2^51 units, exactly,
// so F = a 2^51 + b with |b| <= 2^50; after adding the two constants the low bits of the doubles are a and, less 2^51,
// b: their bits are added up, which gives the sum of F. With g = b + 2^51, at least 0 and below 2^52,
//     (F + 2^51)^2 = g^2 + 2^52 a g + 2^102 a^2,
// and the sum of that is known modulo 2^103 from both halves of g^2, the low half of a g, and whether the sum of a
// is odd. A sum of squares in doubles beside it is right to 2^101.5: so it says which of the numbers that are equal modulo
// 2^103 is the sum of squares, and not one bit is lost. Whether b is a whole number is seen by rounding it.
#pragma once

#include <vector>

#include "kernels/sums/row_limits.hpp"
#if TALLY_X86
#include <immintrin.h>
#endif

namespace tally {

inline constexpr size_t product_lanes = 8;
inline constexpr size_t product_calls = 48;   // of at most row_tile rows each, before sums go to digits
inline constexpr int64_t product_units = 69;  // 2^top is so many powers of two of the unit
inline constexpr int64_t product_modulus = 103;

struct ProductSums {                      // of one class, per lane
    uint64_t low[lanes], high[lanes];     // of g * g: the low 52 bits, the rest
    uint64_t mixed[lanes];                // the low 52 bits of a * g
    uint64_t coarse[lanes], fine[lanes];  // bits of x + coarse, of b + fine: sums may wrap
    double squares[lanes];                // nearly: (48 + 64) 2^-53 of at most 48 * 2^142 units are 2^101.4
};

// to += eight columns. Returns whether all their cells are quick; if not, nothing is added. Says what the instructions
// below do, and stands in for them where the checks are run on another processor: whoever adds columns takes slices there.
inline bool add_products(const Rows& rows, size_t first, const RowLimits& limits, ProductSums& to) {
    constexpr uint64_t ones = (uint64_t{1} << 52) - 1;
    ProductSums sums = to;
    for (size_t j = first; j < first + product_lanes; ++j) {
        if (!limits.used[j]) continue;
        double squares = 0.0;
        for (size_t i = 0; i < rows.n; ++i) {
            const double x = rows[i][j - first], coarse = x + limits.coarse[j], b = x - (coarse - limits.coarse[j]);
            const double fine = b + limits.fine[j];
            if (fine - limits.fine[j] != b) return false;
            const uint64_t a = std::bit_cast<uint64_t>(coarse), g = std::bit_cast<uint64_t>(fine);
            const uint128 square = static_cast<uint128>(g & ones) * (g & ones);
            squares = multiply_add(x, x, squares);
            sums.low[j] += static_cast<uint64_t>(square) & ones;
            sums.high[j] += static_cast<uint64_t>(square >> 52);
            sums.mixed[j] += static_cast<uint64_t>(static_cast<uint128>(a & ones) * (g & ones)) & ones;
            sums.coarse[j] += a;
            sums.fine[j] += g;
        }
        if (!(squares <= limits.full[j])) return false;
        sums.squares[j] += squares;
    }
    to = sums;
    return true;
}

#if TALLY_X86
// The same by hand. Bits of -0.0 and of 0.0 differ, so that a column with -0.0 takes the slower way round.
TALLY_COMPILED_FOR("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma,avx2,fma")
inline bool add_products_ifma(const Rows& rows, size_t first, const RowLimits& limits, ProductSums& to) {
    const __m512d to_coarse = _mm512_loadu_pd(limits.coarse + first), to_fine = _mm512_loadu_pd(limits.fine + first);
    __m512i low = _mm512_loadu_si512(to.low + first), high = _mm512_loadu_si512(to.high + first);
    __m512i mixed = _mm512_loadu_si512(to.mixed + first), wrong = _mm512_setzero_si512();
    __m512i coarses = _mm512_loadu_si512(to.coarse + first), fines = _mm512_loadu_si512(to.fine + first);
    __m512d squares = _mm512_setzero_pd();
    for (size_t i = 0; i < rows.n; ++i) {
        rows.fetch(i);
        const __m512d x = _mm512_loadu_pd(rows[i]), coarse = _mm512_add_pd(x, to_coarse);
        const __m512d b = _mm512_sub_pd(x, _mm512_sub_pd(coarse, to_coarse)), fine = _mm512_add_pd(b, to_fine);
        const __m512i a = _mm512_castpd_si512(coarse), g = _mm512_castpd_si512(fine);
        const __m512i again = _mm512_castpd_si512(_mm512_sub_pd(fine, to_fine));
        squares = _mm512_fmadd_pd(x, x, squares);
        low = _mm512_madd52lo_epu64(low, g, g);
        high = _mm512_madd52hi_epu64(high, g, g);
        mixed = _mm512_madd52lo_epu64(mixed, a, g);
        coarses = _mm512_add_epi64(coarses, a);
        fines = _mm512_add_epi64(fines, g);
        wrong = _mm512_ternarylogic_epi64(wrong, again, _mm512_castpd_si512(b), 0xF6);  // wrong | (again ^ b)
    }
    const __mmask8 used = _mm512_movepi64_mask(_mm512_loadu_si512(limits.used + first));
    const __mmask8 small = _mm512_cmp_pd_mask(squares, _mm512_loadu_pd(limits.full + first), _CMP_LE_OQ);  // no NaN is
    if (used & (_mm512_test_epi64_mask(wrong, wrong) | static_cast<__mmask8>(~small))) return false;
    _mm512_storeu_si512(to.low + first, low), _mm512_storeu_si512(to.high + first, high);
    _mm512_storeu_si512(to.mixed + first, mixed);
    _mm512_storeu_si512(to.coarse + first, coarses), _mm512_storeu_si512(to.fine + first, fines);
    _mm512_storeu_pd(to.squares + first, _mm512_add_pd(squares, _mm512_loadu_pd(to.squares + first)));
    return true;
}
#endif

struct Products {
    static constexpr int64_t most_top = 400;  // so that no square of a unit or of a value leaves the doubles
    std::vector<ProductSums> sums;            // [class]
    std::vector<uint32_t> rows, calls;        // [class]

    explicit Products(size_t n_classes) : sums(n_classes), rows(n_classes), calls(n_classes) {}

    static void set(RowLimits& limits, size_t lane) {
        const int64_t unit = limits.top[lane] - product_units;
        limits.coarse[lane] = 1.5 * two_to(unit + 51 + 52);
        limits.fine[lane] = 1.5 * two_to(unit + 52);
        limits.largest[lane] = two_to(unit + 68);
        limits.full[lane] = two_to(2 * (unit + 68) + 6);  // row_tile rows of the largest
        limits.used[lane] = -1;
    }
    static void set_unused(RowLimits& limits, size_t lane) { limits.used[lane] = 0; }
    static bool is_quick(double x, const RowLimits& limits, size_t lane) {
        const double b = x - ((x + limits.coarse[lane]) - limits.coarse[lane]);
        const bool small = (x < limits.largest[lane]) & (-x < limits.largest[lane]);  // no NaN is
        return small & ((b + limits.fine[lane]) - limits.fine[lane] == b);
    }
    size_t room(size_t) const { return row_tile; }

    template <class Wide>
    bool add(const Rows& own, size_t first, const RowLimits& limits, size_t c) {
        static_assert(Wide::doubles == product_lanes && row_tile == 64);
#if TALLY_X86
        if (level >= Level::ifma) return add_products_ifma(own, first, limits, sums[c]);
#endif
        return add_products(own, first, limits, sums[c]);
    }
    bool count(size_t c, size_t n, size_t) {
        rows[c] += static_cast<uint32_t>(n);
        return ++calls[c] == product_calls;
    }

    void empty(size_t c, size_t width, size_t n_classes, const RowLimits& limits, MomentTables to) {
        const ProductSums& own = sums[c];
        const uint64_t n = rows[c];
        for (size_t j = 0; j < width; ++j) {
            const MomentTables table = tables_of(to, limits.place[j], n_classes, c);
            const size_t unit = static_cast<size_t>(limits.top[j] - product_units + 1074);
            const int64_t a = static_cast<int64_t>(own.coarse[j] - n * std::bit_cast<uint64_t>(limits.coarse[j]));
            const int64_t b = static_cast<int64_t>(own.fine[j] - n * std::bit_cast<uint64_t>(limits.fine[j]));
            const int128 sum = static_cast<int128>(a) * (int64_t{1} << 51) + b;
            uint128 moved =
                own.low[j] + (static_cast<uint128>(own.high[j]) << 52) + (static_cast<uint128>(own.mixed[j]) << 52);
            moved += static_cast<uint128>(a & 1) << 102;  // the squares of F + 2^51
            moved -= (static_cast<uint128>(sum) << 52) + (static_cast<uint128>(n) << 102);
            moved &= (uint128{1} << product_modulus) - 1;
            const double nearly = own.squares[j] * two_to(-2 * (limits.top[j] - product_units)) * two_to(-product_modulus);
            const double whole = nearly - static_cast<double>(moved) * two_to(-product_modulus);
            add_wide(table.sums, unit, sum);
            add_wide(table.squares, 2 * unit, static_cast<int128>(moved));
            add_wide(table.squares, 2 * unit + product_modulus, static_cast<int64_t>(whole + (whole < 0 ? -0.5 : 0.5)));
        }
        sums[c] = {};
        rows[c] = calls[c] = 0;
    }
};

}  // namespace tally
