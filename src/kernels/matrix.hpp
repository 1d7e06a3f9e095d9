// Whole matrices at once, row by row: all columns of a row lie in one or two cache lines, so memory is read once and
// the compiler works on several columns at a time. Each kernel gives what its column-by-column twin gives, to the bit.
#pragma once

#include "kernels/hash.hpp"
#include "kernels/moments.hpp"
#include "kernels/scan.hpp"

namespace tally {

// Compiled for several machines and chosen at load time; 512-bit vectors among them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TALLY_CHECK)
#define TALLY_WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define TALLY_WIDE_CLONES
#endif

inline constexpr size_t lanes = 64;  // columns worked on at a time; their tables stay in the first-level cache

// ---- one look at every column ----

struct RowScan {  // low and high of all values that are not NaN; counts as doubles, so that one loop fits one register width
    double low[lanes], high[lanes], missing[lanes], broken[lanes], many[lanes];
    int64_t negative_zero[lanes];
};

TALLY_WIDE_CLONES inline void scan_rows(size_t rows, size_t width, const double* matrix, ptrdiff_t row_stride, RowScan& s) {
    constexpr double large = 4503599627370496.0;  // 2^52: adding it rounds to whole numbers; all beyond are whole
    for (size_t row = 0; row < rows; ++row) {
        const double* x = matrix + static_cast<ptrdiff_t>(row) * row_stride;
        for (size_t j = 0; j < width; ++j) {
            const double v = x[j];
            s.low[j] = v < s.low[j] ? v : s.low[j];
            s.high[j] = v > s.high[j] ? v : s.high[j];
            s.missing[j] += v != v ? 1.0 : 0.0;
            const double size = v < 0 ? -v : v;
            const double round = size < large ? (size + large) - large : size;
            s.broken[j] += round != size ? 1.0 : 0.0;  // NaN counts here and is taken off at the end
            s.many[j] += v * v != v ? 1.0 : 0.0;    // neither 0 nor 1; NaN counts too
            s.negative_zero[j] |= std::bit_cast<int64_t>(v) == INT64_MIN ? 1 : 0;
        }
    }
}

// ---- exact sums ----
//
// A column's values are cut into three slices of 22 bits below its highest bit, each a small whole number held in a
// double: x = 2^unit (a + b 2^-22 + c 2^-44). Sums of slices and of their products are exact in a double for 512 rows,
// then they go into 128-bit whole numbers. A value with bits below the third slice goes the long way, alone.

inline constexpr size_t slots = 10;       // a b c aa ab bb ac bc cc missing
inline constexpr size_t flush_rows = 512;
inline constexpr int slice = 22;

struct RowTables {
    double* sums;            // [class, slot, lane]: since the last flush
    __int128* wide;          // [class, lane, 3]: sums in 2^(unit - 44), squares in 2^(2 unit - 44) and 2^(2 unit - 88)
};

// Some rows of classes[row]; slow_rows gets those with a value that must go the long way, and says how many.
// Of such a value nothing is added.
TALLY_WIDE_CLONES inline size_t add_slices(size_t rows, size_t width, const double* matrix, ptrdiff_t row_stride,
                                           const uint32_t* classes, const double* __restrict scale, double* tables,
                                           uint32_t* slow_rows) {
    constexpr double magic = 6755399441055744.0;
    constexpr double step = 4194304.0, largest = 4194304.0;  // 2^22
    size_t found = 0;
    for (size_t row = 0; row < rows; ++row) {
        const double* __restrict const x = matrix + static_cast<ptrdiff_t>(row) * row_stride;
        double* __restrict const table = tables + classes[row] * slots * lanes;
        double slow = 0.0;
        for (size_t j = 0; j < width; ++j) {
            const double given = x[j];
            const double here = given == given ? given : 0.0;
            const double y = here * scale[j];
            const double a = (y + magic) - magic;
            const double rest = (y - a) * step;
            const double b = (rest + magic) - magic;
            const double last = (rest - b) * step;
            const double c = (last + magic) - magic;
            // Not kept: bits below the third slice, too large for the first, infinite, or lost by scaling.
            const double size = y < 0.0 ? -y : y;
            const double lost = size == 0.0 ? here : last - c;
            const double wrong = size < largest ? lost : 1.0;
            const bool keep = wrong == 0.0;
            const double p = keep ? a : 0.0, q = keep ? b : 0.0, r = keep ? c : 0.0;
            slow += keep ? 0.0 : 1.0;
            table[j] += p;
            table[lanes + j] += q;
            table[2 * lanes + j] += r;
            table[3 * lanes + j] += p * p;
            table[4 * lanes + j] += p * q;
            table[5 * lanes + j] += q * q;
            table[6 * lanes + j] += p * r;
            table[7 * lanes + j] += q * r;
            table[8 * lanes + j] += r * r;
            table[9 * lanes + j] += given == given ? 0.0 : 1.0;
        }
        slow_rows[found] = static_cast<uint32_t>(row);
        found += slow != 0.0;
    }
    return found;
}

// Whether a value was not kept.
inline bool goes_long(double x, double scale) {
    constexpr double magic = 6755399441055744.0, step = 4194304.0, largest = 4194304.0;
    if (x != x) return false;
    const double y = x * scale;
    const double rest = (y - ((y + magic) - magic)) * step;
    const double last = (rest - ((rest + magic) - magic)) * step;
    const bool fits = last - ((last + magic) - magic) == 0.0 && y < largest && y > -largest;
    return !(fits && (y != 0.0 || x == 0.0));
}

inline void flush_slices(size_t width, double* table, __int128* wide, int64_t* missing) {
    const auto whole = [&](size_t slot, size_t j) { return static_cast<__int128>(static_cast<int64_t>(table[slot * lanes + j])); };
    for (size_t j = 0; j < width; ++j) {
        wide[3 * j] += (whole(0, j) << (2 * slice)) + (whole(1, j) << slice) + whole(2, j);
        wide[3 * j + 1] += (whole(3, j) << (2 * slice)) + (whole(4, j) << (slice + 1)) + whole(5, j) + 2 * whole(6, j);
        wide[3 * j + 2] += (whole(7, j) << (slice + 1)) + whole(8, j);
        missing[j] += static_cast<int64_t>(table[9 * lanes + j]);
    }
    for (size_t slot = 0; slot < slots; ++slot)
        for (size_t j = 0; j < width; ++j) table[slot * lanes + j] = 0.0;
}

// At most 64 columns, contiguous in a row, at most 2^20 rows, no weights. Most values of a column are below
// 2^(unit + 22); scale[lane] = 2^-unit, and unit >= -1030. Tables as add_moments has them; digits are not carried.
// The scratch comes in as zeros and is left dirty.
template <class Class>
void add_row_moments(size_t rows, size_t width, const double* matrix, ptrdiff_t row_stride, const Class* classes,
                     size_t n_classes, const double* scale, const int64_t* units, RowTables scratch, MomentTables to) {
    uint32_t group[flush_rows], slow_rows[flush_rows];
    for (size_t begin = 0; begin < rows; begin += flush_rows) {
        const size_t n = rows - begin < flush_rows ? rows - begin : flush_rows;
        for (size_t i = 0; i < n; ++i) {
            TALLY_REQUIRE(classes[begin + i] < n_classes);
            group[i] = classes[begin + i];
        }
        const double* const part = matrix + static_cast<ptrdiff_t>(begin) * row_stride;
        const size_t found = add_slices(n, width, part, row_stride, group, scale, scratch.sums, slow_rows);
        for (size_t k = 0; k < found; ++k) {
            const double* const x = part + static_cast<ptrdiff_t>(slow_rows[k]) * row_stride;
            for (size_t j = 0; j < width; ++j) {
                if (!goes_long(x[j], scale[j])) continue;
                const size_t first = j * n_classes;
                add_moments(1, {x + j, 1}, classes + begin + slow_rows[k], nullptr, n_classes,
                            {to.missing + first, to.sums + first * sum_digits, to.squares + first * square_digits});
            }
        }
        for (size_t c = 0; c < n_classes; ++c) {
            int64_t missing[lanes] = {};
            flush_slices(width, scratch.sums + c * slots * lanes, scratch.wide + c * lanes * 3, missing);
            for (size_t j = 0; j < width; ++j) to.missing[j * n_classes + c] += missing[j];
        }
    }
    for (size_t c = 0; c < n_classes; ++c) {
        for (size_t j = 0; j < width; ++j) {
            const __int128* wide = scratch.wide + (c * lanes + j) * 3;
            const size_t low = static_cast<size_t>(units[j] - 2 * slice + 1074);
            int64_t* const squares = to.squares + (j * n_classes + c) * square_digits;
            add_wide(to.sums + (j * n_classes + c) * sum_digits, low, wide[0]);
            add_wide(squares, 2 * low + 2 * slice, wide[1]);
            add_wide(squares, 2 * low, wide[2]);
        }
    }
}

// ---- hashes ----

// hashes[lane, row] += hash of the row's doubles under keys[lane, column] (mixed already); a row is contiguous.
TALLY_WIDE_CLONES inline void add_matrix_hashes(size_t rows, size_t columns, const double* matrix,
                                                ptrdiff_t row_stride, const uint64_t* keys, uint64_t* hashes) {
    for (size_t row = 0; row < rows; ++row) {
        uint64_t one = 0, two = 0;
        const double* x = matrix + static_cast<ptrdiff_t>(row) * row_stride;
        for (size_t j = 0; j < columns; ++j) {
            const double v = x[j];
            const uint64_t bits = mix((v != v ? missing_cell : std::bit_cast<uint64_t>(v + 0.0)) + 1);
            one += mix(keys[j] ^ bits);
            two += mix(keys[columns + j] ^ bits);
        }
        hashes[row] += one;
        hashes[rows + row] += two;
    }
}

// ---- small whole numbers ----

// codes[column, row] = value - base[column] where that fits 8 bits; fits[column] is cleared where it does not.
template <class T>
void small_codes(size_t rows, size_t columns, const T* matrix, ptrdiff_t row_stride, ptrdiff_t column_stride,
                 const int64_t* base, size_t all_rows, uint8_t* codes, uint8_t* fits) {
    constexpr size_t tile = 64;
    for (size_t begin = 0; begin < rows; begin += tile) {
        const size_t n = rows - begin < tile ? rows - begin : tile;
        for (size_t j = 0; j < columns; ++j) {
            const T* x = matrix + static_cast<ptrdiff_t>(begin) * row_stride + static_cast<ptrdiff_t>(j) * column_stride;
            uint8_t* out = codes + j * all_rows + begin;
            const uint64_t low = static_cast<uint64_t>(base[j]);
            uint64_t beyond = 0;
            for (size_t i = 0; i < n; ++i) {
                const uint64_t code = static_cast<uint64_t>(static_cast<int64_t>(x[static_cast<ptrdiff_t>(i) * row_stride])) - low;
                out[i] = static_cast<uint8_t>(code);
                beyond |= code;
            }
            fits[j] = static_cast<uint8_t>(fits[j] & (beyond < 256));
        }
    }
}

}  // namespace tally
