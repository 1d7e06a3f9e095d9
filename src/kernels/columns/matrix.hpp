// Whole matrices at once, row by row: all columns of a row lie in one or two cache lines, so memory is read once and
// the compiler works on several columns at a time. Each kernel gives what its column-by-column twin gives, to the bit.
#pragma once

#include "kernels/base/numbers.hpp"
#include "kernels/columns/hash.hpp"
#include "kernels/columns/scan.hpp"
#if TALLY_X86
#include <immintrin.h>
#endif

namespace tally {

// ---- one look at every column ----

// low and high of all values that are not NaN; counts as doubles, so that one loop fits one register width.
struct RowScan {
    double low[lanes], high[lanes], missing[lanes], broken[lanes], many[lanes];
    int64_t negative_zero[lanes];
};

// What is known of a column before it is looked at: that some of its values are not whole, or that all are.
enum class Kind : uint8_t { any, broken, whole };

inline bool is_broken(double v) { return v > -1e15 && v < 1e15 && static_cast<double>(static_cast<int64_t>(v)) != v; }

// Of each column, by some of its rows: does it have a value that is not whole? Then it is neither whole nor binary.
inline std::vector<Kind> kinds_of(const Columns& columns) {
    constexpr size_t looked_at = 16;
    std::vector<Kind> kinds(columns.width, Kind::any);
    for (size_t j = 0; j < columns.width; ++j) {
        for (size_t i = 0; i < looked_at && columns.rows; ++i) {
            const size_t row = i * (columns.rows - 1) / looked_at;
            if (is_broken(columns.at[j][static_cast<ptrdiff_t>(row) * columns.strides[j]])) kinds[j] = Kind::broken;
        }
    }
    return kinds;
}

// The same of numbers of any type, by some of their rows; whole ones are known by their type.
inline std::vector<Kind> kinds_of(const Numbers& numbers, const Columns& some) {
    std::vector<Kind> kinds = kinds_of(some);
    for (size_t j = 0; j < kinds.size(); ++j)
        if (numbers.is_whole(j)) kinds[j] = Kind::whole;
    return kinds;
}

// s += low, high, missing and -0.0 of `many` vectors of columns, whose findings stay in registers while the rows pass.
template <class Wide, size_t many>
TALLY_INLINE void scan_vectors(size_t n, const double* x, ptrdiff_t stride, size_t first, RowScan& s) {
    using V = Doubles<Wide>;
    using W = typename Vectors<Wide::doubles>::Wholes;
    V low[many], high[many];
    W missing[many], negative_zero[many];
    for (size_t k = 0; k < many; ++k) {
        const size_t at = first + k * Wide::doubles;
        low[k] = *reinterpret_cast<const V*>(s.low + at), high[k] = *reinterpret_cast<const V*>(s.high + at);
        missing[k] = W{}, negative_zero[k] = W{};
    }
    for (size_t i = 0; i < n; ++i, x += stride) {
        for (size_t k = 0; k < many; ++k) {
            const double* const own = x + k * Wide::doubles;
            const V v = *reinterpret_cast<const V*>(own);
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
            missing[k] -= v != v;
            negative_zero[k] |= *reinterpret_cast<const W*>(own) == INT64_MIN;
        }
    }
    for (size_t k = 0; k < many; ++k) {
        const size_t at = first + k * Wide::doubles;
        *reinterpret_cast<V*>(s.low + at) = low[k];
        *reinterpret_cast<V*>(s.high + at) = high[k];
        *reinterpret_cast<V*>(s.missing + at) += TALLY_CONVERT(missing[k], V);
        *reinterpret_cast<W*>(s.negative_zero + at) |= negative_zero[k];
    }
}

// The same of all columns.
inline void scan_plain(const Columns& columns, Span rows, RowScan& s) {
    run_wide([=, &columns, &s](auto instructions) {
        using Wide = decltype(instructions);
        constexpr size_t many = 4;  // a row of 32 columns is read as it lies
        alignas(64) double room[row_tile * lanes];
        const size_t wide = padded(columns.width);
        each_tile<row_tile>(columns, rows, room, [&](size_t, size_t n, const double* tile, ptrdiff_t stride) {
            size_t j = 0;
            for (; j + many * Wide::doubles <= wide; j += many * Wide::doubles)
                scan_vectors<Wide, many>(n, tile + j, stride, j, s);
            for (; j < wide; j += Wide::doubles) scan_vectors<Wide, 1>(n, tile + j, stride, j, s);
        });
    });
}

inline RowScan nothing_seen() {
    RowScan s{};
    for (size_t j = 0; j < lanes; ++j) s.low[j] = scan_nothing().low, s.high[j] = scan_nothing().high;
    return s;
}

// s += some rows of at most `lanes` columns. Where the kinds of all are known, broken and many say only whether there are
// such cells.
inline void scan_rows(const Columns& columns, Span rows, const Kind* kinds, RowScan& s) {
    if (std::find(kinds, kinds + columns.width, Kind::any) == kinds + columns.width) {
        scan_plain(columns, rows, s);
        for (size_t j = 0; j < columns.width; ++j) {
            const bool broken = kinds[j] == Kind::broken, many = broken || s.low[j] < 0 || s.high[j] > 1;
            s.broken[j] = s.missing[j] + broken, s.many[j] = s.missing[j] + many;
        }
        return;
    }
    run_fast([=, &columns, &s] {
        constexpr double large = 4503599627370496.0;  // 2^52: adding it rounds to whole numbers; all beyond are whole
        alignas(64) double room[tile_rows * lanes];
        const size_t wide = padded(columns.width) & ~size_t{7};
        each_tile(columns, rows, room, [&](size_t, size_t n, const double* tile, ptrdiff_t stride) {
            double* __restrict const low = s.low;
            double* __restrict const high = s.high;
            double* __restrict const missing = s.missing;
            double* __restrict const broken = s.broken;
            double* __restrict const many = s.many;
            int64_t* __restrict const negative_zero = s.negative_zero;
            for (size_t i = 0; i < n; ++i) {
                const double* __restrict const x = tile + static_cast<ptrdiff_t>(i) * stride;
                for (size_t j = 0; j < wide; ++j) {
                    const double v = x[j];
                    low[j] = v < low[j] ? v : low[j];
                    high[j] = v > high[j] ? v : high[j];
                    missing[j] += v != v ? 1.0 : 0.0;
                    const double size = v < 0 ? -v : v;
                    const double round = size < large ? (size + large) - large : size;
                    broken[j] += round != size ? 1.0 : 0.0;  // NaN counts here and is taken off at the end
                    many[j] += v * v != v ? 1.0 : 0.0;       // neither 0 nor 1; NaN counts too
                    negative_zero[j] |= std::bit_cast<int64_t>(v) == INT64_MIN ? 1 : 0;
                }
            }
        });
    });
}

// s[to] += the findings of the first n lanes of another look.
inline void join_lanes(const RowScan& from, size_t n, size_t to, RowScan& s) {
    for (size_t j = 0; j < n; ++j) {
        s.low[to] = from.low[j] < s.low[to] ? from.low[j] : s.low[to];
        s.high[to] = from.high[j] > s.high[to] ? from.high[j] : s.high[to];
        s.missing[to] += from.missing[j], s.broken[to] += from.broken[j], s.many[to] += from.many[j];
        s.negative_zero[to] |= from.negative_zero[j];
    }
}

// s[to] += a column whose cells are neighbours: read as a matrix of some columns, as it lies, and the rest alone.
inline void scan_neighbours(const double* x, size_t rows, size_t to, RowScan& s) {
    constexpr size_t wide = 32;
    const double* at[wide];
    ptrdiff_t strides[wide];
    for (size_t j = 0; j < wide; ++j) at[j] = x + j, strides[j] = wide;
    const ptrdiff_t one = 1;
    const double* const rest = x + rows / wide * wide;
    const Columns all{rows, 1, &x, &one}, most{rows / wide, wide, at, strides}, few{rows % wide, 1, &rest, &one};
    const std::vector<Kind> kinds(wide, kinds_of(all)[0]);
    for (const Columns& part : {most, few}) {
        RowScan own = nothing_seen();
        scan_rows(part, {0, part.rows}, kinds.data(), own);
        join_lanes(own, part.width, to, s);
    }
}

inline RowScan scan_rows(const Columns& columns) {
    RowScan s = nothing_seen();
    bool alone = true;
    for (size_t j = 0; j < columns.width; ++j) alone = alone && columns.strides[j] == 1;
    if (!alone) {
        scan_rows(columns, {0, columns.rows}, kinds_of(columns).data(), s);
        return s;
    }
    for (size_t j = 0; j < columns.width; ++j) scan_neighbours(columns.at[j], columns.rows, j, s);
    return s;
}

// ---- prints of doubles ----

struct RowKeys {  // per lane; lanes without a column have keys 0 and mask 0, so that they add 0
    uint64_t key[2][lanes];
    uint64_t mask[lanes];
};

inline void print_tile(size_t n, size_t wide, const double* tile, ptrdiff_t stride, const RowKeys& keys, uint64_t* low,
                       uint64_t* high) {
    for (size_t i = 0; i < n; ++i) {
        const double* const x = tile + static_cast<ptrdiff_t>(i) * stride;
        uint64_t one = 0, two = 0;
        for (size_t j = 0; j < wide; ++j) {
            const uint64_t bits = print_bits(x[j]) & keys.mask[j];
            one += print_of(bits, keys.key[0][j]);
            two += print_of(bits, keys.key[1][j]);
        }
        low[i] += one;
        high[i] += two;
    }
}

#if TALLY_X86
// The same by hand: compilers make three products of 32 bits out of a product whose factors are known to be short.
TALLY_COMPILED_FOR("avx2")
inline void print_tile_avx2(size_t n, size_t wide, const double* tile, ptrdiff_t stride, const RowKeys& keys, uint64_t* low,
                            uint64_t* high) {
    const __m256d none = _mm256_castsi256_pd(_mm256_set1_epi64x(static_cast<int64_t>(missing_cell)));
    const auto four = [](const uint64_t* at) { return reinterpret_cast<const __m256i*>(at); };
    for (size_t i = 0; i < n; ++i) {
        const double* const x = tile + static_cast<ptrdiff_t>(i) * stride;
        __m256i one = _mm256_setzero_si256(), two = one;
        for (size_t j = 0; j < wide; j += 4) {
            const __m256d v = _mm256_add_pd(_mm256_loadu_pd(x + j), _mm256_setzero_pd());
            const __m256i bits = _mm256_castpd_si256(_mm256_blendv_pd(v, none, _mm256_cmp_pd(v, v, _CMP_UNORD_Q)));
            const __m256i mixed = _mm256_and_si256(_mm256_xor_si256(bits, _mm256_srli_epi64(bits, 48)),
                                                   _mm256_loadu_si256(four(keys.mask + j)));
            const __m256i a = _mm256_add_epi64(mixed, _mm256_loadu_si256(four(keys.key[0] + j)));
            const __m256i b = _mm256_add_epi64(mixed, _mm256_loadu_si256(four(keys.key[1] + j)));
            one = _mm256_add_epi64(one, _mm256_mul_epu32(a, _mm256_srli_epi64(a, 32)));
            two = _mm256_add_epi64(two, _mm256_mul_epu32(b, _mm256_srli_epi64(b, 32)));
        }
        alignas(32) uint64_t ones[4], twos[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(ones), one);
        _mm256_store_si256(reinterpret_cast<__m256i*>(twos), two);
        low[i] += ones[0] + ones[1] + ones[2] + ones[3];
        high[i] += twos[0] + twos[1] + twos[2] + twos[3];
    }
}
#endif

// hashes[lane, row] += the prints of the row's doubles; at most `lanes` columns. low, high: of the first of the rows on.
inline void add_prints(const Columns& columns, Span rows, const RowKeys& keys, uint64_t* low, uint64_t* high) {
    alignas(64) double room[tile_rows * lanes];
    const size_t wide = padded(columns.width);
    each_tile(columns, rows, room, [&](size_t begin, size_t n, const double* tile, ptrdiff_t stride) {
        const size_t at = begin - rows.begin;
#if TALLY_X86
        if (level >= Level::avx2) return print_tile_avx2(n, wide, tile, stride, keys, low + at, high + at);
#endif
        print_tile(n, wide, tile, stride, keys, low + at, high + at);
    });
}

}  // namespace tally
